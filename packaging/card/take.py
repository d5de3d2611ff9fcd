"""The work of a card at each start: its settings become the files that network, table and hub read anyway."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flagfall.base.errors import Invalid
from flagfall.base.foreign_text import parse_toml
from flagfall.base.private_file import write_private
from flagfall.base.settings import LARGEST_BYTES
from flagfall.link.card import (
    FILE_NAME,
    HUB,
    HUB_HOST,
    RUN,
    TABLE,
    CardSettings,
    connection,
    read_card,
    write_card,
)
from hub.config import KEYS as HUB_KEYS
from table_app.config import KEYS as TABLE_KEYS
from table_app.health.machine import PROC, machine_fault
from table_app.hub_link.enrol import with_settings

# The name, beside the roles, of a card that has to ask.
SETUP = "setup"
# On the first partition; the second is what Windows makes of the first where it hides the endings of names.
NAMES = (FILE_NAME, FILE_NAME + ".txt")
# Beside the roles: why nothing that is written outlasts this start (/usr/lib/flagfall/kept).
NOT_KEPT = "not-kept"
# Beside the roles: the settings name a camera, so flagfall-eye.service runs.
EYE = "eye"
# Beside the roles: the zone for the environment of table and hub (`EnvironmentFile` of their units).
TIME_ZONE = "time-zone"
# Where a hub's card listens for its nginx (systemd/flagfall-web.service).
WEB_SOCKET = "/run/flagfall-hub/web.sock"
# A code that has still to be claimed, with the hub's address; and, among what is kept, the one that was.
CODE_NAME, CLAIMED_NAME = "code", "claimed"


@dataclass(frozen=True, slots=True)
class CardPlaces:
    """The places of things on a card."""

    boot: Path = Path("/boot/firmware")  # its first partition
    kept: Path = Path("/data")  # the partition that a card flashed anew keeps
    etc: Path = Path("/etc/flagfall")
    usual: Path = Path("/usr/share/flagfall")  # the programs' settings as they were shipped
    state: Path = Path("/var/lib/flagfall")
    networks: Path = Path("/etc/NetworkManager/system-connections")
    run: Path = RUN  # tells other units what this card is
    proc: Path = PROC  # tells the machine's model and memory


@dataclass(frozen=True, slots=True)
class TakenSettings:
    """The outcome of a start: the card (None: it has to ask) and the fault of a file that could not be used."""

    card: CardSettings | None
    fault: str


def take(places: CardPlaces) -> TakenSettings:
    """Put the settings where they work: those on the first partition, or, where there are none or faulty ones, those
    kept from before. Then a file named after the role (or `SETUP`) lies in `places.run`, with the fault in it.

    What cannot be written is a fault too: the card is then what it was, as far as that was kept. A machine that is too
    small is neither table nor hub, whatever the settings are. OSError if even `run` cannot be written.
    """
    card, fault = None, machine_fault(places.proc)
    files: tuple[Path, ...] = (
        () if fault else (*(places.boot / name for name in NAMES), places.kept / FILE_NAME)
    )
    for file in files:
        try:
            card = _read(file)
            if card is not None:
                _put_settings(card, places)
        except Invalid as wrong:
            card, fault = None, fault or f"{file.name}: {wrong}"
        except OSError as failure:
            fault = fault or f"{failure.filename or file}: {failure.strerror}"
        if card is not None:
            break
    places.run.mkdir(parents=True, exist_ok=True, mode=0o755)
    with suppress(FileNotFoundError):
        fault = fault or (places.run / NOT_KEPT).read_text("utf-8").strip()
    _put_line(places.run / (card.role if card else SETUP), fault)
    if card and card.role == TABLE and card.program.get("eye"):
        _put_line(places.run / EYE, "")
    _put_line(places.run / "host-name", card.host_name if card else "flagfall-card")
    zone = card.time_zone if card else ""
    _put_line(places.run / TIME_ZONE, f"TZ={zone}" if zone else "")
    _put_line(places.run / "country", card.wifi_country if card else "")
    return TakenSettings(card, fault)


def _put_line(file: Path, line: str) -> None:
    """Write one line, or none, readable by every user whatever this program's umask is."""
    file.write_text(line + "\n" if line else "", "utf-8")
    file.chmod(0o644)


def _read(file: Path) -> CardSettings | None:
    """Return the settings in a file, None if there is no such file."""
    with suppress(FileNotFoundError), file.open("rb") as opened:
        return read_card(opened.read(LARGEST_BYTES + 1))
    return None


