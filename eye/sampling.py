"""A picture's colours at any of its points."""

from __future__ import annotations

import cv2
import numpy as np

from eye.placement import Floats


def sampled(
    picture: np.ndarray, pixels: Floats, shape: tuple[int, ...], beyond: int = cv2.BORDER_CONSTANT
) -> np.ndarray:
    """The picture at points (rows x columns, 2) as an image of `shape` (rows, columns)."""
    x, y = (np.ascontiguousarray(pixels[:, axis], np.float32).reshape(shape) for axis in (0, 1))
    return cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=beyond)
