"""The time from the press to the frame on the screen, and what a table's two processes take during play.

    python -m benchmarks.table.frame [--short]

A real table program with a window under Xvfb, a virtual board on a pty that streams at 100 Hz, and hands that play a
recorded game with contact bounce. The time counts from the edge given to the program's socket of virtual pins to the
first frame presented that shows the other side running. A game for each run, in a process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.load.venue import ROOT, until, used_by_all
from benchmarks.load.virtual_display import DRAWN_TABLE, display
from benchmarks.report.figures import RUNS, Figure, Found, Remark, at_most, p99, paced, run
from flagfall.othello.side import Side
from simulator import plain_body
from simulator.hands import Hands, Manner
from simulator.recorded import DEMO_GAMES, read_games, replayed
from simulator.table_socket import TableSeen, TableSocket
from simulator.virtual_board import VirtualBoard

STREAM_NS = 10_000_000
QUICK = Manner(think_s=0.3, reach_s=0.05)
CALM = Manner(think_s=3.0, reach_s=0.3)
CALM_PLIES = 6


@dataclass(slots=True)
class TimedTable:
    """The hands' way to the table; it notes the instants of presses."""

    socket: TableSocket
    presses: list[tuple[int, Side]] = field(default_factory=list)

    def button(self, side: Side, *, down: bool) -> None:
        # Contacts bounce at both ends of a press; players press in turn.
        if down and (not self.presses or self.presses[-1][1] is not side):
            self.presses.append((time.monotonic_ns(), side))
        self.socket.button(side, down=down)

    def see(self) -> TableSeen:
        return self.socket.see()

    def tap(self, request: Mapping[str, Any]) -> str:
        return self.socket.tap(request)


@dataclass(frozen=True, slots=True)
class Played:
    """The milliseconds from each press to its frame; share of a core in per cent; MB resident."""

    late_ms: tuple[float, ...]
    share: float
    memory_mb: float


def play(environment: Mapping[str, str], plies: tuple[int | None, ...], manner: Manner, seed: int) -> Played:
    plain_body.PERIOD_NS = STREAM_NS
    folder = Path(tempfile.mkdtemp(prefix="flagfall-bench-"))
    board = VirtualBoard(folder / "board", seed=seed)
    socket = TableSocket(folder)
    table = _start(folder, environment)
    frames: list[tuple[int, str]] = []
    reader = threading.Thread(target=_read, args=(table, frames), daemon=True)
    reader.start()
    try:
        timed = TimedTable(socket)
        until(lambda: _waiting(socket), "a game at the table")
        timed.tap({"type": "start"})
        before, begun = used_by_all(table.pid), time.monotonic()
        Hands(board, timed, plies, manner=manner, seed=seed).play()
        after = used_by_all(table.pid)
        share = 100 * (after.processor_s - before.processor_s) / (time.monotonic() - begun)
        time.sleep(0.2)  # for the last frame
    finally:
        table.terminate()
        table.wait(30)
        reader.join(10)
        socket.close()
        board.close()
        shutil.rmtree(folder, ignore_errors=True)
    return Played(tuple(_lateness(timed.presses, frames)), share, after.resident_mb)


def _start(folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    settings = {"state_dir": str(folder), "board": str(folder / "board"), "screen": "window", "judged": True}
    options = [
        f"--{key.replace('_', '-')}={json.dumps(value).strip(chr(34))}" for key, value in settings.items()
    ]
    return subprocess.Popen(
        [sys.executable, "-c", DRAWN_TABLE, "run", "--virtual-pins", *options],
        cwd=ROOT,
        env={**os.environ, **environment, "PYGAME_HIDE_SUPPORT_PROMPT": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _read(table: subprocess.Popen[str], frames: list[tuple[int, str]]) -> None:
    assert table.stderr is not None
    for line in table.stderr:
        if line.startswith("frame "):
            _, at_ns, running = line.split()
            frames.append((int(at_ns), running))


def _waiting(socket: TableSocket) -> bool:
    """Return whether a game lies there."""
    with suppress(ConnectionError):
        return bool(socket.see().state == "waiting")
    return False


def _lateness(presses: list[tuple[int, Side]], frames: list[tuple[int, str]]) -> Iterator[float]:
    """Yield how late each press is seen: White's first press starts the clock, every other one turns it."""
    for at_ns, side in presses:
        shown = next((frame for frame, running in frames if frame >= at_ns and running == side.other), None)
        if shown is not None and shown - at_ns < 1_000_000_000:
            yield (shown - at_ns) / 1e6


def measure(short: bool) -> Iterator[Found]:
    games, runs = read_games(DEMO_GAMES), 1 if short else RUNS
    with display() as environment:
        if environment is None:
            yield Remark("Left out, not installed here: Xvfb.")
            return
        quick = [
            play(environment, replayed(games[at].squares).plies[: 6 if short else 40], QUICK, at)
            for at in range(runs)
        ]
        calm = [
            play(environment, replayed(games[at].squares).plies[: 1 if short else CALM_PLIES], CALM, at)
            for at in range(runs)
        ]
    late = [game.late_ms for game in quick]
    yield paced("press to frame presented, p99", "ms", [*map(p99, late)], at_most(2.7, "33 ms"))
    yield Figure("press to frame presented, median", "ms", tuple(map(median, late)))
    yield paced(
        "share of a core during play",
        "%",
        tuple(game.share for game in calm),
        at_most(4, "5 %"),
        note=f"a move every {CALM.think_s:g} s on average",
    )
    yield Figure(
        "memory of the table's processes",
        "MB",
        tuple(game.memory_mb for game in calm),
        at_most(90, "memory does not depend on speed"),
    )
    yield Figure("share of a core, moves every half a second", "%", tuple(game.share for game in quick))


if __name__ == "__main__":
    run(measure, __doc__)
