"""Reasons for each pair of a round in the players' terms (floats, meetings, colours), and the rules that a Swiss round
had to break (reading 24)."""

from __future__ import annotations

from collections.abc import Sequence

from flagfall.base.message import Message
from hub.model.tournament import Tournament
from hub.pairing.cost import game_cost, orient
from hub.pairing.round import Game, PairedGame, Pairing
from hub.pairing.state import (
    BLACK,
    Entrant,
    RoundState,
    StageKind,
    players_of_round,
    stage_of,
    state_before,
    swiss_rules,
)
from hub.ranking.leagues import leagues_of
from hub.rulebook import SwissRules, rules_of


def explain(tournament: Tournament, pairing: Pairing) -> tuple[Message, ...]:
    """Return a line for each game of the round, then one for each bye."""
    number = pairing.round
    stage = stage_of(tournament, number)
    players = players_of_round(tournament, number)
    state = state_before(tournament, number, players, stage.part_from)
    rules = swiss_rules(tournament, number)
    by_id = {entrant.id: entrant for entrant in state.entrants}
    pinned = {pin.players for pin in tournament.pins}
    drawn = rules_of(tournament).law.hidden_disc != "no"
    lines = []
    for game in pairing.games:
        if game.players in pinned:
            lines.append(Message("pinned by the director"))
        elif stage.kind == "first":
            lines.append(_drawn(tournament, rules, game))
        elif stage.kind == "round robin":
            lines.append(Message("by the circle of the round robin, in which everybody meets everybody"))
        elif stage.kind == "leagues":
            lines.append(_in_league(tournament, game))
        else:
            lines.append(_swiss(state, rules, by_id[game.black], by_id[game.white], drawn=drawn))
    return (*lines, *(_bye(state, stage.kind, by_id[player]) for player in pairing.byes))


def _drawn(tournament: Tournament, rules: SwissRules, game: PairedGame) -> Message:
    past = [tournament.player(player).past_semifinalist for player in game.players]
    if rules.groups_first_round and past[0] != past[1]:
        return Message("by lot, a past semi-finalist against another player")
    return Message("by lot")


def _in_league(tournament: Tournament, game: PairedGame) -> Message:
    for nth, league in enumerate(leagues_of(tournament), start=1):
        if set(game.players) <= set(league):
            return Message.of("league {number}, in which everybody meets everybody", number=nth)
    return Message("as the director has it")


def _swiss(state: RoundState, rules: SwissRules, black: Entrant, white: Entrant, *, drawn: bool) -> Message:
    reasons = []
    if black.half_points == white.half_points:
        reasons.append(Message.of("both have {points}", points=points(black.half_points)))
    else:
        high, low = (black, white) if black.half_points > white.half_points else (white, black)
        reasons.append(
            Message.of(
                "{high} ({high_points}) floats down to {low} ({low_points}): {why}",
                high=high.id,
                high_points=points(high.half_points),
                low=low.id,
                low_points=points(low.half_points),
                why=_why_down(state, rules, high),
            )
        )
    met = state.met(black.id, white.id)
    if met:
        reasons.append(Message.plural("they meet again", "they have met {count} times", met))
    if not drawn:  # else they are nobody's before the players have drawn them at the table
        reasons.append(_colours(state, rules, black, white))
    return Message.of("{reasons}", reasons=tuple(reasons))


def _why_down(state: RoundState, rules: SwissRules, high: Entrant) -> Message:
    level = [e for e in state.entrants if e.half_points == high.half_points and e.id != high.id]
    level_points = points(high.half_points)
    if not level:
        return Message.of("nobody else has {points}", points=level_points)
    if all(state.met(high.id, e.id) > rules.meetings_allowed for e in level):
        return Message.of("no other player with {points} left who may still be met", points=level_points)
    if len(level) % 2 == 0:
        return Message.plural(
            "{count} player with {points}, an odd number; {earlier}",
            "{count} players with {points}, an odd number; {earlier}",
            len(level) + 1,
            points=level_points,
            earlier=_floats_before(high),
        )
    return Message.of(
        "the whole round has the least differences in points this way, as players with {points} have met before",
        points=level_points,
    )


