"""The playing surface's own colour, as the light falls on it, and what each pixel of a straightened picture is by it.

The straightened picture shows the plane of the discs' upper faces, `CELL` pixels a square, with a margin around.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from eye.placement import Floats, Placement

CELL = 24
MARGIN = 16
SIDE = 8 * CELL + 2 * MARGIN
FACE_HEIGHT = 0.15
"""How high a disc's upper face lies, in squares: 5.5 to 6.5 mm on squares of 38 to 42."""

_NEAR = 0.13
"""How far beside a crossing of lines the surface is looked for: no disc covers all four corners there."""


class Straightener:
    """The way from a picture to the straightened one, worked out once for a placement."""

    def __init__(self, placement: Placement) -> None:
        width, height = placement.size
        per_square = placement.pixels_per_square
        self._shrink = min(1.0, 1.25 * CELL / per_square)
        size = (max(1, round(width * self._shrink)), max(1, round(height * self._shrink)))
        self._size = size if self._shrink < 1 else None
        shrunk = placement.scaled(self._shrink, size) if self._size else placement
        place = (np.arange(SIDE) + 0.5 - MARGIN) / CELL
        x, y = np.meshgrid(place, place)
        grid = np.stack([x, y], axis=-1).reshape(-1, 2)
        self._faces = _map(shrunk.project(grid, FACE_HEIGHT), (SIDE, SIDE))
        near = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * _NEAR
        nodes = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1).reshape(-1, 1, 2)
        spots = (nodes + near).reshape(-1, 2)
        self.spots = spots[((spots > 0) & (spots < 8)).all(axis=1)]
        self._spots = _map(shrunk.project(self.spots), (len(self.spots), 1))

    def straight(self, picture: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The straightened picture (SIDE, SIDE, 3), and the colours at `spots` of the surface itself (n, 3)."""
        if self._size is not None:
            picture = cv2.resize(picture, self._size, interpolation=cv2.INTER_AREA)
        faces = cv2.remap(picture, *self._faces, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        spots = cv2.remap(picture, *self._spots, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return faces, spots[:, 0].astype(np.float32)


def _map(pixels: Floats, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    maps = pixels.astype(np.float32).reshape(*shape, 2)
    fixed, parts = cv2.convertMaps(maps[..., 0], maps[..., 1], cv2.CV_16SC2)
    return fixed, parts


@dataclass(frozen=True, eq=False)
class Pixels:
    """What each pixel of the straightened picture is, as masks (SIDE, SIDE) of 0 and 1."""

    surface: np.ndarray
    black: np.ndarray
    white: np.ndarray
    light: float
    """The surface's usual brightness, 0 to 255."""


_X, _Y = np.meshgrid(*(2 * [((np.arange(SIDE) + 0.5 - MARGIN) / CELL - 4) / 4]))
_TERMS = np.stack([np.ones_like(_X), _X, _Y, _X * _X, _X * _Y, _Y * _Y], axis=-1).astype(np.float32)

DARKEST, FAINTEST = 8.0, 6.0
"""Below this brightness, or this strength of colour, a surface tells nothing."""


def pixels_of(faces: np.ndarray, spots: np.ndarray, at: Floats) -> Pixels | None:
    """`spots` are colours at the board points `at`. None where the surface is too dark or has no colour of its own."""
    spot_light = spots.mean(axis=1) + 1e-3
    tint = np.stack([spots[:, 2], spots[:, 0]], axis=1) / spot_light[:, None] - 1
    usual = np.median(tint, axis=0)
    away = np.hypot(*(tint - usual).T)
    strength = float(np.hypot(*usual))
    alike = away < max(0.5 * strength, 0.06)
    if alike.sum() < 40:
        return None
    usual = np.median(tint[alike], axis=0)
    strength = float(np.hypot(*usual))
    light = float(np.median(spot_light[alike]))
    if light < DARKEST or light * strength < FAINTEST:
        return None
    field = _light_field(spot_light[alike], at[alike])
    values = faces.astype(np.float32)
    mean = cv2.transform(values, np.full((1, 3), 1 / 3, np.float32))
    red_blue = values[:, :, ::-2] - mean[:, :, None] if mean.ndim == 2 else values[:, :, ::-2] - mean
    mean = mean.reshape(SIDE, SIDE)
    bright = mean / field
    # 1 on the surface in any light, 0 on what has no colour: the tint along the surface's, and across it.
    safe = np.maximum(mean, 4.0)
    along = (red_blue @ (usual / strength**2).astype(np.float32)) / safe
    across = (red_blue @ (np.array([-usual[1], usual[0]]) / strength**2).astype(np.float32)) / safe
    # A dark pixel's tint is mostly noise.
    doubt = 4.0 / (safe * strength)
    surface = (
        (along > 0.5)
        & (along < 1.6 + doubt)
        & (np.abs(across) < 0.5 + doubt)
        & (bright > 0.3)
        & (bright < 1.9)
    )
    plain = (along < 0.6) & (along > -0.6 - doubt) & (np.abs(across) < 0.45 + doubt)
    # Bright faces may have the light's own tint, which is weak; skin's is stronger.
    strong = np.abs(red_blue).max(axis=2) / safe
    plain |= (bright > _LEAST_WHITE) & (along < 0.6) & (strong < _LIGHTS_TINT)
    inside = slice(MARGIN, -MARGIN)
    most_black, least_white = _levels(
        bright[inside, inside][(plain & (bright > _LEAST_WHITE))[inside, inside]]
    )
    black = (plain & (bright < most_black)) | (bright < 0.25)
    white = plain & (bright > least_white) & ~black
    masks = [one.astype(np.uint8) for one in (surface & ~black, black, white)]
    return Pixels(masks[0], masks[1], masks[2], light)


_LIGHTS_TINT = 0.22
_MOST_BLACK, _LEAST_WHITE = 0.88, 1.3
"""Brightness of a face as a multiple of the surface's, where no white disc shows how bright white is here."""


def _levels(light_plain: np.ndarray) -> tuple[float, float]:
    """How bright a black face may be, and how bright a white one must be; what lies between is neither."""
    if len(light_plain) < CELL * CELL // 2:
        return _MOST_BLACK, _LEAST_WHITE
    white = float(np.median(light_plain))
    return min(max(_MOST_BLACK, 0.38 * white), 1.3), max(_LEAST_WHITE, 0.62 * white)


def _light_field(light: np.ndarray, at: Floats) -> np.ndarray:
    """How bright the surface is everywhere: a smooth field over the spots, those that differ much left out."""
    x, y = ((at - 4) / 4).T
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
    told = np.log(light)
    weights = np.ones(len(told))
    solution = np.zeros(6)
    for _ in range(4):
        weighted = terms * weights[:, None]
        solution = np.linalg.solve(terms.T @ weighted + 1e-3 * np.eye(6), weighted.T @ told)
        rest = told - terms @ solution
        width = max(0.05, 1.5 * float(np.median(np.abs(rest))))
        weights = 1 / (1 + (rest / width) ** 2) ** 2
    return np.asarray(np.exp(np.clip(_TERMS @ solution.astype(np.float32), 0, 6)))
