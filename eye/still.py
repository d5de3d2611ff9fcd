"""One picture by itself: the board is found in it, and read by witnesses that must agree (decision 14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np

from eye.brightness import may_shine, read_by_brightness, read_without_colour, rounds_by_tint
from eye.find import SMALLEST_BOARD, Found, boards, shrink
from eye.lines import Rounds, look, refine, rounds
from eye.placement import Floats, Placement, from_top_left, placement_of, sample
from eye.squares import NOTHING, PictureReading, beyond, bits, read_squares, soft_faces, under_sleeve
from eye.surface import CELL, MARGIN, SPOTS, PixelMasks, Straightener, pixels_of, spots_of, strongest
from eye.tint import surface_left
from flagfall.othello.board import FULL, Position

# Shares of a circle: the most that an empty square shows, the least that a white disc shows, and the least that only
# discs show.
_EMPTY, _BRIGHT, _LYING = 0.4, 0.62, 0.7
# Fewest squares without a circle that show how a camera sharpens.
_FEWEST_EMPTY = 4
# Least share of what white discs usually show in this picture: less is dim light, or lies between bright lines.
_FAINT = 0.6
# If the corners of this many squares deny what the colours say, the colours took something else for the surface.
_CONTRADICTED = 3
# The surroundings of a disc are seen at this distance from its middle, in squares.
_CLEAR_OF = 0.5
# A place is rejected if more than one disc is astray for this many that lie in their squares. The discs of a board lie
# in its squares; under a grid of another pitch two in five do not.
_ASTRAY = 3
# One square of a row.
_A_SQUARE = 1 / 8
_AROUND = spots_of(-1, 8)
_CORNERS = tuple((MARGIN + SPOTS * CELL).astype(int).T[::-1])
# Least strength of a tint that is used; the shares of it that a corner shows which no disc hides, and one that is half
# hidden.
_TINTED, _SEEN, _SHOWS = 0.1, 0.35, 0.2
# Shares of the corners' tint: a bare middle has more than the first, a covered one less than the second; less than the
# third suffices if one witness agrees.
_SAME, _OTHER, _PARTLY = 0.7, 0.5, 0.4
# Logarithms of brightness beside a middle's corners: a bare middle is within the first; beyond the second there is a
# disc; white is above the third, or above the fourth if one witness agrees.
_AS_BRIGHT, _LIT_OTHERWISE, _BRIGHTER, _ABOVE = 0.1, 0.5, 0.4, 0.25
# A second look at a picture in which nothing was found: what becomes of each brightness, the limit of a stretched
# part's contrast, and how far sharpening reaches, as a share of the picture's longer side.
_DARKENING = np.rint(255 * (np.arange(256) / 255) ** 2.5).astype(np.uint8)
_STRETCHING, _SHARPENING = 3.0, 0.003
# The outer ones of a board's inner lines, upright and level; how far beside one is looked for, in squares; the share of
# it that discs must leave open; the least share of what the others show.
_OUTER_LINES, _LINE_REACH, _LEAST_OPEN, _LACKING = (0, 6, 7, 13), 0.05, 0.3, 0.4
# Corners that a finger has dragged, in squares: how far the lines are looked for, in turn, and how far the corners may
# then be moved.
_FROM_FINGERS, _FINGERS = (0.3, 0.2, 0.1), 0.45


class Doubt(Enum):
    """The reasons why a square of a single picture is not known."""

    CUT = "the picture's edge cuts it"
    DIFFERS = "its outline and its colour tell different things"
    LIGHT = "it may be a lamp's light"
    DENIED = "its middle and its corners tell different things"
    SHINES = "it may be a black disc that shines"
    SLEEVE = "something dark goes on over its corners"
    UNCLEAR = "neither a disc nor the bare surface is clear"


@dataclass(frozen=True, eq=False)
class StillReading:
    """A board in a single picture and its position, with squares named from the picture's top left."""

    board: Found
    position: Position
    # The squares (as bits) that are not known, by the reason; each of them has one.
    doubts: dict[Doubt, int]


