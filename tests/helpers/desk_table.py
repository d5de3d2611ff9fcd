"""A table without disk, hub or screen for hands that play in real time on a board."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

import pytest

from benchmarks.boards.simulated_desk import SimulatedDesk
from flagfall.othello.game import Game, Header
from flagfall.othello.gamefile import parse_input
from flagfall.othello.inputs import Start
from flagfall.othello.side import Side
from helpers import waiting
from simulator.table_socket import TableSeen
from table_app.board.port import BoardPort
from table_app.events import ButtonEdge, Event, ScreenInput, place_of

BOUNCE_NS = 1_000_000
PATIENT_NS = 60_000_000_000


@contextmanager
def every_verdict_waits() -> Iterator[None]:
    """Let a table wait for the board for a minute instead of 200 ms, so that each error is found on a busy machine.
    A board may take as long to show itself.

    A press whose board is silent for longer is judged without it and accuses nobody (`test_late_board`).
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("table_app.game.sequencer.SILENCE_NS", PATIENT_NS)
        patch.setattr("benchmarks.boards.simulated_desk.UNSETTLED_NS", PATIENT_NS)
        patch.setattr("table_app.board.session.SILENCE_NS", PATIENT_NS)
        patch.setattr("table_app.board.session.PATIENCE_NS", PATIENT_NS)
        yield


class DeskTable:
    """A desk for `AtTable` with its own thread, in real time. It starts as soon as the board has shown itself.

    Its contacts bounce in the table's own count, so for no longer on a busy machine: hands have no bounce.
    """

    def __init__(self, header: Header, port: BoardPort) -> None:
        self.desk = SimulatedDesk(header)
        self._inbox: SimpleQueue[Event] = SimpleQueue()
        self._closing = threading.Event()
        self._began_ns = time.monotonic_ns()
        self._port = port
        port.start(self._inbox.put, self.now_ns)
        self._thread = threading.Thread(target=self._run, name="desk", daemon=True)
        self._thread.start()
        self.wait(lambda: self.desk.board.position is not None)
        self._inbox.put(ScreenInput(Start(self.now_ns())))
        self.wait(lambda: self.game.armed)

    @property
    def game(self) -> Game:
        return self.desk.game

    def now_ns(self) -> int:
        """Return the table's count."""
        return time.monotonic_ns() - self._began_ns

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait for a condition."""
        waiting.until(until, lambda: f"seen: {self.see()}", meanwhile=(), every_s=0.005)

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._port.close()

    def button(self, side: Side, *, down: bool) -> None:
        at_ns = self.now_ns()
        for number, closed in enumerate((down, not down, down)):
            self._inbox.put(ButtonEdge(at_ns + number * BOUNCE_NS, place_of(side, False), closed))

    def see(self) -> TableSeen:
        return self.desk.see()

    def tap(self, request: Mapping[str, Any]) -> str:
        self._inbox.put(ScreenInput(parse_input({"at_ns": self.now_ns(), **request})))
        return ""

    def _run(self) -> None:
        while not self._closing.is_set():
            with suppress(Empty):
                self.desk.take(self._inbox.get(timeout=0.005), self.now_ns())
            self.desk.turn(self.now_ns())
