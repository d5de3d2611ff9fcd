"""The judge's desk: the rulings that touches make, and the counter-rulings that take them back.

A ruling takes two touches, a move entered by hand takes one. Some rulings cannot be taken back: a finished correction,
a confirmed default, the end of a running game. The referee decides whether a counter-ruling is still possible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from flagfall.base.message import Message
from flagfall.othello.game import Game, Incident, IncidentType, State
from flagfall.othello.inputs import Rule, Ruling
from flagfall.othello.judging.counted_discs import flags_in_question
from flagfall.othello.reason import Reason
from flagfall.othello.referee import judge
from table_app.events import Event, ScreenInput
from table_app.screen.dialog import Dialog, Judge, ask_twice, to_referee
from table_app.screen.judge.choices import Choices
from table_app.screen.judge.transcripts import transcript_remark
from table_app.screen.kit.scene import Meaning
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


@dataclass(frozen=True, slots=True)
class Desk:
    """The values that a page of the panel works with. `closed`: the players' face returns."""

    view: TableView
    dialog: Dialog
    chosen: Choices
    at_ns: int = 0
    closed: bool = False

    def choosing(self, **fields: object) -> Desk:
        """Return the desk with other choices."""
        return replace(self, chosen=replace(self.chosen, **fields))  # type: ignore[arg-type]

    def asked_twice(self, tap: Meaning, *events: Event) -> tuple[Desk, tuple[Event, ...]]:
        """Return what follows from a tap that is armed at the first touch and acts at the second."""
        dialog, events = ask_twice(self.dialog, tap, *events)
        return replace(self, dialog=dialog), events

    def ruled(self, ruling: Ruling, game: Game) -> Desk:
        """Return the desk after a ruling: the page is cleared, and the counter-ruling is kept."""
        judge = self.dialog.judge
        if judge is not None:
            judge = replace(judge, ruling=ruling, counter=counter_ruling(game, ruling))
        dialog = replace(self.dialog, judge=judge, stopped_ns=None)
        return replace(self, dialog=dialog, chosen=self.chosen.cleared())


Done = tuple[Desk, tuple[Event, ...]]


def ruled_twice(desk: Desk, tap: Meaning, ruling: Ruling, game: Game) -> Done:
    """Return what follows from a button that gives this ruling at its second touch."""
    after, events = desk.asked_twice(tap, ScreenInput(ruling))
    return (after.ruled(ruling, game) if events else after), events


def rule_touched(desk: Desk, tap: Meaning, rule: Rule, game: Game) -> Done:
    """Return what follows from the button of a ruling, which takes the page's contents."""
    chosen, dialog, at_ns = desk.chosen, desk.dialog, desk.at_ns
    if rule in DIRECTORS and not dialog.director:
        return desk, ()
    ruling = _ruling_of_page(chosen, rule, game, at_ns)
    if ruling is None:
        return desk, ()
    ruling = replace(ruling, reason=chosen.reason or ruling.reason, who=dialog.who)
    if rule is Rule.CORRECT_ERROR:
        # Opening the finding was the first touch.
        after = desk.ruled(ruling, game)
        return replace(after, dialog=replace(after.dialog, armed=None)), to_referee(ruling)
    if rule is Rule.ENTER_SCORE and flags_in_question(game):
        return replace(desk, dialog=replace(dialog, armed=None)).choosing(asks_flag=True), ()
    after, events = ruled_twice(desk, tap, ruling, game)
    if not events:
        return after, ()
    ends_it = rule in (Rule.DISMISS_ERROR, Rule.UNINTENTIONAL_TOUCH) and game.correction is None
    if ends_it and dialog.stopped_ns is not None and game.state is State.STOPPED:
        # The clocks stood for the PIN alone.
        events += to_referee(Ruling(at_ns, Rule.RESUME, who=dialog.who))
    # The players' face returns when play goes on.
    return replace(after, closed=rule in (Rule.CORRECTED, Rule.DISMISS_ERROR)), events


def undo_touched(desk: Desk, judge: Judge, tap: Meaning, game: Game) -> Done:
    """Return what follows from the button that takes the last ruling back."""
    if judge.counter is None or not can_be_undone(game, judge.ruling, judge.counter):
        return desk, ()
    if judge.counter.rule in DIRECTORS and not judge.director:
        return desk, ()
    ruling = replace(judge.counter, at_ns=desk.at_ns, who=judge.who)
    after, events = desk.asked_twice(tap, ScreenInput(ruling))
    if not events:
        return after, ()
    return replace(
        after, dialog=replace(after.dialog, judge=replace(judge, ruling=ruling, counter=None))
    ), events


def _ruling_of_page(chosen: Choices, rule: Rule, game: Game, at_ns: int) -> Ruling | None:
    """Return the ruling of a button, with the page's contents; None while something is missing."""
    score = chosen.figures.score()
    match rule:
        case Rule.ADJUST_TIME:
            return (
                Ruling(at_ns, rule, player=chosen.player, seconds=chosen.seconds) if chosen.seconds else None
            )
        case Rule.START_CLOCK | Rule.ANNUL_FLAG | Rule.RESIGN | Rule.FORFEIT | Rule.BEYOND_REPAIR:
            return Ruling(at_ns, rule, player=chosen.player)
        case Rule.AWARD:
            return Ruling(at_ns, rule, player=chosen.player, score=score)
        case Rule.SET_SCORE | Rule.ENTER_SCORE:
            return None if score is None else Ruling(at_ns, rule, score=score)
        case Rule.SET_POSITION if chosen.script is not None:
            shown, to_move = chosen.script.stage(game).position, chosen.script.to_move(game)
            return Ruling(
                at_ns, rule, position=shown, to_move=to_move, reason=transcript_remark(chosen.script, game)
            )
        case Rule.SET_POSITION:
            if chosen.editing is None:
                return None
            return Ruling(at_ns, rule, position=chosen.editing, to_move=chosen.to_move)
        case Rule.DISCS_MOVED:
            return Ruling(at_ns, rule, player=game.to_move, count=discs_to_move(game))
    return Ruling(at_ns, rule)


def discs_to_move(game: Game) -> int:
    """Return half of the opponent's discs beside the board, at least one, so that both can continue."""
    return max(1, game.trays.of(game.to_move.other) // 2)


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
