"""The places of discs by the outlines of their faces alone: each piece of an edge points to the middle of the circle
that it is part of, whatever the colours.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from eye.placement import FACE_HEIGHT, Floats, Placement, lattice, sample

# Pixels per square.
CELL = 16
# Number of squares that are searched on each side of the board.
BEYOND = 2
_ACROSS = 8 + 2 * BEYOND
_RADII = (0.35, 0.39, 0.43, 0.47)
# A face is searched within this distance of its square's middle, in squares.
_FAR = 0.3
# The least change from pixel to pixel that is an edge, as a share of the brightness.
_EDGE = 0.07
# The least share of a circle that must be seen.
_ROUND = 0.55
# A disc hides the lines within this distance of its middle, in squares.
_HIDES = 0.62

_PLACE = (np.arange(_ACROSS * CELL) + 0.5) / CELL - BEYOND
_POINTS = lattice(_PLACE)
_OFF = np.where((_PLACE > 0) & (_PLACE < 8), np.abs(_PLACE % 1 - 0.5), np.nan)
_BETWEEN_MIDDLES = np.maximum.outer(_OFF, _OFF) > _FAR


@dataclass(frozen=True, eq=False)
class Rounds:
    """The circles seen in 12 x 12 squares about the board (rows -2 to 9)."""

    # The share of a circle that is seen in each square.
    share: Floats
    # The circle's middle (x, y) in board coordinates.
    middles: Floats
    # How many circles on the board lie in no square's middle.
    astray: int

    @property
    def there(self) -> np.ndarray:
        """The squares on which a disc lies."""
        return np.asarray(self.share > _ROUND)

    def hide(self, points: Floats, near: float = _HIDES) -> np.ndarray:
        """Return which of these points (..., 2) are too near to a disc for a line to be seen there."""
        hidden = np.zeros(points.shape[:-1], bool)
        for x, y in self.middles[self.there]:
            hidden |= (points[..., 0] - x) ** 2 + (points[..., 1] - y) ** 2 < near**2
        return hidden


def rounds(gray: np.ndarray, placement: Placement) -> Rounds:
    """Return the discs of a board that is supposed to lie there."""
    votes = vote(gray, placement)
    reach = round(_FAR * CELL)
    begins = np.arange(_ACROSS) * CELL + CELL // 2 - reach
    windows = sliding_window_view(votes, (2 * reach, 2 * reach))[np.ix_(begins, begins)]
    windows = windows.reshape(_ACROSS, _ACROSS, -1).astype(np.float64)
    down, right = np.divmod(windows.argmax(axis=2), 2 * reach)
    middles = np.stack([_PLACE[begins + right], _PLACE[begins[:, None] + down]], axis=-1)
    crests = (votes > _ROUND) & (votes >= cv2.dilate(votes, np.ones((CELL - 3, CELL - 3), np.uint8)))
    return Rounds(windows.max(axis=2), middles, int((crests & _BETWEEN_MIDDLES).sum()))


def vote(gray: np.ndarray, placement: Placement) -> np.ndarray:
    """Return how much of a circle is seen around each place of the straightened board: 0 to 1 and a little more."""
    side = len(_PLACE)
    flat = sample(gray, placement.project(_POINTS, FACE_HEIGHT), (side, side)).astype(np.float32)
    flat = np.asarray(cv2.GaussianBlur(flat, (3, 3), 0), np.float32)
    right, down = cv2.Sobel(flat, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(flat, cv2.CV_32F, 0, 1) / 8
    steep = np.hypot(right, down)
    # Of an edge a few pixels wide the steepest counts.
    ridge = steep >= 0.8 * cv2.dilate(steep, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero(ridge & (steep > _EDGE * (flat + 8)))
    along_x, along_y = (gradient[rows, columns] / steep[rows, columns] for gradient in (right, down))
    best = np.zeros((side, side), np.float32)
    for radius in _RADII:
        reach = radius * CELL
        for way in (-reach, reach):
            x, y = np.rint(columns + way * along_x).astype(int), np.rint(rows + way * along_y).astype(int)
            inside = (x >= 0) & (x < side) & (y >= 0) & (y < side)
            count = np.bincount(y[inside] * side + x[inside], minlength=side * side)
            near = cv2.blur(count.reshape(side, side).astype(np.float32), (3, 3)) * 9
            best = np.maximum(best, near / (2 * np.pi * reach))
    return best
