"""The law of one game: `judge(game, input) -> game`, and the one table it follows.

A row says in which states an input is allowed, what it does and which states it may lead to. What stands in no row
is refused, with the reason on record, and changes nothing. Before every input time passes
(`flagfall.othello.judging.flags.falling`), which may end the game; that is the row `(time)`. The diagram in docs/law.md
is drawn from this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from flagfall.base.message import Message
from flagfall.base.value import replace
from flagfall.othello.board import stages
from flagfall.othello.clock import Clock
from flagfall.othello.game import MINUTE_NS, Game, Header, Incident, IncidentType, Phase, State
from flagfall.othello.gamefile import ruling_fields
from flagfall.othello.inputs import TYPE_NAMES, Input, Rule, Ruling, Tick
from flagfall.othello.judging import (
    accepted_end,
    board,
    colours,
    counted_discs,
    director,
    discs,
    late,
    moves_owed,
    position,
    press,
    resign,
    self_play,
    signature,
    start,
    stop,
    time_penalty,
    touch,
)
from flagfall.othello.judging.errors import correction, dismissal, pointing_out
from flagfall.othello.judging.flags import annulled, claimed, falling, words
from flagfall.othello.judging.incidents import note, refused
from flagfall.othello.refusals import RefusedError, refusal, warning, with_clause
from flagfall.othello.side import Both

# Takes the game at the instant of the input, every flag before it fallen.
_Handler = Callable[[Game, Any], Game]


@dataclass(frozen=True, slots=True)
class Row:
    """The handler of an input in some states."""

    # An input's type, or `ruling` and its rule.
    on: str
    # States, or phases of them, in which it is allowed.
    states: frozenset[State | Phase]
    handler: _Handler
    # States that it may lead to, if not the same.
    to: frozenset[State | Phase]


def _name(on: str | Rule) -> str:
    """Return an input's type; a ruling has a name of its own, since players may stop and resign too."""
    return f"ruling {on}" if isinstance(on, Rule) else on


def _row(
    on: str | Rule, states: Iterable[State | Phase], handler: _Handler, to: Iterable[State | Phase] = ()
) -> Row:
    return Row(_name(on), frozenset(states), handler, frozenset(to))


def _nothing(game: Game, entry: Input) -> Game:
    return game


def _noted(game: Game, tick: Tick) -> Game:
    return game if tick.note is None else replace(game, notes=game.notes.and_one(Tick(game.at_ns, tick.note)))


_WAITING, _RUNNING, _STOPPED = State.WAITING, State.RUNNING, State.STOPPED
_CORRECTING, _FINISHED, _SIGNED = State.CORRECTING, State.FINISHED, State.SIGNED
_ACCEPTING, _CHOOSING, _ALONE = Phase
PHASES: tuple[State | Phase, ...] = (*State, *Phase)
_STARTED = (_RUNNING, _STOPPED, _CORRECTING)
_OPEN = (_WAITING, *_STARTED)
_CLOCKS_RUN = (_RUNNING, _ACCEPTING, _CORRECTING, _ALONE)
_CLOCKS_STAND = (_WAITING, _STOPPED, _CHOOSING, _FINISHED, _SIGNED)

