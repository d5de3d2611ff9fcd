"""The search for the board in a picture about which nothing is known.

Outlines of four sides are proposed (`outlines`); each is straightened, and the comb of the nine lines is laid
over it each way. The best few are moved until they lie on the lines. The board is the one that then shows lines where
lines should be, and its surface's colour inside rather than outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np

from eye.lines import (
    BEYOND,
    CELL,
    Rounds,
    dark_and_light,
    look,
    pieces,
    refine,
    rounds,
    shift,
    standing_out,
    vote,
)
from eye.placement import Floats, Placement, from_top_left, lattice, placement_of, sample

# Longer side of the picture in which the board is searched, in pixels.
_SEARCHED = 640
# More pixels per square than this show grain, not more of a line.
_CLEAR = 36.0
# Outlines count as the same if their corners are nearer to each other than this, in pixels of the searched picture.
_ALIKE = 5.0
# Placements count as the same if their corners are nearer to each other than this, in squares.
_SAME = 0.4
# Squares on each side of an outline over which a comb is laid.
_MARGIN = BEYOND + 1
# Weight of the discs of a row beside its lines, which darken the picture by a few hundredths.
_OF_DISCS = 0.3
# Number of places, the likeliest first, that are moved onto the lines.
_TRIED = 6
# One more than the number of squares by which a comb may lie beside the board.
_MOST_SHIFTS = 4
# The least `_score` of a board, and of one that is tried before all others.
_LEAST_SCORE, _CLEAR_SCORE = 0.2, 0.6
# The place is wrong if more discs than this lie, each in a square's middle, in the row beyond an edge.
_MOST_BEYOND = 3
# The most of `Placement.oblong`. Of 550 drawn boards 0.02 was the most; a picture that was cut or straightened
# afterwards has more.
_MOST_OBLONG = 0.35
# One of these must hold: the least share of the lines that is seen or hidden by discs; by how much the place must be
# likelier than the one a row beside, of some 5; and the least share of the pieces of lines that stand out of the grain.
# Drawn photographs gave 45 places beside the board that no other sign excluded; the second and third let in none.
_BELIEVED = (0.78, 0.4, 0.0), (0.9, 0.3, 0.95), (0.5, 0.75, 0.8)


@dataclass(frozen=True, eq=False)
class Found:
    """A board found in a picture."""

    placement: Placement
    # The share of the lines that were seen.
    seen: float


def find(picture: np.ndarray) -> Found | None:
    """Return the board in a picture (BGR), or None. Its a1 is the corner that lies at the picture's top left."""
    return next(boards(picture), None)


def boards(picture: np.ndarray) -> Iterator[Found]:
    """Yield the places where the board may lie in a picture (BGR), the likeliest first: a table on paper is
    ruled too.
    """
    small = shrink(picture)
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    proposed: list[Floats] = []
    combed: list[tuple[float, Placement]] = []
    for corners in outlines(small, gray):
        if not _near(corners, proposed, _ALIKE):
            proposed.append(corners)
            combed += _comb_places(gray, placement_of(corners, (small.shape[1], small.shape[0])))
    tried: list[Floats] = []
    doubtful: list[tuple[float, Placement]] = []
    for _, placement in sorted(combed, key=lambda pair: -pair[0]):
        if _near(placement.corners, tried, _SAME * placement.pixels_per_square):
            continue
        if len(tried) == _TRIED:
            break
        tried.append(placement.corners)
        settled = _settle(small, gray, placement)
        if settled is None:
            continue
        score = _score(gray, settled, rounds(gray, settled))
        if score <= _CLEAR_SCORE:
            doubtful.append((score, settled))
        elif board := confirm(picture, settled.within(picture)):
            yield board
    for _, settled in sorted(doubtful, key=lambda pair: -pair[0]):
        if board := confirm(picture, settled.within(picture)):
            yield board


def _near(corners: Floats, others: list[Floats], pixels: float) -> bool:
    return any(float(np.abs(corners - other).max()) < pixels for other in others)


def shrink(picture: np.ndarray) -> np.ndarray:
    """Return the picture in the size in which it is searched."""
    return _smaller(picture, _SEARCHED / max(picture.shape[:2]))


def _smaller(picture: np.ndarray, factor: float) -> np.ndarray:
    if factor >= 1:
        return picture
    return cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)


