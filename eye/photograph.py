"""One photograph that somebody sends: its bytes are bounded and told apart before they are decoded, and the answer is
made of plain values, so that it can come out of a child process.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from eye.still import StillReading, read_picture, read_placed
from flagfall.base.errors import FlagfallError
from flagfall.othello.board import format_position

# Points of the picture as shares of its width and height.
Corners: TypeAlias = tuple[tuple[float, float], ...]

MOST_BYTES = 3 << 20
# Greatest number of pixels of a JPEG, which is decoded at a reduced scale, and of any other kind, which is not.
MOST_JPEG_PIXELS, MOST_PIXELS = 1 << 26, 1 << 24
# Longest side of what is read, in pixels: more shows grain, not more of a board.
LONGEST = 2_000
# Shortest side, and how many times longer the other one may be.
_SHORTEST, _MOST_TIMES = 64, 4
# Longest side of the small picture that a page without a script shows, in pixels.
_SHOWN = 480
_KINDS = ("JPEG", "PNG", "WEBP")
# The brands of HEIF and AVIF files, which telephones write and nothing here decodes.
_HEIC = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"avif")
_OF_DECODERS = (OSError, ValueError, SyntaxError, IndexError, KeyError, TypeError, EOFError, struct.error)


class PictureRefused(FlagfallError):
    """A file that is no photograph which can be read; one line."""


@dataclass(frozen=True, slots=True)
class Photograph:
    """A photograph that was read."""

    # 64 characters from the board's corner at the picture's top left; "" if no board was found.
    squares: str
    # The corners of the playing surface, clockwise from that one.
    corners: Corners
    # A small JPEG of it.
    shown: bytes


def read_photograph(data: bytes, corners: Corners | None = None) -> Photograph:
    """Return what a photograph shows; `corners` is where somebody says that the board lies. Raise PictureRefused."""
    cv2.setNumThreads(1)
    picture = _decoded(data)
    height, width = picture.shape[:2]
    try:
        if corners is None:
            seen = read_picture(picture)
        else:
            seen = read_placed(picture, np.array(corners, np.float64) * (width, height))
        return _answer(picture, seen)
    except (cv2.error, np.linalg.LinAlgError, MemoryError):
        raise PictureRefused("This picture cannot be read. Take another one.") from None


def _answer(picture: np.ndarray, seen: StillReading | None) -> Photograph:
    height, width = picture.shape[:2]
    points: Corners = ()
    if seen is not None:
        shares = np.clip(seen.board.placement.corners / (width, height), -0.5, 1.5)
        points = tuple((round(float(x), 4), round(float(y), 4)) for x, y in shares)
    factor = min(1.0, _SHOWN / max(width, height))
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    shown = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 70])[1].tobytes()
    return Photograph("" if seen is None else format_position(seen.position), points, shown)


def _decoded(data: bytes) -> np.ndarray:
    """Return the picture (BGR), upright as its camera was held. Raise PictureRefused for anything that is no whole
    photograph of a bearable size.
    """
    if len(data) > MOST_BYTES:
        raise PictureRefused("A picture may have at most {most} MB.", most=MOST_BYTES >> 20)
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC:
        raise PictureRefused(
            "This is a HEIC picture. Set the camera to JPEG (iPhone: Settings, Camera, Formats, Most Compatible), or"
            " send a screenshot of it."
        )
    Image.MAX_IMAGE_PIXELS = None  # what is too large is refused below, before anything is decoded
    try:
        with Image.open(io.BytesIO(data), formats=_KINDS) as image:
            _check_size(image)
            return _pixels(image)
    except UnidentifiedImageError:
        raise PictureRefused("This is no photograph. Choose a JPEG, PNG or WebP file.") from None
    except _OF_DECODERS:
        raise PictureRefused("This picture is not whole. Send it again, or take another one.") from None
    except MemoryError:
        raise PictureRefused("This picture cannot be read. Take another one.") from None


def _check_size(image: Image.Image) -> None:
    """Refuse by the header alone what is no photograph of a board, or would take too much to decode."""
    width, height = image.size
    is_jpeg = image.format in ("JPEG", "MPO")
    if getattr(image, "is_animated", False) and not is_jpeg:
        raise PictureRefused("This picture moves. Choose a photograph.")
    if width * height > (MOST_JPEG_PIXELS if is_jpeg else MOST_PIXELS):
        most = (MOST_JPEG_PIXELS if is_jpeg else MOST_PIXELS) // 1_000_000
        raise PictureRefused("A picture may have at most {most} million pixels.", most=most)
    if min(width, height) < _SHORTEST or max(width, height) > _MOST_TIMES * min(width, height):
        raise PictureRefused(
            "A picture of {width} x {height} pixels shows no board. Take another one.",
            width=width,
            height=height,
        )


def _pixels(image: Image.Image) -> np.ndarray:
    factor = min(1.0, LONGEST / max(image.size))
    if image.format in ("JPEG", "MPO"):
        # The decoder makes it an eighth, a quarter or a half of its size, which is still at least as large as this.
        image.draft("RGB", (int(image.width * factor), int(image.height * factor)))
    image.load()
    if image.mode.startswith("I"):
        image = _eight_bits(image)
    picture = cv2.cvtColor(np.asarray(_upright(image).convert("RGB")), cv2.COLOR_RGB2BGR)
    factor = LONGEST / max(picture.shape[:2])
    if factor < 1:
        picture = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return picture


def _eight_bits(image: Image.Image) -> Image.Image:
    """Return a picture of 16 bits a pixel as one of eight, its brightest pixel white."""
    values = np.asarray(image, np.float32)
    return Image.fromarray((255 * values / max(float(values.max()), 1.0)).astype(np.uint8))


def _upright(image: Image.Image) -> Image.Image:
    """Return the picture as its camera was held. What a camera wrote wrongly leaves it as it lies."""
    try:
        return ImageOps.exif_transpose(image)
    except _OF_DECODERS:
        return image
