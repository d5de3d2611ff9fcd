"""The reading of a picture by outlines and brightness alone: a third witness of a single picture, for mirroring faces,
for surfaces and lamps whose colours show nothing, and for surfaces without a colour.
"""

from __future__ import annotations

import cv2
import numpy as np

from eye.lines import Rounds, rounds
from eye.placement import Placement, lattice
from eye.squares import bits
from eye.surface import CELL, MARGIN, SPOTS, light_field, strongest
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
# Faces without colour on a surface that has one: the least share of a circle; the least strength of the surface's tint,
# and the most of that tint that such a face has, usually and in most of it.
_CIRCLE, _TINTED, _NEUTRAL, _HARDLY_TINTED = 0.6, 0.12, 0.3, 0.55
# The least gap (logarithm of brightness) between shining black faces and white ones, which differ by less than that
# gap; and the least by which white ones are brighter than the surface. There are this many of white at least.
_GAP, _ABOVE_SURFACE, _WHITES = 0.14, 0.25, 2
# White faces that may be black ones which shine. Percentiles: the brightness that white faces are compared with, and
# how many of them, the brightest, show how even a white face is here.
_WHITE_LEVEL, _EVENEST = 80, 40
# Logarithms of brightness: this much darker than that and this much more uneven is doubtful; where discs shine, this
# much darker is.
_BELOW_WHITE, _MORE_UNEVEN, _FAR_BELOW_WHITE = 0.08, 0.05, 0.12
# Discs shine if this many round faces, brighter than a black one is beside the surface, are neither black nor white; or
# if there are this many doubtful white ones and, for each, less than this number of black ones.
_BETWEEN, _NOT_BLACK, _DOUBTFUL, _BLACK_SHARE = 3, -0.25, 2, 0.5
# In a picture of tints: the level of what has no colour, and what the surface's tint adds.
_GRAY, _OF_TINT = 60.0, 120.0


_CENTRES = lattice(np.arange(0.5, 8)).reshape(8, 8, 2)


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
    parts = middles_of(gray, discs)
    dark, middling, bright = np.log(np.percentile(parts, (15, 50, 85), axis=1).reshape(3, 8, 8) / field)
    bare = share < _NOT_LYING
    if bare.sum() > 5:
        # Discs' shadows lie beside the crossings: what is seen in the middle of bare squares is nearer the truth.
        dark, middling, bright = (level - np.median(middling[bare]) for level in (dark, middling, bright))
    centred = np.abs(middles - _CENTRES).max(axis=2) < _CENTRED
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


def rounds_by_tint(
    small: np.ndarray, placement: Placement, spots: np.ndarray, by_gray: Rounds
) -> Rounds | None:
    """Return the circles of a picture in each square by its brightness or by its tint, whichever shows more of one, or
    None if the surface has no tint: a face may be as bright as the surface, but has not its colour.
    """
    of_surface = _surface_tint(spots[~by_gray.hide(SPOTS, _CLEAR_OF)])
    strength = float(np.linalg.norm(of_surface))
    if strength < _TINTED:
        return None
    colours = cv2.GaussianBlur(small, (3, 3), 0).astype(np.float32) + 4
    along = (colours / colours.mean(axis=2, keepdims=True) - 1) @ (of_surface / strength**2)
    tinted = rounds(np.clip(_GRAY + _OF_TINT * along, 0, 255).astype(np.uint8), placement)
    more = tinted.share > by_gray.share
    return Rounds(
        np.maximum(tinted.share, by_gray.share),
        np.where(more[..., None], tinted.middles, by_gray.middles),
        by_gray.astray,
    )


def _surface_tint(spots: np.ndarray) -> np.ndarray:
    """Return the tint (3) of the surface at spots that no disc hides, 0 without spots."""
    if not len(spots):
        return np.zeros(3)
    colours = spots + 2
    return strongest(colours / colours.mean(axis=1, keepdims=True) - 1)


