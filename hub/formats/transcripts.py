"""Transcripts on one line, as operators of live sites paste them: f5d6c3... (passes are not written).

GGF and WTHOR show the boards of a game by its moves alone. That is impossible if a move is impossible, if the last
board would not have the game's score, or if the table's record has an error that was not put right (`woc-2019` IV.5.2):
from that move on the board had other discs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from flagfall.base.errors import one_line
from flagfall.othello.board import parse_transcript, square_name, stages
from flagfall.othello.reason import Reason
from hub.model.games import Game
from hub.model.tournament import Tournament
from hub.text import FormatError


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


@dataclass(frozen=True, slots=True)
class ScoredGame:
    """A game with its place."""

    # From 1, None for a game of the finals.
    round: int | None
    # The number of the game if it is one of the finals.
    table: int
    game: Game

    @property
    def where(self) -> str:
        """The place of the game, for messages to the director."""
        return (
            f"finals, game {self.table}" if self.round is None else f"round {self.round}, table {self.table}"
        )

    @property
    def transcript(self) -> str:
        """The transcript of the game in small letters; "" without one."""
        return self.game.transcript.strip().lower()


def scored_games(tournament: Tournament) -> Iterator[ScoredGame]:
    """Yield the scored games of the rounds by table, then those of the finals in the order played."""
    for number, round_ in enumerate(tournament.rounds, start=1):
        games = [
            ScoredGame(number, game.table or nth, game) for nth, game in enumerate(round_.games, start=1)
        ]
        yield from (
            scored
            for scored in sorted(games, key=lambda scored: scored.table)
            if scored.game.score is not None
        )
    for number, final in enumerate(tournament.finals, start=1):
        if final.score is not None:
            yield ScoredGame(None, number, final)


def write_transcripts(tournament: Tournament, round_: int | None = None, table: int | None = None) -> bytes:
    """Return two lines a game: the players (after a %) and the transcript. For one table of a round return the
    transcript alone.

    Raise FormatError if there is no such round, or that table's game has none.
    """
    if round_ is not None and not 1 <= round_ <= len(tournament.rounds):
        raise FormatError("--round", f"1 to {len(tournament.rounds)}", str(round_))
    if table is not None and round_ is None:
        raise FormatError("--round", "the round of that table", "nothing")
    chosen = [scored for scored in scored_games(tournament) if round_ in (None, scored.round)]
    if table is not None:
        of_table = next((scored for scored in chosen if scored.table == table), None)
        if of_table is None or not of_table.transcript:
            got = "none" if of_table is None else "one without"
            raise FormatError("--table", "a scored game with a transcript", got)
        return f"{of_table.transcript}\n".encode()
    lines = []
    for scored in chosen:
        lines.append(_heading(scored, tournament))
        if (fault := replay_fault(scored.game)) is not None:
            lines.append(one_line(f"% not to be replayed: {fault[1]}"))
        lines += [one_line(scored.transcript)] if scored.transcript else ["% without a transcript"]
    if not any(scored.transcript for scored in chosen):
        raise FormatError("rounds", "games with a transcript", "none")
    return ("\n".join(lines) + "\n").encode()


def doubts(tournament: Tournament, round_: int | None = None) -> tuple[str, ...]:
    """Return a line for each scored game that has no transcript, or whose moves do not show it."""
    lines = []
    for scored in scored_games(tournament):
        if round_ not in (None, scored.round):
            continue
        if not scored.transcript:
            lines.append(f"{scored.where}: without a transcript")
        elif (fault := replay_fault(scored.game)) is not None:
            lines.append(f"{scored.where}: not to be replayed: {fault[1]}")
    return tuple(lines)


def _heading(scored: ScoredGame, tournament: Tournament) -> str:
    black, white = map(tournament.name_of, scored.game.players)
    score = scored.game.score or (0, 0)
    result = f"{black} ({score[0]}) - ({score[1]}) {white}"
    return one_line(f"% {scored.where}: {result}")
