"""What may be said to `flagfall-table run` and `doctor`, and the configuration made of it and the other places."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from link.pin import PinError, pin_of, spoken
from table_app.command_line import parser_of
from table_app.config import KEYS, SECRET, Config, ConfigError, load

LIVE = "live"
"""The value of `doctor --board` without one."""


def run_parser() -> argparse.ArgumentParser:
    run = parser_of("run", "The appliance at a table.")
    run.add_argument(
        "--simulate", action="store_true", help="no hardware: keys are the buttons, clicks the discs"
    )
    run.add_argument(
        "--laptop", action="store_true", help="a clock beside a real board: keys are the buttons"
    )
    run.add_argument("--practice", action="store_true", help="a guided game for judges, ten minutes")
    run.add_argument(
        "--virtual-pins", action="store_true", help="the same as --buttons virtual: a local socket"
    )
    _add_keys(run)
    return run


def doctor_parser() -> argparse.ArgumentParser:
    doctor = parser_of("doctor", "Finds out whether this device is fit for play.")
    doctor.add_argument("--json", action="store_true", help="one JSON object on standard output")
    doctor.add_argument("--clock", metavar="HOURS", type=float, help="measure the device's clock first")
    doctor.add_argument("--press", action="store_true", help="somebody presses both buttons within 15 s")
    doctor.add_argument("--clock-host", metavar="HOST", help="against this host's SNTP, not the wall clock")
    # `doctor --board` alone shows the board's squares.
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
    for key, one in KEYS.items():
        if key in SECRET:
            continue
        more = (special or {}).get(key, {})
        parser.add_argument(
            f"--{key.replace('_', '-')}", metavar="VALUE", help=f"{one.says}: {one.expected}", **more
        )


def config_of(options: argparse.Namespace) -> Config:
    given: dict[str, str | None] = {key: getattr(options, key) for key in KEYS}
    try:
        for key in SECRET:
            option, place = f"--{key.replace('_', '-')}", getattr(options, f"{key}_file")
            if given[key] is not None:
                raise spoken(option)
            given[key] = None if place is None else pin_of(place, f"{option}-file")
    except PinError as fault:
        raise ConfigError(str(fault)) from None
    preset: dict[str, str] = {}
    if getattr(options, "virtual_pins", False):
        preset["buttons"] = "virtual"
    if getattr(options, "simulate", False) or getattr(options, "practice", False):
        preset |= {"buttons": "keys", "screen": "window", "board": "auto"}
    if getattr(options, "laptop", False):
        preset |= {"buttons": "keys", "screen": "window", "board": "none"}
    for key, text in preset.items():
        if given[key] is None:
            given[key] = text
    return load(given, os.environ, options.config)
