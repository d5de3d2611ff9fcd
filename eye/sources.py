"""The sources of pictures: a camera, a stream of JPEG pictures, a video file, a folder. Each gives the newest picture.

What comes in is bounded before it is decoded: bytes and pixels a picture.
"""

from __future__ import annotations

import io
import stat
import threading
import time
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Protocol
from zlib import crc32

import cv2
import numpy as np
from PIL import Image, WebPImagePlugin  # noqa: F401 (the plugin registers its kind; those of the others are there)

from flagfall.base.errors import Failed

# Greatest size of one compressed picture.
MOST_BYTES = 16 << 20
# Greatest number of pixels that are read: finding a board in so many takes some seconds and 300 MB.
MOST_PIXELS = 1 << 24
# Greatest number that a JPEG may have, which is decoded at a reduced scale: telephones take pictures of 50 megapixels.
MOST_JPEG_PIXELS = 1 << 26
# What cameras and telephones write; a decoder that nobody needs is a decoder that nobody can attack.
_KINDS = ("JPEG", "PNG", "WEBP", "BMP", "PPM")
_SCALES = (cv2.IMREAD_COLOR, cv2.IMREAD_REDUCED_COLOR_2, cv2.IMREAD_REDUCED_COLOR_4)
_PNG = b"\x89PNG\r\n\x1a\n"
_READ = 1 << 16
_NEXT_PICTURE_S = 0.5
_LET_GO_S = 2.0
# Pictures a second that a camera is asked for: more would only take processor time from the clock.
_A_SECOND = 10


class PictureSource(Protocol):
    """A source of pictures: `pictures` yields them (BGR) or JPEG bytes as they come, and ends or raises `Failed` with
    its source.
    """

    def pictures(self) -> Iterator[np.ndarray | bytes]: ...


def decode_picture(data: bytes) -> np.ndarray | None:
    """Return the picture of a file's bytes, upright as its camera was held, or None if they are no picture or too
    large.

    A large JPEG is decoded at a half or a quarter of its size.
    """
    if not 0 < len(data) <= MOST_BYTES or (data.startswith(_PNG) and not _whole(data)):
        return None
    scale = _scale(data)
    if scale is None:
        return None
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), scale)
    except cv2.error:
        return None
    return picture if picture is not None and min(picture.shape[:2]) >= 64 else None


def _scale(data: bytes) -> int | None:
    """Return the scale at which OpenCV is to decode a picture, judged by its header alone; None if it is too large or
    of another kind."""
    try:
        with Image.open(io.BytesIO(data), formats=_KINDS) as header:
            pixels, is_jpeg = header.width * header.height, header.format in ("JPEG", "MPO")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    if not is_jpeg:
        return cv2.IMREAD_COLOR if pixels <= MOST_PIXELS else None
    if pixels > MOST_JPEG_PIXELS:
        return None
    return next(scale for at, scale in enumerate(_SCALES) if pixels >> 2 * at <= MOST_PIXELS)


def _whole(png: bytes) -> bool:
    """Return whether all parts of a PNG are there as they were written: libpng reports others on standard error by
    itself.
    """
    at = len(_PNG)
    while at < len(png):
        kind, end = at + 4, at + 8 + int.from_bytes(png[at : at + 4])
        if crc32(png[kind:end]) != int.from_bytes(png[end : end + 4]):
            return False
        if png[kind : kind + 4] == b"IEND":
            return True
        at = end + 4
    return False


class VideoCamera:
    """A V4L2 device (`/dev/video0`, or its number), 1280 x 960 where it can."""

    def __init__(self, device: str) -> None:
        self._device = device

    def pictures(self) -> Iterator[np.ndarray | bytes]:
        name = int(self._device) if self._device.isdecimal() else self._device
        capture = cv2.VideoCapture(name, cv2.CAP_V4L2)
        try:
            if not capture.isOpened():
                raise Failed(f"{self._device} cannot be opened as a camera")
            capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, 1280)
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, 960)
            capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
            due_s = 0.0
            while capture.grab():
                # Each picture is taken off the camera, so that the next one is new; few are decoded.
                if time.monotonic() < due_s:
                    continue
                due_s = time.monotonic() + 0.9 / _A_SECOND
                read, picture = capture.retrieve()
                if not read:
                    break
                yield picture
            raise Failed(f"the camera at {self._device} was pulled")
        finally:
            capture.release()


class PiCamera:
    """The Pi's own camera, by its own library."""

    def pictures(self) -> Iterator[np.ndarray | bytes]:
        try:
            from picamera2 import Picamera2
        except ImportError:
            raise Failed("picamera2 is not installed (Debian's python3-picamera2)") from None
        try:
            camera: Any = Picamera2()
        except (RuntimeError, IndexError, OSError) as failure:
            raise Failed(f"the Pi's camera cannot be opened: {failure}") from None
        try:
            # libcamera's RGB888 has blue first, as OpenCV.
            main = {"size": (1280, 960), "format": "RGB888"}
            camera.configure(camera.create_video_configuration(main, controls={"FrameRate": _A_SECOND}))
            camera.start()
            while True:
                yield camera.capture_array()
        except (RuntimeError, OSError) as failure:
            raise Failed(f"the Pi's camera was lost: {failure}") from None
        finally:
            camera.close()


