"""One picture by itself: the board is found in it, and read by two witnesses that must agree.

Colours tell what lies on a square, and outlines (`eye/rounds.py`) whether anything does.
"""

from __future__ import annotations

import cv2
import numpy as np

from eye.brightness import squares, told_by_brightness
from eye.find import Found, find, searched
from eye.placement import Floats
from eye.rounds import Rounds, rounds
from eye.squares import NOTHING, PictureReading, read_squares
from eye.surface import CELL, MARGIN, SPOTS, PixelMasks, Straightener, pixels_of
from eye.watcher import beyond
from othello.board import Position

_EMPTY, _BRIGHT, _LYING = 0.4, 0.62, 0.7
"""The most of a circle that an empty square shows, the least that a white disc shows, and what only discs do."""
_FAINT_BLACK, _FAINT_WHITE = 0.3, 0.6
"""And the least as a share of what discs of its colour usually show here: in dim light, or between bright lines, all
show less.
"""
_CONTRADICTED = 3
"""So many squares on which two witnesses differ, and one of them is not believed of any."""
_OPEN = 8
"""Colours alone that leave more squares open took something else for the surface."""
_CLEAR_OF = 0.5
"""So far from a disc's middle its surroundings are seen, in squares."""
_CORNERS = tuple((MARGIN + SPOTS * CELL).astype(int).T[::-1])


def read_picture(picture: np.ndarray) -> tuple[Found, Position] | None:
    """Where the board lies in a picture (BGR), and its squares named from the picture's top left; None without one."""
    found = find(picture)
    if found is None:
        return None
    small = searched(picture)
    placement = found.placement.scaled(small.shape[1] / picture.shape[1], (small.shape[1], small.shape[0]))
    discs = rounds(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), placement)
    told = _told(*Straightener(found.placement).straight(picture), discs)
    return found, told.unknown_at(beyond(found.placement))


def _told(faces: np.ndarray, spots: np.ndarray, discs: Rounds) -> Position:
    share = discs.share[2:10, 2:10]
    told, may_be_light, doubted = NOTHING.position, 0, 0
    positions = []
    # On a full board what shows no outline is no empty square, and colours alone tell more.
    for empty, most_open in ((share < _EMPTY, 63), (None, _OPEN)):
        pixels = pixels_of(faces, spots, empty)
        reading = NOTHING if pixels is None else read_squares(pixels)
        position = reading.position
        positions.append(position)
        open_ = position.unknown.bit_count()
        if pixels is None or open_ > most_open or _hidden(position, share).bit_count() >= _CONTRADICTED:
            continue
        lit, strange = _doubted(reading, pixels, share)
        may_be_light, doubted = may_be_light | lit, doubted | strange
        told = told.known_through(position).unknown_at(told.differences(position))
    if positions[0].differences(positions[1]).bit_count() >= _CONTRADICTED:
        # One of them took discs for the surface: what the other leaves open is not believed of it either.
        told = told.unknown_at(positions[0].unknown | positions[1].unknown)
    hidden = _hidden(told, share)
    other = told_by_brightness(faces, spots, discs)
    differ = told.differences(other) & ~hidden
    told = told.unknown_at(may_be_light | hidden)
    if differ.bit_count() < _CONTRADICTED:
        told = told.known_through(other)
    return told.unknown_at(differ | doubted)


def _hidden(told: Position, share: Floats) -> int:
    """The squares (as bits) told to be empty on which outlines show a disc."""
    return squares(share > _LYING) & told.empty & ~told.unknown


def _doubted(reading: PictureReading, pixels: PixelMasks, share: Floats) -> tuple[int, int]:
    """The white discs (as bits) that may be light, which lies on the surface around a disc too; then the discs that no
    brightness makes sure: shadows, and light on several squares.
    """
    free = np.ones(len(SPOTS), bool)
    for face in reading.faces:
        free &= np.hypot(*(SPOTS - (face.x, face.y)).T) > _CLEAR_OF
    black, white = (_mask(one) for one in (reading.position.black, reading.position.white))
    lit = white * (pixels.white[_CORNERS] * free).reshape(8, 2, 8, 2).sum(axis=(1, 3))
    least = _BRIGHT
    if (share[white] > _BRIGHT).sum() > 1:
        least = min(least, _FAINT_WHITE * float(np.median(share[white])))
    faint = white & (share < least)
    beside = cv2.dilate(faint.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    shadow = black & (share < _FAINT_BLACK * float(np.median(share[black]))) if black.any() else black
    return squares(faint | (lit > 0)), squares((lit > 1) & beside | shadow)


def _mask(bits: int) -> np.ndarray:
    return np.array([bits >> square & 1 for square in range(64)], bool).reshape(8, 8)