def read_picture(picture: np.ndarray) -> StillReading | None:
    """Return the board in a picture (BGR) with its position.

    Return None without a board, or if every square that can be read is empty: an Othello board has four discs, the
    table on a sheet of paper none.
    """
    small = shrink(picture)
    for board, gray, second in _looks(picture, small):
        placement = board.placement.within(small)
        discs = rounds(gray, placement)
        if _ASTRAY * discs.astray > discs.there[2:10, 2:10].sum() or _runs_on(small, placement):
            continue
        seen = _read_board(picture, small, board, discs)
        # A table on paper shows more in the second look too: there a board needs a disc.
        if seen.position.black | seen.position.white or not (second or seen.position.empty):
            return seen
    return None


def read_placed(picture: np.ndarray, corners: Floats) -> StillReading | None:
    """Return the board in a picture (BGR) whose corners somebody has pointed out, clockwise (pixels). Return None if
    they enclose no board.

    The place is moved onto the lines where they are seen near it; it never becomes another one.
    """
    height, width = picture.shape[:2]
    outline = corners.astype(np.float32).reshape(-1, 1, 2)
    if not cv2.isContourConvex(outline) or cv2.contourArea(outline) < SMALLEST_BOARD * width * height:
        return None
    if cv2.contourArea(outline, True) < 0:
        corners = corners[::-1]
    told = placement_of(from_top_left(corners), (width, height))
    small = shrink(picture)
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    moved = refine(gray, told.within(small), _FROM_FINGERS, bends=False, by_discs=True)
    beside = np.abs(moved.within(picture).corners - told.corners).max() / told.pixels_per_square
    placement = moved.within(picture) if np.isfinite(beside) and beside < _FINGERS else told
    discs = rounds(gray, placement.within(small))
    seen = float(look(gray, placement.within(small), _LINE_REACH, discs=discs).seen.mean())
    return _read_board(picture, small, Found(placement, seen), discs)


def _read_board(picture: np.ndarray, small: np.ndarray, board: Found, discs: Rounds) -> StillReading:
    """Return the position of the board that lies there; `discs` are the circles seen in the small picture."""
    faces, spots = Straightener(board.placement).straight(picture)
    cut = beyond(board.placement)
    coloured = rounds_by_tint(small, board.placement.within(small), spots, discs)
    plain = Position(0, 0, FULL) if coloured is None else read_without_colour(faces, spots, coloured)
    position, doubts = _read(faces, spots, discs, plain)
    position = position.unknown_at(cut)
    shining = may_shine(faces, spots, discs, position, FULL & ~cut)
    position = position.unknown_at(shining)
    return StillReading(
        board, position, _by_reason(position.unknown, doubts | {Doubt.CUT: cut, Doubt.SHINES: shining})
    )


def _by_reason(unknown: int, doubts: dict[Doubt, int]) -> dict[Doubt, int]:
    """Return the unknown squares by the first of their reasons."""
    answer = {}
    for doubt in Doubt:
        squares = unknown if doubt is Doubt.UNCLEAR else unknown & doubts.get(doubt, 0)
        unknown &= ~squares
        if squares:
            answer[doubt] = squares
    return answer


def _looks(picture: np.ndarray, small: np.ndarray) -> Iterator[tuple[Found, np.ndarray, bool]]:
    """Yield the places where the board may lie, with the gray picture that shows its discs: those of the picture as it
    is, and then those of a second look, at pictures in which faint lines show more (true).
    """
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    for board in boards(picture):
        yield board, gray, False
    for change in (_darkened, _stretched):
        changed = change(picture)
        for board in boards(changed):
            if not _lacks_a_line(changed, board):
                yield board, gray, True


def _lacks_a_line(picture: np.ndarray, board: Found) -> bool:
    """Return whether one of a board's outer lines is seen much less than the others: it lies a row beside.

    The surface says nothing there if the frame has its colour.
    """
    small = shrink(picture)
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    placement = board.placement.within(small)
    lines = look(gray, placement, _LINE_REACH, discs=rounds(gray, placement))
    open_samples = np.maximum((~lines.hidden).sum(axis=1), 1)
    seen = lines.open.sum(axis=1) / open_samples
    outer = [at for at in _OUTER_LINES if open_samples[at] > _LEAST_OPEN * lines.hidden.shape[1]]
    return any(seen[at] < _LACKING * float(np.median(seen)) for at in outer)


def _darkened(picture: np.ndarray) -> np.ndarray:
    """Return the picture with more between its bright colours, and sharpened: too much light made them alike."""
    return _sharpened(cv2.LUT(picture, _DARKENING))


