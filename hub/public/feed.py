"""The feed of live games for broadcasters: server-sent events, one for each game that has changed.

At first every game at the tables, then each that differs: a move, a press, a flag, a result, a new round. Clocks are
as they are when the event is sent; who listens counts the running one down by himself.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from hub.live import Live
from hub.public.facts import live_facts
from hub.state import State

BREATH_S = 0.25
_KEEP_ALIVE_S = 15.0

Facts = dict[str, dict[str, Any]]


class Feed:
    """`states` are those that everybody may see."""

    def __init__(self, states: Mapping[str, State], live: Live, now_ns: Callable[[], int]) -> None:
        self._states = states
        self._live = live
        self._now_ns = now_ns
        self._change = asyncio.Condition()
        self._changes = 0
        self._ended = False

    def changed(self) -> None:
        """Something may be different now; called in the loop."""
        self._changes += 1

    async def run(self) -> None:
        """Wakes the listeners after changes, until cancelled."""
        seen = 0
        while True:
            await asyncio.sleep(BREATH_S)
            if seen != self._changes or self._ended:
                seen = self._changes
                async with self._change:
                    self._change.notify_all()

    def end(self) -> None:
        """Lets every listener go."""
        self._ended = True

    def now(self, tournament: str) -> Facts:
        """Every game at the tables, by its id."""
        state = self._states[tournament]
        now_ns = self._now_ns()
        return {game.game: live_facts(state, game, self._live, now_ns) for game in state.present_games}

    async def listen(self, tournament: str) -> AsyncIterator[str]:
        """The events for one listener."""
        sent: Facts = {}
        quiet_s = 0.0
        while not self._ended:
            now = self.now(tournament)
            text = "".join(_event("gone", {"game": game}) for game in sent if game not in now)
            text += "".join(
                _event("game", facts)
                for game, facts in now.items()
                if game not in sent or _still(sent[game]) != _still(facts)
            )
            if text or not sent:
                quiet_s = 0.0
                yield text or ": nothing at the tables\n\n"
            elif quiet_s >= _KEEP_ALIVE_S:
                quiet_s = 0.0
                yield ": still here\n\n"
            sent = now
            try:
                async with self._change:
                    await asyncio.wait_for(self._change.wait(), _KEEP_ALIVE_S)
            except TimeoutError:
                quiet_s += _KEEP_ALIVE_S


def _still(facts: dict[str, Any]) -> dict[str, Any]:
    """What does not change by time alone: the clock that runs is left out."""
    clocks = facts["clocks_ms"]
    if clocks is None:
        return facts
    return facts | {"clocks_ms": {side: left for side, left in clocks.items() if side != facts["running"]}}


def _event(name: str, value: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"
