"""What a pairing costs: each field declared once, with its clause, its value and the weight of those above it.

Decision 23 gives the order. Whoever adds a field adds its line here, and its word to `hub/console/texts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hub.pairing.state import Entrant
    from hub.rulebook import SwissRules


class Field(NamedTuple):
    """How one field comes about. What does not add to it is None.

    `of_colours(black, white)`: from what both have played so far. Works on one pair's integers and on whole arrays.
    `of_meetings(rules, met)`: from how often the two have met in this part.
    `group(rules)`: the attribute of an entrant that two may not share, "" where the rules have none.
    `of_bye(entrant)`: what a bye adds.
    `most(field)`: what a whole round can add up to at most.
    """

    clause: str
    most: Callable[[Widest], int]
    of_colours: Callable[[Any, Any], Any] | None = None
    of_meetings: Callable[[SwissRules, int], bool] | None = None
    group: Callable[[SwissRules], str] | None = None
    of_bye: Callable[[Entrant], int] | None = None


@dataclass(frozen=True, slots=True)
class Widest:
    """What bounds the fields of a round: `players`, `pairs`, `byes` (0 or 1), and the largest value of any entrant."""

    rules: SwissRules
    players: int
    any_met: bool
    any_byes: bool
    gap: int
    half_points: int
    balance: int
    floats: int

    @property
    def pairs(self) -> int:
        return (self.players + 1) // 2

    @property
    def byes(self) -> int:
        return self.players % 2


def _field(clause: str, most: Callable[[Widest], int], **ways: Any) -> Any:
    return field(default=0, metadata={"field": Field(clause, most, **ways)})


def _up(black: Any, white: Any) -> Any:
    """1 where Black meets somebody with more points, -1 where less."""
    return 1 * (white.half_points > black.half_points) - 1 * (white.half_points < black.half_points)


def _floats(black: Any, white: Any) -> Any:
    up = _up(black, white)
    return (black.floats + up) ** 2 + (white.floats - up) ** 2


def colour_balance(black: Any, white: Any) -> Any:
    """Blacks minus whites after this game, squared, of both."""
    return (black.balance + 1) ** 2 + (white.balance - 1) ** 2


def same_colour(black: Any, white: Any) -> Any:
    """How many of the two have the colour of their last game again."""
    return 1 * (black.last_colour == 1) + 1 * (white.last_colour == -1)


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """What a pairing costs, most important field first: the less at the first field that differs is the
    better.

    The fields are those of `pair --json` (docs of the tournament file). All are sums over the round's games
    and its bye, so the cost of a round is the sum of the costs of its parts. Points are half points.
    """

    same_team: int = _field(
        "woc-classic II.5.2.i",
        lambda widest: widest.pairs if widest.rules.team_free_rounds else 0,
        group=lambda rules: "team" if rules.team_free_rounds else "",
    )
    rematches: int = _field(
        "woc-2019 II.7.2.a",
        lambda widest: widest.pairs if widest.any_met else 0,
        of_meetings=lambda rules, met: met > rules.meetings_allowed,
    )
    second_byes: int = _field(
        "reading 21",
        lambda widest: widest.byes * widest.any_byes,
        of_bye=lambda entrant: int(entrant.byes > 0),
    )
    bye_points: int = _field(
        "reading 21",
        lambda widest: widest.byes * widest.half_points,
        of_bye=lambda entrant: entrant.half_points,
    )
    gap: int = _field(
        "woc-2019 II.7.2.b",
        lambda widest: widest.gap * widest.pairs,
        of_colours=lambda black, white: abs(black.half_points - white.half_points),
    )
    gap_squared: int = _field(
        "woc-2019 II.7.2.b",
        lambda widest: widest.gap**2 * widest.pairs,
        of_colours=lambda black, white: (black.half_points - white.half_points) ** 2,
    )
    repeats: int = _field(
        "woc-2019 II.7.2.c",
        lambda widest: widest.pairs if widest.rules.modified and widest.any_met else 0,
        of_meetings=lambda rules, met: rules.modified and met == 1,
    )
    colours: int = _field(
        "woc-2019 II.7.2.d",
        lambda widest: (widest.balance + 1) ** 2 * widest.players,
        of_colours=colour_balance,
        of_bye=lambda entrant: entrant.balance**2,
    )
    floats: int = _field(
        "woc-2019 II.7.2.e",
        lambda widest: (widest.floats + 1) ** 2 * widest.players,
        of_colours=_floats,
        of_bye=lambda entrant: entrant.floats**2,
    )
    same_colour: int = _field("woc-2019 II.7.2.f", lambda widest: widest.players, of_colours=same_colour)
    same_country: int = _field(
        "woc-2019 II.7.2.g",
        lambda widest: widest.pairs if widest.rules.country_rule else 0,
        group=lambda rules: "country" if rules.country_rule else "",
    )

    def __add__(self, other: Cost) -> Cost:
        return total((self, other))

    def as_dict(self) -> dict[str, int]:
        """The fields in the order of their rank."""
        return {name: getattr(self, name) for name in COST_FIELDS}


DECLARED: dict[str, Field] = {one.name: one.metadata["field"] for one in fields(Cost)}
COST_FIELDS = tuple(DECLARED)
"""Most important first."""

_VALUES = attrgetter(*COST_FIELDS)

OF_COLOURS = {name: one.of_colours for name, one in DECLARED.items() if one.of_colours}
OF_MEETINGS = {name: one.of_meetings for name, one in DECLARED.items() if one.of_meetings}
OF_BYE = {name: one.of_bye for name, one in DECLARED.items() if one.of_bye}
_GROUPS = {name: one.group for name, one in DECLARED.items() if one.group}


def total(costs: Iterable[Cost]) -> Cost:
    """The sum of each field."""
    return Cost(*map(sum, zip(*map(_VALUES, costs), strict=True)))


@cache
def groups(rules: SwissRules) -> dict[str, str]:
    """Field and attribute of an entrant, of the groups whose members these rules keep apart."""
    return {name: attribute for name, group in _GROUPS.items() if (attribute := group(rules))}
