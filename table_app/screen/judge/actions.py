"""The judge's panel: the rulings that touches make. A ruling takes two touches, a move entered by hand takes one."""

from __future__ import annotations

from dataclasses import replace

from othello.board import Position
from othello.game import Game, State
from othello.inputs import ErrorKind, Rule, Ruling, Start
from table_app.events import ScreenInput, ScreenRequest
from table_app.game.session import CLOSED_UNSIGNED
from table_app.loop.view import TableView
from table_app.screen.judge.reasons import LONGEST_REASON
from table_app.screen.judge.undo import counter, possible
from table_app.screen.kit.keyboard import typed
from table_app.screen.kit.scene import Tap
from table_app.screen.state import transcripts as scripts
from table_app.screen.state.dialog import (
    Dialog,
    DialogPage,
    Figures,
    Step,
    ask_twice,
    closed,
    given,
    noted,
    typed_figures,
)

DIRECTORS = frozenset(
    {
        Rule.ADJUST_TIME,
        Rule.CONFIRM_DEFAULT,
        Rule.ANNUL_FLAG,
        Rule.BEYOND_REPAIR,
        Rule.FORFEIT,
        Rule.AWARD,
        Rule.DRAW,
        Rule.SET_SCORE,
    }
)
"""Rulings of the director only (woc-2019 V.1; docs/decisions, "The judge's PIN")."""

UNDO_FOR_NS = 4_000_000_000
"""How long a move entered by hand can be undone, unless the next one is entered before."""


def panel_touched(dialog: Dialog, tap: Tap, view: TableView, at_ns: int) -> Step:
    """The panel after a touch, and the events it causes."""
    if tap.what == "move":
        return _entered(dialog, tap, at_ns)
    if tap.what == "undo":
        return replace(dialog, pending=None), ()
    dialog, settled = settle_pending(dialog, at_ns, at_once=True)
    stepped, events = _touched(dialog, tap, view, at_ns)
    return stepped, (*settled, *events)


def _entered(dialog: Dialog, tap: Tap, at_ns: int) -> Step:
    """One tap per move: the previous move goes to the referee, this one can still be undone."""
    if dialog.pending is not None and dialog.pending[0] == tap:
        return dialog, ()
    dialog, settled = settle_pending(dialog, at_ns, at_once=True)
    return replace(dialog, pending=(tap, at_ns)), settled


def settle_pending(dialog: Dialog, now_ns: int, at_once: bool = False) -> Step:
    """Gives an entered move to the referee when it can no longer be undone."""
    if dialog.pending is None:
        return dialog, ()
    tap, at_ns = dialog.pending
    if not at_once and now_ns - at_ns < UNDO_FOR_NS:
        return dialog, ()
    ruling = Ruling(at_ns, Rule.ENTER_MOVE, square=tap.square, passes=tap.square is None, who=dialog.who)
    return replace(dialog, pending=None), given(ruling)


def _touched(dialog: Dialog, tap: Tap, view: TableView, at_ns: int) -> Step:
    game = view.game
    match tap.what:
        case "close":
            return closed(dialog), ()
        case "judge_leaves":
            left = replace(closed(dialog), taken=None, director=False, who="", given=None, counter=None)
            return left, noted(at_ns, "judge_leaves", dialog.who)
        case "call_director" | "answer_call" | "swap_sides":
            return ask_twice(dialog, tap, ScreenRequest(at_ns, tap.what, dialog.who or "judge"))
        case "close_unsigned" if dialog.director:
            return ask_twice(dialog, tap, *noted(at_ns, CLOSED_UNSIGNED, dialog.who))
        case "assistant" if tap.side is not None:
            return ask_twice(dialog, tap, *noted(at_ns, "assistant", tap.side.value))
        case "undo_ruling" if game is not None and possible(game, dialog.given, dialog.counter):
            return _undone(dialog, tap, at_ns)
        case "start":
            return ask_twice(dialog, tap, *given(Start(at_ns)))
        case "report" if tap.side is not None:
            kind = ErrorKind(tap.value)
            ruling = Ruling(at_ns, Rule.CORRECT_ERROR, tap.side, kind, dialog.square, who=dialog.who)
            stepped, events = ask_twice(dialog, tap, ScreenInput(ruling))
            return (_given(stepped, ruling, game) if events else stepped), events
        case "rule" if game is not None:
            return _ruled(dialog, tap, game, at_ns)
    return _filled_in(dialog, tap, game), ()


def _filled_in(dialog: Dialog, tap: Tap, game: Game | None) -> Dialog:
    """The panel after a touch that changes only what the page shows."""
    match tap.what:
        case "page":
            return replace(_cleared(dialog), page=DialogPage(tap.value))
        case "player" if tap.side is not None:
            return replace(dialog, player=tap.side, to_move=tap.side)
        case "reason" | "reason_key" | "reason_type" | "reason_done":
            return _reasoned(dialog, tap)
        case "key" | "erase" | "field":
            return replace(dialog, figures=typed_figures(dialog.figures, tap))
        case "seconds":
            return replace(dialog, seconds=dialog.seconds + int(tap.value))
        case "square" if dialog.editing is not None and tap.square is not None:
            return replace(dialog, editing=_cycled(dialog.editing, tap.square))
        case "square":
            return replace(dialog, square=None if dialog.square == tap.square else tap.square)
        case "edit" if game is not None:
            editing = None if dialog.editing is not None else replace(game.shown, unknown=0)
            return replace(dialog, editing=editing, to_move=game.to_move)
        case "kinds":
            error = None if dialog.error is not None else ErrorKind.MISFLIP
            return replace(dialog, error=error, square=None)
        case "script" | "script_of" | "script_step" | "written" | "written_erase" if game is not None:
            return _scripted(dialog, tap, game)
    return dialog


