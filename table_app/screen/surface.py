"""The surface on which the screen is drawn: a window or the display (`table_app.screen.window`), or picture
files (`to_files`)."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable

from table_app.table_view import TableView


class Surface(ABC):
    """A place for pictures of the table's view.

    `show` and `close` may be called from any thread, `run` from the main one.
    """

    def __init__(self) -> None:
        self.drawn_by = ""
        self._newest: TableView | None = None
        self._woken = threading.Event()
        self._closing = False

    def show(self, view: TableView) -> None:
        """Take the newest view."""
        self._newest = view
        self._woken.set()

    def close(self) -> None:
        """End `run`."""
        self._closing = True
        self._woken.set()

    def _taken(self) -> TableView | None:
        """Return the newest view, None if there is none since the last call."""
        newest, self._newest = self._newest, None
        return newest

    @abstractmethod
    def run(
        self, opened: Callable[[], None] = lambda: None, turned: Callable[[], None] = lambda: None
    ) -> None:
        """Draw until it is closed. `opened` is called after the first picture, `turned` at least once a second;
        Failed if there is no display, or it is lost."""
