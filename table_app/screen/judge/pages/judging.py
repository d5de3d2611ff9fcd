"""The first page of the panel: the error that waits for the judge, or what may be said of the last move."""

from __future__ import annotations

from collections.abc import Sequence

from flagfall.othello.board import square_name, square_names
from flagfall.othello.game import Game, Incident, State
from flagfall.othello.inputs import ErrorKind, Rule, Ruling, Start
from flagfall.othello.judging.errors.kinds import error_kinds
from flagfall.othello.side import Side
from table_app.screen.dialog import findings, to_referee
from table_app.screen.judge.actions import Desk, Done, discs_to_move, ruled_twice
from table_app.screen.judge.page import (
    Ask,
    GamePage,
    OnSquare,
    Request,
    Squares,
    as_it_should_be,
    request_choice,
    requested,
    rule_choice,
    titled,
    twice,
)
from table_app.screen.kit.scene import Item, Meaning, Rect
from table_app.screen.kit.widgets import ButtonChoice, Look, button_rows
from table_app.texts import TEXTS


class StartGame(Meaning, frozen=True):
    """The director's signal, given by the judge."""


class ErrorKinds(Meaning, frozen=True):
    """The way to the kinds of errors, and back."""


class Report(Meaning, frozen=True):
    """An error that no sensor saw."""

    by: Side
    kind: ErrorKind


class JudgePage(GamePage):
    """The first page of the panel: the error that waits for the judge, or what may be said of the last move."""

    def rings(self, desk: Desk, game: Game) -> int:
        return 0 if desk.chosen.square is None else 1 << desk.chosen.square

    def square_tap(self, desk: Desk, game: Game) -> Squares | None:
        return None if desk.chosen.error is None else OnSquare

    def scene(self, desk: Desk, game: Game, rect: Rect, look: Look) -> list[Item]:
        view, dialog = desk.view, desk.dialog
        errors = findings(game)
        if desk.chosen.error is not None:
            return _unseen_error(game, desk, rect, look)
        if errors:
            return _finding(game, errors, desk, rect, look)
        choices: list[ButtonChoice] = []
        title = look.words("No error found")
        if game.rules.corrected_by == "offender":
            title = look.words("Only a player may name an error, before moving")
        if game.state is State.WAITING:
            title = look.words(
                "The game may begin" if game.armed else "Please sit down. Wait for the director's signal."
            )
            if view.wrong_start_squares and not view.board_uncalibrated and not view.scored:
                squares = " ".join(square_names(view.wrong_start_squares))
                title = look.words("Not the start position: {squares}", squares=squares)
            if not game.armed:
                start = look.words(TEXTS["button_start"])
                choices.append(twice(StartGame(), start, dialog, look, strong=True))
        touch = game.turn.in_question
        if touch is not None:
            title = look.words(
                "{who} has touched {square}", who=look.player(game.to_move), square=square_name(touch)
            )
            choices.append(rule_choice(Rule.UNINTENTIONAL_TOUCH, dialog, look))
        if game.trays.of(game.to_move) <= 0 and not game.over:
            label = look.words.ngettext(
                "{count} disc moved to {who}",
                "{count} discs moved to {who}",
                discs_to_move(game),
                who=look.player(game.to_move),
            )
            choices.append(rule_choice(Rule.DISCS_MOVED, dialog, look, label=label))
        if any(flag.waits for flag in game.flags):
            title = look.words("Flag: call the director")
            choices.append(rule_choice(Rule.CONFIRM_DEFAULT, dialog, look, strong=True))
        if game.last is not None or game.owed:
            label = look.words("Report an error")
            if game.rules.corrected_by == "offender":
                label = look.words("Error named by a player")
            choices.append(ButtonChoice(ErrorKinds(), label))
        if view.tournament and not view.call_wanted:
            choices.append(request_choice(Request.CALL_DIRECTOR, dialog, look))
        return titled(title, rect, look) + button_rows(rect.below(look.px(66)), choices, look, 1, 54)

    def touched(self, desk: Desk, tap: Meaning, game: Game) -> Done:
        chosen = desk.chosen
        match tap:
            case StartGame():
                return desk.asked_twice(tap, *to_referee(Start(desk.at_ns)))
            case Ask(Request.CALL_DIRECTOR):
                return requested(desk, tap)
            case Report(side, kind):
                ruling = Ruling(
                    desk.at_ns, Rule.CORRECT_ERROR, side, kind, chosen.square, who=desk.dialog.who
                )
                return ruled_twice(desk, tap, ruling, game)
            case OnSquare(square):
                return desk.choosing(square=None if chosen.square == square else square), ()
            case ErrorKinds():
                error = None if chosen.error is not None else ErrorKind.MISFLIP
                return desk.choosing(error=error, square=None), ()
        return desk, ()


