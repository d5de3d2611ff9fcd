"""Moves and passes counted as they were read, with whatever is wrong in them on record."""

from __future__ import annotations

from flagfall.othello.board import FULL, Position
from flagfall.othello.game import ErrorState, Game, IncidentType, Ply, Turn
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.reading import (
    Reading,
    answers_wrong_colour,
    interrupted_by,
    moved_out_of_turn,
    read,
)
from flagfall.othello.judging.record import accept, charge_out_of_turn, note_error, put_right
from flagfall.othello.judging.starting import still_astray
from flagfall.othello.side import Side
from flagfall.othello.value import replace


def count_turn(game: Game, reading: Reading) -> Game:
    """Count the turn that was read, for a press of the player to move: their move, and where a press was forgotten
    before it all that was made until then.

    Whoever moves again has accepted what the opponent made in between (woc-2019 IV.5.2). An answer after their last
    move waits for a press of its own, unless the text allows it (usoa 5.9). Under that text it waits while flips are
    missing: a hand may be at it still. An answer that ends the game waits for none if its player has pressed after it.
    """
    by, answers = game.to_move, game.rules.opponents_time == "allowed"
    pressed = game.turn.pressed_on == game.shown
    goes_on = reading.followed
    while True:
        game = count_ply(game, reading)
        if not goes_on:
            return game
        # A line explains all that lies there: nothing of it is read anew.
        reading = reading.rest() if reading.line else read(game)
        goes_on = reading.followed or (game.to_move is not by and _another_disc(game, reading))
        if reading.undecided:
            return game
        if game.to_move is by or goes_on:
            continue
        if not answers and not (pressed and reading.line and reading.left.over()):
            return game
        if not pressed and _unfinished(reading, game.plays_black(game.to_move)):
            return game


def _another_disc(game: Game, reading: Reading) -> bool:
    """Tell whether a disc of the other player lies beside this whole move: they have moved again, wherever it lies."""
    black = game.plays_black(game.to_move)
    return reading.whole(black) and bool(game.shown.discs(not black) & reading.left.empty)


def _unfinished(reading: Reading, black: bool) -> bool:
    """Tell whether nothing lies wrong after the last of the moves but discs that it has still to flip."""
    base, square = reading.base, reading.square
    if square is None or reading.early is not None or not reading.left.discs(black) >> square & 1:
        return False
    flips = base.flips(black, square)
    wrong = base.played(black, square).differences(reading.left) if flips else 0
    return bool(wrong) and not wrong & ~flips


def count_ply(game: Game, reading: Reading) -> Game:
    """Count the move or pass of the player to move alone."""
    by = game.to_move
    if reading.square is None:
        return still_astray(_pass(game, by, reading))
    return still_astray(_move(moved_on(game, by), by, reading.square, reading))


def moved_on(game: Game, by: Side) -> Game:
    """Record that `by` has moved: a fallen flag of the other that nobody has noticed stays unnoticed (usoa 6.4)."""
    other = by.other
    if not game.unconfirmed.of(other) or game.noticed.of(other) is not None:
        return game
    return replace(game, noticed=game.noticed.with_(other, False))


def _pass(game: Game, by: Side, reading: Reading) -> Game:
    """Count a pass. It is an error if the player had a move on the board as it lies (usoa 3.6)."""
    left = reading.left
    game, closed = accept(game, reading.base, put_right(game, left))
    legal, wrong = game.legal(by), game.before.differences(left)
    errors: tuple[int, ...] = ()
    if legal or wrong:
        kind = ErrorKind.ILLEGAL_PASS if legal else ErrorKind.MISFLIP
        game, index = note_error(game, kind, by, legal or wrong)
        errors = (index,)
    ply = Ply(
        by,
        None,
        game.before,
        right=game.before,
        errors=errors,
        accepted=_accepted(game, closed),
        touched=game.turn.binding,
        left=game.board,
        reversed_before=game.colours_reversed,
    )
    before = left.known_through(game.before)
    # What the board shows apart from a corrected position lies there for the next mover too.
    lay = game.board if game.reads_board and game.board.differences(before) & ~left.unknown else None
    turn = game.turn
    game = replace(game, last=ply, before=before, to_move=by.other, turn=Turn(lay=lay))
    # No disc is the pass's own: each that came down before its press is the opponent's.
    return _with_answer(game, reading, turn, turn.laid)


