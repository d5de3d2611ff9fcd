"""`flagfall-hub update [--ask] WHEEL | --withdraw`: the version of the programs that this hub's tables shall run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from flagfall.base.command_line import DONE, CommandError, Parser, ended_by
from flagfall.base.errors import Failed, Invalid
from hub.cli.running_hub import run
from hub.config import DEVICES, add_options, config_of
from hub.tables import updates
from hub.tables.devices import Devices


@ended_by(Invalid, Failed)
def update(arguments: Sequence[str]) -> int:
    """Set the version for tables, through the running hub if there is one. CommandError, one line, for anything
    unexpected."""
    parser = Parser(
        prog="flagfall-hub update",
        description="The version that tables take as soon as nothing is played at them.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--ask", action="store_true", help="offer it only when a director agrees at the console"
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("wheel", metavar="WHEEL", type=Path, nargs="?")
    which.add_argument("--withdraw", action="store_true", help="tables stay as they are")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    config = config_of(vars(chosen), os.environ)
    if chosen.withdraw and chosen.ask:
        raise CommandError("--ask: expected a wheel, got --withdraw")
    if chosen.withdraw:
        if run(config, "withdraw-update") is None:
            updates.end_offer(config.state_dir)
        print("nothing is offered to tables any more")
        return DONE
    if chosen.ask:
        asked = updates.ask_for(config.state_dir, chosen.wheel)
        if asked is None:
            print("tables are offered this version already")
        else:
            print(f"{asked.version}: a director must agree at the console (Events, Sticks)")
        return DONE
    version, sha256 = updates.put_wheel(config.state_dir, chosen.wheel)
    if run(config, "offer-update", {"sha256": sha256}) is None:
        # No hub runs: its next start offers the wheel.
        updates.write_offer(config.state_dir, sha256, Devices(config.state_dir / DEVICES).reserve_seq())
    print(f"{version} is offered: each table takes it as soon as nothing is played there")
    return DONE
