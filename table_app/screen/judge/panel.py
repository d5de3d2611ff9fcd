"""The judge's panel: both clocks above, the page between, and its tabs below."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from flagfall.othello.game import Awaits, Game, State
from flagfall.othello.inputs import Rule, Ruling
from table_app.events import Event
from table_app.screen.dialog import Canvas, Dialog, Finger, Sheet, Step, to_referee, with_sheet
from table_app.screen.judge.actions import Desk, Done, can_be_undone, rule_touched, undo_touched
from table_app.screen.judge.choices import Choices, EnterMove
from table_app.screen.judge.page import (
    GiveRuling,
    Page,
    ReasonDone,
    ReasonIs,
    ReasonKey,
    TypeReason,
    rule_choice,
    twice,
)
from table_app.screen.judge.pages.board import BoardPage, UndoMove
from table_app.screen.judge.pages.clock import ClockPage
from table_app.screen.judge.pages.judging import JudgePage
from table_app.screen.judge.pages.result import ResultPage
from table_app.screen.judge.pages.settings import SettingsPage
from table_app.screen.judge.pages.table import TablePage
from table_app.screen.kit.scene import Meaning, Rect, Scene
from table_app.screen.kit.widgets import ButtonChoice, Look, buttons, text_after
from table_app.screen.scenes.sheet_parts import clock_strip
from table_app.table_view import TableView
from table_app.texts import TEXTS

# How long a move entered by hand can be undone, unless the next one is entered before.
UNDO_FOR_NS = 4_000_000_000
# Less than the limit of a remark.
LONGEST_REASON = 100


class DialogPage(StrEnum):
    """Pages of the judge's panel."""

    JUDGE = "judge"
    CLOCK = "clock"
    BOARD = "board"
    RESULT = "result"
    TABLE = "table"
    SETTINGS = "settings"


class OpenPage(Meaning, frozen=True):
    """The tab of a page."""

    page: DialogPage


class UndoRuling(Meaning, frozen=True):
    """The button that takes the last ruling back."""


PAGES: dict[DialogPage, Page] = {
    DialogPage.JUDGE: JudgePage(),
    DialogPage.CLOCK: ClockPage(),
    DialogPage.BOARD: BoardPage(),
    DialogPage.RESULT: ResultPage(),
    DialogPage.TABLE: TablePage(),
    DialogPage.SETTINGS: SettingsPage(),
}


