"""The figures of a clock, and how long they stay the same."""

from __future__ import annotations

from flagfall.othello.game import SECOND_NS, Game

_TENTH_NS = SECOND_NS // 10
TENTHS_BELOW_S = 20


def clock_text(left_ns: int, tenths_below_s: int = TENTHS_BELOW_S) -> str:
    """Return minutes and seconds, rounded up; tenths below so many seconds. Zero is shown only when nothing is left."""
    if left_ns < tenths_below_s * SECOND_NS:
        tenths = min(10 * tenths_below_s - 1, -(-left_ns // _TENTH_NS))
        return f"{tenths // 10}.{tenths % 10}"
    seconds = -(-left_ns // SECOND_NS)
    minutes, seconds = divmod(seconds, 60)
    if minutes >= 100:
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return f"{minutes}:{seconds:02}"


def unchanged_for_ns(game: Game | None, now_ns: int, tenths_below_s: int = TENTHS_BELOW_S) -> int | None:
    """Return the time for which the figures of the running clock stay the same; None while no clock runs."""
    if game is None or game.clock.running is None:
        return None
    left_ns = game.clock.left_ns(game.clock.running, now_ns)
    if left_ns <= 0:
        return None
    below_ns = tenths_below_s * SECOND_NS
    if left_ns == below_ns:
        return 1  # the last instant without tenths
    step_ns = SECOND_NS if left_ns > below_ns else _TENTH_NS
    return left_ns % step_ns or step_ns
