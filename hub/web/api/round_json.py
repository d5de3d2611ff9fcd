"""The present round in the operator's API."""

from __future__ import annotations

from typing import Any

from hub.record.state import GameRecord, TournamentState


def round_told(state: TournamentState, head: str) -> dict[str, Any]:
    """JSON-ready; `head` is the hash of the chain's last entry."""
    games = state.present_games
    return {
        "tournament": state.id,
        "name": state.tournament.name,
        "round": state.round,
        "rounds_planned": state.tournament.rounds_planned,
        "started": state.round in state.started,
        "complete": bool(games) and all(g.score is not None and not g.conflict for g in games),
        "closed": state.closed,
        "head": head,
        "games": [_game_told(game) for game in games],
        "byes": list(state.tournament.rounds[-1].byes) if state.tournament.rounds else [],
        "warnings": [str(line) for line in state.pairing_warnings],
        "conflicts": [game.game for game in state.games.values() if game.conflict],
        "seats": {str(seat): device for seat, device in sorted(state.seats.items())},
    }


_OF_GAME = (
    "game",
    "table",
    "device",
    "black",
    "white",
    "score",
    "signed",
    "confirmed",
    "conflict",
    "entered",
)
_OF_REPORT = ("device", "revision", "score", "transcript")


def _game_told(game: GameRecord) -> dict[str, Any]:
    reported = game.reported
    told = {name: getattr(reported, name, None) for name in _OF_REPORT}
    return {name: getattr(game, name) for name in _OF_GAME} | {
        "reason": game.reason if game.score is not None else None,
        "reported": told | {"differences": list(map(str, reported.differences))} if reported else None,
        "replaced": list(game.replaced),
    }
