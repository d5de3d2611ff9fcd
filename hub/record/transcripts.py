"""The moves of a finished game, wherever they are on record."""

from __future__ import annotations

from hub.model.games import FinalGame, Game
from hub.record.state import GameRecord, TournamentState


def transcript_of(state: TournamentState, game: GameRecord) -> str:
    """The transcript of a finished game, from its table or from the tournament's file; "" without one."""
    if game.score is None:
        return ""
    if game.transcript or game.reported is not None:
        return game.transcript
    value = _game_of_tournament(state, game)
    return value.transcript if value is not None else ""


def has_standing_error(state: TournamentState, game: GameRecord) -> bool:
    """Tell whether an error stands in the moves of a game, as its table or the tournament's file says."""
    value = _game_of_tournament(state, game)
    return value is not None and value.error_stands


def _game_of_tournament(state: TournamentState, game: GameRecord) -> Game | FinalGame | None:
    """Return the value of the game in its tournament."""
    if game.final is not None:
        found = state.tournament.finals[game.final.number : game.final.number + 1]
        return next((final for final in found if final.players == game.players), None)
    games = state.tournament.rounds[game.round - 1].games if game.round <= state.round else ()
    return next((scored for scored in games if scored.players == game.players), None)


def has_replay(state: TournamentState, game: GameRecord) -> bool:
    """Whether there is anything to step through: moves, or a table's record. A game on paper has neither."""
    if game.score is None:
        return game.device is not None
    return game.reported is not None or bool(transcript_of(state, game))
