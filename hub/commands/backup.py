"""A backup: one file with everything that another machine needs to become this hub: ledger, devices and their keys,
token, venue.

A tar file with mode 0600, made while the hub runs. `manifest.json` has each file's SHA-256 and the heads of the record:
a later record contains these heads, an earlier one does not.
"""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hub.config import ACCOUNTS, DEVICES, Config
from hub.record.codec import draft
from hub.record.events import RecordGap
from hub.record.heads import HEADS, KEY, Gap, Head, RecordError, SignedHeads, missing
from hub.tables.devices import Devices, DevicesError
from ledger.entry import chain
from ledger.opening import open_ledger
from ledger.sqlite import write_lock
from ledger.store import Ledger, copy
from link.command_line import CommandError
from link.private_file import replacing, write_private

FORMAT = "flagfall-backup/1"
LEDGER = "ledger.sqlite"
TOKEN = "api-token"
OWN = (DEVICES, ACCOUNTS, HEADS, KEY)
"""Files that lie in the state directory under the same name."""
VENUE = "venue/"
LARGEST_BYTES = 4 << 30
SEQ_JUMP = 10_000
"""The restored hub numbers its assignments so much higher, to be above those made after the backup."""


@dataclass(frozen=True, slots=True)
class Restored:
    """`entries` in the present ledger; `gaps`: remembered heads that the record lacks."""

    entries: int
    gaps: tuple[Gap, ...]


def backup(config: Config, target: Path, label: str) -> tuple[Path, dict[str, Head]]:
    """Writes the backup to `target`, or under a name with `label` into the folder `target`.

    Returns the file and the heads of the record in it.
    """
    file = target / f"flagfall-{label}.tar" if target.is_dir() else target
    if not file.suffix:  # a folder's name with a slip in it, or a stick that is not there
        raise CommandError(f"{file}: expected a folder that is there, or a new file's name that ends in .tar")
    if file.exists():
        raise CommandError(f"{file}: expected a new file, there is one of that name")
    try:
        with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
            ledger = Path(folder) / LEDGER
            heads = _copy_ledger(config, ledger)
            own = {name: path for name, path in _places(config).items() if path.exists()}
            members = {LEDGER: ledger} | own
            if config.venue is not None:
                inside = (path for path in sorted(config.venue.rglob("*")) if path.is_file())
                members |= {f"{VENUE}{path.relative_to(config.venue).as_posix()}": path for path in inside}
            _write(file, {name: path.read_bytes() for name, path in members.items()}, heads)
    except OSError as failure:
        raise CommandError(f"{file}: cannot be written: {failure.strerror or failure}") from None
    return file, heads


def restore(config: Config, file: Path, aside: str | None = None) -> Restored:
    """Restores a backup into the places of `config`.

    Only where there is no hub yet, unless `aside` names a folder (in the state directory) into which the present hub's
    files are moved first; heads that this hub remembered and the backup lacks are recorded as gaps. A ledger in a Redis
    server may exist already: it gets the missing entries.
    """
    contents = read_backup(file)
    venue = config.venue or config.state_dir / "venue"
    has_venue = any(name.startswith(VENUE) for name in contents)
    remembered = _put_aside(config, aside, venue if has_venue else None) if aside is not None else {}
    for taken in (config.state_dir / DEVICES, config.state_dir / LEDGER, config.api_token):
        if taken.exists():
            raise CommandError(f"{taken}: expected an empty state directory, there is a hub already")
    if has_venue and venue.is_dir() and any(venue.iterdir()):
        raise CommandError(f"{venue}: expected no venue yet, there is one")
    try:
        config.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        entries = _restore_ledger(config, contents.pop(LEDGER))
        for name, content in contents.items():
            below_venue = name.startswith(VENUE)
            place = venue / name.removeprefix(VENUE) if below_venue else _places(config)[name]
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(place, content)
        devices = Devices(config.state_dir / DEVICES)
        devices.reserve_seq(above=devices.reserve_seq() + SEQ_JUMP)
    except OSError as failure:
        raise CommandError(f"{config.state_dir}: cannot be written: {failure.strerror or failure}") from None
    except DevicesError as fault:
        raise CommandError(f"{file}: {fault}") from None
    return Restored(entries, _record_gaps(config, remembered, "restored"))


def accept(config: Config) -> Restored:
    """Accepts the present record, even if it is shorter than remembered; the known gaps are recorded.

    CommandError if another hub writes to the ledger, or its chain is broken.
    """
    remembered = _remembered(config)
    try:
        for name in (HEADS, KEY):
            (config.state_dir / name).unlink(missing_ok=True)
        gaps = _record_gaps(config, remembered, "as_it_is")
        with closing(open_ledger(config.ledger)) as ledger:
            heads = heads_of(ledger)
            SignedHeads(config.state_dir).remember(heads)
    except OSError as failure:
        raise CommandError(f"{config.state_dir}: cannot be written: {failure.strerror or failure}") from None
    return Restored(sum(head.entries for head in heads.values()), gaps)


