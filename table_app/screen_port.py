"""What the table needs of a screen, whatever draws it."""

from __future__ import annotations

import threading
from typing import Protocol

from table_app.view import TableView


class ScreenError(Exception):
    """There is nothing to draw on; one line."""


class Shows(Protocol):
    """Anything that lets people see how the table stands: a screen, lamps."""

    def show(self, view: TableView) -> None:
        """Called by the loop at every change; takes the value and returns at once."""


class ScreenPort(Shows, Protocol):
    def run(self) -> None:
        """Draws until it is closed; called in the program's main thread. ScreenError if it cannot even begin: a
        screen that goes later is waited for."""

    def close(self) -> None:
        """Ends `run`, from any thread."""


class NoScreen:
    """Nobody looks: a table driven from elsewhere."""

    def __init__(self) -> None:
        self._closed = threading.Event()

    def show(self, view: TableView) -> None:
        pass

    def run(self) -> None:
        # Woken now and then, so that signals reach the main thread on every system.
        while not self._closed.wait(0.5):
            pass

    def close(self) -> None:
        self._closed.set()
