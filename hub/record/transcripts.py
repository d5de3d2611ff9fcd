"""The moves of a finished game, wherever they are on record."""

from __future__ import annotations

from hub.record.state import GameRecord, TournamentState


def transcript_of(state: TournamentState, game: GameRecord) -> str:
    """The transcript of a finished game, from its table or from the tournament's file; "" without one."""
    if game.score is None:
        return ""
    if game.transcript or game.reported is not None:
        return game.transcript
    if game.final is not None:
        found = state.tournament.finals[game.final.number : game.final.number + 1]
        said = [one.transcript for one in found if one.players == game.players]
    else:
        games = state.tournament.rounds[game.round - 1].games if game.round <= state.round else ()
        said = [one.transcript for one in games if one.players == game.players]
    return said[0] if said else ""


def has_replay(state: TournamentState, game: GameRecord) -> bool:
    """Whether there is anything to step through: moves, or a table's record. A game on paper has neither."""
    if game.score is None:
        return game.device is not None
    return game.reported is not None or bool(transcript_of(state, game))
