"""How a screen is used as the configuration says: theme, words, layout, PINs."""

from __future__ import annotations

from table_app.composition import Layout
from table_app.config import Config, ConfigError
from table_app.desk import Setup
from table_app.dialog import Pins
from table_app.parts import Look
from table_app.theme import ThemeError, load_theme
from table_app.words import Catalogue, WordsError, load_words

FACE_SIZE = (800, 480)
SIMULATED_SIZE = (1360, 510)
"""The face, and the simulated board at its right."""
PRACTICE_SIZE = (1360, 610)
"""Below both, what the judge is to do."""


def words_of(config: Config) -> Catalogue:
    """The screen's language; ConfigError names the languages there are."""
    try:
        return load_words(config.language)
    except WordsError as error:
        raise ConfigError(f"language: {error}") from None


def setup_of(config: Config, pins: Pins | None = None) -> Setup:
    """ConfigError names the key that does not fit. `pins` instead of those configured."""
    try:
        theme = load_theme(config.theme)
    except ThemeError as error:
        raise ConfigError(f"theme: {error}") from None
    return Setup(
        Look(theme, words_of(config), 1.0),
        Layout(config.face_to_face, self_start=not config.broker_host, speaks=bool(config.speech)),
        Pins(config.judge_pin, config.director_pin) if pins is None else pins,
        keys=config.buttons == "keys",
    )
