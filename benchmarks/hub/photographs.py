"""Photographs of final boards as players send them: read right, in what time, and fifty at once.

python -m benchmarks.hub.photographs [--short]

With FLAGFALL_PHOTOGRAPHS=FOLDER the real photographs of tests/data/photographs-elsewhere.toml that lie there are read
too, at full size and with 2,000 pixels in their longer side.
"""

from __future__ import annotations

import asyncio
import os
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from benchmarks.boards.eye import Readings, game_of, positions
from benchmarks.boards.phone_pictures import PhonePainter
from benchmarks.boards.phone_scenes import photographed
from benchmarks.report.figures import Figure, Found, Remark, at_most, run
from eye.photograph import LONGEST, read_photograph
from eye.placement import placement_of
from eye.still import read_picture
from flagfall.othello.board import FULL, Position, parse_position
from hub.photographs import Photographs

_ISSUE = "photographs of final boards"
_SIZE = (2000, 1500)
_BOARDS, _AT_ONCE = 24, 50
ELSEWHERE = Path(__file__).parents[2] / "tests" / "data" / "photographs-elsewhere.toml"


def final_board(seed: int) -> tuple[bytes, Position, PhonePainter]:
    """Return a drawn photograph of the last position of a recorded game."""
    position = positions(game_of(seed))[-1]
    painter = PhonePainter(*photographed(seed, _SIZE))
    return painter.jpeg(position), position, painter


def _drawn(number: int) -> Iterator[Found]:
    readings, spent_s, sent = Readings(), [], []
    for seed in range(7000, 7000 + number):
        data, position, painter = final_board(seed)
        sent.append(data)
        began_s = time.process_time()
        read = read_photograph(data)
        spent_s.append(time.process_time() - began_s)
        readings.scenes += 1
        if not read.squares:
            readings.not_found += 1
            continue
        width, height = _SIZE
        placement = placement_of(np.array(read.corners) * (width, height), _SIZE)
        readings.count(parse_position(read.squares), position, readings.placed(placement, painter.corners))
    yield from readings.figures("drawn photographs of final boards, 2,000 pixels")
    yield Figure(
        "a picture is read, processor time, mean", "s", (float(np.mean(spent_s)),), at_most(1.0, _ISSUE)
    )
    yield Figure("a picture is read, processor time, at most", "s", (max(spent_s),), at_most(3.0, _ISSUE))
    plain = cv2.imencode(".jpg", np.full((*_SIZE[::-1], 3), (60, 120, 30), np.uint8))[1].tobytes()
    began_s = time.process_time()
    read_photograph(plain)
    yield Figure("a picture without a board, processor time", "s", (time.process_time() - began_s,))
    at_once = number if number < _BOARDS else _AT_ONCE
    waited_s = asyncio.run(_at_once([sent[at % len(sent)] for at in range(at_once)]))
    yield Figure(f"{at_once} pictures sent at once are read after", "s", (waited_s,), at_most(120.0, _ISSUE))


async def _at_once(pictures: list[bytes]) -> float:
    photographs = Photographs(time.monotonic_ns)

    async def send(sender: int, data: bytes) -> None:
        with photographs.turn(f"player {sender}"):
            await photographs.read(data)

    began_s = time.monotonic()
    await asyncio.gather(*(send(sender, data) for sender, data in enumerate(pictures)))
    return time.monotonic() - began_s


def _real(folder: Path) -> Iterator[Found]:
    read, wrong, unknown, missed, squares = 0, 0, 0, 0, 0
    for entry in tomllib.loads(ELSEWHERE.read_text("utf-8"))["photograph"]:
        picture = cv2.imread(str(folder / entry["name"]))
        if picture is None:
            continue
        factor = LONGEST / max(picture.shape[:2])
        small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        position = parse_position(entry["position"])
        for size in (picture, small) if factor < 1 else (picture,):
            read += 1
            seen = read_picture(size)
            if seen is None:
                missed += 1
                continue
            squares += FULL.bit_count()
            wrong += seen.position.differences(position).bit_count()
            unknown += seen.position.unknown.bit_count()
    kind = f"of {squares:,} squares in {read} real photographs, full size and 2,000 pixels"
    yield Figure(f"{kind}: of the wrong colour", "", (float(wrong),), at_most(0, _ISSUE))
    yield Figure(f"{kind}: not known", "%", (100 * unknown / max(squares, 1),), at_most(2.0, _ISSUE))
    yield Figure(
        f"of {read} real photographs without their board found",
        "%",
        (100 * missed / max(read, 1),),
        at_most(5.0, _ISSUE),
    )


def measure(short: bool) -> Iterator[Found]:
    cv2.setNumThreads(1)
    yield from _drawn(1 if short else _BOARDS)
    folder = os.environ.get("FLAGFALL_PHOTOGRAPHS", "")
    if folder:
        yield from _real(Path(folder))
    else:
        yield Remark("Real photographs were not read: FLAGFALL_PHOTOGRAPHS names no folder.")


if __name__ == "__main__":
    run(measure, __doc__)
