"""Moves that are not read: no sensor board, a lost one, or an unreadable turn (rulebooks.md, reading 10).

Presses change the clocks; moves are entered or read later, in their own order. `Game.owed` is the difference.
"""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import ErrorState, Game, Ply, Turn
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.discs import tell_out_of_discs
from flagfall.othello.judging.end import end_if_over, late_end
from flagfall.othello.judging.errors.states import close_errors
from flagfall.othello.reading.last_move import entry_side
from flagfall.othello.reading.lines import lines_to
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side

# Plies that a board coming back is asked to explain; more are entered by the judge.
_DEEPEST = 8


def count_press(game: Game) -> Game:
    """Count a press whose move nobody has read: the clocks change, the move is owed (or had been entered ahead; usoa
    5.7)."""
    game = close_errors(game, ErrorState.ACCEPTED)
    game = replace(game, owed=game.owed + 1, to_move=game.to_move.other, turn=Turn())
    if game.owed > 0:
        game = replace(game, last=None)
        # The board may have shown before this press what it makes of all moves owed.
        return catch_up(game) if game.reads_board else game
    # Moves entered ahead end nothing before their own presses.
    return end_if_over(game) if game.owed == 0 else game


def catch_up(game: Game, in_hand: int = 0) -> Game:
    """Count the moves owed that the board shows, if exactly one line of legal moves leads there.

    The board may report late, one move at a time: it may be older than the last presses. The moves that it shows are
    counted, the others stay owed; more than are owed if presses were forgotten. `in_hand`: plies that may lie there
    before their press.
    """
    line = _line_owed(game, in_hand)
    # Presses are forgotten two by two: who has pressed last has made the last move.
    forgotten = len(line) - game.owed
    if not line or (forgotten > 0 and forgotten % 2):
        return game
    game = replace(game, owed=max(game.owed, len(line)))
    side = entry_side(game)
    for square in line:
        game = _count_known(game, side, square)
        side = side.other
    if game.owed > 0:
        return catch_up(game, in_hand)
    game = replace(game, shown=game.shown.known_through(game.before))
    return late_end(game) if game.before.over() else tell_out_of_discs(game)


def _line_owed(game: Game, in_hand: int) -> tuple[int | None, ...]:
    """Return the only line of at most as many plies as are owed or `in_hand`, or as discs lie there, that leads to the
    board as shown; () if there is none, or perhaps another: squares are unread, and there is too much to search.

    It ends with a move, since a pass after that may still be made; a pass alone is one where nothing else is
    possible.
    """
    black = game.plays_black(entry_side(game))
    new = game.shown.discs_on(game.before.empty)
    most = game.owed + in_hand
    if new.bit_count() > most:
        # Presses were forgotten, perhaps those of passes too.
        most = new.bit_count() + 2
        if most > _DEEPEST:
            return ()
    if most > _DEEPEST:
        if game.shown.unknown & game.before.empty:
            return ()
        most = _DEEPEST
    lines: list[tuple[int | None, ...]] = []
    for plies in range(max(1, new.bit_count()), most + 1):
        more = lines_to(game.before, black, game.shown, plies)
        if more is None:
            return ()
        lines += [line for line in more if line[-1] is not None or plies == 1]
    return lines[0] if len(lines) == 1 else ()


def _count_known(game: Game, side: Side, square: int | None) -> Game:
    """Count one ply that is now known."""
    game = close_errors(game, ErrorState.ACCEPTED)
    game = replace(game, owed=game.owed - 1)
    if square is None:
        return replace(game, last=Ply(side, None, game.before, game.before))
    right = game.before.played(game.plays_black(side), square)
    return replace(
        game,
        last=Ply(side, square, game.before, right, reversed_before=game.colours_reversed),
        before=right,
        moves=(*game.moves, square),
        trays=game.trays.with_(side, game.trays.of(side) - 1),
    )


def rule_enter_move(game: Game, ruling: Ruling) -> Game:
    """Enter the next move of a game that no sensors read. It may lag behind the presses, and then
    show that a game lost on time was over before."""
    if game.reads_board and game.owed <= 0:
        raise RefusedError("board_reads")
    if game.correction is not None:
        raise RefusedError("correcting")
    if game.over and not (game.owed > 0 and game.ended_by(Reason.SECOND_FLAG)):
        raise RefusedError("is_finished")
    side = entry_side(game)
    legal = game.legal(side)
    if ruling.passes:
        if legal:
            raise RefusedError("can_move", player=side)
        game = _count_known(game, side, None)
    elif ruling.square is None or not legal >> ruling.square & 1:
        raise RefusedError("not_legal", player=side)
    else:
        game = _count_known(game, side, ruling.square)
    game = replace(game, shown=game.before)
    if game.owed >= 0 and game.before.over():
        return late_end(game)
    return tell_out_of_discs(game) if game.owed <= 0 and not game.over else game
