"""The eye at work: picture after picture is read, told, and shown to whoever sets it up."""

from __future__ import annotations

import json
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from eye.placement import Floats, lattice
from eye.sources import Latest, PictureSource, decode_picture
from eye.speaker import Speaker
from eye.watcher import PictureSeen, Sight, Watcher
from flagfall.base.private_file import write_private
from flagfall.link.board.eye_view import LINES, EyeView, packed
from flagfall.othello.board import START, format_position

_NO_PICTURE_S = 1.5
# The program ends, to be started anew, if the camera neither gives a picture nor fails for this long.
_HUNG_S = 30.0
_LONGEST_PLACE = 1000


class KeptCorners:
    """The corners that a person has placed, kept in a file (if there is one) from one start to the next."""

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path is not None else None

    def read(self) -> Floats | None:
        """Return the kept corners, None if the file holds none."""
        if self._path is None or not self._path.is_file():
            return None
        try:
            corners = np.array(json.loads(self._path.read_bytes()[:_LONGEST_PLACE]), np.float64)
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        return corners if corners.shape == (4, 2) and bool(np.isfinite(corners).all()) else None

    def keep(self, corners: Floats | None) -> None:
        """Keep these corners. Raise OSError if the file cannot be written."""
        if self._path is not None:
            points = None if corners is None else corners.tolist()
            write_private(self._path, json.dumps(points).encode() + b"\n")


@dataclass(frozen=True, slots=True)
class Eye:
    """The loop that reads pictures, reports positions and shows the view."""

    source: PictureSource
    speaker: Speaker
    # Guards `speaker`, which the thread of the cable also uses.
    lock: threading.Lock
    showing: Showing
    place: KeptCorners
    # The folder for a picture of every reported position.
    keep: Path | None = None

    def watch(self, closing: threading.Event) -> None:
        """Read picture after picture until it is closed or the camera hangs. Only positions leave this thread."""
        latest = Latest(self.source, time.monotonic_ns)
        watcher = Watcher(corners=self.place.read())
        why, status = "", ""
        seen_s = time.monotonic()
        while not closing.is_set():
            taken = latest.take(_NO_PICTURE_S)
            picture = None
            if taken is not None:
                at_ns, data = taken
                picture = decode_picture(data) if isinstance(data, bytes) else data
            if picture is None:
                with self.lock:
                    self.speaker.no_picture(time.monotonic_ns())
                self.showing.stop()
                if latest.why != why:
                    why = latest.why
                    log("warning", why)
                if not why and time.monotonic() - seen_s > _HUNG_S:
                    log("warning", "the camera hangs: ended, to be begun anew")
                    return
                continue
            why, seen_s = "", time.monotonic()
            self._heed(watcher)
            seen = watcher.see(picture, at_ns)
            self._report(picture, seen, at_ns)
            self._show(picture, watcher, seen, at_ns)
            before, status = status, f"the board is not seen: {seen.sight}"
            if seen.sight in (Sight.CLEAR, Sight.HIDDEN):
                status = "the board is seen"
            if status != before:
                log("info", status)
        self.showing.stop()
        latest.close()

    def _heed(self, watcher: Watcher) -> None:
        """Take over corners that a person has placed, if there are new ones."""
        with self.lock:
            placed = self.speaker.placed()
        if placed is None:
            return
        corners = np.array(placed.corners) if placed.corners else None
        watcher.say(corners)
        try:
            self.place.keep(corners)
        except OSError as failure:
            log("warning", f"the corners could not be kept: {failure.strerror}")

    def _report(self, picture: np.ndarray, seen: PictureSeen, at_ns: int) -> None:
        with self.lock:
            before = self.speaker.settled
            self.speaker.saw(at_ns, seen.sight, seen.reading.position)
            settled = self.speaker.settled
        if self.keep is not None and settled is not None and settled != before:
            (self.keep / f"{at_ns // 1_000_000}.jpg").write_bytes(cv2.imencode(".jpg", picture)[1].tobytes())

    def _show(self, picture: np.ndarray, watcher: Watcher, seen: PictureSeen, at_ns: int) -> None:
        with self.lock:
            wanted = self.speaker.looked_at(time.monotonic_ns(), SHOWN_FOR_NS)
        try:
            if wanted:
                self.showing.show(picture, watcher, seen, at_ns)
            else:
                self.showing.stop()
        except OSError as failure:
            log("warning", f"the picture could not be shown: {failure.strerror}")


def log(level: str, message: str) -> None:
    print(f"{level} eye {message}", file=sys.stderr, flush=True)


# The view is shown for this long after the table last said that somebody looks.
SHOWN_FOR_NS = 3_000_000_000
EVERY_NS = 200_000_000
_LONGER = 400
# Least side of a square in pixels: smaller ones are below what the reading was tested with.
_SMALLEST_SQUARE = 24
# Least brightness of the surface, of 255. The surface in the real photograph of the tests, which is read whole, has 33.
_DIM = 25.0
_GRID = lattice(np.arange(float(LINES)))


class Showing:
    """The file of the view beside the port: it is written while somebody looks, and none is left behind."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new = path.with_name(f"{path.name}.new")
        self._shown_ns: int | None = None

    def show(self, picture: np.ndarray, watcher: Watcher, seen: PictureSeen, at_ns: int) -> None:
        """Write the view. Raise OSError if it cannot be written."""
        if self._shown_ns is not None and at_ns - self._shown_ns < EVERY_NS:
            return
        self._shown_ns = at_ns
        self._new.write_bytes(packed(view_of(picture, watcher, seen)))
        self._new.replace(self._path)

    def stop(self) -> None:
        if self._shown_ns is not None:
            self._shown_ns = None
            with suppress(OSError):
                self._path.unlink()


def view_of(picture: np.ndarray, watcher: Watcher, seen: PictureSeen) -> EyeView:
    """Return the view of one picture."""
    height, width = picture.shape[:2]
    factor = min(1.0, _LONGER / max(width, height))
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    small = cv2.cvtColor(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
    grid: tuple[tuple[float, float], ...] = ()
    if watcher.placement is not None:
        shares = np.clip(watcher.placement.project(_GRID) / (width, height), -1, 2)
        grid = tuple((float(x), float(y)) for x, y in shares)
    position = seen.reading.position
    start = seen.sight is Sight.CLEAR and position == START
    return EyeView(
        *size,
        pixels=small.tobytes(),
        grid=grid,
        a1=1 if watcher.quarter else 0,
        squares=format_position(position),
        faults=faults(watcher, seen),
        start=start,
    )


def faults(watcher: Watcher, seen: PictureSeen) -> tuple[str, ...]:
    """Return what keeps the eye from reading this board well, the first cause first; empty if nothing does."""
    placement = watcher.placement
    if seen.sight not in (Sight.CLEAR, Sight.HIDDEN) or placement is None:
        return (seen.sight.value,)
    causes: list[str] = []
    corners, size = placement.corners, np.array(placement.size)
    if (corners < 0).any() or (corners > size - 1).any():
        causes.append("cut")
    if placement.pixels_per_square < _SMALLEST_SQUARE:
        causes.append("small")
    if seen.sight is Sight.HIDDEN:
        return (*causes, "hidden")
    if seen.reading.light < _DIM:
        causes.append("dim")
    if seen.reading.position.unknown:
        causes.append("unclear")
    return tuple(causes)
