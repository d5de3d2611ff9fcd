"""The record of incidents, and the state of errors in it."""

from __future__ import annotations

from flagfall.othello.board import Position
from flagfall.othello.game import ErrorState, Game, Incident, IncidentType, Ply, Turn
from flagfall.othello.inputs import TYPE_NAMES, ByPlayer, ErrorKind, Input, Ruling
from flagfall.othello.message import Message
from flagfall.othello.refusals import RefusedError
from flagfall.othello.rulebook import Rulebook
from flagfall.othello.side import Side
from flagfall.othello.value import replace

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


def note(game: Game, incident: Incident) -> Game:
    return replace(game, incidents=game.incidents.and_one(incident))


def refused(game: Game, entry: Input, why: Message) -> Game:
    """Return the game with the refusal on record."""
    rule = entry.rule if isinstance(entry, Ruling) else None
    by = entry.by if isinstance(entry, ByPlayer) else None
    named = TYPE_NAMES[type(entry)]
    return note(game, Incident(game.at_ns, IncidentType.REFUSED, by, input=named, rule=rule, why=why))


def note_error(game: Game, kind: ErrorKind, by: Side, squares: int) -> tuple[Game, int]:
    """Record an error as open; also return its index."""
    noted = note(game, Incident(game.at_ns, IncidentType(kind), game.timed(by), squares, ErrorState.OPEN))
    return noted, len(game.incidents)


def with_error(game: Game, index: int, state: ErrorState, squares: int = 0) -> Game:
    """Return the game with one error's state changed, and its squares if there are any."""
    error = game.incidents[index]
    error = replace(error, state=state, squares=squares or error.squares)
    named, was = (error.type, error.by), game.accepted.get((error.type, error.by), 0)
    accepted = was | error.squares if state is ErrorState.ACCEPTED else was & ~error.squares
    return replace(
        game,
        incidents=game.incidents.with_(index, error),
        accepted=game.accepted if accepted == was else {**game.accepted, named: accepted},
    )


def open_errors(game: Game) -> tuple[int, ...]:
    """Return the indices of the errors in the last move that still can be put right."""
    if game.last is None:
        return ()
    return tuple(i for i in game.last.errors if game.incidents[i].state is ErrorState.OPEN)


def close_errors(game: Game, state: ErrorState) -> Game:
    """Give all open errors of the last move this state."""
    for index in open_errors(game):
        game = with_error(game, index, state)
    return game


def _left_wrong(game: Game) -> int:
    """Return the squares that the last move left wrong, while its errors are open."""
    return game.before.differences(game.last.right) if game.last is not None and open_errors(game) else 0


def put_right(game: Game, lies: Position) -> int:
    """Return the squares that the last move left wrong and that are right in `lies`."""
    wrong = _left_wrong(game)
    return wrong & ~(lies.differences(game.last.right) | lies.unknown) if game.last is not None else 0


def accept(game: Game, lies: Position, mended: int = 0) -> tuple[Game, tuple[int, ...]]:
    """Accept the board as it lies by the next commitment (woc-2019 IV.5.2, usoa 7.1); also return the errors closed.

    Squares that somebody has put right before it, without any procedure, are right (`mended`: squares known to be,
    beside those of `lies`), and nobody is accused of them later. Any other change is on record without a culprit.
    """
    closed, wrong = open_errors(game), _left_wrong(game)
    mended = put_right(game, lies) | (mended & wrong)
    for index in closed:
        right = mended == wrong and game.incidents[index].type in PUT_RIGHT
        game = with_error(game, index, ErrorState.CORRECTED if right else ErrorState.ACCEPTED)
    if game.last is not None:
        lies = lies.with_squares(mended, game.last.right)
    game = note_disturbed(game, game.before.differences(lies) & ~mended)
    return replace(game, before=lies.known_through(game.before)), closed


def note_disturbed(game: Game, squares: int) -> Game:
    """Record discs that changed in nobody's move, without a culprit; before the first move it is the start."""
    squares &= ~game.start_to_mend
    begins = game.last is None and not game.has_moved and game.before == game.start
    kind = (
        IncidentType.WRONG_START if begins and not squares & ~game.start.occupied else IncidentType.DISTURBED
    )
    return note(game, Incident(game.at_ns, kind, None, squares)) if squares else game


def charge_doubtful(game: Game) -> Game:
    """Charge discs that came down beside the last move to the player who pressed, once somebody speaks of them."""
    last, squares = game.last, game.turn.doubtful & game.board.occupied
    if last is None or not squares:
        return game
    game, index = note_error(game, ErrorKind.MISFLIP, last.by, squares)
    return replace(
        game,
        before=game.before.with_squares(squares, game.board),
        last=replace(last, errors=(*last.errors, index)),
        turn=replace(game.turn, doubtful=0),
    )


def charge_out_of_turn(game: Game, square: int, lies: Position) -> Game:
    """Charge the opponent of the player to move with a move to this square out of turn (jof J5). Its touch was theirs;
    the player to move stays bound by any other."""
    by, turn, last = game.to_move.other, game.turn, game.last
    if turn.touched and not set(turn.touched) - {square}:
        for index in turn.accepted:
            game = with_error(game, index, ErrorState.OPEN)
    last = Ply(by, None, game.before, game.before) if last is None else last
    right = last.right if open_errors(game) else game.before
    game, index = note_error(game, ErrorKind.OUT_OF_TURN, by, 1 << square)
    return replace(
        game,
        before=lies.known_through(game.before),
        last=replace(last, right=right, errors=(*last.errors, index), left=lies),
        turn=Turn(bound=tuple(other for other in turn.binding if other != square), dropped=turn.dropped),
    )


def as_it_lies(game: Game) -> Game:
    """Accept squares that changed while the clocks stood as nobody's move. Earlier changes may be flips of the move
    in hand; an error of the last move stays open in the squares that it left wrong."""
    turn = game.turn
    in_hand = turn.disc_down is not None and not turn.while_stopped >> turn.disc_down & 1
    if turn.lay is None or in_hand or turn.touched:
        return game
    changed = game.before.differences(turn.lay) & turn.while_stopped & ~_left_wrong(game)
    return replace(note_disturbed(game, changed), before=game.before.with_squares(changed, turn.lay))
