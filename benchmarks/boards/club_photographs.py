"""Photographs in the conditions of clubs, each kind by itself, at full size and as a page sends them.

python -m benchmarks.boards.club_photographs [--short]
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context

import cv2

from benchmarks.boards.club_scenes import KINDS
from benchmarks.boards.eye import Readings, game_of, positions, sum_of
from benchmarks.boards.eye_photographs import read_one
from benchmarks.boards.phone_pictures import PhonePainter
from benchmarks.report.figures import Figure, Found, Remark, at_most, run
from eye.photograph import LONGEST
from flagfall.othello.board import Position
from simulator.eye.picture import ScenePainter

_ISSUE = "photographs of final boards"
_SIZE = (2400, 1800)
_FIRST, _PICTURES = 9000, 12
# Empty squares are needed where lamps are mirrored in them: this many plies before the end at most.
_BEFORE_END = 24


def position_of(seed: int) -> Position:
    """Return a position of a recorded game's end: the last one in every other picture."""
    plies = positions(game_of(seed))
    return plies[-1 if seed % 2 else -1 - random.Random(seed).randrange(_BEFORE_END)]


def painter_of(kind: str, seed: int) -> PhonePainter:
    """Return the painter of one picture of this kind."""
    return PhonePainter(*KINDS[kind](seed, _SIZE, position_of(seed)))


def read_sizes(kind: str, seed: int) -> tuple[Readings, Readings]:
    """Read one picture at its full size, and with as many pixels as a page sends."""
    painter, position = painter_of(kind, seed), position_of(seed)
    return _read(painter, position, 1.0), _read(painter, position, LONGEST / max(_SIZE))


def _read(painter: ScenePainter, position: Position, factor: float) -> Readings:
    data = painter.picture(position)
    small = cv2.resize(data, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else data
    quality = (cv2.IMWRITE_JPEG_QUALITY, painter.scene.camera.quality)
    return read_one(cv2.imencode(".jpg", small, quality)[1].tobytes(), position, painter.corners * factor)


def measure(short: bool) -> Iterator[Found]:
    with ProcessPoolExecutor(
        initializer=cv2.setNumThreads, initargs=(1,), mp_context=get_context("spawn")
    ) as cores:
        seeds = range(_FIRST, _FIRST + (1 if short else _PICTURES))
        for kind in KINDS:
            sizes = zip(*cores.map(read_sizes, repeat(kind), seeds), strict=True)
            for size, readings in zip(("full size", "2,000 pixels"), sizes, strict=True):
                yield from _figures(f"{kind}, {size}", sum_of(readings))
    yield Remark("The seeds of these pictures were used for nothing else.")


def _figures(kind: str, read: Readings) -> Iterator[Figure]:
    label = f"{kind}: of {read.squares:,} visible squares"
    yield Figure(f"{label} of the wrong colour", "", (float(read.wrong),), at_most(0, _ISSUE))
    unknown = 100 * read.unknown / max(1, read.squares)
    yield Figure(f"{label} not known", "%", (unknown,), at_most(2.0, _ISSUE))
    missed = 100 * (read.not_found + read.elsewhere) / read.scenes
    yield Figure(f"{kind}: of {read.scenes} boards not found", "%", (missed,), at_most(5.0, _ISSUE))


if __name__ == "__main__":
    run(measure, __doc__)
