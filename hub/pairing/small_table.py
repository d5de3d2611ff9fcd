"""The costs of a small round, pair by pair, without numpy: what `hub.pairing.cost_table` holds by kinds of players.

Both give the same costs and the same starting duals, and so the same pairing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from hub.pairing.cost import groups
from hub.pairing.costs import bye_cost, pair_cost
from hub.pairing.state import Entrant, RoundState
from hub.pairing.weights import large_groups, weigh, weights_of
from hub.rulebook import SwissRules

MOST_VERTICES = 40
"""Up to so many, every pair is a candidate: nothing has to be priced afterwards."""


@dataclass(frozen=True, slots=True)
class SmallTable:
    """Vertices are the entrants in order, then the bye if their number is odd. All costs are even integers.

    `costs[i][j]` is exact. Vertices of one `kind` cost the same against a third but for what is between two persons;
    `start[a][b]` is what two kinds cost without that.
    """

    weights: Mapping[str, int]
    costs: Sequence[Sequence[int]]
    kind: Sequence[int]
    start: Sequence[Sequence[int]]
    bye: int | None

    @property
    def size(self) -> int:
        return len(self.costs)

    def row(self, i: int, first: int) -> Sequence[int]:
        """Exact costs of vertex i with the vertices from `first` on."""
        return self.costs[i][first:]


def small_table(
    state: RoundState, rules: SwissRules, entrants: Sequence[Entrant], banned: frozenset[frozenset[str]]
) -> SmallTable:
    """The table of `entrants` (a part of the state's, in any order: the order in which lots fall)."""
    n = len(entrants)
    odd = n % 2 == 1
    weights = weights_of(
        rules, entrants, any_met=any(state.meetings.get(e.id) for e in entrants), bans=bool(banned)
    )
    costs = [[0] * (n + odd) for _ in range(n + odd)]
    for i, one in enumerate(entrants):
        for j in range(i + 1, n):
            other = entrants[j]
            cost = weigh(pair_cost(state, rules, one, other), weights)
            if frozenset((one.id, other.id)) in banned:
                cost += weights["banned"]
            costs[i][j] = costs[j][i] = cost
        if odd:
            costs[i][n] = costs[n][i] = weigh(bye_cost(one), weights)
    large = []
    for name, attribute in groups(rules).items():
        names = [getattr(e, attribute) for e in entrants]
        large.append((name, names, large_groups(names)))
    kinds: dict[tuple[object, ...], int] = {}
    kind, shared = [], []
    for at, e in enumerate(entrants):
        own = tuple((name, names[at] if names[at] in big else "") for name, names, big in large)
        key = (e.half_points, e.balance, e.floats, e.last_colour, odd and e.byes > 0, own)
        if key not in kinds:
            shared.append(own)
        kind.append(kinds.setdefault(key, len(kinds)))
    sample = [entrants[kind.index(number)] for number in range(len(kinds))]
    strangers = RoundState(state.round, state.entrants)
    apart = msgspec.structs.replace(rules, team_free_rounds=0, country_rule=False)
    start = [
        [
            weigh(pair_cost(strangers, apart, one, other), weights)
            + sum(weights[name] for name, group in shared[a] if group and (name, group) in shared[b])
            for b, other in enumerate(sample)
        ]
        for a, one in enumerate(sample)
    ]
    if odd:
        byes = [weigh(bye_cost(one), weights) for one in sample]
        start = [[*row, bye] for row, bye in zip(start, byes, strict=True)] + [[*byes, 0]]
        kind.append(len(sample))
    return SmallTable(weights, costs, kind, start, n if odd else None)
