"""The cost of a pair, of a bye and of a whole round, and the colours of a pair (reading 23; the fields are in
`cost.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hub.model.tournament import Tournament
from hub.pairing.cost import OF_BYE, OF_COLOURS, OF_MEETINGS, Cost, colour_balance, groups, same_colour, total
from hub.pairing.lots import Lots
from hub.pairing.stages import players_of_round, stage_of, swiss_rules
from hub.pairing.state import Entrant, RoundState, state_before
from hub.rulebook import SwissRules
from hub.text import Refused


def orient(state: RoundState, rules: SwissRules, a: Entrant, b: Entrant) -> tuple[Entrant, Entrant] | None:
    """Return (black, white) as the rules want it, or None if both ways are equal and the lot decides."""
    if rules.reverse_colours:
        was_black = state.last_black.get((a.id, b.id))
        if was_black is not None:
            return (b, a) if was_black == a.id else (a, b)
    a_black = colour_balance(a, b), same_colour(a, b)
    b_black = colour_balance(b, a), same_colour(b, a)
    if a_black == b_black:
        return None
    return (a, b) if a_black < b_black else (b, a)


def with_colours(state: RoundState, rules: SwissRules, lots: Lots, a: Entrant, b: Entrant) -> tuple[str, str]:
    """Return the ids of (black, white), by lot if both ways are equal."""
    black, white = orient(state, rules, a, b) or ((a, b) if lots.coin() else (b, a))
    return black.id, white.id


def game_cost(state: RoundState, rules: SwissRules, black: Entrant, white: Entrant) -> Cost:
    """Return the cost of this game with these colours."""
    fields = {name: value(black, white) for name, value in OF_COLOURS.items()}
    met = state.met(black.id, white.id)
    fields |= {name: int(value(rules, met)) for name, value in OF_MEETINGS.items()}
    for name, attribute in groups(rules).items():
        black_group, white_group = getattr(black, attribute), getattr(white, attribute)
        fields[name] = int(black_group != "" and black_group == white_group)
    return Cost(**fields)


def pair_cost(state: RoundState, rules: SwissRules, a: Entrant, b: Entrant) -> Cost:
    """Return the cost of a and b with the better colours."""
    black, white = orient(state, rules, a, b) or (a, b)
    return game_cost(state, rules, black, white)


def bye_cost(entrant: Entrant) -> Cost:
    return Cost(**{name: value(entrant) for name, value in OF_BYE.items()})


def round_cost(
    state: RoundState, rules: SwissRules, games: Iterable[tuple[str, str]], byes: Iterable[str]
) -> Cost:
    """Return the cost of a whole round of games (black, white) and byes."""
    by_id = {entrant.id: entrant for entrant in state.entrants}
    costs = [game_cost(state, rules, by_id[black], by_id[white]) for black, white in games]
    costs += [bye_cost(by_id[player]) for player in byes]
    return total(costs)


def cost_of_draft(
    tournament: Tournament, games: Sequence[tuple[str, str]], byes: Sequence[str]
) -> Cost | None:
    """Return the cost of a draft of the next round as the director has changed it, or None if such rounds have no cost.

    Raise Refused if it names somebody who is not there, names somebody twice, or leaves somebody out.
    """
    number = len(tournament.rounds) + 1
    stage = stage_of(tournament, number)
    players = players_of_round(tournament, number)
    named = sorted([*byes, *(player for game in games for player in game)])
    expected = sorted(player.id for player in players)
    if named != expected:
        wrong = sorted({p for p in {*named, *expected} if named.count(p) != expected.count(p)})
        raise Refused(
            "round {number}: expected everybody there once, got otherwise for {players}",
            number=number,
            players=tuple(wrong),
        )
    if stage.kind != "swiss":
        return None
    state = state_before(tournament, number, players, stage.part_from)
    return round_cost(state, swiss_rules(tournament, number), games, byes)
