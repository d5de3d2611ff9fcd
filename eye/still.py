"""One picture by itself: the board is found in it, and read by two witnesses that must agree.

Colours tell what lies on a square, and outlines (`eye/rounds.py`) whether anything does.
"""

from __future__ import annotations

import cv2
import numpy as np

from eye.brightness import squares, told_by_brightness
from eye.find import Found, find, searched
from eye.rounds import rounds
from eye.squares import NOTHING, read_squares
from eye.surface import Straightener, pixels_of
from eye.watcher import beyond
from othello.board import Position

_EMPTY, _BRIGHT, _LYING = 0.4, 0.62, 0.8
"""The most of a circle that an empty square shows, the least that a white disc shows, and what only discs do. Black
ones show little in dim light.
"""
_CONTRADICTED = 3
"""So many squares on which the two differ, and neither is believed of any."""


def read_picture(picture: np.ndarray) -> tuple[Found, Position] | None:
    """Where the board lies in a picture (BGR), and its squares named from the picture's top left; None without one."""
    found = find(picture)
    if found is None:
        return None
    small = searched(picture)
    placement = found.placement.scaled(small.shape[1] / picture.shape[1], (small.shape[1], small.shape[0]))
    discs = rounds(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), placement)
    share = discs.share[2:10, 2:10]
    faces, spots = Straightener(found.placement).straight(picture)
    pixels = pixels_of(faces, spots, share < _EMPTY)
    told = (NOTHING if pixels is None else read_squares(pixels)).position
    hidden = squares(share > _LYING) & ~(told.black | told.white | told.unknown)
    if hidden.bit_count() >= _CONTRADICTED:
        told, hidden = NOTHING.position, 0
    glare = squares(share < _BRIGHT) & told.white
    unknown = told.unknown | hidden | glare
    other = told_by_brightness(faces, spots, discs)
    differ = told.differences(other) & ~unknown
    black, white = told.black & ~unknown, told.white & ~unknown
    if differ.bit_count() < _CONTRADICTED:
        black, white = black | other.black & unknown, white | other.white & unknown
        unknown &= other.unknown
    unknown |= differ | beyond(found.placement)
    return found, Position(black & ~unknown, white & ~unknown, unknown)
