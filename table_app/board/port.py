"""What the table needs of a board, whatever lies on the other end of the cable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from link.board.messages import Message
from table_app.events import BoardPresence, Event


class BoardPort(Protocol):
    """Puts stamped facts into the table's inbox from its own thread; no method waits or raises for the
    board's sake.
    """

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        """Begins to look for the board. `now_ns` is the table's count; `put` may be called from another
        thread.
        """

    def turn(self, turned: bool) -> None:
        """The board lies the other way round (`board_turned`): every square is named from the other side."""

    def say(self, message: Message) -> None:
        """One command of a board's set-up; lost where no board is, and nothing to a board that does not know it. A
        board answers by faults, an eye by what it shows (`link.board.eye_view`).
        """

    def ask_snapshot(self) -> None:
        """The position is to be told again, changed or not."""

    def close(self) -> None:
        """Lets the port go; nothing is put any more after it returns. May be called twice."""


class NoBoard:
    """Says once that no board is there."""

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        put(BoardPresence(now_ns(), ok=False, why="played without a sensor board"))

    def turn(self, turned: bool) -> None:
        pass

    def say(self, message: Message) -> None:
        pass

    def ask_snapshot(self) -> None:
        pass

    def close(self) -> None:
        pass
