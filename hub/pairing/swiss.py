"""The best Swiss round: solved on a few likely pairs, priced against all of them, and proved (decision 23).

Loads numpy; hub's loop reaches it only through `hub.pairing.worker`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hub.pairing.candidates import candidates, starting_duals
from hub.pairing.certificate import holds
from hub.pairing.costs import with_colours
from hub.pairing.lots import Lots
from hub.pairing.matching import Matching
from hub.pairing.pairing import Certificate, OddSet
from hub.pairing.pricing import contradictions
from hub.pairing.rules import SwissRules
from hub.pairing.state import RoundState
from hub.pairing.table import CostTable, cost_table

NEW_PAIRS_PER_VERTEX = 3
"""How many of the pairs that were missing are added a time."""


@dataclass(frozen=True, slots=True)
class SwissRound:
    """Games as (black, white). `banned`: games that the bans forbid and that no pairing avoids."""

    games: tuple[tuple[str, str], ...]
    bye: str | None
    banned: tuple[tuple[str, str], ...]
    proven: bool
    certificate: Certificate


def pair_swiss(
    state: RoundState,
    rules: SwissRules,
    lots: Lots,
    left_out: frozenset[str] = frozenset(),
    banned: frozenset[frozenset[str]] = frozenset(),
) -> SwissRound:
    """The least-cost pairing of the state's entrants but those `left_out` (pinned); ties fall by `lots`."""
    order = sorted((e for e in state.entrants if e.id not in left_out), key=lambda e: e.id)
    entrants = lots.shuffled(order)
    if not entrants:
        return SwissRound((), None, (), True, Certificate({}, {}, ()))
    table = cost_table(state, rules, entrants, banned)
    mate, duals, odd_sets = _solve(table)
    names = [*(e.id for e in entrants), None]
    certificate = Certificate(
        table.weights,
        {names[v]: dual for v, dual in enumerate(duals)},
        tuple(OddSet(tuple(names[v] for v in sorted(members)), weight) for members, weight in odd_sets),
    )
    games, bye = [], None
    for i, entrant in enumerate(entrants):
        j = mate[i]
        if j == table.bye:
            bye = entrant.id
        elif i < j:
            games.append(with_colours(state, rules, lots, entrant, entrants[j]))
    return SwissRound(
        tuple(games),
        bye,
        tuple(game for game in games if frozenset(game) in banned),
        holds(table, mate, duals, odd_sets),
        certificate,
    )


def _solve(table: CostTable) -> tuple[list[int], list[int], Sequence[tuple[list[int], int]]]:
    """(mate, duals, odd sets) of the best perfect matching on the complete graph."""
    near = candidates(table)
    duals, mates = starting_duals(table), None
    while True:
        matching = Matching(near, duals, mates)
        mate = matching.solve()
        odd_sets = list(matching.odd_sets())
        missing = contradictions(table, matching.dual, odd_sets, NEW_PAIRS_PER_VERTEX)
        if not missing:
            return mate, matching.dual, odd_sets
        for i, j in missing:
            near[i][j] = near[j][i] = table.cost(i, j)
        duals, mates = matching.flat_duals(), mate