def _put_settings(card: CardSettings, places: CardPlaces) -> None:
    settings, file = _program_settings(card), places.etc / f"{card.role}.toml"
    usual = parse_toml((places.usual / file.name).read_text("utf-8"), LARGEST_BYTES)
    gone = _settings_before(card.role, places).keys() - settings.keys()
    settings |= {key: usual[key] for key in gone & usual.keys()}
    before = file.read_text("utf-8") if file.exists() else ""
    text = with_settings(before, settings, gone)
    owner = places.state.stat()
    if card.role == HUB:
        known = places.state / "devices.json"
        for place, content in ((known, card.devices), (places.state / "setup-code.given", card.setup_code)):
            # What the hub has learned of its devices since stays.
            if content and not (place is known and place.exists()):
                _write(place, content, owner=(owner.st_uid, owner.st_gid))
    elif card.code and not _claimed(card, places):
        write_private(places.run / CODE_NAME, f"{card.code} http://{card.hub or HUB_HOST}:8000\n".encode())
    _write(file, text, mode=0o640, owner=(places.etc.stat().st_uid, owner.st_gid))
    network = places.networks / "flagfall.nmconnection"
    profile = connection(card)
    if profile:
        _write(network, profile)
    else:
        network.unlink(missing_ok=True)
    _write(places.kept / FILE_NAME, write_card(card).decode())


def _settings_before(role: str, places: CardPlaces) -> dict[str, Any]:
    """Return the settings that the last start gave such a program. A key that has been taken out again is forgotten."""
    try:
        before = _read(places.kept / FILE_NAME)
        return _program_settings(before) if before is not None and before.role == role else {}
    except (OSError, Invalid):
        return {}


def _write(file: Path, content: str, mode: int = 0o600, owner: tuple[int, int] | None = None) -> None:
    """Write the file only if its content changes, so that a full or worn card starts all the same."""
    if not file.exists() or file.read_bytes() != content.encode():
        write_private(file, content.encode())
    file.chmod(mode)
    if owner is not None:
        os.chown(file, *owner)


def _program_settings(card: CardSettings) -> dict[str, Any]:
    """Return the keys of table.toml or hub.toml that follow from the card; Invalid for one that does not fit."""
    settings: dict[str, Any] = dict(card.program)
    if card.role == HUB:
        # Whoever is in its network is meant to reach it: its pages through nginx.
        settings = {"broker_host": "0.0.0.0", "web_host": "0.0.0.0", "web_socket": WEB_SOCKET} | settings
    else:
        settings |= {key: pin for key in ("judge_pin", "director_pin") if (pin := getattr(card, key))}
        if card.hub:
            settings["broker_host"] = card.hub
    keys = HUB_KEYS if card.role == HUB else TABLE_KEYS
    for key, value in settings.items():
        if key not in keys:
            raise Invalid(f"[{card.role}] {key}", f"one of {', '.join(keys)}", unknown="key")
        keys[key].read_at(f"[{card.role}] {key}", value)
    return settings


def _claimed(card: CardSettings, places: CardPlaces) -> bool:
    try:
        return (places.kept / CLAIMED_NAME).read_text("utf-8").split()[:1] == [card.code]
    except OSError:
        return False


def settle(places: CardPlaces, answered: Path) -> None:
    """Put the answers of the set-up screen (`answered`) onto the first partition, a faulty file there aside,
    and among the kept files, where they hold even if that partition cannot be written.

    Invalid if it is no card's settings. OSError: it could be written nowhere, and the screen will tell that."""
    with answered.open("rb") as opened:
        content = opened.read(LARGEST_BYTES + 1)
    read_card(content)
    file = places.boot / FILE_NAME
    try:
        if file.exists():
            shutil.copyfile(file, file.with_suffix(".before"))
        write_private(file, content)  # on FAT the mode says nothing: the mount does
    except OSError as failure:
        _put_line(places.run / SETUP, f"{file}: {failure.strerror}")
        write_private(places.kept / FILE_NAME, content)


def as_json(outcome: TakenSettings) -> str:
    """Return the card for people, as one JSON object without secrets."""
    card = outcome.card
    fields: Mapping[str, Any] = {
        "role": card.role if card else SETUP,
        "seat": card.seat if card else None,
        "network": card.network if card else None,
        "fault": outcome.fault or None,
    }
    return json.dumps(fields)
