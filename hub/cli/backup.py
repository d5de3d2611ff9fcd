"""A backup: one file with everything that another machine needs to become this hub: ledger, devices and their keys,
token, venue. The newest of several backups is the one whose record contains the records of all others.

A tar file with mode 0600, made while the hub runs; sealed to a director's phrase or key where it goes onto a stick of a
hub's card (`hub.desk.backup_seal`). `manifest.json` has each file's SHA-256, the heads of the record (a
later record contains these heads, an earlier one does not), and the same heads as signed checkpoints.
"""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from flagfall.base.command_line import CommandError
from flagfall.base.errors import Failed, Invalid
from flagfall.base.foreign_file import open_foreign, read_up_to
from flagfall.base.private_file import sync_folder, write_private
from flagfall.ledger.entry import chain
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.sqlite import write_lock
from flagfall.ledger.store import Ledger, LedgerError, copy
from hub.config import ACCOUNTS, DEVICES, SCRIBES, Config
from hub.desk.accounts import Accounts
from hub.desk.backup_seal import ENDING as SEALED
from hub.desk.backup_seal import open_backup, seal_backup
from hub.proof.cosigned import FILE_NAME as COSIGNED
from hub.proof.hub_key import FILE_NAME as HUB_KEY
from hub.proof.hub_key import hub_key, tree_of
from hub.record.codec import draft
from hub.record.events import RecordGap
from hub.record.heads import HEADS, KEY, Gap, Head, SignedHeads, missing, replace_heads
from hub.record.switch import Move, switch
from hub.tables.devices import Devices

FORMAT = "flagfall-backup/1"
ENDING = ".tar"
LEDGER = "ledger.sqlite"
TOKEN = "api-token"
# Files that lie in the state directory under the same name.
OWN = (DEVICES, ACCOUNTS, HEADS, KEY, HUB_KEY, COSIGNED, SCRIBES)
VENUE = "venue/"
LARGEST_BYTES = 4 << 30
# The restored hub numbers its assignments so much higher, to be above those made after the backup.
SEQ_JUMP = 10_000


@dataclass(frozen=True, slots=True)
class Restored:
    """The outcome of a restoration."""

    entries: int  # the number of entries in the present ledger
    gaps: tuple[Gap, ...]  # remembered heads that the record lacks


def backup(config: Config, target: Path, label: str, seal: str | None = None) -> tuple[Path, dict[str, Head]]:
    """Write the backup to `target`, or under a name with `label` into the folder `target`; with `seal` as an age file
    that this phrase or key opens.

    Return the file and the heads of the record in it.
    """
    name = f"flagfall-{label}{ENDING}{SEALED if seal else ''}"
    file = target / name if target.is_dir() else target
    if not file.suffix:  # a folder's name with a slip in it, or a stick that is not there
        raise CommandError(f"{file}: expected a folder that is there, or a new file's name that ends in .tar")
    if file.exists():
        raise CommandError(f"{file}: expected a new file, there is one of that name")
    try:
        with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
            ledger = Path(folder) / LEDGER
            key = hub_key(config.state_dir)
            # First the heads: the ledger that is copied after them contains them.
            files = {name: path.read_bytes() for name, path in _places(config).items() if path.exists()}
            heads = _copy_ledger(config, ledger)
            if config.venue is not None:
                inside = (path for path in sorted(config.venue.rglob("*")) if path.is_file())
                files |= {
                    f"{VENUE}{path.relative_to(config.venue).as_posix()}": path.read_bytes()
                    for path in inside
                }
            with closing(open_ledger(ledger, read_only=True)) as copied:
                checkpoints = {event: key.checkpoint(event, tree_of(copied, event)) for event in heads}
            content = _archive({LEDGER: ledger.read_bytes(), **files}, heads, checkpoints)
            write_private(file, seal_backup(content, seal) if seal else content)
    except OSError as failure:
        raise CommandError(f"{file}: cannot be written: {failure.strerror or failure}") from None
    return file, heads


def restore(config: Config, file: Path, aside: str | None = None, opener: str | None = None) -> Restored:
    """Restore a backup into the places of `config`; `opener` is the phrase or key of a sealed one.

    Only where there is no hub yet, unless `aside` names a folder (in the state directory) into which the present hub's
    files are moved; heads that this hub remembered and the backup lacks are recorded as gaps. Everything is checked and
    prepared beside its place first; then one step makes it the hub (`hub.record.switch`). A ledger in a Redis server
    may exist already: it gets the missing entries.
    """
    contents = read_backup(file, opener)
    venue = config.venue or config.state_dir / "venue"
    has_venue = any(name.startswith(VENUE) for name in contents)
    if aside is None:
        for taken in (config.state_dir / DEVICES, config.state_dir / LEDGER, config.api_token):
            if taken.exists():
                raise CommandError(f"{taken}: expected an empty state directory, there is a hub already")
        if has_venue and venue.is_dir() and any(venue.iterdir()):
            raise CommandError(f"{venue}: expected no venue yet, there is one")
    try:
        config.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _locked(config):  # LedgerError while a hub runs
            return _restore(config, file, contents, venue if has_venue else None, aside)
    except OSError as failure:
        raise CommandError(f"{config.state_dir}: cannot be written: {failure.strerror or failure}") from None


