"""The rule for reporting a position: once two pictures in a row, with nothing over the board and nothing moving, show
it. Pure: instants come in. A position's instant is that of the first of its clear pictures.
"""

from __future__ import annotations

from dataclasses import dataclass

from flagfall.othello.board import Position

# A change happened at most this long before its first clear picture, if nobody hides the board on purpose.
LATE_MS = 400
# After a hand has rested over the board for this long, the position is reported with `?`, and verdicts wait no longer.
PATIENCE_MS = 10_000
# A square that becomes unreadable, or loses its disc, keeps its value for this long: a hand's shadow passes.
_UNSURE_NS = 1_000_000_000


@dataclass(slots=True)
class Settling:
    """The settled position, by the pictures so far."""

    # None before the first.
    settled: Position | None = None
    # The instant of the settled position.
    changed_ns: int = 0
    # The instant of the last clear picture that showed it.
    settled_to_ns: int = 0
    _candidate: Position | None = None
    _since_ns: int = 0
    _unsure_since_ns: int | None = None
    _hidden_since_ns: int | None = None

    def saw(self, at_ns: int, position: Position, free: bool) -> None:
        """Take in one picture's reading; `free` if nothing lies or moves over the board."""
        if not free:
            self._candidate = None
            if self._hidden_since_ns is None:
                self._hidden_since_ns = at_ns
            elif at_ns - self._hidden_since_ns > PATIENCE_MS * 1_000_000:
                self._settle_around(position, at_ns)
            return
        self._hidden_since_ns = None
        if self._candidate is None or self._candidate.differences(position):
            self._candidate, self._since_ns, self._unsure_since_ns = position, at_ns, None
            if position == self.settled:
                self.settled_to_ns = at_ns
            return
        # A square at the limit of what can be read is known in one picture and not in the next.
        whole = position.known_through(self._candidate)
        if whole == position:
            self._unsure_since_ns = None
        elif self._unsure_since_ns is None:
            self._unsure_since_ns = at_ns
        if self._unsure_since_ns is not None and at_ns - self._unsure_since_ns >= _UNSURE_NS:
            self._candidate = position
            self._settle(position, self._unsure_since_ns, at_ns)
            return
        self._candidate = whole
        lost = whole.empty & (self.settled.black | self.settled.white) if self.settled is not None else 0
        if not lost or at_ns - self._since_ns >= _UNSURE_NS:
            self._settle(whole, self._since_ns, at_ns)

    def _settle_around(self, position: Position, at_ns: int) -> None:
        """Settle the squares that look as before: something rests on the board, and the squares that differ become
        unknown.
        """
        settled = self.settled
        if settled is not None:
            doubted = position.unknown | settled.unknown | settled.differences(position)
            self._settle(Position(settled.black & ~doubted, settled.white & ~doubted, doubted), at_ns, at_ns)

    def _settle(self, position: Position, changed_ns: int, settled_to_ns: int) -> None:
        if position != self.settled:
            self.settled, self.changed_ns = position, changed_ns
        self.settled_to_ns = settled_to_ns

    def forget(self) -> None:
        """Forget the position: the camera was away."""
        self.settled = self._candidate = self._hidden_since_ns = None