ROWS: tuple[Row, ...] = (
    _row("(time)", _CLOCKS_RUN, _nothing, [_FINISHED]),
    # What happens at the table is never refused: presses, touches, positions, the board and the power.
    _row("press", [_WAITING], start.press_waiting, [_RUNNING]),
    _row("press", [_RUNNING], press.press_running, [_CORRECTING, _ACCEPTING, _FINISHED]),
    _row("press", [_CORRECTING], press.press_correcting, [_RUNNING, _ALONE, _ACCEPTING, _FINISHED]),
    _row("press", [_ACCEPTING], accepted_end.press_accepting, [_CORRECTING]),
    _row("press", [_ALONE], self_play.press_alone, [_FINISHED]),
    _row("press", [_STOPPED], late.press_stopped, [_RUNNING]),
    _row("press", [_CHOOSING, _FINISHED, _SIGNED], press.press_out_of_turn),
    _row("touch", [_RUNNING, _CORRECTING], touch.touched),
    _row("touch", [_ALONE], self_play.touch_alone),
    _row("touch", [*_CLOCKS_STAND, _ACCEPTING], _nothing),
    _row("position", [_RUNNING, _STOPPED], board.shown, [_ACCEPTING, _CHOOSING, _FINISHED]),
    _row("position", [_ACCEPTING, _FINISHED], board.shown, [_RUNNING]),
    _row("position", [_WAITING, _SIGNED], board.shown),
    _row("position", [_CORRECTING], self_play.show_correcting, [_ALONE, _FINISHED]),
    _row("position", [_ALONE], self_play.show_alone, [_FINISHED]),
    _row("position", [_CHOOSING], self_play.board_while_choosing),
    _row("board", PHASES, board.board_changed),
    _row("power", _CLOCKS_RUN, stop.power_back, [_WAITING, _STOPPED]),
    _row("power", _CLOCKS_STAND, stop.power_back),
    _row("tick", PHASES, _noted),
    # Players.
    _row("start", [_WAITING], start.start),
    _row("late", [_WAITING, _RUNNING, _STOPPED], late.late, [_RUNNING]),
    _row("colour_draw", [_WAITING, _RUNNING, _STOPPED], colours.draw_colours),
    _row("signal", [_RUNNING, _ACCEPTING, _ALONE], pointing_out.signal, [_CORRECTING, _CHOOSING, _FINISHED]),
    _row("signal", [_FINISHED], pointing_out.signal, [_CORRECTING, _CHOOSING]),
    _row(
        "stop",
        [_RUNNING, _CORRECTING, _ALONE],
        accepted_end.stop,
        [_WAITING, _ACCEPTING, _CHOOSING, _STOPPED],
    ),
    _row("stop", [_ACCEPTING], accepted_end.stop, [_FINISHED]),
    _row("accept_end", [_RUNNING, _STOPPED], accepted_end.accept_end, [_STOPPED]),
    _row("accept_end", [_ACCEPTING, _FINISHED], accepted_end.accept_end, [_FINISHED]),
    _row("claim_flag", (*_STARTED, _ACCEPTING), words.claim_flag, [_CHOOSING, _FINISHED]),
    _row("claim_flag", [_FINISHED, _SIGNED], words.claim_flag, [_CHOOSING]),
    _row("admit_flag", (*_STARTED, _ACCEPTING), words.admit_flag, [_CHOOSING, _FINISHED]),
    _row("admit_flag", [_FINISHED, _SIGNED], words.admit_flag, [_CHOOSING]),
    _row("default_choice", [_CHOOSING], self_play.choose, [_ALONE, _FINISHED]),
    _row("default_choice", [_RUNNING, _ALONE, _FINISHED], self_play.choose, [_FINISHED]),
    _row("stop_self_play", [_ALONE, _STOPPED], self_play.stop_self_play, [_STOPPED, _FINISHED]),
    _row("ready", [_STOPPED, _ACCEPTING], stop.ready, [_RUNNING, _ALONE, _CORRECTING]),
    _row("resign", (*_OPEN, _ALONE), resign.resigned, [_CHOOSING, _FINISHED]),
    _row("unresign", [_CHOOSING, _FINISHED], resign.unresigned, [_WAITING, *_STARTED]),
    _row("agree", [_RUNNING, _ALONE, _STOPPED, _FINISHED], counted_discs.agree, [_FINISHED]),
    _row("sign", [_FINISHED], signature.sign, [_SIGNED]),
    # The judge.
    _row(
        Rule.CORRECT_ERROR,
        [_RUNNING, _ACCEPTING, _ALONE, _STOPPED, _FINISHED],
        pointing_out.rule_correct_error,
        [_CORRECTING],
    ),
    _row(
        Rule.RETRACT,
        [_RUNNING, _ACCEPTING, _ALONE, _STOPPED, _FINISHED],
        pointing_out.rule_retract,
        [_CORRECTING],
    ),
    _row(Rule.CORRECTED, [_CORRECTING], correction.rule_corrected, [_RUNNING, _ALONE, _ACCEPTING, _FINISHED]),
    _row(Rule.CORRECTED, [_STOPPED], correction.rule_corrected, [_ACCEPTING, _FINISHED]),
    _row(
        Rule.DISMISS_ERROR,
        [_CORRECTING],
        dismissal.rule_dismiss_error,
        [_RUNNING, _ALONE, _ACCEPTING, _FINISHED],
    ),
    _row(Rule.DISMISS_ERROR, [_STOPPED], dismissal.rule_dismiss_error, [_ACCEPTING, _FINISHED]),
    _row(Rule.DISMISS_ERROR, [_RUNNING, _ACCEPTING, _ALONE, _FINISHED], dismissal.rule_dismiss_error),
    _row(
        Rule.UNINTENTIONAL_TOUCH,
        [_RUNNING, _ACCEPTING, _ALONE, _STOPPED, _FINISHED],
        touch.rule_unintentional_touch,
    ),
    _row(Rule.STOP, _CLOCKS_RUN, stop.rule_stop, [_WAITING, _CHOOSING, _STOPPED]),
    _row(Rule.RESUME, [_STOPPED, _ACCEPTING], stop.rule_resume, [_RUNNING, _ALONE, _CORRECTING]),
    _row(Rule.START_CLOCK, [_WAITING, _RUNNING, _STOPPED], late.rule_start_clock, [_RUNNING]),
    _row(Rule.DISCS_MOVED, (*_OPEN, _CHOOSING, _ALONE), discs.rule_discs_moved),
    _row(Rule.SET_POSITION, [_RUNNING, _ALONE, _STOPPED, _CHOOSING], position.rule_set_position),
    _row(Rule.SET_POSITION, [_ACCEPTING], position.rule_set_position, [_RUNNING, _STOPPED]),
    _row(Rule.SET_POSITION, [_CORRECTING], position.rule_set_position, [_RUNNING, _ALONE]),
    _row(
        Rule.ENTER_MOVE,
        [_RUNNING, _ALONE, _STOPPED, _FINISHED],
        moves_owed.rule_enter_move,
        [_ACCEPTING, _FINISHED],
    ),
    _row(
        Rule.ENTER_SCORE,
        [_RUNNING, _ALONE, _STOPPED, _FINISHED],
        counted_discs.rule_enter_score,
        [_CHOOSING, _FINISHED],
    ),
    _row(Rule.RESIGN, (*_OPEN, _ALONE), resign.rule_resign, [_CHOOSING, _FINISHED]),
    # The director.
    _row(Rule.ADJUST_TIME, (*_OPEN, _ACCEPTING, _CHOOSING, _ALONE), time_penalty.rule_adjust_time),
    _row(Rule.CONFIRM_DEFAULT, (*_STARTED, _ACCEPTING), words.rule_confirm_default, [_STOPPED, _FINISHED]),
    _row(Rule.CONFIRM_DEFAULT, [_FINISHED], words.rule_confirm_default),
    _row(Rule.ANNUL_FLAG, _STARTED, annulled.annul_flag),
    _row(Rule.ANNUL_FLAG, [_CHOOSING, _ALONE], annulled.annul_flag, [_STOPPED]),
    _row(Rule.ANNUL_FLAG, [_FINISHED, _SIGNED], annulled.annul_flag, [_STOPPED, _FINISHED]),
    _row(
        Rule.BEYOND_REPAIR,
        (*_STARTED, _ACCEPTING, _CHOOSING, _ALONE),
        director.rule_loses,
        [_CHOOSING, _FINISHED],
    ),
    _row(Rule.FORFEIT, PHASES, director.rule_loses, [_CHOOSING, _FINISHED]),
    _row(Rule.AWARD, PHASES, director.rule_award, [_FINISHED]),
    _row(Rule.DRAW, PHASES, director.rule_draw, [_FINISHED]),
    _row(Rule.SET_SCORE, PHASES, director.rule_set_score, [_FINISHED]),
)

