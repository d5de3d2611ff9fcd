"""Transcripts in one line, as operators of live sites paste them: f5d6c3... (passes are not written)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hub.formats.replayable import replay_fault
from hub.model.games import Game
from hub.model.tournament import Tournament
from hub.text import FormatError
from othello.errors import one_line


@dataclass(frozen=True, slots=True)
class ScoredGame:
    """A game with its place: `round` from 1 and `table`, or None and the number of the game in the finals."""

    round: int | None
    table: int
    game: Game

    @property
    def where(self) -> str:
        """For messages to the director."""
        return (
            f"finals, game {self.table}" if self.round is None else f"round {self.round}, table {self.table}"
        )

    @property
    def transcript(self) -> str:
        """The transcript of the game in small letters; "" without one."""
        return self.game.transcript.strip().lower()


def scored_games(tournament: Tournament) -> Iterator[ScoredGame]:
    """Yield rounds by table, then the finals in the order played."""
    for number, round_ in enumerate(tournament.rounds, start=1):
        games = [
            ScoredGame(number, game.table or nth, game) for nth, game in enumerate(round_.games, start=1)
        ]
        yield from (one for one in sorted(games, key=lambda one: one.table) if one.game.score is not None)
    for number, final in enumerate(tournament.finals, start=1):
        if final.score is not None:
            yield ScoredGame(None, number, final)


def write_transcripts(tournament: Tournament, round_: int | None = None, table: int | None = None) -> bytes:
    """Two lines a game, who played (after a %) and the transcript; of one table of a round the transcript alone.

    Raise FormatError if there is no such round, or that table's game has none.
    """
    if round_ is not None and not 1 <= round_ <= len(tournament.rounds):
        raise FormatError("--round", f"1 to {len(tournament.rounds)}", str(round_))
    if table is not None and round_ is None:
        raise FormatError("--round", "the round of that table", "nothing")
    chosen = [one for one in scored_games(tournament) if round_ in (None, one.round)]
    if table is not None:
        found = next((one for one in chosen if one.table == table), None)
        if found is None or not found.transcript:
            got = "none" if found is None else "one without"
            raise FormatError("--table", "a scored game with a transcript", got)
        return f"{found.transcript}\n".encode()
    lines = []
    for one in chosen:
        lines.append(_heading(one, tournament))
        if (fault := replay_fault(one.game)) is not None:
            lines.append(one_line(f"% not to be replayed: {fault[1]}"))
        lines += [one_line(one.transcript)] if one.transcript else ["% without a transcript"]
    if not any(one.transcript for one in chosen):
        raise FormatError("rounds", "games with a transcript", "none")
    return ("\n".join(lines) + "\n").encode()


def doubts(tournament: Tournament, round_: int | None = None) -> tuple[str, ...]:
    """Return a line for each scored game that is without a transcript, or whose moves do not show it."""
    lines = []
    for one in scored_games(tournament):
        if round_ not in (None, one.round):
            continue
        if not one.transcript:
            lines.append(f"{one.where}: without a transcript")
        elif (fault := replay_fault(one.game)) is not None:
            lines.append(f"{one.where}: not to be replayed: {fault[1]}")
    return tuple(lines)


def _heading(one: ScoredGame, tournament: Tournament) -> str:
    black, white = map(tournament.name_of, one.game.players)
    score = one.game.score or (0, 0)
    said = f"{black} ({score[0]}) - ({score[1]}) {white}"
    return one_line(f"% {one.where}: {said}")
