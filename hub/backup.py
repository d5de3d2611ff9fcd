"""One file with everything that another laptop needs to be this hub: ledger, devices and their keys, token, venue.

A tar file with mode 0600, made while the hub runs. `manifest.json` names each file's SHA-256.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hub.config import Config
from hub.registry import Registry, RegistryError
from ledger.copying import copy
from ledger.opening import open_ledger
from link.private_file import write_private

FORMAT = "flagfall-backup/1"
LEDGER = "ledger.sqlite"
DEVICES = "devices.json"
TOKEN = "api-token"
ACCOUNTS = "accounts.json"
VENUE = "venue/"
LARGEST_BYTES = 4 << 30
SEQ_JUMP = 10_000
"""Assignments made after the backup was taken are overtaken by those of the restored hub."""


class BackupError(ValueError):
    """The backup cannot be made or used; one line that names the file and what was expected."""


def backup(config: Config, target: Path, label: str) -> Path:
    """Writes the backup to `target`, or under a name with `label` into the folder `target`; returns the file."""
    file = target / f"flagfall-{label}.tar" if target.is_dir() else target
    if file.exists():
        raise BackupError(f"{file}: expected a new file, there is one of that name")
    try:
        with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
            ledger = Path(folder) / LEDGER
            _copy_ledger(config, ledger)
            members = {LEDGER: ledger} | _present(_places(config))
            if config.venue is not None:
                inside = (path for path in sorted(config.venue.rglob("*")) if path.is_file())
                members |= {f"{VENUE}{path.relative_to(config.venue).as_posix()}": path for path in inside}
            _write(file, {name: path.read_bytes() for name, path in members.items()})
    except OSError as failure:
        raise BackupError(f"{file}: cannot be written: {failure.strerror or failure}") from None
    return file


def restore(config: Config, file: Path) -> int:
    """Puts a backup where `config` says; returns the number of ledger entries. Only where there is no hub yet.

    A ledger that lies in a Redis server may be there already: it gets what it lacks.
    """
    contents = _read(file)
    for taken in (config.state_dir / DEVICES, config.state_dir / LEDGER, config.api_token):
        if taken.exists():
            raise BackupError(f"{taken}: expected an empty state directory, there is a hub already")
    venue = config.venue or config.state_dir / "venue"
    if any(name.startswith(VENUE) for name in contents) and venue.is_dir() and any(venue.iterdir()):
        raise BackupError(f"{venue}: expected no venue yet, there is one")
    try:
        config.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        entries = _restore_ledger(config, contents.pop(LEDGER))
        for name, content in contents.items():
            below_venue = name.startswith(VENUE)
            place = venue / name.removeprefix(VENUE) if below_venue else _places(config)[name]
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(place, content)
        registry = Registry(config.state_dir / DEVICES)
        registry.reserve_seq(above=registry.reserve_seq() + SEQ_JUMP)
    except OSError as failure:
        raise BackupError(f"{config.state_dir}: cannot be written: {failure.strerror or failure}") from None
    except RegistryError as fault:
        raise BackupError(f"{file}: {fault}") from None
    return entries


def _copy_ledger(config: Config, place: Path) -> None:
    if not (isinstance(config.ledger, str) or config.ledger.exists()):
        raise BackupError(f"{config.ledger}: expected a ledger, there is none")
    source = open_ledger(config.ledger, read_only=True)
    try:
        target = open_ledger(place)
        try:
            copy(source, target)
        finally:
            target.close()
    finally:
        source.close()


def _restore_ledger(config: Config, content: bytes) -> int:
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        place = Path(folder) / LEDGER
        place.write_bytes(content)
        source = open_ledger(place, read_only=True)
        try:
            target = open_ledger(config.ledger)
            try:
                copy(source, target)
            finally:
                target.close()
            return sum(1 for tournament in source.tournaments() for _ in source.read(tournament))
        finally:
            source.close()


def _places(config: Config) -> dict[str, Path]:
    """Where the hub keeps what a backup holds besides the ledger."""
    own = {name: config.state_dir / name for name in (DEVICES, ACCOUNTS)}
    return {**own, TOKEN: config.api_token}


def _present(files: Mapping[str, Path]) -> dict[str, Path]:
    return {name: path for name, path in files.items() if path.exists()}


def _write(file: Path, contents: Mapping[str, bytes]) -> None:
    manifest = {
        "format": FORMAT,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
    }
    new = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            with tarfile.open(fileobj=opened, mode="w") as archive:
                for name, content in {"manifest.json": json.dumps(manifest).encode(), **contents}.items():
                    member = tarfile.TarInfo(name)
                    member.size, member.mode = len(content), 0o600
                    archive.addfile(member, io.BytesIO(content))
            opened.flush()
            os.fsync(opened.fileno())
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _read(file: Path) -> dict[str, bytes]:
    """The files of a backup by name, each as its manifest says."""
    try:
        if file.stat().st_size > LARGEST_BYTES:
            raise BackupError(f"{file}: expected a backup of {LARGEST_BYTES >> 30} GB at most")
        with tarfile.open(file, mode="r:") as archive:
            found = {
                member.name: opened.read()
                for member in archive
                if member.isfile() and (opened := archive.extractfile(member)) is not None
            }
        manifest = json.loads(found.pop("manifest.json"))
        promised = manifest["files"] if manifest["format"] == FORMAT else None
    except OSError as failure:
        raise BackupError(f"{file}: cannot be read: {failure.strerror or failure}") from None
    except (tarfile.TarError, ValueError, KeyError, TypeError, RecursionError) as bad:
        if isinstance(bad, BackupError):
            raise
        raise BackupError(f"{file}: expected a backup made by flagfall-hub backup") from None
    if promised != {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}:
        raise BackupError(f"{file}: damaged: its files are not those of its manifest")
    for name in found:
        if name not in (LEDGER, DEVICES, ACCOUNTS, TOKEN) and not _is_below_venue(name):
            raise BackupError(f"{file}: {name[:80]!r}: expected a file of a hub")
    if LEDGER not in found:
        raise BackupError(f"{file}: {LEDGER}: expected in the backup, got none")
    return found


def _is_below_venue(name: str) -> bool:
    parts = name.split("/")
    return name.startswith(VENUE) and all(part not in ("", ".", "..") for part in parts)
