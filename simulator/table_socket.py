"""The actions of hands and the view of people at a table, over the table program's local socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from othello.side import Side
from table_app.pins.virtual import connect


@dataclass(frozen=True, slots=True)
class SeenError:
    """An error in a move as the judge's panel shows it: incident type, offender, and state."""

    type: str
    by: Side | None
    state: str | None


@dataclass(frozen=True, slots=True)
class Seen:
    """What people at the table see: the game's state (None without a game), whose clock runs, number of moves.
    `errors`, the unsettled ones, are shown to the judge only."""

    state: str | None
    running: Side | None
    moves: int = 0
    errors: tuple[SeenError, ...] = ()


class AtTable(Protocol):
    """Fingers on the buttons and the screen. Every method raises ConnectionError while the table is off."""

    def button(self, side: Side, *, down: bool) -> None:
        """One edge of one contact."""

    def see(self) -> Seen: ...

    def tap(self, request: Mapping[str, Any]) -> str:
        """A finger on the touchscreen; returns why it was not understood, else an empty string."""


class TableSocket:
    """`AtTable` over the socket in the table's state directory; connects at its first use, and again after a loss."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._connection: socket.socket | None = None
        self._rest = b""

    def button(self, side: Side, *, down: bool) -> None:
        self._ask(f"{side} {'down' if down else 'up'}")

    def see(self) -> Seen:
        return seen(self._ask("state"))

    def look(self) -> Mapping[str, Any]:
        """Everything there is to see (`table_app.pins.virtual`)."""
        return _answered(self._ask("state"))

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


def seen(line: str) -> Seen:
    """The answer to `state`; ConnectionError if it is none."""
    answer = _answered(line)
    try:
        running = answer.get("running")
        return Seen(
            answer.get("state"),
            Side(running) if running else None,
            int(answer.get("moves") or 0),
            tuple(
                SeenError(error["type"], Side(error["by"]) if error.get("by") else None, error.get("state"))
                for error in answer.get("errors", ())
            ),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConnectionError(f"the table answered {line[:60]!r}: {error}") from error


def _answered(line: str) -> Mapping[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConnectionError(f"the table answered {line[:60]!r}: {error}") from error
    if not isinstance(answer, dict):
        raise ConnectionError(f"the table answered {line[:60]!r}")
    return answer
