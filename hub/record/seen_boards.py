"""Boards at the end of a game as somebody photographed them: what they count, and whether the moves on record lead to
them.
"""

from __future__ import annotations

from collections.abc import Iterator

from flagfall.othello.board import Position, parse_position, parse_transcript, square_names, stages
from flagfall.othello.judging.score import settled
from flagfall.othello.rulebook import Rulebook
from hub.model.games import BoardSeen, Game, Score
from hub.text import Refused

SQUARES = 64
# Where Black sat as the picture shows the board, and how many quarters it is turned against the clock so that a1, at
# Black's far left, is its first square.
BLACK_SAT = {"below": 0, "left": 1, "above": 2, "right": 3}
_MOST_NAMED = 8


def read_squares(squares: str) -> Position:
    """Return the position of 64 characters as a form has them. Raise Refused if they are none."""
    if len(squares) != SQUARES or set(squares) - set("XO-?"):
        raise Refused("This board is not whole. Take another picture.", field="board")
    return parse_position(squares)


def board_seen(squares: str, black_sat: str) -> BoardSeen:
    """Return the board of a picture, turned so that it begins at a1 if somebody says where Black sat."""
    if black_sat not in BLACK_SAT:
        return BoardSeen(squares)
    return BoardSeen(_turned(squares, BLACK_SAT[black_sat]), from_a1=True)


def _turned(squares: str, quarters: int) -> str:
    """Return the squares of the board turned against the clock."""
    for _ in range(quarters):
        squares = "".join(squares[8 * row + column] for column in range(7, -1, -1) for row in range(8))
    return squares


def expect_end(squares: str) -> Position:
    """Return the position at the end of a game. Raise Refused if a square is not known, or somebody can still move: a
    board in play is counted for nobody."""
    position = read_squares(squares)
    if position.unknown:
        raise Refused("Tap each ? until it shows what lies there.", field="board")
    if not position.over():
        raise Refused(
            "Somebody can still move on this board. Check its squares, or say how the game ended.",
            field="board",
        )
    return position


def counted(position: Position, law: Rulebook) -> Score:
    """Return the score of a board that ended the game, Black's first, with the empty squares as the rulebook gives
    them."""
    return settled((position.black.bit_count(), position.white.bit_count()), law)


def unlike_moves(game: Game, board: BoardSeen | None) -> str:
    """Return the squares on which a board differs from the end of the game's moves on record, "" if it does on none.

    A board that may lie any way round is compared the way it fits best; its squares are then named as the moves do.
    """
    moves = game.known_moves
    if board is None or not moves:
        return ""
    end = stages(parse_transcript(moves))[-1].position
    ways = (0,) if board.from_a1 else range(4)
    boards = (parse_position(_turned(board.squares, quarters)) for quarters in ways)
    unlike = min((position.differences(end) for position in boards), key=int.bit_count)
    names = square_names(unlike)
    return " ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")


def boards_of(game: Game) -> Iterator[tuple[str, BoardSeen]]:
    """Yield the boards that were photographed of the game, each with who did: a player's id, "" for an operator. A
    board on which both players agree is the first one's of the two."""
    claim = game.claim
    if claim is not None and claim.board is not None:
        yield game.black if claim.by[0] else game.white, claim.board
    if claim is not None and claim.other_board is not None:
        yield game.white if claim.by[0] else game.black, claim.other_board
    if game.entered_board is not None:
        yield "", game.entered_board


def discs_of(board: BoardSeen) -> Score:
    """Return the discs that lie on the board, black ones first."""
    return board.squares.count("X"), board.squares.count("O")
