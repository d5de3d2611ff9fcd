"""Buttons and touches from another process: a local socket that drives gpiozero's mock pins and answers what people can
see.

One request per line, one answer per line. `black down`, `black up`, `white down`, `white up` drive a pin, so that a
press takes the same way as a real one; `state` is answered with one line of JSON; `screen {...}` is a touch on the
screen.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from flagfall.base.command_line import CommandError
from flagfall.base.errors import Invalid
from flagfall.othello.board import format_position, square_names
from flagfall.othello.gamefile import parse_input
from flagfall.othello.report import incident_object
from flagfall.othello.side import Both, Side
from table_app.events import ScreenInput, ScreenRequest
from table_app.table_view import TableView

SOCKET_NAME = "pins.sock"
PORT_NAME = "pins.port"
_LONGEST_PATH = 100
_LONGEST_LINE = 65536

Object = Mapping[str, Any]


def connect(state_dir: Path, timeout_s: float = 5.0) -> socket.socket:
    """Return a connection to the virtual pins of the table program with this state directory; OSError if it does not
    listen."""
    port_file = state_dir / PORT_NAME
    if port_file.exists():
        return socket.create_connection(("127.0.0.1", int(port_file.read_text("ascii"))), timeout_s)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(timeout_s)
    try:
        connection.connect(str(state_dir / SOCKET_NAME))
    except OSError:
        connection.close()
        raise
    return connection


class VirtualPins:
    """The server. `factory` is a gpiozero MockFactory; `state` gives the program's answer, `put` takes touches of the
    screen, at `now_ns`. All are called from this class's threads."""

    def __init__(
        self,
        state_dir: Path,
        factory: Any,
        pins: Both[int],
        *,
        state: Callable[[], Object],
        put: Callable[[ScreenInput | ScreenRequest], None],
        now_ns: Callable[[], int],
    ) -> None:
        self._state_dir = state_dir
        self._factory = factory
        self._pins = pins
        self._state = state
        self._put = put
        self._now_ns = now_ns
        self._driving = threading.Lock()
        self._listener: socket.socket | None = None

    def start(self) -> None:
        """CommandError: the state directory takes neither a socket nor the file with a port."""
        try:
            self._remove_files()
            self._listener = self._listen()
        except OSError as failure:
            (self._state_dir / PORT_NAME).unlink(missing_ok=True)  # on a full disk it has no port in it
            raise CommandError(f"buttons: {self._state_dir}: {failure.strerror or failure}") from None
        threading.Thread(
            target=self._accept, args=(self._listener,), name="virtual-pins", daemon=True
        ).start()

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None
            self._remove_files()

    def _remove_files(self) -> None:
        for name in (SOCKET_NAME, PORT_NAME):
            (self._state_dir / name).unlink(missing_ok=True)

    def _listen(self) -> socket.socket:
        path = str(self._state_dir / SOCKET_NAME)
        if len(path.encode()) < _LONGEST_PATH:
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(path)
            listener.listen()
            return listener
        listener = socket.create_server(("127.0.0.1", 0))
        (self._state_dir / PORT_NAME).write_text(str(listener.getsockname()[1]), "ascii")
        return listener

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), name="virtual-hand", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rwb") as lines:
            while True:
                try:
                    line = lines.readline(_LONGEST_LINE)
                    if not line:
                        return
                    lines.write(self.answer(line).encode() + b"\n")
                    lines.flush()
                except OSError:
                    return

    def answer(self, line: bytes) -> str:
        """Return the answer to one line of any bytes."""
        text = line.decode("utf-8", "replace").strip()
        if text == "state":
            return json.dumps(self._state(), separators=(",", ":"))
        word, _, rest = text.partition(" ")
        if word in list(Side) and rest in ("down", "up"):
            self._drive(Side(word), down=rest == "down")
            return "ok"
        if word == "screen":
            return self._touched(rest)
        return f"error: expected black|white down|up, state or screen {{...}}, got {text[:40]!r}"

    def _drive(self, side: Side, *, down: bool) -> None:
        pin = self._factory.pin(f"GPIO{self._pins.of(side)}")
        # A mock pin stamps its edge when it is driven; a lock keeps the stamps of two connections in order.
        with self._driving:
            if down:
                pin.drive_low()
            else:
                pin.drive_high()

    def _touched(self, text: str) -> str:
        try:
            request = json.loads(text)
        except (ValueError, RecursionError):
            return "error: screen: expected a JSON object"
        if not isinstance(request, dict):
            return "error: screen: expected a JSON object"
        try:
            self._put(touch_of_screen(request, self._now_ns()))
        except Invalid as error:
            return f"error: {error}"
        return "ok"


def visible(view: TableView, now_ns: int) -> dict[str, Any]:
    """Return the clock, the texts on the screen, and the errors that the judge's panel shows. Without a game its fields
    are null."""
    game = view.game
    table = {
        "phase": view.phase,
        "tournament": view.tournament,
        "game": view.game_id or None,
        "seat": view.seat,
        "board": view.board_present,
        "link": view.link_connected,
        "storage": view.storage_ok,
        "call": view.call_wanted,
        "twin": None if view.twin is None else str(view.twin),
        "messages": [str(message) for message in view.messages],
        "wrong_start_squares": list(square_names(view.wrong_start_squares)),
        "uncertain_ns": view.uncertain_ns,
        "pressed_too_early": view.pressed_too_early,
        "choice": None if view.choice is None else list(view.choice.words),
    }
    if game is None:
        return table | {"state": None, "running": None, "to_move": None, "moves": None, "errors": []}
    return table | {
        "state": game.state,
        "start_told": game.armed,
        "running": game.clock.running,
        "to_move": None if game.over else game.to_move,
        "moves": len(game.moves),
        "clocks_ns": {side: game.clock.left_ns(side, now_ns) for side in Side},
        "flags": {side: game.falls.of(side) for side in Side},
        "position": format_position(game.shown),
        "score": None if game.outcome is None else list(game.outcome.score),
        "reason": None if game.outcome is None else game.outcome.reason,
        "signed": {side: game.signed.of(side) for side in Side},
        "errors": [incident_object(incident) for incident in game.unsettled],
    }


def touch_of_screen(request: Mapping[str, Any], now_ns: int) -> ScreenInput | ScreenRequest:
    """Return the touch in a request: a line of the game file without `at_ns`, or {"request": word}. Invalid says what
    is wrong."""
    if "request" in request:
        return ScreenRequest(now_ns, str(request["request"]), str(request.get("detail", "")))
    return ScreenInput(parse_input({**request, "at_ns": now_ns}))
