"""`flagfall-eye` as a process: a picture read, a board watched through a pipe of pictures, the camera
covered and pulled.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.waiting import PATIENCE_S, until

from eye.main import main
from flagfall.link.board.eye_view import place_of, unpacked
from flagfall.link.board.faults import EYE_DARK
from flagfall.link.board.messages import BoardKind, RawStream
from flagfall.othello.board import START
from simulator.eye.filmed_board import FilmedBoard
from table_app.board.driver import SerialBoard
from table_app.events import BoardFault, BoardPresence, BoardShown, Event
from tests.eye.test_eye_reading import PHOTO, PHOTO_SHOWS


def test_every_square_of_a_real_photograph() -> None:
    command = [sys.executable, "-m", "eye.start", "read", "--json", str(PHOTO)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert answer.returncode == 0
    answer_fields = json.loads(answer.stdout)
    assert answer_fields["squares"] == PHOTO_SHOWS
    corners = np.array([(247, 446), (1067, 446), (1168, 1350), (40, 1278)]) * 750 / 1200
    assert np.abs(np.array(answer_fields["corners"]) - corners).max() < 12


def test_squares_that_are_not_known_are_named_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = cv2.imread(str(PHOTO))
    assert picture is not None
    cut = tmp_path / "cut.png"
    cv2.imwrite(str(cut), picture[:, :640])
    assert main(("read", str(cut))) == 0
    printed = capsys.readouterr()
    assert len(printed.out) == 65
    (line,) = (line for line in printed.err.splitlines() if line.endswith(": the picture's edge cuts it"))
    assert {"h1", "h2", "h8"} <= set(line.split(": ")[1].split())
    assert main(("read", "--json", str(cut))) == 0
    fields = json.loads(capsys.readouterr().out)
    assert fields["unknown"]["h8"] == "the picture's edge cuts it"
    assert len(fields["unknown"]) == fields["squares"].count("?")


def test_more_pixels_than_a_camera_has_are_not_decoded(tmp_path: Path) -> None:
    # 81 million, each of one bit: the file has 12 kB.
    side = 9000
    ihdr = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", ihdr), (b"IDAT", zlib.compress(bytes((1 + side // 8) * side))), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    large = tmp_path / "large.png"
    large.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    command = [sys.executable, "-m", "eye.start", "read", str(large)]
    # This process has the limit already.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENCV")}
    answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, env=environment)
    assert answer.returncode == 2
    assert answer.stderr == f"flagfall-eye: {large}: expected a picture\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("read", "nowhere.jpg"), "nowhere.jpg: No such file"),
        (("read", __file__), "expected a picture"),
        (("run",), "--camera --settings --pictures --video"),
        (("run", "--settings", "nowhere.toml"), "nowhere.toml: No such file"),
        (("run", "--settings", "systemd/table.toml"), "eye: expected a camera"),
        (("run", "--camera", "x", "--port", "/nowhere/board"), "--port /nowhere/board"),
        (("read", "a line\nand another"), "No such file"),
        (("run", "--video", "nowhere.avi"), "nowhere.avi: No such file"),
        (("run", "--video", __file__), "expected a video"),
        (("run", "--pictures", "nowhere"), "nowhere: No such file"),
        (("run", "--pictures", str(Path(__file__).parent)), "expected a folder of .jpg or .png pictures"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1


@pytest.fixture
def film(tmp_path: Path) -> Iterator[FilmedBoard]:
    board = FilmedBoard(tmp_path / "film", seed=1)
    yield board
    board.close()


def test_a_board_is_played_on_through_an_eye(film: FilmedBoard, tmp_path: Path) -> None:
    port = tmp_path / "board"
    program = subprocess.Popen(
        [sys.executable, "-m", "eye.main", "run", "--video", str(film.path), "--port", str(port)],
        stderr=subprocess.PIPE,
    )
    events: list[Event] = []
    board = SerialBoard(str(port))

    def present() -> bool:
        presence = [event.ok for event in list(events) if isinstance(event, BoardPresence)]
        return bool(presence) and presence[-1]

    def shown() -> object:
        positions = [event.position for event in list(events) if isinstance(event, BoardShown)]
        return positions[-1] if positions else None

    try:
        board.start(events.append, time.monotonic_ns)
        until(lambda: shown() == START)
        came = next(event for event in events if isinstance(event, BoardPresence) and event.ok)
        assert came.kind == BoardKind.EYE
        view = place_of(str(port))

        def seen() -> bool:
            """Return whether the eye shows, for three seconds, the view for whoever sets it up."""
            board.say(RawStream(True))
            shown = unpacked(view.read_bytes()) if view.exists() else None
            return shown is not None and shown.start and not shown.faults

        until(seen)
        board.say(RawStream(False))
        until(lambda: not view.exists())
        film.place(19, True)
        film.turn(27)
        until(lambda: shown() == film.position)
        lit = film._painter.picture
        with pytest.MonkeyPatch.context() as something_dark:  # over the lens
            something_dark.setattr(film._painter, "picture", lambda *seen: lit(*seen) // 32)
            until(lambda: not present())
            assert EYE_DARK in [event.code for event in events if isinstance(event, BoardFault)]
        until(present)
        until(lambda: shown() == film.position)
    finally:
        board.close()
        program.terminate()
        assert program.wait(PATIENCE_S) == 0
        assert program.stderr is not None
        lines = program.stderr.read().decode().splitlines()
        program.stderr.close()
    is_seen = "info eye the board is seen"
    assert [line for line in lines if "seen" in line] == [
        is_seen,
        "info eye the board is not seen: dark",
        is_seen,
    ]
    assert not port.is_symlink()
