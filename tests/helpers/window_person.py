"""Someone in front of a table's window: sees what is on the display, moves the mouse, presses keys.

A touch waits until its button is on the display as the program draws it when it reacts; on a busy machine that is late.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import pygame

from flagfall.othello.referee import replay
from helpers.table_venue import XServer
from helpers.touchscreen import LOOK
from helpers.waiting import until
from table_app.judge_pin import Pins
from table_app.record.journal import read
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import FRESH_FOR_NS, ScreenController
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.scene import Hit, Meaning, Rect, Scene
from table_app.table_view import TableView

# A touch that did nothing within this time is made again: some buttons look the same in their first second, in which
# they do not react. A second touch that was not needed finds a button that is too new.
LOST_AFTER_S = 2
HELD_S = 2


def button(scene: Scene, tap: Meaning) -> Rect:
    """Return the place of a button that is in the scene."""
    hits = [item for item in scene if isinstance(item, Hit)]
    assert tap in {hit.tap for hit in hits}, f"no {tap} among {[hit.tap for hit in hits]}"
    return next(hit.rect for hit in hits if hit.tap == tap)


def place(scene: Scene, tap: Meaning) -> tuple[int, int]:
    """Return the middle of a button."""
    rect = button(scene, tap)
    return rect.x + rect.w // 2, rect.y + rect.h // 2


def scene_with(face: Rect, view: TableView, taps: Sequence[Meaning] = ()) -> Scene:
    """Return the scene a while after these touches, when every button reacts."""
    now_ns = [0 if view.game is None else view.game.at_ns]
    setup = ScreenSetup(LOOK, Layout(self_start=True, keys=True), Pins("1234"))
    desk = ScreenController(setup, lambda event: None, lambda: now_ns[0])
    desk.see(view)
    scene = desk.scene(face.w, face.h)
    for tap in (*taps, None):
        now_ns[0] += FRESH_FOR_NS
        scene = desk.scene(face.w, face.h)
        if tap is not None:
            desk.touch(tap)
            desk.scene(face.w, face.h)
    return scene


@cache
def drawn(scene: Scene, face: Rect) -> pygame.Surface:
    pygame.font.init()
    surface = pygame.Surface((face.w, face.h), depth=32)
    Painter(surface, LOOK.theme).paint(scene)
    return surface


class Person:
    """Someone in front of the window whose players' face is at `face`."""

    def __init__(
        self, display: XServer, state_dir: Path, process: subprocess.Popen[bytes], face: Rect
    ) -> None:
        self._display = display
        self._xdotool = display.xdotool
        self._file = state_dir / "simulate" / "games" / "local-1.jsonl"
        self._process = process
        self._log = state_dir / "log"
        self.face = face
        until(lambda: display.windows("Flagfall"))
        shell = self._xdotool("getwindowgeometry", "--shell", display.windows("Flagfall")[0])
        facts = dict(line.split("=") for line in shell.split())
        self._left, self._top = int(facts["X"]), int(facts["Y"])

    # -- what the table has recorded

    def records(self, file: Path) -> None:
        """Name the file in which the table records, if not the usual one."""
        self._file = file

    def inputs(self) -> list[dict[str, object]]:
        """Return the lines that the table has recorded so far; a line half written does not count yet."""
        assert self._process.poll() is None, "the table has ended"
        if not self._file.exists():
            return []
        lines = []
        for line in self._file.read_text("utf-8").splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                break
        return lines

    def count(self, kind: str) -> int:
        """Return the number of these inputs, rulings or notes."""
        return sum(kind in (line.get("type"), line.get("rule"), line.get("note")) for line in self.inputs())

    def has(self, kind: str, count: int) -> bool:
        """Return True if there are so many of these, or more: others may come while nobody looks."""
        return self.count(kind) >= count

    def until_on_record(self, kind: str, count: int) -> None:
        until(lambda: self.has(kind, count), lambda: f"expected {count} of {kind}, {self.seen()}")

    def view(self) -> TableView:
        """Return the view of the game as it is on record."""
        journal = read(self._file.read_bytes())
        assert journal is not None
        game = replay(journal.header, [entry.input for entry in journal.entries])
        return TableView(game=game, game_id="local-1", board_present=True)

    def flags(self) -> int:
        """Return the number of fallen flags, as the record is judged."""
        game = self.view().game
        return 0 if game is None else game.falls.black

    def seen(self) -> str:
        """Return what a test says that gives up: what is on record, the end of the table's log, and a picture."""
        kinds = [str(line.get("rule") or line.get("note") or line.get("type")) for line in self.inputs()]
        log = (self._log.read_text("utf-8", "replace") if self._log.exists() else "")[-800:]
        file = self._log.with_name("seen.png")
        pygame.image.save(self._picture(self.face), file)
        return f"on record: {' '.join(kind for kind in kinds if kind != 'durable')}\nlog: {log}\nsee {file}"

    # -- what is on the display

    def _picture(self, rect: Rect) -> pygame.Surface:
        pixels = self._display.pixels(self._left + rect.x, self._top + rect.y, rect.w, rect.h)
        return pygame.image.frombuffer(pixels, (rect.w, rect.h), "BGRA").convert(24)

    def sees(self, scene: Scene, tap: Meaning) -> bool:
        """Return True if this button is on the display as in the scene."""
        rect = button(scene, tap)
        wanted = drawn(scene, self.face).subsurface(pygame.Rect(rect.x, rect.y, rect.w, rect.h))
        return pygame.image.tobytes(wanted, "RGB") == pygame.image.tobytes(self._picture(rect), "RGB")

    def until_turn_seen(self) -> None:
        """Wait until the colours of both halves are those of the turn on record: a disc on the simulated board is of
        the colour whose clock is seen to run."""
        wanted, middle = drawn(scene_with(self.face, self.view()), self.face), self.face.h // 2
        ends = [(2, middle), (self.face.w - 3, middle)]

        def same() -> bool:
            picture = self._picture(self.face)
            return all(picture.get_at(end)[:3] == wanted.get_at(end)[:3] for end in ends)

        until(same, self.seen)

    # -- what hands do

    def click(self, x: int, y: int, button: int = 1) -> None:
        self._xdotool("mousemove", self._left + x, self._top + y, "click", button)

    def hold(self, x: int, y: int) -> None:
        self._xdotool("mousemove", self._left + x, self._top + y, "mousedown", 1)
        time.sleep(HELD_S)  # fixed: a finger that stays for so long is what is meant
        self._xdotool("mouseup", 1)

    def touch(
        self, tap: Meaning, done: Callable[[], bool], scenes: Sequence[Scene], held: bool = False
    ) -> None:
        """Touch this button as it is in one of the scenes, until it is done."""

        def touched() -> bool:
            seen = [scene for scene in scenes if self.sees(scene, tap)]
            if seen and not done():
                (self.hold if held else self.click)(*place(seen[0], tap))
                with suppress(AssertionError):
                    until(lambda: done() or not self.sees(seen[0], tap), patience_s=LOST_AFTER_S)
            return done()

        until(touched, lambda: f"{tap}: {self.seen()}")

    def key(self, name: str) -> None:
        self._xdotool("key", name)

    def hold_keys(self, done: Callable[[], bool]) -> None:
        """Hold both players' keys until the condition is true."""
        self._xdotool("keydown", "f", "keydown", "j")
        try:
            until(done)
        finally:
            self._xdotool("keyup", "f", "keyup", "j")
