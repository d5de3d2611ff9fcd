"""The day of the finals: the games that start together, their tables, and their times if a text gives them.

`woc-2019` Appendix B gives times; `woc-2017` III and B.4 and `cc-2024` III.2 only say what starts with what.
"""

from __future__ import annotations

import msgspec

from hub.ranking.finals import Finals
from hub.ranking.matches import FINAL, SEMI_FINAL, THIRD_PLACE, Match
from hub.rulebook import PlannedGame


class SessionGame(msgspec.Struct, frozen=True):
    """A game of a session."""

    table: int
    title: str
    stage: str
    game: int
    if_needed: bool
    # None while an earlier session has not decided them.
    players: tuple[str, str] | None


class FinalsSession(msgspec.Struct, frozen=True):
    start: str | None
    end: str | None
    games: tuple[SessionGame, ...]


def third_day(finals: Finals) -> tuple[FinalsSession, ...]:
    """Return the sessions that these finals need, with tables from 1 in each.

    There are none for a rulebook without finals, nor before the playoffs, which decide who plays, are over.
    """
    if not finals.playoffs_decided:
        return ()
    sessions = []
    for planned in finals.qualifying.rules.third_day:
        games: list[SessionGame] = []
        for game in planned.games:
            for players in _matches(finals, game):
                table = len(games) + 1
                games.append(
                    SessionGame(
                        table,
                        game.title,
                        game.stage,
                        game=game.game,
                        if_needed=game.if_needed,
                        players=players,
                    )
                )
        if games:
            sessions.append(FinalsSession(planned.start, planned.end, tuple(games)))
    return tuple(sessions)


def _matches(finals: Finals, game: PlannedGame) -> list[tuple[str, str] | None]:
    """Return the players of each match that has such a game; None for a match whose players are not known yet."""
    bracket = finals.brackets.get(game.title)
    if bracket is None:
        return []
    known = [match for match in bracket.matches if match.stage == game.stage]
    seeds = {
        player: seed
        for seed, player in enumerate(sorted(bracket.order, key=finals.qualifying.rank.__getitem__), start=1)
    }
    if known:
        wanted = [m for m in known if game.only is None or {seeds[p] for p in m.players} == set(game.only)]
        return [match.players for match in wanted if _still_played(match, game)]
    waits = any(match.stage == SEMI_FINAL for match in bracket.matches)
    has_third = len(bracket.order) == 4
    return [None] if waits and (game.stage == FINAL or (game.stage == THIRD_PLACE and has_third)) else []


def _still_played(match: Match, game: PlannedGame) -> bool:
    return game.game <= match.rules.games and (match.winner() is None or game.game <= len(match.games))
