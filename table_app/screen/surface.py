"""What the screen is drawn on: a window or the display (`table_app.screen.window`), or picture files (`to_files`)."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable

from table_app.table_view import TableView


class Surface(ABC):
    """`found` says how it is drawn, known after the first picture. `show` and `close` may be called from any thread,
    `run` from the main one."""

    def __init__(self) -> None:
        self.found = ""
        self._newest: TableView | None = None
        self._woken = threading.Event()
        self._closing = False

    def show(self, view: TableView) -> None:
        """Takes the newest view."""
        self._newest = view
        self._woken.set()

    def close(self) -> None:
        """Ends `run`."""
        self._closing = True
        self._woken.set()

    def _taken(self) -> TableView | None:
        """The newest view, None if there is none since the last call."""
        newest, self._newest = self._newest, None
        return newest

    @abstractmethod
    def run(
        self, opened: Callable[[], None] = lambda: None, turned: Callable[[], None] = lambda: None
    ) -> None:
        """Draws until it is closed. `opened` is called after the first picture, `turned` at least once a second;
        Failed if there is no display, or it is lost."""
