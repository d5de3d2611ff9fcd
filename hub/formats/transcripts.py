"""Transcripts on one line, as operators of live sites paste them: f5d6c3... (passes are not written)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flagfall.othello.errors import one_line
from hub.formats.replayable import replay_fault
from hub.model.games import Game
from hub.model.tournament import Tournament
from hub.text import FormatError


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
