"""The kinds of errors in a move, and how each is put right."""

from __future__ import annotations

from flagfall.othello.game import Game, IncidentType
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.refusals import RefusedError
from flagfall.othello.rulebook import Rulebook

# Errors that are taken back whole: the offender must then move (rulebooks.md, reading 12).
MOVES_AGAIN = frozenset(
    {ErrorKind.ILLEGAL_MOVE, ErrorKind.WRONG_COLOUR, ErrorKind.ILLEGAL_PASS, ErrorKind.TOUCHED_ELSEWHERE}
)


# Errors that are put right on the board: the move stands, and the opponent is next.
PUT_RIGHT = frozenset({IncidentType.MISFLIP, IncidentType.OUT_OF_TURN})


def error_kinds(rules: Rulebook) -> tuple[ErrorKind, ...]:
    """Return the errors that can be put right under this rulebook."""
    left_out = {ErrorKind.OUT_OF_TURN} if rules.out_of_turn == "reported" else set()
    return tuple(kind for kind in ErrorKind if kind not in left_out)


def must_be_error(game: Game, kind: ErrorKind | None) -> None:
    """Raise RefusedError where the rulebook knows no such error."""
    if kind is not None and kind not in error_kinds(game.rules):
        raise RefusedError("no_error_here", rulebook=game.rules.id)
