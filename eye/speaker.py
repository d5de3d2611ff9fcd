"""An eye's side of the board's protocol: what was seen in, the host's bytes in, frames out. No port, no
thread, no camera.

A position is reported once two pictures in a row, with nothing over the board and nothing moving, show it (`Settling`).
Its instant is that of the first of its clear pictures.
"""

from __future__ import annotations

from dataclasses import dataclass

from eye.watcher import Sight
from flagfall.link.board.faults import EYE_BLURRED, EYE_COVERED, EYE_DARK, EYE_LOST, EYE_NO_BOARD
from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import (
    AskHello,
    AskSnapshot,
    BoardKind,
    Calibrate,
    FaultReport,
    Hello,
    Message,
    PlaceCorners,
    RawStream,
    SelfTest,
    Snapshot,
)
from flagfall.othello.board import Position

VERSION = (0, 2)
BEAT_NS = 50_000_000
_NOT_UNDERSTOOD = 6
# After it has seen no board for this long, the eye reports that it is not there: a silent board counts as lost.
BLIND_NS = 3_000_000_000
_OF_SIGHT = {
    Sight.NO_BOARD: EYE_NO_BOARD,
    Sight.DARK: EYE_DARK,
    Sight.BLURRED: EYE_BLURRED,
    Sight.COVERED: EYE_COVERED,
}


class Speaker:
    """The eye's side of the board protocol: HELLO when asked, the settled position 20 times a second while the board is
    seen, a fault once when it is not.

    Instants are monotonic nanoseconds.
    """

    def __init__(self, identity: str, began_ns: int) -> None:
        self._identity = identity
        self._began_ns = began_ns
        self._settling = Settling()
        self._decoder = Decoder()
        self._sequence = 0
        self._beat_ns = began_ns
        self._seen_ns: int | None = None
        self._fault = EYE_LOST
        self._to_say: list[Message] = []
        self._looked_at_ns: int | None = None
        self._placed: PlaceCorners | None = None

    @property
    def settled(self) -> Position | None:
        """The settled position."""
        return self._settling.settled

    def looked_at(self, now_ns: int, for_ns: int) -> bool:
        """Return whether somebody at the table looks at the pictures, or did so within `for_ns`."""
        return self._looked_at_ns is not None and now_ns - self._looked_at_ns < for_ns

    def placed(self) -> PlaceCorners | None:
        """Return the corners that were placed since the last call, or None."""
        placed, self._placed = self._placed, None
        return placed

    def saw(self, at_ns: int, sight: Sight, position: Position) -> None:
        """Take in the reading of one picture."""
        code = _OF_SIGHT.get(sight)
        if code is None:
            self._fault = 0
            self._seen_ns = at_ns
            self._settling.saw(at_ns, position, sight is Sight.CLEAR)
        else:
            self._blind(code, at_ns)

    def no_picture(self, at_ns: int) -> None:
        """Record that the camera gives no picture."""
        self._blind(EYE_LOST, at_ns)

    def _blind(self, code: int, at_ns: int) -> None:
        if code != self._fault:
            self._fault = code
            self._to_say.append(FaultReport(code, None))
        if self._seen_ns is not None and at_ns - self._seen_ns > BLIND_NS:
            self._settling.forget()
            self._seen_ns = None

    def work(self, now_ns: int, received: bytes) -> bytes:
        """Take in the host's bytes and return frames for the cable."""
        messages = self._to_say
        self._to_say = []
        snapshot_asked = False
        for frame in self._decoder.feed(received):
            match frame.message:
                case AskHello():
                    messages.append(self._hello(now_ns))
                    if self._fault:
                        messages.append(FaultReport(self._fault, None))
                case AskSnapshot():
                    snapshot_asked = True
                case Calibrate() | SelfTest():
                    messages.append(FaultReport(_NOT_UNDERSTOOD, None))
                case RawStream(on):
                    self._looked_at_ns = now_ns if on else None
                case PlaceCorners() as placed:
                    self._placed = placed
        settling = self._settling
        if settling.settled is not None and (snapshot_asked or now_ns - self._beat_ns >= BEAT_NS):
            self._beat_ns = now_ns
            messages.append(
                Snapshot(settling.settled, self._us(settling.changed_ns), self._us(settling.settled_to_ns))
            )
        return b"".join(self._frame(now_ns, message) for message in messages)

    def _hello(self, now_ns: int) -> Hello:
        return Hello(
            self._identity,
            VERSION,
            True,
            uptime_s=(now_ns - self._began_ns) // 1_000_000_000,
            kind=BoardKind.EYE,
            late_ms=LATE_MS,
            patience_ms=PATIENCE_MS,
        )

    def _frame(self, at_ns: int, message: Message) -> bytes:
        frame = Frame(self._sequence, self._us(at_ns), message)
        self._sequence = (self._sequence + 1) & 0xFFFF
        return encode(frame)

    def _us(self, at_ns: int) -> int:
        return max(0, at_ns - self._began_ns) // 1000 & 0xFFFF_FFFF


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