@dataclass(frozen=True, slots=True)
class Panel(Sheet):
    """The judge's panel: the open page, and what has been chosen on it."""

    page: DialogPage = DialogPage.JUDGE
    chosen: Choices = field(default_factory=Choices)

    @property
    def settles_ns(self) -> int | None:
        return None if self.chosen.pending is None else self.chosen.pending[1] + UNDO_FOR_NS

    def scene(self, canvas: Canvas) -> Scene:
        dialog, look, screen, game = canvas.dialog, canvas.look, canvas.screen, canvas.view.game
        px, width, height = look.px, screen.w, screen.h
        middle: tuple[ButtonChoice, ...] = ()
        if game is not None and game.state in (State.RUNNING, State.CORRECTING):
            middle = (rule_choice(Rule.STOP, dialog, look),)
        elif game is not None and game.state is State.STOPPED and game.awaits is not Awaits.DEFAULT_CHOICE:
            middle = (rule_choice(Rule.RESUME, dialog, look),)
        items = clock_strip(canvas.face, screen.inset(px(10), 0).below(px(8)).top(px(56)), look, middle)
        rows, high = (2, px(92)) if height > width else (1, px(56))
        tabs = Rect(px(10), height - px(2) - high, width - px(20), high - px(6))
        columns = -(-(len(DialogPage) + 2) // rows)  # what undoes has two places
        places = [place for row in tabs.rows(rows, px(6)) for place in row.columns(columns, px(6))]
        free = places[len(DialogPage)]
        items += buttons((free.left(tabs.right - free.x),), _undo(game, dialog, look), look)
        pages = (
            ButtonChoice(OpenPage(page), look.words(TEXTS[f"page_{page}"]), strong=self.page is page)
            for page in DialogPage
        )
        items += buttons(places, pages, look)
        body = Rect(px(10), px(72), width - px(20), tabs.y - px(80))
        desk = self._desk(canvas.dialog, canvas.view)
        return (*items, *PAGES[self.page].body(desk, canvas, body))

    def closed(self, dialog: Dialog, finger: Finger) -> Step:
        return with_sheet(dialog, None), self._settling(dialog)

    def touched(self, dialog: Dialog, finger: Finger) -> Step:
        tap, at_ns, pending = finger.tap, finger.at_ns, self.chosen.pending
        if isinstance(tap, UndoMove):
            return replace(dialog, sheet=self._with(pending=None)), ()
        if isinstance(tap, EnterMove):
            # One tap: the previous move goes to the referee, this one can still be undone.
            if pending is not None and pending[0] == tap:
                return dialog, ()
            return replace(dialog, sheet=self._with(pending=(tap, at_ns))), self._settling(dialog)
        desk = replace(self._with(pending=None)._desk(dialog, finger.view), at_ns=at_ns)
        if isinstance(tap, OpenPage):
            return replace(dialog, sheet=Panel(tap.page, desk.chosen.cleared())), self._settling(dialog)
        desk, events = self._ruled(desk, tap, finger.view.game)
        sheet = None if desk.closed else Panel(self.page, desk.chosen)
        after = replace(desk.dialog, sheet=sheet, armed=None if desk.closed else desk.dialog.armed)
        return after, (*self._settling(dialog), *events)

    def settled(self, dialog: Dialog, now_ns: int) -> Step:
        """Give an entered move to the referee when it can no longer be undone."""
        if self.settles_ns is None or now_ns < self.settles_ns:
            return dialog, ()
        return replace(dialog, sheet=self._with(pending=None)), self._settling(dialog)

    def _settling(self, dialog: Dialog) -> tuple[Event, ...]:
        """Return the move that was entered and not undone."""
        if self.chosen.pending is None:
            return ()
        tap, at_ns = self.chosen.pending
        ruling = Ruling(at_ns, Rule.ENTER_MOVE, square=tap.square, passes=tap.square is None, who=dialog.who)
        return to_referee(ruling)

    def _with(self, **fields: object) -> Panel:
        return replace(self, chosen=replace(self.chosen, **fields))  # type: ignore[arg-type]

    def _desk(self, dialog: Dialog, view: TableView) -> Desk:
        return Desk(view, dialog, self.chosen)

    def _ruled(self, desk: Desk, tap: Meaning, game: Game | None) -> Done:
        """Return what follows from a button that any page may have, or from one of this page."""
        judge, chosen = desk.dialog.judge, desk.chosen
        match tap:
            case ReasonIs(reason):
                return desk.choosing(reason="" if chosen.reason == reason else reason), ()
            case ReasonKey(sign):
                return desk.choosing(reason=text_after(chosen.reason, sign, LONGEST_REASON)), ()
            case TypeReason():
                return desk.choosing(typing=True, reason=""), ()
            case ReasonDone():
                return desk.choosing(typing=False, reason=chosen.reason.strip()), ()
            case UndoRuling() if game is not None and judge is not None:
                return undo_touched(desk, judge, tap, game)
            case GiveRuling(rule) if game is not None:
                return rule_touched(desk, tap, rule, game)
        return (desk, ()) if game is None else PAGES[self.page].touched(desk, tap, game)


def _undo(game: Game | None, dialog: Dialog, look: Look) -> tuple[ButtonChoice, ...]:
    """Return the button that takes the last ruling back, while that is possible."""
    judge = dialog.judge
    ruling = None if judge is None else judge.ruling
    if game is None or judge is None or ruling is None or not can_be_undone(game, ruling, judge.counter):
        return ()
    text = look.words("Undo: {what}", what=look.words(TEXTS[f"rule_{ruling.rule.value}"]))
    return (twice(UndoRuling(), text, dialog, look),)
