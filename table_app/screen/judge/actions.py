"""The judge's panel: the rulings that touches make, and the counter-rulings that take them back.

A ruling takes two touches, a move entered by hand takes one. Some rulings cannot be taken back: a finished correction,
a confirmed default, the end of a running game. The referee decides whether a counter-ruling is still possible.
"""

from __future__ import annotations

from dataclasses import replace

from flagfall.othello.board import Position
from flagfall.othello.game import Game, Incident, IncidentType, State
from flagfall.othello.inputs import ErrorKind, Rule, Ruling, Start
from flagfall.othello.judging.counted_discs import flags_in_question
from flagfall.othello.message import Message
from flagfall.othello.reason import Reason
from flagfall.othello.referee import judge
from table_app.events import CLOSED_UNSIGNED, ScreenInput, ScreenRequest
from table_app.screen.dialog import (
    Dialog,
    DialogPage,
    Judge,
    Panel,
    Step,
    ask_twice,
    open_transcript,
    show_transcript_of,
    step_transcript,
    to_record,
    to_referee,
    transcript_remark,
    typed_figures,
    with_sheet,
    write_move,
)
from table_app.screen.kit.scene import Tap
from table_app.screen.kit.widgets import text_after
from table_app.table_view import TableView

# Rulings of the director only (woc-2019 V.1; docs/decisions, "The judge's PIN").
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

# How long a move entered by hand can be undone, unless the next one is entered before.
UNDO_FOR_NS = 4_000_000_000
# Less than the limit of a remark.
LONGEST_REASON = 100


def panel_touched(dialog: Dialog, tap: Tap, view: TableView, at_ns: int) -> Step:
    """Return the panel after a touch, and the events it causes."""
    if tap.action == "move":
        return _move_entered(dialog, tap, at_ns)
    if tap.action == "undo":
        return _with_panel(dialog, replace(dialog.panel, pending=None)), ()
    dialog, settled = settle_pending(dialog, at_ns, at_once=True)
    stepped, events = _page_touched(dialog, tap, view, at_ns)
    return stepped, (*settled, *events)


def _with_panel(dialog: Dialog, panel: Panel) -> Dialog:
    return replace(dialog, sheet=panel)


def _move_entered(dialog: Dialog, tap: Tap, at_ns: int) -> Step:
    """Enter a move by one tap: the previous move goes to the referee, this one can still be undone."""
    pending = dialog.panel.pending
    if pending is not None and pending[0] == tap:
        return dialog, ()
    dialog, settled = settle_pending(dialog, at_ns, at_once=True)
    return _with_panel(dialog, replace(dialog.panel, pending=(tap, at_ns))), settled


def settle_pending(dialog: Dialog, now_ns: int, at_once: bool = False) -> Step:
    """Give an entered move to the referee when it can no longer be undone."""
    if dialog.panel.pending is None:
        return dialog, ()
    tap, at_ns = dialog.panel.pending
    if not at_once and now_ns - at_ns < UNDO_FOR_NS:
        return dialog, ()
    ruling = Ruling(at_ns, Rule.ENTER_MOVE, square=tap.square, passes=tap.square is None, who=dialog.who)
    return _with_panel(dialog, replace(dialog.panel, pending=None)), to_referee(ruling)


