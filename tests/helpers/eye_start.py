"""The start position on a board that was found once: looking for it takes longer than all else."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

import numpy as np

from eye.watcher import PictureSeen, Watcher
from flagfall.othello.board import START
from simulator.eye.picture import ScenePainter
from simulator.eye.scene import plain

SMALL = (640, 480)
S = 1_000_000_000


@cache
def of_start() -> tuple[ScenePainter, np.ndarray, Watcher, PictureSeen]:
    """Return a board that was found once. A test that goes on from there takes a copy."""
    painter = ScenePainter(plain(5, SMALL))
    picture = painter.picture(START)
    return painter, picture, *watched(picture)


def watched(picture: np.ndarray) -> tuple[Watcher, PictureSeen]:
    watcher = Watcher()
    for number in range(3):
        seen = watcher.see(picture, number * S // 10)
    return watcher, seen


def at_start() -> Watcher:
    return deepcopy(of_start()[2])
