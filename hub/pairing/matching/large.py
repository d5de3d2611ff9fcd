"""The best perfect matching of a large round: solved on a few likely pairs, then priced against all of them."""

from __future__ import annotations

from collections.abc import Sequence

from hub.pairing.cost_table import CostTable
from hub.pairing.matching.blossom import Matching
from hub.pairing.matching.candidates import candidates
from hub.pairing.matching.pricing import contradictions
from hub.pairing.matching.starting_duals import starting_duals

NEW_PAIRS_PER_VERTEX = 3
"""How many of the pairs that were missing are added a time."""


def solve(table: CostTable) -> tuple[list[int], list[int], Sequence[tuple[list[int], int]]]:
    """(mate, duals, odd sets) of the best perfect matching on the complete graph."""
    near = candidates(table)
    duals, mates = starting_duals(table.kind.tolist(), table.start.tolist(), table.bye), None
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
