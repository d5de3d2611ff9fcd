"""The two players of a game, and a value for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


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

    def each(self, change: Callable[[T], R]) -> Both[R]:
        """Return the pair of what each player's value is changed to."""
        return Both(change(self.black), change(self.white))

    def exchanged(self) -> Both[T]:
        """Return the pair with the players' values exchanged."""
        return Both(self.white, self.black)
