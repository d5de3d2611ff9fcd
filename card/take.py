"""What a card does with its settings at each start: they become the files that network, table and hub read anyway."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from link.card import (
    FILE_NAME,
    HUB,
    HUB_HOST,
    LARGEST_BYTES,
    CardError,
    CardSettings,
    connection,
    read_card,
    write_card,
)
from link.enrolment import EnrolmentError
from link.identity import IdentityError, load
from link.private_file import write_private
from table_app.config import KEYS
from table_app.hub_link.enrol import install, with_settings

SETUP = "setup"
"""The name, beside the roles, of a card that has to ask."""
CODE_NAME, CLAIMED_NAME = "code", "claimed"
"""A code that has still to be claimed, with the hub's address; and, among what is kept, the one that was."""


@dataclass(frozen=True, slots=True)
class CardPlaces:
    """Where things lie on a card: its first partition (`boot`), the partition that a card flashed anew keeps
    (`kept`), and what of the system is written. `run` tells other units what this card is."""

    boot: Path = Path("/boot/firmware")
    kept: Path = Path("/data")
    etc: Path = Path("/etc/flagfall")
    state: Path = Path("/var/lib/flagfall")
    networks: Path = Path("/etc/NetworkManager/system-connections")
    run: Path = Path("/run/flagfall-card")


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of it: the card (None: it has to ask) and the fault of a file that could not be used."""

    card: CardSettings | None
    fault: str


def find(places: CardPlaces) -> Taken:
    """The settings on the first partition; where there are none, or faulty ones, those kept from before."""
    fault = ""
    for folder in (places.boot, places.kept):
        file = folder / FILE_NAME
        try:
            with file.open("rb") as opened:
                return Taken(read_card(opened.read(LARGEST_BYTES + 1)), fault)
        except FileNotFoundError:
            continue
        except CardError as wrong:
            fault = fault or f"{FILE_NAME}: {wrong}"
        except OSError as failure:
            fault = fault or f"{FILE_NAME}: cannot be read: {failure.strerror}"
    return Taken(None, fault)


def take(places: CardPlaces) -> Taken:
    """Puts the settings where they work, and a file named after the role (or `SETUP`) into `places.run`, with the
    fault in it. CardError where a device's package or a program's key does not fit; OSError."""
    found = find(places)
    places.run.mkdir(parents=True, exist_ok=True, mode=0o755)
    card = found.card
    if card is not None:
        try:
            _put(card, places)
        except (CardError, EnrolmentError, IdentityError) as wrong:
            found = Taken(None, f"{FILE_NAME}: {wrong}")
        else:
            write_private(places.kept / FILE_NAME, write_card(card))
    role = found.card.role if found.card is not None else SETUP
    (places.run / role).write_text(found.fault + "\n" if found.fault else "", "utf-8")
    (places.run / "host-name").write_text(
        (found.card.host_name if found.card else "flagfall-card") + "\n", "utf-8"
    )
    (places.run / "country").write_text(found.card.wifi_country if found.card else "", "utf-8")
    return found


def _put(card: CardSettings, places: CardPlaces) -> None:
    settings, file = _program_settings(card), places.etc / f"{card.role}.toml"
    before = file.read_text("utf-8") if file.exists() else ""
    text = with_settings(before, settings)
    owner = places.state.stat()
    if card.role == HUB:
        _private(places.state / "devices.json", card.devices, owner, only_new=True)
        _private(places.state / "setup-code.given", card.setup_code, owner)
    elif card.package is not None:
        if not _is(card, places):
            install(card.package, places.state, file, places.networks)
            text = with_settings(file.read_text("utf-8"), settings)
    elif card.code and not _claimed(card, places):
        write_private(places.run / CODE_NAME, f"{card.code} http://{card.hub or HUB_HOST}:8000\n".encode())
    write_private(file, text.encode())
    file.chmod(0o640)
    os.chown(file, -1, owner.st_gid)
    network = places.networks / "flagfall.nmconnection"
    told = connection(card)
    if told:
        write_private(network, told.encode())
    else:
        network.unlink(missing_ok=True)


def _program_settings(card: CardSettings) -> dict[str, Any]:
    """The keys of table.toml or hub.toml that follow from the card; CardError for one that does not fit."""
    settings: dict[str, Any] = dict(card.program)
    if card.role == HUB:
        # Whoever is in its network is meant to reach it.
        return {"broker_host": "0.0.0.0", "web_host": "0.0.0.0"} | settings
    for key in ("judge_pin", "director_pin"):
        if pin := getattr(card, key):
            settings[key] = pin
    if card.hub:
        settings["broker_host"] = card.hub
    for key, value in settings.items():
        if key not in KEYS:
            raise CardError(f"[table] {key}: unknown key, expected one of {', '.join(KEYS)}")
        try:
            KEYS[key].read(value)
        except (ValueError, TypeError, KeyError):
            raise CardError(f"{key}: expected {KEYS[key].expected}") from None
    return settings


def _is(card: CardSettings, places: CardPlaces) -> bool:
    """Whether this device is already the one in the card's package."""
    file = places.state / "identity"
    return card.package is not None and file.exists() and load(file) == card.package.identity


def _claimed(card: CardSettings, places: CardPlaces) -> bool:
    try:
        return (places.kept / CLAIMED_NAME).read_text("utf-8").split()[:1] == [card.code]
    except OSError:
        return False


def _private(file: Path, content: str, owner: os.stat_result, only_new: bool = False) -> None:
    if not content:
        return
    if not (only_new and file.exists()):
        write_private(file, content.encode())
        os.chown(file, owner.st_uid, owner.st_gid)


def settle(places: CardPlaces, answered: Path) -> None:
    """Puts what the set-up screen was told (`answered`) onto the first partition, a faulty file there aside.

    CardError if it is no card's settings; OSError."""
    with answered.open("rb") as opened:
        content = opened.read(LARGEST_BYTES + 1)
    read_card(content)
    file = places.boot / FILE_NAME
    if file.exists():
        shutil.copyfile(file, file.with_suffix(".before"))
    write_private(file, content, mode=0o644)  # on FAT the mode says nothing: the mount does


def as_json(found: Taken) -> str:
    """For people who look what the card takes itself for; nothing secret."""
    card = found.card
    told: Mapping[str, Any] = {
        "role": card.role if card else SETUP,
        "seat": card.seat if card else None,
        "network": card.network if card else None,
        "fault": found.fault or None,
    }
    return json.dumps(told)
