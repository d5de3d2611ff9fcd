"""The layout of a card, in sectors of 512 bytes, and its partition table (MBR).

Two partitions come with the image; the third, which keeps record, settings, network and versions, is made by the card's
first start, at a place that no image ever covers. So a card flashed anew finds it again.
"""

from __future__ import annotations

from dataclasses import dataclass

from flagfall.base.errors import Invalid

SECTOR = 512
MIB = 1 << 20
_PER_MIB = MIB // SECTOR

BOOT_LABEL = "FLAGFALL-SD"
"""Of the first partition; a stick is labelled FLAGFALL."""
KEPT_LABEL = "FLAGFALL-KEPT"
DISK_ID = 0xF1A9FA11
ROOT = f"PARTUUID={DISK_ID:08x}-02"
_FAT32, _LINUX = 0x0C, 0x83


@dataclass(frozen=True, slots=True)
class Part:
    """A partition, in sectors."""

    start: int
    size: int

    @property
    def end(self) -> int:
        return self.start + self.size


BOOT = Part(4 * _PER_MIB, 256 * _PER_MIB)
ROOT_START = BOOT.end
ROOT_MOST = 1024 * _PER_MIB
KEPT_START = ROOT_START + ROOT_MOST
"""Never to be changed: cards in use have their record there."""


def root_part(size_bytes: int) -> Part:
    """Return the second partition for a file system of this size. Raise Invalid if it would reach the kept one."""
    size = -(-size_bytes // MIB) * _PER_MIB
    if not 0 < size <= ROOT_MOST:
        raise Invalid("root", f"at most {ROOT_MOST // _PER_MIB} MiB", str(size // _PER_MIB))
    return Part(ROOT_START, size)


def partition_table(root: Part) -> bytes:
    """Return the first sector of the image."""
    entries = _entry(BOOT, _FAT32, active=True) + _entry(root, _LINUX) + bytes(32)
    return bytes(440) + DISK_ID.to_bytes(4, "little") + bytes(2) + entries + b"\x55\xaa"


def _entry(part: Part, kind: int, active: bool = False) -> bytes:
    # Cylinders and heads mean nothing any more; what is too far for them says so.
    nowhere = b"\xfe\xff\xff"
    numbers = part.start.to_bytes(4, "little") + part.size.to_bytes(4, "little")
    return bytes([0x80 if active else 0]) + nowhere + bytes([kind]) + nowhere + numbers


def as_shell() -> str:
    """Return the layout as shell variables, which the script of the card's first start sources."""
    return f"KEPT_START={KEPT_START}\nKEPT_LABEL={KEPT_LABEL}\n"
