"""The lines printed on a board: how well a supposed placement lies on them, and the placement that lies on them best.

Only the seven lines between squares, each way, are asked: every board has them, whatever its edge looks like.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from eye.placement import Floats, Placement, homography_of
from eye.sampling import sampled

_STEP = 1 / 40
"""Squares between two looks across a line."""
_SAMPLES = (np.arange(96) + 0.5) / 12
_MOST_BEND = 0.3


@dataclass(frozen=True, eq=False)
class Lines:
    """What was seen at each sample of each line: `strength` 0 to 1 (14, samples), `beside` how many
    squares to the right of (below) where it was looked for.
    """

    strength: Floats
    beside: Floats

    @property
    def seen(self) -> Floats:
        """For each line the share of it that is seen where it should be."""
        return np.asarray((self.strength > _VISIBLE).mean(axis=1))


_VISIBLE = 0.06


def look(gray: np.ndarray, placement: Placement, reach: float, first: int = 1, last: int = 7) -> Lines:
    """Looks for lines `first` to `last`, the upright ones and then the level ones, within `reach` squares beside."""
    across = _across(reach)
    ridge = _ridges(gray, placement, across, np.arange(first, last + 1.0), _SAMPLES)
    best = ridge.argmax(axis=2)
    strength = np.take_along_axis(ridge, best[:, :, None], axis=2)[:, :, 0]
    near = np.clip(best[:, :, None] + np.arange(-2, 3), 0, ridge.shape[2] - 1)
    weights = np.take_along_axis(ridge, near, axis=2) + 1e-6
    middle = (weights * across[4:-4][near]).sum(axis=2) / weights.sum(axis=2)
    return Lines(np.asarray(strength, np.float64), np.asarray(middle, np.float64))


def pieces(gray: np.ndarray, placement: Placement) -> Floats:
    """How clearly each piece of a line is seen that lies between two squares: (2, 11, 12), the upright lines -1 to 9,
    each in the rows -2 to 9, and then the level lines in the columns.
    """
    along = (np.arange(12 * 12) + 0.5) / 12 - 2
    ridge = _ridges(gray, placement, _across(0.08), np.arange(-1.0, 10), along)
    # A line is straight: what lies elsewhere at each place is grain.
    return np.asarray(ridge.reshape(2, 11, 12, 12, -1).mean(axis=3).max(axis=3), np.float64)


def _across(reach: float) -> Floats:
    return np.asarray(np.arange(-round(reach / _STEP) - 4, round(reach / _STEP) + 5) * _STEP, np.float64)


def _ridges(
    gray: np.ndarray, placement: Placement, across: Floats, numbers: Floats, samples: Floats
) -> np.ndarray:
    """How much darker (or brighter) than both its sides each place is: (lines, samples, places across less 8)."""
    line, along, beside = np.meshgrid(numbers, samples, across, indexing="ij")
    upright = np.stack([line + beside, along], axis=-1)
    level = np.stack([along, line + beside], axis=-1)
    points = np.concatenate([upright, level]).reshape(-1, 2)
    shape = (2 * len(numbers), len(samples), len(across))
    # cv2.remap takes no more than 32,767 rows.
    flat = (shape[0] * shape[1], shape[2])
    values = sampled(gray, placement.project(points), flat, cv2.BORDER_REPLICATE)
    values = values.astype(np.float32).reshape(shape) + 4.0
    middle = values[:, :, 4:-4]
    # A thin dark line: darker than what lies on both of its sides.
    sides = np.minimum(values[:, :, :-8], values[:, :, 8:])
    dark = np.clip((sides - middle) / sides, 0, 0.5)
    light = np.clip((middle - np.maximum(values[:, :, :-8], values[:, :, 8:])) / middle, 0, 0.5)
    return np.asarray(light if light.mean() > 2 * dark.mean() else dark)


def refined(
    gray: np.ndarray, placement: Placement, reaches: tuple[float, ...], bends: bool = True
) -> Placement:
    """The placement moved until it lies on the lines that were seen; the same where there are too few."""
    for reach in reaches:
        lines = look(gray, placement, reach)
        numbers = np.repeat(np.tile(np.arange(1.0, 8.0), 2)[:, None], len(_SAMPLES), axis=1)
        along = np.repeat(_SAMPLES[None, :], 14, axis=0)
        upright = np.repeat((np.arange(14) < 7)[:, None], len(_SAMPLES), axis=1)
        used = lines.strength > _VISIBLE
        if used.sum() < 100:
            return placement
        if not bends:
            used[:, ::2] = False
        away = np.where(upright[used], 0, 1)
        point = np.stack([numbers[used], along[used]], axis=-1)
        point[away == 1] = point[away == 1][:, ::-1]
        shifted = point.copy()
        shifted[np.arange(len(away)), away] += lines.beside[used]
        pixels = placement.project(shifted)
        placement = _fitted(
            placement,
            pixels,
            numbers[used],
            away=away,
            strength=lines.strength[used],
            reach=reach,
            bends=bends,
        )
    return placement


def _fitted(
    placement: Placement,
    pixels: Floats,
    numbers: Floats,
    away: np.ndarray,
    strength: Floats,
    reach: float,
    bends: bool,
) -> Placement:
    """Gauss-Newton over the corners and the bend; what lies far from its line counts little."""
    size = placement.size
    corners, bend = placement.project(np.array([(1.0, 1), (7, 1), (7, 7), (1, 7)])), placement.bend
    rows = np.arange(len(away))

    def made(values: Floats) -> Placement:
        straight = Placement(np.eye(3), float(values[8]), size)
        inner = np.array([(1.0, 1), (7, 1), (7, 7), (1, 7)])
        return Placement(
            homography_of(inner, straight.locate(values[:8].reshape(4, 2))), float(values[8]), size
        )

    def error(values: Floats) -> Floats:
        return np.asarray(made(values).locate(pixels)[rows, away] - numbers)

    values = np.append(corners.ravel(), bend)
    scale = np.append(np.full(8, placement.pixels_per_square), 1.0)
    free = 9 if bends else 8
    for _ in range(3):
        now = error(values)
        slopes = np.empty((len(now), free))
        for index in range(free):
            nudge = np.zeros(9)
            nudge[index] = 1e-4 * scale[index]
            slopes[:, index] = (error(values + nudge) - now) / 1e-4
        width = max(0.02, 1.5 * float(np.median(np.abs(now))))
        weights = strength / (1 + (now / width) ** 2) ** 2
        damp = np.full(free, 1e-6 * len(now))
        if bends:
            # Little bend is likelier than much: the lines must insist on it.
            damp[8] = 2e-3 * len(now) * float(weights.mean())
        matrix = slopes.T @ (slopes * weights[:, None]) + np.diag(damp)
        pull = slopes.T @ (weights * now)
        if bends:
            pull[8] += damp[8] * values[8]
        step = np.linalg.solve(matrix, pull)
        values[:free] -= np.clip(step, -reach, reach) * scale[:free]
        values[8] = np.clip(values[8], -_MOST_BEND, _MOST_BEND)
    return made(values)


def moved(placement: Placement, columns: float, rows: float) -> Placement:
    """The placement whose a1 lies so many squares further right and down."""
    shift = np.array([[1, 0, columns], [0, 1, rows], [0, 0, 1.0]])
    return replace(placement, homography=placement.homography @ shift)
