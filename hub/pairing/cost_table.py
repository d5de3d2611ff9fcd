"""The costs of all pairs of a round as single integers, held by kinds of players rather than by pairs.

Two players with the same points, balance, floats, last colour and byes cost the same against a third, but
for what is between two persons: meetings, bans, team, country. So a table of kinds and a few surcharges
stand for the whole complete graph. A field of Cost weighs more than all lower fields of a whole round can
add up to: least sum is lexicographic best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

from hub.pairing.cost import (
    COST_FIELDS,
    DECLARED,
    OF_COLOURS,
    OF_MEETINGS,
    Cost,
    Widest,
    bye_cost,
    groups,
    pair_cost,
)
from hub.pairing.state import Entrant, RoundState
from hub.rulebook import SwissRules

# Up to so many players are weighed without numpy, whose import would take longer.
FEW_PLAYERS = 40
# Longest weighed field; the sum of all fields then has 63 bits at most.
LONGEST_TERM_BITS = 60
# From this share of the field on, countrymen (or a team) are a kind of their own, for better starting duals. Fewer can
# nearly always avoid their surcharge, and duals that count on it mislead.
LARGE_SHARE = 0.35


Matrix = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Affinity:
    """The surcharge for two players of the same group."""

    # One number a vertex; a vertex with a number below zero is alone in its group.
    group: Sequence[int]
    surcharge: int


@dataclass(frozen=True, slots=True)
class CostTable:
    """Vertices are the entrants in order, then the bye if their number is odd. All costs are even integers.

    cost(i, j) = by_kind[kind[i]][kind[j]] + surcharges of the affinities + between[i].get(j, 0); no surcharge is
    below zero. `start` is `by_kind` with the surcharges that all pairs of two kinds have in common.
    """

    weights: Mapping[str, int]
    kind: Sequence[int]
    half_points: Sequence[int]
    by_kind: Matrix
    start: Matrix
    affinities: tuple[Affinity, ...]
    between: Sequence[Mapping[int, int]]
    bye: int | None

    @property
    def size(self) -> int:
        return len(self.kind)

    def cost(self, i: int, j: int) -> int:
        total = self.by_kind[self.kind[i]][self.kind[j]] + self.between[i].get(j, 0)
        for affinity in self.affinities:
            if affinity.group[i] == affinity.group[j]:
                total += affinity.surcharge
        return total


def cost_table(
    state: RoundState, rules: SwissRules, entrants: Sequence[Entrant], banned: frozenset[frozenset[str]]
) -> CostTable:
    """Return the table of `entrants`: some of the state's entrants, in the order in which lots fall."""
    n = len(entrants)
    odd = n % 2 == 1
    weights = weights_of(rules, entrants, any_met=any(state.meetings.get(e.id) for e in entrants))
    apart = {name: [getattr(e, attribute) for e in entrants] for name, attribute in groups(rules).items()}
    large = {name: large_groups(names) for name, names in apart.items()}
    large_names = [
        [value if value in large[name] else "" for value in names] for name, names in apart.items()
    ]
    keys = [*zip(map(_history, entrants), [odd and e.byes > 0 for e in entrants], *large_names, strict=True)]
    stranger = dict(zip(keys, entrants, strict=True))
    number: dict[tuple[Any, ...], int] = {}
    kind = [number.setdefault(key, len(number)) for key in keys]
    kinds = [*stranger.values()]
    by_kind = one_by_one(kinds, weights) if n <= FEW_PLAYERS else at_once(kinds, weights)
    start = [list(row) for row in by_kind]
    for place, name in enumerate(apart, 2):
        shared = [(index, key[place]) for key, index in number.items() if key[place]]
        for a, value_a in shared:
            for b, value_b in shared:
                if value_a == value_b:
                    start[a][b] += weights[name]
    between = _between(state, rules, entrants, banned, weights)
    points = [e.half_points for e in entrants]
    if odd:
        byes = [weigh(bye_cost(e), weights) for e in stranger.values()]
        for matrix in (by_kind, start):
            for row, bye in zip(matrix, byes, strict=True):
                row.append(bye)
            matrix.append([*byes, 0])
        kind.append(len(number))
        between.append({})
        points.append(-1)
        for names in apart.values():
            names.append("")
    return CostTable(
        weights,
        kind,
        points,
        by_kind=by_kind,
        start=start,
        affinities=tuple(Affinity(_numbered(names), weights[name]) for name, names in apart.items()),
        between=between,
        bye=n if odd else None,
    )


