"""Errors in the last move: pointed out, upheld, put right on the offender's time, dismissed (woc-2019 IV.5, usoa 7)."""

from __future__ import annotations

from othello.board import Position, squares_of
from othello.ending import end_if_over, finish_by_board, remember_press
from othello.flags import pointed_out
from othello.game import Correction, ErrorState, Game, IncidentType, Reason, State, Turn
from othello.inputs import ErrorKind, Ruling, Signal
from othello.notation import square_name
from othello.reading import Reading, read_turn
from othello.record import close_errors, note_error, open_errors, put_right, refused_position, with_error
from othello.refusals import RefusedError
from othello.side import Both, Side
from othello.value import replace

MOVES_AGAIN = frozenset(
    {ErrorKind.ILLEGAL_MOVE, ErrorKind.WRONG_COLOUR, ErrorKind.ILLEGAL_PASS, ErrorKind.TOUCHED_ELSEWHERE}
)
"""What is taken back whole: the offender must then move (rulebooks.md, decision 12)."""


def open_correction(game: Game, index: int, at_ns: int) -> Game:
    """The offender's clock runs until the error is put right; a game that the board had ended is open again."""
    if game.outcome is not None and game.outcome.reason not in (Reason.BOARD, Reason.DEFAULT):
        raise RefusedError("ended_otherwise", reason=game.outcome.reason)
    if game.correction is not None:
        raise RefusedError("correcting_already")
    incident = game.incidents[index]
    if incident.by is None:
        raise RefusedError("no_offender")
    kind, offender = ErrorKind(incident.type.value), incident.by
    game = with_error(game, index, ErrorState.CORRECTING)
    right = _right(game)
    return replace(
        game,
        state=State.CORRECTING,
        shown=game.board if game.over and _near(game.board, right) else game.shown,
        clock=game.clock.run(offender, at_ns),
        to_move=offender if kind in MOVES_AGAIN else offender.other,
        outcome=None,
        counted=None,
        signed=Both(False, False),
        ready=Both(False, False),
        correction=Correction(kind, offender, index),
        turn=Turn(),
    )


def signal(game: Game, one: Signal, at_ns: int) -> Game:
    """A player points out an error. At a judged table the judge decides, unless the text leaves it to players."""
    if one.error == "flag":
        return pointed_out(game, one, at_ns)
    kind = None if one.error is None else ErrorKind(one.error)
    standing = [i for i in _challengeable(game) if kind is None or game.incidents[i].type.value == kind.value]
    if one.square is not None and kind is not ErrorKind.ILLEGAL_PASS and game.reads_board:
        named = [i for i in standing if _wrong(game, i) >> one.square & 1]
        if standing and not named:
            raise RefusedError("lies_right", square=square_name(one.square))
        standing = named
    offender = game.last.by if game.last is not None else game.to_move.other
    if game.rules.demand_names_error and one.by is not offender:
        _must_name(game, one, kind)
    if game.header.judged and game.rules.corrected_by == "judge":
        if not standing and game.reads_board:
            raise RefusedError("no_such_error")
        return game
    if standing:
        return open_correction(game, standing[0], at_ns)
    if game.reads_board or kind is None:
        raise RefusedError("no_such_error")
    return _unseen(game, kind, offender, one.square, at_ns)


def _challengeable(game: Game) -> tuple[int, ...]:
    """The errors that still can be put right: none once the player to move has committed himself."""
    return () if _answered(game) else open_errors(game)


def _wrong(game: Game, index: int) -> int:
    """The squares an error is about; of a misflip those that are wrong on the board still, as far as any are."""
    squares = game.incidents[index].squares
    if game.incidents[index].type is not IncidentType.MISFLIP or game.last is None:
        return squares
    return squares & game.last.right.differences(game.board) or squares


def _answered(game: Game) -> bool:
    """The player to move has touched a legal square, or his disc lies on one."""
    turn, black = game.turn, game.plays_black(game.to_move)
    if turn.commit is not None:
        return True
    return turn.disc_down is not None and bool(
        game.legal(game.to_move) & game.shown.discs(black) & 1 << turn.disc_down
    )


