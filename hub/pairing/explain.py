"""Each pair of a round in one line, in the players' terms: floats, meetings, colours."""

from __future__ import annotations

from hub.pairing.costs import oriented
from hub.pairing.next_round import players_of_round, stage_of
from hub.pairing.pairing import PairedGame, Pairing
from hub.pairing.rules import SwissRules, swiss_rules
from hub.pairing.state import BLACK, Entrant, RoundState, state_before
from hub.tournament import Tournament


def explain(tournament: Tournament, pairing: Pairing) -> tuple[str, ...]:
    """One line for every game, in order of tables, and one for every bye."""
    number = pairing.round
    stage = stage_of(tournament, number)
    players = players_of_round(tournament, number, stage)
    state = state_before(tournament, number, players, stage.part_from)
    rules = swiss_rules(tournament, number)
    by_id = {entrant.id: entrant for entrant in state.entrants}
    pinned = {(pin.black, pin.white) for pin in tournament.pins}
    lines = []
    for game in pairing.games:
        if (game.black, game.white) in pinned:
            why = "pinned by the director"
        elif stage.kind == "first":
            why = _drawn(tournament, rules, game)
        elif stage.kind == "round robin":
            why = "the circle's, as everybody meets everybody"
        else:
            why = _swiss(state, rules, by_id[game.black], by_id[game.white])
        lines.append(f"table {game.table}: {game.black}-{game.white}: {why}")
    for player in pairing.byes:
        lines.append(f"bye: {player}: {_bye(state, stage.kind, by_id[player])}")
    return tuple(lines)


def _drawn(tournament: Tournament, rules: SwissRules, game: PairedGame) -> str:
    past = [tournament.player(player).past_semifinalist for player in (game.black, game.white)]
    if rules.groups_first_round and past[0] != past[1]:
        return "by lot, a past semi-finalist against another player"
    return "by lot"


def _swiss(state: RoundState, rules: SwissRules, black: Entrant, white: Entrant) -> str:
    said = []
    if black.half_points == white.half_points:
        said.append(f"both have {points(black.half_points)}")
    else:
        high, low = (black, white) if black.half_points > white.half_points else (white, black)
        said.append(
            f"{high.id} ({points(high.half_points)}) floats down to {low.id} ({points(low.half_points)}): "
            + _why_down(state, rules, high)
        )
    met = state.met(black.id, white.id)
    if met:
        said.append("they meet again" if met == 1 else f"they have met {met} times")
    said.append(_colours(state, rules, black, white))
    return "; ".join(said)


def _why_down(state: RoundState, rules: SwissRules, high: Entrant) -> str:
    level = [e for e in state.entrants if e.half_points == high.half_points and e.id != high.id]
    allowed = 1 if rules.modified else 0
    own = points(high.half_points)
    if not level:
        return f"nobody else has {own}"
    if all(state.met(high.id, e.id) > allowed for e in level):
        return f"no other player with {own} left whom he may still meet"
    if len(level) % 2 == 0:
        before = {-1: "he floated down more often than up", 1: "he has floated up before"}
        earlier = before.get((high.floats > 0) - (high.floats < 0), "he owes no float")
        return f"{len(level) + 1} players with {own}, an odd number; {earlier}"
    return f"the differences of the whole round are least so, given who with {own} has met whom"


def _colours(state: RoundState, rules: SwissRules, black: Entrant, white: Entrant) -> str:
    if rules.reverse_colours and (black.id, white.id) in state.last_black:
        return "colours reversed from their last game"
    if oriented(state, rules, black, white) is None:
        return "colours by lot"
    if black.balance != white.balance:
        fewer = "fewer blacks" if black.balance < white.balance else "more blacks"
        return (
            f"black to {black.id}, who has had {fewer} in balance ({black.balance:+d} to {white.balance:+d})"
        )
    if white.last_colour == BLACK:
        return f"white to {white.id}, who had black last"
    return f"black to {black.id}, who had white last"


def _bye(state: RoundState, kind: str, entrant: Entrant) -> str:
    if kind == "round robin":
        return "nobody sits opposite in this round"
    if kind == "first":
        return "by lot"
    least = min(e.half_points for e in state.entrants)
    if entrant.half_points == least:
        return f"lowest points ({points(least)})" + (", though not his first" if entrant.byes else "")
    return (
        f"lowest points possible ({points(entrant.half_points)}): lower ones have had one or had to be paired"
    )


def points(half_points: int) -> str:
    """ "5 points", "1 point", "2.5 points"."""
    number = half_points / 2
    return f"{number:g} point{'' if number == 1 else 's'}"
