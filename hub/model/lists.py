"""The columns that a director may choose for lists, and the prizes of an event."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

Column: TypeAlias = Literal[
    "name",
    "country",
    "team",
    "division",
    "grade",
    "rating",
    "points",
    "bq",
    "difference",
    "discs",
    "games",
    "won",
    "drawn",
    "lost",
]
# In their order on lists.
COLUMNS: tuple[Column, ...] = get_args(Column)
# Columns of texts; the others are figures.
TEXT_COLUMNS = frozenset(("name", "country", "team", "division", "grade"))


Cents: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000_000_00)]
PrizePoints: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]
# The units, in cents, to which a director may round shared money down.
ROUNDINGS = (1, 5, 10, 50, 100)
MOST_PLACES = 200
MOST_PRIZE_LISTS = 100


def amount_text(cents: int) -> str:
    """Return 300, or 12.50."""
    whole, rest = divmod(cents, 100)
    return f"{whole}.{rest:02d}" if rest else str(whole)


class ListPrizes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The prizes of one list, the first place's first. No place has more than one before it."""

    # Money in hundredths of the currency.
    cents: Annotated[tuple[Cents, ...], Meta(max_length=MOST_PLACES)] = ()
    points: Annotated[tuple[PrizePoints, ...], Meta(max_length=MOST_PLACES)] = ()


class PrizeFund(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The prizes of an event."""

    # By the list: "open", another title, "teams", or "category:<name>".
    lists: Annotated[dict[str, ListPrizes], Meta(max_length=MOST_PRIZE_LISTS)] = {}
    currency: Annotated[str, Meta(max_length=12)] = ""
    # Shared money is rounded down to a multiple of it.
    round_to_cents: Literal[1, 5, 10, 50, 100] = 1
