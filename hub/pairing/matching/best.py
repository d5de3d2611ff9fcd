"""The best perfect matching of a round: solved on a few likely pairs, then priced against all of them."""

from __future__ import annotations

from hub.pairing.cost_table import CostTable
from hub.pairing.matching.blossom import Matching
from hub.pairing.matching.candidates import candidates
from hub.pairing.matching.pricing import OddSets, contradictions
from hub.pairing.matching.starting_duals import starting_duals

NEW_PAIRS_PER_VERTEX = 3
"""How many of the pairs that were missing are added a time."""


def best_matching(table: CostTable) -> tuple[list[int], list[int], OddSets]:
    """(mate, duals, odd sets) of the best perfect matching on the complete graph."""
    duals, mates = starting_duals(table.kind, table.start, table.bye), None
    near = candidates(table, duals)
    while True:
        matching = Matching(near, duals, mates)
        mate = matching.solve()
        odd_sets = list(matching.odd_sets())
        found = contradictions(table, matching.dual, odd_sets, NEW_PAIRS_PER_VERTEX)
        missing = [(i, j) for i, j in found if j not in near[i]]
        if not missing:  # and if any was found, the certificate does not hold
            return mate, matching.dual, odd_sets
        for i, j in missing:
            near[i][j] = near[j][i] = table.cost(i, j)
        duals, mates = matching.flat_duals(), mate
