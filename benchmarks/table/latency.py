"""The time from the edge of a button to the turned clock, and from the board's word to the verdict: a real table
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

from benchmarks.report.figures import RUNS, Figure, Found, Remark, at_most, p99, paced, run
from flagfall.link.identity import create
from flagfall.othello.board import START, Position, squares_of
from flagfall.othello.game import State
from flagfall.othello.gamefile import parse_header
from flagfall.othello.inputs import Resign
from flagfall.othello.side import Both, Side
from table_app.assembly import Adapters, put_together
from table_app.board.port import NoBoard
from table_app.events import (
    BoardPresence,
    BoardShown,
    BoardStream,
    Close,
    GameChosen,
    Inbox,
    Part,
    PartTrouble,
    ScreenInput,
)
from table_app.game.board_view import SCAN_LATE_NS
from table_app.hub_link.sender import NoLink, Sender
from table_app.local_game import setup_of
from table_app.log import Log
from table_app.pins.buttons import PinButtons
from table_app.pins.mock import MockFactory
from table_app.record.journal import JournalWriter, SyncedDisk
from table_app.record.state_dir import StateDirectory
from table_app.table_view import TableView
from table_app.timebase import Timebase

HEADER = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "judged": True}


class Eye:
    """The observer that notes when the clock turned and when the verdict was in."""

    def __init__(self) -> None:
        self.running: Side | None = None
        self.moves = 0
        self.over = threading.Event()
        self.waiting = threading.Event()
        self.turned = threading.Event()
        self.judged = threading.Event()
        self.turned_ns = self.judged_ns = 0

    def show(self, view: TableView) -> None:
        if view.game is None:
            return
        if view.game.over:
            self.over.set()
        if view.game.state is State.WAITING:
            self.waiting.set()
        if view.game.clock.running is not self.running:
            self.running, self.turned_ns = view.game.clock.running, time.monotonic_ns()
            self.turned.set()
        if len(view.game.moves) != self.moves:
            self.moves, self.judged_ns = len(view.game.moves), time.monotonic_ns()
            self.judged.set()


@dataclass(frozen=True, slots=True)
class Measured:
    """The milliseconds from press to clock turned, and from the board's word to the verdict; verdicts that came at the
    limit, without the board's word; share of a core in per cent.
    """

    turns: tuple[float, ...]
    verdicts: tuple[float, ...]
    unheard: int
    share: float


class MockTable:
    """The program with mock pins, no screen, and a board that tells the time up to which it has settled."""

    def __init__(self) -> None:
        self.inbox: Inbox = SimpleQueue()
        self.eye, self.instants, self._pins = Eye(), Timebase(0), MockFactory()
        state = StateDirectory(Path(tempfile.mkdtemp()))
        state.open()
        self._recorder = JournalWriter(SyncedDisk(), lambda why: self.inbox.put(PartTrouble(Part.DISK, why)))
        self._sender = Sender(
            identity=create("d"),
            outbox=state.outbox_path,
            link=NoLink(),
            put=self.inbox.put,
            random=Random(0),
        )
        adapters = Adapters(
            inbox=self.inbox,
            instants=self.instants,
            identity=create("d"),
            state=state,
            recorder=self._recorder,
            sender=self._sender,
            board=NoBoard(),
            shows=(self.eye,),
            log=Log(stream=io.StringIO()),
            local_header=parse_header(HEADER),
        )
        appliance = put_together(adapters)
        self._recorder.start()
        self._sender.start()
        appliance.restore(state.kept())
        self._buttons = PinButtons(self._pins, Both(17, 27))
        self._buttons.start(self.inbox.put, self.instants.of_monotonic_ns)
        self._loop = threading.Thread(target=appliance.run)
        self._loop.start()
        self.inbox.put(BoardPresence(self.instants.now_ns(), True, "bench"))
        self._closing = threading.Event()
        self.words_ns: list[tuple[int, int]] = []
        """What the board has told last: the instant up to which it has settled, and when it said so."""
        threading.Thread(target=self._stream, daemon=True).start()

    def _stream(self) -> None:
        while not self._closing.wait(0.01):
            now_ns = self.instants.now_ns()
            self.words_ns.append((now_ns - 20_000_000, now_ns))
            self.inbox.put(BoardStream(now_ns - 20_000_000))

    def show(self, position: Position) -> None:
        self.inbox.put(BoardShown(self.instants.now_ns(), position))

    def press(self, side: Side) -> int:
        """Press; return the instant of the press once the clock has turned."""
        pin = self._pins.pin("GPIO17" if side is Side.BLACK else "GPIO27")
        self.eye.turned.clear()
        self.eye.judged.clear()
        pressed_ns = time.monotonic_ns()
        pin.drive_low()
        if not self.eye.turned.wait(2.0):
            raise TimeoutError("the clock did not turn")
        time.sleep(0.05)
        pin.drive_high()
        return pressed_ns

    def begin_anew(self, resigns: Side) -> None:
        """Resign, and begin a new game as the screen does; it waits for its first press when this returns."""
        self.eye.over.clear()
        self.inbox.put(ScreenInput(Resign(self.instants.now_ns(), resigns)))
        if not self.eye.over.wait(5.0):
            raise TimeoutError("the game did not end")
        self.eye.waiting.clear()
        self.inbox.put(GameChosen(self.instants.now_ns(), setup_of(parse_header(HEADER), swapped=False)))
        if not self.eye.waiting.wait(5.0):
            raise TimeoutError("no new game began")

    def close(self) -> None:
        self._closing.set()
        self.inbox.put(Close())
        self._loop.join()
        self._buttons.close()
        self._recorder.close()
        self._sender.close()


def measured(presses: int, moves_a_game: int = 60) -> Measured:
    table = MockTable()
    turns: list[float] = []
    verdicts: list[float] = []
    unheard = 0
    cpu_s, wall_s = time.process_time(), time.monotonic()
    while len(turns) < presses:
        table.show(START)
        time.sleep(0.3)
        table.press(Side.WHITE)
        position, side = START, Side.BLACK
        until = min(presses, len(turns) + moves_a_game)
        while len(turns) < until and (legal := position.legal(side is Side.BLACK)):
            position = position.played(side is Side.BLACK, next(squares_of(legal)))
            table.show(position)
            time.sleep(0.05)
            pressed_ns = table.press(side)
            turns.append((table.eye.turned_ns - pressed_ns) / 1e6)
            if table.eye.judged.wait(2.0):
                words = (at for settled, at in table.words_ns if settled - SCAN_LATE_NS >= pressed_ns)
                word_ns = next(words, None)
                if word_ns is None:  # the verdict came at the limit, before the board's word
                    unheard += 1
                else:
                    verdicts.append((table.eye.judged_ns - word_ns) / 1e6)
            table.words_ns[:-50] = []
            side = side.other
        if len(turns) < presses:
            table.begin_anew(side)
    share = (time.process_time() - cpu_s) / (time.monotonic() - wall_s)
    table.close()
    return Measured(tuple(turns), tuple(verdicts), unheard, 100 * share)


def measure(short: bool) -> Iterator[Found]:
    # Short, too, more than one game is played.
    presses, moves_a_game, runs = (5, 3, 1) if short else (200, 60, RUNS)
    taken = [measured(presses, moves_a_game) for _ in range(runs)]
    yield paced(
        f"press to clock turned, p99 of {presses}",
        "ms",
        tuple(p99(run.turns) for run in taken),
        at_most(0.16, "2 ms"),
    )
    yield Figure("press to clock turned, median", "ms", tuple(median(run.turns) for run in taken))
    yield paced(
        f"the board's word to the verdict, p99 of {presses}",
        "ms",
        tuple(p99(run.verdicts) for run in taken),
        at_most(1.6, "20 ms"),
    )
    yield Figure(
        "the board's word to the verdict, median", "ms", tuple(median(run.verdicts) for run in taken)
    )
    unheard = sum(run.unheard for run in taken)
    if unheard:
        yield Remark(f"{unheard} verdicts of {runs * presses} came at the limit, before the board's word.")
    yield Figure(
        "share of a core, without a screen", "%", tuple(run.share for run in taken), note="ten moves a second"
    )


if __name__ == "__main__":
    run(measure, __doc__)
