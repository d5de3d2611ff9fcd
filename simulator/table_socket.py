"""The actions of hands and the view of people at a table, over the table program's local socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from flagfall.othello.side import Side
from table_app.pins.virtual import connect

Answer = TypeVar("Answer")


class SeenError(Struct, frozen=True):
    """An error in a move as the judge's panel shows it: incident type, offender, and state."""

    type: str
    by: Side | None = None
    state: str | None = None


class TableSeen(Struct, frozen=True):
    """The view of the people at the table."""

    # The game's state, None without a game.
    state: str | None = None
    # The player whose clock runs.
    running: Side | None = None
    # The unsettled ones; they are shown to the judge only.
    errors: tuple[SeenError, ...] = ()


class AtTable(Protocol):
    """The fingers on the buttons and the screen. Every method raises ConnectionError while the table is off."""

    def button(self, side: Side, *, down: bool) -> None:
        """Press or release one contact."""

    def see(self) -> TableSeen: ...

    def tap(self, request: Mapping[str, Any]) -> str:
        """Touch the touchscreen; return why it was not understood, else an empty string."""


class TableSocket:
    """An `AtTable` over the socket in the table's state directory; it connects at its first use, and again after a
    loss.
    """

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._connection: socket.socket | None = None
        self._rest = b""

    def button(self, side: Side, *, down: bool) -> None:
        self._ask(f"{side} {'down' if down else 'up'}")

    def see(self) -> TableSeen:
        return parse_view(self._ask("state"))

    def look(self) -> Mapping[str, Any]:
        """Return everything there is to see (`table_app.pins.virtual`)."""
        return _read(self._ask("state"), dict[str, Any])

    def tap(self, request: Mapping[str, Any]) -> str:
        answer = self._ask("screen " + json.dumps(request))
        return "" if answer == "ok" else answer

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._rest = b""

    def _ask(self, line: str) -> str:
        try:
            if self._connection is None:
                self._connection = connect(self._state_dir)
            self._connection.sendall(line.encode() + b"\n")
            while b"\n" not in self._rest:
                received = self._connection.recv(65536)
                if not received:
                    raise ConnectionError("the table closed the connection")
                self._rest += received
        except (OSError, ValueError) as error:
            self.close()
            raise ConnectionError(f"no table at {self._state_dir}: {error}") from error
        answer, _, self._rest = self._rest.partition(b"\n")
        return answer.decode()


def parse_view(line: str) -> TableSeen:
    """Return the view in the answer to `state`. Raise ConnectionError if it is no view."""
    return _read(line, TableSeen)


def _read(line: str, kind: type[Answer]) -> Answer:
    try:
        return msgspec.json.decode(line, type=kind)
    except (ValueError, RecursionError) as error:
        raise ConnectionError(f"the table answered {line[:60]!r}: {error}") from error
