"""Kinds of fields that requests share, each with its limits and the text with which a refusal asks for it."""

from __future__ import annotations

import contextlib
import datetime
from typing import Annotated

from msgspec import Meta

from flagfall.base.convert import plain_figures

# A text with its blanks and lines as they were typed.
Raw = Annotated[str, Meta(extra={"raw": True})]
ShortText = Annotated[str, Meta(min_length=1, max_length=500)]
Whole = Annotated[int, Meta(ge=0, le=1_000_000)]
TableNumber = Annotated[int, Meta(ge=1, le=10_000)]
Tables = Annotated[tuple[TableNumber, ...], Meta(min_length=0, max_length=500)]
InstantOrNull = Annotated[ShortText | None, Meta(extra_json_schema={"format": "date-time"})]
Disc = Annotated[int, Meta(ge=0, le=64)]
Score = Annotated[tuple[Disc, Disc], Meta(description="[black, white] in discs")]


def whole_in(text: str, digits: int = 3) -> int | None:
    """Return the whole number that a query or a form has as a text; None if it is none, or has more digits."""
    figures = plain_figures(text)
    return int(figures) if figures.isascii() and figures.isdecimal() and len(figures) <= digits else None


def instant_in(label: str) -> datetime.datetime | None:
    """Return the instant of an entry's label, or of one that was typed (ISO 8601 with its offset); None if it is
    none."""
    with contextlib.suppress(ValueError):
        instant = datetime.datetime.fromisoformat(label)
        return instant if instant.tzinfo is not None else None
    return None
