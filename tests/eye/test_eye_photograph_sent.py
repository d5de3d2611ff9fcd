"""Photographs that somebody sends: whole ones of any make are read, all others are refused in one line, and cheaply."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from eye.photograph import PictureRefused, read_photograph
from flagfall.othello.board import FULL, format_position, parse_position
from simulator.eye.picture import ScenePainter
from simulator.eye.scene import draw_scene
from tests.eye.test_eye_reading import PHOTO, PHOTO_SHOWS


def saved(image: Image.Image, kind: str, **how: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **how)
    return file.getvalue()


def photo() -> Image.Image:
    return Image.open(PHOTO)


def exif(**tags: Any) -> Image.Exif:
    data = Image.Exif()
    data[0x0112] = tags["orientation"]
    return data


WHOLE: dict[str, Callable[[], bytes]] = {
    "as it is": PHOTO.read_bytes,
    "PNG": lambda: saved(photo().resize((600, 800)), "PNG"),
    "WebP": lambda: saved(photo(), "WEBP", quality=90),
    "CMYK": lambda: saved(photo().convert("CMYK"), "JPEG", quality=92),
    "a palette": lambda: saved(photo().quantize(200).resize((600, 800)), "PNG"),
    "with transparency": lambda: saved(photo().convert("RGBA").resize((600, 800)), "PNG"),
    "progressive": lambda: saved(photo(), "JPEG", progressive=True, quality=92),
    "turned by its camera": lambda: saved(
        photo().transpose(Image.Transpose.ROTATE_90), "JPEG", quality=92, exif=exif(orientation=6)
    ),
    "wrong EXIF": lambda: (
        PHOTO.read_bytes()[:2]
        + b"\xff\xe1\x00\x20Exif\0\0MM\0*\xff\xff\xff\xff"
        + bytes(16)
        + PHOTO.read_bytes()[2:]
    ),
    "a polyglot": lambda: PHOTO.read_bytes() + b"PK\3\4<script>alert(1)</script>" + bytes(5000),
}


# Three ways through the decoder; the others go the same ways.
BY_DAY = ("CMYK", "turned by its camera", "wrong EXIF")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in BY_DAY else pytest.mark.long) for kind in WHOLE]
)
def test_a_whole_photograph_of_any_make_is_read(kind: str) -> None:
    read = read_photograph(WHOLE[kind]())
    assert parse_position(read.squares).differences(parse_position(PHOTO_SHOWS)) == 0
    assert read.squares.count("?") <= 2
    assert Image.open(io.BytesIO(read.shown)).size[1] == 480


def png(width: int, height: int, data: bytes = b"", *chunks: tuple[bytes, bytes]) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    parts = b"".join(chunk(*part) for part in chunks)
    return b"\x89PNG\r\n\x1a\n" + head + parts + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def animation(kind: str) -> bytes:
    frames = [Image.new("RGB", (200, 200), colour) for colour in ("red", "green", "blue")]
    return saved(frames[0], kind, save_all=True, append_images=frames[1:])


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "no photograph"),
    "text": (lambda: b"<html>" * 100, "no photograph"),
    "a GIF": (lambda: animation("GIF"), "no photograph"),
    "a PDF": (lambda: b"%PDF-1.7" + bytes(100), "no photograph"),
    "HEIC": (lambda: b"\0\0\0\x18ftypheic" + bytes(100), "HEIC"),
    "an animated WebP": (lambda: animation("WEBP"), "moves"),
    "an animated PNG": (lambda: animation("PNG"), "moves"),
    "a bomb": (lambda: png(20_000, 20_000, zlib.compress(bytes(1 << 20))), "at most 16 million pixels"),
    "a bomb of text": (
        lambda: png(100, 100, b"", (b"zTXt", b"a\0\0" + zlib.compress(bytes(100 << 20)))),
        "not whole",
    ),
    "a strip": (lambda: saved(Image.new("RGB", (10_000, 70)), "JPEG"), "10000 x 70 pixels"),
    "a stamp": (lambda: saved(Image.new("RGB", (40, 40)), "PNG"), "40 x 40 pixels"),
    "a truncated JPEG": (lambda: PHOTO.read_bytes()[:40_000], "not whole"),
    "a truncated PNG": (lambda: saved(photo().resize((300, 400)), "PNG")[:20_000], "not whole"),
    "a truncated WebP": (lambda: saved(photo(), "WEBP")[:20_000], ""),
    "a JPEG's head": (lambda: PHOTO.read_bytes()[:300], ""),
    "a false size": (lambda: png(4_000, 4_000, zlib.compress(b"\0")), "not whole"),
    "too many bytes": (lambda: bytes((3 << 20) + 1), "at most 3 MB"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_whole_photograph_is_refused_in_one_line(kind: str) -> None:
    make, says = REFUSED[kind]
    with pytest.raises(PictureRefused) as refused:
        read_photograph(make())
    line = str(refused.value)
    assert says in line and len(line.splitlines()) == 1 and "/" not in line.replace("JPEG/", "")


def test_sixteen_bits_a_pixel_are_read_as_eight() -> None:
    values = cv2.imread(str(PHOTO), cv2.IMREAD_GRAYSCALE).astype(np.uint16) * 200
    read = read_photograph(cv2.imencode(".png", cv2.resize(values, (600, 800)))[1].tobytes())
    assert parse_position(read.squares).differences(parse_position(PHOTO_SHOWS)) == 0


def test_corners_that_somebody_has_dragged_are_taken_for_the_board() -> None:
    found = read_photograph(PHOTO.read_bytes())
    beside = tuple((x + 0.02, y - 0.015) for x, y in found.corners)
    read = read_photograph(PHOTO.read_bytes(), beside)
    assert parse_position(read.squares).differences(parse_position(PHOTO_SHOWS)) == 0
    assert read.squares.count("?") <= 3
    assert np.abs(np.array(read.corners) - found.corners).max() < 0.01, "moved onto the lines"


@pytest.mark.parametrize(
    "corners",
    [
        ((0.1, 0.1), (0.11, 0.1), (0.11, 0.11), (0.1, 0.11)),  # hardly a dot
        ((0.1, 0.1), (0.9, 0.9), (0.9, 0.1), (0.1, 0.9)),  # crossed
        ((0.5, 0.5),) * 4,
    ],
)
def test_corners_that_enclose_no_board_find_none(corners: Any) -> None:
    assert read_photograph(PHOTO.read_bytes(), corners).squares == ""


def test_a_full_board_is_read_at_two_thousand_pixels() -> None:
    position = parse_position("X" * 40 + "O" * 24)
    read = read_photograph(ScenePainter(draw_scene(0, (2400, 1800))).jpeg(position))
    assert read.squares == format_position(position) and not position.differences(
        parse_position(read.squares)
    )
    assert position.occupied == FULL
