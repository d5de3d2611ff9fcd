"""The fields of a cost as one integer: each weighs more than all lower fields of a whole round can add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from hub.pairing.cost import COST_FIELDS, DECLARED, Cost, Widest
from hub.pairing.state import Entrant
from hub.rulebook import SwissRules

FIELDS = ("banned", *COST_FIELDS)
LARGE_SHARE = 0.15
"""From this share of the field on, countrymen (or a team) are a kind of their own: it makes better starting duals."""


def large_groups(names: Sequence[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if name and count > LARGE_SHARE * len(names)}


def weights_of(rules: SwissRules, entrants: Sequence[Entrant], any_met: bool, bans: bool) -> dict[str, int]:
    """An even weight for each field, above all that the lower fields of a whole round can differ by."""
    points = [e.half_points for e in entrants]
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
    most = {"banned": widest.pairs if bans else 0}
    most |= {name: field.most(widest) for name, field in DECLARED.items()}
    weights, weight = {}, 2
    for name in reversed(FIELDS):
        weights[name] = weight
        weight *= most[name] + 1
    return {name: weights[name] for name in FIELDS}


def weigh(cost: Cost, weights: Mapping[str, int]) -> int:
    """A cost as one number."""
    return sum(weights[name] * getattr(cost, name) for name in COST_FIELDS if getattr(cost, name))
