"""A board's body without sensors: it knows its position, and speaks the board's protocol itself.

Cheap enough for a room of hundreds of tables; the realistic body, with the real firmware, is
`firmware_body.FirmwareBody`.
"""

from __future__ import annotations

from collections.abc import Iterator

from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import AskHello, AskSnapshot, FaultReport, Hello, Message, Snapshot, Touched
from flagfall.othello.board import Position, squares_of

# How long after a change the real board reports it, on average.
SETTLE_NS = 36_000_000
PERIOD_NS = 50_000_000
# Changes closer together than a scan are one. Like the real board's, they bear the instant of the last scan before
# them, so that a press is never dated before the disc.
SCAN_NS = 12_000_000


class PlainBody:
    """A `virtual_board.Body`."""

    def __init__(self, identity: str, position: Position, count_from_us: int = 0) -> None:
        self._identity = identity
        self._count_from_us = count_from_us
        self._lying = position
        self.power_on(0)

    @property
    def lying(self) -> Position:
        return self._lying

    def power_on(self, now_ns: int) -> None:
        self._heard = Decoder()
        self._sequence = 0
        self._began_ns = self._changed_ns = self._snapshot_due_ns = self.wake_ns = now_ns
        self._settled = self._lying
        self._unsettled: dict[int, int] = {}
        self._touches: list[tuple[int, Touched]] = []
        self._untold: list[Snapshot] = []

    def power_off(self) -> None:
        """No-op: this body has no clock."""

    def change(self, position: Position, now_ns: int) -> None:
        """Change the position. Every square settles for itself, so that a fast opponent does not hide the previous
        move.

        What has settled by now did so before this change, however late `work` is called: a real board's scans do not
        wait for this machine's processor.
        """
        self._untold += self._settle(now_ns)
        unknown = self._lying.unknown ^ position.unknown
        for square in squares_of(self._lying.differences(position) | unknown):
            self._unsettled[square] = self._last_scan_ns(now_ns)
        self._lying = position
        self.wake_ns = min(self.wake_ns, now_ns + SETTLE_NS)

    def touch(self, square: int, contact: int, now_ns: int) -> None:
        self._touches.append((self._last_scan_ns(now_ns), Touched(square, contact)))
        self.wake_ns = now_ns

    def _last_scan_ns(self, now_ns: int) -> int:
        return max(now_ns - SCAN_NS, self._began_ns)

    def work(self, now_ns: int, received: bytes) -> bytes:
        asked = [frame.message for frame in self._heard.feed(received)]
        sent: list[tuple[int, Message]] = [*self._touches]
        self._touches.clear()
        for message in asked:
            if message == AskHello():
                uptime_s = (now_ns - self._began_ns) // 1_000_000_000
                sent.append((now_ns, Hello(self._identity, (0, 0), True, uptime_s)))
            elif message != AskSnapshot():
                sent.append((now_ns, FaultReport(6, None)))
        shown = [*self._untold, *self._settle(now_ns)]
        self._untold.clear()
        unsettled_ns = min(self._unsettled.values(), default=None)
        snapshot = self._snapshot(now_ns - SCAN_NS if unsettled_ns is None else unsettled_ns - 1000)
        if shown:
            shown[-1] = snapshot
        elif now_ns >= self._snapshot_due_ns or AskSnapshot() in asked:
            shown.append(snapshot)
        if shown:
            self._snapshot_due_ns = now_ns + PERIOD_NS
        sent += [(now_ns, snapshot) for snapshot in shown]
        self.wake_ns = self._snapshot_due_ns
        if unsettled_ns is not None:
            self.wake_ns = min(self.wake_ns, unsettled_ns + SCAN_NS + SETTLE_NS)
        return b"".join(self._frame(at_ns, message) for at_ns, message in sent)

    def _settle(self, now_ns: int) -> Iterator[Snapshot]:
        """Yield the positions that have settled by now, one for each scan in which something changed."""
        ripe_ns = now_ns - SCAN_NS - SETTLE_NS
        due = sorted((at_ns, square) for square, at_ns in self._unsettled.items() if at_ns <= ripe_ns)
        while due:
            self._changed_ns = due[0][0]
            settled = 0
            while due and due[0][0] < self._changed_ns + SCAN_NS:
                _, square = due.pop(0)
                del self._unsettled[square]
                settled |= 1 << square
            self._settled = self._settled.with_squares(settled, self._lying)
            yield self._snapshot(self._changed_ns)

    def _snapshot(self, settled_to_ns: int) -> Snapshot:
        return Snapshot(self._settled, self._us(self._changed_ns), self._us(settled_to_ns))

    def _frame(self, at_ns: int, message: Message) -> bytes:
        frame = Frame(self._sequence, self._us(at_ns), message)
        self._sequence = (self._sequence + 1) & 0xFFFF
        return encode(frame)

    def _us(self, at_ns: int) -> int:
        """Return the board time of an instant, as u32."""
        since_ns = max(0, at_ns - self._began_ns)
        return (self._count_from_us + since_ns // 1_000) & 0xFFFF_FFFF