def _page_touched(dialog: Dialog, tap: Tap, view: TableView, at_ns: int) -> Step:
    game, judge = view.game, dialog.judge
    match tap.action:
        case "close":
            return with_sheet(dialog, None), ()
        case "judge_leaves":
            return replace(with_sheet(dialog, None), judge=None), to_record(at_ns, "judge_leaves", dialog.who)
        case "call_director" | "answer_call" | "swap_sides" | "drop_game":
            return ask_twice(dialog, tap, ScreenRequest(at_ns, tap.action, dialog.who or "judge"))
        case "close_unsigned" if dialog.director:
            return ask_twice(dialog, tap, *to_record(at_ns, CLOSED_UNSIGNED, dialog.who))
        case "assistant" if tap.side is not None:
            return ask_twice(dialog, tap, *to_record(at_ns, "assistant", tap.side.value))
        case "undo_ruling" if game is not None and judge is not None:
            return _undo_touched(dialog, judge, tap, game, at_ns)
        case "start":
            return ask_twice(dialog, tap, *to_referee(Start(at_ns)))
        case "report" if tap.side is not None and game is not None:
            kind = ErrorKind(tap.value)
            ruling = Ruling(at_ns, Rule.CORRECT_ERROR, tap.side, kind, dialog.panel.square, who=dialog.who)
            stepped, events = ask_twice(dialog, tap, ScreenInput(ruling))
            return (_after_ruling(stepped, ruling, game) if events else stepped), events
        case "rule" if game is not None:
            return _rule_touched(dialog, tap, game, at_ns)
        case "flag_before" if game is not None and (score := dialog.panel.figures.score()) is not None:
            ruling = Ruling(at_ns, Rule.ENTER_SCORE, score=score, flag_before=tap.side, who=dialog.who)
            stepped, events = ask_twice(dialog, tap, ScreenInput(ruling))
            return (_after_ruling(stepped, ruling, game) if events else stepped), events
    return _with_panel(dialog, _panel_after(dialog.panel, tap, game)), ()


def _panel_after(panel: Panel, tap: Tap, game: Game | None) -> Panel:
    """Return the panel after a touch that changes only what the page shows."""
    match tap.action:
        case "page":
            return replace(panel.cleared(), page=DialogPage(tap.value))
        case "player" if tap.side is not None:
            return replace(panel, player=tap.side, to_move=tap.side)
        case "reason":
            return replace(panel, reason="" if panel.reason == tap.value else tap.value)
        case "reason_key":
            return replace(panel, reason=text_after(panel.reason, tap.value, LONGEST_REASON))
        case "reason_type":
            return replace(panel, typing=True, reason="")
        case "reason_done":
            return replace(panel, typing=False, reason=panel.reason.strip())
        case "key" | "erase" | "field":
            return replace(panel, figures=typed_figures(panel.figures, tap))
        case "flag_unasked":
            return replace(panel, asks_flag=False)
        case "seconds":
            return replace(panel, seconds=panel.seconds + int(tap.value))
        case "square" if panel.editing is not None and tap.square is not None:
            return replace(panel, editing=_next_content(panel.editing, tap.square))
        case "square":
            return replace(panel, square=None if panel.square == tap.square else tap.square)
        case "edit" if game is not None:
            editing = None if panel.editing is not None else replace(game.shown, unknown=0)
            return replace(panel, editing=editing, to_move=game.to_move)
        case "kinds":
            error = None if panel.error is not None else ErrorKind.MISFLIP
            return replace(panel, error=error, square=None)
        case "script" if game is not None:
            return replace(panel, script=open_transcript(game) if panel.script is None else None)
    if game is None or panel.script is None:
        return panel
    match tap.action:
        case "script_of":
            return replace(panel, script=show_transcript_of(panel.script, game, tap.side))
        case "script_step":
            return replace(panel, script=step_transcript(panel.script, game, int(tap.value)))
        case "written":
            return replace(panel, script=write_move(panel.script, tap.square))
        case "written_erase":
            return replace(panel, script=write_move(panel.script, None))
    return panel