def error_in_words(game: Game, incident: Incident, look: Look) -> str:
    """Return the error, its offender and its squares in words; of a broken touch-move both squares."""
    last = game.last
    touched = " ".join(square_names(incident.squares))
    elsewhere = incident.error is ErrorKind.TOUCHED_ELSEWHERE and touched
    if elsewhere and last is not None and last.square is not None:
        return look.words(
            "{who} touched {touched}, played {played}",
            who=look.player(last.by),
            touched=touched,
            played=square_name(last.square),
        )
    error = look.words(TEXTS[f"error_{incident.type.value}"])
    who = look.player(incident.by) if incident.by is not None else ""
    return look.words("{what}, {who}: {where}", what=error, who=who, where=touched).strip()


def _finding(game: Game, errors: Sequence[Incident], desk: Desk, rect: Rect, look: Look) -> list[Item]:
    correcting = game.correction is not None
    word = Rule.CORRECTED if correcting else Rule.CORRECT_ERROR
    choices = [
        rule_choice(word, desk.dialog, look, strong=True),
        rule_choice(Rule.DISMISS_ERROR, desk.dialog, look),
    ]
    touch = any(incident.error is ErrorKind.TOUCHED_ELSEWHERE for incident in errors)
    if touch or game.turn.commit is not None:
        choices.append(rule_choice(Rule.UNINTENTIONAL_TOUCH, desk.dialog, look))
    items = titled(
        " / ".join(error_in_words(game, incident, look) for incident in errors), rect, look, "alert"
    )
    wrong = as_it_should_be(game, errors).differences(game.shown) | game.shown.unknown
    if correcting:
        hint = "correct_on_board" if wrong or not game.reads_board else "is_put_right"
    elif errors[0].error is ErrorKind.ILLEGAL_PASS:
        hint = "passed_with_moves"
    else:
        hint = "small_shows_right"
    below = rect.below(look.px(60)).top(look.px(46))
    items.append(look.text(below, look.words(TEXTS[hint]), "small", "muted", lines=2))
    return items + button_rows(rect.below(look.px(112)), choices, look, 1, 62)


# Rows that fingers still find below each other on a low screen.
_MOST_LOW = 6


def _unseen_error(game: Game, desk: Desk, rect: Rect, look: Look) -> list[Item]:
    """Return the page for an error that no sensor saw: its kind, and its square on the diagram."""
    offender = game.last_mover
    words = look.words
    title = words(
        "Error by {who}: touch its square, if any, then choose the error", who=look.player(offender)
    )
    choices = [
        twice(Report(offender, kind), words(TEXTS[f"error_{kind.value}"]), desk.dialog, look)
        for kind in error_kinds(game.rules)
    ]
    choices.append(ButtonChoice(ErrorKinds(), words("Back")))
    columns = 1 if len(choices) <= _MOST_LOW else 2
    return titled(title, rect, look) + button_rows(
        rect.below(look.px(62)), choices, look, columns, 42 * columns
    )
