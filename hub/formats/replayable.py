"""The check that the boards of a game can be shown by its moves alone, as GGF and WTHOR do.

They cannot if a move is impossible, if the last board would not have the game's score, or if the table's record has an
error that was not put right (`woc-2019` IV.5.2): from that move on the board had other discs.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from flagfall.othello.board import stages
from flagfall.othello.notation import parse_transcript, square_name
from flagfall.othello.reason import Reason
from hub.model.games import Game


class Fault(StrEnum):
    """The reason why the moves do not show the game."""

    ILLEGAL = "illegal"
    ERROR = "error"
    SCORE = "score"


def replay_fault(game: Game) -> tuple[Fault, str] | None:
    """Return why the moves of a scored game do not show its boards, with a line about the place, or None if they do."""
    if not game.transcript or game.score is None:
        return None
    return fault_of_moves(
        game.transcript.strip().lower(), game.score, game.reason == Reason.BOARD, game.error_stands
    )


ERROR_LINE = "an error was not put right: its moves do not show the boards that lay there"


@lru_cache(20_000)
def fault_of_moves(
    transcript: str, score: tuple[int, int], is_played_out: bool, has_error: bool = False
) -> tuple[Fault, str] | None:
    """Return the fault as `replay_fault` does, from the values.

    `is_played_out`: the score is that of the last board; `has_error`: an error was not put right.
    """
    try:
        moves = parse_transcript(transcript)
    except ValueError as fault:
        return Fault.ILLEGAL, str(fault)
    line = stages(moves)
    if len(line) <= len(moves):
        square = square_name(moves[len(line) - 1])
        return Fault.ILLEGAL, f"move {len(line)}: expected a legal move, got {square}"
    if has_error:
        return Fault.ERROR, ERROR_LINE
    last = line[-1]
    if not is_played_out or last.black_to_move is not None:
        return None
    black, white = last.position.discs(True).bit_count(), last.position.discs(False).bit_count()
    empty = 64 - black - white
    won = (black > white) - (black < white)
    # Empty squares are the winner's or nobody's, as the rulebook has it; in a draw they are shared.
    with_empty = (black + empty * (1 + won) // 2, white + empty * (1 - won) // 2)
    if score in ((black, white), with_empty) or (
        0 in (black, white) and score == (64 * (won > 0), 64 * (won < 0))
    ):
        return None
    return Fault.SCORE, f"its moves give {black}-{white}, not {score[0]}-{score[1]}"
