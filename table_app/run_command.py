"""The command `flagfall-table run`. It opens the screen first, since the drawing process takes longest to
start; all other parts are imported and assembled meanwhile (`table_app.service`)."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from flagfall.base.command_line import CommandError
from flagfall.base.errors import Failed, Invalid
from flagfall.base.private_file import write_private
from table_app.config import Config, simulated
from table_app.events import Inbox
from table_app.log import Log
from table_app.options import config_of, run_parser
from table_app.record.spare import Spare, spare_folder
from table_app.record.state_dir import StateDirectory
from table_app.screen.channel import Drawing
from table_app.screen.kit.catalogue import words_of
from table_app.screen.kit.theme import theme_of
from table_app.screen.process import ScreenProcess
from table_app.settings import FILE_NAME as SETTINGS
from table_app.settings import settings_of
from table_app.timebase import Timebase


def run(arguments: Sequence[str]) -> int:
    """Run the appliance until it is told to stop."""
    try:
        return _run(run_parser().parse_args(arguments))
    except (Invalid, Failed) as fault:
        raise CommandError(str(fault)) from None


def _run(options: argparse.Namespace) -> int:
    config = config_of(options)
    with ExitStack() as stack:
        drawn = "practice" if options.practice else "simulate" if options.simulate else ""
        if drawn == "practice":
            # Nothing of a practice game is kept.
            folder = stack.enter_context(TemporaryDirectory(prefix="flagfall-practice-"))
            config = replace(config, state_dir=Path(folder), judged=True, broker_host="", face_to_face=False)
        elif drawn:
            config = simulated(config)
        state = StateDirectory(config.state_dir, Spare(spare_folder(config.state_dir, os.environ)))
        state.open()
        stack.callback(state.close)
        words_of(config)  # an unknown language is reported before anything begins
        if options.language is not None:
            _remember_language(config)
        inbox: Inbox = SimpleQueue()
        instants = Timebase.going_on_from(state.last_instant_ns())
        screen = screen_of(config, drawn, instants.zero_ns, inbox)
        if screen is not None:
            screen.start()
            stack.callback(screen.close)
        from table_app.service import serve

        serve(stack, config, state, inbox=inbox, instants=instants, screen=screen, board_drawn=bool(drawn))
    return 0


def _remember_language(config: Config) -> None:
    """Remember a language of the command line, which goes before the one chosen on the screen, as if it had
    been chosen there."""
    chosen = settings_of(config).with_("language", config.language)
    try:
        write_private(config.state_dir / SETTINGS, chosen.content())
    except OSError as fault:  # a full disk must not keep the table from starting
        Log().error("language not remembered", why=fault)


def screen_of(config: Config, drawn: str, zero_ns: int, inbox: Inbox) -> ScreenProcess | None:
    """Return the drawing process, None without a screen. `drawn` and `zero_ns` are those of `Drawing`.
    Invalid names the key that does not fit."""
    if config.screen == "none":
        return None
    theme_of(config)
    return ScreenProcess(Drawing(config, drawn, zero_ns), inbox.put)