def _stretched(picture: np.ndarray) -> np.ndarray:
    """Return the picture with the brightness of each part stretched over the whole range, and sharpened."""
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)
    lab[:, :, 0] = cv2.createCLAHE(_STRETCHING, (8, 8)).apply(lab[:, :, 0])
    return _sharpened(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR))


def _sharpened(picture: np.ndarray) -> np.ndarray:
    soft = cv2.GaussianBlur(picture, (0, 0), _SHARPENING * max(picture.shape[:2]))
    return cv2.addWeighted(picture, 2.0, soft, -1.0, 0)


def _runs_on(small: np.ndarray, placement: Placement) -> bool:
    """Return whether the surface goes on over one edge and ends before the one across: the board lies a row beside."""
    points = placement.project(_AROUND)
    colours = sample(small, points, (20, 20)).astype(np.float32) + 2
    in_picture = ((points >= 0) & (points < placement.size)).all(axis=1).reshape(20, 20)
    tint = colours / colours.mean(axis=2, keepdims=True) - 1
    surface_tint = strongest(tint[2:-2, 2:-2][in_picture[2:-2, 2:-2]])
    if np.linalg.norm(surface_tint) < _TINTED:
        return False
    shows = tint @ surface_tint > _SEEN * (surface_tint @ surface_tint)
    for those, there in ((shows, in_picture), (shows.T, in_picture.T)):
        shares, seen = (grid[:, 2:-2].reshape(10, 32).mean(axis=1) for grid in (those, there))
        for three in ([0, 8, 9], [9, 1, 0]):
            over, before, beyond_it = shares[three]
            if (seen[three] == 1).all() and over - before - beyond_it > _A_SQUARE:
                return True
    return False


def _read(
    faces: np.ndarray, spots: np.ndarray, discs: Rounds, plain: Position
) -> tuple[Position, dict[Doubt, int]]:
    share = discs.share[2:10, 2:10]
    bare, lying, partly, above, least_above = _beside_own_corners(faces, spots, share)
    pixels = pixels_of(faces, spots, bare)
    reading = NOTHING if pixels is None else read_squares(pixels)
    # A camera that sharpens darkens the surface beside bright lines: those corners tell no middle's colour. Few squares
    # without a circle show no camera: of a full board they are discs out of focus.
    without = share < _EMPTY
    sharpened = without.sum() >= _FEWEST_EMPTY and 2 * (above > _LIT_OTHERWISE)[without].sum() > without.sum()
    contradictions = _contradictions(reading.position, bare, lying).bit_count()
    if not sharpened and (pixels is None or contradictions >= _CONTRADICTED):
        # Discs as wide as their squares, or their shadows, were taken for the surface.
        pixels = pixels_of(faces, spots, bare, crowded=True) or pixels
        reading = NOTHING if pixels is None else read_squares(pixels)
    if sharpened or _contradictions(reading.position, bare, lying).bit_count() >= _CONTRADICTED:
        reading = NOTHING
    colours, position = reading.position, reading.position
    brightness = read_by_brightness(faces, spots, discs)
    doubted = position.differences(brightness)
    light = 0 if pixels is None else _may_be_light(reading, pixels, share)
    position = position.unknown_at(light).known_through(brightness).unknown_at(doubted)
    agreed = (colours.black & brightness.black) | (colours.white & brightness.white)
    denied = _contradictions(position, bare, lying) | (position.white & bits(least_above < 0))
    alone = position.discs_on(~agreed)
    denied |= alone & (bits(partly) | (position.white & bits(least_above < _ABOVE)))
    position = position.unknown_at(denied).known_through(Position(0, 0, FULL & ~bits(bare) | denied))
    if plain.black & colours.white & brightness.white:
        # Its gap is not the one between black and white.
        plain = Position(0, 0, FULL)
    # What has no colour but a gap of brightness to white is black and shines, if its outline says so too, or nothing of
    # the surface shows there and its own corners look otherwise: one witness alone places no disc.
    doubted |= position.white & plain.black
    surface, untinted = surface_left(faces, discs, position)
    outlined = bits(share > _LYING) | (bits((share > _EMPTY) | lying) & untinted)
    plain = plain.unknown_at(plain.discs_on(~outlined & FULL))
    position = position.known_through(plain.unknown_at(plain.white & (doubted | light | denied)))
    # A lamp that is mirrored in the surface leaves its tint, and hides no disc: a disc would have none.
    doubted |= position.discs_on(surface)
    position = position.known_through(Position(0, 0, FULL & ~surface)).unknown_at(position.discs_on(surface))
    position = position.unknown_at(doubted & position.white & plain.black)
    # No circle and no colour tells a round reflection from a white disc: the edge does.
    soft = soft_faces(cv2.cvtColor(faces, cv2.COLOR_BGR2GRAY), discs.middles[2:10, 2:10], position.white)
    position, light = position.unknown_at(soft), light | soft
    sleeved = 0 if pixels is None else position.black & under_sleeve(pixels, share)
    doubts = {Doubt.DIFFERS: doubted, Doubt.LIGHT: light, Doubt.DENIED: denied, Doubt.SLEEVE: sleeved}
    return position.unknown_at(sleeved), doubts


