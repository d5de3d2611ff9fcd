"""`flagfall-hub update WHEEL | --withdraw`: the version of the programs that this hub's tables are to run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from hub import updates
from hub.at_hand import HubRefused, ask
from hub.config import Config, ConfigError, read_config
from hub.registry import Registry, RegistryError


class UpdateCommandError(Exception):
    """One line for standard error."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise UpdateCommandError(message)


def update(arguments: Sequence[str]) -> None:
    """Runs it, by the hub if it runs. UpdateCommandError, one line, for whatever is not as expected."""
    parser = _Parser(
        prog="flagfall-hub update",
        description="The version that tables take as soon as nothing is played at them.",
        epilog="Options of flagfall-hub run are taken too.",
        allow_abbrev=False,
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("wheel", metavar="WHEEL", type=Path, nargs="?")
    which.add_argument("--withdraw", action="store_true", help="tables stay as they are")
    chosen, rest = parser.parse_known_args(arguments)
    try:
        config = read_config(rest, os.environ)
        if chosen.withdraw:
            if ask(config, "DELETE", "update") is None:
                updates.withdraw(config.state_dir)
            print("nothing is offered to tables any more")
            return
        version, sha256 = updates.put_wheel(config.state_dir, chosen.wheel)
        if ask(config, "PUT", "update", {"sha256": sha256}) is None:
            _offer_without_hub(config, sha256)
        print(f"{version} is offered: each table takes it as soon as nothing is played there")
    except (ConfigError, HubRefused, RegistryError, updates.UpdateError) as fault:
        raise UpdateCommandError(str(fault)) from None


def _offer_without_hub(config: Config, sha256: str) -> None:
    registry = Registry(config.state_dir / "devices.json")
    updates.offer(config.state_dir, sha256, registry.reserve_seq())
