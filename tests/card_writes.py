"""What a card was told to write, as QEMU noted it (`blklogwrites`, the format of Linux's dm-log-writes), and what of it
is there after a power cut: all that was synced, and of the rest whatever chance has it.
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
    """`place` is its first sector; `synced`: before a sync that was asked for and done."""

    place: int
    data: bytes
    synced: bool


def noted(log: bytes) -> list[Write]:
    """In their order. An entry that the cut broke off is none."""
    magic, _, _, sector = _HEAD.unpack_from(log)
    if magic != _MAGIC:
        raise ValueError("expected a log of blklogwrites")
    found: list[Write] = []
    synced, at = 0, sector
    while at + _ENTRY.size <= len(log):
        place, sectors, flags, _ = _ENTRY.unpack_from(log, at)
        at += sector
        if not sectors and not flags:
            break
        if flags & _FLUSH:
            synced = len(found)
        if not flags & _DISCARD and sectors:
            data = log[at : at + sectors * SECTOR]
            at += -(-sectors * SECTOR // sector) * sector
            if len(data) == sectors * SECTOR:
                found.append(Write(place, data, False))
    return [Write(one.place, one.data, at < synced) for at, one in enumerate(found)]


def put(disk: Path, writes: list[Write], begins: int, chance: random.Random) -> int:
    """Into `disk`, whose first sector is the card's sector `begins`; how many were lost."""
    lost = 0
    with disk.open("r+b") as file:
        for one in writes:
            if not one.synced and chance.random() < 0.5:
                lost += 1
            elif one.place >= begins:
                file.seek((one.place - begins) * SECTOR)
                file.write(one.data)
    return lost
