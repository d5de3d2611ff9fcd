"""The day of the finals: which games start together, on which tables, and when where a text says so.

`woc-2019` Appendix B gives times; `woc-2017` III and B.4 and `cc-2024` III.2 only say what starts with what.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hub.ranking.finals import OPEN, WOMEN, YOUNG, Finals
from hub.ranking.matches import FINAL, SEMI_FINAL, THIRD_PLACE, Match


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """Game number `game` of each match of that title and stage; `only`: of the match with these seeds.

    `if_needed`: played only where the match is still open then.
    """

    title: str
    stage: str
    game: int = 1
    if_needed: bool = False
    only: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """Games that start together; `start` and `end` as HH:MM where the text gives times."""

    games: tuple[PlannedGame, ...]
    start: str | None = None
    end: str | None = None


@dataclass(frozen=True, slots=True)
class SessionGame:
    """`players` is None while they are not known: an earlier session decides them."""

    table: int
    title: str
    stage: str
    game: int
    if_needed: bool
    players: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class FinalsSession:
    start: str | None
    end: str | None
    games: tuple[SessionGame, ...]


_SEMI = PlannedGame(OPEN, SEMI_FINAL)
_SEMI_2 = PlannedGame(OPEN, SEMI_FINAL, 2)
_SEMI_3 = PlannedGame(OPEN, SEMI_FINAL, 3, if_needed=True)
_THIRD = PlannedGame(OPEN, THIRD_PLACE)
_FINAL = PlannedGame(OPEN, FINAL)
_FINAL_2 = PlannedGame(OPEN, FINAL, 2)
_FINAL_3 = PlannedGame(OPEN, FINAL, 3, if_needed=True)

DAYS: Mapping[str, tuple[PlannedSession, ...]] = MappingProxyType(
    {
        # Appendix B
        "woc-2019": (
            PlannedSession((_SEMI, PlannedGame(YOUNG, SEMI_FINAL)), "09:30", "10:40"),
            PlannedSession((_SEMI_2, PlannedGame(WOMEN, SEMI_FINAL)), "10:50", "12:00"),
            PlannedSession(
                (_SEMI_3, PlannedGame(YOUNG, THIRD_PLACE), PlannedGame(YOUNG, FINAL)), "12:10", "13:20"
            ),
            PlannedSession((_FINAL, _THIRD, PlannedGame(WOMEN, THIRD_PLACE)), "14:10", "15:30"),
            PlannedSession((_FINAL_2, PlannedGame(WOMEN, FINAL)), "15:40", "17:00"),
            PlannedSession((_FINAL_3,), "17:10", "18:30"),
        ),
        # III.3, III.5-III.7, B.4
        "woc-2017": (
            PlannedSession((_SEMI, PlannedGame(WOMEN, SEMI_FINAL, only=(1, 4)))),
            PlannedSession((_SEMI_2, PlannedGame(WOMEN, SEMI_FINAL, only=(2, 3)))),
            PlannedSession((_SEMI_3, PlannedGame(YOUNG, FINAL))),
            PlannedSession((_FINAL, _THIRD, PlannedGame(WOMEN, THIRD_PLACE))),
            PlannedSession((_FINAL_2, PlannedGame(WOMEN, FINAL))),
            PlannedSession((_FINAL_3,)),
        ),
        # The text fixes only the order.
        "woc-classic": tuple(
            PlannedSession(games)
            for games in ((_SEMI,), (_SEMI_2,), (_SEMI_3,), (_FINAL, _THIRD), (_FINAL_2,), (_FINAL_3,))
        ),
        # II.5 (nine or ten players), III.2
        "cc-2024": tuple(
            PlannedSession(games)
            for games in ((_SEMI,), (_SEMI_2,), (_FINAL, _THIRD), (_FINAL_2,), (_FINAL_3,))
        ),
    }
)


def third_day(finals: Finals) -> tuple[FinalsSession, ...]:
    """The sessions that these finals need, tables from 1 in each; none for a rulebook without finals."""
    sessions = []
    for planned in DAYS.get(finals.qualifying.tournament.rulebook, ()):
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
    """The players of each match that has such a game; None for a match whose players are not known yet."""
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
