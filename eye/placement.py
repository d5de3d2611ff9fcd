"""The place of a board in a picture: a camera of square pixels, a lens with one term of radial distortion, a plane; and
what the picture shows at any of its points.

Board coordinates are in squares: (0, 0) is the outer corner of a1, (8, 8) that of h8 where the picture's top row is row
1; the third one is the height above the board, towards the camera. Picture coordinates are pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

OUTLINE = np.array([(0, 0), (8, 0), (8, 8), (0, 8)], dtype=np.float64)
# How high a disc's upper face lies, in squares: 5.5 to 6.5 mm on squares of 38 to 42.
FACE_HEIGHT = 0.15
# Least and greatest focal length of a believable camera, as shares of the picture's longer side.
_WIDEST, _NARROWEST = 0.6, 3.0
_USUAL = 1.0


@dataclass(frozen=True, eq=False)
class Placement:
    """The place of a board in a picture."""

    # Takes the board's plane to the picture that a lens without distortion would give.
    homography: Floats
    # The distortion at half the picture's diagonal, negative for a barrel.
    bend: float
    # The picture's (width, height).
    size: tuple[int, int]

    def project(self, points: Floats, height: float = 0.0) -> Floats:
        """Return the picture points of board points (n, 2), at a height in squares above the board."""
        matrix = self._homography_at(height) if height else self.homography
        flat = _apply(np.asarray(matrix), points)
        middle, scale = self._lens
        away = (flat - middle) / scale
        return middle + scale * away * (1 + self.bend * _square(away))

    def locate(self, pixels: Floats) -> Floats:
        """Return the board points of picture points (n, 2) that lie on the board's plane."""
        middle, scale = self._lens
        seen = (pixels - middle) / scale
        away = seen.copy()
        for _ in range(4 if self.bend else 0):
            away = seen / (1 + self.bend * _square(away))
        straight: Floats = np.asarray(middle + scale * away, np.float64)
        return _apply(np.asarray(np.linalg.inv(self.homography), np.float64), straight)

    @property
    def corners(self) -> Floats:
        """The four corners of the playing surface in the picture, clockwise from a1's."""
        return self.project(OUTLINE)

    @property
    def pixels_per_square(self) -> float:
        """The side of a middling square, in pixels."""
        corners = self.corners
        x, y = corners[:, 0], corners[:, 1]
        area = 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
        return float(area**0.5) / 8

    def scaled(self, factor: float, size: tuple[int, int]) -> Placement:
        """Return the same place in a picture made larger or smaller."""
        return replace(self, homography=np.diag([factor, factor, 1.0]) @ self.homography, size=size)

    def within(self, picture: np.ndarray) -> Placement:
        """Return the same place in this picture: the one in which it was found, made larger or smaller."""
        height, width = picture.shape[:2]
        return self.scaled(width / self.size[0], (width, height))

    @property
    def _lens(self) -> tuple[Floats, float]:
        width, height = self.size
        return np.array([(width - 1) / 2, (height - 1) / 2]), 0.5 * float(np.hypot(width, height))

    @property
    def oblong(self) -> float:
        """The difference of its squares from being square, whatever lens a camera may have: 0 to 1; 0.3 is a third
        longer one way than the other.
        """
        _, rays = self._rays
        first, second = rays[:, 0], rays[:, 1]
        apart = np.hypot(2 * first @ second, first @ first - second @ second)
        return float(apart / (first @ first + second @ second))

    @property
    def _rays(self) -> tuple[float, Floats]:
        """The focal length in pixels, which follows from the squares' being square where the board is tilted enough to
        tell; and the board's columns, rows and corner as that camera sees them.
        """
        middle, _ = self._lens
        centred = np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, 1]]) @ self.homography
        first, second = centred[:, 0], centred[:, 1]
        longer = float(max(self.size))
        scale = longer**2
        # s = (longer / focal length) squared solves both equations as well as it can, and is drawn to the usual one.
        along = np.array([first[:2] @ second[:2], first[:2] @ first[:2] - second[:2] @ second[:2]]) / scale
        apart = np.array([first[2] * second[2], first[2] ** 2 - second[2] ** 2])
        size = float(first[:2] @ first[:2] + second[:2] @ second[:2]) / scale
        along, apart = along / size, apart / size
        pull = 1e-4
        s = float(-(along @ apart) + pull / _USUAL**2) / float(along @ along + pull)
        focal = longer / float(np.sqrt(np.clip(s, 1 / _NARROWEST**2, 1 / _WIDEST**2)))
        rays = np.diag([1 / focal, 1 / focal, 1.0]) @ centred
        return focal, np.asarray(-rays if rays[2] @ np.array([4.0, 4.0, 1.0]) < 0 else rays)

    def _homography_at(self, height: float) -> Floats:
        """Return the homography of the plane at this height above the board."""
        middle, _ = self._lens
        focal, rays = self._rays
        unit = float(np.sqrt(np.linalg.norm(rays[:, 0]) * np.linalg.norm(rays[:, 1])))
        # Columns go right and down as seen: their cross product points away from the camera.
        up = -np.cross(rays[:, 0], rays[:, 1]) / unit
        rays[:, 2] += height * up
        back = np.array([[1, 0, middle[0]], [0, 1, middle[1]], [0, 0, 1]]) @ np.diag([focal, focal, 1.0])
        return np.asarray(back @ rays)


def placement_of(corners: Floats, size: tuple[int, int], bend: float = 0.0) -> Placement:
    """Return the placement whose corners of the surface, clockwise from a1's, lie at these picture points."""
    straight = Placement(np.eye(3), bend, size)
    return Placement(homography_of(OUTLINE, straight.locate(corners)), bend, size)


def homography_of(here: Floats, there: Floats) -> Floats:
    """Return the homography that takes four or more points (n, 2) to others, by least squares."""
    rows = []
    for (x, y), (u, v) in zip(here, there, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, -v])
    _, _, across = np.linalg.svd(np.array(rows))
    matrix = across[-1].reshape(3, 3)
    return np.asarray(matrix / (matrix[2] @ np.array([4.0, 4.0, 1.0])))


def lattice(along: Floats) -> Floats:
    """Return the points (n, 2) where each of these places across meets each of them down, row by row."""
    return np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)


def from_top_left(corners: Floats) -> Floats:
    """Return the corners (4, 2) in their order, beginning with the one nearest the picture's top left."""
    return np.roll(corners, -int(np.argmin(corners.sum(axis=1))), axis=0)


def sample(
    picture: np.ndarray, pixels: Floats, shape: tuple[int, ...], beyond: int = cv2.BORDER_CONSTANT
) -> np.ndarray:
    """Return the picture at points (rows x columns, 2) as an image of `shape` (rows, columns)."""
    x, y = (np.ascontiguousarray(pixels[:, axis], np.float32).reshape(shape) for axis in (0, 1))
    return cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=beyond)


def _apply(matrix: Floats, points: Floats) -> Floats:
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _square(points: Floats) -> Floats:
    x, y = points[:, :1], points[:, 1:]
    return x * x + y * y