_TABLE = {(state, row.on): row for row in ROWS for state in row.states}


# Discs of each player beside the board at the start position.
_TRAY = 30


def new_game(header: Header) -> Game:
    """Return a game that waits for the director's signal, its clocks set (woc-2019 IV.1, IV.10; usoa 5.1)."""
    minutes = Both(
        round((header.minutes + header.extra_minutes.black) * MINUTE_NS),
        round((header.minutes + header.extra_minutes.white) * MINUTE_NS),
    )
    warnings: tuple[Message, ...] = ()
    if header.minutes < header.rulebook.least_minutes:
        warnings = (
            warning(
                "time_too_short",
                minutes=header.minutes,
                rulebook=header.rulebook.id,
                least=header.rulebook.least_minutes,
            ),
        )
    line, start = stages(header.opening), header.start
    placed = sum(bool(stage.black_to_move) for stage in line[:-1])
    return Game(
        header=header,
        clock=Clock(minutes),
        board=start,
        shown=start,
        before=start,
        moves=header.opening,
        trays=Both(_TRAY - placed, _TRAY - (len(line) - 1 - placed)),
        warnings=warnings,
    )


def judge(game: Game, entry: Input) -> Game:
    """Return the game after this input. Never raise: an input that the state does not allow is refused, on record.

    An input is never earlier than the game; one that claims to be counts as of now.
    """
    game = falling.advance(game, max(entry.at_ns, game.at_ns))
    row = _TABLE.get(
        (game.phase, _name(entry.rule if isinstance(entry, Ruling) else TYPE_NAMES[type(entry)]))
    )
    if row is None:
        return refused(game, entry, refusal("not_in_state", state=game.phase))
    try:
        return claimed.settle_claim(
            row.handler(_ruled(game, entry) if isinstance(entry, Ruling) else game, entry)
        )
    except RefusedError as error:
        return refused(game, entry, with_clause(error.message, game.rules))


def _ruled(game: Game, ruling: Ruling) -> Game:
    """Record the ruling before its consequences."""
    fields = tuple(ruling_fields(ruling).items())
    return note(game, Incident(game.at_ns, IncidentType.RULING, rule=ruling.rule, fields=fields))


def replay(header: Header, lines: Iterable[Input]) -> Game:
    """Return the game that these inputs make."""
    game = new_game(header)
    for entry in lines:
        game = judge(game, entry)
    return game
