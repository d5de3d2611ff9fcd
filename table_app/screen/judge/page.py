"""A page of the judge's panel: the board left, the rulings right.

While a button waits for its second touch, the usual reasons for its ruling stand in the board's place, so that a reason
costs one touch only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import StrEnum

from flagfall.base.words import Catalogue
from flagfall.othello.board import Position
from flagfall.othello.game import Game, Incident
from flagfall.othello.inputs import ErrorKind, Rule, Ruling
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN
from flagfall.othello.referee import judge
from flagfall.othello.refusals import refusal, with_clause
from flagfall.othello.side import Side
from table_app.board.setup import SetupTouch
from table_app.events import ScreenRequest
from table_app.screen.dialog import Canvas, Dialog, findings
from table_app.screen.judge.actions import DIRECTORS, Desk, Done, refusal_of
from table_app.screen.judge.choices import Choices
from table_app.screen.kit.catalogue import message_text
from table_app.screen.kit.scene import Fill, Item, Meaning, Rect
from table_app.screen.kit.widgets import ButtonChoice, Look, Marks, button_rows, buttons, diagram, keyboard
from table_app.screen.scenes.board_setup import SetUp
from table_app.table_view import TableView
from table_app.texts import TEXTS

Squares = Callable[[int], Meaning]


class OnSquare(Meaning, frozen=True):
    """A square of the page's board, for what the page asks."""

    square: int


class PlayerIs(Meaning, frozen=True):
    """The player whom the page concerns."""

    side: Side


class GiveRuling(Meaning, frozen=True):
    """A ruling, with what has been chosen on the page."""

    rule: Rule


class OfReason(Meaning, frozen=True):
    """A touch that belongs to the reason of a ruling; the ruling goes on waiting for its second one."""


class ReasonIs(OfReason, frozen=True):
    """One of the usual reasons."""

    reason: str


class TypeReason(OfReason, frozen=True):
    """The keyboard, for another reason."""


class ReasonKey(OfReason, frozen=True):
    """A key of it."""

    sign: str


class ReasonDone(OfReason, frozen=True):
    """The end of what is typed there."""


class Request(StrEnum):
    """A request to the table's loop, which knows it by this name; the text of its button is the one of that name."""

    CALL_DIRECTOR = "call_director"
    ANSWER_CALL = "answer_call"
    SWAP_SIDES = "swap_sides"
    DROP_GAME = "drop_game"


class Ask(Meaning, frozen=True):
    """The button of a request."""

    request: Request


class Page(ABC):
    """A page of the panel, one class in one file: its scene, and the effect of a touch."""

    @abstractmethod
    def body(self, desk: Desk, canvas: Canvas, rect: Rect) -> list[Item]:
        """Return everything between clocks and tabs."""

    def touched(self, desk: Desk, tap: Meaning, game: Game) -> Done:
        """Return what follows from a touch of the page."""
        return desk, ()


