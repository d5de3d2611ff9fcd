"""The turn in hand as the board of a game shows it, and the order in which its discs came down."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position, squares_of
from flagfall.othello.game import Game
from flagfall.othello.reading.discs import Reading, legal_reading, read_turn
from flagfall.othello.reading.last_move import put_right
from flagfall.othello.reading.lines import line_to


def read(game: Game, shown: Position | None = None) -> Reading:
    """Return the turn as the board shows it: from how it lay, from the turn's beginning, or with the last move
    mended."""
    turn, shown = game.turn, game.shown if shown is None else shown
    # Without `began` a disc turned over after his touch, and put back since, would be his misflip.
    bases = [base for base in (turn.lay, game.before, turn.began) if base is not None]
    mended = put_right(game, shown)
    if mended and game.last is not None:
        bases.append(game.before.with_squares(mended, game.last.right))
    if astray := _left_lying(game, shown):
        bases = [base.with_squares(astray, shown) for base in bases]
    if game.start_to_mend:
        bases.append(game.before.with_squares(game.start_to_mend, game.start))
    if moved_out_of_turn(game, shown) is not None:
        return Reading(game.lies, shown)
    if (interrupted := interrupted_by(game)) is not None:
        bases.append(interrupted)
    first = turn.binding[:1] if turn.disc_down is None else (turn.disc_down,)
    unique = tuple(dict.fromkeys(bases))
    order = (*first, *turn.placed)
    black = game.plays_black(game.to_move)
    seen = _seen(game, shown)
    reading = read_turn(unique, shown, black, order, lifted=turn.lifted, seen=seen)
    lying = game.start_to_mend & ~game.start.occupied & shown.occupied
    if not reading.line and reading.square is not None and lying >> reading.square & 1:
        # A disc too many at the start is no move, unless all is flipped for it, or there is no other board.
        unique = tuple(base for base in unique if base != bases[-1]) or unique
        reading = read_turn(unique, shown, black, order, lifted=turn.lifted, seen=seen)
    whole_move = reading.exact and reading.square is not None
    if reading.base == turn.began and reading.square not in turn.touched and not whole_move:
        # His touch of another square has accepted the board as it lay then (woc-2019 IV.5.2).
        reading = read_turn((game.before,), shown, black, order, lifted=turn.lifted)
    if reading.square is None and reading.early is not None and answers_wrong_colour(game):
        # Not the opponent's answer to a pass: the player goes on with the colour left to him (usoa 7.3).
        return Reading(reading.base, shown, reading.early, exact=reading.exact)
    if reading.line:
        return reading
    if missing := game.start_to_mend & game.start.occupied & shown.empty:
        # Whoever moves as if the disc that is missing lay there is not accused of it.
        line = line_to(bases[-1], black, shown.unknown_at(missing), order)
        if line:
            return legal_reading(bases[-1], black, line)
    if answered := _answered(game, unique, shown):
        return answered
    reversed_colours = None if reading.whole(black) else _with_colours_reversed(game, unique, shown, order)
    return reversed_colours or reading


def _seen(game: Game, shown: Position) -> tuple[int, ...]:
    """Return the squares of the new discs in the order in which they were seen to come down, one by one, as far as that
    is certain. It begins with a disc of the mover's colour that lay alone: the turn began with it."""
    free = game.before.empty & ~_left_lying(game, shown)
    squares: list[int] = []
    taken = 0
    for board in game.turn.laid:
        discs = board.discs_on(free)
        new = discs & ~taken
        if taken & ~discs or not new & shown.occupied or new & (new - 1):
            break
        if not squares and not new & board.discs(game.plays_black(game.to_move)):
            break
        squares.append(new.bit_length() - 1)
        taken = discs
    return tuple(squares)


def _with_colours_reversed(
    game: Game, bases: tuple[Position, ...], shown: Position, order: tuple[int, ...]
) -> Reading | None:
    """Read a disc of the improper colour to which the opponent answered with another before the press (usoa 5.9,
    7.3)."""
    if not game.rules.twice_wrong_reverses:
        return None
    black = not game.plays_black(game.to_move)
    for base in bases:
        line = line_to(base, black, shown, order)
        if len(line) > 1 and None not in line[:2]:
            return legal_reading(base, black, line)
    return None


