"""From the edge of a button to the turned clock, and from the board's word to the verdict: a real table
program's loop.

    python -m benchmarks.table.latency [--short]

Mock pins, a board of the bench's own that streams at 100 Hz, the real loop, recorder and disk.
"""

from __future__ import annotations

import io
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from random import Random
from statistics import median

from gpiozero.pins.mock import MockFactory

from benchmarks.report.figures import RUNS, Figure, Found, Remark, at_most, p99, paced, run
from link.identity import create
from othello.board import START, squares_of
from othello.gamefile import parse_header
from othello.inputs import Resign
from othello.side import Both, Side
from table_app.board.port import NoBoard
from table_app.events import (
    BoardPresence,
    BoardShown,
    BoardStream,
    Close,
    Inbox,
    Part,
    PartTrouble,
    ScreenInput,
    ScreenRequest,
)
from table_app.game.board_view import SCAN_LATE_NS
from table_app.hub_link.sender import NoLink, Sender
from table_app.log import Log
from table_app.loop.appliance import Appliance
from table_app.loop.view import TableView
from table_app.pins.buttons import PinButtons
from table_app.record.state_dir import StateDirectory
from table_app.record.writer import JournalWriter, SyncedDisk
from table_app.timebase import Timebase

HEADER = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "judged": True}


class Eye:
    """Notes when the clock turned and when the verdict was in."""

    def __init__(self) -> None:
        self.running: Side | None = None
        self.moves = 0
        self.over = threading.Event()
        self.turned = threading.Event()
        self.judged = threading.Event()
        self.turned_ns = self.judged_ns = 0

    def show(self, view: TableView) -> None:
        if view.game is None:
            return
        if view.game.over:
            self.over.set()
        if view.game.clock.running is not self.running:
            self.running, self.turned_ns = view.game.clock.running, time.monotonic_ns()
            self.turned.set()
        if len(view.game.moves) != self.moves:
            self.moves, self.judged_ns = len(view.game.moves), time.monotonic_ns()
            self.judged.set()


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds from press to clock turned, and from the board's word to the verdict; verdicts that came at the
    limit, without the board's word; share of a core in per cent."""

    turns: tuple[float, ...]
    verdicts: tuple[float, ...]
    unheard: int
    share: float


def measured(presses: int) -> Measured:
    inbox: Inbox = SimpleQueue()
    eye, instants, factory = Eye(), Timebase(0), MockFactory()
    state = StateDirectory(Path(tempfile.mkdtemp()))
    state.open()
    recorder = JournalWriter(SyncedDisk(), lambda why: inbox.put(PartTrouble(Part.DISK, why)))
    sender = Sender(
        identity=create("d"), outbox=state.outbox_path, link=NoLink(), told=inbox.put, random=Random(0)
    )
    appliance = Appliance(
        inbox=inbox,
        instants=instants,
        identity=create("d"),
        state=state,
        recorder=recorder,
        sender=sender,
        board=NoBoard(),
        shows=[eye],
        log=Log(stream=io.StringIO()),
        local_header=parse_header(HEADER),
    )
    recorder.start()
    sender.start()
    appliance.restore(state.kept())
    buttons = PinButtons(factory, Both(17, 27))
    buttons.start(inbox.put, instants.of_monotonic_ns)
    loop = threading.Thread(target=appliance.run)
    loop.start()
    inbox.put(BoardPresence(instants.now_ns(), True, "bench"))
    closing = threading.Event()
    told_ns: list[tuple[int, int]] = []

    def stream() -> None:
        while not closing.wait(0.01):
            now_ns = instants.now_ns()
            told_ns.append((now_ns - 20_000_000, now_ns))
            inbox.put(BoardStream(now_ns - 20_000_000))

    threading.Thread(target=stream, daemon=True).start()
    turns: list[float] = []
    verdicts: list[float] = []
    unheard = 0
    cpu_s, wall_s = time.process_time(), time.monotonic()

    def press(side: Side) -> int:
        pin = factory.pin("GPIO17" if side is Side.BLACK else "GPIO27")
        eye.turned.clear()
        eye.judged.clear()
        pressed_ns = time.monotonic_ns()
        pin.drive_low()
        if not eye.turned.wait(2.0):
            raise SystemExit("the clock did not turn")
        time.sleep(0.05)
        pin.drive_high()
        return pressed_ns

    while len(turns) < presses:
        inbox.put(BoardShown(instants.now_ns(), START))
        time.sleep(0.3)
        press(Side.WHITE)
        position, side = START, Side.BLACK
        while len(turns) < presses and (legal := position.legal(side is Side.BLACK)):
            position = position.played(side is Side.BLACK, next(squares_of(legal)))
            inbox.put(BoardShown(instants.now_ns(), position))
            time.sleep(0.05)
            pressed_ns = press(side)
            turns.append((eye.turned_ns - pressed_ns) / 1e6)
            if eye.judged.wait(2.0):
                words = (at for settled, at in told_ns if settled - SCAN_LATE_NS >= pressed_ns)
                word_ns = next(words, None)
                if word_ns is None:  # the verdict came at the limit, before the board's word
                    unheard += 1
                else:
                    verdicts.append((eye.judged_ns - word_ns) / 1e6)
            told_ns[:-50] = []
            side = side.other
        # A new game begins only when the one before is over.
        eye.over.clear()
        inbox.put(ScreenInput(Resign(instants.now_ns(), side)))
        if not eye.over.wait(5.0):
            raise SystemExit("the game did not end")
        inbox.put(ScreenRequest(instants.now_ns(), "new_game"))
    share = (time.process_time() - cpu_s) / (time.monotonic() - wall_s)
    closing.set()
    inbox.put(Close())
    loop.join()
    buttons.close()
    recorder.close()
    sender.close()
    return Measured(tuple(turns), tuple(verdicts), unheard, 100 * share)


def measure(short: bool) -> Iterator[Found]:
    presses, runs = (5, 1) if short else (200, RUNS)
    found = [measured(presses) for _ in range(runs)]
    yield paced(
        f"press to clock turned, p99 of {presses}",
        "ms",
        tuple(p99(one.turns) for one in found),
        at_most(0.16, "2 ms"),
    )
    yield Figure("press to clock turned, median", "ms", tuple(median(one.turns) for one in found))
    yield paced(
        f"the board's word to the verdict, p99 of {presses}",
        "ms",
        tuple(p99(one.verdicts) for one in found),
        at_most(1.6, "20 ms"),
    )
    yield Figure(
        "the board's word to the verdict, median", "ms", tuple(median(one.verdicts) for one in found)
    )
    unheard = sum(one.unheard for one in found)
    if unheard:
        yield Remark(f"{unheard} verdicts of {runs * presses} came at the limit, before the board's word.")
    yield Figure(
        "share of a core, without a screen", "%", tuple(one.share for one in found), note="ten moves a second"
    )


if __name__ == "__main__":
    run(measure, __doc__)
