"""Which screen, and which board on it, a configuration asks for."""

from __future__ import annotations

import os
from collections.abc import Callable

from table_app.board_port import BoardPort
from table_app.composition import Layout
from table_app.config import Config, ConfigError
from table_app.desk import Desk, Setup
from table_app.dialog import Pins
from table_app.events import Event
from table_app.parts import Look
from table_app.screen_port import ScreenPort
from table_app.simulate import SimulatedBoard
from table_app.theme import ThemeError, load_theme
from table_app.words import WordsError, load_words

FACE_SIZE = (800, 480)
SIMULATED_SIZE = (1360, 510)
"""The face, and the simulated board at its right."""


def screen_and_board(
    config: Config, simulate: bool, board: BoardPort, put: Callable[[Event], None], now_ns: Callable[[], int]
) -> tuple[ScreenPort, BoardPort]:
    """The screen, and the board it brings with it in `simulate`. ConfigError names the key that does not fit."""
    try:
        theme = load_theme(config.theme)
    except ThemeError as error:
        raise ConfigError(f"theme: {error}") from None
    try:
        words = load_words(config.language)
    except WordsError as error:
        raise ConfigError(f"language: {error}") from None
    setup = Setup(
        Look(theme, words, 1.0),
        Layout(config.face_to_face, self_start=not config.broker_host),
        Pins(config.judge_pin, config.director_pin),
        keys=config.buttons == "keys",
    )
    simulated = SimulatedBoard() if simulate else None
    desk = Desk(setup, put, now_ns, simulated)
    # pygame greets on standard output unless told before it is imported.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    screen: ScreenPort
    if config.screen == "pictures":
        from table_app.picture_screen import PictureScreen

        screen = PictureScreen(desk, theme, config.pictures_dir or config.state_dir / "pictures", FACE_SIZE)
    else:
        from table_app.screen import Screen

        screen = Screen(desk, theme, config.screen, SIMULATED_SIZE if simulate else FACE_SIZE)
    return screen, simulated if simulated is not None else board
