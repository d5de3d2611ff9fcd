"""How a screen is used as the configuration says: theme, words, layout, PINs."""

from __future__ import annotations

from table_app.composition import Layout
from table_app.config import Config
from table_app.desk import Setup
from table_app.dialog import Pins
from table_app.judge_pin import pins_of
from table_app.parts import Look
from table_app.theme import theme_of
from table_app.words import words_of

FACE_SIZE = (800, 480)
SIMULATED_SIZE = (1360, 510)
"""The face, and the simulated board at its right."""
PRACTICE_SIZE = (1360, 610)
"""Below both, what the judge is to do."""


def setup_of(config: Config, pins: Pins | None = None) -> Setup:
    """ConfigError names the key that does not fit. `pins` instead of those configured."""
    return Setup(
        Look(theme_of(config), words_of(config), 1.0),
        Layout(config.face_to_face, self_start=not config.broker_host, speaks=bool(config.speech)),
        pins_of(config) if pins is None else pins,
        keys=config.buttons == "keys",
    )