def _answered(game: Game, bases: tuple[Position, ...], shown: Position) -> Reading | None:
    """Read a turn in which the mover's disc lay alone when another came down.

    A disc of the opponent's colour is an answer if it is legal on the board as it lay and discs were flipped for it,
    even after a move that was not complete: later errors are not the mover's. Other discs of the turn are the mover's
    (woc-2019 IV.3); beside a whole move, while the opponent has one too, those of the opponent are doubtful. Discs
    that lay there before the turn began wait for the player in whose turn they were laid.
    """
    if not game.turn.laid:
        return None
    lone, following, *later = (*game.turn.laid, shown)
    black = game.plays_black(game.to_move)
    move = read_turn(bases, lone, black, lifted=game.turn.lifted)
    new = following.discs_on(lone.empty)
    if move.square is None or shown.empty >> move.square & 1 or not new or new & (new - 1):
        return None
    square, theirs = new.bit_length() - 1, bool(new & following.discs(not black))
    answered = move.line and lone.legal(not black)
    whole = not lone.played(black != theirs, square).differences(following)
    answer = square if theirs and lone.legal(not black) & new else None
    flipped = answer is not None and lone.flips(not black, square) & following.discs(not black)
    # Whoever presses once their disc is down has moved, whatever was flipped; so have they if the mover goes on.
    pressed_on = game.turn.pressed_on
    pressed = answer is not None and pressed_on is not None and bool(new & pressed_on.discs(not black))
    goes_on = bool(later) and bool(later[0].discs_on(following.empty) & later[0].discs(black))
    if new & game.turn.lay_before:
        if (answered and (theirs or whole)) or answer is not None:
            return Reading(move.base, lone, move.square, answer, exact=move.exact)
    elif pressed or (flipped and (answered or whole or goes_on)):
        return Reading(move.base, lone, move.square, answer, exact=move.exact)
    others = shown.discs_on(lone.empty)
    if answered and not others & shown.discs(black) and not lone.differences(shown.without(others)):
        return Reading(move.base, lone, move.square, exact=move.exact, doubtful=others)
    return None


def moved_out_of_turn(game: Game, shown: Position) -> int | None:
    """Return the square of the only new disc if the opponent has moved there on the time of the player to move, where
    the rulebook lets that be put right (jof J5).

    A disc alone could be one of the mover's, the wrong way up: the opponent has begun to flip for it, or no move of
    the mover's is possible there.
    """
    if game.rules.out_of_turn == "reported" or not game.reads_board or game.owed:
        return None
    black = game.plays_black(game.to_move)
    for base in (game.lies,) if game.turn.while_stopped else (game.lies, game.before):
        legal, new = base.legal(black), shown.discs_on(base.empty)
        if not legal or not new or new & (new - 1) or not new & shown.discs(not black):
            continue
        square = new.bit_length() - 1
        flips, turned = base.flips(not black, square), base.differences(shown) & ~new
        if flips and not turned & ~flips and (turned or not legal & new):
            return square
    return None


def interrupted_by(game: Game) -> Position | None:
    """Return the board with the opponent's move out of turn, if that lay there before any disc of the mover's."""
    lone = next(iter(game.turn.laid), None)
    return lone if lone is not None and moved_out_of_turn(game, lone) is not None else None


def _left_lying(game: Game, shown: Position) -> int:
    """Return doubtful discs that lie there still and for which the mover has flipped nothing: no move of theirs."""
    doubtful, last = game.turn.doubtful & shown.occupied, game.last
    if not doubtful or last is None or last.left is None:
        return 0
    black = game.plays_black(game.to_move)
    # What came down since may have turned over again what he flipped.
    boards = (shown, *game.turn.laid[:1])
    turned = [last.left.differences(board) & board.discs(black) for board in boards]
    taken_up = sum(
        1 << square
        for square in squares_of(doubtful)
        if any(game.before.flips(black, square) & flips for flips in turned)
    )
    return doubtful & ~taken_up


def answers_wrong_colour(game: Game) -> bool:
    """Tell whether the move before was of the improper colour and stands; another such reverses the colours (usoa
    7.3)."""
    last = game.last
    return (
        game.rules.twice_wrong_reverses
        and last is not None
        and last.wrong_colour
        and last.by is not game.to_move
    )


def see_disc(game: Game) -> Game:
    """Record where the new discs lie now, and in which order they came down."""
    if not game.reads_board or game.owed or game.over:
        return game
    settled = game.shown.without(game.turn.dropped)
    reading = read(game, settled)
    down, laid = reading.square, game.turn.laid
    discs = settled.discs_on(game.before.empty & ~_left_lying(game, settled))
    others = max(0, discs.bit_count() - 1)
    laid = (*laid[:others], settled) if discs and len(laid) >= others else laid[:others]
    placed = tuple(square for square in game.turn.placed if discs >> square & 1)
    placed += tuple(square for square in squares_of(discs) if square not in placed)
    if (down, placed, laid) == (game.turn.disc_down, game.turn.placed, game.turn.laid):
        return game
    return replace(game, turn=replace(game.turn, disc_down=down, placed=placed, laid=laid))
