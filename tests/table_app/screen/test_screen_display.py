"""A display without a desktop: what is scanned out is read back, renderers are tried in turn, and it is waited for."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pygame
import pytest
from helpers.table_venue import XServer
from helpers.waiting import PATIENCE_S, until

from flagfall.base.errors import Failed
from table_app.config import load
from table_app.events import PartTrouble, ScreenFound
from table_app.judge_pin import Pins
from table_app.screen import process, scanout
from table_app.screen import window as screens
from table_app.screen.channel import Drawing
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import ScreenController
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.process import ScreenProcess
from table_app.screen.window import GRID, Display, Screen
from table_app.service import _await
from table_app.table_view import TableView
from table_app.tools import checks

WIDTH, HEIGHT, PITCH, OFFSET = 64, 32, 320, 4096


class Kernel:
    """A graphics device below the program's own calls: two displays, the second in use; its frame buffer is a file."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(OFFSET) + bytes(PITCH * HEIGHT))
        self.file = path.open("r+b")
        self.fd = self.file.fileno()
        self.master = True
        self.open_handles: set[int] = set()

    def fill(self, pixel: bytes) -> None:
        os.pwrite(self.fd, (pixel * WIDTH + bytes(PITCH - 4 * WIDTH)) * HEIGHT, OFFSET)

    def ioctl(self, fd: int, request: int, buffer: bytearray) -> int:
        assert fd == self.fd and request >> 16 & 0x3FFF == len(buffer) and request >> 8 & 0xFF == ord("d")
        number, sizes = request & 0xFF, {0xA0: 64, 0xA1: 104, 0xCE: 104, 0xB3: 16, 0x09: 8}
        assert len(buffer) == sizes[number], "the kernel's structures have these sizes"
        if number == 0xA0:
            address, room = struct.unpack_from("8xQ", buffer)[0], struct.unpack_from("I", buffer, 36)[0]
            if room:
                (ctypes.c_uint32 * room).from_address(address)[:] = [51, 52]
            struct.pack_into("I", buffer, 36, 2)
        elif number == 0xA1:
            struct.pack_into("I", buffer, 16, {51: 0, 52: 9}[struct.unpack_from("I", buffer, 12)[0]])
        elif number == 0xCE:
            assert struct.unpack_from("I", buffer)[0] == 9
            handle = 3 if self.master else 0
            self.open_handles |= {handle} - {0}
            struct.pack_into("3I", buffer, 4, WIDTH, HEIGHT, 0x34325258)
            struct.pack_into("I", buffer, 20, handle)
            struct.pack_into("I", buffer, 36, PITCH)
        elif number == 0xB3:
            assert struct.unpack_from("I", buffer)[0] == 3
            struct.pack_into("Q", buffer, 8, OFFSET)
        else:
            self.open_handles.remove(struct.unpack_from("I", buffer)[0])
        return 0


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    kernel = Kernel(tmp_path / "card0")
    monkeypatch.setattr("fcntl.ioctl", kernel.ioctl)
    yield kernel
    assert not kernel.open_handles
    kernel.file.close()


def test_the_pixels_that_are_scanned_out_are_read(kernel: Kernel) -> None:
    kernel.fill(b"\x01\x02\x03\xff")
    os.pwrite(kernel.fd, b"\x0a\x0b\x0c\xff", OFFSET + PITCH * (HEIGHT - 1) + 4 * (WIDTH - 1))
    assert scanout.pixels(kernel.fd, [(0, 0), (0.5, 0.5), (1, 1)]) == [
        b"\x01\x02\x03\xff",
        b"\x01\x02\x03\xff",
        b"\x0a\x0b\x0c\xff",
    ]


def test_a_display_that_another_program_rules_cannot_be_read(kernel: Kernel) -> None:
    kernel.master = False
    assert scanout.pixels(kernel.fd, [(0, 0)]) is None


