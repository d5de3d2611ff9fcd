"""The screen itself, without a game: what closes it, what is kept as pictures, what is refused in one line."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pygame
import pytest
from helpers.touchscreen import LOOK
from helpers.waiting import PATIENCE_S, until
from samples.screens import new

from flagfall.base.errors import Invalid
from table_app.config import load
from table_app.events import Event
from table_app.judge_pin import Pins
from table_app.main import main
from table_app.screen.channel import Drawing
from table_app.screen.child import assembled
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import ScreenController
from table_app.screen.kit.scene import Scene
from table_app.screen.to_files import PictureScreen
from table_app.screen.window import Display, Screen
from table_app.table_view import TableView


def _desk(put: Callable[[Event], None]) -> ScreenController:
    return ScreenController(ScreenSetup(LOOK, Layout(), Pins("1234")), put, lambda: 10**9)


def test_a_screen_closed_before_it_runs_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_VIDEO_X11_WMCLASS", "child.py")  # as pygame does
    screen = Screen(_desk(lambda event: None), LOOK.theme, Display("window"), (800, 480))
    screen.close()
    screen.run()
    assert os.environ["SDL_VIDEO_X11_WMCLASS"] == "flagfall", "the window's name for the desktop"


def test_without_anything_to_draw_on_it_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    assert main(["run", "--laptop", "--state-dir", str(tmp_path)]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if " table " not in line]
    assert len(lines) == 1 and lines[0].startswith(
        "flagfall-table: screen: expected one to draw on, got none: "
    )


def test_pictures_are_kept_of_each_situation(tmp_path: Path) -> None:
    desk = _desk(lambda event: None)
    screen = PictureScreen(desk, LOOK.theme, tmp_path / "pictures", (800, 480))
    played = new()

    def play() -> None:
        try:
            for view in (TableView(), played.view(), played.start().view(), played.moves(80).view()):
                screen.show(view)
                until(lambda view=view: desk.view is view)  # type: ignore[misc]
        finally:
            screen.close()

    table = threading.Thread(target=play)
    table.start()
    screen.run()
    table.join()
    made = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert made[:3] == ["000-idle.png", "001-waiting.png", "002-running.png"]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"theme": "dark blue"}, "theme: expected one of"),
        ({"language": "xx"}, "language: expected one of en, es, fr, it, ja, zh_Hans, zh_Hant"),
    ],
)
def test_a_wrong_theme_or_language_is_one_line(
    options: dict[str, str | None], line: str, tmp_path: Path
) -> None:
    config = load({"buttons": "keys", "state_dir": str(tmp_path), **options}, {}, None)
    with pytest.raises(Invalid, match=line):
        assembled(Drawing(config, "", 0), TableView(), lambda value: None)


def test_nothing_is_laid_out_while_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only asking for touches goes on: twenty rounds of it, and no scene is made for them."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    desk, asked, made = _desk(lambda event: None), threading.Event(), list[int]()
    rounds, get, scene = list[int](), pygame.event.get, desk.scene
    screen = Screen(desk, LOOK.theme, Display("window"), (800, 480))

    def asking() -> list[pygame.event.Event]:
        rounds.append(0)
        if len(rounds) > 20:
            asked.set()
        return get()

    def making(width: int, height: int) -> Scene:
        made.append(0)
        return scene(width, height)

    monkeypatch.setattr(pygame.event, "get", asking)
    monkeypatch.setattr(desk, "scene", making)
    monkeypatch.setattr(desk, "next_ns", lambda: 10**12)
    drawing = threading.Thread(target=lambda: asked.wait(PATIENCE_S) and screen.close())
    drawing.start()
    screen.run()
    drawing.join()
    assert len(made) <= 3  # the first picture, and what SDL says of a new window
