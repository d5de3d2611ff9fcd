"""`flagfall-hub update WHEEL | --withdraw`: the version of the programs that this hub's tables shall run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hub.commands.running_hub import ask
from hub.config import DEVICES, Config, ConfigError, add_options, config_of
from hub.tables import updates
from hub.tables.devices import Devices, DevicesError
from link.command_line import DONE, Parser, ended_by


@ended_by(ConfigError, DevicesError, updates.UpdateError)
def update(arguments: Sequence[str]) -> int:
    """Does it through the running hub if there is one. CommandError, one line, for anything unexpected."""
    parser = Parser(
        prog="flagfall-hub update",
        description="The version that tables take as soon as nothing is played at them.",
        allow_abbrev=False,
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("wheel", metavar="WHEEL", type=Path, nargs="?")
    which.add_argument("--withdraw", action="store_true", help="tables stay as they are")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    config = config_of(vars(chosen), os.environ)
    if chosen.withdraw:
        if ask(config, "DELETE", "update") is None:
            updates.end_offer(config.state_dir)
        print("nothing is offered to tables any more")
        return DONE
    version, sha256 = updates.put_wheel(config.state_dir, chosen.wheel)
    answer = ask(config, "PUT", "update", {"sha256": sha256})
    by_hand = answer["by_hand"] if answer is not None else _offer_without_hub(config, sha256)
    print(f"{version} is offered: each table takes it as soon as nothing is played there")
    if by_hand:
        print(f"0.1 takes no version with other parts: systemd/install.sh table at {', '.join(by_hand)}")
    return DONE


def _offer_without_hub(config: Config, sha256: str) -> list[str]:
    """Offers the wheel to the next start of the hub. Returns the tables that 0.1 has enrolled."""
    devices = Devices(config.state_dir / DEVICES)
    updates.write_offer(config.state_dir, sha256, devices.reserve_seq())
    return [device.device for device in devices.all if device.enrolled_by_0_1]
