"""The start position, compared whole: a disc that lies wrong in it is charged to neither player (woc-2019 I.4.5, usoa
2.1)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import Game, Incident, IncidentType
from flagfall.othello.judging.incidents import note


def set_up(game: Game) -> Game:
    """Let the game begin with the board as it lies at the director's signal (woc-2019 I.4.5, usoa 2.1). Later discs can
    go, and wrong ones be put right, or set up anew: a disc that comes down then may be Black's move."""
    shown, start = game.shown, game.start
    if not game.armed:
        return replace(game, before=shown.known_through(start))
    if shown.occupied == start.occupied and not shown.unknown:
        return replace(game, before=shown)
    put = start.differences(game.before) & ~(start.differences(shown) | shown.unknown)
    put |= start.occupied & game.before.empty & shown.occupied
    before = game.before.with_squares(put, start).without(start.occupied & shown.empty)
    return replace(game, before=before)


def from_here(game: Game, board: Position) -> Game:
    """Let the game begin over this board; a board that is not the start position is on record (woc-2019 I.4.5, usoa
    2.1)."""
    wrong = game.start.differences(board)
    game = replace(game, before=board, astray=wrong)
    return note(game, Incident(game.at_ns, IncidentType.WRONG_START, squares=wrong)) if wrong else game


def put_back(game: Game) -> Game:
    """Return the game with discs too many at the start taken off and missing ones laid down, as far as the board shows
    it now (woc-2019 I.4.5). Discs turned over may be flips of the move in hand."""
    shown, black = game.shown, game.plays_black(game.to_move)
    put = game.astray & ~(game.start.differences(shown) | shown.unknown)
    put &= game.start.occupied ^ game.before.occupied
    put &= ~(game.lies.legal(black) & game.start.discs(black))
    if not put:
        return game
    turn, last = game.turn, game.last
    return replace(
        game,
        astray=game.astray & ~put,
        before=game.before.with_squares(put, game.start),
        turn=replace(
            turn,
            lay=turn.lay and turn.lay.with_squares(put, game.start),
            began=turn.began and turn.began.with_squares(put, game.start),
        ),
        last=last and replace(last, right=last.right.with_squares(put, game.start)),
    )


def still_astray(game: Game) -> Game:
    """Keep a disc missing for the next player too, after a move that was made as if it lay there (woc-2019 I.4.5)."""
    missing = game.astray & game.start.occupied & game.shown.empty & game.before.occupied
    if not missing or game.turn.lay is not None:
        return game
    return replace(game, turn=replace(game.turn, lay=game.before.with_squares(missing, game.shown)))
