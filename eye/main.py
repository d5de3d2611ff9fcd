"""flagfall-eye: a board seen by a camera, told as any board tells itself."""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import sys
import threading
import time
import tty
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from uuid import getnode

import cv2

from eye.eye import Eye, KeptCorners, Showing
from eye.sources import Folder, PiCamera, PictureSource, Video, VideoCamera, decode_picture, read_file
from eye.speaker import BEAT_NS, Speaker
from eye.still import read_picture
from flagfall.base.command_line import BAD_INPUT, DONE, THE_ANSWER_IS_NO, CommandError, Parser
from flagfall.base.errors import Failed
from flagfall.base.foreign_text import parse_toml
from flagfall.base.settings import LARGEST_BYTES
from flagfall.link.board.eye_view import place_of
from flagfall.othello.board import format_position, square_names


class Pty:
    """The eye's end of the cable, which the table program opens as it opens a board's port.

    `path` is a symbolic link to the pty while it is open. Raise OSError if it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._master, self._slave = os.openpty()
        # The slave's end is held too, so that the pty outlives a host that opens and closes it.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._target = os.ttyname(self._slave)
        try:
            if path.is_symlink():
                path.unlink()
            path.symlink_to(self._target)
        except OSError:
            self.close()
            raise

    def read(self, within_s: float) -> bytes:
        """Return the host's bytes, empty if none came in time."""
        ready, _, _ = select.select([self._master], [], [], within_s)
        return os.read(self._master, 4096) if ready else b""

    def write(self, data: bytes) -> None:
        """Write whole frames; they are dropped like the real board's if nobody reads."""
        for frame in filter(None, data.split(b"\0")):
            try:
                os.write(self._master, frame + b"\0")
            except BlockingIOError:
                return

    def close(self) -> None:
        if self.path.is_symlink() and str(self.path.readlink()) == self._target:
            self.path.unlink()
        os.close(self._master)
        os.close(self._slave)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the eye. Return 0, or 1 if no board was found, 2 for bad arguments or a file that cannot be read."""
    try:
        options = _parser().parse_args(arguments)
        # The clock's program has the other cores.
        cv2.setNumThreads(1)
        return _read(options.picture, options.json) if options.command == "read" else _run(options)
    except (CommandError, Failed) as fault:
        print(f"flagfall-eye: {fault}", file=sys.stderr)
        return BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="flagfall-eye", description="A board seen by a camera, told as any board tells itself."
    )
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    run = commands.add_parser("run", help="watch one board for the table program")
    source = run.add_mutually_exclusive_group(required=True)
    source.add_argument("--camera", metavar="DEVICE", help='a V4L2 device, or "pi" for the Pi\'s own camera')
    source.add_argument(
        "--settings", metavar="FILE", help="the table's configuration, whose `eye` names the camera"
    )
    source.add_argument("--pictures", metavar="FOLDER", help="the pictures of a folder, by their names")
    source.add_argument("--video", metavar="FILE", help="a video, or a pipe of JPEG pictures")
    run.add_argument(
        "--port", metavar="PATH", default="flagfall-eye", help="the table's `board` (flagfall-eye)"
    )
    run.add_argument("--keep", metavar="FOLDER", help="keep a picture of every told position there (none)")
    run.add_argument(
        "--place", metavar="FILE", help="keep there where somebody said that the board lies (nowhere)"
    )
    read = commands.add_parser("read", help="print one picture's position")
    read.add_argument("picture", metavar="PICTURE")
    read.add_argument(
        "--json",
        action="store_true",
        help="one JSON object, with the corners in pixels and why a square is not known",
    )
    return parser


def _read(name: str, as_json: bool) -> int:
    picture = decode_picture(read_file(Path(name)))
    if picture is None:
        raise Failed(f"{name}: expected a picture")
    seen = read_picture(picture)
    squares = None if seen is None else format_position(seen.position)
    doubts = {} if seen is None else seen.doubts
    if as_json:
        points = [] if seen is None else seen.board.placement.corners.tolist()
        corners = [[round(x, 1), round(y, 1)] for x, y in points]
        unknown = {
            square: doubt.value for doubt, doubted in doubts.items() for square in square_names(doubted)
        }
        print(json.dumps({"squares": squares, "corners": corners, "unknown": unknown}))
    elif squares is None:
        print(f"flagfall-eye: {name}: expected a board with at least one disc, found none", file=sys.stderr)
    else:
        print(squares)
        for doubt, doubted in doubts.items():
            print(f"flagfall-eye: {' '.join(square_names(doubted))}: {doubt.value}", file=sys.stderr)
    return THE_ANSWER_IS_NO if squares is None else DONE


def _run(options: argparse.Namespace) -> int:
    if not hasattr(os, "openpty"):
        raise CommandError("the eye's port needs pseudo-terminals: expected Linux or macOS")
    source, name = _source(options)
    keep = Path(options.keep) if options.keep else None
    if keep is not None and not keep.is_dir():
        raise CommandError(f"--keep: expected a folder, got {options.keep}")
    try:
        port = Pty(Path(options.port))
    except OSError as failure:
        raise CommandError(f"--port {options.port}: {failure.strerror}") from None
    closing = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: closing.set())
    speaker = Speaker(_identity(name), time.monotonic_ns())
    lock = threading.Lock()
    eye = Eye(
        source,
        speaker,
        lock,
        showing=Showing(place_of(options.port)),
        place=KeptCorners(options.place),
        keep=keep,
    )
    watching = threading.Thread(target=eye.watch, args=(closing,), name="eye", daemon=True)
    watching.start()
    try:
        while not closing.is_set() and watching.is_alive():
            received = port.read(BEAT_NS / 1e9)
            with lock:
                out = speaker.work(time.monotonic_ns(), received)
            port.write(out)
    finally:
        closing.set()
        port.close()
        watching.join(timeout=5)
    return DONE


def _source(options: argparse.Namespace) -> tuple[PictureSource, str]:
    camera = options.camera or (_camera_of(options.settings) if options.settings else "")
    if camera:
        return PiCamera() if camera == "pi" else VideoCamera(camera), camera
    path = Path(options.video or options.pictures)
    source: PictureSource = Video(path) if options.video else Folder(path)
    # A file, unlike a camera or who writes to a pipe, is not waited for.
    if not path.is_fifo() and next(source.pictures(), None) is None:
        raise Failed(f"{path}: expected a video, got no picture")
    return source, str(path)


def _camera_of(name: str) -> str:
    """Return the `eye` of a table's configuration; the table program checks the rest."""
    try:
        with Path(name).open("rb") as file:
            camera = parse_toml(file.read(LARGEST_BYTES).decode(), LARGEST_BYTES).get("eye")
    except OSError as failure:
        raise CommandError(f"{name}: {failure.strerror}") from None
    except ValueError as failure:
        raise CommandError(f"{name}: {failure}") from None
    if not isinstance(camera, str) or not camera:
        raise CommandError(f'{name}: eye: expected a camera as "/dev/video0" or "pi", got nothing')
    return camera


def _identity(name: str) -> str:
    """Return 16 hex digits that stay the same for this device and camera, and are no sensor board's."""
    return "e7e0" + sha256(f"{getnode()} {name}".encode()).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
