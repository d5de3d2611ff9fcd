"""What lies on each square of a straightened picture: a disc's face is a round area of one colour, an
empty square shows the surface; whatever is neither is not known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from eye.surface import CELL, MARGIN, SIDE, PixelMasks
from othello.board import FULL, Position

_FACE = 0.36
"""The radius asked for one colour, in squares: a little less than the smallest disc's."""
LEAST_FACE = 0.80
_FAR = 0.34
"""How far a disc's middle may lie from its square's before it is between two."""
_WITHIN = 0.12
"""No disc's middle lies nearer to the surface's edge: that is the frame."""
_ALONE = 0.9
"""The most of a ring around a face that may look like the face."""
_REACH = 0.56
"""So far from its face's middle a disc's rim is seen, in squares."""
_GLARING, _SHARP = 240.0, 0.63
"""As bright is a lamp's reflection, of 255. A disc's edge falls by 0.7 and more of the whole within two pixels, a
reflection's by 0.3 to 0.6.
"""
_APART = 0.62
"""Two faces nearer than this are one."""


@dataclass(frozen=True, eq=False)
class DiscFace:
    """A disc's upper face: its middle in board coordinates, its colour, the share of it that has this colour."""

    x: float
    y: float
    black: bool
    share: float


@dataclass(frozen=True, eq=False)
class PictureReading:
    """One picture's position, its squares named from the picture's top left; `strange`: the largest area that is
    neither surface nor disc, in squares; `light`: the surface's brightness, 0 to 255.
    """

    position: Position
    faces: tuple[DiscFace, ...] = field(default=())
    strange: float = 64.0
    light: float = 0.0


NOTHING = PictureReading(Position(0, 0, FULL))


def _round(inner: float, outer: float) -> np.ndarray:
    reach = int(np.ceil(outer * CELL))
    x, y = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    away = np.hypot(x, y) / CELL
    kernel = ((away <= outer) & (away >= inner)).astype(np.float32)
    return np.asarray(kernel / kernel.sum())


