"""The moving picture of README: a press, a misflip that the judge upholds, a result that arrives, the standings.

`python tools/moving_picture.py FILE.gif` draws real screens of a table and takes real pages of a hub: 20 s.
Needs Debian's chromium-headless-shell, and playwright of the test extra.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame
from browser import chromium, context, faultless
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import expect
from samples.exhibition import TOURNAMENT
from samples.exhibition import Scene as Stage
from samples.exhibition_hall import shown
from samples.screens import Sample, SampleGame, new, sample_scene

from flagfall.base.errors import Failed
from flagfall.link.messages import RecordHead
from flagfall.othello.board import Position, squares_of
from flagfall.othello.inputs import Contact, Press, Rule, Ruling, Shown, Sign, Touch
from flagfall.othello.side import Side
from table_app.screen.dialog import Dialog, Judge
from table_app.screen.judge.choices import Choices
from table_app.screen.judge.page import GiveRuling
from table_app.screen.judge.panel import DialogPage, Panel
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.scene import Meaning
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.table_view import Phase

SIZE = (800, 480)
CAPTION_HEIGHT = 40
MOST_BYTES = 1_000_000
_MOVES_BEFORE = 16
_TABLE_THAT_ENDS = 1
# A page is drawn smaller than it is, so that more of it is seen.
_PAGE = (1000, 600)
_FONT = Path(__file__).resolve().parents[1] / "table_app" / "fonts" / "text.ttf"
_INK, _PAPER = "#ffffff", "#16261f"


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture, what is said of it, and for how long it is there."""

    picture: Image.Image
    caption: str
    length_ms: int = 1000


class Table:
    """A game at a table with a judge, and its screen."""

    def __init__(self) -> None:
        self._played: SampleGame = new().start().moves(_MOVES_BEFORE)
        self._surface = pygame.Surface(SIZE)
        look = Look(load_theme("light"), load_words("en"), 1.0)
        self._look, self._painter = look, Painter(self._surface, look.theme)

    def frames(self) -> Iterator[Frame]:
        yield from self._misflip()
        yield from self._upheld()
        yield from self._end()

    def _misflip(self) -> Iterator[Frame]:
        game = self._played.game
        by, black = game.to_move, game.plays_black(game.to_move)
        for _ in range(2):
            self._played.wait(1)
            yield self._frame("Black thinks. The screen shows two clocks, and nothing that helps a player.")
        to = next(squares_of(game.before.legal(black)))
        flips = game.before.flips(black, to)
        forgotten = flips & -flips
        right = game.before.played(black, to)
        self._played.give(Touch(self._played.now_ns, to, Contact.DISC)).wait(1)
        self._played.give(
            Shown(self._played.now_ns, Position(right.black ^ forgotten, right.white ^ forgotten))
        )
        self._played.wait(0.2).give(Press(self._played.now_ns, by))
        for _ in range(2):
            yield self._frame("Black has left a disc unflipped and presses. White's clock runs.")
            self._played.wait(1)

    def _upheld(self) -> Iterator[Frame]:
        uphold = GiveRuling(Rule.CORRECT_ERROR)
        yield self._frame("The judge sees what the board has told, and on which square.", 2000, self._panel())
        yield self._frame("The judge upholds it ...", 1000, self._panel(uphold))
        self._played.give(Ruling(self._played.now_ns, Rule.CORRECT_ERROR))
        for _ in range(2):
            self._played.wait(1)
            yield self._frame("... and Black puts it right on Black's own time.")
        last = self._played.game.last
        if last is None:
            raise Failed("expected an error to be put right")
        self._played.give(Shown(self._played.now_ns, last.right)).give(
            Ruling(self._played.now_ns, Rule.CORRECTED)
        )
        for _ in range(2):
            self._played.wait(1)
            yield self._frame("The game goes on.")

    def _end(self) -> Iterator[Frame]:
        self._played.moves(80).wait(20)
        for by in Side:
            self._played.give(Sign(self._played.now_ns, by))
        record = RecordHead("sample", 214, "0" * 64, "kJ8fQ2vTx3Lm" * 3)
        view = self._played.view(phase=Phase.RECEIVED, record=record)
        self._draw(Sample(view, self._played.now_ns, Dialog()))
        yield Frame(self._picture(), "Both sign. The result is at the hub, and on its record.", 2500)

    def _panel(self, armed: Meaning | None = None) -> Dialog:
        return Dialog(Panel(DialogPage.JUDGE, Choices()), armed, judge=Judge("3-4-1"))

    def _frame(self, caption: str, length_ms: int = 1000, dialog: Dialog | None = None) -> Frame:
        self._draw(Sample(self._played.view(), self._played.now_ns, dialog or Dialog()))
        return Frame(self._picture(), caption, length_ms)

    def _draw(self, sample: Sample) -> None:
        self._painter.paint(sample_scene(sample, self._look, *SIZE))

    def _picture(self) -> Image.Image:
        return Image.frombytes("RGB", SIZE, pygame.image.tobytes(self._surface, "RGB"))


def pages(folder: Path) -> Iterator[Frame]:
    """Yield the frames of a hub's pages: a result comes while the first is open, then the standings."""
    with shown(folder, Stage()) as address, chromium() as browser:
        opened = context(browser, _PAGE, scale=SIZE[0] / _PAGE[0])
        with faultless(opened.new_page()) as page:
            page.goto(f"{address.page}/t/{TOURNAMENT}")
            page.wait_for_timeout(700)  # the first live update
            yield Frame(
                _picture_of(page.screenshot()), "Everybody can follow on a phone or a projector.", 2000
            )
            expect(page.get_by_text("2 of 11 games finished")).to_be_visible()
            address.finish(_TABLE_THAT_ENDS)
            expect(page.get_by_text("3 of 11 games finished")).to_be_visible()
            yield Frame(
                _picture_of(page.screenshot()), "A result arrives: the page changes by itself ...", 2500
            )
            page.goto(f"{address.page}/t/{TOURNAMENT}/standings")
            page.wait_for_timeout(700)
            yield Frame(_picture_of(page.screenshot()), "... and so do the standings.", 2000)


def _picture_of(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def with_caption(frame: Frame) -> Image.Image:
    """Return the frame's picture with its caption on a bar below."""
    width, height = SIZE
    picture = Image.new("RGB", (width, height + CAPTION_HEIGHT), _PAPER)
    picture.paste(frame.picture)
    font = ImageFont.truetype(_FONT, 20)
    middle = (width // 2, height + CAPTION_HEIGHT // 2)
    ImageDraw.Draw(picture).text(middle, frame.caption, fill=_INK, font=font, anchor="mm")
    return picture


def main(file: Path) -> int:
    """Write the moving picture. Return 1 where it is too large."""
    pygame.font.init()
    with tempfile.TemporaryDirectory(prefix="flagfall-") as state:
        frames = [*Table().frames(), *pages(Path(state))]
    first, *others = [with_caption(frame) for frame in frames]
    lengths_ms = [frame.length_ms for frame in frames]
    first.save(file, save_all=True, append_images=others, duration=lengths_ms, loop=0, optimize=True)
    size = file.stat().st_size
    print(f"{file.name}: {len(frames)} frames, {sum(lengths_ms) / 1000:g} s, {size} bytes")
    return 0 if size <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
