"""One player's rounds in a tournament: opponents, results, and the present table."""

from __future__ import annotations

import msgspec

from hub.model.games import Game
from hub.overview import final_of
from hub.record.state import TournamentState

GAME = "game"
BYE = "bye"


class Meeting(msgspec.Struct, frozen=True):
    """A game or a bye of one player. `score` is (own, opponent's); `final` (title, stage) of a game of the finals;
    `draw_win`: whether this player wins a draw, None if nobody does."""

    kind: str
    round: int
    table: int | None = None
    game: str | None = None
    colour: str | None = None
    opponent: str | None = None
    score: tuple[int, int] | None = None
    reason: str = "board"
    final: tuple[str, str] | None = None
    draw_win: bool | None = None


def meetings_of(state: TournamentState, player: str) -> tuple[Meeting, ...]:
    """Rounds in their order, then the finals."""
    found = [
        Meeting(BYE, number)
        for number, round_ in enumerate(state.tournament.rounds, 1)
        if player in round_.byes
    ]
    games = [game for game in state.games.values() if player in game.players]
    found += [_meeting(game, player) for game in games if game.final is None]
    found.sort(key=lambda meeting: meeting.round)
    return (*found, *(_meeting(game, player) for game in games if game.final is not None))


def present_meeting(state: TournamentState, player: str) -> Meeting | None:
    """The player's present game, or bye; None if unknown."""
    games = [game for game in state.present_games if player in game.players]
    open_games = [game for game in games if game.score is None]
    if open_games or games:
        return _meeting((open_games or games)[-1], player)
    rounds = state.tournament.rounds
    return Meeting(BYE, len(rounds)) if rounds and player in rounds[-1].byes else None


def _meeting(game: Game, player: str) -> Meeting:
    black = game.black == player
    draw_win = game.final.draw_win if game.final is not None else None
    return Meeting(
        GAME,
        game.round,
        game.table,
        game=game.id,
        colour="black" if black else "white",
        opponent=game.white if black else game.black,
        score=None if game.score is None else game.score if black else (game.score[1], game.score[0]),
        reason=game.reason,
        final=final_of(game),
        draw_win=None if draw_win is None else draw_win == player,
    )
