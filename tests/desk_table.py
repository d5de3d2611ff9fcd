"""A table without disk, hub or screen for hands that play in real time on a board."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import waiting

from benchmarks.boards.simulated_desk import SimulatedDesk
from othello.game import Game, Header
from othello.gamefile import parse_input
from othello.inputs import Start
from othello.side import Side
from simulator.table_socket import TableSeen
from table_app.board.port import BoardPort
from table_app.events import ButtonEdge, Event, ScreenInput

READY_S = 90.0


class DeskTable:
    """`AtTable` for hands: a desk with its own thread, in real time, started as soon as the board has shown
    itself.
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
        """The table's count."""
        return time.monotonic_ns() - self._began_ns

    def wait(self, until: Callable[[], bool]) -> None:
        """Fails if it has not come true within `READY_S`."""
        waiting.until(until, lambda: f"seen: {self.see()}", READY_S, meanwhile=(), every_s=0.005)

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._port.close()

    def button(self, side: Side, *, down: bool) -> None:
        self._inbox.put(ButtonEdge(self.now_ns(), side, down))

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
