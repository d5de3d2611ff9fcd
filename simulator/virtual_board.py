"""A sensor board that is not there: discs in memory, the real protocol over a pty.

The table program opens the pty like the port of a real board. What lies on it is changed by hands (`place`,
`lift`, `turn`, `touch`) or by a fault (`pull`, `corrupt`); it settles in real time, never scaled, as a real
board does.
"""

from __future__ import annotations

import os
import random
import select
import threading
import time
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from othello.board import START, Position, squares_of
from table_app.frames import (
    TOUCH_DISC,
    AskHello,
    AskSnapshot,
    Decoder,
    Fault,
    Frame,
    Hello,
    Message,
    Snapshot,
    Touched,
    encode,
)

SETTLE_NS = 60_000_000
PERIOD_NS = 50_000_000
SCAN_NS = 10_000_000
"""Changes closer together than a scan are one. Like the real board's, they bear the instant of the last scan
that did not show them yet: late by nothing, so that a press is never taken for earlier than the disc before
it.
"""


@dataclass(frozen=True, slots=True)
class Cable:
    """How bad the way to the host is: shares of frames lost or damaged, and the longest delay of one."""

    lost: float = 0.0
    damaged: float = 0.0
    delay_s: float = 0.003


class VirtualBoard:
    """One board with the pty's name at `path` (a symbolic link that stays the same over `pull` and `plug`).

    `count_from_us` is where its time begins (it wraps at 2**32), `drift_ppm` how fast its quartz is; every
    chance comes from `seed`. Methods may be called from any thread. Squares are 0..63 as the board itself
    names them.
    """

    def __init__(
        self,
        path: Path,
        identity: str = "00000000000000b0",
        position: Position = START,
        seed: int = 0,
        cable: Cable = Cable(),
        count_from_us: int = 0,
        drift_ppm: int = 0,
    ) -> None:
        self.path = path
        self._identity = identity
        self._chance = random.Random(seed)
        self._cable = cable
        self._count_from_us = count_from_us
        self._drift_ppm = drift_ppm
        self._lock = threading.Lock()
        self._lying = self._settled = position
        self._touches: list[tuple[int, Touched]] = []
        self._wake_out, self._wake_in = os.pipe()
        os.set_blocking(self._wake_in, False)
        self._plugged = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None
        self.plug()

    @property
    def position(self) -> Position:
        """What lies on the board now, settled or not."""
        with self._lock:
            return self._lying

    @property
    def settled(self) -> Position:
        """What the board has told, or will tell, as its settled position."""
        with self._lock:
            return self._settled

    def place(self, square: int, black: bool) -> None:
        """A disc is laid down on a square (instead of whatever lay there), and touches it first."""
        self.touch(square, TOUCH_DISC)
        self._lay(square, black)

    def turn(self, square: int) -> None:
        """The disc on a square is turned over; nothing happens on an empty one."""
        with self._lock:
            bit = 1 << square
            black = bool(self._lying.black & bit)
            lies = bool((self._lying.black | self._lying.white) & bit)
        if lies:
            self._lay(square, not black)

    def lift(self, square: int) -> None:
        """The disc on a square is taken away."""
        self._lay(square, None)

    def cover(self, square: int) -> None:
        """Something lies on the square that the board cannot read."""
        with self._lock:
            bit = 1 << square
            cleared = _without(self._lying, bit)
            self._change(Position(cleared.black, cleared.white, cleared.unknown | bit))

    def set_up(self, position: Position) -> None:
        """All squares at once, as between two games."""
        with self._lock:
            self._change(position)

    def touch(self, square: int, contact: int = TOUCH_DISC) -> None:
        """First contact with a square: TOUCH_DISC, TOUCH_HAND or TOUCH_DROPPED of the frames."""
        with self._lock:
            at_ns = max(time.monotonic_ns() - SCAN_NS, self._began_ns)
            self._touches.append((at_ns, Touched(square, contact)))
        self._wake()

    def disturb(self, cable: Cable) -> None:
        """From now on the cable is like this."""
        with self._lock:
            self._cable = cable

    def pull(self) -> None:
        """The cable is pulled; the board loses its power, and forgets nothing that lies on it."""
        thread = self._thread
        if thread is None:
            return
        self._plugged.clear()
        self._wake()
        thread.join()
        self._thread = None
        os.close(self._master)
        self.path.unlink(missing_ok=True)

    def plug(self) -> None:
        """The cable is plugged in again: a new port under the old name, board time from its beginning."""
        if self._thread is not None:
            return
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(slave))
        now_ns = time.monotonic_ns()
        with self._lock:
            self._sequence = 0
            self._began_ns = self._changed_ns = self._settled_change_ns = self._snapshot_due_ns = now_ns
            self._settled = self._lying
            self._unsettled: dict[int, int] = {}
            self._touches.clear()
        self._plugged.set()
        self._thread = threading.Thread(target=self._serve, args=(slave,), name="virtual-board", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends it for good."""
        if not self._closing:
            self.pull()
            self._closing = True
            os.close(self._wake_in)
            os.close(self._wake_out)

    def _lay(self, square: int, black: bool | None) -> None:
        with self._lock:
            bit = 1 << square
            cleared = _without(self._lying, bit)
            if black is None:
                self._change(cleared)
            elif black:
                self._change(Position(cleared.black | bit, cleared.white, cleared.unknown))
            else:
                self._change(Position(cleared.black, cleared.white | bit, cleared.unknown))

    def _change(self, position: Position) -> None:
        """Every square settles for itself, so that a fast opponent does not hide the move before his own."""
        now_ns = time.monotonic_ns()
        for square in squares_of(
            self._lying.differences(position) | (self._lying.unknown ^ position.unknown)
        ):
            self._unsettled[square] = max(now_ns - SCAN_NS, self._began_ns)
        self._lying = position
        self._wake()

    def _wake(self) -> None:
        try:
            os.write(self._wake_in, b"!")
        except BlockingIOError:
            return

    def _serve(self, slave: int) -> None:
        """Holds the slave's end too, so that the pty outlives a host that opens and closes it."""
        heard = Decoder()
        wake_ns = 0
        try:
            while self._plugged.is_set():
                wait_s = max(0, wake_ns - time.monotonic_ns()) / 1e9
                ready, _, _ = select.select([self._wake_out, self._master], [], [], wait_s)
                if self._wake_out in ready:
                    os.read(self._wake_out, 4096)
                asked = heard.feed(os.read(self._master, 4096)) if self._master in ready else []
                messages, wake_ns = self._work([frame.message for frame in asked])
                for at_ns, message in messages:
                    self._send(at_ns, message)
        finally:
            os.close(slave)

    def _work(self, asked: list[Message]) -> tuple[list[tuple[int, Message]], int]:
        """What is to be told now, and the instant at which something may be due next."""
        with self._lock:
            now_ns = time.monotonic_ns()
            messages: list[tuple[int, Message]] = [*self._touches]
            self._touches.clear()
            shown = list(self._settle(now_ns))
            snapshot = self._snapshot(min(self._unsettled.values(), default=now_ns - SCAN_NS + 1000) - 1000)
            settles_ns = min(self._unsettled.values(), default=now_ns) + SCAN_NS + SETTLE_NS
        if shown:
            shown[-1] = snapshot
        elif now_ns >= self._snapshot_due_ns or AskSnapshot() in asked:
            shown.append(snapshot)
        if shown:
            self._snapshot_due_ns = now_ns + PERIOD_NS
        for message in asked:
            if message == AskHello():
                uptime_s = (now_ns - self._began_ns) // 1_000_000_000
                messages.append((now_ns, Hello(self._identity, (0, 0), True, uptime_s)))
            elif message != AskSnapshot():
                messages.append((now_ns, Fault(6, None)))
        messages += [(now_ns, snapshot) for snapshot in shown]
        return messages, min(self._snapshot_due_ns, settles_ns)

    def _settle(self, now_ns: int) -> Iterator[Snapshot]:
        """The positions that have settled by now, one for each scan in which something changed."""
        due = sorted(
            (at_ns, square) for square, at_ns in self._unsettled.items() if at_ns <= now_ns - SETTLE_NS
        )
        while due:
            self._settled_change_ns = due[0][0]
            settled = 0
            while due and due[0][0] < self._settled_change_ns + SCAN_NS:
                _, square = due.pop(0)
                del self._unsettled[square]
                settled |= 1 << square
            lying, before = self._lying, self._settled
            self._settled = Position(
                before.black & ~settled | lying.black & settled,
                before.white & ~settled | lying.white & settled,
                before.unknown & ~settled | lying.unknown & settled,
            )
            yield self._snapshot(self._settled_change_ns)

    def _snapshot(self, settled_to_ns: int) -> Snapshot:
        return Snapshot(self._settled, self._us(self._settled_change_ns), self._us(settled_to_ns))

    def _us(self, at_ns: int) -> int:
        """Board time of an instant, as u32."""
        since_ns = max(0, at_ns - self._began_ns)
        return (self._count_from_us + since_ns * (1_000_000 + self._drift_ppm) // 1_000_000_000) & 0xFFFF_FFFF

    def _send(self, at_ns: int, message: Message) -> None:
        cable = self._cable
        frame = Frame(self._sequence, self._us(at_ns), message)
        self._sequence = (self._sequence + 1) & 0xFFFF
        data = bytearray(encode(frame))
        if cable.delay_s:
            time.sleep(self._chance.uniform(0, cable.delay_s))
        if self._chance.random() < cable.lost:
            return
        if self._chance.random() < cable.damaged:
            data[self._chance.randrange(len(data))] ^= self._chance.randrange(1, 256)
        try:
            os.write(self._master, data)
        except OSError:
            return  # nobody reads and the pty is full: like the real one, the board drops the frame


def _without(position: Position, bit: int) -> Position:
    return Position(position.black & ~bit, position.white & ~bit, position.unknown & ~bit)
