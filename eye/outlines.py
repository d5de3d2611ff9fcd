"""Outlines of four sides in a picture, each of which may be a board's: of areas of one colour, and of edges."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from eye.placement import Floats, from_top_left

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
