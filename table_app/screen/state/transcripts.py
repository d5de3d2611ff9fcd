"""Transcripts in the judge's panel: the table's own, stepped through to the position, and the two of the players, typed
in when they disagree (woc-2019 IV.2, IV.5.3). Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flagfall.othello.board import Position, TranscriptStage, gives, stages
from flagfall.othello.game import Game
from flagfall.othello.notation import format_transcript
from flagfall.othello.side import Both, Side


@dataclass(frozen=True, slots=True)
class TranscriptView:
    """The transcript on the screen."""

    owner: Side | None = None  # the player whose transcript is shown, None for the table's own
    step: int = 0  # how many of its moves are shown
    typed: Both[tuple[int, ...]] = Both((), ())

    def moves(self, game: Game) -> tuple[int, ...]:
        return game.moves if self.owner is None else self.typed.of(self.owner)

    def stage(self, game: Game) -> TranscriptStage:
        """Return the transcript that is shown now."""
        line = stages(self.moves(game))
        return line[min(self.step, len(line) - 1)]

    def impossible(self, game: Game) -> int | None:
        """Return the number of the first impossible move, None if all are possible."""
        moves = self.moves(game)
        line = stages(moves)
        return len(line) if len(line) <= len(moves) else None

    def to_move(self, game: Game) -> Side:
        """Return the player who would be to move in the position shown."""
        black = self.stage(game).black_to_move
        if black is None:
            return game.to_move
        return Side.BLACK if game.plays_black(Side.BLACK) == black else Side.WHITE


def opened(game: Game) -> TranscriptView:
    """Return the table's own transcript at its end."""
    return TranscriptView(step=len(game.moves))


def turned_to(script: TranscriptView, game: Game, owner: Side | None) -> TranscriptView:
    shown = replace(script, owner=owner)
    return replace(shown, step=len(shown.moves(game)))


def stepped(script: TranscriptView, game: Game, by: int) -> TranscriptView:
    last = len(stages(script.moves(game))) - 1
    return replace(script, step=max(0, min(last, script.step + by)))


def written(script: TranscriptView, square: int | None) -> TranscriptView:
    """Add a move to a player's transcript; None takes the last one back."""
    if script.owner is None:
        return script
    before = script.typed.of(script.owner)
    after = before[:-1] if square is None else (*before, square)[:60]
    return replace(script, typed=script.typed.with_(script.owner, after), step=len(after))


def decides(script: TranscriptView, position: Position) -> Side | None:
    """Return the player whose transcript alone gives the position (woc-2019 IV.2)."""
    right = [side for side in Side if script.typed.of(side) and gives(script.typed.of(side), position)]
    return right[0] if len(right) == 1 else None


def remark(script: TranscriptView, game: Game) -> str:
    """Return the record's remark on a position set from a transcript."""
    owner = "the table" if script.owner is None else str(script.owner)
    return f"transcript of {owner}: {format_transcript(script.moves(game)[: script.step])}"
