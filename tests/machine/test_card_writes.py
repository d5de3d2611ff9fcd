"""The remains of a card after a power cut, from a log made by hand: all that was synced, the rest by chance."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from helpers.card_writes import SECTOR, Write, noted, put

WRITTEN, FLUSH, DISCARD = 0, 1, 4


def log(*entries: tuple[int, int, bytes]) -> bytes:
    """(first sector, flags, data) each, as dm-log-writes keeps them."""
    parts = [struct.pack("<QQQI", 0x6A736677736872, 1, len(entries), SECTOR)]
    for place, flags, data in entries:
        parts += [struct.pack("<QQQQ", place, len(data) // SECTOR, flags, 0), data]
    return b"".join(part.ljust(-(-len(part) // SECTOR) * SECTOR, b"\0") for part in parts)


def sector(byte: bytes) -> bytes:
    return byte * SECTOR


def test_what_was_before_the_last_sync_is_synced() -> None:
    whole = log((8, WRITTEN, sector(b"a")), (0, FLUSH, b""), (9, WRITTEN, sector(b"b")))
    # QEMU's file goes on in zeros; an entry may also be broken off.
    for rest in (b"", bytes(3 * SECTOR), struct.pack("<QQQQ", 7, 1, WRITTEN, 0)):
        assert noted(whole + rest) == [Write(8, sector(b"a"), True), Write(9, sector(b"b"), False)]


def test_another_file_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a log"):
        noted(bytes(SECTOR))


def test_only_what_was_not_synced_can_be_lost(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    writes = [Write(10, sector(b"k"), True), *(Write(11 + at, sector(b"u"), False) for at in range(40))]
    disk.write_bytes(bytes(41 * SECTOR))
    lost = put(disk, [Write(2, sector(b"x"), True), *writes], 10, random.Random(1))
    left = disk.read_bytes()
    assert 0 < lost < 40 and left.startswith(sector(b"k"))
    assert left.count(sector(b"u")) == 40 - lost and b"x" not in left
