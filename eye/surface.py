"""The playing surface's own colour, as the light falls on it, and what each pixel of a straightened picture is by it.

The straightened picture shows the plane of the discs' upper faces, `CELL` pixels a square, with a margin around:
an arm comes over the board's edge there, and where one does, no disc beside it is believed (`Margin`).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from eye.placement import FACE_HEIGHT, Floats, Placement, lattice
from flagfall.othello.board import FULL, START, Position

CELL = 24
MARGIN = 16
SIDE = 8 * CELL + 2 * MARGIN
# Position of each of its pixels across (down), in squares.
PLACE = (np.arange(SIDE) + 0.5 - MARGIN) / CELL

# Distance from a crossing of lines, in squares, at which the surface is read: no disc covers all four corners there.
_NEAR = 0.13


def spots_of(first: int, last: int) -> Floats:
    """Return the points (n, 2) in the four corners of each square of these rows and columns, row by row, two in
    each.
    """
    return lattice(
        np.sort(np.concatenate([np.arange(first, last + 1) + side for side in (_NEAR, 1 - _NEAR)]))
    )


SPOTS = spots_of(0, 7)
_X, _Y = ((SPOTS - 4) / 4).T
_TERMS = np.stack([np.ones_like(_X), _X, _Y, _X * _X, _X * _Y, _Y * _Y], axis=-1)


class Straightener:
    """The way from a picture to the straightened one, worked out once for a placement."""

    def __init__(self, placement: Placement) -> None:
        width, height = placement.size
        self._size: tuple[int, int] | None = None
        shrink = 1.25 * CELL / placement.pixels_per_square
        if shrink < 1:
            self._size = max(1, round(width * shrink)), max(1, round(height * shrink))
            placement = placement.scaled(shrink, self._size)
        self._faces = _map(placement.project(lattice(PLACE), FACE_HEIGHT), (SIDE, SIDE))
        self._spots = _map(placement.project(SPOTS), (len(SPOTS), 1))

    def straight(self, picture: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the straightened picture (SIDE, SIDE, 3), and the colours of the surface itself beside its crossings,
        16 x 16 row by row (256, 3).
        """
        if self._size is not None:
            picture = cv2.resize(picture, self._size, interpolation=cv2.INTER_AREA)
        # Beyond the picture its edge goes on, so that a hand which comes over that edge is seen beside the board.
        faces = cv2.remap(picture, *self._faces, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        spots = cv2.remap(picture, *self._spots, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return faces, spots[:, 0].astype(np.float32)


def _map(pixels: Floats, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    maps = pixels.astype(np.float32).reshape(*shape, 2)
    fixed, parts = cv2.convertMaps(maps[..., 0], maps[..., 1], cv2.CV_16SC2)
    return fixed, parts


@dataclass(frozen=True, eq=False)
class PixelMasks:
    """The kinds of the pixels of the straightened picture, as masks (SIDE, SIDE) of 0 and 1."""

    surface: np.ndarray
    black: np.ndarray
    white: np.ndarray
    # How bright each is, 0 to 255.
    gray: np.ndarray
    # The surface's usual brightness, 0 to 255.
    light: float


# Least brightness, and least strength of colour, of a surface that can be read.
_DARKEST, _FAINTEST = 6.0, 4.0


def pixels_of(
    faces: np.ndarray, spots: np.ndarray, empty: np.ndarray | None = None, crowded: bool = False
) -> PixelMasks | None:
    """Return a straightened picture's pixels, or None if the surface is too dark or has no colour of its own.

    `empty` is the squares (8, 8) that show the surface in their middle, if something other than colours has shown them.
    On a `crowded` board discs may hide most corners: what has a strong tint there is the surface.
    """
    measured = _surface_in(faces, spots, empty, crowded)
    if measured is None:
        return None
    values, usual, light = measured
    strength = float(np.hypot(*usual))
    middling = float(np.median(light))
    if middling < _DARKEST or middling * strength < _FAINTEST:
        return None
    inside = slice(MARGIN, -MARGIN)
    blue, green, red = cv2.split(values)
    # 1 on the surface in any light, 0 on what has no colour: the tint along the surface's, and across it.
    to_tint = np.array([[-1, -1, 2], [2, -1, -1]], np.float32) / 3
    axes = np.array([usual, (-usual[1], usual[0])], np.float32) / strength**2
    third = np.full((1, 3), 1 / 3, np.float32)
    mean, along, across = cv2.split(cv2.transform(values, np.vstack([third, axes @ to_tint])))
    field = _everywhere(light)
    bright = mean / field
    safe = np.maximum(mean, 4.0)
    along, across = along / safe, across / safe
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
    strong = cv2.max(cv2.absdiff(red, mean), cv2.absdiff(blue, mean)) / safe
    plain |= (bright > _LEAST_WHITE) & (along < 0.6) & (strong < _LIGHTS_TINT)
    most_black, least_white = _levels((bright * (plain & (bright > _LEAST_WHITE)))[inside, inside])
    tint_colour = _of_tint(usual)
    least = cv2.min(cv2.min(blue / tint_colour[0], green / tint_colour[1]), red / tint_colour[2]) / field
    # In a light whose colour nothing tells, black is still what is dark where the surface is brightest.
    black = (plain & (bright < most_black)) | (bright < 0.25) | ((least < _DARK) & (along < 0.5))
    white = plain & (bright > least_white) & ~black
    core = np.ones((9, 9), np.uint8)
    if least_white <= _LEAST_WHITE and not cv2.erode(black.astype(np.uint8), core)[inside, inside].any():
        # Discs of one kind, not much brighter than the surface: a dark board's black ones look so too.
        white &= False
    masks = [mask.astype(np.uint8) for mask in (surface & ~black, black, white)]
    gray = cv2.cvtColor(faces, cv2.COLOR_BGR2GRAY)
    return PixelMasks(masks[0], masks[1], masks[2], gray=gray, light=middling)


def _surface_in(
    faces: np.ndarray, spots: np.ndarray, empty: np.ndarray | None, crowded: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return the pixels without the lamp's own colour, if white faces show it; the surface's tint, and its light at the
    spots. Return None if no surface is seen.
    """
    values = faces.astype(np.float32)
    inside, middle = slice(MARGIN, -MARGIN), slice(CELL // 2 - 3, CELL // 2 + 3)
    squares = values[inside, inside].reshape(8, CELL, 8, CELL, 3)
    middles = squares[:, middle, :, middle].mean(axis=(1, 3))
    empty = None if empty is None else _colourful(middles, empty)
    if empty is not None:
        # Beside the crossings a broad line's colour mixes in; in the middle of an empty square it does not.
        around = spots.reshape(8, 2, 8, 2, 3)
        spots = np.where(empty[:, None, :, None, None], middles[:, None, :, None], around).reshape(-1, 3)
    surface = _surface(spots, middles, empty, crowded)
    lamp = None if surface is None else _lamp(values, *surface)
    if lamp is not None:
        values = values / lamp
        surface = _surface(spots / lamp, middles / lamp, empty, crowded)
    return None if surface is None else (values, *surface)


def _colourful(middles: np.ndarray, empty: np.ndarray) -> np.ndarray | None:
    """Return those of the empty squares that have the surface's strength of colour: a black disc on a dark board may
    show no outline. Return None if they are too few.
    """
    strength = np.ptp(middles, axis=2)
    empty = empty & (strength > 0.5 * np.max(strength, where=empty, initial=0))
    return empty if empty.sum() >= _TELLING else None


def _lamp(values: np.ndarray, tint: np.ndarray, light: np.ndarray) -> np.ndarray | None:
    """Return the light's own colour (blue, green, red; 1 is none), by the faces that are brighter than the surface in
    every colour: a camera seldom makes white discs white. Return None if there are no such faces.
    """
    inside = values[MARGIN:-MARGIN:2, MARGIN:-MARGIN:2]
    ratio = inside / (_everywhere(light)[MARGIN:-MARGIN:2, MARGIN:-MARGIN:2, None] * _of_tint(tint))
    least, most = ratio.min(axis=2), ratio.max(axis=2)
    bright = inside[(least > _LEAST_WHITE) & (most > _OTHER_TINT * least)]
    if len(bright) < CELL * CELL // 8:
        return None
    usual = np.median(bright, axis=0)
    return np.asarray(np.clip(usual / usual.mean(), *_LAMPS), np.float32)


def _of_tint(tint: np.ndarray) -> np.ndarray:
    """Return a colour (blue, green, red) of mean 1 of this tint (red, blue)."""
    return np.array([1 + tint[1], 1 - tint.sum(), 1 + tint[0]], np.float32).clip(0.05)


# A colour has not the surface's tint if it exceeds the surface in one component by this much more than in another.
_OTHER_TINT = 1.15
# Black has, of one colour at least, less than this share of the surface's.
_DARK = 0.5
# Limits of a lamp's colour: skin and wood lie beyond them.
_LAMPS = (0.65, 1.5)
_LIGHTS_TINT = 0.22
# Least number of pixels of a face whose surroundings belong to the face.
_OF_ONE_FACE = 60
# Least number of empty squares that show the surface's tint.
_TELLING = 2
# The most of the white faces' brightness that a black one has, and the least that a white one has.
_BLACK, _WHITE = 0.38, 0.62
# Brightness of a face as a multiple of the surface's, where no white disc shows how bright white is here.
_MOST_BLACK, _LEAST_WHITE = 0.88, 1.3


def _levels(bright: np.ndarray) -> tuple[float, float]:
    """Return how bright a black face may be, and how bright a white one must be; what lies between is neither.

    `bright` is the brightness of what is brighter than the surface and has not its tint, 0 elsewhere.
    """
    # Within whole faces: a lamp's spot in each is smaller.
    faces = cv2.erode(bright, np.ones((9, 9), np.uint8))
    whitest = float(np.partition(faces, -_OF_ONE_FACE, axis=None).flat[-_OF_ONE_FACE])
    if whitest < _LEAST_WHITE:
        return _MOST_BLACK, _LEAST_WHITE
    white = float(np.median(bright[bright > _WHITE * whitest]))
    least_white, most_black = _WHITE * white, _BLACK * white
    between = ((faces > most_black) & (faces < least_white)).sum()
    darker = ((faces > _LEAST_WHITE) & (faces <= most_black)).sum()
    if darker < _OF_ONE_FACE or between > 0.1 * darker:
        # A white face in a shadow is brighter than the surface; black ones of a dark surface are two kinds of bright.
        most_black = min(most_black, _LEAST_WHITE)
    return max(_MOST_BLACK, most_black), max(_LEAST_WHITE, least_white)


def _surface(
    spots: np.ndarray, middles: np.ndarray, empty: np.ndarray | None, crowded: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the surface's tint (red, blue), and how bright it is at each spot by those around it, or None if too few
    spots are of one tint.

    `middles` is the squares' own colours (8, 8, 3).
    """
    light = spots.mean(axis=1) + 1e-3
    tint = _tint(spots)
    # Discs hide many spots of a full board; where a square is of one colour up to its corners nothing lies.
    corners = spots.reshape(8, 2, 8, 2, 3)
    near = (np.abs(corners - middles[:, None, :, None]) < 0.2 * middles[:, None, :, None] + 5).all(axis=4)
    free = near & (near.sum(axis=(1, 3)) >= 3)[:, None, :, None]
    usual = np.median(tint[free.ravel()] if free.sum() >= 9 else tint, axis=0)
    if crowded:
        # A disc as wide as its square is of one colour up to the corners too, and has hardly a tint.
        strength = np.hypot(*tint.T)
        usual = np.median(tint[strength >= np.median(strength)], axis=0)
    if empty is not None:
        usual = np.median(_tint(middles[empty]), axis=0)
    away = np.hypot(*(tint - usual).T)
    alike = away < max(0.5 * float(np.hypot(*usual)), 0.06)
    if alike.sum() < 24:
        return None
    return np.median(tint[alike], axis=0), light_field(light, alike)


def _tint(colours: np.ndarray) -> np.ndarray:
    """Return (red, blue) of colours (n, 3): by how much they exceed the mean, as shares of it."""
    return np.asarray(colours[:, [2, 0]] / (colours.mean(axis=1, keepdims=True) + 1e-3) - 1)


def strongest(tints: np.ndarray) -> np.ndarray:
    """Return the median (3) of the stronger half of tints (n, 3)."""
    strong = np.linalg.norm(tints, axis=1)
    return np.asarray(np.median(tints[strong >= np.median(strong)], axis=0))


def light_field(light: np.ndarray, alike: np.ndarray) -> np.ndarray:
    """Return how bright the surface is at each spot.

    It is a smooth field over the spots that show the surface, those that differ much left out; then it is moved to what
    the nearest show, for a shadow may have an edge.
    """
    levels, terms = np.log(light), _TERMS[alike]
    weights = np.ones(len(terms))
    solution = np.zeros(6)
    for _ in range(4):
        weighted = terms * weights[:, None]
        solution = np.linalg.solve(terms.T @ weighted + 1e-3 * np.eye(6), weighted.T @ levels[alike])
        rest = levels[alike] - terms @ solution
        width = max(0.05, 1.5 * float(np.median(np.abs(rest))))
        weights = 1 / (1 + (rest / width) ** 2) ** 2
    smooth = _TERMS @ solution
    beside = np.where(alike, np.clip(levels - smooth, -1, 1), 0).astype(np.float32).reshape(16, 16)
    density = cv2.GaussianBlur(alike.astype(np.float32).reshape(16, 16), (7, 7), 1.2)
    local = cv2.GaussianBlur(beside, (7, 7), 1.2) / (density + 0.15)
    return np.asarray(np.exp(np.clip(smooth.reshape(16, 16) + local, 0, 6)), np.float32)


def _everywhere(light: np.ndarray) -> np.ndarray:
    """Return the field at the spots as one of every pixel of the straightened picture."""
    inside = cv2.resize(light, (8 * CELL, 8 * CELL), interpolation=cv2.INTER_LINEAR)
    return cv2.copyMakeBorder(inside, MARGIN, MARGIN, MARGIN, MARGIN, cv2.BORDER_REPLICATE)


# Side of the straightened picture made small: each of its pixels is the mean of 4 x 4.
COARSE = SIDE // 4
# Width of the ring in coarse pixels: a disc on the edge, and its shadow, reach less far.
_WIDE = 2
# Least difference from before, of 255 in one colour, that is no lamp's flicker. A hand may be as bright as a frame.
_OTHER = 25.0
# Least size of a change, in coarse pixels (each a twelfth of a square).
_LEAST = 3
# An object that lies still for this long from the first picture on belongs to the table.
_KNOWN_NS = 1_000_000_000
# An object that comes later, lies still for this long and changes nothing on the squares beside it belongs to the
# table.
_STAYS_NS = 2_000_000_000
# An object that lies still for this long belongs to the table whatever it changed: no hand lies so still.
_FOR_GOOD_NS = 30_000_000_000
# Brightness, of 255, to which the surface of every picture is scaled.
_USUAL_LIGHT = 128.0
# Share of each picture's difference that the remembered ring takes over.
_SLOWLY = 0.1


def _beside() -> np.ndarray:
    """Return for each coarse pixel of the ring the squares (as bits) whose middles lie less than 2 squares beside it
    and 2.2 above or below; 0 inside the ring.
    """
    away = np.abs(np.subtract.outer((np.arange(COARSE) * 4 + 2 - MARGIN) / CELL, np.arange(0.5, 8)))
    near = (away < 2.2)[:, None, :, None] & (away < 2)[None, :, None, :]
    squares = near.reshape(COARSE, COARSE, 64) @ (np.uint64(1) << np.arange(64, dtype=np.uint64))
    squares[_WIDE:-_WIDE, _WIDE:-_WIDE] = 0
    return np.asarray(squares)


_SQUARES = _beside()
_RING = _SQUARES > 0


class Margin:
    """The ring around the board as it is when nobody reaches over it."""

    def __init__(self) -> None:
        self._usual: np.ndarray | None = None
        self._same_since_ns: int | None = None
        self._last = Position(0, 0, FULL)

    def crossed(self, coarse: np.ndarray, light: float, at_ns: int, position: Position) -> int:
        """Return the squares (as bits) of `position` that are not to be believed: something new lies over the edge
        beside them, and they have changed.

        `coarse` is the straightened picture (COARSE, COARSE, 3), free and still; `light` is how bright the board's
        surface is in it.
        """
        if self._same_since_ns is None:
            self._same_since_ns = at_ns
        same_ns = at_ns - self._same_since_ns
        coarse = coarse * (_USUAL_LIGHT / light)
        if self._usual is None:
            # A hand that lies there from the first would be taken for the table; by the start position none does.
            start = position.occupied == START.occupied and not position.unknown
            if not start and same_ns < _KNOWN_NS:
                return FULL
            self._usual, self._last = coarse, position
        beside = self._squares_reached(coarse)
        last = self._last
        changed = position.black ^ last.black | position.white ^ last.white | position.unknown ^ last.unknown
        if beside and same_ns >= (_FOR_GOOD_NS if beside & changed else _STAYS_NS):
            self._usual, beside = coarse, 0
        if not beside & changed:
            self._last = position
        if not beside:
            # Light that changes slowly is no hand.
            self._usual = self._usual + (coarse - self._usual) * _SLOWLY
        return beside & changed

    def as_usual(self, coarse: np.ndarray, light: float) -> bool:
        """Return whether nothing new lies over the edge, as far as it is known."""
        return self._usual is not None and not self._squares_reached(coarse * (_USUAL_LIGHT / light))

    def learn(self, coarse: np.ndarray, light: float) -> None:
        """Take this ring for the usual one: the board was moved after a little, and nothing lies over its edge."""
        self._usual = coarse * (_USUAL_LIGHT / light)

    def moved(self) -> None:
        """Begin to wait anew: the picture is not still, or not free."""
        self._same_since_ns = None

    def _squares_reached(self, coarse: np.ndarray) -> int:
        """Return the squares (as bits) next to where the ring changed."""
        assert self._usual is not None
        # A camera may weigh its colours anew: that changes the whole ring.
        tint = np.median(self._usual[_RING] / np.maximum(coarse[_RING], 1), axis=0)
        other = (np.abs(coarse * tint - self._usual).max(axis=2) > _OTHER) & _RING
        return int(np.bitwise_or.reduce(_SQUARES[other])) if int(other.sum()) >= _LEAST else 0
