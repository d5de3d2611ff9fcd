"""Everything that a board under test has sent, with the instant of its arrival and the step of the test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from flagfall.link.board.frames import LONGEST_FRAME, Frame, decode, why_no_frame
from flagfall.link.board.messages import Hello, Snapshot, Touched
from table_app.board.session import FRAME_UNITS, Budget

WRAP_US = 1 << 32


@dataclass(frozen=True, slots=True)
class Arrival:
    """A frame, the step during which it came, and when."""

    frame: Frame
    step: str
    at_ns: int


@dataclass(slots=True)
class Hearing:
    """The bytes of a board cut at zeros. It keeps no more than a table would take of a board."""

    began_ns: int
    step: str = ""
    bytes_read: int = 0
    arrivals: list[Arrival] = field(default_factory=list)
    # (step, what is wrong, the piece's first bytes) of each piece between two zeros that is no frame
    bad: list[tuple[str, str, bytes]] = field(default_factory=list)
    # (instant, step) of each ASK HELLO
    asked: list[tuple[int, str]] = field(default_factory=list)
    floods: bool = False
    any_zero: bool = False
    _piece: bytearray = field(default_factory=bytearray)
    _first: bool = True
    _budget: Budget = field(init=False)

    def __post_init__(self) -> None:
        self._budget = Budget(self.began_ns)

    def reopened(self) -> None:
        """Begin with a new piece: the port was closed and opened."""
        self._piece.clear()
        self._first = True

    def received(self, data: bytes, now_ns: int) -> None:
        """Take in what has arrived."""
        self._budget.charge(len(data), now_ns)
        self.floods = self.floods or self._budget.spent
        if self.floods:
            return
        self.bytes_read += len(data)
        *ended, rest = data.split(b"\0")
        for part in ended:
            self.any_zero = True
            self._add(part)
            self._take(bytes(self._piece), now_ns)
            self._piece.clear()
            self._first = False
        self._add(rest)

    def _add(self, part: bytes) -> None:
        # One byte more than a frame has is enough to see that it is none.
        self._piece += part[: LONGEST_FRAME + 1 - len(self._piece)]

    def _take(self, piece: bytes, now_ns: int) -> None:
        if not piece:
            return  # zeros between frames fill packets up
        frame = decode(piece) if len(piece) <= LONGEST_FRAME else None
        if frame is not None:
            self._budget.charge(FRAME_UNITS, now_ns)
            self.arrivals.append(Arrival(frame, self.step, now_ns))
        elif not self._first:  # the first may be the end of a frame that began before the port was open
            self.bad.append((self.step, why_no_frame(piece), piece[:12]))

    def of_step(self, *steps: str) -> list[Arrival]:
        return [arrival for arrival in self.arrivals if arrival.step in steps]

    def hellos(self, *steps: str) -> list[tuple[Arrival, Hello]]:
        """Return the HELLOs of these steps, of all if none is given."""
        return [
            (arrival, arrival.frame.message)
            for arrival in self.arrivals
            if isinstance(arrival.frame.message, Hello) and (not steps or arrival.step in steps)
        ]

    def positions(self, *steps: str) -> list[tuple[Arrival, Snapshot]]:
        """Return the positions of these steps, of all if none is given."""
        return [
            (arrival, arrival.frame.message)
            for arrival in self.arrivals
            if isinstance(arrival.frame.message, Snapshot) and (not steps or arrival.step in steps)
        ]

    def neighbours(self) -> Iterator[tuple[Arrival, Arrival]]:
        """Yield each two frames in a row while the port stayed open and the host read."""
        for before, after in pairwise(self.arrivals):
            if {before.step, after.step}.isdisjoint({"slow host", "after a slow host", "again"}):
                yield before, after


def later_us(board_us: int, than_us: int) -> int:
    """Return by how much one board time is later than another, as the counter of 32 bits wraps."""
    ahead_us = (board_us - than_us) % WRAP_US
    return ahead_us if ahead_us < WRAP_US // 2 else ahead_us - WRAP_US


def is_touch(arrival: Arrival) -> bool:
    """Return whether the frame is a touch, which bears the instant of the contact instead of its own."""
    return isinstance(arrival.frame.message, Touched)
