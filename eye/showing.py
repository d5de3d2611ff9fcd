"""The eye's view on the table's screen while it is set up: its picture, the board found in it, what is wrong."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np

from eye.placement import lattice
from eye.watcher import PictureSeen, Sight, Watcher
from flagfall.link.board.eye_view import LINES, EyeView, packed
from flagfall.othello.board import START
from flagfall.othello.notation import format_position

# The view is shown for this long after the table last said that somebody looks.
SHOWN_FOR_NS = 3_000_000_000
EVERY_NS = 200_000_000
_LONGER = 400
# Least side of a square in pixels: smaller ones are below what the reading was tested with.
_SMALLEST_SQUARE = 24
# Least brightness of the surface, of 255. The surface in the real photograph of the tests, which is read whole, has 33.
_DIM = 25.0
_GRID = lattice(np.arange(float(LINES)))


class Showing:
    """The file of the view beside the port: it is written while somebody looks, and none is left behind."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new = path.with_name(f"{path.name}.new")
        self._shown_ns: int | None = None

    def show(self, picture: np.ndarray, watcher: Watcher, seen: PictureSeen, at_ns: int) -> None:
        """Write the view. Raise OSError if it cannot be written."""
        if self._shown_ns is not None and at_ns - self._shown_ns < EVERY_NS:
            return
        self._shown_ns = at_ns
        self._new.write_bytes(packed(view_of(picture, watcher, seen)))
        self._new.replace(self._path)

    def stop(self) -> None:
        if self._shown_ns is not None:
            self._shown_ns = None
            with suppress(OSError):
                self._path.unlink()


def view_of(picture: np.ndarray, watcher: Watcher, seen: PictureSeen) -> EyeView:
    """Return the view of one picture."""
    height, width = picture.shape[:2]
    factor = min(1.0, _LONGER / max(width, height))
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    small = cv2.cvtColor(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
    grid: tuple[tuple[float, float], ...] = ()
    if watcher.placement is not None:
        shares = np.clip(watcher.placement.project(_GRID) / (width, height), -1, 2)
        grid = tuple((float(x), float(y)) for x, y in shares)
    position = seen.reading.position
    start = seen.sight is Sight.CLEAR and position == START
    return EyeView(
        *size,
        pixels=small.tobytes(),
        grid=grid,
        a1=1 if watcher.quarter else 0,
        squares=format_position(position),
        faults=faults(watcher, seen),
        start=start,
    )


def faults(watcher: Watcher, seen: PictureSeen) -> tuple[str, ...]:
    """Return what keeps the eye from reading this board well, the first cause first; empty if nothing does."""
    placement = watcher.placement
    if seen.sight not in (Sight.CLEAR, Sight.HIDDEN) or placement is None:
        return (seen.sight.value,)
    causes: list[str] = []
    corners, size = placement.corners, np.array(placement.size)
    if (corners < 0).any() or (corners > size - 1).any():
        causes.append("cut")
    if placement.pixels_per_square < _SMALLEST_SQUARE:
        causes.append("small")
    if seen.sight is Sight.HIDDEN:
        return (*causes, "hidden")
    if seen.reading.light < _DIM:
        causes.append("dim")
    if seen.reading.position.unknown:
        causes.append("unclear")
    return tuple(causes)
