"""The faults of a table's device, each with its name, its English text for hub and record, and the one that people are
shown."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from link.board.faults import EYE_FAULTS, FAULT_TEXTS
from othello.message import Told

TEXTS = {
    "eye_no_board": "The camera does not see the board",
    "eye_lost": "The camera gives no picture",
    "eye_dark": "Too dark for the camera",
    "eye_blurred": "The camera's picture is out of focus",
    "eye_covered": "Something covers the camera",
    "button_held": "{side} button held down",
    "button_chatters": "{side} button: loose contact",
    "clock_slewed": "Clock slewed by {ppm} ppm",
    "slowed": "Processor slowed: {why}",
    "under_voltage": "under-voltage",
    "frequency_capped": "frequency capped",
    "throttled": "throttled",
    "too_warm": "too warm",
    "disk_full": "The disk is full: {file}. Until there is room the game is kept in memory alone",
    "disk_read_only": "The disk cannot be written: {file}. Until then the game is kept in memory alone",
    "disk_fails": "The disk fails: {file}: {why}",
    "outbox_fails": "Results cannot be kept: {why}",
    "screen_fails": "The screen fails: {why}",
    "pins_fail": "The buttons cannot be reached: {why}",
    "pins_closed": "The buttons cannot be reached, {file} is closed: run systemd/install.sh table again",
    "pins_elsewhere": "The buttons cannot be reached: set gpio_chip, or buttons = keys, in table.toml",
    "card": "This card: {why}",
    "unreadable": "Cannot be read: {file}: {why}",
    "damaged": "{file} is damaged, kept as {kept}",
    "no_board": "not connected",
    "board_floods": "The board sends more than a board can: unplug it",
    "foreign_hub": "Another hub is at {at}: it does not know this table",
    "moves_unread": "moves were not read: enter them",
    "not_calibrated": "not calibrated",
    "two_devices": "Two devices are {device}, this one is {code}: nobody signs until the director sets one aside",
    "set_aside": "The director has set this device aside ({code}): another one is {device}",
    "update_waits": "{version} waits until nothing is played here",
    "update_failed": "{version} did not come up here",
    "update_refused": "not taken: {why}",
}


class Trouble(Told):
    """One fault. Screen and console have their own text for each, also in English: `TEXTS` of this module."""

    TEXTS: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            **TEXTS,
            "button_held": "{side} button held",
            "button_chatters": "{side} button chatters",
            "clock_slewed": "clock slewed by {ppm} ppm",
            "slowed": "{why}",
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
            "no_board": "no board",
            "board_floods": "the board sends more than a board can",
            "foreign_hub": "another hub at {at}",
            "moves_unread": "moves were not read",
            "update_refused": "{why}",
            # the camera above the board
            **{key: FAULT_TEXTS[code] for code, key in EYE_FAULTS.items()},
            # found at the start
            "card": "{why}",
            "unreadable": "{file}: {why}",
            "damaged": "{file}: damaged, kept as {kept}: {why}",
        }
    )