def _rule_touched(dialog: Dialog, tap: Tap, game: Game, at_ns: int) -> Step:
    rule, panel = Rule(tap.value), dialog.panel
    if rule in DIRECTORS and not dialog.director:
        return dialog, ()
    ruling = _ruling_of_page(panel, rule, game, at_ns)
    if ruling is None:
        return dialog, ()
    ruling = replace(ruling, reason=panel.reason or ruling.reason, who=dialog.who)
    if rule is Rule.CORRECT_ERROR:
        # Opening the finding was the first touch.
        return replace(_after_ruling(dialog, ruling, game), armed=None), to_referee(ruling)
    if rule is Rule.ENTER_SCORE and flags_in_question(game):
        return replace(dialog, armed=None, sheet=replace(panel, asks_flag=True)), ()
    stepped, events = ask_twice(dialog, tap, ScreenInput(ruling))
    if not events:
        return stepped, ()
    stepped = _after_ruling(stepped, ruling, game)
    ends_it = rule in (Rule.DISMISS_ERROR, Rule.UNINTENTIONAL_TOUCH) and game.correction is None
    if ends_it and dialog.stopped_ns is not None and game.state is State.STOPPED:
        # The clocks stood for the PIN alone.
        events += to_referee(Ruling(at_ns, Rule.RESUME, who=dialog.who))
    # The players' face returns when play goes on.
    return (with_sheet(stepped, None) if rule in (Rule.CORRECTED, Rule.DISMISS_ERROR) else stepped), events


def _after_ruling(dialog: Dialog, ruling: Ruling, game: Game) -> Dialog:
    """Return the dialog after a ruling: the page is cleared, and the counter-ruling is kept."""
    judge = dialog.judge
    if judge is not None:
        judge = replace(judge, ruling=ruling, counter=counter_ruling(game, ruling))
    return replace(dialog, sheet=dialog.panel.cleared(), judge=judge, stopped_ns=None)


def _undo_touched(dialog: Dialog, judge: Judge, tap: Tap, game: Game, at_ns: int) -> Step:
    if judge.counter is None or not can_be_undone(game, judge.ruling, judge.counter):
        return dialog, ()
    if judge.counter.rule in DIRECTORS and not judge.director:
        return dialog, ()
    ruling = replace(judge.counter, at_ns=at_ns, who=judge.who)
    stepped, events = ask_twice(dialog, tap, ScreenInput(ruling))
    return (
        replace(stepped, judge=replace(judge, ruling=ruling, counter=None)) if events else stepped
    ), events


def _ruling_of_page(panel: Panel, rule: Rule, game: Game, at_ns: int) -> Ruling | None:
    """Return the ruling of a button, with the page's contents; None while something is missing."""
    score = panel.figures.score()
    match rule:
        case Rule.ADJUST_TIME:
            return Ruling(at_ns, rule, player=panel.player, seconds=panel.seconds) if panel.seconds else None
        case Rule.START_CLOCK | Rule.ANNUL_FLAG | Rule.RESIGN | Rule.FORFEIT | Rule.BEYOND_REPAIR:
            return Ruling(at_ns, rule, player=panel.player)
        case Rule.AWARD:
            return Ruling(at_ns, rule, player=panel.player, score=score)
        case Rule.SET_SCORE | Rule.ENTER_SCORE:
            return None if score is None else Ruling(at_ns, rule, score=score)
        case Rule.SET_POSITION if panel.script is not None:
            shown, to_move = panel.script.stage(game).position, panel.script.to_move(game)
            return Ruling(
                at_ns, rule, position=shown, to_move=to_move, reason=transcript_remark(panel.script, game)
            )
        case Rule.SET_POSITION:
            if panel.editing is None:
                return None
            return Ruling(at_ns, rule, position=panel.editing, to_move=panel.to_move)
        case Rule.DISCS_MOVED:
            return Ruling(at_ns, rule, player=game.to_move, count=discs_to_move(game))
    return Ruling(at_ns, rule)


