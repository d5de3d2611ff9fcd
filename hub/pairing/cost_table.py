"""The costs of all pairs of a round as single integers, held by kinds of players rather than by pairs.

Two players with the same points, balance, floats, last colour and byes cost the same against a third, but
for what is between two persons: meetings, bans, team, country. So a table of kinds and a few surcharges
stand for the whole complete graph. A field of Cost weighs more than all lower fields of a whole round can
add up to: least sum is lexicographic best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hub.pairing.cost import OF_COLOURS, OF_MEETINGS, groups
from hub.pairing.costs import bye_cost, pair_cost
from hub.pairing.state import Entrant, RoundState
from hub.pairing.weights import large_groups, weigh, weights_of
from hub.rulebook import SwissRules

Ints = NDArray[np.int64]
Numbers = NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class Affinity:
    """What two of the same group cost more. `group`: one number a vertex, each below zero alone in its group."""

    group: Ints
    surcharge: int


@dataclass(frozen=True, slots=True)
class CostTable:
    """Vertices are the entrants in order, then the bye if their number is odd. All costs are even integers.

    cost(i, j) = by_kind[kind[i], kind[j]] + surcharges of the affinities + between[i].get(j, 0); no surcharge is
    below zero. `start` is `by_kind` with the surcharges that all pairs of two kinds have in common.
    """

    weights: Mapping[str, int]
    kind: Ints
    half_points: Ints
    by_kind: Numbers
    start: Numbers
    affinities: tuple[Affinity, ...]
    between: Sequence[Mapping[int, int]]
    bye: int | None

    @property
    def size(self) -> int:
        return len(self.kind)

    def cost(self, i: int, j: int) -> int:
        total: int = self.by_kind[self.kind[i], self.kind[j]]
        for affinity in self.affinities:
            if affinity.group[i] == affinity.group[j]:
                total += affinity.surcharge
        return total + self.between[i].get(j, 0)

    def row(self, i: int, first: int) -> list[int]:
        """Exact costs of vertex i with the vertices from `first` on."""
        row: Numbers = self.by_kind[self.kind[i]][self.kind[first:]]
        for affinity in self.affinities:
            row[affinity.group[first:] == affinity.group[i]] += affinity.surcharge
        for j, surcharge in self.between[i].items():
            if j >= first:
                row[j - first] += surcharge
        return list(row.tolist())


def cost_table(
    state: RoundState, rules: SwissRules, entrants: Sequence[Entrant], banned: frozenset[frozenset[str]]
) -> CostTable:
    """The table of `entrants` (a part of the state's, in any order: the order in which lots fall)."""
    n = len(entrants)
    odd = n % 2 == 1
    affinity_fields = [
        (name, [getattr(e, attribute) for e in entrants]) for name, attribute in groups(rules).items()
    ]
    kinds: dict[tuple[object, ...], int] = {}
    kind = []
    large = [large_groups(names) for _, names in affinity_fields]
    for at, e in enumerate(entrants):
        own = tuple(
            names[at] if names[at] in big else ""
            for (_, names), big in zip(affinity_fields, large, strict=True)
        )
        key = (e.half_points, e.balance, e.floats, e.last_colour, odd and e.byes > 0, own)
        kind.append(kinds.setdefault(key, len(kinds)))
    sample: list[Entrant] = [entrants[kind.index(k)] for k in range(len(kinds))]
    weights = weights_of(
        rules, entrants, any_met=any(state.meetings.get(e.id) for e in entrants), bans=bool(banned)
    )
    by_kind = _by_kind(sample, weights)
    start = by_kind.copy()
    affinities = []
    for at, (name, names) in enumerate(affinity_fields):
        common = np.array([_key_group(key, at) for key in kinds], dtype=object)
        alike = (common[:, None] == common[None, :]) & (common != "")[:, None]
        start[alike] += weights[name]
        affinities.append(Affinity(_numbered(names), weights[name]))
    between = _between(state, rules, entrants, banned, weights)
    if odd:
        bye_row = np.array([weigh(bye_cost(e), weights) for e in sample], dtype=object)
        by_kind, start = (_with_bye(matrix, bye_row) for matrix in (by_kind, start))
        kind.append(len(sample))
        between.append({})
        affinities = [Affinity(np.append(a.group, -n - 1), a.surcharge) for a in affinities]
    points = [e.half_points for e in entrants] + [-1] * odd
    return CostTable(
        weights,
        np.array(kind),
        np.array(points),
        by_kind=by_kind,
        start=start,
        affinities=tuple(affinities),
        between=between,
        bye=n if odd else None,
    )


def _key_group(key: tuple[object, ...], at: int) -> object:
    groups = key[-1]
    assert isinstance(groups, tuple)
    return groups[at]


def _numbered(names: Sequence[str]) -> Ints:
    numbers: dict[str, int] = {}
    return np.array(
        [numbers.setdefault(name, len(numbers)) if name else -at - 1 for at, name in enumerate(names)]
    )


class _Histories(NamedTuple):
    """What an entrant has played, as a column or a row of arrays."""

    half_points: Ints
    balance: Ints
    floats: Ints
    last_colour: Ints


def _by_kind(sample: Sequence[Entrant], weights: Mapping[str, int]) -> Numbers:
    """As `game_cost` of strangers with the better colours, for all pairs of kinds at once."""
    columns = [
        np.array([getattr(e, name) for e in sample], dtype=np.int64)[:, None] for name in _Histories._fields
    ]
    black, white = _Histories(*columns), _Histories(*(column.T for column in columns))
    fields = {name: value(black, white) for name, value in OF_COLOURS.items()}
    balance, again = fields["colours"], fields["same_colour"]
    turned = (balance > balance.T) | ((balance == balance.T) & (again > again.T))
    total: Numbers = np.zeros(turned.shape, dtype=object)
    for name, values in fields.items():
        total = total + np.where(turned, values.T, values).astype(object) * weights[name]
    return total


def _with_bye(matrix: Numbers, bye_row: Numbers) -> Numbers:
    whole: Numbers = np.zeros((len(bye_row) + 1,) * 2, dtype=object)
    whole[:-1, :-1], whole[-1, :-1], whole[:-1, -1] = matrix, bye_row, bye_row
    return whole


def _between(
    state: RoundState,
    rules: SwissRules,
    entrants: Sequence[Entrant],
    banned: frozenset[frozenset[str]],
    weights: Mapping[str, int],
) -> list[dict[int, int]]:
    """What pairs cost more because they have met, or are banned."""
    between: list[dict[int, int]] = [{} for _ in entrants]
    index = {e.id: at for at, e in enumerate(entrants)}
    if rules.reverse_colours:
        # Colours may be worse than the better ones; few players, so the plain difference will do.
        strangers = RoundState(state.round, state.entrants)
        for a, b in state.last_black:
            if a in index and b in index:
                mine, his = entrants[index[a]], entrants[index[b]]
                forced, free = pair_cost(state, rules, mine, his), pair_cost(strangers, rules, mine, his)
                between[index[a]][index[b]] = weigh(forced, weights) - weigh(free, weights)
    else:
        for i, e in enumerate(entrants):
            for other, times in state.meetings.get(e.id, {}).items():
                if other in index:
                    broken = [weights[name] for name, value in OF_MEETINGS.items() if value(rules, times)]
                    between[i][index[other]] = sum(broken)
    for pair in banned:
        if len(pair) == 2 and all(player in index for player in pair):
            i, j = (index[player] for player in pair)
            between[i][j] = between[j][i] = between[i].get(j, 0) + weights["banned"]
    return between
