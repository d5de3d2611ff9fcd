"""The writes to a card as QEMU logged them (`blklogwrites`, the format of Linux's dm-log-writes).

A power cut keeps all writes that were synced, and of the others a random part.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from pathlib import Path

SECTOR = 512
_MAGIC = 0x6A736677736872
_HEAD = struct.Struct("<QQQI")
_ENTRY = struct.Struct("<QQQQ")
_FLUSH, _DISCARD = 1, 4


@dataclass(frozen=True, slots=True)
class Write:
    """A write to a card."""

    # Its first sector.
    place: int
    data: bytes
    # It came before a sync that was requested and done.
    synced: bool


def noted(log: bytes) -> list[Write]:
    """Return the writes in their order. An entry that the cut broke off is left out."""
    magic, _, _, sector = _HEAD.unpack_from(log)
    if magic != _MAGIC:
        raise ValueError("expected a log of blklogwrites")
    writes: list[Write] = []
    synced, at = 0, sector
    while at + _ENTRY.size <= len(log):
        place, sectors, flags, _ = _ENTRY.unpack_from(log, at)
        at += sector
        if not sectors and not flags:
            break
        if flags & _FLUSH:
            synced = len(writes)
        if not flags & _DISCARD and sectors:
            data = log[at : at + sectors * SECTOR]
            at += -(-sectors * SECTOR // sector) * sector
            if len(data) == sectors * SECTOR:
                writes.append(Write(place, data, False))
    return [Write(write.place, write.data, number < synced) for number, write in enumerate(writes)]


def put(disk: Path, writes: list[Write], begins: int, chance: random.Random) -> int:
    """Write to `disk`, whose first sector is the card's sector `begins`. Return the number of lost writes."""
    lost = 0
    with disk.open("r+b") as file:
        for write in writes:
            if not write.synced and chance.random() < 0.5:
                lost += 1
            elif write.place >= begins:
                file.seek((write.place - begins) * SECTOR)
                file.write(write.data)
    return lost
