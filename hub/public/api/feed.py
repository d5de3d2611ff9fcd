"""The feed of live games for broadcasters: one event for each game that has changed.

It begins with every present game, then has each change: a move, a press, a flag, a result, a new round. Clocks are
those at the time of sending; the client counts the running one down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from hub.public.api.views import GameAtTableTold, live_game_told
from hub.record.state import TournamentState
from hub.tables.live import Live
from hub.web.stream import event

Facts = dict[str, GameAtTableTold]
"""Every game at the tables, by its id."""


class FeedFacts:
    """`states` are the publicly visible ones."""

    def __init__(self, states: Mapping[str, TournamentState], live: Live, now_ns: Callable[[], int]) -> None:
        self._states = states
        self._live = live
        self._now_ns = now_ns

    def now(self, tournament: str) -> Facts | None:
        state = self._states.get(tournament)
        if state is None:
            return None
        now_ns = self._now_ns()
        return {game.game: live_game_told(state, game, self._live, now_ns) for game in state.present_games}

    def whole(self, shown: Facts) -> str:
        return "".join(map(_game, shown.values())) or ": nothing at the tables\n\n"

    def differing(self, shown: Facts, now: Facts) -> tuple[Facts, str]:
        told = [event("gone", _json({"game": game})) for game in shown if game not in now]
        told += [
            _game(facts)
            for game, facts in now.items()
            if game not in shown or _still(shown[game]) != _still(facts)
        ]
        return now, "".join(told)


def _still(facts: GameAtTableTold) -> GameAtTableTold:
    """The event without what changes by time alone: the running clock is 0 in it."""
    if facts.clocks_ms is None or facts.running is None:
        return facts
    return replace(facts, clocks_ms=replace(facts.clocks_ms, **{facts.running: 0}))


def _game(facts: GameAtTableTold) -> str:
    return event("game", _json(facts))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