def _must_name(game: Game, one: Signal, kind: ErrorKind | None) -> None:
    """usoa 7.5: who demands a correction names the error, that of an illegal pass with a legal move."""
    if kind is None:
        raise RefusedError("name_error")
    if kind is not ErrorKind.ILLEGAL_PASS or game.last is None:
        return
    legal = game.last.before.legal(game.plays_black(game.last.by))
    if one.square is None or not legal >> one.square & 1:
        raise RefusedError("name_legal_move")


def rule_correct_error(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """The judge upholds the open error, or one he names that no sensor saw; only the last move can be challenged."""
    for index in _challengeable(game):
        incident = game.incidents[index]
        if ruling.player not in (None, incident.by):
            continue
        if ruling.error is not None and incident.type.value != ruling.error.value:
            continue
        if ruling.square is not None and not incident.squares >> ruling.square & 1:
            continue
        return open_correction(game, index, at_ns)
    if ruling.error is None:
        raise RefusedError("no_error_open")
    if game.reads_board and _accepted(game, ruling):
        raise RefusedError("error_accepted")
    offender = game.last.by if game.last is not None else game.to_move.other
    if ruling.player not in (None, offender):
        raise RefusedError("only_last_move", player=offender)
    return _unseen(game, ruling.error, offender, ruling.square, at_ns)


def _accepted(game: Game, ruling: Ruling) -> bool:
    """The error he names is on record as accepted: by its square, else as one of the player who has not moved last."""
    last_by = None if game.last is None else game.last.by
    return any(
        incident.state is ErrorState.ACCEPTED
        and ruling.error is not None
        and incident.type.value == ruling.error.value
        and ruling.player in (None, incident.by)
        and (incident.by is not last_by if ruling.square is None else incident.squares >> ruling.square & 1)
        for incident in game.incidents
    )


def rule_retract(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """A disc of the wrong colour is taken back (usoa 7.2); a table that reads its board has found it at the press."""
    kinds = [game.incidents[index].type for index in open_errors(game)]
    if game.reads_board and IncidentType.WRONG_COLOUR not in kinds:
        raise RefusedError("no_wrong_colour")
    return rule_correct_error(game, Ruling(at_ns, ruling.rule, error=ErrorKind.WRONG_COLOUR), at_ns)


def _unseen(game: Game, kind: ErrorKind, offender: Side, square: int | None, at_ns: int) -> Game:
    """An error that people saw and sensors did not, in a move that is still open to challenge."""
    if game.last is None and not game.owed:
        raise RefusedError("no_move")
    if _answered(game):
        raise RefusedError("position_accepted")
    squares = 0 if square is None else 1 << square
    game, index = note_error(game, at_ns, kind, offender, squares)
    last = game.last
    if last is not None:
        binds = (
            kind is ErrorKind.TOUCHED_ELSEWHERE and last.before.legal(game.plays_black(offender)) & squares
        )
        touched = (square,) if binds and square is not None else last.touched
        game = replace(game, last=replace(last, errors=(*last.errors, index), touched=touched))
    return open_correction(game, index, at_ns)


def _right(game: Game) -> Position:
    """The position the last move should have left."""
    return game.last.right if game.last is not None else game.before


_MOST_DISCS_ASTRAY = 2


def _near(board: Position, right: Position) -> bool:
    """Whether a board can be the one put right: with discs where they belong, but for two at most. A board that is
    being cleared or set up anew is not."""
    astray = (board.occupied ^ right.occupied) & ~(board.unknown | right.unknown)
    return astray.bit_count() <= _MOST_DISCS_ASTRAY


def _spoken(game: Game, at_ns: int) -> tuple[Game, Position | None]:
    """What the board has said since the move: None if it shows the move still or nothing like it, which is refused."""
    left = game.last.left if game.last is not None else None
    if not game.reads_board or left is None or game.board == left:
        return game, None
    if not _near(game.board, _right(game)):
        return refused_position("far_position", game), None
    return game, game.board


def rule_corrected(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """The judge has put the error right: the clock of the player to move runs (woc-2019 IV.5.1.c).

    His word counts: what the board has shown since the move is the position, else the position as it should be.
    """
    correction = game.correction
    if correction is None:
        raise RefusedError("nothing_corrected")
    stopped = game.state is State.STOPPED
    if correction.kind in MOVES_AGAIN:
        game = take_back(game, at_ns)
    else:
        game, spoken = _spoken(game, at_ns)
        game = with_error(game, correction.incident, ErrorState.CORRECTED)
        game = _goes_on(game, spoken or _right(game), correction.offender.other, at_ns)
    if stopped and game.state is State.RUNNING:
        game = replace(game, state=State.STOPPED, clock=game.clock.run(None, at_ns))
    return game


def _goes_on(game: Game, position: Position, side: Side, at_ns: int) -> Game:
    """After a correction `side` moves in this position; what the board shows apart from it is held against nobody."""
    known = position.known_through(_right(game))
    game = replace(
        game,
        state=State.RUNNING,
        clock=game.clock.run(side, at_ns),
        to_move=side,
        correction=None,
        shown=known,
        before=known,
        turn=Turn(lay=game.board if game.reads_board and game.board.differences(known) else None),
    )
    return see_disc(end_if_over(remember_press(game, at_ns), at_ns))


def take_back(game: Game, at_ns: int) -> Game:
    """The wrong move is gone; the offender, whose clock goes on, must move, where touch-move binds him still."""
    correction, last = game.correction, game.last
    if correction is None:
        return game
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    game = close_errors(game, ErrorState.CORRECTED)
    offender = correction.offender
    game = replace(
        game,
        state=State.RUNNING,
        clock=game.clock.run(offender, at_ns),
        to_move=offender,
        correction=None,
        last=None,
        turn=Turn(),
    )
    if last is None:
        # Nobody has read or entered the move: its press alone is taken back.
        return replace(game, owed=game.owed - 1)
    game = replace(
        game,
        before=last.before,
        shown=game.shown if game.reads_board else last.before,
        colours_reversed=last.reversed_before,
        turn=Turn(touched=last.touched),
    )
    if last.square is not None:
        game = replace(
            game,
            moves=game.moves[:-1],
            trays=game.trays.with_(offender, game.trays.of(offender) + 1),
        )
    return see_disc(game)


def without(position: Position, squares: int) -> Position:
    return Position(position.black & ~squares, position.white & ~squares, position.unknown)


def read(game: Game, shown: Position | None = None) -> Reading:
    """The turn as the board shows it: from how it lay, from what the turn began with, or with the last move mended."""
    turn, shown = game.turn, game.shown if shown is None else shown
    bases = [base for base in (turn.lay, game.before, turn.began) if base is not None]
    mended = put_right(game, shown)
    if mended and game.last is not None:
        bases.append(game.before.with_squares(mended, game.last.right))
    first = turn.touched[:1] if turn.disc_down is None else (turn.disc_down,)
    unique = tuple(dict.fromkeys(bases))
    order = (*first, *turn.placed)
    reading = read_turn(unique, shown, game.plays_black(game.to_move), order, turn.lifted)
    if reading.square is None and reading.early is not None and answers_wrong_colour(game):
        # Not the opponent's answer to a pass: the player goes on with the colour left to him (usoa 7.3).
        return Reading(reading.base, reading.early, exact=reading.exact)
    return reading


def answers_wrong_colour(game: Game) -> bool:
    """The move before was of the improper colour and stands; another such reverses the colours (usoa 7.3)."""
    last = game.last
    return (
        game.rules.twice_wrong_reverses
        and last is not None
        and last.wrong_colour
        and last.by is not game.to_move
    )


def see_disc(game: Game) -> Game:
    """Notes where the new discs lie now, and in which order they came down."""
    if not game.reads_board or game.owed or game.over:
        return game
    settled = without(game.shown, game.turn.dropped)
    down = read(game, settled).square
    discs = (settled.black | settled.white) & game.before.empty
    placed = tuple(square for square in game.turn.placed if discs >> square & 1)
    placed += tuple(square for square in squares_of(discs) if square not in placed)
    if (down, placed) == (game.turn.disc_down, game.turn.placed):
        return game
    return replace(game, turn=replace(game.turn, disc_down=down, placed=placed))


def press_after_misflip(game: Game, at_ns: int) -> Game:
    """The offender at a table without a judge says that he has put his flips right; the board tells whether he has."""
    correction, last = game.correction, game.last
    if correction is None:
        return game
    right, spoken = _right(game), None
    if game.reads_board and last is not None:
        game, spoken = _spoken(game, at_ns)
        if game.board == last.left:
            spoken = game.board
    wrong = right.differences(spoken) if spoken is not None else 0
    game = with_error(game, correction.incident, ErrorState.OPEN if wrong else ErrorState.CORRECTED)
    if wrong:
        incidents = list(game.incidents)
        incidents[correction.incident] = replace(incidents[correction.incident], squares=wrong)
        game = replace(game, incidents=tuple(incidents))
    return _goes_on(game, spoken or right, correction.offender.other, at_ns)


def mended_after_the_end(game: Game, at_ns: int) -> Game:
    """Discs of the last move that are put right before both have signed count, as before any other commitment.

    A game that was over only by what was wrong in that move goes on: the clock of the player to move runs. Whatever
    else happens to the board then changes nothing: players clear it.
    """
    last, outcome = game.last, game.outcome
    if game.state is not State.FINISHED or last is None or last.left is None or outcome is None:
        return game
    if outcome.reason not in (Reason.BOARD, Reason.DEFAULT) or not open_errors(game):
        return game
    if (game.board.occupied ^ last.right.occupied) & ~(game.board.unknown | last.right.unknown):
        return game
    shown = game.before.with_squares(put_right(game, game.board), last.right)
    if shown == game.shown.known_through(game.before):
        return game
    game = replace(game, shown=shown)
    if shown.over():
        return finish_by_board(game, at_ns)
    clock, signed = game.clock.run(game.to_move, at_ns), Both(False, False)
    return replace(game, state=State.RUNNING, clock=clock, outcome=None, signed=signed)


def rule_dismiss_error(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """There was no error, or it is let stand: the position as it is goes on."""
    if game.correction is not None:
        correction = game.correction
        game = with_error(game, correction.incident, ErrorState.DISMISSED)
        stopped = game.state is State.STOPPED
        lies = game.before
        if game.reads_board and _near(game.board, game.before):
            lies = game.board.known_through(game.before)
        game = _goes_on(game, lies, correction.offender.other, at_ns)
        if stopped and not game.over:
            game = replace(game, state=State.STOPPED, clock=game.clock.run(None, at_ns))
        return game
    standing = open_errors(game)
    if not standing:
        raise RefusedError("no_error_open")
    return with_error(game, standing[0], ErrorState.DISMISSED)


def rule_unintentional_touch(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """The judge holds the touch unintentional (woc-2019 IV.4): the square he touched next binds him, if there is one;
    else nothing does, and nothing is accepted."""
    turn, last = game.turn, game.last
    if turn.touched:
        if turn.touched[1:]:
            return replace(game, turn=replace(turn, touched=turn.touched[1:]))
        for index in turn.accepted:
            game = with_error(game, index, ErrorState.OPEN)
        return replace(game, turn=replace(turn, touched=(), accepted=()))
    for index in open_errors(game):
        if last is not None and game.incidents[index].type.value == ErrorKind.TOUCHED_ELSEWHERE.value:
            game = with_error(game, index, ErrorState.DISMISSED)
            bound = last.touched[1:]
            errors = last.errors
            if bound and bound[0] != last.square:
                kind = ErrorKind.TOUCHED_ELSEWHERE
                game, other = note_error(game, at_ns, kind, last.by, 1 << bound[0])
                errors = (*errors, other)
            return replace(game, last=replace(last, touched=bound, errors=errors))
    raise RefusedError("no_touch")