def read_without_colour(faces: np.ndarray, spots: np.ndarray, discs: Rounds) -> Position:
    """Return the discs that are round and without colour on a surface that has one, if a gap in their brightness
    separates two kinds: black ones that mirror a bright room, each as much as its place does, and white ones, which
    are alike. All other squares are unknown.
    """
    nothing = Position(0, 0, FULL)
    free = ~discs.hide(SPOTS, _CLEAR_OF)
    of_surface = _surface_tint(spots[free])
    strength = float(np.linalg.norm(of_surface))
    if free.sum() < 24 or strength < _TINTED:
        return nothing
    parts = middles_of(faces.astype(np.float32) + 2, discs).reshape(8, 8, -1, 3)
    field = cv2.resize(light_field(spots.mean(axis=1) + 2, free), (8, 8), interpolation=cv2.INTER_AREA)
    level = np.log(np.median(parts.mean(axis=3), axis=2) / field)
    # A dark pixel's tint is mostly noise.
    smooth = middles_of(cv2.GaussianBlur(faces, (0, 0), 2.0).astype(np.float32) + 2, discs).reshape(
        8, 8, -1, 3
    )
    tints = smooth / smooth.mean(axis=3, keepdims=True) - 1
    round_face = discs.share[2:10, 2:10] > _CIRCLE
    round_face &= np.abs(discs.middles[2:10, 2:10] - _CENTRES).max(axis=2) < _CENTRED
    bright = round_face & (level > _ABOVE_SURFACE)
    if bright.sum() >= _WHITES:
        # The brightest faces show the lamp's own tint.
        whitest = bright & (level >= np.percentile(level[bright], 50))
        lamp = np.median(tints[whitest].reshape(-1, 3), axis=0)
        if np.linalg.norm(lamp - of_surface) > strength / 2:
            tints, of_surface = tints - lamp, of_surface - lamp
            strength = float(np.linalg.norm(of_surface))
    along = tints @ of_surface / strength**2
    other = np.linalg.norm(np.median(tints, axis=2), axis=2) / strength
    plain = (np.median(along, axis=2) < _NEUTRAL) & (np.percentile(along, 85, axis=2) < _HARDLY_TINTED)
    plain &= round_face & (other < 2 * _NEUTRAL)
    levels = np.sort(level[plain])
    if len(levels) <= _WHITES:
        return nothing
    # The uppermost gap that is wide enough: black faces may have gaps between them too.
    wide = np.flatnonzero(np.diff(levels) > _GAP)
    if not len(wide):
        return nothing
    most_black, whites = levels[wide[-1]], levels[wide[-1] + 1 :]
    least_white = whites[0]
    unlike = np.percentile(whites, 90) - np.percentile(whites, 10)
    if len(whites) < _WHITES or unlike > least_white - most_black or least_white < _ABOVE_SURFACE:
        return nothing
    black, white = bits(plain & (level < least_white)), bits(plain & (level >= least_white))
    return Position(black, white, FULL & ~(black | white))


def may_shine(faces: np.ndarray, spots: np.ndarray, discs: Rounds, position: Position, seen: int) -> int:
    """Return the white discs (as bits) of a position that may be black ones which shine.

    White faces are alike and each is even; a room that is mirrored in black ones is neither. It counts only in pictures
    that show such discs: round faces that are neither black nor white among the squares `seen`, or hardly a black one.
    """
    free = ~discs.hide(SPOTS, _CLEAR_OF)
    black, white, unknown = (
        mask_of(mask) for mask in (position.black, position.white, position.unknown & seen)
    )
    if free.sum() < 24 or not white.any():
        return 0
    parts = middles_of(faces.astype(np.float32).mean(axis=2) + 2, discs)
    field = cv2.resize(light_field(spots.mean(axis=1) + 2, free), (8, 8), interpolation=cv2.INTER_AREA)
    dark, level, bright = np.log(np.percentile(parts, (15, 50, 85), axis=1).reshape(3, 8, 8) / field)
    uneven = bright - dark
    below = np.percentile(level[white], _WHITE_LEVEL) - level
    evenest = white & (below <= np.percentile(below[white], _EVENEST))
    unlike = white & (below > _BELOW_WHITE) & (uneven > np.median(uneven[evenest]) + _MORE_UNEVEN)
    between = unknown & (discs.share[2:10, 2:10] > _CIRCLE) & (level > _NOT_BLACK) & (below > _BELOW_WHITE)
    hardly_black = unlike.sum() >= _DOUBTFUL and black.sum() < _BLACK_SHARE * unlike.sum()
    if not hardly_black and between.sum() < _BETWEEN:
        return 0
    return bits(unlike | (white & (below > _FAR_BELOW_WHITE)))


def mask_of(mask: int) -> np.ndarray:
    """Return the squares of these bits as a mask (8, 8)."""
    return np.array([mask >> square & 1 for square in range(64)], bool).reshape(8, 8)


def middles_of(image: np.ndarray, discs: Rounds) -> np.ndarray:
    """Return the pixels of each square's face or, where no circle is seen, of its middle, square by square."""
    share, middles = discs.share[2:10, 2:10], discs.middles[2:10, 2:10]
    looked_at = np.where((share > 0.55)[..., None], middles, _CENTRES)
    parts = []
    for x, y in (MARGIN + looked_at.reshape(-1, 2) * CELL).astype(int):
        parts.append(image[y - _REACH : y + _REACH + 1, x - _REACH : x + _REACH + 1][_FACE])
    return np.array(parts)
