"""`flagfall-eye` as a process: a picture read, a board watched through a pipe of pictures, the camera
covered and pulled.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import until

from link.board.messages import BoardKind
from othello.board import START
from simulator.eye.filmed_board import FilmedBoard
from table_app.board.driver import SerialBoard
from table_app.events import BoardPresence, BoardShown, Event
from tests.eye.test_eye_reading import PHOTO, PHOTO_SHOWS


def eye(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "eye.main", *arguments], capture_output=True, text=True, timeout=60
    )


def test_a_pictures_position_on_one_line() -> None:
    answer = eye("read", "--json", str(PHOTO))
    assert answer.returncode == 0
    told = json.loads(answer.stdout)
    assert told["squares"] == PHOTO_SHOWS
    assert len(told["corners"]) == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("read", "nowhere.jpg"), "nowhere.jpg: No such file"),
        (("read", __file__), "expected a picture"),
        (("run",), "--camera --pictures --video"),
        (("run", "--video", "x", "--port", "/nowhere/board"), "--port /nowhere/board"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: tuple[str, ...], said: str) -> None:
    answer = eye(*arguments)
    assert answer.returncode == 2
    assert said in answer.stderr
    assert answer.stderr.count("\n") == 1


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
        told = [one.ok for one in list(events) if isinstance(one, BoardPresence)]
        return bool(told) and told[-1]

    def shown() -> object:
        told = [one.position for one in list(events) if isinstance(one, BoardShown)]
        return told[-1] if told else None

    try:
        board.start(events.append, time.monotonic_ns)
        until(lambda: shown() == START)
        came = next(one for one in events if isinstance(one, BoardPresence) and one.ok)
        assert came.kind == BoardKind.EYE
        film.place(19, True)
        film.turn(27)
        until(lambda: shown() == film.position)
        film.cover(True)
        until(lambda: not present())
        film.cover(False)
        until(present)
        until(lambda: shown() == film.position)
    finally:
        board.close()
        program.terminate()
        assert program.wait(20) == 0
        assert program.stderr is not None
        program.stderr.close()
    assert not port.is_symlink()