def confirm(
    picture: np.ndarray, placement: Placement, reaches: tuple[float, ...] = (0.12, 0.08)
) -> Found | None:
    """Return the board that is supposed to lie there in a picture (BGR), moved onto the lines within each of these
    reaches (squares) in turn. Return None if the lines show no board.
    """
    small = _smaller(picture, _CLEAR / placement.pixels_per_square)
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    placement = placement.within(small)
    placement = refine(gray, placement, reaches, by_discs=True)
    if not _sound(placement):
        return None
    discs = rounds(gray, placement)
    beyond = max(grid[at, 2:10].sum() for grid in (discs.there, discs.there.T) for at in (1, 10))
    if beyond > _MOST_BEYOND:
        return None
    seen = float(look(gray, placement, 0.05, discs=discs).seen.mean())
    # A board that may lie a row beside is none: every square would be read wrong.
    shifted, likelier = _shift(small, gray, placement, discs)
    if shifted is not placement or _score(gray, placement, discs) < _LEAST_SCORE:
        return None
    clear = standing_out(gray, placement, discs)
    if not any(
        seen >= least_seen and likelier >= least_likelier and clear >= least_clear
        for least_seen, least_likelier, least_clear in _BELIEVED
    ):
        return None
    return Found(upright(placement.within(picture)), seen)


def upright(placement: Placement) -> Placement:
    """Return the same board named so that a1 is the corner nearest the picture's top left, and h1 lies clockwise
    of it.
    """
    return placement_of(from_top_left(placement.corners), placement.size, placement.bend)


def _comb_places(gray: np.ndarray, placement: Placement) -> list[tuple[float, Placement]]:
    """Return the scored places where the board's lines and discs fit best, inside the outline or around it: the outline
    may be the frame's.
    """
    side = len(_PLACE)
    flat = sample(gray, placement.project(_POINTS), (side, side)).astype(np.float32) + 4
    votes = np.clip(vote(gray, placement) - 0.4, 0, 0.6)
    inside, wide = slice(_MARGIN * CELL, -_MARGIN * CELL), 2
    combs = []
    for image, of_discs in ((flat, votes), (flat.T, votes.T)):
        discs = np.pad(of_discs[BEYOND * CELL : -BEYOND * CELL].mean(axis=0), CELL)
        by_discs = _OF_DISCS * (_at(discs, _MIDDLES).mean(axis=-1) - _at(discs, _LINES).mean(axis=-1))
        laid: list[tuple[float, float, float]] = []
        for ridge in dark_and_light(image[inside], wide, 0.3):
            profile = cv2.GaussianBlur(np.pad(ridge.mean(axis=0), wide)[None, :], (3, 1), 0)[0]
            laid += _comb(profile, by_discs)
        combs.append(sorted(laid, key=lambda comb: -comb[0])[:2])
    proposals = []
    for (of_columns, left, width), (of_rows, top, height) in product(*combs):
        proposals.append((min(of_columns, of_rows), shift(placement, left, top, width, height)))
    return proposals


def _comb(profile: np.ndarray, by_discs: np.ndarray) -> list[tuple[float, float, float]]:
    """Return (score, first line, pitch) of the best combs of seven inner lines, the best first; in squares of the
    outline.
    """
    on = _at(profile, _LINES)
    score = on.mean(axis=-1) * 0.5 + np.median(on, axis=-1) * 0.5 - _at(profile, _BETWEEN).mean(axis=-1)
    score = np.where((_FIRST > -0.8) & (_FIRST + 8 * _PITCH < 8.8), score + by_discs, -1)
    answers = []
    for _ in range(2):
        best = int(score.argmax())
        first, pitch = float(_FIRST.flat[best]), float(_PITCH.flat[best])
        answers.append((float(score.flat[best]), first, pitch))
        score = np.where((abs(_PITCH - pitch) < 0.05) & (abs(_FIRST - first) < 0.3), -1, score)
    return answers


_PLACE = (np.arange((8 + 2 * _MARGIN) * CELL) + 0.5) / CELL - _MARGIN
_POINTS = lattice(_PLACE)
_PITCH, _FIRST = np.meshgrid(np.arange(0.70, 1.1801, 0.01), np.arange(-1.0, 2.6, 0.05), indexing="ij")


