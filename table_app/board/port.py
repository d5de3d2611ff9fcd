"""The interface between the table and a board, whatever hardware is at the other end of the cable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from flagfall.link.board.messages import Message
from table_app.events import BoardPresence, Event


class BoardPort(Protocol):
    """Puts stamped facts into the table's inbox from its own thread; no method waits for the board, or raises because
    of it."""

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        """Begin to look for the board. `now_ns` is the table's count; `put` may be called from another thread."""

    def turn(self, turned: bool) -> None:
        """Set the orientation (`board_turned`): squares are then named from the other side."""

    def say(self, message: Message) -> None:
        """Send one command of the board's set-up; it is lost if there is no board. A board answers with fault
        codes, an eye with its picture (`flagfall.link.board.eye_view`)."""

    def ask_snapshot(self) -> None:
        """Ask for the position again, changed or not."""

    def close(self) -> None:
        """Let the port go; nothing is put into the inbox after it returns. May be called twice."""


class NoBoard:
    """A table without a board: says once that none is there."""

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        put(BoardPresence(now_ns(), ok=False, why="played without a sensor board"))

    def turn(self, turned: bool) -> None: ...
    def say(self, message: Message) -> None: ...
    def ask_snapshot(self) -> None: ...
    def close(self) -> None: ...
