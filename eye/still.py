"""One picture by itself: the board is found in it, and read by two witnesses that must agree.

Colours tell what lies on a square, and outlines (`eye/rounds.py`) whether anything does.
"""

from __future__ import annotations

import cv2
import numpy as np

from eye.find import Found, find, searched
from eye.rounds import rounds
from eye.squares import read_squares
from eye.surface import Straightener, pixels_of
from eye.watcher import beyond
from othello.board import FULL, Position

_EMPTY, _BRIGHT, _LYING = 0.4, 0.56, 0.8
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
    share = rounds(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), placement).share[2:10, 2:10]
    pixels = pixels_of(*Straightener(found.placement).straight(picture), share < _EMPTY)
    if pixels is None:
        return found, Position(0, 0, FULL)
    told = read_squares(pixels).position
    hidden = _squares(share > _LYING) & ~(told.black | told.white | told.unknown)
    if hidden.bit_count() >= _CONTRADICTED:
        return found, Position(0, 0, FULL)
    glare = _squares(share < _BRIGHT) & told.white
    unknown = told.unknown | hidden | glare | beyond(found.placement)
    return found, Position(told.black & ~unknown, told.white & ~unknown, unknown)


def _squares(those: np.ndarray) -> int:
    return sum(1 << int(square) for square in np.flatnonzero(those))
