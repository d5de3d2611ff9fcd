"""The rest of the surface's own tint on each square: light that a glossy board mirrors is added to it, and takes
none of it away, while a disc covers it.
"""

from __future__ import annotations

import numpy as np

from eye.brightness import mask_of, middles_of
from eye.lines import Rounds
from eye.squares import bits
from flagfall.othello.board import FULL, Position

# Fewest empty squares, and discs, that are known before what a tint says counts.
_FEWEST_EMPTY, _FEWEST_DISCS = 4, 2
# Least strength of the surface's tint, of 255.
_WEAKEST = 8.0
# Shares of the surface's usual tint: more than these at the median and the lower quartile of a middle is bare surface,
# if no known disc has more than the third; less than the fourth at the upper quartile is none.
_BARE, _BARE_MOSTLY, _MOST_OF_DISCS, _NONE = 0.4, 0.25, 0.25, 0.2
# The most of a circle that a bare square shows.
_HARDLY_ROUND = 0.5
# What is brighter than this, of 255, may have lost its tint to too much light.
_DAZZLING = 180.0


def surface_left(faces: np.ndarray, discs: Rounds, known: Position) -> tuple[int, int]:
    """Return the squares (as bits) on which the surface shows, and those on which nothing of its tint does and no light
    dazzles. `known` is what others have read; where it does not show what the surface and discs have, the first are
    none, and the second all: nothing is said against a disc.
    """
    empty, disc = (mask_of(squares) for squares in (known.empty, known.black | known.white))
    if empty.sum() < _FEWEST_EMPTY or disc.sum() < _FEWEST_DISCS:
        return 0, FULL
    parts = middles_of(faces.astype(np.float32), discs).reshape(8, 8, -1, 3)
    chroma = parts - parts.mean(axis=3, keepdims=True)
    surface = np.median(np.median(chroma, axis=2)[empty], axis=0)
    if np.linalg.norm(surface) < _WEAKEST:
        return 0, FULL
    low, middle, high = np.percentile(chroma @ surface / (surface @ surface), (25, 50, 75), axis=2)
    if float(middle[disc].max()) > _MOST_OF_DISCS:
        return 0, FULL
    bare = (middle > _BARE) & (low > _BARE_MOSTLY) & (discs.share[2:10, 2:10] < _HARDLY_ROUND)
    dazzling = np.percentile(parts.mean(axis=3), 85, axis=2) > _DAZZLING
    return bits(bare), bits((high < _NONE) & ~dazzling)
