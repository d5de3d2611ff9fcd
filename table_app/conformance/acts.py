"""Acts of people with discs during the test, and a check that the board shows them: squares and colours are checked."""

from __future__ import annotations

from dataclasses import dataclass

from flagfall.link.board.messages import Snapshot, Touched
from flagfall.othello.board import Position, parse_square, square_name, squares_of
from table_app.conformance.hearing import Arrival, Hearing

# How long people have for an act, and how long another position than the expected one stands before it counts.
MOST_WAIT_NS, STEADY_NS = 60_000_000_000, 10_000_000_000


@dataclass(frozen=True, slots=True)
class Act:
    """A request to people, and the position that the board must show then."""

    text: str
    expected: Position
    square: int | None = None


def _bit(name: str) -> int:
    return 1 << parse_square(name)


ACTS = (
    Act("Take every disc off the board.", Position(0, 0)),
    Act("Lay a disc on a1, black up.", Position(_bit("a1"), 0), parse_square("a1")),
    Act("Turn the disc on a1: white up.", Position(0, _bit("a1")), parse_square("a1")),
    Act("Lay another disc on h1, black up.", Position(_bit("h1"), _bit("a1")), parse_square("h1")),
    Act(
        "Lay a third disc on a8, black up.", Position(_bit("h1") | _bit("a8"), _bit("a1")), parse_square("a8")
    ),
)


@dataclass(slots=True)
class Judging:
    """The wait for one act; instants are passed in. `read` counts the arrivals that were looked at."""

    act: Act
    began_ns: int
    read: int
    _shown: Position | None = None
    # when another position was shown last, None while nobody has begun to act
    _other_ns: int | None = None
    _touched: str = ""

    def verdict(self, hearing: Hearing, now_ns: int) -> str | None:
        """Return "" once the board shows the act, what it shows instead, or None while people still act."""
        for arrival in hearing.arrivals[self.read :]:
            self._take(arrival)
        self.read = len(hearing.arrivals)
        if self._shown == self.act.expected:
            return self._touched
        steady_ns = 0 if self._other_ns is None else now_ns - self._other_ns
        if steady_ns < STEADY_NS and now_ns - self.began_ns < MOST_WAIT_NS:
            return None
        return "no position came" if self._shown is None else f"the board shows {_in_words(self._shown)}"

    def _take(self, arrival: Arrival) -> None:
        match arrival.frame.message:
            case Snapshot(position):
                if self._shown is not None and position != self._shown:
                    self._other_ns = arrival.at_ns
                self._shown = position
            case Touched(square) if square is not None and self.act.square not in (None, square):
                self._touched = f"the board told a touch of {square_name(square)}"


def _in_words(position: Position) -> str:
    parts = [
        f"{', '.join(square_name(square) for square in list(squares_of(squares))[:4])} {colour}"
        for squares, colour in (
            (position.black, "black"),
            (position.white, "white"),
            (position.unknown, "not known"),
        )
        if squares
    ]
    return "; ".join(parts) or "an empty board"
