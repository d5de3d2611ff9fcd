"""The fields of a cost as one integer: each weighs more than all lower fields of a whole round can add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hub.pairing.round import COST_FIELDS, Cost
from hub.pairing.rules import SwissRules
from hub.pairing.state import Entrant

FIELDS = ("banned", *COST_FIELDS)
LARGE_SHARE = 0.15
"""From this share of the field on, countrymen (or a team) are a kind of their own: it makes better starting duals."""


def large_groups(names: Sequence[str]) -> set[str]:
    return {name for name in set(names) if name and names.count(name) > LARGE_SHARE * len(names)}


def weights_of(rules: SwissRules, entrants: Sequence[Entrant], any_met: bool, bans: bool) -> dict[str, int]:
    """An even weight for each field, above all that the lower fields of a whole round can differ by."""
    n = len(entrants)
    pairs = (n + 1) // 2
    gap = max(e.half_points for e in entrants) - min(e.half_points for e in entrants)
    most = {
        "banned": pairs if bans else 0,
        "same_team": pairs if rules.team_free_rounds else 0,
        "rematches": pairs if any_met else 0,
        "second_byes": n % 2 * int(any(e.byes for e in entrants)),
        "bye_points": n % 2 * max(e.half_points for e in entrants),
        "gap": gap * pairs,
        "gap_squared": gap**2 * pairs,
        "repeats": pairs if rules.modified and any_met else 0,
        "colours": (max(abs(e.balance) for e in entrants) + 1) ** 2 * n,
        "floats": (max(abs(e.floats) for e in entrants) + 1) ** 2 * n,
        "same_colour": n,
        "same_country": pairs if rules.country_rule else 0,
    }
    weights, weight = {}, 2
    for name in reversed(FIELDS):
        weights[name] = weight
        weight *= most[name] + 1
    return {name: weights[name] for name in FIELDS}


def weigh(cost: Cost, weights: Mapping[str, int]) -> int:
    """A cost as one number."""
    return sum(weights[name] * getattr(cost, name) for name in COST_FIELDS if getattr(cost, name))