def _restore(
    config: Config, file: Path, contents: dict[str, bytes], venue: Path | None, aside: str | None
) -> Restored:
    remembered = _remembered(config) if aside is not None else {}
    places = _places(config)
    if HUB_KEY not in contents:
        del places[HUB_KEY]  # a backup of 0.2.0: the tables know the present one
    for later in {COSIGNED, SCRIBES} - contents.keys():
        del places[later]  # without witnesses or scribes, or before 0.4.0: the present ones stay
    safeguard = config.state_dir / ".heads.restored"
    prepared = {name: _prepared(place) for name, place in places.items() if name in contents}
    prepared |= {name: safeguard / name for name in (HEADS, KEY)}
    for name, place in prepared.items():
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.unlink(missing_ok=True)  # of a restoring that was interrupted
        if name in contents:
            write_private(place, contents[name])
    signed = _check_prepared(file, prepared)
    remembered = {
        **remembered,
        # Of a backup of 0.2.0 the heads may be some seconds newer than its ledger.
        **{
            name: head
            for name, head in signed.remembered.items()
            if name not in remembered or head.entries > remembered[name].entries
        },
    }
    if venue is not None:
        _prepare_venue(_prepared(venue), contents)
        places["venue"], prepared["venue"] = venue, _prepared(venue)
    if isinstance(config.ledger, str):
        entries, gaps, heads = _restore_ledger(config.ledger, contents[LEDGER], remembered)
    else:
        places[LEDGER], prepared[LEDGER] = config.ledger, _prepared(config.ledger)
        for left in config.ledger.parent.glob(f"{prepared[LEDGER].name}*"):
            left.unlink()  # of a restoring that was interrupted
        entries, gaps, heads = _restore_ledger(prepared[LEDGER], contents[LEDGER], remembered)
        _prepared_lock(config.ledger).unlink(missing_ok=True)
        sync_folder(config.ledger.parent)
        for ending in ("-wal", "-shm"):  # of the ledger that goes
            places[LEDGER + ending] = config.ledger.with_name(config.ledger.name + ending)
    signed.remember(heads)
    moves = [
        Move(
            str(place.absolute()),
            str(prepared[name].absolute()) if name in prepared else None,
            str(_place_aside(config, aside, place).absolute()) if aside is not None else None,
        )
        # The safeguard goes last.
        for name, place in sorted(places.items(), key=lambda item: item[0] in (HEADS, KEY))
    ]
    switch(config.state_dir, moves)
    safeguard.rmdir()
    return Restored(entries, gaps)


def _place_aside(config: Config, aside: str, place: Path) -> Path:
    """Return the place in `aside`, or beside the file where that is another disk: it is renamed, not copied."""
    if place.exists() and place.stat().st_dev != config.state_dir.stat().st_dev:
        return place.with_name(f"{place.name}.{aside}")
    return config.state_dir / aside / place.name


def _prepared(place: Path) -> Path:
    return place.with_name(f".{place.name}.restored")


def _prepared_lock(ledger: Path) -> Path:
    return _prepared(ledger).with_name(f"{_prepared(ledger).name}.lock")


def _locked(config: Config) -> AbstractContextManager[object]:
    return nullcontext() if isinstance(config.ledger, str) else closing(write_lock(config.ledger))


def _check_prepared(file: Path, prepared: Mapping[str, Path]) -> SignedHeads:
    """Return the safeguard among these files; CommandError unless a hub could start with them."""
    try:
        if DEVICES in prepared:
            devices = Devices(prepared[DEVICES])
            devices.reserve_seq(above=devices.reserve_seq() + SEQ_JUMP)
        if ACCOUNTS in prepared:
            Accounts(prepared[ACCOUNTS])
    except (Invalid, Failed) as fault:
        raise CommandError(f"{file}: {fault}") from None
    try:
        return SignedHeads(prepared[HEADS].parent)
    except Failed:
        raise CommandError(f"{file}: expected heads signed with the key beside them") from None


def _prepare_venue(folder: Path, contents: Mapping[str, bytes]) -> None:
    if folder.exists():
        shutil.rmtree(folder)  # of a restoring that was interrupted
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, content in contents.items():
        if name.startswith(VENUE):
            place = folder / name.removeprefix(VENUE)
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(place, content)
    sync_folder(folder.parent)


