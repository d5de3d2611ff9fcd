"""The process that draws the screen and reads its touches, for the table's program (`table_app.screen.process`).

It ends when its input ends. Its output carries only values of `table_app.screen.channel`.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from flagfall.base.errors import Failed, Invalid
from flagfall.link.board.eye_view import place_of
from table_app.config import Config
from table_app.events import ScreenRequest
from table_app.judge_pin import Pins, pins_of
from table_app.screen.channel import AskBoard, CannotDraw, Drawing, FromScreen, Opened, received, send
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import ScreenController
from table_app.screen.extras import EyeWindow
from table_app.screen.kit.catalogue import load_words, words_of
from table_app.screen.kit.theme import dimmed, theme_of
from table_app.screen.kit.widgets import Look
from table_app.screen.practice import PINS, PracticeHands
from table_app.screen.simulated_board import SimulatedBoard
from table_app.screen.sound import Sounds
from table_app.screen.surface import Surface
from table_app.settings import settings_of
from table_app.table_view import TableView
from table_app.timebase import Timebase


def main() -> int:
    """Run the drawing process. Return 0: closed by the table's program or by its user; 1: there is no display
    to draw on."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # Ctrl-C and systemd signal the whole group; the table's program closes this process when its own work is done.
        signal.signal(number, signal.SIG_IGN)
    values, writing = received(os.fdopen(os.dup(sys.stdin.fileno()), "rb")), _own_output()
    sending = threading.Lock()

    def put(value: FromScreen) -> None:
        with sending:
            try:
                send(writing, value)
            except OSError:
                return  # the table's program has ended, so this process ends too

    drawing, view = next(values, None), next(values, None)
    if drawing is None or view is None:
        return 0
    try:
        surface, board = assembled(drawing, view, put)
        surface.show(view)
        threading.Thread(target=_listen, args=(values, surface, board), daemon=True).start()
        patience = Patience(drawing.config.screen_open_s, drawing.config.screen_hung_s)

        def opened() -> None:
            patience.opened = True
            put(Opened(surface.drawn_by))

        surface.run(opened, patience.extend)
        # If the user has closed the window, the table's program ends with it.
        put(ScreenRequest(Timebase(drawing.zero_ns).now_ns(), "quit"))
    except (Invalid, Failed) as error:
        put(CannotDraw(str(error)))
        return 1
    return 0


def _own_output() -> IO[bytes]:
    """Return the stream for the values; everything else that is printed here goes to standard error."""
    sys.stdout.flush()
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return output


@dataclass(slots=True)
class Patience:
    """Ends the process if drawing hangs, since a driver that blocks for so long will not return. The first picture is
    given more time, because drivers compile their shaders for it."""

    first_s: int
    hung_s: int
    opened: bool = False

    def extend(self) -> None:
        """Restart the time after which the process ends; called at each turn."""
        faulthandler.dump_traceback_later(self.hung_s if self.opened else self.first_s, exit=True)


def _listen(values: Iterator[Any], surface: Surface, board: SimulatedBoard | None) -> None:
    for value in values:
        if isinstance(value, TableView):
            surface.show(value)
        elif isinstance(value, AskBoard) and board is not None:
            board.ask_snapshot()
    surface.close()


def assembled(
    drawing: Drawing, view: TableView, put: Callable[[FromScreen], None]
) -> tuple[Surface, SimulatedBoard | None]:
    """Return the configured screen, and the board drawn on it, if any, with its first orientation. Invalid names the
    key that does not fit."""
    config, now_ns = drawing.config, Timebase(drawing.zero_ns).now_ns
    practice = drawing.drawn == "practice"
    setup = setup_of(config, PINS if practice else None)
    board = SimulatedBoard() if drawing.drawn else None
    coach = PracticeHands(board, put) if board is not None and practice else None
    eye = EyeWindow(place_of(config.board), now_ns)
    controller = ScreenController(setup, put, now_ns, board=board, coach=coach, eye=eye, sounds=Sounds())
    size = PRACTICE_SIZE if practice else SIMULATED_SIZE if drawing.drawn else FACE_SIZE
    theme = setup.look.theme
    # pygame prints a greeting unless told otherwise before its import.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    surface: Surface
    if config.screen == "pictures":
        from table_app.screen.to_files import PictureScreen

        surface = PictureScreen(controller, theme, config.pictures_dir or config.state_dir / "pictures", size)
    else:
        from table_app.screen.window import Display, Screen

        display = Display(config.screen, config.connector, drawing.renderer)
        surface = Screen(controller, theme, display, size, looks=lambda: controller.looks)
    controller.see(view)
    if board is not None:
        board.start(put, now_ns)
    return surface, board


FACE_SIZE = (800, 480)
# The players' face, and the simulated board at its right; fits a display 1280 pixels wide.
SIMULATED_SIZE = (1264, 474)
# With the judge's instructions below both.
PRACTICE_SIZE = (1264, 567)


def setup_of(config: Config, pins: Pins | None = None) -> ScreenSetup:
    """Return the set-up of the screen. Invalid names the key that does not fit. `pins` replace those configured."""
    settings = settings_of(config)
    words_of(config)
    return ScreenSetup(
        Look(dimmed(theme_of(config), settings.brightness), load_words(settings.language), 1.0),
        Layout(
            bool(settings.face_to_face),
            self_start=not config.broker_host and pins is None,
            speaks=bool(config.speech),
            keys=config.buttons == "keys",
            hub_at=f"{config.broker_host}:{config.broker_port}" if config.broker_host else "",
            settings=settings,
        ),
        pins_of(config) if pins is None else pins,
        theme=theme_of(config),
    )


if __name__ == "__main__":
    sys.exit(main())