def test_what_is_no_graphics_device_cannot_be_read(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        assert scanout.pixels(file.fileno(), [(0, 0)]) is None
    (tmp_path / "fd").mkdir()
    (tmp_path / "fd" / "4").symlink_to("/dev/null")
    assert scanout.device(tmp_path / "fd") is None
    (tmp_path / "fd" / "5").symlink_to("/dev/dri/card1")
    assert scanout.device(tmp_path / "fd") == 5


def _screen() -> Screen:
    desk = ScreenController(
        ScreenSetup(Look(load_theme(), load_words(), 1.0), Layout(), Pins("")), print, lambda: 0
    )
    screen = Screen(desk, load_theme(), Display("kms", renderer="opengles2"), (80, 48))
    screen.show(TableView())
    return screen


@pytest.fixture
def kms(monkeypatch: pytest.MonkeyPatch, kernel: Kernel) -> Kernel:
    """KMSDRM in name only: SDL draws into memory, and the kernel scans out what the test has put there."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_FRAMEBUFFER_ACCELERATION", "0")
    monkeypatch.setattr(scanout, "device", lambda: kernel.fd)
    monkeypatch.setattr(screens, "FLIP_S", 0.001)
    monkeypatch.setattr(
        pygame.display, "set_mode", lambda size, flags: pygame.Surface((WIDTH, HEIGHT), depth=32)
    )
    monkeypatch.setattr(pygame.mouse, "set_visible", lambda visible: True)
    monkeypatch.setattr(pygame.display, "update", lambda changed: None)
    return kernel


def _opened(screen: Screen) -> str:
    screen.run(screen.close)
    return screen.drawn_by


def test_a_black_display_is_no_screen(kms: Kernel) -> None:
    with pytest.raises(Failed, match="dummy 64x32 by opengles2: the display stays black"):
        _opened(_screen())


def test_what_was_seen_on_the_display_is_said(kms: Kernel) -> None:
    red, green, blue = load_theme().colours["paper"]
    kms.fill(bytes((blue, green, red, 255)))
    drawn_by = _opened(_screen())
    same, points = int(drawn_by.split("; ")[1].split()[0]), (GRID + 1) ** 2
    assert drawn_by.startswith("dummy 64x32 by opengles2; ") and 0 < same <= points


def test_a_display_that_cannot_be_read_back_is_used_all_the_same(kms: Kernel) -> None:
    kms.master = False
    assert _opened(_screen()) == "dummy 64x32 by opengles2; it could not be read back"


DRAWS = """
# Draws nothing: opens where its renderer is the one that works, as a file says; "crash" takes it down.
import os, sys
from pathlib import Path
from table_app.screen.channel import CannotDraw, Opened, received, send
out = sys.stdout.buffer
values = received(sys.stdin.buffer)
drawing, view = next(values), next(values)
works = (drawing.config.state_dir / "works").read_text().split()
with (drawing.config.state_dir / "tried").open("a") as tried:
    tried.write(drawing.renderer + "\\n")
if "crash" in works and drawing.renderer not in works:
    os.abort()
if drawing.renderer not in works:
    send(out, CannotDraw(f"screen: {drawing.renderer}: the display stays black"))
    sys.exit(1)
send(out, Opened(drawing.renderer))
for value in values:
    if value.seat == 91:
        sys.exit(3)
"""


class Table:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.put: list[Any] = []
        config = {"state_dir": str(path), "buttons": "keys", "screen": "kms"}
        self.config = load(config, {}, None)
        self.screen = ScreenProcess(Drawing(self.config, "", 0), self.put.append)
        self.screen.show(TableView(seat=1))

    def works(self, renderer: str) -> None:
        (self.path / "works.new").write_text(renderer)
        (self.path / "works.new").replace(self.path / "works")

    @property
    def tried(self) -> list[str]:
        return (self.path / "tried").read_text().split()

    @property
    def troubles(self) -> list[str]:
        return [str(event.why or "") for event in self.put if isinstance(event, PartTrouble)]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("SDL_FRAMEBUFFER_ACCELERATION", raising=False)
    monkeypatch.setattr(process, "RETRY_S", 0.01)
    monkeypatch.setattr(process, "MOST_RETRY_S", 0.02)
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", DRAWS))
    table = Table(tmp_path)
    yield table
    table.screen.close()


@pytest.mark.parametrize("works", ["opengl", "opengl crash"])
def test_the_next_renderer_is_tried_where_one_stays_black_or_crashes(table: Table, works: str) -> None:
    table.works(works)
    table.screen.start()
    assert table.screen.await_opened() == "opengl"
    assert table.tried == ["opengles2", "opengl"]
    assert [event.drawn_by for event in table.put if isinstance(event, ScreenFound)] == ["opengl"]
    assert table.troubles == []
    table.screen.show(TableView(seat=91))
    until(lambda: table.troubles[1:] == [""])
    assert table.tried == ["opengles2", "opengl", "opengl"], "the one that drew is the first to draw again"


def test_a_display_that_comes_later_is_waited_for(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    from table_app.log import Log

    table.works("nothing")
    table.screen.start()
    _await(table.screen, table.config, Log())
    assert "started without a picture" in capsys.readouterr().err
    until(lambda: len(table.tried) > 4)
    why = "The screen fails: opengles2: the display stays black; opengl: the display stays black"
    assert table.troubles[0] == why
    table.works("opengles2")
    until(lambda: table.troubles[-1:] == [""])


def test_the_doctor_says_what_drew_and_what_was_seen(table: Table) -> None:
    table.works("opengl")
    assert checks.screen("kms", lambda: table.screen) == checks.Check("screen", True, "kms: opengl")


def test_the_doctor_says_that_the_display_stays_black(table: Table) -> None:
    table.works("nothing")
    check = checks.screen("kms", lambda: table.screen)
    assert not check.ok and check.what.startswith("opengles2: the display stays black")


@pytest.mark.parametrize("connector", ["", "HDMI-A-9"])
def test_where_there_is_no_display_the_real_program_says_so_and_goes_on_trying(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connector: str
) -> None:
    """KMSDRM itself, which finds no device on a machine without one."""
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    monkeypatch.setattr(process, "RETRY_S", 0.01)
    monkeypatch.setenv("SDL_KMSDRM_DEVICE_INDEX", "77")
    config = load(
        {"state_dir": str(tmp_path), "buttons": "keys", "screen": "kms", "connector": connector}, {}, None
    )
    put: list[Any] = []
    screen = ScreenProcess(Drawing(config, "", 0), put.append)
    screen.show(TableView())
    screen.start()
    with pytest.raises(Failed, match="no display at HDMI-A-9" if connector else "expected one to draw on"):
        screen.await_opened()
    until(lambda: any(isinstance(event, PartTrouble) for event in put))
    screen.close()


@pytest.mark.needs("xvfb")
@pytest.mark.parametrize("renderer", process.RENDERERS)
def test_each_renderer_that_is_tried_is_one_of_sdls_and_draws(renderer: str, display: XServer) -> None:
    """SDL takes the renderer that it is told to take, and its pixels are right; in a window, as there is no display."""

    script = """
import ctypes, os, pygame
pygame.display.init()
surface = pygame.display.set_mode((64, 48))
surface.fill((200, 100, 50))
pygame.display.update()
from pygame._sdl2 import video
drawn = video.Renderer.from_window(video.Window.from_display_module()).to_surface()
assert drawn.get_at((10, 10))[:3] == (200, 100, 50), drawn.get_at((10, 10))
assert os.environ["SDL_FRAMEBUFFER_ACCELERATION"] in [one.name for one in video.get_drivers()]
"""
    environment = (
        os.environ
        | {"DISPLAY": display.name, "SDL_VIDEODRIVER": "x11"}
        | {"SDL_FRAMEBUFFER_ACCELERATION": renderer}
    )
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
