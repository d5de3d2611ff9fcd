"""The expected end of the round and of the day, by the wall clock: labels for planning, never a rule.

The latest possible end without a fallen flag: the time left on both clocks of each table.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable

import msgspec

from hub.record.header import header_of
from hub.record.state import GameRecord, TournamentState
from hub.tables.live import Live
from othello.gamefile import GameFileError

PAUSE_MIN = 10
"""Between a round and the next: signatures, pairing, finding one's seat."""
ROUNDS_A_DAY = 7
"""`woc-2019` II.2: seven rounds on the first day, six on the second; the operator may change it."""


class Projection(msgspec.Struct, frozen=True):
    """`round_end` None: no game is being played. `rounds_left`: the rounds that `day_end` counts after this one."""

    round_end: datetime.datetime | None
    day_end: datetime.datetime | None
    rounds_left: int


def longest_s(state: TournamentState, game: GameRecord, live: Live, now_ns: int) -> float:
    """The longest time in seconds that this game can still take without a fallen flag; 0 once it is over."""
    if game.score is not None:
        return 0.0
    heard = live.clock_of(game.device, game.game)
    if heard is None or heard.clock.state == "waiting":
        return minutes_each(state, game) * 120
    if heard.clock.state in ("finished", "signed"):
        return 0.0
    left_ns = heard.clock.clocks_ns.black + heard.clock.clocks_ns.white
    if heard.clock.running is not None:
        left_ns -= max(0, now_ns - heard.at_ns)
    return max(0, left_ns) / 1e9


def minutes_each(state: TournamentState, game: GameRecord) -> float:
    """Each player's minutes, with what thirty moves may give; 0 if nobody has set any."""
    try:
        header = header_of(state, game)
        return header.minutes + (header.increment_s + header.delay_s) / 2
    except GameFileError:
        return 0.0


def project(
    state: TournamentState, live: Live, now_ns: int, wall: datetime.datetime, rounds_left: int | None = None
) -> Projection:
    """`rounds_left`: how many more rounds are to be played today; None: up to the seventh of the day."""
    games = state.present_games
    left = max(0, state.tournament.rounds_planned - state.round)
    today = -state.round % ROUNDS_A_DAY if rounds_left is None else rounds_left
    left = min(left, today)
    open_games = [game for game in games if game.score is None]
    end = wall + datetime.timedelta(seconds=_most(longest_s(state, g, live, now_ns) for g in open_games))
    minutes = _most(minutes_each(state, game) for game in games)
    each = datetime.timedelta(minutes=2 * minutes + PAUSE_MIN)
    return Projection(
        end if open_games else None,
        end + left * each if minutes and (open_games or left) else None,
        left,
    )


def _most(found: Iterable[float]) -> float:
    return max(found, default=0.0)
