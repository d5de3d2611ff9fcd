"""The columns that a director may choose for lists."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

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
