"""Waiting times of games: for the first press since the start, for a choice of colours.

Counted by the machine's running time from the moment at which this hub recorded it; the labels of entries, which the
wall clock wrote, count only where nothing else is known.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from pathlib import Path

from hub.ages import Ages, MachineClock
from hub.fields import instant_in
from hub.model.games import Game
from hub.record.state import TournamentState

# A label that is older at the hub's start was written by a wall clock that stood elsewhere.
_LONGEST_BY_LABEL = datetime.timedelta(hours=12)
_KEPT_NS = 366 * 24 * 3600 * 10**9


class Waits:
    """The waiting times of the games of `states`, in the file `path`. `look` must follow every change."""

    def __init__(
        self,
        path: Path,
        clock: MachineClock,
        wall: Callable[[], datetime.datetime],
        states: Mapping[str, TournamentState],
    ) -> None:
        self._ages = Ages(path, clock, _KEPT_NS)
        self._wall = wall
        self._states = states
        self._seen: dict[str, TournamentState] = {}
        self._keys: dict[str, dict[str, str]] = {}
        self._started = False
        self.look()
        self._started = True

    def look(self) -> None:
        """Begin to count for what has been asked since the last look, and forget what has been answered."""
        for tournament, state in self._states.items():
            if self._seen.get(tournament) is state:
                continue
            self._seen[tournament] = state
            keys = self._keys[tournament] = _asked(state)
            for key, label in keys.items():
                if key not in self._ages.notes:
                    self._ages.begin(key, tournament, 0 if self._started else self._by_label(label))
            present = self._ages.notes.items()
            self._ages.forget([key for key, note in present if note == tournament and key not in keys])

    def keep_up(self) -> None:
        """Look again, and write the ages down from time to time."""
        self.look()
        self._ages.keep_up()

    def since_start_s(self, state: TournamentState, game: Game) -> float | None:
        """Return the seconds since the start of a game that has no score; None if it was not started."""
        self.look()
        ruling = next(
            (sent for sent in reversed(state.rulings) if _starts(sent.rule, sent.games, game)), None
        )
        return self._age_s(_start_key(state, ruling.ruling)) if ruling is not None else None

    def since_asked_s(self, state: TournamentState, game: Game) -> float:
        """Return the seconds since a player was asked to choose; 0 if nobody was."""
        self.look()
        return self._age_s(_choice_key(state, game)) or 0.0

    def _age_s(self, key: str) -> float | None:
        age_ns = self._ages.age_ns(key)
        return None if age_ns is None else age_ns / 1e9

    def _by_label(self, label: str) -> int:
        instant = instant_in(label)
        age = self._wall() - instant if instant is not None else datetime.timedelta()
        plausible = datetime.timedelta() <= age <= _LONGEST_BY_LABEL
        return int(age.total_seconds() * 1e9) if plausible else 0


def _asked(state: TournamentState) -> dict[str, str]:
    """Return the labels of what this event waits for, by key."""
    if state.closed or state.away:
        return {}
    waiting = [game for game in state.open_games if game.final is None or not game.final.awaits_choice]
    games = {game.id for game in waiting}
    keys = {
        _start_key(state, ruling.ruling): ruling.at
        for ruling in state.rulings
        if ruling.rule == "start" and not games.isdisjoint(ruling.games)
    }
    choices = [game for game in state.open_games if game.final is not None and game.final.awaits_choice]
    return keys | {
        _choice_key(state, game): game.final.asked_at for game in choices if game.final is not None
    }


def _starts(rule: str, games: tuple[str, ...], game: Game) -> bool:
    return rule == "start" and game.id in games


def _start_key(state: TournamentState, ruling: str) -> str:
    return f"start {state.id} {ruling}"


def _choice_key(state: TournamentState, game: Game) -> str:
    return f"choice {state.id} {game.id}"
