"""The reading of a straightened picture by colours: a disc's face is a round area of one colour, an empty square shows
the surface; whatever is neither is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from eye.placement import Placement, lattice
from eye.surface import CELL, MARGIN, PLACE, SIDE, PixelMasks
from flagfall.othello.board import FULL, Position, squares_of

# Radius of the part of a face that must be of one colour, in squares: a little less than the smallest disc's.
_FACE = 0.36
# Shares: the least of a face that is in its own colour, the most in the other one, and the least of a bare square that
# shows the surface.
_LEAST_FACE, _OTHERS, _LEAST_BARE = 0.80, 0.08, 0.72
# A disc lies between two squares if its middle is nearer to a line than this, in squares.
_ON_LINE = 0.16
# No disc's middle is nearer to the surface's edge than this, in squares: that is the frame.
_WITHIN = 0.12
# The most of a ring around a face that may look like the face.
_ALONE = 0.9
# A disc's rim is seen up to this distance from its face's middle, in squares.
_REACH = 0.56
# Least brightness of a lamp's reflection, of 255, and the sharpness of its edge. A disc's edge falls by 0.7 and more of
# the whole within two pixels, a reflection's by 0.3 to 0.6.
_GLARING, _SHARP = 240.0, 0.63
# Fewest white discs whose edges show how sharp edges are in a picture; the least share of that which a disc's has.
_FEWEST_EDGES, _SOFTER = 3, 0.78
# A square may reach this far out of the picture, in squares: discs lie within the rest.
_CUT = 0.1
# The side, in pixels, of what is seen of a crossing of lines; the share of it that a sleeve makes black; the share of a
# circle that a disc shows.
_CROSSING, _COVERED, _CIRCLE = 9, 0.9, 0.7
# Two faces nearer to each other than this, in squares, are one face.
_APART = 0.62


@dataclass(frozen=True, eq=False)
class DiscFace:
    """A disc's upper face: its middle in board coordinates, its colour, the share of it that has this colour."""

    x: float
    y: float
    black: bool
    share: float


@dataclass(frozen=True, eq=False)
class PictureReading:
    """One picture's position, with squares named from the picture's top left."""

    position: Position
    faces: tuple[DiscFace, ...] = ()
    # The largest area that is neither surface nor disc, in squares.
    strange: float = 64.0
    # The surface's brightness, 0 to 255.
    light: float = 0.0


NOTHING = PictureReading(Position(0, 0, FULL))


def bits(mask: np.ndarray) -> int:
    """Return the squares of a mask (8, 8) as bits."""
    return sum(1 << int(square) for square in np.flatnonzero(mask))


def beyond(placement: Placement) -> int:
    """Return the squares (as bits) that the picture's edge cuts: what is out of it is not known."""
    least = -_CUT * placement.pixels_per_square
    points = placement.project(lattice(np.arange(9.0)))
    inside = ((points > least) & (points < np.array(placement.size) - least)).all(axis=1).reshape(9, 9)
    return bits(~(inside[:-1, :-1] & inside[:-1, 1:] & inside[1:, :-1] & inside[1:, 1:]))


def _disc(radius: float) -> np.ndarray:
    """Return a kernel: the mean over what lies within this radius, in squares."""
    reach = int(np.ceil(radius * CELL))
    x, y = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    kernel = (np.hypot(x, y) / CELL <= radius).astype(np.float32)
    return np.asarray(kernel / kernel.sum())


