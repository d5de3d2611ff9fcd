"""What may be said to `flagfall-table` on its command line, and the configuration made of it and the other places."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from table_app.config import DEFAULT_FILE, KEYS, Config, load
from table_app.enrol import HUB_ADDRESS

LIVE = "live"
"""The value of `doctor --board` without one."""


def parser() -> argparse.ArgumentParser:
    """Of all commands."""
    whole = argparse.ArgumentParser(prog="flagfall-table", description="The clock and judge at one table.")
    commands = whole.add_subparsers(dest="command", required=True, metavar="run|replay|doctor|enrol")
    run = commands.add_parser("run", help="be the appliance at a table")
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
    doctor = commands.add_parser("doctor", help="find out whether this device is fit for play")
    doctor.add_argument("--json", action="store_true", help="one JSON object on standard output")
    doctor.add_argument("--clock", metavar="HOURS", type=float, help="measure the device's clock first")
    doctor.add_argument("--press", action="store_true", help="somebody presses both buttons within 15 s")
    doctor.add_argument("--clock-host", metavar="HOST", help="against this host's SNTP, not the wall clock")
    for command in (run, doctor):
        command.add_argument("--config", metavar="FILE", type=Path, help="configuration (TOML)")
        for key, one in KEYS.items():
            # `doctor --board` alone shows the board's squares.
            value: dict[str, Any] = (
                {"nargs": "?", "const": LIVE} if (command, key) == (doctor, "board") else {}
            )
            command.add_argument(
                f"--{key.replace('_', '-')}", metavar="VALUE", help=f"{one.says}: {one.expected}", **value
            )
    enrolling = commands.add_parser("enrol", help="become one of a hub's tables")
    enrolling.add_argument(
        "code", metavar="CODE|STICK", help="the hub's one-time code, or its stick's folder"
    )
    enrolling.add_argument("--hub", default=HUB_ADDRESS, help=f"where the hub's page is ({HUB_ADDRESS})")
    enrolling.add_argument("--again", action="store_true", help="though it is enrolled already")
    enrolling.add_argument("--config", metavar="FILE", type=Path, default=DEFAULT_FILE)
    enrolling.add_argument("--state-dir", metavar="DIR", help="where the record is kept")
    again = commands.add_parser("replay", help="judge a recorded game again")
    again.add_argument("file", metavar="GAME.jsonl", type=Path)
    again.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return whole


def config_of(options: argparse.Namespace) -> Config:
    given: dict[str, str | None] = {key: getattr(options, key) for key in KEYS}
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
