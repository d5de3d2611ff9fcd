"""Moves counted as they were read, with whatever is wrong in them on record (usoa 3.1 to 3.5)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import FULL
from flagfall.othello.game import Game, Ply, Turn
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.errors.acceptance import accept, accepted_types
from flagfall.othello.judging.errors.out_of_turn import charge_out_of_turn
from flagfall.othello.judging.errors.states import note_error
from flagfall.othello.judging.flags.confirmed import moved_on
from flagfall.othello.judging.opponents_time import with_answer
from flagfall.othello.judging.passing import count_pass
from flagfall.othello.judging.start_position import still_astray
from flagfall.othello.reading.discs import Reading
from flagfall.othello.reading.plies import another_disc, changed_in, mended_by_hand, second_move, unfinished
from flagfall.othello.reading.turn import answers_wrong_colour, interrupted_by, moved_out_of_turn, read
from flagfall.othello.side import Side


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
        goes_on = reading.followed or (game.to_move is not by and another_disc(game, reading))
        if reading.undecided:
            return game
        if game.to_move is by or goes_on:
            continue
        if not answers and not (pressed and reading.line and reading.left.over()):
            return game
        if not pressed and unfinished(reading, game.plays_black(game.to_move)):
            return game


def count_ply(game: Game, reading: Reading) -> Game:
    """Count the move or pass of the player to move alone (usoa 3.4, 3.5)."""
    by = game.to_move
    if reading.square is None:
        return still_astray(count_pass(game, by, reading))
    return still_astray(_move(moved_on(game, by), by, reading.square, reading))


def _move(game: Game, by: Side, square: int, reading: Reading) -> Game:
    """Count the move to `square`, with its errors on record."""
    reversed_before, black, left = game.colours_reversed, game.plays_black(by), reading.left
    wrong_colour = bool(left.discs(not black) >> square & 1)
    if reading.base == interrupted_by(game) and (theirs := moved_out_of_turn(game, reading.base)) is not None:
        game = charge_out_of_turn(game, theirs, reading.base)
    mended = mended_by_hand(game, reading, black != wrong_colour, square)
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
    his = FULL if left == turn.pressed_on else changed_in(game, turn, square)
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
        if second := second_move(game, right, left, wrong, black=black):
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
        accepted=accepted_types(game, closed),
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
    return with_answer(game, reading, turn, turn.laid[1:])