def accept(config: Config) -> Restored:
    """Accept the present record, even if it is shorter than remembered; the known gaps are recorded.

    The remembered heads are replaced last and in one step, so that an interrupted command can be given again.
    LedgerError if a hub runs, or the chain is broken.
    """
    remembered = _remembered(config)
    with closing(open_ledger(config.ledger)) as ledger:
        heads_of(ledger)
        gaps = _record_gaps(ledger, remembered, "as_it_is")
        heads = heads_of(ledger)
        try:
            replace_heads(config.state_dir, heads)
        except OSError as failure:
            raise CommandError(
                f"{config.state_dir}: cannot be written: {failure.strerror or failure}"
            ) from None
    return Restored(sum(head.entries for head in heads.values()), gaps)


def heads_of(ledger: Ledger) -> dict[str, Head]:
    """Return the head of each tournament's chain. LedgerError if a chain cannot be read."""
    heads = {}
    for tournament in ledger.tournaments():
        if head := ledger.head(tournament):
            heads[tournament] = Head(sum(1 for _ in ledger.read(tournament)), head)
    return heads


def _remembered(config: Config) -> Mapping[str, Head]:
    """Return the remembered heads; none where they are not trusted or readable: the gap has no more details then."""
    try:
        return SignedHeads(config.state_dir).remembered
    except Failed:
        return {}


def _record_gaps(ledger: Ledger, remembered: Mapping[str, Head], why: str) -> tuple[Gap, ...]:
    """Record in each tournament's chain which remembered entries it lacks; return them."""
    chains = {
        name: {entry.hash: position for position, entry in enumerate(ledger.read(name), 1)}
        for name in ledger.tournaments()
    }
    gaps = tuple(missing(remembered, chains))
    for gap in gaps:
        if not gap.entries:
            continue  # a chain cannot begin with its gap
        head = ledger.head(gap.tournament)
        gap_entry = RecordGap(known_entries=gap.remembered.entries, known_head=gap.remembered.head, why=why)
        label = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        entry = draft(gap_entry, f"gap.{gap.remembered.head}", gap.tournament, "flagfall-hub restore", label)
        if entry.id not in ledger.find(gap.tournament, [entry.id]):  # else by a command that was interrupted
            ledger.append(chain([entry], head), head)
    return gaps


def _copy_ledger(config: Config, place: Path) -> dict[str, Head]:
    if not (isinstance(config.ledger, str) or config.ledger.exists()):
        raise CommandError(f"{config.ledger}: expected a ledger, there is none")
    with closing(open_ledger(config.ledger, read_only=True)) as source, closing(open_ledger(place)) as target:
        copy(source, target)
        return heads_of(target)


def _restore_ledger(
    place: Path | str, content: bytes, remembered: Mapping[str, Head]
) -> tuple[int, tuple[Gap, ...], dict[str, Head]]:
    """Copy the backup's ledger to `place`, with the gaps; return how many entries it had, the gaps, the new heads."""
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        backed_up = Path(folder) / LEDGER
        backed_up.write_bytes(content)
        with closing(open_ledger(backed_up, read_only=True)) as source:
            with closing(open_ledger(place)) as target:
                copy(source, target)
                gaps = _record_gaps(target, remembered, "restored")
                heads = heads_of(target)
            return sum(head.entries for head in heads_of(source).values()), gaps, heads


def _places(config: Config) -> dict[str, Path]:
    """Return the files of the hub that a backup holds besides the ledger."""
    files = {name: config.state_dir / name for name in OWN}
    return {**files, TOKEN: config.api_token}


def _archive(
    contents: Mapping[str, bytes], heads: Mapping[str, Head], checkpoints: Mapping[str, str]
) -> bytes:
    manifest = {
        "format": FORMAT,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
        "heads": {name: msgspec.to_builtins(head) for name, head in heads.items()},
        "checkpoints": checkpoints,
    }
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, part in {"manifest.json": json.dumps(manifest).encode(), **contents}.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(part), 0o600
            archive.addfile(member, io.BytesIO(part))
    return content.getvalue()


def read_backup(file: Path, opener: str | None = None) -> dict[str, bytes]:
    """Return the files of a backup by name, checked against its manifest; `opener` as in `restore`."""
    try:
        with _opened(file, opener) as plain, tarfile.open(fileobj=plain, mode="r:") as archive:
            contents = {
                member.name: opened.read()
                for member in archive
                # A file with gaps in it claims any size: a backup has none.
                if member.isreg() and not member.issparse() and (opened := archive.extractfile(member))
            }
        manifest = json.loads(contents.pop("manifest.json"))
        promised = manifest["files"] if manifest["format"] == FORMAT else None
    except OSError as failure:
        raise CommandError(f"{file}: cannot be read: {failure.strerror or failure}") from None
    except (tarfile.TarError, ValueError, KeyError, TypeError, RecursionError):
        raise CommandError(f"{file}: expected a backup made by flagfall-hub backup") from None
    except MemoryError:
        raise CommandError(f"{file}: expected a backup that this machine's memory can hold") from None
    if promised != {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}:
        raise CommandError(f"{file}: damaged: its files are not those of its manifest")
    for name in contents:
        if name not in (LEDGER, TOKEN, *OWN) and not _is_below_venue(name):
            raise CommandError(f"{file}: {name[:80]!r}: expected a file of a hub")
    if LEDGER not in contents:
        raise CommandError(f"{file}: {LEDGER}: expected in the backup, got none")
    return contents


