"""The command `flagfall-table doctor`, which runs the checks of this device's parts and prints their findings."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from queue import SimpleQueue

import msgspec

from flagfall.base.command_line import CommandError
from flagfall.base.errors import Failed, Invalid
from flagfall.link.tls import KEY
from flagfall.othello.side import Both
from table_app import adapters
from table_app.board.driver import SerialBoard
from table_app.board.monitor import watch
from table_app.board.setup import Orientations
from table_app.config import DEFAULT_FILE, Config, simulated
from table_app.health import clock_rate
from table_app.health.watchdog import told_by_service
from table_app.judge_pin import FILE_NAME as JUDGE_PIN
from table_app.judge_pin import pins_of
from table_app.options import LIVE, config_of, doctor_parser
from table_app.record.journal import SyncedDisk
from table_app.record.state_dir import StateDirectory
from table_app.run_command import screen_of
from table_app.tools import checks

LONGEST_HOURS = 1000


def checked(arguments: Sequence[str]) -> int:
    """Run the checks. Return 0: fit for play; 1: not."""
    try:
        return _checked(doctor_parser().parse_args(arguments))
    except (Invalid, Failed) as fault:
        raise CommandError(str(fault)) from None


def _checked(options: argparse.Namespace) -> int:
    if options.board == LIVE:
        return _show_board(options)
    config = config_of(options, pins=False)
    config = simulated(config) if options.simulate else config
    state = StateDirectory(config.state_dir)
    try:
        state.open()
    except Failed:
        status = "" if options.press or options.clock is not None else told_by_service()
        if not status:
            raise
        return _print_checks([checks.running(status), *_quiet_checks(config, state, options)], options)
    try:
        if options.clock is not None:
            try:
                _measure_clock(config, options.clock)
            except Failed as error:
                print(error, file=sys.stderr)
                return 1
        results = _checks(config, state, options)
    finally:
        state.close()
    return _print_checks(results, options)


def _print_checks(results: list[checks.Check], options: argparse.Namespace) -> int:
    print(checks.as_json(results) if options.json else checks.as_text(results))
    return 0 if all(check.ok for check in results) else 1


def _measure_clock(config: Config, hours: float) -> None:
    if not 0 < hours <= LONGEST_HOURS:
        raise Invalid("--clock", f"hours above 0, at most {LONGEST_HOURS}", f"{hours:g}")
    rate = clock_rate.measure(hours)
    SyncedDisk().replace(config.state_dir / clock_rate.FILE_NAME, msgspec.json.encode(rate))


def _checks(config: Config, state: StateDirectory, options: argparse.Namespace) -> list[checks.Check]:
    quiet = _quiet_checks(config, state, options)
    known = adapters.identity_path(config, state).exists() and all(
        check.ok for check in quiet if check.part == "secrets"
    )
    return [
        checks.buttons(
            config.buttons,
            partial(adapters.gpio_factory, config),
            Both(config.black_pin, config.white_pin),
            checks.PRESS_WITHIN_S if options.press else 0.0,
        ),
        checks.Check("board", True, "drawn on the screen")
        if options.simulate
        else checks.board(config.board, adapters.board(config, Orientations({}))),
        checks.screen(config.screen, lambda: screen_of(config, "", time.monotonic_ns(), SimpleQueue())),
        checks.link(config, adapters.identity(config, state) if known else None),
        *quiet,
    ]


def _quiet_checks(config: Config, state: StateDirectory, options: argparse.Namespace) -> list[checks.Check]:
    """Return the checks that touch nothing that a running table holds."""
    keys = [adapters.identity_path(config, state), *([config.tls / KEY] if config.tls is not None else [])]
    keys += [config.state_dir / JUDGE_PIN]
    pins = config.judge_pin or config.director_pin
    return [
        checks.clock(config.state_dir),
        checks.storage(config.state_dir),
        checks.secrets(keys, (options.config or DEFAULT_FILE) if pins else None),
        checks.judge(pins_of(config)),
        checks.machine(),
        checks.power(),
        checks.voice(config.speech),
        checks.page(state.kept_page()),
    ]


def _show_board(options: argparse.Namespace) -> int:
    """Show the 64 squares live. This needs neither buttons nor a record."""
    options.board, options.buttons = None, "keys"
    config = config_of(options)
    if config.board == "none":
        raise Invalid("board", 'a port or "auto"', '"none"')
    there = watch(lambda live: SerialBoard(config.board, on_raw=live.raw), sys.stdout, sys.stdin)
    return 0 if there else 1