def _ruled(dialog: Dialog, tap: Tap, game: Game, at_ns: int) -> Step:
    rule = Rule(tap.value)
    if rule in DIRECTORS and not dialog.director:
        return dialog, ()
    ruling = _ruling(dialog, tap, rule, game, at_ns)
    if ruling is None:
        return dialog, ()
    ruling = replace(ruling, reason=dialog.reason or ruling.reason, who=dialog.who)
    if rule is Rule.CORRECT_ERROR:
        # Opening the finding was the first touch.
        return replace(_given(dialog, ruling, game), armed=None), given(ruling)
    stepped, events = ask_twice(dialog, tap, ScreenInput(ruling))
    if not events:
        return stepped, ()
    stepped = _given(stepped, ruling, game)
    # The players' face returns when play goes on.
    return (closed(stepped) if rule in (Rule.CORRECTED, Rule.DISMISS_ERROR) else stepped), events


def _given(dialog: Dialog, ruling: Ruling, game: Game | None) -> Dialog:
    """The ruling was given: clears the page, and keeps how to take the ruling back."""
    undone = counter(game, ruling) if game is not None else None
    return replace(_cleared(dialog), given=ruling, counter=undone)


def _undone(dialog: Dialog, tap: Tap, at_ns: int) -> Step:
    if dialog.counter is None or (dialog.counter.rule in DIRECTORS and not dialog.director):
        return dialog, ()
    ruling = replace(dialog.counter, at_ns=at_ns, who=dialog.who)
    stepped, events = ask_twice(dialog, tap, ScreenInput(ruling))
    return (replace(stepped, given=ruling, counter=None) if events else stepped), events


def _cleared(dialog: Dialog) -> Dialog:
    """Clears what was collected for a ruling."""
    return replace(
        dialog,
        seconds=0,
        error=None,
        square=None,
        editing=None,
        figures=Figures(),
        reason="",
        typing=False,
        script=None,
    )


def _reasoned(dialog: Dialog, tap: Tap) -> Dialog:
    match tap.what:
        case "reason":
            return replace(dialog, reason="" if dialog.reason == tap.value else tap.value)
        case "reason_key":
            return replace(dialog, reason=typed(dialog.reason, tap.value, LONGEST_REASON))
        case "reason_type":
            return replace(dialog, typing=True, reason="")
    return replace(dialog, typing=False, reason=dialog.reason.strip())


def _scripted(dialog: Dialog, tap: Tap, game: Game) -> Dialog:
    script = dialog.script
    if script is None or tap.what == "script":
        return replace(dialog, script=scripts.opened(game) if script is None else None)
    match tap.what:
        case "script_of":
            script = scripts.turned_to(script, game, tap.side)
        case "script_step":
            script = scripts.stepped(script, game, int(tap.value))
        case "written":
            script = scripts.written(script, tap.square)
        case "written_erase":
            script = scripts.written(script, None)
    return replace(dialog, script=script)


def _ruling(dialog: Dialog, tap: Tap, rule: Rule, game: Game, at_ns: int) -> Ruling | None:
    """The ruling of a button, with the page's contents; None while something is missing."""
    match rule:
        case Rule.ADJUST_TIME:
            return (
                Ruling(at_ns, rule, player=dialog.player, seconds=dialog.seconds) if dialog.seconds else None
            )
        case Rule.START_CLOCK | Rule.ANNUL_FLAG | Rule.RESIGN | Rule.FORFEIT | Rule.BEYOND_REPAIR:
            return Ruling(at_ns, rule, player=dialog.player)
        case Rule.AWARD:
            return Ruling(at_ns, rule, player=dialog.player, score=dialog.figures.score())
        case Rule.SET_SCORE | Rule.ENTER_SCORE:
            score = dialog.figures.score()
            return None if score is None else Ruling(at_ns, rule, score=score)
        case Rule.SET_POSITION if dialog.script is not None:
            shown, to_move = dialog.script.stage(game).position, dialog.script.to_move(game)
            return Ruling(
                at_ns, rule, position=shown, to_move=to_move, reason=scripts.told(dialog.script, game)
            )
        case Rule.SET_POSITION:
            if dialog.editing is None:
                return None
            return Ruling(at_ns, rule, position=dialog.editing, to_move=dialog.to_move)
        case Rule.DISCS_MOVED:
            return Ruling(at_ns, rule, player=game.to_move, count=discs_to_move(game))
    return Ruling(at_ns, rule)


def discs_to_move(game: Game) -> int:
    """Half of what the opponent has beside the board, at least one, so that both can continue."""
    return max(1, game.trays.of(game.to_move.other) // 2)


def _cycled(position: Position, square: int) -> Position:
    """Empty, black, white, empty again."""
    bit = 1 << square
    if position.black & bit:
        return Position(position.black & ~bit, position.white | bit)
    if position.white & bit:
        return Position(position.black, position.white & ~bit)
    return Position(position.black | bit, position.white)


def can_enter_moves(game: Game) -> bool:
    """Whether the judge may enter moves: no sensor reads them."""
    return game.state in (State.RUNNING, State.STOPPED, State.FINISHED) and (
        not game.reads_board or game.owed > 0
    )
