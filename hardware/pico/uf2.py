"""UF2, the file that a Pico in its boot loader takes as a drive (github.com/microsoft/uf2): blocks of 512 bytes,
each with 256 bytes of flash and the place where they belong.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable

from flagfall.base.errors import Invalid

# The family id: a boot loader of another chip refuses the file.
RP2040 = 0xE48BFF56
FLASH_BEGINS = 0x10000000
FLASH_BYTES = 2 * 1024 * 1024
_MAGIC = (0x0A324655, 0x9E5D5157)
_MAGIC_END = 0x0AB16F30
_FAMILY_GIVEN = 0x2000
_BLOCK = struct.Struct("<8I476sI")
_PAYLOAD = 256


def pack(image: bytes) -> bytes:
    """Return the file for an image that begins at the beginning of the flash; its end is filled up with 0xFF."""
    parts = [image[at : at + _PAYLOAD].ljust(_PAYLOAD, b"\xff") for at in range(0, len(image), _PAYLOAD)]
    return b"".join(
        _BLOCK.pack(
            *_MAGIC, _FAMILY_GIVEN, FLASH_BEGINS + index * _PAYLOAD, _PAYLOAD, index, len(parts), RP2040,
            part, _MAGIC_END,
        )
        for index, part in enumerate(parts)
    )  # fmt: skip


def image_of(data: bytes) -> bytes:
    """Return the image that the boot loader would write, from the beginning of the flash. Raise Invalid if it would
    take no such file.
    """
    if not data or len(data) % _BLOCK.size:
        raise Invalid(f"{len(data)} bytes", f"whole blocks of {_BLOCK.size}")
    blocks = list(_BLOCK.iter_unpack(data))
    image = bytearray()
    for index, (first, second, flags, target, size, number, count, family, payload, end) in enumerate(blocks):
        for part, is_so, expected in (
            ("magic numbers", (first, second, end) == (*_MAGIC, _MAGIC_END), "UF2's"),
            ("family", flags & _FAMILY_GIVEN and family == RP2040, f"{RP2040:#x}, the RP2040"),
            ("number", (number, count) == (index, len(blocks)), f"{index} of {len(blocks)}"),
            ("size", size == _PAYLOAD, f"{_PAYLOAD}"),
            ("address", target == FLASH_BEGINS + len(image), f"{FLASH_BEGINS + len(image):#x}"),
        ):
            if not is_so:
                raise Invalid(f"block {index}: {part}", expected)
        image += payload[:size]
    if len(image) > FLASH_BYTES:
        raise Invalid(f"{len(image)} bytes", f"at most {FLASH_BYTES}")
    return bytes(image)


def frozen(image: bytes) -> list[str]:
    """Return the names of the frozen modules that the interpreter would find, by its own table of names."""
    return sorted({name.decode() for name in re.findall(rb"\0?([A-Za-z_]\w*(?:/\w+)*\.py)(?=\0)", image)})


def check_modules(data: bytes, wanted: Iterable[str]) -> list[str]:
    """Return the frozen modules of a file. Raise Invalid unless all of `wanted` are among them."""
    modules = frozen(image_of(data))
    missing = sorted(set(wanted) - set(modules))
    if missing:
        raise Invalid("", f"among the frozen modules: {', '.join(missing)}")
    return modules
