"""What the board shows of the turn in hand: read from every position that the turn may have begun with."""

from __future__ import annotations

from othello.board import Position, squares_of
from othello.game import Game
from othello.judging.reading import Reading, read_turn
from othello.judging.record import put_right
from othello.value import replace


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
    return reading if reading.line else _answered(game, shown) or reading


def _answered(game: Game, shown: Position) -> Reading | None:
    """The mover's move lay there complete before an answer came down: what is wrong since then is not his."""
    if game.turn.whole is None:
        return None
    (base, square), black = game.turn.whole, game.plays_black(game.to_move)
    left = base.played(black, square)
    new = (shown.black | shown.white) & left.empty
    answer = new & shown.discs(not black) & left.legal(not black)
    if not answer or answer != new or answer & (answer - 1) or shown.empty >> square & 1:
        return None
    return Reading(base, square, answer.bit_length() - 1, reach=left.differences(shown), exact=True)


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
    reading = read(game, settled)
    down, whole = reading.square, game.turn.whole
    discs = (settled.black | settled.white) & game.before.empty
    if discs & (discs - 1) == 0:
        whole = (reading.base, down) if down is not None and len(reading.line) == 1 else None
    placed = tuple(square for square in game.turn.placed if discs >> square & 1)
    placed += tuple(square for square in squares_of(discs) if square not in placed)
    if (down, placed, whole) == (game.turn.disc_down, game.turn.placed, game.turn.whole):
        return game
    return replace(game, turn=replace(game.turn, disc_down=down, placed=placed, whole=whole))