def _filtered(image: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    return cv2.filter2D(image, -1, kernel, borderType=cv2.BORDER_CONSTANT)


_INSIDE = _round(0, _FACE)
_WHOLE = _round(0, _FACE + 0.06)
_OVER_EDGE = 0.1
"""So far a disc may reach over the surface's edge, and no further is anything taken for one: frames are black."""
_PLACE = (np.arange(SIDE) + 0.5 - MARGIN) / CELL
_ALONG = ((_PLACE > -_OVER_EDGE) & (_PLACE < 8 + _OVER_EDGE)).astype(np.float32)
_ON_BOARD = np.outer(_ALONG, _ALONG)
_BESIDE = 0.15 * np.add.outer((_PLACE % 1 - 0.5) ** 2, (_PLACE % 1 - 0.5) ** 2).astype(np.float32)
"""What decides where nothing else does, in a black area of several discs: each lies in its square's middle."""
_SHARE_ON_BOARD = np.maximum(_filtered(_ON_BOARD, _INSIDE), 0.5)
_RING_AT = [
    (round(0.53 * CELL * float(np.cos(angle))), round(0.53 * CELL * float(np.sin(angle))))
    for angle in np.arange(32) * 2 * np.pi / 32
]


def read_squares(pixels: PixelMasks) -> PictureReading:
    """The position as the masks show it."""
    black, white = (one * _ON_BOARD for one in (pixels.black, pixels.white))
    of_black, of_white = (_filtered(one, _INSIDE) / _SHARE_ON_BOARD for one in (black, white))
    faces = _faces(of_black, of_white, np.maximum(_filtered(black, _WHOLE), _filtered(white, _WHOLE)))
    told_black = told_white = told_empty = 0
    doubted = 0
    taken = 0
    discs: list[DiscFace] = []
    for face in faces:
        column, row = int(face.x), int(face.y)
        square = 1 << (8 * row + column)
        beside_x, beside_y = face.x - column - 0.5, face.y - row - 0.5
        row_at, column_at = _pixel(face.y), _pixel(face.x)
        other = (of_white if face.black else of_black)[row_at, column_at]
        alone = _stands_alone(pixels, face)
        good = alone and face.share >= LEAST_FACE and other < 0.08
        good = good and (face.black or not _mirrored(pixels, face))
        if alone:
            discs.append(face)
        if taken & square or not good:
            doubted |= square
        if max(abs(beside_x), abs(beside_y)) > _FAR:
            doubted |= square | _neighbours(column, row, beside_x, beside_y)
        taken |= square
        if face.black:
            told_black |= square
        else:
            told_white |= square
    for row in range(8):
        for column in range(8):
            square = 1 << (8 * row + column)
            if not taken & square:
                if _at_middle(pixels.surface, column, row) >= 0.72:
                    told_empty |= square
                else:
                    doubted |= square
    unknown = doubted | (FULL & ~(told_black | told_white | told_empty))
    return PictureReading(
        Position(told_black & ~unknown, told_white & ~unknown, unknown),
        tuple(faces),
        _strange(pixels, discs),
        pixels.light,
    )


def _at_middle(mask: np.ndarray, column: int, row: int) -> float:
    """The share of a mask in the middle of a square."""
    reach = _INSIDE.shape[0] // 2
    y, x = _pixel(row + 0.5), _pixel(column + 0.5)
    return float((mask[y - reach : y + reach + 1, x - reach : x + reach + 1] * _INSIDE).sum())


def _faces(of_black: np.ndarray, of_white: np.ndarray, whole: np.ndarray) -> list[DiscFace]:
    """Round areas of one colour, the clearest first, none nearer to another than a disc is wide; `whole`
    is largest where a disc's whole face lies."""
    share = np.maximum(of_black, of_white)
    smooth = cv2.GaussianBlur(whole, (5, 5), 1.0) - _BESIDE
    peaks = (smooth >= cv2.dilate(smooth, np.ones((9, 9), np.uint8))) & (share > 0.55)
    rows, columns = np.nonzero(peaks)
    order = np.argsort(-smooth[rows, columns])
    faces: list[DiscFace] = []
    for index in order:
        row, column = int(rows[index]), int(columns[index])
        x, y = (column + 0.5 - MARGIN) / CELL, (row + 0.5 - MARGIN) / CELL
        if not (_WITHIN < x < 8 - _WITHIN and _WITHIN < y < 8 - _WITHIN):
            continue
        if all((x - face.x) ** 2 + (y - face.y) ** 2 > _APART**2 for face in faces):
            black = bool(of_black[row, column] > of_white[row, column])
            faces.append(DiscFace(x, y, black, float(share[row, column])))
    return faces


def _strange(pixels: PixelMasks, faces: list[DiscFace]) -> float:
    """The largest area that is neither surface nor disc, in squares: a hand's or a sleeve's, if it is large."""
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


def _mirrored(pixels: PixelMasks, face: DiscFace) -> bool:
    """Whether what looks like a white face is a lamp's reflection: as bright as a picture gets, and without an edge."""
    x, y = MARGIN + face.x * CELL - 0.5, MARGIN + face.y * CELL - 0.5
    around = cv2.remap(pixels.gray, _RAYS[0] + np.float32(x), _RAYS[1] + np.float32(y), cv2.INTER_LINEAR)
    rays = around.astype(np.float32)
    inner = rays[:, :3].mean(axis=1)
    if float(np.median(inner)) < _GLARING:
        return False
    falls = inner - rays.min(axis=1)
    told = falls > 0.2 * inner
    if told.sum() < 6:
        return False
    steepest = (rays[:, :-2] - rays[:, 2:]).max(axis=1)
    return float(np.median(steepest[told] / falls[told])) < _SHARP


_ANGLES, _RADII = np.meshgrid(np.arange(24) * np.pi / 12, np.arange(3.0, 17.0), indexing="ij")
_RAYS = (_RADII * np.cos(_ANGLES)).astype(np.float32), (_RADII * np.sin(_ANGLES)).astype(np.float32)


def _stands_alone(pixels: PixelMasks, face: DiscFace) -> bool:
    """Around it something else begins: it is no sleeve. What lies beyond the edge, or on a line, says nothing."""
    mask = pixels.black if face.black else pixels.white
    row, column = _pixel(face.y), _pixel(face.x)
    same = asked = 0
    for right, down in _RING_AT:
        at_row, at_column = row + down, column + right
        x, y = (at_column + 0.5 - MARGIN) / CELL, (at_row + 0.5 - MARGIN) / CELL
        if not (0.05 < x < 7.95 and 0.05 < y < 7.95) or (
            face.black and (abs(x - round(x)) < 0.06 or abs(y - round(y)) < 0.06)
        ):
            continue
        asked += 1
        same += int(mask[at_row, at_column])
    return same <= _ALONE * asked


def _neighbours(column: int, row: int, beside_x: float, beside_y: float) -> int:
    """The squares over the lines that a disc lies on."""
    squares = 0
    across = column + (1 if beside_x > 0 else -1) if abs(beside_x) > _FAR else column
    down = row + (1 if beside_y > 0 else -1) if abs(beside_y) > _FAR else row
    for x in {column, across}:
        for y in {row, down}:
            if 0 <= x < 8 and 0 <= y < 8:
                squares |= 1 << (8 * y + x)
    return squares


def _pixel(place: float) -> int:
    return min(max(int(MARGIN + place * CELL), 0), SIDE - 1)