def heads_of(ledger: Ledger) -> dict[str, Head]:
    """The head of each tournament's chain. LedgerError if a chain cannot be read."""
    found = {}
    for tournament in ledger.tournaments():
        if head := ledger.head(tournament):
            found[tournament] = Head(sum(1 for _ in ledger.read(tournament)), head)
    return found


def _remembered(config: Config) -> Mapping[str, Head]:
    """Nothing where it is not trusted or readable: the gap has no more details then."""
    try:
        return SignedHeads(config.state_dir).remembered
    except RecordError:
        return {}


def _put_aside(config: Config, folder: str, venue: Path | None) -> Mapping[str, Head]:
    """Moves the present hub's files; returns the heads that it remembered."""
    remembered = _remembered(config)
    place = config.state_dir / folder
    taken = [config.state_dir / name for name in OWN]
    if not isinstance(config.ledger, str):
        write_lock(config.ledger).close()  # LedgerError while a hub runs
        taken += config.ledger.parent.glob(f"{config.ledger.name}*")
    try:
        place.mkdir(mode=0o700)
        if venue is not None and venue.is_dir():
            shutil.move(venue, place / "venue")
        for file in (*taken, config.api_token):
            if file.exists():
                file.rename(place / file.name)
    except OSError as failure:
        raise CommandError(f"{place}: cannot be written: {failure.strerror or failure}") from None
    return remembered


def _record_gaps(config: Config, remembered: Mapping[str, Head], why: str) -> tuple[Gap, ...]:
    """Records in each tournament's chain which remembered entries it lacks; returns them."""
    with closing(open_ledger(config.ledger)) as ledger:
        chains = {
            name: {entry.hash: position for position, entry in enumerate(ledger.read(name), 1)}
            for name in ledger.tournaments()
        }
        gaps = tuple(missing(remembered, chains))
        for gap in gaps:
            if not gap.entries:
                continue  # a chain cannot begin with its gap
            head = ledger.head(gap.tournament)
            what = RecordGap(known_entries=gap.remembered.entries, known_head=gap.remembered.head, why=why)
            label = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
            entry = draft(what, f"gap.{gap.remembered.head}", gap.tournament, "flagfall-hub restore", label)
            ledger.append(chain([entry], head), head)
    return gaps


def _copy_ledger(config: Config, place: Path) -> dict[str, Head]:
    if not (isinstance(config.ledger, str) or config.ledger.exists()):
        raise CommandError(f"{config.ledger}: expected a ledger, there is none")
    with closing(open_ledger(config.ledger, read_only=True)) as source, closing(open_ledger(place)) as target:
        copy(source, target)
        return heads_of(target)


def _restore_ledger(config: Config, content: bytes) -> int:
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        place = Path(folder) / LEDGER
        place.write_bytes(content)
        with closing(open_ledger(place, read_only=True)) as source:
            with closing(open_ledger(config.ledger)) as target:
                copy(source, target)
            return sum(1 for tournament in source.tournaments() for _ in source.read(tournament))


def _places(config: Config) -> dict[str, Path]:
    """The files of the hub that a backup holds besides the ledger."""
    own = {name: config.state_dir / name for name in OWN}
    return {**own, TOKEN: config.api_token}


def _write(file: Path, contents: Mapping[str, bytes], heads: Mapping[str, Head]) -> None:
    manifest = {
        "format": FORMAT,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
        "heads": {name: msgspec.to_builtins(head) for name, head in heads.items()},
    }
    with replacing(file) as opened, tarfile.open(fileobj=opened, mode="w") as archive:
        for name, content in {"manifest.json": json.dumps(manifest).encode(), **contents}.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o600
            archive.addfile(member, io.BytesIO(content))


def read_backup(file: Path) -> dict[str, bytes]:
    """The files of a backup by name, checked against its manifest."""
    try:
        if file.stat().st_size > LARGEST_BYTES:
            raise CommandError(f"{file}: expected a backup of {LARGEST_BYTES >> 30} GB at most")
        with tarfile.open(file, mode="r:") as archive:
            found = {
                member.name: opened.read()
                for member in archive
                # A file with gaps in it claims any size: a backup has none.
                if member.isreg() and not member.issparse() and (opened := archive.extractfile(member))
            }
        manifest = json.loads(found.pop("manifest.json"))
        promised = manifest["files"] if manifest["format"] == FORMAT else None
    except OSError as failure:
        raise CommandError(f"{file}: cannot be read: {failure.strerror or failure}") from None
    except (tarfile.TarError, ValueError, KeyError, TypeError, RecursionError):
        raise CommandError(f"{file}: expected a backup made by flagfall-hub backup") from None
    if promised != {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}:
        raise CommandError(f"{file}: damaged: its files are not those of its manifest")
    for name in found:
        if name not in (LEDGER, TOKEN, *OWN) and not _is_below_venue(name):
            raise CommandError(f"{file}: {name[:80]!r}: expected a file of a hub")
    if LEDGER not in found:
        raise CommandError(f"{file}: {LEDGER}: expected in the backup, got none")
    return found


def _is_below_venue(name: str) -> bool:
    parts = name.split("/")
    return name.startswith(VENUE) and all(part not in ("", ".", "..") for part in parts)
