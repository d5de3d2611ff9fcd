"""A game at a table, its touchscreen, and a finger; time is the test's own."""

from __future__ import annotations

from samples.screens import SampleGame, new

from flagfall.othello.game import Game
from flagfall.othello.inputs import Rule, Ruling
from table_app.events import Event, ScreenInput
from table_app.judge_pin import Pins
from table_app.screen.compose import Layout, compose
from table_app.screen.dialog import Dialog, faded, settle_sheet
from table_app.screen.judge.choices import Choices
from table_app.screen.judge.page import GiveRuling
from table_app.screen.judge.panel import Panel
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import Enter, Hit, Key, Meaning, Rect, Scene, Words, hit_at
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.touches import settle_stopped, touched
from table_app.table_view import TableView

LOOK = Look(load_theme(), load_words(), 1.0)
PINS = Pins("1234", "998877")
SIZE = (800, 480)
NOTHING_OPEN, PLAIN = Dialog(), Layout()


def texts(scene: Scene) -> tuple[str, ...]:
    """Return all readable texts."""
    return tuple(item.text for item in scene if isinstance(item, Words))


def named(tap: Meaning) -> str:
    """Return the name of a button of the face or the panel, "" for another touch."""
    return tap.button if isinstance(tap, Tap) else ""


def rule(name: Rule) -> GiveRuling:
    return GiveRuling(name)


def scene_of(
    view: TableView, dialog: Dialog = NOTHING_OPEN, now_ns: int = 0, look: Look = LOOK, layout: Layout = PLAIN
) -> Scene:
    return compose(view, face_of(view, now_ns), dialog, Rect(0, 0, *SIZE), look, layout=layout, now_ns=now_ns)


def misflipped(judged: bool = True) -> SampleGame:
    """Return a game in which Black has forgotten a disc and pressed."""
    played = new(judged=judged).start().moves(16)
    to = (played.game.before.legal(True) & -played.game.before.legal(True)).bit_length() - 1
    turned = played.game.before.flips(True, to)
    return played.move(to, wrong=turned & -turned)


class Touchscreen:
    """A table's touchscreen. `events` are all events so far; the referee judges its inputs at once."""

    def __init__(self, played: SampleGame, dialog: Dialog = NOTHING_OPEN, pins: Pins = PINS) -> None:
        self.played = played
        self.dialog = dialog
        self.pins = pins
        self.events: list[Event] = []

    @property
    def now_ns(self) -> int:
        return self.played.now_ns

    @property
    def game(self) -> Game:
        return self.played.game

    @property
    def chosen(self) -> Choices:
        """What has been chosen on the judge's panel, which must be open."""
        assert isinstance(self.dialog.sheet, Panel)
        return self.dialog.sheet.chosen

    def scene(self) -> Scene:
        return scene_of(self.played.view(), self.dialog, self.now_ns)

    def text(self) -> str:
        return " / ".join(texts(self.scene()))

    def hits(self) -> list[Hit]:
        """Return the places whose middle can be touched."""
        scene = self.scene()
        hits = [item for item in scene if isinstance(item, Hit)]
        return [
            hit
            for hit in hits
            if hit_at(scene, hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2) == hit
        ]

    def offers(self, tap: Meaning) -> bool:
        return tap in [hit.tap for hit in self.hits()]

    def touch(self, *taps: Meaning) -> tuple[Event, ...]:
        """Touch places on the screen. Return the events of the last touch."""
        events: tuple[Event, ...] = ()
        for tap in taps:
            assert self.offers(tap), f"{tap} is not on the screen"
            events = self.touch_unseen(tap)
        return events

    def touch_unseen(self, tap: Meaning) -> tuple[Event, ...]:
        """Touch a place that the screen has not offered."""
        self.played.wait(0.8)
        self.dialog, events = touched(self.dialog, tap, self.played.view(), self.now_ns, self.pins)
        return self._took(events)

    def twice(self, tap: Meaning) -> tuple[Event, ...]:
        return self.touch(tap, tap)

    def later(self, seconds: float) -> tuple[Event, ...]:
        self.played.wait(seconds)
        self.dialog, events = settle_sheet(faded(self.dialog, self.now_ns), self.now_ns)
        events = self._took(events)
        self.dialog, settled = settle_stopped(self.dialog, self.played.view(), self.now_ns)
        return (*events, *self._took(settled))

    def _took(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        self.events += events
        for event in events:
            if isinstance(event, ScreenInput):
                self.played.give(event.input)
        return events

    def keys(self, digits: str) -> tuple[Event, ...]:
        return self.touch(*(Key(digit) for digit in digits), Enter())

    def pin(self, digits: str) -> None:
        self.touch(Tap(Button.JUDGE))
        self.keys(digits)


def rulings(events: list[Event] | tuple[Event, ...]) -> list[Rule]:
    return [e.input.rule for e in events if isinstance(e, ScreenInput) and isinstance(e.input, Ruling)]
