"""Log lines on standard error: `level room message key=value`."""

from __future__ import annotations

import sys
import threading
from typing import TextIO


class Seldom:
    """Limits each kind of log line to one a minute, so that a faulty cable cannot fill a card with them."""

    def __init__(self, every_ns: int = 60_000_000_000, most: int = 100) -> None:
        self._every_ns = every_ns
        self._most = most
        self._told_ns: dict[str, int] = {}

    def lets(self, kind: str, now_ns: int) -> bool:
        """Return True if this line may be written now. More than `most` kinds within the time count as one."""
        kind = kind if kind in self._told_ns or len(self._told_ns) < self._most else ""
        told_ns = self._told_ns.get(kind)
        if told_ns is not None and now_ns - told_ns < self._every_ns:
            return False
        if kind == "":
            self._told_ns.clear()
        self._told_ns[kind] = now_ns
        return True


class Log:
    """Writes lines to a stream; errors of the stream are ignored."""

    def __init__(self, room: str = "table", stream: TextIO | None = None) -> None:
        self._room = room
        self._stream = stream if stream is not None else sys.stderr
        self._writing = threading.Lock()

    def info(self, message: str, **values: object) -> None:
        self._write("info", message, values)

    def warning(self, message: str, **values: object) -> None:
        self._write("warning", message, values)

    def error(self, message: str, **values: object) -> None:
        self._write("error", message, values)

    def _write(self, level: str, message: str, values: dict[str, object]) -> None:
        words = [level, self._room, message, *(f"{key}={_value(value)}" for key, value in values.items())]
        line = "".join(sign if sign.isprintable() else "?" for sign in " ".join(words))
        with self._writing:
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except (OSError, ValueError):
                pass


def _value(value: object) -> str:
    text = str(value)
    return f'"{text}"' if " " in text or not text else text
