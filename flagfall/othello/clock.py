"""Two clocks of which at most one runs, as a value: the present instant is always an argument.

No tick changes it: what is left is computed from the instant the running clock was started and the one asked for,
so the time charged to both players is the time that ran, to the nanosecond.
"""

from __future__ import annotations

from dataclasses import dataclass

from flagfall.base.value import replace
from flagfall.othello.side import Both, Side

# Below this a player has little time left: screens frame their figures, and a sound is played if sounds are on.
LOW_NS = 60_000_000_000


@dataclass(frozen=True)
class Clock:
    """`remaining_ns` and `charged_ns` as they stood at `since_ns`; since then `running` has been charged."""

    remaining_ns: Both[int]
    charged_ns: Both[int] = Both(0, 0)
    running: Side | None = None
    since_ns: int = 0

    def at(self, now_ns: int) -> Clock:
        """Return the clock charged up to `now_ns` (not before `since_ns`). The time left never falls below zero."""
        if now_ns == self.since_ns:
            return self
        if self.running is None:
            return replace(self, since_ns=now_ns)
        elapsed_ns = now_ns - self.since_ns
        left_ns = self.remaining_ns.of(self.running) - elapsed_ns
        return Clock(
            self.remaining_ns.with_(self.running, max(0, left_ns)),
            self.charged_ns.with_(self.running, self.charged_ns.of(self.running) + elapsed_ns),
            self.running,
            now_ns,
        )

    def left_ns(self, side: Side, now_ns: int) -> int:
        """Return the time that this player has left at `now_ns`."""
        left_ns = self.remaining_ns.of(side)
        if side is self.running:
            left_ns -= now_ns - self.since_ns
        return max(0, left_ns)

    def both_left_ns(self, now_ns: int) -> Both[int]:
        """Return what each player has left at `now_ns`."""
        return Both(*(self.left_ns(side, now_ns) for side in Side))

    def is_low(self, side: Side, now_ns: int) -> bool:
        """Return whether this player has little time left at `now_ns`."""
        return self.left_ns(side, now_ns) < LOW_NS

    def run(self, side: Side | None, now_ns: int) -> Clock:
        """Let this player's clock run from `now_ns` on, and no other; None stops both."""
        return replace(self.at(now_ns), running=side)

    def give(self, side: Side, seconds_ns: int, now_ns: int) -> Clock:
        """Give a player time, or take it, not below zero."""
        now = self.at(now_ns)
        return replace(
            now, remaining_ns=now.remaining_ns.with_(side, max(0, now.remaining_ns.of(side) + seconds_ns))
        )

    def set(self, side: Side, remaining_ns: int, now_ns: int) -> Clock:
        now = self.at(now_ns)
        return replace(now, remaining_ns=now.remaining_ns.with_(side, remaining_ns))