def _contradictions(position: Position, bare: np.ndarray, lying: np.ndarray) -> int:
    """Return the squares (as bits) whose reading differs from what their own corners show."""
    return position.discs_on(bits(bare)) | (position.empty & bits(lying))


def _beside_own_corners(faces: np.ndarray, spots: np.ndarray, share: Floats) -> tuple[np.ndarray, ...]:
    """Return the squares (8, 8) whose middle looks like their own corners (nothing lies there, whatever light lies over
    both); those that look otherwise; those with a part of their corners' tint, none where the surface has no tint;
    and how much brighter (logarithms) each is than its corners usually, and than the brightest that shows the
    surface.
    """
    inside, within = slice(MARGIN, -MARGIN), slice(CELL // 2 - 4, CELL // 2 + 4)
    whole = faces[inside, inside].astype(np.float32).reshape(8, CELL, 8, CELL, 3)
    middles = whole[:, within, :, within].mean(axis=(1, 3))[:, :, None] + 2
    corners = spots.reshape(8, 2, 8, 2, 3).swapaxes(1, 2).reshape(8, 8, 4, 3) + 2
    brighter = np.log(middles.mean(axis=3) / corners.mean(axis=3))
    of_middles, of_corners = (
        colours / colours.mean(axis=3, keepdims=True) - 1 for colours in (middles, corners)
    )
    above = np.median(brighter, axis=2)
    white = (share > _LYING) & (above > _BRIGHTER)
    if white.sum() > 2:
        lamp = np.median(of_middles[white], axis=0)
        of_middles, of_corners = of_middles - lamp, of_corners - lamp
    surface_tint = strongest(of_corners.reshape(-1, 3))
    if np.linalg.norm(surface_tint) < _TINTED:
        return (*np.zeros((4, 8, 8), bool), np.ones((8, 8)))
    of_middles, of_corners = (
        colours @ surface_tint / (surface_tint @ surface_tint) for colours in (of_middles, of_corners)
    )
    seen = of_corners > _SEEN
    many = seen.sum(axis=2)
    alike = of_middles[..., 0] * many / np.maximum((of_corners * seen).sum(axis=2), _SEEN)
    least = np.where(of_corners > _SHOWS, brighter, 1).min(axis=2)
    brighter = (brighter * seen).sum(axis=2) / np.maximum(many, 1)
    bare = (share < _EMPTY) & (many > 1) & (alike > _SAME) & (np.abs(brighter) < _AS_BRIGHT)
    lying = (alike < _OTHER) | (np.abs(brighter) > _LIT_OTHERWISE)
    return bare, lying, alike > _PARTLY, above, least


def _may_be_light(reading: PictureReading, pixels: PixelMasks, share: Floats) -> int:
    """Return the white discs (as bits) that may be light: it lies around them too, or they show little of a circle."""
    free = np.ones(len(SPOTS), bool)
    for face in reading.faces:
        free &= np.hypot(*(SPOTS - (face.x, face.y)).T) > _CLEAR_OF
    white = np.array([reading.position.white >> square & 1 for square in range(64)], bool).reshape(8, 8)
    lit = white * (pixels.white[_CORNERS] * free).reshape(8, 2, 8, 2).sum(axis=(1, 3))
    least = _BRIGHT
    clear = share[white & (share > _BRIGHT)]
    if len(clear) > 1:
        least = min(least, _FAINT * float(np.median(clear)))
    return bits((white & (share < least)) | (lit > 0))
