"""Single pictures, as people take them by phone or off a screen: the board is found in each, and read.

python -m benchmarks.boards.eye_photographs [--short]
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import cv2

from benchmarks.boards.eye import Readings, game_of, positions, sum_of
from benchmarks.boards.phone_pictures import PhonePainter, diagram
from benchmarks.boards.phone_scenes import hard, overexposed, photographed, shining, sleeved
from benchmarks.report.figures import Found, Remark, run
from eye.placement import Floats
from eye.sources import decode_picture
from eye.squares import beyond
from eye.still import read_picture
from eye.watcher import quarter_turned
from flagfall.othello.board import FULL, Position

_SIZES = (1280, 960), (960, 1280), (1600, 1200), (800, 600)


def photograph(seed: int) -> Readings:
    """Read a picture with all that lies around a board."""
    position = _position(seed)
    return _read(PhonePainter(*photographed(seed, _SIZES[seed % 4])), position)


def hard_photograph(seed: int) -> Readings:
    """Read a picture with what makes it harder still."""
    return _read(PhonePainter(*hard(seed, _SIZES[seed % 4])), _position(seed))


def overexposed_photograph(seed: int) -> Readings:
    """Read a picture with too much light and faint lines, from any corner."""
    return _read(PhonePainter(*overexposed(seed, _SIZES[seed % 4])), _position(seed))


def shining_photograph(seed: int) -> Readings:
    """Read a picture in whose black discs a bright room is mirrored."""
    return _read(PhonePainter(*shining(seed, _SIZES[seed % 4])), _position(seed))


def sleeved_photograph(seed: int) -> Readings:
    """Read a picture with an arm over the board: what is told of a square under it counts too."""
    return _read(PhonePainter(*sleeved(seed, _SIZES[seed % 4])), _position(seed))


def screen(seed: int) -> Readings:
    """Read a program's own picture of its board."""
    position = _position(seed)
    picture, corners = diagram(seed, position)
    return read_one(cv2.imencode(".jpg" if seed % 2 else ".png", picture)[1].tobytes(), position, corners)


def _read(painter: PhonePainter, position: Position) -> Readings:
    arm = painter.arm()
    data = painter.jpeg(position, arm)
    return read_one(data, position, painter.corners, painter.hidden(position) if arm else 0)


def read_one(data: bytes, position: Position, corners: Floats, hidden: int = 0) -> Readings:
    """Read one picture's bytes, by the position and the corners it shows. Squares that its edge cuts or that are
    `hidden` may be unknown.
    """
    read = Readings(scenes=1)
    picture = decode_picture(data)
    reading = None if picture is None else read_picture(picture)
    if reading is None:
        read.not_found = 1
        return read
    placement = reading.board.placement
    turns = read.placed(placement, corners)
    for _ in range(turns):
        hidden = quarter_turned(Position(hidden, 0)).black
    read.count(reading.position, position, turns, FULL & ~beyond(placement) & ~hidden)
    return read


def _position(seed: int) -> Position:
    return random.Random(seed).choice(positions(game_of(seed)))


# Kind -> the function that draws it, the first seed, the number of pictures.
_KINDS: dict[str, tuple[Callable[[int], Readings], int, int]] = {
    "drawn photographs": (photograph, 0, 400),
    "harder drawn photographs, the eye fitted to these": (hard_photograph, 0, 150),
    "harder drawn photographs": (hard_photograph, 4000, 200),
    "drawn photographs with too much light": (overexposed_photograph, 0, 60),
    "drawn photographs of shining discs": (shining_photograph, 0, 60),
    "drawn photographs with an arm over the board": (sleeved_photograph, 0, 60),
    "drawn screens": (screen, 1000, 100),
}


def measure(short: bool) -> Iterator[Found]:
    with ProcessPoolExecutor(
        initializer=cv2.setNumThreads, initargs=(1,), mp_context=get_context("spawn")
    ) as cores:
        for kind, (draw, first, number) in _KINDS.items():
            seeds = range(first, first + (1 if short else number))
            yield from sum_of(cores.map(draw, seeds)).figures(kind)
    yield Remark("What a real phone does to a real board is not in these figures.")


if __name__ == "__main__":
    run(measure, __doc__)
