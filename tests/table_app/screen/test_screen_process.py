"""The process that draws: what it is told and tells, and that the table outlives whatever becomes of it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S, until
from samples.screens import new

from flagfall.base.errors import Failed
from table_app.config import load
from table_app.events import BoardPresence, BoardShown, BoardStream, PartTrouble, ScreenRequest
from table_app.screen import process
from table_app.screen.channel import Drawing
from table_app.screen.process import ScreenProcess
from table_app.table_view import TableView

DRAWS = """
# Draws nothing: says what it has been told, in the seats of views, and does what the seat asks for.
import signal, sys
from table_app.events import ScreenRequest
from table_app.screen.channel import CannotDraw, Opened, received, send
out = sys.stdout.buffer
values = received(sys.stdin.buffer)
drawing = next(values)
for number, view in enumerate(values):
    if number == 0:
        if view.seat == 90:
            send(out, CannotDraw("screen: nothing there"))
            sys.exit(1)
        send(out, Opened())
    send(out, ScreenRequest(0, "seen", str(view.seat)))
    if view.seat == 91:
        sys.exit(3)
    if view.seat == 92:
        signal.pause()
    if view.seat == 93:
        sys.exit(0)
    if view.seat == 94:
        print("a word of somebody else's", flush=True)
        signal.pause()
"""


class Table:
    """The screen as the table's program has it."""

    def __init__(self, path: Path) -> None:
        config = load({"state_dir": str(path), "buttons": "keys", "screen": "window"}, {}, None)
        self.put: list[object] = []
        self.screen = ScreenProcess(Drawing(config, "", 0), self.put.append)

    def troubles(self) -> list[str]:
        return [str(event.why or "") for event in self.put if isinstance(event, PartTrouble)]

    def seen(self) -> list[str]:
        return [event.detail for event in self.put if isinstance(event, ScreenRequest)]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    monkeypatch.setattr(process, "RETRY_S", 0.01)
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", DRAWS))
    table = Table(tmp_path)
    yield table
    table.screen.close()


def test_a_screen_that_goes_is_told_and_the_next_one_shows_what_is_now(table: Table) -> None:
    table.screen.start()
    table.screen.ask_snapshot()
    table.screen.show(TableView(seat=1))
    table.screen.await_opened()
    assert table.troubles() == []
    table.screen.show(TableView(seat=91))
    until(lambda: table.troubles()[:1] == ["The screen fails: the program that draws ended with 3"])
    table.screen.show(TableView(seat=2))
    until(lambda: table.troubles()[-1:] == [""])
    table.screen.show(TableView(seat=3))
    until(lambda: table.seen()[-1:] == ["3"])
    assert table.seen()[:2] == ["1", "91"]


def test_a_screen_that_talks_nonsense_is_begun_again(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "CLOSE_WITHIN_S", 0.1)
    table.screen.show(TableView(seat=1))
    table.screen.start()
    table.screen.await_opened()
    table.screen.show(TableView(seat=94))
    until(table.troubles)
    table.screen.show(TableView(seat=2))
    until(lambda: table.troubles()[-1:] == [""] and table.seen()[-1:] == ["2"])


def test_a_screen_that_never_comes_is_one_line(table: Table) -> None:
    table.screen.show(TableView(seat=90))
    table.screen.start()
    with pytest.raises(Failed, match=r"^screen: nothing there$"):
        table.screen.await_opened()


def test_a_program_that_cannot_be_started_is_one_line(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "COMMAND", (str(tmp_path / "none"),))
    table.screen.start()
    with pytest.raises(Failed, match=r"none: No such file or directory$"):
        table.screen.await_opened()


def test_who_closes_the_window_causes_no_trouble(table: Table) -> None:
    table.screen.show(TableView(seat=1))
    table.screen.start()
    table.screen.await_opened()
    table.screen.show(TableView(seat=93))
    until(lambda: "93" in table.seen())
    for thread in table.screen._threads[:1]:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    assert table.troubles() == []


def test_showing_never_waits_for_a_screen_that_hangs(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "CLOSE_WITHIN_S", 0.1)
    view = new(judged=False).start().moves(20).view(seat=1)
    table.screen.show(view)
    table.screen.start()
    table.screen.await_opened()
    table.screen.show(TableView(seat=92))
    until(lambda: "92" in table.seen())

    def many() -> None:
        for _ in range(2000):
            table.screen.show(view)

    showing = threading.Thread(target=many, daemon=True)
    showing.start()
    showing.join(PATIENCE_S)
    assert not showing.is_alive()


def test_drawing_that_hangs_ends_itself(tmp_path: Path) -> None:
    """A driver that never comes back, also with the interpreter's lock held."""
    script = """
import ctypes
from table_app.screen import child
patience = child.Patience(600, 0.2)
patience.extend()
patience.opened = True
patience.extend()
ctypes.PyDLL(None).pause()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 1 and b"Timeout" in done.stderr


def test_the_real_program_draws_and_ends_with_its_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    config = load({"state_dir": str(tmp_path), "buttons": "keys", "screen": "window"}, {}, None)
    put: list[object] = []
    screen = ScreenProcess(Drawing(config, "practice", 0), put.append)
    screen.show(new().view(game_id="local-1"))
    screen.start()
    screen.await_opened()
    screen.close()
    assert {type(event) for event in put} >= {BoardPresence, BoardShown, BoardStream}
    assert not any(thread.is_alive() for thread in screen._threads)
    assert not [event for event in put if isinstance(event, PartTrouble)]