def large_groups(names: Sequence[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if name and count > LARGE_SHARE * len(names)}


def weights_of(rules: SwissRules, entrants: Sequence[Entrant], any_met: bool) -> dict[str, int]:
    """Return an even weight for each field. It is above all that the lower fields of a whole round can differ by; bans
    weigh most."""
    points = sorted(e.half_points for e in entrants)
    widest = Widest(
        rules,
        len(entrants),
        any_met,
        any_byes=any(e.byes for e in entrants),
        gap=max(points) - min(points),
        half_points=max(points),
        balance=max(abs(e.balance) for e in entrants),
        floats=max(abs(e.floats) for e in entrants),
    )
    weights, weight = {}, 2
    for name, field in reversed(DECLARED.items()):
        weights[name] = weight
        weight *= field.most(widest) + 1
    return {"banned": weight, **{name: weights[name] for name in DECLARED}}


def weigh(cost: Cost, weights: Mapping[str, int]) -> int:
    """Return a cost as one number."""
    return sum(weights[name] * getattr(cost, name) for name in COST_FIELDS if getattr(cost, name))


def unweigh(number: int, weights: Mapping[str, int]) -> Cost:
    """Return the cost that a whole round's number stands for, without its bans."""
    fields = {}
    for name, weight in weights.items():
        fields[name], number = divmod(number, weight)
    del fields["banned"]
    return Cost(**fields)


def _numbered(names: Sequence[str]) -> list[int]:
    numbers: dict[str, int] = {}
    return [
        numbers.setdefault(name, len(numbers)) if name else -index - 1 for index, name in enumerate(names)
    ]


class _Histories(NamedTuple):
    """The histories of many entrants, as a column or a row of arrays."""

    half_points: Any
    balance: Any
    floats: Any
    last_colour: Any
    rank: Any


_history = attrgetter(*_Histories._fields)


def one_by_one(sample: Sequence[Entrant], weights: Mapping[str, int]) -> list[list[int]]:
    """Return the weighed `pair_cost` of all pairs of kinds, as strangers in no team and no country."""
    strangers, rules = RoundState(0, ()), SwissRules()
    matrix = [[0] * len(sample) for _ in sample]
    for a, entrant_a in enumerate(sample):
        for b, entrant_b in enumerate(sample[: a + 1]):
            matrix[a][b] = matrix[b][a] = weigh(pair_cost(strangers, rules, entrant_a, entrant_b), weights)
    return matrix


def at_once(sample: Sequence[Entrant], weights: Mapping[str, int]) -> list[list[int]]:
    """Return the same matrix as `one_by_one`, by numpy: in one sum of machine integers, or in two if one is too
    long."""
    import numpy as np

    history = np.array([_history(e) for e in sample], dtype=np.int64).T
    black, white = _Histories(*history[:, :, None]), _Histories(*history[:, None, :])
    fields = {name: value(black, white) for name, value in OF_COLOURS.items()}
    balance, again = fields["colours"], fields["same_colour"]
    turned = (balance > balance.T) | ((balance == balance.T) & (again > again.T))

    def weighed(names: Sequence[str], unit: int) -> list[list[int]]:
        total = sum((weights[name] // unit * fields[name] for name in names), np.zeros_like(balance))
        better: list[list[int]] = np.where(turned, total.T, total).tolist()
        return better

    most = {name: weights[name] * int(values.max()) for name, values in fields.items()}
    low = [name for name, cost in most.items() if 0 < cost.bit_length() <= LONGEST_TERM_BITS]
    high = [name for name, cost in most.items() if cost.bit_length() > LONGEST_TERM_BITS]
    if not high:
        return weighed(low, 1)
    # It divides them all, as each weight is a multiple of the next.
    unit = min(weights[name] for name in high)
    return [
        [upper * unit + lower for upper, lower in zip(*rows, strict=True)]
        for rows in zip(weighed(high, unit), weighed(low, 1), strict=True)
    ]


def _between(
    state: RoundState,
    rules: SwissRules,
    entrants: Sequence[Entrant],
    banned: frozenset[frozenset[str]],
    weights: Mapping[str, int],
) -> list[dict[int, int]]:
    """Return the surcharges of pairs that have met or are banned."""
    between: list[dict[int, int]] = [{} for _ in entrants]
    index = {e.id: place for place, e in enumerate(entrants)}
    if rules.reverse_colours:
        # Colours may be worse than the better ones; few players, so the plain difference will do.
        strangers = RoundState(state.round, state.entrants)
        for a, b in state.last_black:
            if a in index and b in index:
                entrant_a, entrant_b = entrants[index[a]], entrants[index[b]]
                forced = pair_cost(state, rules, entrant_a, entrant_b)
                free = pair_cost(strangers, rules, entrant_a, entrant_b)
                between[index[a]][index[b]] = weigh(forced, weights) - weigh(free, weights)
    else:
        again: dict[int, int] = {}  # number of meetings -> surcharge
        for i, e in enumerate(entrants):
            for other, times in state.meetings.get(e.id, {}).items():
                if times not in again:
                    again[times] = sum(
                        weights[name] for name, value in OF_MEETINGS.items() if value(rules, times)
                    )
                if other in index:
                    between[i][index[other]] = again[times]
    for pair in banned:
        if len(pair) == 2 and all(player in index for player in pair):
            i, j = (index[player] for player in pair)
            between[i][j] = between[j][i] = between[i].get(j, 0) + weights["banned"]
    return between