class GamePage(Page):
    """A page about the game: its board left, and the page's own scene beside it."""

    def body(self, desk: Desk, canvas: Canvas, rect: Rect) -> list[Item]:
        """Return everything between clocks and tabs."""
        game, look, px = desk.view.game, canvas.look, canvas.look.px
        if game is None:
            return _no_game(desk, rect, look)
        if desk.chosen.typing:
            return keyboard(desk.chosen.reason, ReasonKey, ReasonDone(), rect, look)
        if canvas.screen.h > canvas.screen.w:
            # The height that the longest page needs below the board.
            right = rect.foot(px(344))
            board = rect.top(right.y - px(12) - rect.y)
        else:
            board = rect.left(min(rect.h, rect.w // 2))
            right = rect.beside(board.w + px(16))
        items: list[Item] = []
        alert = self._alert_text(desk, game, look)
        if alert:
            board = board.top(board.h - px(50))
            items += _alert(alert, board.below(board.h + px(6)).top(px(44)), look)
        listed = asked_for(desk.dialog, look.words)
        if listed:
            items += reason_list(listed, desk.chosen, board, look)
        else:
            items += self.board(desk, game, board, look, canvas.face.wrong_start_squares)
        return items + self.scene(desk, game, right, look)

    def _alert_text(self, desk: Desk, game: Game, look: Look) -> str:
        """Return that the last ruling was refused, which the next touch clears, or that a flag is claimed."""
        why = None if desk.dialog.judge is None else refusal_of(game, desk.dialog.judge.ruling)
        if why is not None:
            return look.words("Refused: {why}", why=message_text(why, look.words))
        if game.claimed is None:
            return ""
        return message_text(with_clause(refusal("flag_claimed", player=game.claimed), game.rules), look.words)

    def board(self, desk: Desk, game: Game, rect: Rect, look: Look, differs: int) -> list[Item]:
        """Return the board as it lies; wrong squares are ringed and show their right content. `differs` holds the
        squares that differ from the start position, before the start."""
        errors = findings(game)
        if differs:
            return diagram(rect, game.board, look, Marks(differs, game.start))
        rings = self.rings(desk, game)
        wanted: Position | None = None
        if errors and game.last is not None:
            wanted = as_it_should_be(game, errors)
            rings |= wanted.differences(game.shown)
        if game.correction is None:
            # A square that has been put right is no longer marked.
            for incident in errors:
                rings |= incident.squares
        rings |= square_to_play(game)
        marks = Marks(rings, wanted if errors else None)
        return diagram(rect, game.shown, look, marks, tap=self.square_tap(desk, game))

    def rings(self, desk: Desk, game: Game) -> int:
        """Return the squares that are ringed because of a choice."""
        return 0

    def square_tap(self, desk: Desk, game: Game) -> Squares | None:
        """Return the meaning of a touch of a square, None if it has none."""
        return None

    @abstractmethod
    def scene(self, desk: Desk, game: Game, rect: Rect, look: Look) -> list[Item]:
        """Return what stands beside the board."""


def _no_game(desk: Desk, body: Rect, look: Look) -> list[Item]:
    waits = look.words(
        "Waiting for a pairing"
        if desk.view.choice is None
        else "The players have not chosen their colours yet"
    )
    px = look.px
    place = Rect(body.x + body.w // 2 - px(150), body.bottom - px(64), px(300), px(56))
    choices = set_up_choices(desk.view, desk.dialog.director, look)
    return [look.text(body, waits, colour="muted", align="centre"), *buttons((place,), choices, look)]


def _alert(text: str, rect: Rect, look: Look) -> list[Item]:
    return [
        Fill(rect, "alert", look.px(8)),
        look.strong(rect.inset(look.px(10), 0), text, "small", "alert_ink", lines=2),
    ]


def as_it_should_be(game: Game, errors: Sequence[Incident]) -> Position:
    """Return the position that the board should show: flips put right, or the move taken back."""
    last = game.last
    if last is None:
        return game.before
    if all(incident.error not in MOVES_AGAIN for incident in errors):
        return last.right
    correction = game.correction
    if correction is not None and correction.kind is ErrorKind.WRONG_COLOUR and game.reads_board:
        # The judge may turn the disc and its flips himself: right is what the referee takes for the move made.
        after = judge(game, Ruling(game.at_ns, Rule.CORRECTED))
        if after.to_move is not correction.offender:
            return game.board
    return last.before


def square_to_play(game: Game) -> int:
    """Return the square that touch-move makes the player play after an upheld error, as a set; empty
    if there is none."""
    correction, last = game.correction, game.last
    if correction is None or last is None:
        commit = game.turn.commit if game.turn.bound else None
        return 0 if commit is None else 1 << commit
    if correction.kind not in MOVES_AGAIN:
        return 0
    legal = last.before.legal(game.plays_black(correction.offender))
    return next((1 << square for square in last.touched if legal >> square & 1), 0)


def rule_choice(
    rule: Rule, dialog: Dialog, look: Look, strong: bool = False, label: str = ""
) -> ButtonChoice:
    """Return a button for a ruling; a ruling of the director only is shown with that remark."""
    tap = GiveRuling(rule)
    text = label or look.words(TEXTS[f"rule_{rule.value}"])
    if rule in DIRECTORS and not dialog.director:
        return ButtonChoice(tap, look.words("{what} (director only)", what=text), enabled=False)
    return twice(tap, text, dialog, look, strong)


def twice(tap: Meaning, text: str, dialog: Dialog, look: Look, strong: bool = False) -> ButtonChoice:
    """Return a button that acts at its second touch."""
    armed = dialog.armed == tap
    return ButtonChoice(tap, look.words("Touch again: {what}", what=text) if armed else text, armed, strong)


def request_choice(request: Request, dialog: Dialog, look: Look, strong: bool = False) -> ButtonChoice:
    """Return a button for a request, which acts at its second touch."""
    return twice(Ask(request), look.words(TEXTS[request.value]), dialog, look, strong)


def requested(desk: Desk, tap: Ask) -> Done:
    """Return what follows from the button of a request, which acts at its second touch."""
    return desk.asked_twice(tap, ScreenRequest(desk.at_ns, tap.request.value, desk.dialog.who or "judge"))


def titled(text: str, rect: Rect, look: Look, colour: str = "ink") -> list[Item]:
    return [look.strong(rect.top(look.px(58)), text, colour=colour, lines=2)]


def set_up_choices(view: TableView, director: bool, look: Look) -> list[ButtonChoice]:
    """Return the button for the board's set-up, if this person may set it up."""
    if view.board_uncalibrated:
        return [ButtonChoice(SetUp(SetupTouch.CALIBRATE), look.words("Calibrate the board"), strong=True)]
    if view.board_kind == "eye" or (director and view.board_present):
        return [ButtonChoice(SetUp(SetupTouch.CORNER), look.words("Set up the board"))]
    return []


def player_choices(chosen: Choices, rect: Rect, look: Look) -> list[Item]:
    """Return the buttons that choose the player whom the page concerns."""
    choices = (ButtonChoice(PlayerIs(side), look.player(side), strong=chosen.player is side) for side in Side)
    return buttons(rect.columns(2, look.px(8)), choices, look)


def reasons(rule: Rule, words: Catalogue) -> tuple[str, ...]:
    """Return the usual reasons for a ruling, in the screen's language; () for a ruling that needs none."""
    listed = words(TEXTS[f"reasons_{rule.value}"]) if f"reasons_{rule.value}" in TEXTS else ""
    return tuple(reason.strip() for reason in listed.split("|") if reason.strip())


def asked_for(dialog: Dialog, words: Catalogue) -> tuple[str, ...]:
    """Return the reasons to offer now: those of the ruling that has been touched once."""
    armed = dialog.armed
    return reasons(armed.rule, words) if isinstance(armed, GiveRuling) else ()


def reason_list(listed: tuple[str, ...], chosen: Choices, rect: Rect, look: Look) -> list[Item]:
    """Return the list of reasons; the chosen one is filled, and a typed one is the last."""
    px = look.px
    title = look.strong(rect.top(px(34)), look.words("Reason (optional)"))
    choices = [ButtonChoice(ReasonIs(reason), reason, strong=chosen.reason == reason) for reason in listed]
    typed = chosen.reason if chosen.reason and chosen.reason not in listed else ""
    other = typed or look.words("Another reason ...")
    choices.append(ButtonChoice(TypeReason(), other, strong=bool(typed)))
    below = rect.below(px(40))
    columns = 1 if below.h >= len(choices) * px(44) else 2
    return [title, *button_rows(below, choices, look, columns, 42)]
