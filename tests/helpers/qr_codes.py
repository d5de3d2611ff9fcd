"""A reader of QR codes in pictures, as a phone's camera has them."""

from __future__ import annotations

import cv2
import numpy as np


def read_codes(png: bytes, scale: float = 1.0, blur: float = 0.0) -> list[str]:
    """Return the texts of all codes in a picture, seen from so far away (`scale`) and out of focus (`blur`, in
    pixels)."""
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    if scale != 1:
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if blur:
        picture = cv2.GaussianBlur(picture, (0, 0), blur)
    # OpenCV misses one of some dozen codes of random contents at any one size; a telephone moves until it reads.
    for nearer in (1.0, 0.8, 1.25, 0.65, 1.5):
        seen = cv2.resize(picture, None, fx=nearer, fy=nearer, interpolation=cv2.INTER_AREA)
        any_code, texts, _, _ = cv2.QRCodeDetector().detectAndDecodeMulti(seen)
        if any_code and all(texts):
            return list(texts)
    return [text for text in texts if text] if any_code else []