def _filter(image: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    return cv2.filter2D(image, -1, kernel, borderType=cv2.BORDER_CONSTANT)


_INSIDE = _disc(_FACE)
_WHOLE = _disc(_FACE + 0.06)
# A disc may reach this far over the surface's edge, in squares; further out nothing counts as a disc: frames are black.
_OVER_EDGE = 0.1
_ALONG = ((PLACE > -_OVER_EDGE) & (PLACE < 8 + _OVER_EDGE)).astype(np.float32)
_ON_BOARD = np.outer(_ALONG, _ALONG)
# Penalty that decides in a black area of several discs where nothing else does: each disc lies in its square's middle.
_BESIDE = 0.15 * np.add.outer((PLACE % 1 - 0.5) ** 2, (PLACE % 1 - 0.5) ** 2).astype(np.float32)
_SHARE_ON_BOARD = np.maximum(_filter(_ON_BOARD, _INSIDE), 0.5)
_MIDDLES = (slice(MARGIN + CELL // 2, -MARGIN, CELL),) * 2
_RING_ANGLES = np.arange(32) * np.pi / 16
# Offsets (x, y), in pixels from a face's middle, of points just beyond its rim.
_RING = np.rint(0.53 * CELL * np.array([np.cos(_RING_ANGLES), np.sin(_RING_ANGLES)])).astype(int)


def read_squares(pixels: PixelMasks) -> PictureReading:
    """Return the position that the masks show."""
    black, white = (mask * _ON_BOARD for mask in (pixels.black, pixels.white))
    of_black, of_white = (_filter(mask, _INSIDE) / _SHARE_ON_BOARD for mask in (black, white))
    faces = _faces(of_black, of_white, np.maximum(_filter(black, _WHOLE), _filter(white, _WHOLE)))
    told_black = told_white = doubted = 0
    discs: list[DiscFace] = []
    for face in faces:
        square = 1 << (8 * int(face.y) + int(face.x))
        other = (of_white if face.black else of_black)[_pixel(face.y), _pixel(face.x)]
        alone = _stands_alone(pixels, face)
        good = alone and face.share >= _LEAST_FACE and other < _OTHERS
        good = good and (face.black or not _is_glare(pixels, face))
        if alone:
            discs.append(face)
        if (told_black | told_white) & square or not good:
            doubted |= square
        under = _under(face)
        if under != square:
            doubted |= under
        if face.black:
            told_black |= square
        else:
            told_white |= square
    of_surface = _filter(pixels.surface.astype(np.float32), _INSIDE)[_MIDDLES]
    unknown = doubted | (FULL & ~(told_black | told_white | bits(of_surface >= _LEAST_BARE)))
    return PictureReading(
        Position(told_black & ~unknown, told_white & ~unknown, unknown),
        tuple(faces),
        _strange(pixels, discs),
        pixels.light,
    )


def _faces(of_black: np.ndarray, of_white: np.ndarray, whole: np.ndarray) -> list[DiscFace]:
    """Return round areas of one colour, the clearest first, none nearer to another than a disc is wide.

    `whole` is largest where a disc's whole face lies.
    """
    share = np.maximum(of_black, of_white)
    smooth = cv2.GaussianBlur(whole, (5, 5), 1.0) - _BESIDE
    peaks = (smooth >= cv2.dilate(smooth, np.ones((9, 9), np.uint8))) & (share > 0.55)
    rows, columns = np.nonzero(peaks)
    order = np.argsort(-smooth[rows, columns])
    faces: list[DiscFace] = []
    for index in order:
        row, column = int(rows[index]), int(columns[index])
        x, y = float(PLACE[column]), float(PLACE[row])
        if not (_WITHIN < x < 8 - _WITHIN and _WITHIN < y < 8 - _WITHIN):
            continue
        if all((x - face.x) ** 2 + (y - face.y) ** 2 > _APART**2 for face in faces):
            black = bool(of_black[row, column] > of_white[row, column])
            faces.append(DiscFace(x, y, black, float(share[row, column])))
    return faces


def under_sleeve(pixels: PixelMasks, share: np.ndarray) -> int:
    """Return the squares (as bits) over which something black lies that is no disc: it covers a crossing of lines and
    shows no circle. `share` is the share of a circle that is seen in each square (8, 8).
    """
    around = cv2.blur(pixels.black.astype(np.float32), (_CROSSING, _CROSSING))
    # At the board's edge the frame may be black, or a disc lie over it.
    crossings = MARGIN + np.arange(1, 8) * CELL
    covered = np.pad(around[np.ix_(crossings, crossings)] > _COVERED, 1)
    beside = covered[:-1, :-1] | covered[:-1, 1:] | covered[1:, :-1] | covered[1:, 1:]
    return bits(beside & (share < _CIRCLE))


def _strange(pixels: PixelMasks, faces: list[DiscFace]) -> float:
    """Return the largest area that is neither surface nor disc, in squares: a hand's or a sleeve's, if it is large."""
    explained = pixels.surface.copy()
    for face in faces:
        cv2.circle(explained, (_pixel(face.x), _pixel(face.y)), round(_REACH * CELL), 1.0, -1)
    board = slice(MARGIN, -MARGIN)
    strange = 1 - explained[board, board]
    # A narrow strip along the edge is the frame, seen aslant.
    strange = cv2.morphologyEx(
        strange, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0
    )
    _, _, areas, _ = cv2.connectedComponentsWithStats(strange, connectivity=4)
    return float(areas[1:, cv2.CC_STAT_AREA].max(initial=0)) / CELL**2


def soft_faces(gray: np.ndarray, middles: np.ndarray, white: int) -> int:
    """Return the white discs (as bits) whose edge is much softer than most of the others': a lamp that the surface
    mirrors ends softly. `gray` is a straightened picture, `middles` the faces' middles (8, 8, 2).
    """
    sharpness = {
        square: sharp
        for square in squares_of(white)
        if (sharp := _sharpness(gray, *map(float, middles[divmod(square, 8)]))[1]) is not None
    }
    if len(sharpness) < _FEWEST_EDGES:
        return 0
    usual = float(np.median(list(sharpness.values())))
    return sum(1 << square for square, sharp in sharpness.items() if sharp < _SOFTER * usual)


def _is_glare(pixels: PixelMasks, face: DiscFace) -> bool:
    """Return whether a white face may be a lamp's reflection: as bright as a picture gets, and without an edge."""
    bright, sharp = _sharpness(pixels.gray, face.x, face.y)
    return bright >= _GLARING and sharp is not None and sharp < _SHARP


def _sharpness(gray: np.ndarray, x: float, y: float) -> tuple[float, float | None]:
    """Return how bright a face is, and the share of its fall in brightness that lies within two pixels; None if it
    falls to hardly any side.
    """
    x, y = MARGIN + x * CELL - 0.5, MARGIN + y * CELL - 0.5
    around = cv2.remap(gray, _RAYS[0] + np.float32(x), _RAYS[1] + np.float32(y), cv2.INTER_LINEAR)
    rays = around.astype(np.float32)
    inner = rays[:, :3].mean(axis=1)
    falls = inner - rays.min(axis=1)
    falling = falls > 0.2 * inner
    if falling.sum() < 6:
        return float(np.median(inner)), None
    steepest = (rays[:, :-2] - rays[:, 2:]).max(axis=1)
    return float(np.median(inner)), float(np.median(steepest[falling] / falls[falling]))


_ANGLES, _RADII = np.meshgrid(np.arange(24) * np.pi / 12, np.arange(3.0, 17.0), indexing="ij")
_RAYS = (_RADII * np.cos(_ANGLES)).astype(np.float32), (_RADII * np.sin(_ANGLES)).astype(np.float32)


def _stands_alone(pixels: PixelMasks, face: DiscFace) -> bool:
    """Return whether something else begins around the face: then it is no sleeve. Areas beyond the edge or on a line do
    not count.
    """
    mask = pixels.black if face.black else pixels.white
    columns, rows = _pixel(face.x) + _RING[0], _pixel(face.y) + _RING[1]
    x, y = PLACE[columns], PLACE[rows]
    asked = (np.minimum(x, y) > 0.05) & (np.maximum(x, y) < 7.95)
    if face.black:
        asked &= np.minimum(np.abs(x - np.rint(x)), np.abs(y - np.rint(y))) >= 0.06
    return bool(mask[rows, columns][asked].sum() <= _ALONE * asked.sum())


def _under(face: DiscFace) -> int:
    """Return the squares (as bits) on which a disc lies: both squares beside a line that it is too near to."""
    columns, rows = (
        {int(coordinate - _ON_LINE), min(7, int(coordinate + _ON_LINE))} for coordinate in (face.x, face.y)
    )
    return sum(1 << (8 * row + column) for row in rows for column in columns)


def _pixel(place: float) -> int:
    return min(max(int(MARGIN + place * CELL), 0), SIDE - 1)