def _opened(file: Path, opener: str | None) -> BinaryIO:
    """Return the backup's tar file. CommandError if it is sealed and nothing opens it."""
    if file.suffix == SEALED and opener is None:
        raise CommandError(f"{file}: sealed: expected --phrase FILE with its phrase or private key")
    opened = open_foreign(file)
    if os.fstat(opened.fileno()).st_size > LARGEST_BYTES:
        opened.close()
        raise CommandError(f"{file}: expected a backup of {LARGEST_BYTES >> 30} GB at most")
    if opener is None or file.suffix != SEALED:
        return opened
    try:
        with opened:
            return io.BytesIO(open_backup(read_up_to(opened, LARGEST_BYTES), opener))
    except Invalid as fault:
        raise CommandError(str(fault.of(file))) from None


def _is_below_venue(name: str) -> bool:
    parts = name.split("/")
    return name.startswith(VENUE) and all(part not in ("", ".", "..") for part in parts)


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """The record in a backup."""

    file: Path
    chains: Mapping[str, dict[str, int]]  # by tournament, the position of each entry's hash
    seq: int  # the number of assignments that its hub has made

    @property
    def heads(self) -> dict[str, Head]:
        """The last entry of each chain."""
        return {name: Head(len(chain), next(reversed(chain))) for name, chain in self.chains.items() if chain}

    def lacks(self, other: BackupRecord) -> tuple[str, ...]:
        """Return the tournaments of which `other` has entries that this record has not."""
        return tuple(gap.tournament for gap in missing(other.heads, self.chains))


@dataclass(frozen=True, slots=True)
class NewestBackup:
    """The chosen file, and one line for each file that could not be read."""

    file: Path
    left_out: tuple[str, ...]


def newest_backup(folder: Path, opener: str | None = None) -> NewestBackup:
    """Return the backup in `folder` whose record contains all others' records; `opener` as in `restore`.

    Names and dates say when a wall clock made a backup, and that clock may have been wrong; a chain says what came
    before. Raise CommandError if there is none that can be read, or if two have entries that the other lacks.
    """
    records: list[BackupRecord] = []
    left_out: list[str] = []
    for file in sorted([*folder.glob(f"*{ENDING}"), *folder.glob(f"*{ENDING}{SEALED}")]):
        try:
            records.append(_record_of(file, read_backup(file, opener)))
        except (CommandError, LedgerError, OSError) as fault:
            left_out.append(" ".join(str(fault).split()))
    if not records:
        why = f": {left_out[0]}" if left_out else ", there is none"
        raise CommandError(f"{folder}: expected a backup made by flagfall-hub backup{why}")
    return NewestBackup(_newest(records).file, tuple(left_out))


def _newest(records: Sequence[BackupRecord]) -> BackupRecord:
    # Among equal records, the one whose hub had assigned more, which only ever grows.
    best = max(records, key=lambda record: (sum(map(len, record.chains.values())), record.seq))
    for record in records:
        if lacking := best.lacks(record):
            raise CommandError(
                f"{best.file.name} and {record.file.name}: each has entries of {', '.join(lacking)} that the other"
                " lacks: two hubs have gone on from one record. Name one: flagfall-hub restore FILE"
            )
    return best


def _record_of(file: Path, contents: Mapping[str, bytes]) -> BackupRecord:
    """Return the record of a backup. Raise LedgerError or CommandError if its chains do not hold together."""
    chains: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        place = Path(folder) / LEDGER
        place.write_bytes(contents[LEDGER])
        with closing(open_ledger(place, read_only=True)) as ledger:
            for tournament in ledger.tournaments():
                broken = ledger.verify(tournament)
                if broken is not None:
                    raise CommandError(f"{file}: {tournament}: entry {broken.position} {broken.why}")
                chains[tournament] = {
                    entry.hash: position for position, entry in enumerate(ledger.read(tournament), 1)
                }
    return BackupRecord(file, chains, _seq(contents.get(DEVICES, b"")))


def _seq(devices: bytes) -> int:
    try:
        value: Any = msgspec.json.decode(devices)
        seq = value.get("seq", 0)
    except (msgspec.DecodeError, AttributeError, RecursionError):
        return 0
    return seq if isinstance(seq, int) else 0
