"""Colours and sizes of the screen, from one file: `themes/*.toml`, or a director's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from othello.foreign_text import parse_toml
from table_app.config import Config, ConfigError

COLOURS = (
    "paper", "card", "ink", "muted", "line", "running", "running_ink", "running_muted", "alert", "alert_ink",
    "solid", "solid_ink", "disc_black", "disc_white", "disc_edge", "disc_rim", "board", "board_line", "wrong",
)  # fmt: skip
SIZES = ("digits", "name", "title", "text", "small", "button")
READABLE_PAIRS = (
    ("ink", "paper"), ("ink", "card"), ("muted", "paper"), ("muted", "card"), ("running_ink", "running"),
    ("running_muted", "running"), ("alert_ink", "alert"), ("alert", "paper"), ("alert", "card"),
    ("solid_ink", "solid"), ("wrong", "card"), ("running", "paper"),
)  # fmt: skip
"""The pairs of colours in which one must be readable, or told apart, on the other."""
LEAST_CONTRAST = 7.0

Colour = tuple[int, int, int]


class ThemeError(ValueError):
    """One line: the field and what was expected."""


@dataclass(frozen=True, slots=True)
class Theme:
    """`colours`: name -> red, green, blue (0..255); `sizes`: name -> pixels on a screen 480 pixels high."""

    colours: Mapping[str, Colour]
    sizes: Mapping[str, float]

    def px(self, size: str, unit: float) -> int:
        return max(6, round(self.sizes[size] * unit))


def dimmed(theme: Theme, percent: int) -> Theme:
    """The same theme with less light: works on every display, also where the backlight cannot be set."""
    if percent == 100:
        return theme
    dark = {
        name: (red * percent // 100, green * percent // 100, blue * percent // 100)
        for name, (red, green, blue) in theme.colours.items()
    }
    return Theme(dark, theme.sizes)


def parse_theme(text: str) -> Theme:
    """ThemeError names the field."""
    try:
        table = parse_toml(text)
    except ValueError as error:
        raise ThemeError(f"not TOML: {error}") from None
    for key in table:
        if key not in ("colours", "sizes"):
            raise ThemeError(f"{key}: unknown field")
    colours: dict[str, Colour] = {}
    for name, value in _fields(table, "colours", COLOURS):
        if not isinstance(value, str) or not re.fullmatch(r"#[0-9a-fA-F]{6}", value):
            raise ThemeError(f'colours.{name}: expected a colour as "#14161b", got {value!r}')
        colours[name] = (int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16))
    for name, on in READABLE_PAIRS:
        found = contrast(colours[name], colours[on])
        if found < LEAST_CONTRAST:
            raise ThemeError(
                f"colours.{name}: expected a contrast of {LEAST_CONTRAST:g}:1 to {on}, got {found:.1f}:1"
            )
    sizes: dict[str, float] = {}
    for name, value in _fields(table, "sizes", SIZES):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 8 <= value <= 400:
            raise ThemeError(f"sizes.{name}: expected pixels from 8 to 400, got {value!r}")
        sizes[name] = value
    return Theme(colours, sizes)


def _fields(table: Mapping[str, object], part: str, names: tuple[str, ...]) -> list[tuple[str, object]]:
    fields = table.get(part)
    if not isinstance(fields, dict):
        raise ThemeError(f"{part}: expected a table")
    for name in names:
        if name not in fields:
            raise ThemeError(f"{part}.{name}: expected a value, got nothing")
    for name in fields:
        if name not in names:
            raise ThemeError(f"{part}.{name}: unknown field")
    return list(fields.items())


def load_theme(name: str = "light") -> Theme:
    """A built-in theme by name, or a file by its path (anything that ends in .toml)."""
    if name.endswith(".toml"):
        path = Path(name)
        try:
            return parse_theme(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ThemeError(f"{name}: cannot be read: {error}") from None
        except ThemeError as error:
            raise ThemeError(f"{name}: {error}") from None
    names = built_in_themes()
    if name not in names:
        raise ThemeError(f"expected one of {', '.join(names)} or a .toml file, got {name!r}")
    return parse_theme(resources.files("table_app").joinpath(f"themes/{name}.toml").read_text("utf-8"))


def theme_of(config: Config) -> Theme:
    """The theme of this device; ConfigError says what is wrong with it."""
    try:
        return load_theme(config.theme)
    except ThemeError as error:
        raise ConfigError(f"theme: {error}") from None


def built_in_themes() -> tuple[str, ...]:
    folder = resources.files("table_app").joinpath("themes")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir()))


def contrast(one: Colour, other: Colour) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2, relative luminance)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    parts = [c / 255 for c in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