def _places(numbers: Floats) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of these lines in each comb: the pixel before, and how far beyond it, 0 to 1."""
    pixel = (_FIRST[..., None] + _PITCH[..., None] * numbers + _MARGIN) * CELL - 0.5
    before = np.clip(pixel.astype(int), 0, len(_PLACE) - 2)
    return before, np.clip(pixel - before, 0, 1).astype(np.float32)


_LINES, _BETWEEN, _MIDDLES = (
    _places(np.arange(1.0, 8)),
    _places(np.arange(1.5, 7)),
    _places(np.arange(0.5, 8)),
)


def _at(profile: np.ndarray, places: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    before, beyond = places
    profile = profile.astype(np.float32)
    return np.asarray(profile[before] + beyond * (np.diff(profile)[before]))


def _settle(small: np.ndarray, gray: np.ndarray, placement: Placement) -> Placement | None:
    """Return the placement moved onto the lines, then by whole squares to where its surface ends."""
    shifted = refine(gray, placement, (0.3, 0.2), bends=False, by_discs=True)
    for _ in range(_MOST_SHIFTS if _sound(shifted) else 0):
        placement = refine(gray, shifted, (0.15, 0.1), by_discs=True)
        if not _sound(placement):
            return None
        shifted, _ = _shift(small, gray, placement, rounds(gray, placement))
        if shifted is placement:
            return placement
    return None


def _score(gray: np.ndarray, placement: Placement, discs: Rounds) -> float:
    """Return the share of the lines seen in their place or hidden by discs, less what is seen between the lines."""
    on = np.minimum(look(gray, placement, 0.06, discs=discs).seen, 0.8).mean()
    beside = look(gray, placement, 0.06, np.arange(0.5, 8), discs)
    return float(on - beside.open.mean())


def _shift(
    small: np.ndarray, gray: np.ndarray, placement: Placement, discs: Rounds
) -> tuple[Placement, float]:
    """Return the placement moved by whole squares, and by how much that place is likelier than the next one.

    A comb may lie a square beside the board: the place sought is the one where the lines run that end at the board's
    edge, and where the surface shows.
    """
    share = _surface_shares(small, placement)
    there = discs.there.astype(np.float64)
    seen = pieces(gray, placement)
    seen = np.minimum(seen / (float(np.median(seen[:, 2:9, 2:10])) + 1e-6), 1)
    both_ways = (seen[0], share, there), (seen[1], share.T, there.T)
    scores = {}
    for columns, rows in product((-1, 0, 1), repeat=2):
        score = 0.0
        for (lines, colours, circles), across, along in zip(
            both_ways, (columns, rows), (rows, columns), strict=True
        ):
            within, on_board = slice(2 + across, 10 + across), slice(2 + along, 10 + along)
            # Both outer lines show, or the surface's end in their place, or neither.
            score += min(lines[line + across, on_board].mean() for line in (1, 9))
            # The pieces of the seven lines, by the rows they run through.
            of_lines, of_colour = lines[2 + across : 9 + across].mean(axis=0), colours[:, within].mean(axis=1)
            for profile in (of_lines, of_colour):
                score += (
                    profile[on_board].mean()
                    + 0.5 * profile[on_board].min()
                    - 0.5 * (profile[1 + along] + profile[10 + along])
                )
            of_discs = circles[:, within].mean(axis=1)
            score += of_discs[on_board].mean() - of_discs[1 + along] - of_discs[10 + along]
        scores[columns, rows] = score
    best, second = sorted(scores, key=lambda steps: -scores[steps])[:2]
    if best != (0, 0) and scores[best] - scores[0, 0] < 0.1:
        best, second = (0, 0), best
    return (shift(placement, *best) if any(best) else placement), scores[best] - scores[second]


def _surface_shares(small: np.ndarray, placement: Placement) -> Floats:
    """Return for 12 x 12 squares about the board (rows -2 to 9) the share of their corners' areas that has the
    surface's colour.
    """
    place = np.add.outer(np.arange(-2, 10), (0.13, 0.2, 0.8, 0.87)).ravel()
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB)
    colours = sample(lab, placement.project(lattice(place)), (len(place), len(place))).astype(np.float32)
    surface = colours[8:-8, 8:-8].reshape(-1, 3)
    usual = np.median(surface, axis=0)
    spread = np.maximum(np.median(np.abs(surface - usual), axis=0) * 4, (25, 7, 7))
    alike = (np.abs(colours - usual) < spread).all(axis=2)
    return np.asarray(alike.reshape(12, 4, 12, 4).mean(axis=(1, 3)), np.float64)


def _sound(placement: Placement) -> bool:
    """Return whether the outline is convex, of sensible size and mostly within the picture, and its squares are
    square.
    """
    corners = placement.corners
    if not np.isfinite(corners).all():
        return False
    width, height = placement.size
    outline = corners.astype(np.float32).reshape(-1, 1, 2)
    if not cv2.isContourConvex(outline) or cv2.contourArea(outline) < SMALLEST_BOARD * width * height:
        return False
    middle = corners.mean(axis=0)
    within = (0 <= middle[0] < width) and (0 <= middle[1] < height)
    return bool(within and placement.oblong < _MOST_OBLONG)


# The least share of the picture that a board may fill.
SMALLEST_BOARD = 0.03


def outlines(small: np.ndarray, gray: np.ndarray) -> Iterator[Floats]:
    """Yield the corners of what may be a board, clockwise from the top left."""
    height, width = gray.shape
    least = SMALLEST_BOARD * height * width
    for mask in _areas(small, gray):
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:3]:
            hull = cv2.convexHull(contour)
            if cv2.contourArea(hull) < least:
                break
            corners = _four_sides(hull[:, 0].astype(np.float64))
            if corners is not None:
                yield corners


def _areas(small: np.ndarray, gray: np.ndarray) -> Iterator[np.ndarray]:
    """Yield masks of the areas of one colour, with gaps as wide as a line or a disc closed; then of what edges
    enclose.
    """
    smooth = cv2.medianBlur(small, 5)
    lab = cv2.cvtColor(smooth, cv2.COLOR_BGR2LAB).astype(np.float32)
    lab[:, :, 0] *= 0.35
    thin = np.ascontiguousarray(lab[::4, ::4]).reshape(-1, 3)
    longer = max(gray.shape)
    cv2.setRNGSeed(1)
    labels = np.zeros((len(thin), 1), np.int32)
    for kinds in (3, 5, 8):
        stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 0.5)
        _, _, centres = cv2.kmeans(thin, kinds, labels, stop, 1, cv2.KMEANS_PP_CENTERS)
        distance = np.stack([((lab - centre) ** 2).sum(axis=2) for centre in centres])
        nearest = distance.argmin(axis=0)
        for kind in range(kinds):
            mask = np.where(nearest == kind, 255, 0).astype(np.uint8)
            for gap in (longer // 110, longer // 24):
                yield cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((gap | 1, gap | 1), np.uint8))
    for low, high in ((20, 60), (60, 150)):
        edges = cv2.Canny(cv2.GaussianBlur(gray, (5, 5), 0), low, high)
        edges = cv2.dilate(edges, np.ones((3, 3), np.uint8))
        yield edges
        yield cv2.bitwise_not(edges)


def _four_sides(hull: Floats) -> Floats | None:
    """Return the corners in which the four lines that carry most of a convex outline meet, or None if it has no such
    shape.

    A corner that a disc or the picture's edge hides is found where its sides would meet.
    """
    around = np.vstack([hull, hull[:1]])
    length = float(np.hypot(*np.diff(around, axis=0).T).sum())
    outline = hull.astype(np.float32).reshape(-1, 1, 2)
    for share in (0.01, 0.02, 0.03, 0.05):
        simple = cv2.approxPolyDP(outline, share * length, True)[:, 0].astype(np.float64)
        if len(simple) < 4:
            return None
        if len(simple) > 8:
            continue
        sides = np.roll(simple, -1, axis=0) - simple
        longest = np.sort(np.argsort(-np.hypot(*sides.T))[:4])
        corners = []
        for side, other in zip(longest, np.roll(longest, -1), strict=True):
            across = np.array([sides[side], -sides[other]]).T
            if abs(np.linalg.det(across)) < 1e-3 * float(np.prod(np.hypot(*sides[[side, other]].T))):
                break
            share_along, _ = np.linalg.solve(across, simple[other] - simple[side])
            corners.append(simple[side] + share_along * sides[side])
        if len(corners) == 4:
            return _clockwise(np.array(corners))
    return None


def _clockwise(corners: Floats) -> Floats | None:
    """Return the corners clockwise from the top left, or None if they do not enclose a convex area."""
    outline = corners.astype(np.float32).reshape(-1, 1, 2)
    if not cv2.isContourConvex(outline) or float(np.abs(corners).max()) > 5000:
        return None
    if cv2.contourArea(outline, True) < 0:
        corners = corners[::-1]
    return from_top_left(corners)
