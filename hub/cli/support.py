"""`flagfall-hub support FILE`: the file for whoever helps from afar, also of a hub that does not start."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from flagfall.base.command_line import DONE, CommandError, Parser
from flagfall.base.errors import Invalid
from flagfall.base.private_file import write_private
from hub.api.addresses import SUPPORT
from hub.cli.running_hub import ask
from hub.commands.support import Running, support_file
from hub.config import Config, add_options, config_of, default_state_dir


def support_command(arguments: Sequence[str]) -> int:
    """Write the zip, with mode 0600, and print its name and size."""
    parser = Parser(prog="flagfall-hub support", allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", type=Path, help="a new file that gets the zip")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    if chosen.file.exists():
        raise CommandError(f"{chosen.file}: expected a new file, there is one of that name")
    config, fault = _config(chosen)
    data = support_file(config, _running(config), fault, guessed=_guessed(chosen))
    try:
        write_private(chosen.file, data)
    except OSError as failure:
        raise CommandError(f"{chosen.file}: cannot be written: {failure.strerror or failure}") from None
    print(
        f"{chosen.file}: {len(data)} bytes, without keys, PINs and dates of birth; look through it before you send it"
    )
    return DONE


def _config(chosen: argparse.Namespace) -> tuple[Config | None, str]:
    """Return the configuration, or None and the reason why it cannot be read."""
    try:
        return config_of(vars(chosen), os.environ), ""
    except (Invalid, CommandError) as fault:
        return None, str(fault)


def _guessed(chosen: argparse.Namespace) -> Path:
    named = chosen.state_dir or os.environ.get("FLAGFALL_STATE_DIR")
    return Path(named) if named else default_state_dir(os.environ)


def _running(config: Config | None) -> Running | None:
    """Return the facts of the running hub, None where none answers."""
    if config is None:
        return None
    try:
        answer = ask(config, *SUPPORT)
        return None if answer is None else msgspec.convert(answer, Running)
    except (CommandError, msgspec.ValidationError):  # a hub of another version
        return None
