"""The set-up screen of a card: asks by touch, and writes the answers as a settings file."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from card.question_scene import question_scene
from card.questions import Asking, card_of, touched
from card.take import SETUP, CardPlaces
from flagfall.link.card import write_card
from flagfall.link.private_file import write_private
from flagfall.link.words import Catalogue, words_in
from flagfall.othello.errors import Failed
from table_app.screen.child import FACE_SIZE
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.scene import Rect, Scene, hit_at
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look, unit_of
from table_app.screen.process import RENDERERS
from table_app.screen.window import Display, Drawn, Screen

# The status of a program that finds nothing to draw on.
DARK = 3
_ASLEEP_NS = 1_000_000_000


def card_words(language: str) -> Catalogue:
    """Return the words of the questions in one of the languages of the table's screen."""
    return words_in(language)


class Questions(Drawn):
    """The questions as a screen's contents. There is no view of a table, nothing is dragged or held, and a keyboard
    types nothing: everybody can touch the keys on the screen."""

    def __init__(self, fault: str) -> None:
        self.asking = Asking(since_ns=time.monotonic_ns())
        self._fault = fault
        self._scene: Scene = ()
        self._size = FACE_SIZE
        self.screen: Screen | None = None

    def scene(self, width: int, height: int) -> Scene:
        language = self.asking.language
        look = Look(load_theme(), load_words(language), unit_of(width, height))
        self._size = (width, height)
        screen = Rect(0, 0, width, height)
        self._scene = question_scene(self.asking, self._fault, screen, look, card_words(language))
        return self._scene

    def next_ns(self) -> int:
        return _ASLEEP_NS

    def down(self, x: int, y: int, remove: bool = False) -> None:
        hit = hit_at(self._scene, x, y)
        if hit is None:
            return
        self.asking = touched(self.asking, hit.tap, time.monotonic_ns())
        # Two quick touches may come before the next picture: the second belongs to what the first has made.
        self.scene(*self._size)
        if self.asking.finished and self.screen is not None:
            self.screen.close()


def ask(answers: Path, driver: str, renderer: str, places: CardPlaces) -> int:
    """Ask, and write `answers`; 0 done, 1 closed without an answer, `DARK` where nothing can be drawn on."""
    try:
        fault = (places.run / SETUP).read_text("utf-8").strip()
    except OSError:
        fault = ""
    questions = Questions(fault)
    screen = Screen(questions, load_theme(), Display(driver, renderer=renderer), FACE_SIZE)
    questions.screen = screen
    try:
        screen.run()
    except Failed as why:
        print(why, flush=True)
        return DARK
    if not questions.asking.finished:
        return 1
    write_private(answers, write_card(card_of(questions.asking)))
    return 0


def ask_with_any_renderer(answers: Path) -> int:
    """Ask on the whole display: each of SDL's renderers in a program of its own, until one shows a picture."""
    command = [sys.executable, "-P", "-m", "card.main", "setup", str(answers), "--renderer"]
    status = DARK
    for renderer in RENDERERS:
        status = subprocess.run([*command, renderer]).returncode
        if status != DARK:
            break
    return status
