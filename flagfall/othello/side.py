"""The two players of a game, and a value for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")


class Side(StrEnum):
    """A player, by the colour the header gives him; `usoa` 7.3 may give him the other's discs, not his name."""

    BLACK = "black"
    WHITE = "white"

    @property
    def other(self) -> Side:
        return _OTHER[self]


_OTHER = {Side.BLACK: Side.WHITE, Side.WHITE: Side.BLACK}


@dataclass(frozen=True, slots=True)
class Both(Generic[T]):
    """One value for each player."""

    black: T
    white: T

    def __iter__(self) -> Iterator[T]:
        """Yield Black's value, then White's."""
        yield self.black
        yield self.white

    def of(self, side: Side) -> T:
        return self.black if side is Side.BLACK else self.white

    def with_(self, side: Side, value: T) -> Both[T]:
        """Return the pair with one player's value replaced."""
        return Both(value, self.white) if side is Side.BLACK else Both(self.black, value)
