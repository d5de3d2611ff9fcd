"""No board: a clock game, where moves are entered or the score is (decision 10)."""

from __future__ import annotations

from collections.abc import Callable

from table_app.events import BoardPresence, Event


class NoBoard:
    """Says once that no board is there."""

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        put(BoardPresence(now_ns(), ok=False, why="played without a sensor board"))

    def turn(self, turned: bool) -> None:
        pass

    def calibrate(self, step: int) -> None:
        pass

    def ask_snapshot(self) -> None:
        pass

    def close(self) -> None:
        pass
