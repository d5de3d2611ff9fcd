"""The ring around the board: an arm comes over its edge, and where one does, no disc beside it is believed."""

from __future__ import annotations

import numpy as np

from eye.surface import CELL, MARGIN, SIDE
from flagfall.othello.board import FULL, START, Position

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