def discs_to_move(game: Game) -> int:
    """Return half of the opponent's discs beside the board, at least one, so that both can continue."""
    return max(1, game.trays.of(game.to_move.other) // 2)


def _next_content(position: Position, square: int) -> Position:
    """Return the next content of a square: empty, black, white, empty again."""
    bit = 1 << square
    if position.black & bit:
        return Position(position.black & ~bit, position.white | bit)
    if position.white & bit:
        return Position(position.black, position.white & ~bit)
    return Position(position.black | bit, position.white)


def can_enter_moves(game: Game) -> bool:
    """Return True if the judge may enter moves, because no sensor reads them."""
    return game.state in (State.RUNNING, State.STOPPED, State.FINISHED) and (
        not game.reads_board or game.owed > 0
    )


def counter_ruling(before: Game, ruling: Ruling) -> Ruling | None:
    """Return the counter-ruling to `ruling`, which was given in the game `before`; None if there is none."""
    undone = _counter(before, ruling)
    if undone is None:
        return None
    return replace(undone, reason=f"undo {ruling.rule}", who=ruling.who, undoes=ruling.rule)


def _counter(before: Game, ruling: Ruling) -> Ruling | None:
    at_ns = ruling.at_ns
    match ruling.rule:
        case Rule.ADJUST_TIME if ruling.seconds is not None:
            return Ruling(at_ns, Rule.ADJUST_TIME, player=ruling.player, seconds=-ruling.seconds)
        case Rule.STOP:
            return Ruling(at_ns, Rule.RESUME)
        case Rule.RESUME:
            return Ruling(at_ns, Rule.STOP)
        case Rule.CORRECT_ERROR:
            return Ruling(at_ns, Rule.DISMISS_ERROR)
        case Rule.DISMISS_ERROR:
            return _error_named_again(before, at_ns)
        case Rule.SET_POSITION if not before.shown.unknown:
            return Ruling(at_ns, Rule.SET_POSITION, position=before.shown, to_move=before.to_move)
        case Rule.DISCS_MOVED if ruling.player is not None:
            return Ruling(at_ns, Rule.DISCS_MOVED, player=ruling.player.other, count=ruling.count)
        case Rule.SET_SCORE | Rule.AWARD | Rule.DRAW | Rule.FORFEIT if (ended := before.outcome) is not None:
            if ended.reason is Reason.FORFEIT and ended.winner is not None:
                # Whether a game is a no-show depends on it.
                return Ruling(at_ns, Rule.FORFEIT, player=ended.winner.other)
            return Ruling(at_ns, Rule.SET_SCORE, score=ended.score)
    return None


def _error_named_again(before: Game, at_ns: int) -> Ruling | None:
    """Return the dismissed error, named again by the judge: possible until the next commitment."""
    errors = before.unsettled
    if not errors or errors[0].by is None:
        return None
    error = errors[0]
    square = error.squares.bit_length() - 1 if error.squares else None
    return Ruling(at_ns, Rule.CORRECT_ERROR, player=error.by, error=error.error, square=square)


def record_of(game: Game, ruling: Ruling) -> Incident | None:
    """Return the record's entry on a ruling: applied (`ruling`) or `refused`; None while it waits."""
    for incident in reversed(game.incidents):
        if incident.at_ns < ruling.at_ns:
            return None
        if incident.rule is ruling.rule and incident.type in (IncidentType.RULING, IncidentType.REFUSED):
            return incident
    return None


def refusal_of(game: Game, ruling: Ruling | None) -> Message | None:
    """Return the reason why the ruling was refused; None if it was not."""
    entry = None if ruling is None else record_of(game, ruling)
    return entry.why if entry is not None and entry.type is IncidentType.REFUSED else None


def can_be_undone(game: Game, ruling: Ruling | None, undone: Ruling | None) -> bool:
    """Return True if the ruling was applied and the counter-ruling would be accepted now."""
    if ruling is None or undone is None:
        return False
    entry = record_of(game, ruling)
    if entry is None or entry.type is not IncidentType.RULING:
        return False
    after = judge(game, replace(undone, at_ns=game.at_ns))
    new = after.incidents[len(game.incidents) :]
    return not any(incident.type is IncidentType.REFUSED and incident.rule is undone.rule for incident in new)
