"""The lines printed on a board: how well a supposed placement lies on them, and the placement that lies on them best.

Only the seven lines between squares, each way, are asked: every board has them, whatever its edge looks like. Where
discs hide them the outlines of the discs' faces tell instead: each piece of an edge points to the middle of the circle
that it is part of, whatever the colours (`Rounds`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from eye.placement import FACE_HEIGHT, Floats, Placement, homography_of, lattice, sample

# Distance between two samples across a line, in squares.
_STEP = 1 / 40
_SAMPLES = (np.arange(96) + 0.5) / 12
_INNER = np.arange(1.0, 8.0)
_INNER_CORNERS = np.array([(1.0, 1), (7, 1), (7, 7), (1, 7)])
_MOST_BEND = 0.3
# A disc weighs as much as a line of this strength, and as this many samples of lines: hands lay discs beside the
# middle.
_OF_DISC, _LINES_OF_DISC = 0.3, 4


@dataclass(frozen=True, eq=False)
class Lines:
    """The samples of each line of the board."""

    # How clearly the line is seen at each sample, 0 to 1 (14, samples).
    strength: Floats
    # How many squares to the right (below) of its expected place it is seen.
    beside: Floats
    # Where discs hide the lines, if any were told.
    hidden: np.ndarray

    @property
    def seen(self) -> Floats:
        """The share of each line that is seen where it should be, or hidden by a disc."""
        return np.asarray((self.hidden | (self.strength > _VISIBLE)).mean(axis=1))

    @property
    def open(self) -> Floats:
        """The samples that are seen and not hidden, as masks."""
        return np.asarray(~self.hidden & (self.strength > _VISIBLE))


# A line is darker, or brighter, than both its sides by at least this share; a straight piece of a faint line by the
# second.
_VISIBLE, _FAINTEST = 0.06, 0.012
# A disc covers what lies within this distance of its middle, in squares.
_COVERS = 0.45


def look(
    gray: np.ndarray, placement: Placement, reach: float, lines: Floats = _INNER, discs: Rounds | None = None
) -> Lines:
    """Look for lines, the upright ones and then the level ones, within `reach` squares beside, not where `discs`
    lie.
    """
    across = _across(reach)
    line, along = np.meshgrid(lines, _SAMPLES, indexing="ij")
    places = np.concatenate([np.stack([line, along], axis=-1), np.stack([along, line], axis=-1)])
    hidden = discs.hide(places) if discs is not None else np.zeros(places.shape[:2], bool)
    ridge = _ridges(gray, placement, across, lines, samples=_SAMPLES, hidden=hidden)
    best = ridge.argmax(axis=2)
    strength = np.take_along_axis(ridge, best[:, :, None], axis=2)[:, :, 0]
    near = np.clip(best[:, :, None] + np.arange(-2, 3), 0, ridge.shape[2] - 1)
    weights = np.take_along_axis(ridge, near, axis=2) + 1e-6
    middle = (weights * across[4:-4][near]).sum(axis=2) / weights.sum(axis=2)
    return Lines(np.asarray(strength, np.float64), np.asarray(middle, np.float64), hidden)


def pieces(gray: np.ndarray, placement: Placement) -> Floats:
    """Return how clearly each piece of a line between two squares is seen: (2, 11, 12), the upright lines -1 to 9, each
    in the rows -2 to 9, and then the level lines in the columns.
    """
    return _pieces(gray, placement, 0.08, np.arange(-1.0, 10), np.arange(-2, 10))


def _pieces(
    gray: np.ndarray, placement: Placement, reach: float, numbers: Floats, rows: np.ndarray
) -> Floats:
    along = (rows[:, None] + _SAMPLES[:12]).ravel()
    ridge = _ridges(gray, placement, _across(reach), numbers, along)
    # A line is straight: what lies elsewhere at each place is grain.
    return np.asarray(ridge.reshape(2, len(numbers), len(rows), 12, -1).mean(axis=3).max(axis=3), np.float64)


def standing_out(gray: np.ndarray, placement: Placement, discs: Rounds) -> float:
    """Return the share of the pieces of lines between two squares that discs hide, or that show more of a line than
    most of what runs through the squares' middles: faint lines count as much as strong ones, and grain for nothing.
    """
    kinds = []
    for numbers in (_INNER, np.arange(0.5, 8)):
        strength = _pieces(gray, placement, 0.06, numbers, np.arange(8))
        line, along = np.meshgrid(numbers, np.arange(8) + 0.5, indexing="ij")
        middles = np.stack([np.stack([line, along], axis=-1), np.stack([along, line], axis=-1)])
        kinds.append((strength, discs.hide(middles, _COVERS)))
    (on, hidden), (between, covered) = kinds
    grain = between[~covered]
    usual = max(_FAINTEST, float(np.percentile(grain, 75))) if len(grain) else _VISIBLE
    return float((hidden | (on > usual)).mean())


def _across(reach: float) -> Floats:
    return np.asarray(np.arange(-round(reach / _STEP) - 4, round(reach / _STEP) + 5) * _STEP, np.float64)


def _ridges(
    gray: np.ndarray,
    placement: Placement,
    across: Floats,
    numbers: Floats,
    samples: Floats,
    *,
    hidden: np.ndarray | None = None,
) -> np.ndarray:
    """Return how much darker (or brighter) than both its sides each place is: (lines, samples, places across
    less 8).
    """
    line, along, beside = np.meshgrid(numbers, samples, across, indexing="ij")
    upright = np.stack([line + beside, along], axis=-1)
    level = np.stack([along, line + beside], axis=-1)
    points = np.concatenate([upright, level]).reshape(-1, 2)
    shape = (2 * len(numbers), len(samples), len(across))
    # cv2.remap takes no more than 32,767 rows.
    flat = (shape[0] * shape[1], shape[2])
    values = sample(gray, placement.project(points), flat, cv2.BORDER_REPLICATE)
    values = values.astype(np.float32).reshape(shape) + 4.0
    # A line is straight: what is seen at one place only is grain.
    values = np.stack([cv2.blur(piece, (1, 3)) for piece in values])
    dark, light = dark_and_light(values, 4, 0.5)
    visible = ~hidden if hidden is not None and not hidden.all() else np.ones(shape[:2], bool)
    return np.asarray(light if light[visible].mean() > 2 * dark[visible].mean() else dark)


def dark_and_light(values: np.ndarray, wide: int, most: float) -> tuple[np.ndarray, np.ndarray]:
    """Return by what share, up to `most`, each place along the last axis is darker, and brighter, than both places
    `wide` beside it.
    """
    middle, here, there = values[..., wide:-wide], values[..., : -2 * wide], values[..., 2 * wide :]
    sides = np.minimum(here, there)
    dark = np.clip((sides - middle) / sides, 0, most)
    return dark, np.clip((middle - np.maximum(here, there)) / middle, 0, most)


def refine(
    gray: np.ndarray,
    placement: Placement,
    reaches: tuple[float, ...],
    bends: bool = True,
    by_discs: bool = False,
) -> Placement:
    """Return the placement moved until it lies on the lines that were seen, and `by_discs` also under the discs; return
    it unchanged if there are too few of both.
    """
    for reach in reaches:
        discs = rounds(gray, placement) if by_discs else None
        lines = look(gray, placement, reach, discs=discs)
        used = lines.open
        if not bends:
            used[:, ::2] = False
        line, index = np.nonzero(used)
        away, numbers = line // 7, np.asarray(line % 7 + 1, np.float64)
        shifted = np.stack([numbers + lines.beside[used], _SAMPLES[index]], axis=-1)
        shifted[away == 1] = shifted[away == 1][:, ::-1]
        strength = lines.strength[used]
        if discs is not None:
            there = np.argwhere(discs.there[2:10, 2:10])
            middles = discs.middles[2:10, 2:10][discs.there[2:10, 2:10]]
            shifted = np.concatenate([shifted, middles, middles])
            away = np.concatenate([away, np.repeat((0, 1), len(there))])
            numbers = np.concatenate([numbers, there[:, 1] + 0.5, there[:, 0] + 0.5])
            strength = np.concatenate([strength, np.full(2 * len(there), _OF_DISC)])
        if len(line) + _LINES_OF_DISC * (len(strength) - len(line)) < 100:
            return placement
        pixels = placement.project(shifted)
        placement = _fit(placement, pixels, numbers, away=away, strength=strength, reach=reach, bends=bends)
    return placement


def _fit(
    placement: Placement,
    pixels: Floats,
    numbers: Floats,
    *,
    away: np.ndarray,
    strength: Floats,
    reach: float,
    bends: bool,
) -> Placement:
    """Fit the corners and the bend by Gauss-Newton; what lies far from its line counts little."""
    size = placement.size
    rows = np.arange(len(away))

    def made(values: Floats) -> Placement:
        straight = Placement(np.eye(3), float(values[8]), size)
        corners = straight.locate(values[:8].reshape(4, 2))
        return replace(straight, homography=homography_of(_INNER_CORNERS, corners))

    def error(values: Floats) -> Floats:
        return np.asarray(made(values).locate(pixels)[rows, away] - numbers)

    values = np.append(placement.project(_INNER_CORNERS), placement.bend)
    scale = np.append(np.full(8, placement.pixels_per_square), 1.0)
    free = 9 if bends else 8
    for _ in range(3):
        errors = error(values)
        slopes = np.empty((len(errors), free))
        for index in range(free):
            nudge = np.zeros(9)
            nudge[index] = 1e-4 * scale[index]
            slopes[:, index] = (error(values + nudge) - errors) / 1e-4
        width = max(0.02, 1.5 * float(np.median(np.abs(errors))))
        weights = strength / (1 + (errors / width) ** 2) ** 2
        damp = np.full(free, 1e-6 * len(errors))
        if bends:
            # Little bend is likelier than much: the lines must insist on it.
            damp[8] = 2e-3 * len(errors) * float(weights.mean())
        matrix = slopes.T @ (slopes * weights[:, None]) + np.diag(damp)
        pull = slopes.T @ (weights * errors)
        if bends:
            pull[8] += damp[8] * values[8]
        step = np.linalg.solve(matrix, pull)
        values[:free] -= np.clip(step, -reach, reach) * scale[:free]
        values[8] = np.clip(values[8], -_MOST_BEND, _MOST_BEND)
    return made(values)


def shift(placement: Placement, right: float, down: float, wide: float = 1, high: float = 1) -> Placement:
    """Return the placement whose a1 lies so many squares further right and down, its squares so many times wider,
    higher.
    """
    there = np.array([[wide, 0, right], [0, high, down], [0, 0, 1.0]])
    return replace(placement, homography=placement.homography @ there)


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
