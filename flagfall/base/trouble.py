"""The faults of a table's device, each by its key with its English text."""

from __future__ import annotations

from collections.abc import Mapping

from flagfall.base.message import Message, Value

TROUBLES: Mapping[str, str] = {
    "eye_no_board": "The camera does not see the board",
    "eye_lost": "The camera gives no picture",
    "eye_dark": "Too dark for the camera",
    "eye_blurred": "The camera's picture is out of focus",
    "eye_covered": "Something covers the camera",
    "button_held": "{side} button held down",
    "button_chatters": "{side} button: loose contact",
    "clock_slewed": "Clock rate changed by {ppm} ppm by time synchronisation",
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
    "pins_fail": "The buttons do not work: {why}",
    "pins_closed": "The buttons do not work, {file} cannot be opened: install the package flagfall-table again",
    "pins_elsewhere": (
        "The buttons do not work: expected {wanted}, found {found}: "
        "set gpio_chip, or buttons = keys, in table.toml"
    ),
    "card": "This card: {why}",
    "unreadable": "Cannot be read: {file}: {why}",
    "damaged": "{file} is damaged, kept as {kept}: {why}",
    "no_board": "not connected",
    "board_floods": "The board sends more than a board can: unplug it",
    "foreign_hub": "Another hub is at {at}: it does not know this table",
    "moves_unread": "moves were not read: enter them",
    "not_calibrated": "not calibrated",
    "two_devices": "Two devices are {device}; this one is {code}. Do not sign: call the director",
    "set_aside": "The director has set this device aside ({code}): another one is {device}",
    "update_waits": "{version} waits until nothing is played here",
    "update_failed": "{version} did not come up here",
    "update_refused": "not taken: {why}",
}


def trouble(key: str, /, **values: Value) -> Message:
    """Return one fault."""
    return Message.keyed(TROUBLES, key, values)
