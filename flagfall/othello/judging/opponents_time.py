"""Moves made on the opponent's time (woc-2019 IV.4, usoa 5.9)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import Game, Incident, IncidentType, State, Turn
from flagfall.othello.judging.errors.acceptance import accept
from flagfall.othello.judging.incidents import note
from flagfall.othello.reading.discs import Reading
from flagfall.othello.reading.turn import read


def see_early(game: Game, uncertain_ns: int = 0) -> Game:
    """Report each move made on the opponent's time where the text forbids it or is silent (woc-2019 IV.4), as soon as
    it is certain: a disc whose instant is not known well enough may have come after the press."""
    if game.rules.opponents_time == "allowed" or game.phase is not State.RUNNING:
        return game
    turn = game.turn
    known = turn.early_told | turn.lay_before
    square = next((square for square in read(game).answers if not known >> square & 1), None)
    if square is None:
        return game if turn.early_by_ns is None else replace(game, turn=replace(turn, early_by_ns=None))
    by_ns = game.at_ns + uncertain_ns if turn.early_by_ns is None else turn.early_by_ns
    if game.at_ns < by_ns:
        return replace(game, turn=replace(turn, early_by_ns=by_ns))
    squares = 1 << square
    game = note(game, Incident(game.at_ns, IncidentType.MOVED_ON_OPPONENTS_TIME, game.to_move.other, squares))
    return replace(game, turn=replace(turn, early_told=turn.early_told | squares, early_by_ns=None))


def with_answer(game: Game, reading: Reading, before: Turn, laid: tuple[Position, ...]) -> Game:
    """Carry over what the opponent did in the turn before, until the press: it commits them from now on (rulebooks.md,
    14; usoa 5.9)."""
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
