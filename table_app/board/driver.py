"""The board on a serial port: one thread opens the port, reads, and opens it again after a loss.

pyserial cannot re-open a port that was pulled: it is closed and searched for again. The board is recognised by the
identity it sends, not by the port's name, which the system may give to another device.
"""

from __future__ import annotations

import termios
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Protocol

import serial
from serial.tools import list_ports

from flagfall.link.board.messages import Message, Raw
from table_app.board.session import BoardSession
from table_app.events import BoardPresence, Event

# Raspberry Pi's; no other vendor's devices are opened, since opening a port may disturb what it serves.
BOARD_VENDOR = 0x2E8A

# A pulled port raises these; `termios.error` is no OSError.
_PORT_ERRORS = (OSError, termios.error)

_READ_S = 0.05
_RESCAN_S = 0.25
# Read at once at most: what is parsed before the budget is looked at again.
_READ_BYTES = 4096
# How long a port is left alone whose board has flooded the table: twice as long each time.
_SHUT_NS, _LONGEST_SHUT_NS = 10_000_000_000, 600_000_000_000


class SerialPort(Protocol):
    """The part of `serial.Serial` that is used."""

    @property
    def in_waiting(self) -> int: ...

    def read(self, size: int = 1, /) -> bytes: ...

    def write(self, data: bytes, /) -> int | None: ...

    def close(self) -> None: ...


def open_port(path: str) -> SerialPort:
    """Open a serial port (or pty) for this program alone; OSError if it is not there or taken."""
    try:
        port: SerialPort = serial.Serial(path, 115200, timeout=_READ_S, write_timeout=0.5, exclusive=True)
    except ValueError as error:
        raise OSError(str(error)) from error
    return port


def plugged_boards() -> list[str]:
    """Return the serial ports at which a board may be."""
    return [port.device for port in list_ports.comports() if port.vid == BOARD_VENDOR]


class SerialBoard:
    """A `BoardPort` over a serial cable.

    `port` is a device path (also of a pty, which no list shows) or "auto". `on_raw` receives raw readings in the
    reader's thread, for `doctor --board`. `orientation` gives a board's orientation by its identity, None if unknown:
    then what was last given to `turn` counts.
    """

    def __init__(
        self,
        port: str = "auto",
        on_raw: Callable[[Raw], None] | None = None,
        orientation: Callable[[str], bool | None] = lambda _: None,
        opens: Callable[[str], SerialPort] = open_port,
        plugged: Callable[[], Iterable[str]] = plugged_boards,
    ) -> None:
        self._port = port
        self._turned = False
        self._on_raw = on_raw
        self._orientation = orientation
        self._opens = opens
        self._plugged = plugged
        self._closing = threading.Event()
        self._asked = threading.Event()
        self._to_say: SimpleQueue[Message] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._last_why = ""
        self._questions_ns: defaultdict[str, deque[int]] = defaultdict(deque)
        self._shut: dict[str, tuple[int, int]] = {}

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        self._thread = threading.Thread(target=self._run, args=(put, now_ns), name="board", daemon=True)
        self._thread.start()

    def turn(self, turned: bool) -> None:
        self._turned = turned

    def ask_snapshot(self) -> None:
        self._asked.set()

    def say(self, message: Message) -> None:
        """Send one command (calibration, self-test, raw stream) if the board is there; else the command is lost."""
        self._to_say.put(message)

    def close(self) -> None:
        self._closing.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _run(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        while not self._closing.is_set():
            paths = list(self._plugged()) if self._port == "auto" else [self._port]
            why = "" if paths else "no board is plugged in"
            for path in paths:
                if not self._is_shut(path, now_ns()):
                    why = self._converse(path, put, now_ns)
                if self._closing.is_set():
                    return
            shut = [path for path in paths if self._is_shut(path, now_ns())]
            floods = bool(shut)
            if floods:
                why = f"the device at {shut[0]} sends more than a board can"
            if why and why != self._last_why:
                self._last_why = why
                put(BoardPresence(now_ns(), ok=False, why=why, floods=floods))
            self._closing.wait(_RESCAN_S)

    def _converse(self, path: str, put: Callable[[Event], None], now_ns: Callable[[], int]) -> str:
        """Speak with the board at one port until it is lost. Return why it ended or never began."""
        try:
            port = self._opens(path)
        except OSError as error:
            self._shut.pop(path, None)
            return f"{path} cannot be opened: {error.strerror or error}"
        session = BoardSession(
            now_ns(), self._turned, self._on_raw, self._orientation, self._questions_ns[path]
        )
        why = f"nothing at {path} answers as a board"
        try:
            while not self._closing.is_set() and not session.given_up(now_ns()):
                self._pass_on(session)
                out = session.to_send(now_ns())
                if out:
                    port.write(out)
                data = port.read(1)
                data += port.read(min(port.in_waiting, _READ_BYTES)) if data else b""
                for event in session.received(data, now_ns()):
                    put(event)
                if session.floods:
                    self._shut_out(path, now_ns())
                    return ""
                if session.present:
                    self._last_why = ""
                    why = f"the board at {path} fell silent"
        except _PORT_ERRORS:
            why = f"the board at {path} was pulled" if session.present else f"{path} was lost"
        finally:
            with suppress(*_PORT_ERRORS):
                port.close()
        return why

    def _is_shut(self, path: str, now_ns: int) -> bool:
        until_ns, _ = self._shut.get(path, (now_ns, 0))
        return now_ns < until_ns

    def _shut_out(self, path: str, now_ns: int) -> None:
        """Leave the port alone for a while, so that what it sends costs nothing."""
        shut_ns = min(2 * self._shut.get(path, (0, _SHUT_NS // 2))[1], _LONGEST_SHUT_NS)
        self._shut[path] = now_ns + shut_ns, shut_ns

    def _pass_on(self, session: BoardSession) -> None:
        """Give what other threads asked for to the session."""
        session.turn(self._turned)
        if self._asked.is_set():
            self._asked.clear()
            session.tell_again()
        while True:
            try:
                session.say(self._to_say.get_nowait())
            except Empty:
                return
