"""What the table needs of whatever lets people see how it stands: a screen, lamps."""

from __future__ import annotations

from typing import Protocol

from table_app.view import TableView


class ScreenError(Exception):
    """There is nothing to draw on; one line."""


class Shows(Protocol):
    def show(self, view: TableView) -> None:
        """Called by the loop at every change; takes the value and returns at once."""
