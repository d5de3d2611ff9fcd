"""The program that draws the screen and hears what is touched on it, for the table's own (`table_app.screen.process`).

It ends when its input does. Nothing else than values of `table_app.screen.channel` goes out of it.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, Protocol

from link.board.eye_view import place_of
from table_app.config import Config, ConfigError
from table_app.events import ScreenRequest
from table_app.loop.view import ScreenError, TableView
from table_app.record.judge_pin import pins_of
from table_app.screen.channel import AskBoard, CannotDraw, Drawing, FromScreen, Opened, received, send
from table_app.screen.compose import Layout
from table_app.screen.controller import Coach, ScreenController, ScreenSetup
from table_app.screen.eye_window import EyeWindow
from table_app.screen.kit.catalogue import load_words, words_of
from table_app.screen.kit.theme import dimmed, theme_of
from table_app.screen.kit.widgets import Look
from table_app.screen.practice import PINS, PracticeHands
from table_app.screen.simulated_board import SimulatedBoard
from table_app.screen.sound import Sounds
from table_app.screen.state.dialog import Pins
from table_app.settings import settings_of
from table_app.timebase import Timebase


class Surface(Protocol):
    """What can be drawn on: a window or display (`screen`), or pictures that are kept (`picture_screen`)."""

    found: str
    """How it is drawn, once the first picture is there."""

    def show(self, view: TableView) -> None:
        """The newest view, from any thread."""

    def run(self, opened: Callable[[], None], turned: Callable[[], None]) -> None:
        """Draws until it is closed, in the main thread. `opened` is called once the first picture is there, `turned`
        at least once a second; ScreenError if there is nothing to draw on, or no longer."""

    def close(self) -> None:
        """Ends `run`, from any thread."""


def main() -> int:
    """0: closed, by the table's program or by whoever closed the window; 1: there is nothing to draw on."""
    for one in (signal.SIGINT, signal.SIGTERM):
        # Ctrl-C and systemd tell the whole group; the table's program closes this one when its own work is done.
        signal.signal(one, signal.SIG_IGN)
    values, writing = received(os.fdopen(os.dup(sys.stdin.fileno()), "rb")), _own_output()
    sending = threading.Lock()

    def put(value: FromScreen) -> None:
        with sending:
            try:
                send(writing, value)
            except OSError:
                return  # the table's program has ended, which ends this one

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
            put(Opened(surface.found))

        surface.run(opened, patience.turned)
        # If it was not the table's program that closed it, that ends with its window.
        put(ScreenRequest(Timebase(drawing.zero_ns).now_ns(), "quit"))
    except (ConfigError, ScreenError) as error:
        put(CannotDraw(str(error)))
        return 1
    return 0


def _own_output() -> IO[bytes]:
    """Where the values go; whatever else is printed here goes to standard error."""
    sys.stdout.flush()
    own = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return own


@dataclass(slots=True)
class Patience:
    """Ends the process where drawing hangs: a driver that keeps it for so long will not let it go any more. Longer
    for the first picture, for which drivers compile what they draw with."""

    first_s: int
    hung_s: int
    opened: bool = False

    def turned(self) -> None:
        """Called at each turn; the process ends some time after the last call."""
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
    """The screen that the configuration asks for, and the board drawn on it, if any, as it lies at first. ConfigError
    names the key that does not fit."""
    config, now_ns = drawing.config, Timebase(drawing.zero_ns).now_ns
    practice = drawing.drawn == "practice"
    setup = setup_of(config, PINS if practice else None)
    board = SimulatedBoard() if drawing.drawn else None
    coach = Coach(PracticeHands(board, put)) if board is not None and practice else None
    eye = EyeWindow(place_of(config.board), now_ns)
    desk = ScreenController(setup, put, now_ns, board, coach, eye=eye, sounds=Sounds())
    size = PRACTICE_SIZE if practice else SIMULATED_SIZE if drawing.drawn else FACE_SIZE
    theme = setup.look.theme
    # pygame greets on standard output unless told before it is imported.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    surface: Surface
    if config.screen == "pictures":
        from table_app.screen.to_files import PictureScreen

        surface = PictureScreen(desk, theme, config.pictures_dir or config.state_dir / "pictures", size)
    else:
        from table_app.screen.window import Display, Screen

        display = Display(config.screen, config.connector, drawing.renderer)
        surface = Screen(desk, theme, display, size, looks=lambda: desk.looks)
    desk.see(view)
    if board is not None:
        board.start(put, now_ns)
    return surface, board


FACE_SIZE = (800, 480)
SIMULATED_SIZE = (1264, 474)
"""The face, and the simulated board at its right; it fits a display of 1280 pixels."""
PRACTICE_SIZE = (1264, 567)
"""Below both, what the judge is to do."""


def setup_of(config: Config, pins: Pins | None = None) -> ScreenSetup:
    """ConfigError names the key that does not fit. `pins` instead of those configured."""
    settings = settings_of(config)
    words_of(config)
    return ScreenSetup(
        Look(dimmed(theme_of(config), settings.brightness), load_words(settings.language), 1.0),
        Layout(
            bool(settings.face_to_face),
            self_start=not config.broker_host and pins is None,
            speaks=bool(config.speech),
            settings=settings,
        ),
        pins_of(config) if pins is None else pins,
        keys=config.buttons == "keys",
        theme=theme_of(config),
    )


if __name__ == "__main__":
    sys.exit(main())
