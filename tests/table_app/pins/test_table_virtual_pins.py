"""The local socket: hands of another process on mock pins, whatever bytes they send."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.command_line import CommandError
from flagfall.othello.inputs import Sign
from flagfall.othello.side import Both, Side
from table_app.events import ButtonEdge, Event, Place, ScreenInput, ScreenRequest
from table_app.pins.buttons import PinButtons
from table_app.pins.mock import MockFactory
from table_app.pins.virtual import PORT_NAME, SOCKET_NAME, VirtualPins, connect, touch_of_screen, visible
from table_app.table_view import TableView

PINS = Both(17, 27)


def pins_in(path: Path, factory: Any) -> VirtualPins:
    return VirtualPins(
        path, factory, PINS, state=lambda: visible(TableView(), 0), put=lambda _: None, now_ns=lambda: 5
    )


@pytest.fixture
def factory() -> Iterator[Any]:
    factory = MockFactory()
    yield factory
    factory.reset()


def ask(path: Path, *lines: str) -> list[str]:
    with connect(path) as connection, connection.makefile("rwb") as stream:
        answers = []
        for line in lines:
            stream.write(line.encode() + b"\n")
            stream.flush()
            answers.append(stream.readline().decode().rstrip("\n"))
        return answers


@pytest.mark.parametrize("name", ["s", "a long name " * 12])
def test_a_press_goes_the_way_of_a_real_one(
    tmp_path: Path, factory: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # which may be long itself
    path = Path(name)
    path.mkdir()
    put: list[Event] = []
    buttons = PinButtons(factory, PINS)
    buttons.start(put.append, lambda at_ns: at_ns)
    pins = pins_in(path, factory)
    pins.start()
    assert (path / (SOCKET_NAME if name == "s" else PORT_NAME)).exists()
    assert ask(path, "white down", "white down", "white up", "black down") == ["ok"] * 4
    edges = [(event.place, event.pressed) for event in put if isinstance(event, ButtonEdge)]
    assert edges == [(Place.RIGHT, True), (Place.RIGHT, False), (Place.LEFT, True)]
    (state,) = ask(path, "state")
    assert json.loads(state)["phase"] == "idle" and json.loads(state)["state"] is None
    pins.close()
    buttons.close()
    with pytest.raises(OSError):
        connect(path)


def test_a_full_disk_is_one_line_with_the_place(
    tmp_path: Path, factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ("a long name " * 12)
    path.mkdir()
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(Path, "write_text", lambda file, *_: file.touch() or (_ for _ in ()).throw(full))
    with pytest.raises(CommandError, match=f"^buttons: {path}: No space left on device$"):
        pins_in(path, factory).start()
    with pytest.raises(OSError):
        connect(path)


def test_a_finger_on_the_screen() -> None:
    assert touch_of_screen({"type": "sign", "by": "black"}, 7) == ScreenInput(Sign(7, Side.BLACK))
    assert touch_of_screen({"request": "call_director", "detail": "why"}, 7) == ScreenRequest(
        7, "call_director", "why"
    )


@given(
    line=st.binary(max_size=200) | st.text().map(lambda text: b"screen " + text.encode("utf-8", "replace"))
)
def test_any_line_is_answered(line: bytes) -> None:
    factory = MockFactory()
    answer = pins_in(Path(), factory).answer(line)
    factory.reset()
    assert "\n" not in answer
    assert answer == "ok" or answer.startswith(("error: ", "{"))
