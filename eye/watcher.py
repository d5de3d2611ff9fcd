"""One camera's pictures, one after the other: where the board lies, what lies on it, whether anything
hides it or moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

from eye.find import confirm, find, upright
from eye.lines import look, refine
from eye.placement import Floats, Placement, placement_of
from eye.squares import NOTHING, PictureReading, beyond, bits, read_squares
from eye.surface import COARSE, MARGIN, Margin, Straightener, pixels_of
from flagfall.othello.board import START, Position

_FIND_AGAIN_NS = 1_000_000_000
_CHECK_NS = 1_000_000_000
# If something hides the board for this long without moving, the board may lie elsewhere now.
_PUSHED_NS = 2_000_000_000
# Distances, in squares, within which the lines are searched beside corners that a finger placed; and the least share of
# the lines that must be seen there. Boards that lay where they were placed showed 0.78 and more, corners a square
# beside 0.64 at most.
_CORNER_REACHES, _LEAST_SEEN = (0.35, 0.25, 0.15, 0.1, 0.1), 0.65
# The board is followed if it lies this far beside its place, in squares; the lines show a tenth of that.
_STRAYED = 0.05
# Least difference to the next picture, of 255, at a place where something moves; noise is far less.
_MOVING = 14.0
# A picture shows no board below this share of the usual lines; the focus is the reason below this share of the usual
# sharpness.
_BLUR = 0.45
# Below this share of the usual pattern, something lies over the lens if the picture's rim differs by this much of 255;
# otherwise the board was taken away.
_FLAT, _OTHER_RIM = 0.2, 20.0
# Least visibility of the lines around an empty square, summed over its sides, as a share of a middling side's.
_RULED = 0.5

# An area that is neither surface nor disc is a hand if it is larger than the first, in squares, and something new lies
# over the edge, or larger than the second: a few unreadable discs may lie side by side.
_LARGEST_DISC, _LEAST_HAND = 1.2, 3.0


class Sight(StrEnum):
    """The quality of the view of the board."""

    CLEAR = "clear"
    HIDDEN = "hidden"
    NO_BOARD = "no_board"
    DARK = "dark"
    BLURRED = "blurred"
    COVERED = "covered"


@dataclass(frozen=True, eq=False)
class PictureSeen:
    """The result of reading one picture; squares are named as the board is used."""

    sight: Sight
    reading: PictureReading


class Watcher:
    """The state kept from picture to picture: the board's place, and what usually shows around it.

    `quarter` says that the camera sees the board a quarter turned; it is None until a start position has shown it.
    `corners` are the board's corners (4, 2) as a person placed them, clockwise from the picture's top left, as shares
    of its width and height.
    """

    def __init__(self, quarter: bool | None = None, corners: Floats | None = None) -> None:
        self.placement: Placement | None = None
        self._corners = corners
        self._corners_changed = False
        self.quarter = quarter
        self._straightener: Straightener | None = None
        self._beyond = 0
        self._last: np.ndarray | None = None
        self._mean: np.ndarray | None = None
        self._find_ns: int | None = None
        self._checked_ns = self._free_ns = 0
        self._margin = Margin()
        self._sharp = self._crisp = self._pattern = 0.0
        self._rim = np.zeros(0)
        self._blind: Sight | None = None
        self._lit = 0.0
        self._ruled_last: Position | None = None

    def see(self, picture: np.ndarray, at_ns: int) -> PictureSeen:
        """Read one picture (BGR), taken at `at_ns`."""
        if self.placement is not None and self.placement.size != (picture.shape[1], picture.shape[0]):
            self._lose()
        if self._straightener is None and not self._find_board(picture, at_ns):
            dark = float(picture[::8, ::8].mean()) < 12
            return PictureSeen(Sight.DARK if dark else Sight.NO_BOARD, NOTHING)
        assert self._straightener is not None
        if self._blind is not None:
            sight = self._blind
            if at_ns - self._checked_ns > _CHECK_NS:
                sight = self._follow(picture, at_ns)
            if sight is not Sight.CLEAR:
                return PictureSeen(sight, NOTHING)
        faces, spots = self._straightener.straight(picture)
        still, coarse = self._still(faces)
        # What lies still is seen better in several pictures: noise makes a square at the limit come and go.
        if still and self._mean is not None:
            faces = cv2.addWeighted(faces, 0.5, self._mean, 0.5, 0)
        self._mean = faces
        pixels = pixels_of(faces, spots)
        if pixels is None:
            dark = float(spots.mean()) < max(12.0, 0.15 * self._lit)
            if not dark and at_ns - self._checked_ns > _CHECK_NS:
                self._follow(picture, at_ns)
            return PictureSeen(Sight.DARK if dark else Sight.HIDDEN, NOTHING)
        self._lit = pixels.light
        reading = read_squares(pixels)
        reading = replace(reading, position=reading.position.with_squares(self._beyond, NOTHING.position))
        free = (
            still and not self._is_covered(coarse, reading) and self._shows_lines(picture, reading.position)
        )
        if not free:
            self._margin.moved()
        elif doubted := self._margin.crossed(coarse, reading.light, at_ns, reading.position):
            free = False
            reading = replace(reading, position=reading.position.with_squares(doubted, NOTHING.position))
        if free:
            self._free_ns = at_ns
        pushed = still and at_ns - self._free_ns > _PUSHED_NS
        if (free or pushed) and at_ns - self._checked_ns > _CHECK_NS:
            sight = self._follow(picture, at_ns, reading.light if free else None)
            if sight is not Sight.CLEAR:
                return PictureSeen(sight, NOTHING)
        return PictureSeen(Sight.CLEAR if free else Sight.HIDDEN, self._name_squares(reading))

    def say(self, corners: Floats | None) -> None:
        """Take over corners that a person has placed, or None to look for the board; the lines decide."""
        self._corners, self._corners_changed = corners, corners is not None
        self._lose()

    def _find_board(self, picture: np.ndarray, at_ns: int) -> bool:
        """Look for the board, at most once a second: a search takes as long as many pictures."""
        if self._find_ns is not None and at_ns - self._find_ns < _FIND_AGAIN_NS:
            return False
        self._find_ns = at_ns
        board = find(picture)
        if self._corners is not None and (board is None or self._corners_changed):
            size = (picture.shape[1], picture.shape[0])
            by_corners = confirm(picture, placement_of(self._corners * size, size), _CORNER_REACHES)
            # The lines decide, also between a person and the search.
            if by_corners is not None and by_corners.seen > max(
                _LEAST_SEEN, board.seen if board is not None else 0
            ):
                board = by_corners
        if board is None:
            return False
        self._corners_changed = False
        self._take(board.placement)
        self._checked_ns, self._sharp, self._blind = at_ns, board.seen, None
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        self._crisp, self._pattern, self._rim = _look_of(picture, gray)
        return True

    def _take(self, placement: Placement) -> None:
        self.placement = placement
        self._straightener = Straightener(placement)
        self._beyond = beyond(placement)
        self._last = self._mean = self._ruled_last = None

    def _lose(self) -> None:
        self.placement = self._straightener = self._last = self._mean = self._find_ns = None
        self._margin = Margin()

    def _still(self, faces: np.ndarray) -> tuple[bool, np.ndarray]:
        """Return whether this picture shows the same as the last one, apart from a lamp's flicker; and the picture made
        small.
        """
        coarse = cv2.resize(faces, (COARSE, COARSE), interpolation=cv2.INTER_AREA).astype(np.float32)
        last, self._last = self._last, coarse
        if last is None:
            return False, coarse
        inside = slice(MARGIN // 8, -(MARGIN // 8))
        # Of the three colours together: a single one's noise in a dim picture would move for ever.
        current, before = (grid[inside, inside].mean(axis=2) for grid in (coarse, last))
        before = before * (float(current.mean()) / max(1.0, float(before.mean())))
        return float(np.abs(current - before).max()) < _MOVING, coarse

    def _is_covered(self, coarse: np.ndarray, reading: PictureReading) -> bool:
        """Return whether a hand or a sleeve lies over the board."""
        hand = reading.strange > _LARGEST_DISC and not self._margin.as_usual(coarse, reading.light)
        return hand or reading.strange > _LEAST_HAND

    def _shows_lines(self, picture: np.ndarray, position: Position) -> bool:
        """Return whether every empty square shows some of the lines around it: a hand may have the board's own
        colour.
        """
        assert self.placement is not None
        if position == self._ruled_last:
            return True
        seen = look(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), self.placement, 0.05).strength > 0.06
        sides = seen.reshape(2, 7, 8, 12).mean(axis=3)
        # Of the board's edge nothing is asked.
        upright, level = np.pad(sides[0].T, ((0, 0), (1, 1))), np.pad(sides[1], ((1, 1), (0, 0)))
        around = upright[:, :-1] + upright[:, 1:] + level[:-1] + level[1:]
        if position.empty & bits(around < _RULED * float(seen.mean())):
            return False
        self._ruled_last = position
        return True

    def _follow(self, picture: np.ndarray, at_ns: int, free_light: float | None = None) -> Sight:
        """Return how the board is seen by its lines; a board that moved is followed, or looked for anew.

        `free_light` is how bright the surface is in a picture in which nothing lies over it.
        """
        assert self.placement is not None and self._straightener is not None
        self._checked_ns = at_ns
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        lines = look(gray, self.placement, 0.12)
        seen = lines.strength > 0.06
        share = float(seen.mean())
        crisp, pattern, rim = _look_of(picture, gray)
        if share < _BLUR * self._sharp:
            self._blind = Sight.BLURRED if crisp < _BLUR * self._crisp else None
            if pattern < _FLAT * self._pattern:
                self._blind = Sight.COVERED if float(np.abs(rim - self._rim).mean()) > _OTHER_RIM else None
            if self._blind is None:
                self._lose()
            return self._blind or Sight.NO_BOARD
        self._blind, self._crisp, self._pattern, self._rim = None, max(self._crisp, crisp), pattern, rim
        self._sharp = max(self._sharp, share)
        if float(np.median(np.abs(lines.beside[seen]))) > _STRAYED:
            self._take(upright(refine(gray, self.placement, (0.15, 0.1))))
            _, coarse = self._still(self._straightener.straight(picture)[0])
            if free_light is not None:
                self._margin.learn(coarse, free_light)
        return Sight.CLEAR

    def _name_squares(self, reading: PictureReading) -> PictureReading:
        position = reading.position
        if self.quarter is None and position.occupied == START.occupied and not position.unknown:
            self.quarter = position.black != START.black
        if not self.quarter:
            return reading
        return replace(reading, position=quarter_turned(position))


def _look_of(picture: np.ndarray, gray: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Return how much more fine edges there are than coarse ones, which no lens blurs; how many coarse ones; and the
    colours along the picture's rim.
    """
    # Made small, a picture shows no noise.
    fine, coarse = (
        cv2.resize(gray, None, fx=by, fy=by, interpolation=cv2.INTER_AREA) for by in (1 / 4, 1 / 32)
    )
    pattern = float(np.abs(cv2.Laplacian(coarse, cv2.CV_16S)).mean())
    crisp = float(np.abs(cv2.Laplacian(fine, cv2.CV_16S)).mean()) / max(pattern, 1.0)
    small = cv2.resize(picture, (16, 12), interpolation=cv2.INTER_AREA).astype(np.float32)
    return crisp, pattern, np.concatenate([small[0], small[-1], small[:, 0], small[:, -1]])


def quarter_turned(position: Position) -> Position:
    """Return the squares named from the corner that is next clockwise: what lies on h1 as the picture shows it
    is a1's.
    """
    return Position(*(_quarter(squares) for squares in (position.black, position.white, position.unknown)))


def _quarter(squares: int) -> int:
    return sum((squares >> (8 * (at % 8) + 7 - at // 8) & 1) << at for at in range(64))
