"""The faults of the device, each with its name and its English text for hub and record."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from link.board.messages import EYE_FAULTS, FAULT_TEXTS
from othello.told import Told


class Trouble(Told):
    """One fault. The screen has its own text for each, also in English (`table_app.screen.kit.catalogue`)."""

    TEXTS: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "button_held": "{side} button held",
            "button_chatters": "{side} button chatters",
            "clock_slewed": "clock slewed by {ppm:+d} ppm",
            # the processor
            "slowed": "{why}",
            "under_voltage": "under-voltage",
            "frequency_capped": "frequency capped",
            "throttled": "throttled",
            "too_warm": "too warm",
            # in the words of a part of the program or the system
            "disk_full": "{file}: {why}",
            "disk_read_only": "{file}: {why}",
            "disk_fails": "{file}: {why}",
            "outbox_fails": "{why}",
            "screen_fails": "{why}",
            "pins_fail": "buttons: {why}",
            "pins_closed": "buttons: {file}: {why}: run systemd/install.sh table again",
            "pins_elsewhere": (
                "buttons: expected {wanted}, found {found}: set gpio_chip, or buttons = keys, in table.toml"
            ),
            # the camera above the board
            **{key: FAULT_TEXTS[code] for code, key in EYE_FAULTS.items()},
            # found at the start
            "card": "{why}",
            "unreadable": "{file}: {why}",
            "damaged": "{file}: damaged, kept as {kept}: {why}",
        }
    )


class PinsError(Exception):
    """The pins cannot be reached; one line, with a remedy."""

    def __init__(self, key: str, **places: object) -> None:
        self.trouble = Trouble.of(key, **places)
        super().__init__(str(self.trouble).removeprefix("buttons: "))


def of_disk(file: str, failure: OSError) -> Trouble:
    """Why a file could not be written."""
    known = {errno.ENOSPC: "disk_full", errno.EROFS: "disk_read_only"}
    key = known.get(failure.errno or 0, "disk_fails")
    return Trouble.of(key, file=file, why=failure.strerror or str(failure))
