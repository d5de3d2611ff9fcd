"""The newest of several backups: the one whose record contains the records of all others.

Names and dates say when a wall clock made a backup, and that clock may have been wrong; a chain says what came before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from flagfall.ledger.opening import open_ledger
from flagfall.ledger.store import LedgerError
from flagfall.link.command_line import CommandError
from hub.config import DEVICES
from hub.record.heads import Head, missing

ENDING = ".tar"
Read = Callable[[Path], Mapping[str, bytes]]


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


def newest_backup(folder: Path, read: Read, ledger_name: str) -> NewestBackup:
    """Choose the backup in `folder` whose record contains all others' records.

    CommandError if there is none that can be read, or if two of them have entries that the other lacks.
    """
    records: list[BackupRecord] = []
    left_out: list[str] = []
    for file in sorted(folder.glob(f"*{ENDING}")):
        try:
            records.append(_record_of(file, read(file), ledger_name))
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


def _record_of(file: Path, contents: Mapping[str, bytes], ledger_name: str) -> BackupRecord:
    """Read the record; LedgerError or CommandError if its chains do not hold together."""
    chains: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        place = Path(folder) / ledger_name
        place.write_bytes(contents[ledger_name])
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
