"""The options of `flagfall-table run` and `doctor`, and the configuration made from them and the other sources."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flagfall.base.command_line import Parser
from flagfall.base.pin import given_openly, pin_of
from table_app.config import CLUBS_RULEBOOK, DEFAULTS, KEYS, RULEBOOK, SECRET, Config, load, user_state_dir

# The value of a bare `doctor --board`.
LIVE = "live"
# Not all thirty options once more before their list.
_USAGE = "%(prog)s [--help] [OPTION ...]"


def run_parser() -> argparse.ArgumentParser:
    run = Parser(prog="flagfall-table run", description="The appliance at a table.")
    run.usage = _USAGE
    _add_kinds(run)
    run.add_argument("--practice", action="store_true", help="a guided game for judges, ten minutes")
    run.add_argument(
        "--virtual-pins", action="store_true", help="the same as --buttons virtual: a local socket"
    )
    _add_keys(run)
    return run


def _add_kinds(parser: argparse.ArgumentParser) -> None:
    """Add the options that replace parts of the hardware."""
    parser.add_argument(
        "--simulate", action="store_true", help="no hardware: keys are the buttons, clicks the discs"
    )
    parser.add_argument(
        "--laptop", action="store_true", help="a clock beside a real board: keys are the buttons"
    )


def doctor_parser() -> argparse.ArgumentParser:
    doctor = Parser(
        prog="flagfall-table doctor", description="Finds out whether this device is fit for play."
    )
    doctor.usage = _USAGE
    _add_kinds(doctor)
    doctor.add_argument("--json", action="store_true", help="one JSON object on standard output")
    doctor.add_argument("--clock", metavar="HOURS", type=float, help="measure the device's clock first")
    doctor.add_argument("--press", action="store_true", help="somebody presses both buttons within 15 s")
    # A bare `doctor --board` shows the board's squares.
    _add_keys(doctor, {"board": {"nargs": "?", "const": LIVE}})
    return doctor


def _add_keys(
    parser: argparse.ArgumentParser, special: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    parser.add_argument("--config", metavar="FILE", type=Path, help="configuration (TOML)")
    for key in SECRET:
        option = f"--{key.replace('_', '-')}"
        parser.add_argument(option, help=argparse.SUPPRESS)
        parser.add_argument(
            f"{option}-file", metavar="FILE", help=f"{KEYS[key].says}: a file with its digits, - to be asked"
        )
    for key, setting in KEYS.items():
        if key in SECRET:
            continue
        more = (special or {}).get(key, {})
        text = f"{setting.says}: {setting.expected}{_default(key)}".replace("%", "%%")
        parser.add_argument(setting.option, metavar=key.rpartition("_")[2].upper(), help=text, **more)


def _default(key: str) -> str:
    """Return the default value, in brackets as in the hub's help."""
    if key == "minutes":
        return " (the rulebook's)"
    if key == "rulebook":
        return f" ({RULEBOOK}, on a laptop {CLUBS_RULEBOOK})"
    value: object = user_state_dir() if key == "state_dir" else DEFAULTS[key]
    if isinstance(value, bool):
        return f" ({str(value).lower()})"
    return "" if value in (None, "") else f" ({value})"


def config_of(options: argparse.Namespace, pins: bool = True) -> Config:
    """Return the configuration of these options. With `pins`, buttons on GPIO must have their pin numbers."""
    values: dict[str, str | None] = {key: getattr(options, key) for key in KEYS}
    for key in SECRET:
        option, place = f"--{key.replace('_', '-')}", getattr(options, f"{key}_file")
        if values[key] is not None:
            raise given_openly(option)
        values[key] = None if place is None else pin_of(place, f"{option}-file")
    preset: dict[str, str] = {}
    if getattr(options, "virtual_pins", False):
        preset["buttons"] = "virtual"
    if getattr(options, "simulate", False) or getattr(options, "practice", False):
        preset |= {"buttons": "keys", "screen": "window", "board": "auto"}
    if getattr(options, "laptop", False):
        preset |= {"buttons": "keys", "screen": "window", "board": "none"}
    for key, text in preset.items():
        if values[key] is None:
            values[key] = text
    rulebook = CLUBS_RULEBOOK if getattr(options, "laptop", False) else RULEBOOK
    return load(values, os.environ, options.config, pins, rulebook)