def _move(game: Game, by: Side, square: int, reading: Reading) -> Game:
    """Count the move to `square`, with its errors on record."""
    reversed_before, black, left = game.colours_reversed, game.plays_black(by), reading.left
    wrong_colour = bool(left.discs(not black) >> square & 1)
    if reading.base == interrupted_by(game) and (theirs := moved_out_of_turn(game, reading.base)) is not None:
        game = charge_out_of_turn(game, theirs, reading.base)
    mended = _mended_by_hand(game, reading, black != wrong_colour, square)
    game, closed = accept(game, reading.base, mended)
    # Both improper moves must stand, as they were made (usoa 7.3).
    stands = wrong_colour and answers_wrong_colour(game)
    if stands:
        game = replace(game, colours_reversed=not game.colours_reversed)
        wrong_colour = False
    legal = bool(game.legal(by) >> square & 1)
    right = game.before.played(game.plays_black(by), square) if legal else game.before
    turn, faults = game.turn, list[tuple[ErrorKind, int]]()
    # What lay there at his own press is his.
    his = FULL if left == turn.pressed_on else _changed_in(game, turn, square)
    if stands or not his >> square & 1:
        right = left.known_through(right)
    elif wrong_colour:
        faults.append((ErrorKind.WRONG_COLOUR, 1 << square))
    elif not legal:
        faults.append((ErrorKind.ILLEGAL_MOVE, 1 << square))
    else:
        if turn.commit not in (None, square) and game.legal(by) >> turn.commit & 1:
            faults.append((ErrorKind.TOUCHED_ELSEWHERE, 1 << turn.commit))
        wrong = right.differences(left) & his
        if second := _second_move(game, right, left, wrong, black=black):
            faults.append((ErrorKind.OUT_OF_TURN, second))
        elif wrong:
            faults.append((ErrorKind.MISFLIP, wrong))
    errors: list[int] = []
    for kind, squares in faults:
        game, index = note_error(game, kind, by, squares)
        errors.append(index)
    binds_now = wrong_colour and legal and turn.commit is None
    ply = Ply(
        by,
        square,
        game.before,
        right=right,
        errors=tuple(errors),
        accepted=_accepted(game, closed),
        touched=(square,) if binds_now else turn.binding,
        left=game.board,
        reversed_before=reversed_before,
        wrong_colour=wrong_colour,
    )
    game = replace(
        game,
        last=ply,
        before=left.known_through(right),
        to_move=by.other,
        turn=Turn(),
        moves=(*game.moves, square),
        trays=game.trays.with_(by, game.trays.of(by) - 1),
    )
    return _with_answer(game, reading, turn, turn.laid[1:])


def _second_move(game: Game, right: Position, left: Position, wrong: int, *, black: bool) -> int:
    """Return the square of a second move of the same player, as a set, if that is all that lies wrong after the first
    and the rulebook calls it a move out of turn (jof J5)."""
    second = left.discs_on(right.empty)
    if game.rules.out_of_turn == "reported" or not second or second & (second - 1):
        return 0
    flips = right.flips(black, second.bit_length() - 1)
    return second if flips and second & left.discs(black) and not wrong & ~(second | flips) else 0


def _changed_in(game: Game, turn: Turn, square: int) -> int:
    """Return the squares that this turn can have left wrong. Where more than an answer lay there when the turn began,
    those squares were left so in the other player's turn."""
    last = game.last
    if last is None or last.left is None or not turn.lay_before & ~(1 << square):
        return FULL
    return last.left.differences(game.shown)


def _mended_by_hand(game: Game, reading: Reading, black: bool, square: int) -> int:
    """Return the squares of the last move that were put right by hand before this move to `square`, not by its flips.
    `black`: the colour that the disc plays."""
    flipped = reading.base.flips(black, square)
    mended = 0 if reading.exact else put_right(game, reading.left) & ~flipped
    if not mended or game.last is None or not flipped:
        return mended
    # A move that was legal on the board as it lay is none the less so.
    right_there = reading.base.with_squares(mended, game.last.right)
    there, here = (
        position.played(black, square).differences(reading.left).bit_count()
        for position in (right_there, reading.base)
    )
    return mended if right_there.flips(black, square) and there <= here else 0


def _accepted(game: Game, closed: tuple[int, ...]) -> tuple[IncidentType, ...]:
    """Return the types of the errors that the turn's touches and its move have accepted."""
    errors = (game.incidents[index] for index in (*game.turn.accepted, *closed))
    return tuple(error.type for error in errors if error.state is ErrorState.ACCEPTED)


def _with_answer(game: Game, reading: Reading, before: Turn, laid: tuple[Position, ...]) -> Game:
    """Carry over what the opponent did in the turn before, until the press: it commits them from now on
    (rulebooks.md, 14)."""
    if any((board.occupied & game.before.empty).bit_count() != n for n, board in enumerate(laid, 1)):
        laid = ()
    lying = game.shown.discs_on(game.before.empty)
    placed = tuple(square for square in before.placed if lying >> square & 1)
    if reading.doubtful:
        lies = game.shown.known_through(game.before)
        return replace(game, turn=Turn(lay=lies, doubtful=reading.doubtful))
    lay_before = lying & ~before.lay_before
    if reading.early is None:
        turn = replace(game.turn, laid=laid, placed=placed, lay_before=lay_before)
        return replace(game, turn=turn) if laid else game
    commit = before.early_commit if before.early_commit is not None else reading.early
    legal = bool(game.legal(game.to_move) >> commit & 1)
    accepted: tuple[int, ...] = ()
    if legal:
        game, accepted = accept(game, game.before)
    return replace(
        game,
        turn=Turn(
            touched=(commit,) if legal else (),
            disc_down=reading.early,
            placed=placed,
            laid=laid,
            lay_before=lay_before,
            accepted=accepted,
            pressed_on=before.pressed_on,
        ),
    )
