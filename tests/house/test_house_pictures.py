"""Pictures in the docs are small, and still the pictures that were taken."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pygame
import pytest
from PIL import Image
from small_png import MOST_BYTES, small_png

ROOT = Path(__file__).resolve().parents[2]

# Some have so much on them that no palette makes them smaller.
LARGEST = 1.2 * MOST_BYTES


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    file = io.BytesIO()
    pygame.image.save(pygame.surfarray.make_surface(pixels), file, "picture.png")
    return file.getvalue()


def pixels_of(data: bytes) -> npt.NDArray[np.int64]:
    return pygame.surfarray.array3d(pygame.image.load(io.BytesIO(data))).astype(np.int64)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 3), (120, 80)])
def test_a_picture_of_few_colours_stays_what_it_is(width: int, height: int) -> None:
    chance = np.random.default_rng(1)
    colours = chance.integers(0, 256, (200, 3), dtype=np.uint8)
    taken = png(colours[chance.integers(0, 200, (width, height))])
    assert (pixels_of(small_png(taken)) == pixels_of(taken)).all()


def test_one_of_many_colours_hardly_differs() -> None:
    across, down = np.meshgrid(np.arange(256), np.arange(200), indexing="ij")
    taken = png(np.stack((across, down, (across + down) // 2), axis=2).astype(np.uint8))
    small = small_png(taken)
    assert np.abs(pixels_of(small) - pixels_of(taken)).mean() < 6


def test_the_moving_picture_lasts_twenty_seconds_and_is_small() -> None:
    file = ROOT / "docs" / "pictures" / "flagfall.gif"
    assert file.stat().st_size <= 1_000_000
    with Image.open(file) as picture:
        lengths_ms = []
        for number in range(getattr(picture, "n_frames", 1)):
            picture.seek(number)
            lengths_ms.append(picture.info["duration"])
    assert len(lengths_ms) > 10
    assert sum(lengths_ms) == 20_000


def test_no_picture_of_the_docs_is_large() -> None:
    sizes = {file.name: file.stat().st_size for file in (ROOT / "docs" / "pictures").glob("*.png")}
    assert len(sizes) > 40
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}
