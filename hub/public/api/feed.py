"""The feed of live games for broadcasters: one event for each game that has changed.

At first every game at the tables, then each that differs: a move, a press, a flag, a result, a new round. Clocks are
as they are when the event is sent; who listens counts the running one down by himself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from hub.public.api.json_views import live_facts
from hub.record.state import TournamentState
from hub.tables.live import Live
from hub.web.stream import event

Facts = dict[str, dict[str, Any]]
"""Every game at the tables, by its id."""


class FeedFacts:
    """`states` are those that everybody may see."""

    def __init__(self, states: Mapping[str, TournamentState], live: Live, now_ns: Callable[[], int]) -> None:
        self._states = states
        self._live = live
        self._now_ns = now_ns

    def now(self, tournament: str) -> Facts | None:
        state = self._states.get(tournament)
        if state is None:
            return None
        now_ns = self._now_ns()
        return {game.game: live_facts(state, game, self._live, now_ns) for game in state.present_games}

    def whole(self, shown: Facts) -> str:
        return "".join(map(_game, shown.values())) or ": nothing at the tables\n\n"

    def differing(self, shown: Facts, now: Facts) -> tuple[Facts, str]:
        told = [event("gone", json.dumps({"game": game})) for game in shown if game not in now]
        told += [
            _game(facts)
            for game, facts in now.items()
            if game not in shown or _still(shown[game]) != _still(facts)
        ]
        return now, "".join(told)


def _still(facts: dict[str, Any]) -> dict[str, Any]:
    """What does not change by time alone: the clock that runs is left out."""
    clocks = facts["clocks_ms"]
    if clocks is None:
        return facts
    return facts | {"clocks_ms": {side: left for side, left in clocks.items() if side != facts["running"]}}


def _game(facts: dict[str, Any]) -> str:
    return event("game", json.dumps(facts, ensure_ascii=False))
