"""Colours and sizes of the screen, from one file: `themes/*.toml`, or a director's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, defstruct
from msgspec.structs import asdict

from flagfall.base.convert import A_TABLE, convert
from flagfall.base.errors import Invalid
from flagfall.base.foreign_text import parse_toml
from table_app.config import Config

COLOURS = (
    "paper", "card", "ink", "muted", "line", "running", "running_ink", "running_muted", "alert", "alert_ink",
    "solid", "solid_ink", "disc_black", "disc_white", "disc_edge", "disc_rim", "board", "board_line", "wrong",
)  # fmt: skip
SIZES = ("digits", "name", "title", "text", "small", "button")
# The pairs of colours in which one must be readable, or told apart, on the other.
READABLE_PAIRS = (
    ("ink", "paper"), ("ink", "card"), ("muted", "paper"), ("muted", "card"), ("running_ink", "running"),
    ("running_muted", "running"), ("alert_ink", "alert"), ("alert", "paper"), ("alert", "card"),
    ("solid_ink", "solid"), ("wrong", "card"), ("running", "paper"),
)  # fmt: skip
LEAST_CONTRAST = 7.0

Colour = tuple[int, int, int]


HexColour = Annotated[str, Meta(pattern=r"^#[0-9a-fA-F]{6}\Z", description='a colour as "#14161b"')]
Pixels = Annotated[float, Meta(ge=8, le=400, description="pixels from 8 to 400")]
_Colours = defstruct("_Colours", [(name, HexColour) for name in COLOURS], forbid_unknown_fields=True)
_Sizes = defstruct("_Sizes", [(name, Pixels) for name in SIZES], forbid_unknown_fields=True)


class _ThemeFile(Struct, forbid_unknown_fields=True):
    colours: _Colours  # type: ignore[valid-type]
    sizes: _Sizes  # type: ignore[valid-type]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours and sizes of a theme."""

    colours: Mapping[str, Colour]  # name -> red, green, blue (0..255)
    sizes: Mapping[str, float]  # name -> pixels on a screen 480 pixels high

    def px(self, size: str, unit: float) -> int:
        return max(6, round(self.sizes[size] * unit))


def dimmed(theme: Theme, percent: int) -> Theme:
    """Return the same theme with less light. It works on every display, also where the backlight cannot be set."""
    if percent == 100:
        return theme
    dark = {
        name: (red * percent // 100, green * percent // 100, blue * percent // 100)
        for name, (red, green, blue) in theme.colours.items()
    }
    return Theme(dark, theme.sizes)


def parse_theme(text: str) -> Theme:
    """Return the theme in a TOML text. Invalid names the field."""
    try:
        table = parse_toml(text)
    except ValueError as error:
        raise Invalid("", f"TOML: {error}") from None
    read = convert(table, _ThemeFile, A_TABLE)
    colours = {name: _colour(getattr(read.colours, name)) for name in COLOURS}
    for name, on in READABLE_PAIRS:
        ratio = contrast(colours[name], colours[on])
        if ratio < LEAST_CONTRAST:
            raise Invalid(f"colours.{name}", f"a contrast of {LEAST_CONTRAST:g}:1 to {on}", f"{ratio:.1f}:1")
    return Theme(colours, asdict(read.sizes))


def _colour(text: str) -> Colour:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def load_theme(name: str = "light") -> Theme:
    """Return a built-in theme by name, or a file by its path (anything that ends in .toml)."""
    if name.endswith(".toml"):
        path = Path(name)
        try:
            return parse_theme(path.read_text("utf-8"))
        except Invalid as fault:
            raise fault.of(name) from None
        except (OSError, UnicodeDecodeError) as error:
            raise Invalid("", f"a readable file: {error}", source=name) from None
    names = built_in_themes()
    if name not in names:
        raise Invalid("", f"one of {', '.join(names)} or a .toml file", repr(name))
    return parse_theme(resources.files("table_app").joinpath(f"themes/{name}.toml").read_text("utf-8"))


def theme_of(config: Config) -> Theme:
    """Return the theme of this device. Invalid names the field at fault."""
    try:
        return load_theme(config.theme)
    except Invalid as fault:
        raise fault.of("theme") from None


def built_in_themes() -> tuple[str, ...]:
    folder = resources.files("table_app").joinpath("themes")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir()))


def contrast(colour: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2, relative luminance)."""
    lighter, darker = sorted((_luminance(colour), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    parts = [c / 255 for c in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
