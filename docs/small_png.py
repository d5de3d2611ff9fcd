"""Pictures of pages as small files: PNG with a palette, of fewer colours where the file would be too large."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import numpy.typing as npt
import pygame

MOST_BYTES = 60_000
_COLOURS = (256, 128, 64, 32)
_ROUNDS = 6


def small_png(png: bytes) -> bytes:
    """The same picture; colours that hardly differ have become one."""
    for most in _COLOURS:
        small = _with_palette(png, most)
        if len(small) <= MOST_BYTES:
            break
    return small


def _with_palette(png: bytes, most: int) -> bytes:
    picture = pygame.image.load(io.BytesIO(png))
    pixels = np.swapaxes(pygame.surfarray.array3d(picture), 0, 1).astype(np.int64)
    packed = pixels[:, :, 0] << 16 | pixels[:, :, 1] << 8 | pixels[:, :, 2]
    values, at, counts = np.unique(packed, return_inverse=True, return_counts=True)
    colours = np.stack((values >> 16, values >> 8 & 255, values & 255), axis=1)
    palette, number = _palette(colours, counts, most)
    rows = number[at].reshape(packed.shape).astype(np.uint8)
    height, width = rows.shape
    lines = np.concatenate((np.zeros((height, 1), np.uint8), rows), axis=1)
    header = struct.pack(">2I5B", width, height, 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", header),
            _chunk(b"PLTE", palette.astype(np.uint8).tobytes()),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            _chunk(b"IEND", b""),
        )
    )


def _palette(
    colours: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], most: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The palette, and the number of each colour in it: the most frequent colours, moved to the middle of theirs."""
    if len(colours) <= most:
        return colours, np.arange(len(colours))
    palette = colours[np.argsort(-counts, kind="stable")[:most]]
    for _ in range(_ROUNDS):
        number = _nearest(colours, palette)
        weights = np.bincount(number, counts, most)
        sums = [np.bincount(number, counts * colours[:, part], most) for part in range(3)]
        middles = np.rint(np.stack(sums, axis=1) / np.maximum(weights, 1)[:, None]).astype(np.int64)
        palette = np.where(weights[:, None] > 0, middles, palette)
    return palette, _nearest(colours, palette)


def _nearest(colours: npt.NDArray[np.int64], palette: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    found = [
        np.argmin(((part[:, None, :] - palette[None, :, :]) ** 2).sum(axis=2), axis=1)
        for part in np.array_split(colours, 1 + len(colours) // 2000)
    ]
    return np.concatenate(found)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
