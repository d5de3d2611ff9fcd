"""The cost of a pairing: each field is declared once, with its clause, its value and the weight of those above it.

Decision 23 gives the order. A new field needs its line here, and its word in `hub/console/texts.py`.
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
    """The rules by which one field is filled. A rule that does not apply is None."""

    clause: str
    # The largest value that a whole round can add up to.
    most: Callable[[Widest], int]
    # The value for (black, white) after the rounds so far. Works on one pair's integers and on whole arrays.
    of_colours: Callable[[Any, Any], Any] | None = None
    # The value for the number of times that the two have met in this part.
    of_meetings: Callable[[SwissRules, int], bool] | None = None
    # The attribute of an entrant that two may not share, "" if the rules have none.
    group: Callable[[SwissRules], str] | None = None
    # The value that a bye adds.
    of_bye: Callable[[Entrant], int] | None = None


@dataclass(frozen=True, slots=True)
class Widest:
    """Bounds of the fields of a round: the number of players, and the largest value of any entrant."""

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
        """Return 1 if the number of players is odd, else 0."""
        return self.players % 2


def _field(clause: str, most: Callable[[Widest], int], **ways: Any) -> Any:
    return field(default=0, metadata={"field": Field(clause, most, **ways)})


def _up(black: Any, white: Any) -> Any:
    """Return 1 if Black meets somebody with more points, -1 if with less, else 0."""
    return 1 * (white.half_points > black.half_points) - 1 * (white.half_points < black.half_points)


def _floats(black: Any, white: Any) -> Any:
    up = _up(black, white)
    return (black.floats + up) ** 2 + (white.floats - up) ** 2


def colour_balance(black: Any, white: Any) -> Any:
    """Return the sum over both players of (blacks minus whites after this game) squared."""
    return (black.balance + 1) ** 2 + (white.balance - 1) ** 2


def same_colour(black: Any, white: Any) -> Any:
    """Return the number of players (0 to 2) who have the colour of their last game again."""
    return 1 * (black.last_colour == 1) + 1 * (white.last_colour == -1)


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """The cost of a pairing. The lower value in the first field that differs is the better pairing.

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
        """Return the fields in the order of their rank."""
        return {name: getattr(self, name) for name in COST_FIELDS}


DECLARED: dict[str, Field] = {entry.name: entry.metadata["field"] for entry in fields(Cost)}
# Most important first.
COST_FIELDS = tuple(DECLARED)

_VALUES = attrgetter(*COST_FIELDS)

OF_COLOURS = {name: field_.of_colours for name, field_ in DECLARED.items() if field_.of_colours}
OF_MEETINGS = {name: field_.of_meetings for name, field_ in DECLARED.items() if field_.of_meetings}
OF_BYE = {name: field_.of_bye for name, field_ in DECLARED.items() if field_.of_bye}
_GROUPS = {name: field_.group for name, field_ in DECLARED.items() if field_.group}


def total(costs: Iterable[Cost]) -> Cost:
    """Return the sum of each field."""
    return Cost(*map(sum, zip(*map(_VALUES, costs), strict=True)))


@cache
def groups(rules: SwissRules) -> dict[str, str]:
    """Return {field: attribute of an entrant} for the groups whose members these rules keep apart."""
    return {name: attribute for name, group in _GROUPS.items() if (attribute := group(rules))}