class Video:
    """A file at its own pace, or a stream of JPEG pictures from a pipe (`rpicam-vid --codec mjpeg -o PIPE`)."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def pictures(self) -> Iterator[np.ndarray | bytes]:
        try:
            pipe = stat.S_ISFIFO(self._path.stat().st_mode)
        except OSError as failure:
            raise Failed(f"{self._path}: {failure.strerror}") from None
        yield from self._read_pipe() if pipe else self._read_video()

    def _read_pipe(self) -> Iterator[bytes]:
        with self._path.open("rb", buffering=0) as stream:
            splitter = Splitter()
            while data := stream.read(_READ):
                yield from splitter.feed(data)
        raise Failed(f"{self._path}: nobody sends pictures any more")

    def _read_video(self) -> Iterator[np.ndarray]:
        capture = cv2.VideoCapture(str(self._path))
        try:
            if not capture.isOpened():
                raise Failed(f"{self._path}: expected a video")
            wait_s = 1 / min(max(capture.get(cv2.CAP_PROP_FPS), 1.0), 120.0)
            due_s = time.monotonic()
            while (read := capture.read())[0]:
                yield read[1]
                due_s += wait_s
                time.sleep(max(0.0, due_s - time.monotonic()))
        finally:
            capture.release()


class Folder:
    """The pictures of a folder by their names, half a second each; the last one stays."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def pictures(self) -> Iterator[np.ndarray | bytes]:
        try:
            files = sorted(
                path for path in self._path.iterdir() if path.suffix.lower() in (".jpg", ".jpeg", ".png")
            )
        except OSError as failure:
            raise Failed(f"{self._path}: {failure.strerror}") from None
        if not files:
            raise Failed(f"{self._path}: expected a folder of .jpg or .png pictures")
        data = b""
        for file in chain(files, repeat(None)):
            data = data if file is None else read_file(file)
            # Shown four times: a board is read when two pictures agree.
            for _ in range(4):
                yield data
                time.sleep(_NEXT_PICTURE_S / 4)


def read_file(path: Path) -> bytes:
    """Return a picture's bytes, empty for a file that is too long to be a picture. Raise Failed if it cannot be
    read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as failure:
        raise Failed(f"{path}: {failure.strerror}") from None
    return data if len(data) <= MOST_BYTES else b""


class Splitter:
    """JPEG pictures out of a stream of bytes, in any pieces; holds one picture's bytes at most."""

    _BEGIN, _END = b"\xff\xd8\xff", b"\xff\xd9"

    def __init__(self) -> None:
        self._held = bytearray()
        self._searched = 0

    def feed(self, data: bytes) -> list[bytes]:
        pictures: list[bytes] = []
        self._held += data
        while (begin := self._held.find(self._BEGIN)) >= 0:
            del self._held[:begin]
            end = self._held.find(self._END, max(self._searched - begin - 1, 2))
            if end < 0 and len(self._held) <= MOST_BYTES:
                self._searched = len(self._held)
                return pictures
            if end >= 0:
                pictures.append(bytes(self._held[: end + 2]))
            # Of what is too long to be a picture only the beginning goes: one may begin within it.
            del self._held[: max(end, 0) + 2]
            self._searched = 0
        # What is no picture's beginning is dropped, but for bytes that may begin one.
        del self._held[:-2]
        self._searched = 0
        return pictures


class Latest:
    """The newest picture of a source: a thread reads the source, and opens it again when it was lost."""

    def __init__(self, source: PictureSource, now_ns: Callable[[], int], again_s: float = 1.0) -> None:
        self._source = source
        self._now_ns = now_ns
        self._again_s = again_s
        self._there = threading.Condition()
        self._picture: tuple[int, np.ndarray | bytes] | None = None
        self._why = "no picture yet"
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    def take(self, within_s: float) -> tuple[int, np.ndarray | bytes] | None:
        """Return the instant and the newest picture that was not taken yet, or None if none came in time."""
        with self._there:
            self._there.wait_for(lambda: self._picture is not None, within_s)
            picture, self._picture = self._picture, None
            return picture

    @property
    def why(self) -> str:
        """The reason why there is no picture; empty while they come."""
        with self._there:
            return self._why

    def close(self) -> None:
        """Let the source go; one that hangs is left behind. (OpenCV aborts a program that ends within its decoder.)"""
        self._closing.set()
        self._thread.join(timeout=_LET_GO_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                for picture in self._source.pictures():
                    if self._closing.is_set():
                        return
                    with self._there:
                        self._picture, self._why = (self._now_ns(), picture), ""
                        self._there.notify_all()
                why = "the pictures are at their end"
            except Failed as lost:
                why = str(lost)
            with self._there:
                self._why = why
            self._closing.wait(self._again_s)
