"""The reading of a picture by outlines and brightness alone: a third witness of a single picture, for mirroring faces,
for surfaces and lamps whose colours show nothing, and for surfaces without a colour.
"""

from __future__ import annotations

import cv2
import numpy as np

from eye.lines import Rounds
from eye.placement import lattice
from eye.squares import bits
from eye.surface import CELL, MARGIN, SPOTS, light_field
from flagfall.othello.board import FULL, Position

# Radius, in pixels, of the part of a face or of an empty square that is read.
_REACH = round(0.3 * CELL)
_FACE = np.hypot(*np.mgrid[-_REACH : _REACH + 1, -_REACH : _REACH + 1]) <= _REACH
# The surface is seen at this distance from a disc's middle, in squares.
_CLEAR_OF = 0.55
# Shares of a circle: the least that a mirroring face shows, the least that any face shows, the least that only discs
# show, and the most that a bare square shows.
_HARDLY, _LYING, _CLEARLY, _NOT_LYING = 0.42, 0.65, 0.85, 0.45
# Logarithms of brightness: the least of white discs above black ones, the most of black discs and the least of white
# ones beside a known surface, and the least that separates dark from bright.
_APART, _DARKER, _BRIGHTER, _DARK = 0.5, -0.4, 0.2, 0.3
# The same for black and white discs where all discs are of one colour.
_ALONE = -0.35, 0.5
_EVEN, _ALIKE, _UNEVEN, _CENTRED = 0.25, 0.1, 0.35, 0.27


def read_by_brightness(faces: np.ndarray, spots: np.ndarray, discs: Rounds) -> Position:
    """Return the squares of which outlines and brightness are certain; `faces` and `spots` are a straightened picture
    (`eye/surface.py: Straightener`).
    """
    free = ~discs.hide(SPOTS, _CLEAR_OF)
    if free.sum() < 24:
        return Position(0, 0, FULL)
    field = cv2.resize(light_field(spots.mean(axis=1) + 2, free), (8, 8), interpolation=cv2.INTER_AREA)
    gray = cv2.cvtColor(faces, cv2.COLOR_BGR2GRAY).astype(np.float32) + 2
    share, middles = discs.share[2:10, 2:10], discs.middles[2:10, 2:10]
    centres = lattice(np.arange(0.5, 8)).reshape(8, 8, 2)
    looked_at = np.where((share > 0.55)[..., None], middles, centres)
    parts = []
    for x, y in (MARGIN + looked_at.reshape(-1, 2) * CELL).astype(int):
        parts.append(gray[y - _REACH : y + _REACH + 1, x - _REACH : x + _REACH + 1][_FACE])
    dark, middling, bright = np.log(np.percentile(parts, (15, 50, 85), axis=1).reshape(3, 8, 8) / field)
    bare = share < _NOT_LYING
    if bare.sum() > 5:
        # Discs' shadows lie beside the crossings: what is seen in the middle of bare squares is nearer the truth.
        dark, middling, bright = (level - np.median(middling[bare]) for level in (dark, middling, bright))
    centred = np.abs(middles - centres).max(axis=2) < _CENTRED
    # What is mirrored in a face adds light to a part of it: its darker part tells its colour. Discs all round a bare
    # square draw a circle there: what is as bright as the surface tells nothing, unless its circle is clear.
    lying = centred & (share > _LYING) & (np.abs(dark) > np.where(share > _CLEARLY, _ALIKE, _BRIGHTER))
    # A part that mirrors something as bright as the surface shows no edge there.
    lying |= centred & (share > _HARDLY) & (dark < -_DARK) & (bright - dark > _UNEVEN)
    levels = np.sort(dark[lying])
    black = white = empty = np.zeros((8, 8), bool)
    if len(levels) > 1:
        # White is brighter than the surface; black may be so too where it mirrors something.
        gap = int(np.where(levels[1:] > _ALIKE, np.diff(levels), 0).argmax())
        most, least = levels[gap], levels[gap + 1]
        if least - most > _APART and least > _ALIKE:
            white = lying & (dark >= least)
            black = lying & (dark <= min(most, -_ALIKE)) & (bright < least - _BRIGHTER)
    if not white.any() and not black.any() and len(levels):
        white = lying & (dark > _ALONE[1] - 0.1) & (levels[0] > _ALONE[1])
        black = lying & (bright < _ALONE[0]) & (levels[-1] < _ALONE[0])
    # Black discs are of one kind: no square's brightness lies just above theirs. Dark squares between white lines look
    # like circles too, and on a dark surface black discs are as bright as bare squares.
    levels = np.sort(dark, axis=None)
    gap = int(np.where(levels[:-1] < -_ALIKE, np.diff(levels), 0).argmax())
    black &= (dark <= levels[gap]) & bool(levels[gap + 1] - levels[gap] > _DARK)
    if black.any() and float(np.percentile(middling[black], 90)) < _DARKER:
        # Where black discs differ from the surface so much, what does not differ is the surface.
        empty = bare & (np.abs(middling) < _ALIKE) & (bright - dark < _EVEN)
    return Position(bits(black), bits(white), bits(~(black | white | empty)))
