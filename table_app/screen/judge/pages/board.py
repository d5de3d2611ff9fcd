"""The page of the board: moves entered by hand, the position, the transcripts."""

from __future__ import annotations

from dataclasses import replace

from flagfall.othello.board import Position, square_name
from flagfall.othello.game import Game, State
from flagfall.othello.inputs import Rule
from table_app.screen.judge.actions import Desk, Done, can_enter_moves
from table_app.screen.judge.choices import EnterMove
from table_app.screen.judge.page import (
    GamePage,
    OnSquare,
    PlayerIs,
    Squares,
    player_choices,
    rule_choice,
    titled,
)
from table_app.screen.judge.transcripts import (
    Transcripts,
    open_transcript,
    script_board,
    script_page,
    script_touched,
)
from table_app.screen.kit.scene import Item, Meaning, Rect
from table_app.screen.kit.widgets import ButtonChoice, Look, button_rows, diagram


class EditPosition(Meaning, frozen=True):
    """The way to the position that is edited, and back."""


class UndoMove(Meaning, frozen=True):
    """The button that takes back the move entered last."""


class BoardPage(GamePage):
    """The page of the board: moves entered by hand, the position, the transcripts."""

    def board(self, desk: Desk, game: Game, rect: Rect, look: Look, differs: int) -> list[Item]:
        if desk.chosen.script is not None:
            return script_board(game, desk.chosen.script, rect, look)
        if desk.chosen.editing is not None:
            return diagram(rect, desk.chosen.editing, look, tap=OnSquare)
        return super().board(desk, game, rect, look, differs)

    def rings(self, desk: Desk, game: Game) -> int:
        pending = desk.chosen.pending
        entered = None if pending is None or not can_enter_moves(game) else pending[0].square
        return 0 if entered is None else 1 << entered

    def square_tap(self, desk: Desk, game: Game) -> Squares | None:
        return EnterMove if can_enter_moves(game) else None

    def scene(self, desk: Desk, game: Game, rect: Rect, look: Look) -> list[Item]:
        dialog, chosen = desk.dialog, desk.chosen
        choices = list[ButtonChoice]()
        if chosen.script is not None:
            set_it = rule_choice(Rule.SET_POSITION, dialog, look, strong=True)
            return script_page(game, chosen.script, chosen.editing, set_it=set_it, rect=rect, look=look)
        if chosen.editing is not None:
            items = titled(
                look.words("Touch squares to change them, then choose who is to move:"), rect, look
            )
            items += player_choices(chosen, rect.below(look.px(64)).top(look.px(46)), look)
            choices = [
                rule_choice(Rule.SET_POSITION, dialog, look, strong=True),
                ButtonChoice(Transcripts(), look.words("Transcripts")),
                ButtonChoice(EditPosition(), look.words("Back")),
            ]
            return items + button_rows(rect.below(look.px(120)), choices, look, 1, 54)
        title = look.words("The board reads the moves") if game.reads_board else ""
        if can_enter_moves(game):
            title = look.words("Move {count}: touch its square", count=len(game.moves) + 1)
            choices.append(ButtonChoice(EnterMove(), look.words("Pass")))
            if chosen.pending is not None:
                square = chosen.pending[0].square
                name = look.words("Pass") if square is None else square_name(square)
                choices.append(ButtonChoice(UndoMove(), look.words("Undo: {what}", what=name), strong=True))
        can = game.state not in (State.WAITING, State.FINISHED, State.SIGNED)
        choices.append(ButtonChoice(EditPosition(), look.words("Edit the position"), enabled=can))
        choices.append(ButtonChoice(Transcripts(), look.words("Transcripts")))
        return titled(title, rect, look) + button_rows(rect.below(look.px(66)), choices, look, 1, 54)

    def touched(self, desk: Desk, tap: Meaning, game: Game) -> Done:
        chosen = desk.chosen
        match tap:
            case PlayerIs(side):
                return desk.choosing(player=side, to_move=side), ()
            case OnSquare(square) if chosen.editing is not None:
                return desk.choosing(editing=_next_content(chosen.editing, square)), ()
            case EditPosition():
                editing = None if chosen.editing is not None else replace(game.shown, unknown=0)
                return desk.choosing(editing=editing, to_move=game.to_move), ()
            case Transcripts():
                return desk.choosing(script=open_transcript(game) if chosen.script is None else None), ()
        if chosen.script is not None:
            return desk.choosing(script=script_touched(chosen.script, tap, game)), ()
        return desk, ()


def _next_content(position: Position, square: int) -> Position:
    """Return the next content of a square: empty, black, white, empty again."""
    bit = 1 << square
    if position.black & bit:
        return Position(position.black & ~bit, position.white | bit)
    if position.white & bit:
        return Position(position.black, position.white & ~bit)
    return Position(position.black | bit, position.white)