def _floats_before(entrant: Entrant) -> Message:
    if entrant.floats == 0:
        return Message("floated down as often as up before")
    if entrant.floats < 0:
        return Message("floated down more often than up before")
    return Message("floated up more often than down before")


def _colours(state: RoundState, rules: SwissRules, black: Entrant, white: Entrant) -> Message:
    if rules.reverse_colours and (black.id, white.id) in state.last_black:
        return Message("colours reversed from their last game")
    if orient(state, rules, black, white) is None:
        return Message("colours by lot")
    if black.balance != white.balance:
        balance, other_balance = (f"{entrant.balance:+d}".replace("+0", "0") for entrant in (black, white))
        values = {"black": black.id, "own": balance, "others": other_balance}
        return Message.of(
            "black to {black}, who has had fewer blacks in balance ({own} to {others})", **values
        )
    if white.last_colour == BLACK:
        return Message.of("white to {white}, who had black last", white=white.id)
    return Message.of("black to {black}, who had white last", black=black.id)


def _bye(state: RoundState, kind: StageKind, entrant: Entrant) -> Message:
    if kind == "round robin":
        return Message("nobody sits opposite in this round")
    if kind == "first":
        return Message("by lot")
    least = min(e.half_points for e in state.entrants)
    bye_points = points(entrant.half_points)
    if entrant.half_points == least:
        if entrant.byes:
            return Message.of("lowest points ({points}), though not the first bye", points=bye_points)
        return Message.of("lowest points ({points})", points=bye_points)
    return Message.of(
        "lowest points possible ({points}): lower ones have had one or had to be paired", points=bye_points
    )


def points(half_points: int) -> Message:
    """Return a number of points in words: "5 points", "1 point", "half a point", "2½ points"."""
    whole, half = divmod(half_points, 2)
    if not half:
        return Message.plural("{count} point", "{count} points", whole)
    return Message("{count} points", {"count": f"{whole}½"}) if whole else Message("half a point")


_PINNED = Message("pinned")


def swiss_warnings(
    state: RoundState, rules: SwissRules, games: Sequence[Game], byes: Sequence[str], pinned: Sequence[Game]
) -> tuple[Message, ...]:
    """Return one line for every forbidden meeting and every second bye that could not be avoided."""
    by_id = {entrant.id: entrant for entrant in state.entrants}
    warnings = []
    costs = [
        (game, game_cost(state, rules, by_id[game[0]], by_id[game[1]]))
        for game in games
        if rules.team_free_rounds or state.met(*game)
    ]
    same_team = [game for game, cost in costs if cost.same_team]
    rematches = [game for game, cost in costs if cost.rematches]
    free_rematches = sum(game not in pinned for game in rematches)
    for black, white in same_team:
        why = _PINNED if (black, white) in pinned else Message("even the best pairing has as many such games")
        warnings.append(
            Message.of(
                "{black}-{white} are of one team, in one of the last rounds: {why}",
                black=black,
                white=white,
                why=why,
            )
        )
    for black, white in rematches:
        if (black, white) in pinned:
            why = _PINNED
        else:
            why = _why_again(state, rules, black, white) or _at_least(free_rematches)
        often = Message.plural("already", "{count} times already", state.met(black, white))
        warnings.append(
            Message.of(
                "{black}-{white} have met {often}: {why}", black=black, white=white, often=often, why=why
            )
        )
    for player in byes:
        if by_id[player].byes:
            if all(entrant.byes for entrant in state.entrants):
                why = Message("everybody has had one")
            else:
                why = Message(
                    "no player without a bye can have it without a forbidden meeting or a broken pin"
                )
            warnings.append(Message.of("{player} has another bye: {why}", player=player, why=why))
    return tuple(warnings)


def _why_again(state: RoundState, rules: SwissRules, black: str, white: str) -> Message | None:
    for player in (black, white):
        others = [entrant.id for entrant in state.entrants if entrant.id != player]
        if all(state.met(player, other) > rules.meetings_allowed for other in others):
            if rules.modified:
                return Message.of("{player} has met everybody else in this round twice", player=player)
            return Message.of("{player} has met everybody else in this round already", player=player)
    return None


def _at_least(count: int) -> Message:
    return Message.plural(
        "even the best pairing has {count} such game", "even the best pairing has {count} such games", count
    )
