"""What one pair and one bye cost, field by field, and who of a pair is black (decision 23; see Cost)."""

from __future__ import annotations

from collections.abc import Iterable

from hub.pairing.lots import Lots
from hub.pairing.round import Cost
from hub.pairing.rules import SwissRules
from hub.pairing.state import BLACK, WHITE, Entrant, RoundState


def colour_cost(black: Entrant, white: Entrant) -> tuple[int, int]:
    """(`colours`, `same_colour`) of a pair with these colours."""
    return (
        (black.balance + 1) ** 2 + (white.balance - 1) ** 2,
        (black.last_colour == BLACK) + (white.last_colour == WHITE),
    )


def oriented(state: RoundState, rules: SwissRules, a: Entrant, b: Entrant) -> tuple[Entrant, Entrant] | None:
    """(black, white) as the rules want it; None if both ways are equal and the lot decides."""
    if rules.reverse_colours:
        was_black = state.last_black.get((a.id, b.id))
        if was_black is not None:
            return (b, a) if was_black == a.id else (a, b)
    one, other = colour_cost(a, b), colour_cost(b, a)
    if one == other:
        return None
    return (a, b) if one < other else (b, a)


def with_colours(state: RoundState, rules: SwissRules, lots: Lots, a: Entrant, b: Entrant) -> tuple[str, str]:
    """Ids of (black, white), by lot where both ways are equal."""
    black, white = oriented(state, rules, a, b) or ((a, b) if lots.coin() else (b, a))
    return black.id, white.id


def game_cost(state: RoundState, rules: SwissRules, black: Entrant, white: Entrant) -> Cost:
    """The cost of this game with these colours. `same_team` counts whenever the rules have a team rule in
    this round.
    """
    gap = abs(black.half_points - white.half_points)
    up = (white.half_points > black.half_points) - (white.half_points < black.half_points)
    colours, same_colour = colour_cost(black, white)
    met = state.met(black.id, white.id)
    allowed = 1 if rules.modified else 0
    return Cost(
        same_team=int(rules.team_free_rounds > 0 and black.team != "" and black.team == white.team),
        rematches=int(met > allowed),
        gap=gap,
        gap_squared=gap * gap,
        repeats=int(rules.modified and met == 1),
        colours=colours,
        floats=(black.floats + up) ** 2 + (white.floats - up) ** 2,
        same_colour=same_colour,
        same_country=int(rules.country_rule and black.country != "" and black.country == white.country),
    )


def pair_cost(state: RoundState, rules: SwissRules, a: Entrant, b: Entrant) -> Cost:
    """The cost of a and b with the better colours."""
    black, white = oriented(state, rules, a, b) or (a, b)
    return game_cost(state, rules, black, white)


def bye_cost(entrant: Entrant) -> Cost:
    return Cost(
        second_byes=int(entrant.byes > 0),
        bye_points=entrant.half_points,
        colours=entrant.balance**2,
        floats=entrant.floats**2,
    )


def round_cost(
    state: RoundState, rules: SwissRules, games: Iterable[tuple[str, str]], byes: Iterable[str]
) -> Cost:
    """The cost of a whole round: (black, white) of every game, and whoever has a bye."""
    by_id = {entrant.id: entrant for entrant in state.entrants}
    total = Cost()
    for black, white in games:
        total += game_cost(state, rules, by_id[black], by_id[white])
    for player in byes:
        total += bye_cost(by_id[player])
    return total
