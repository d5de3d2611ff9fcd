"""Counts of refused or ended requests and messages, by kind and by origin.

The operator's pages show them (`hub.console.views.alerts`). They are not recorded, and their number is bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

SHOWN_NS = 600 * 1_000_000_000  # a count is shown to the operator for so long after its last event
_MOST_KEPT = 256


class Abuse(StrEnum):
    """Kinds of exceeded limits. The first five come from an address on the network, the others from a device."""

    CONNECTIONS = "connections"
    SLOW = "slow"
    REQUESTS = "requests"
    BODIES = "bodies"
    GUESSES = "guesses"
    MESSAGES = "messages"
    RETAINED = "retained"
    FAULTS = "faults"
    WORK = "work"


OF_DEVICES = frozenset((Abuse.MESSAGES, Abuse.RETAINED, Abuse.FAULTS, Abuse.WORK))


class Counted(msgspec.Struct, frozen=True):
    """A count of one kind from one origin."""

    abuse: Abuse
    who: str  # an address or a device
    times: int
    first_ns: int  # monotonic
    last_ns: int


class Abuses:
    """All counts. `changed` is called when a new origin or kind appears, not at each count."""

    def __init__(self, now_ns: Callable[[], int], changed: Callable[[], None] = lambda: None) -> None:
        self._now_ns = now_ns
        self._changed = changed
        self._counted: dict[tuple[Abuse, str], Counted] = {}

    def note(self, abuse: Abuse, who: str, times: int = 1) -> None:
        now_ns = self._now_ns()
        before = self._counted.pop((abuse, who), None)
        if before is None or now_ns - before.last_ns > SHOWN_NS:
            before = Counted(abuse, who, 0, now_ns, now_ns)
            self._changed()
        # The most recent count is last, so that the oldest is dropped first.
        self._counted[abuse, who] = Counted(abuse, who, before.times + times, before.first_ns, now_ns)
        if len(self._counted) > _MOST_KEPT:
            del self._counted[next(iter(self._counted))]

    def forget(self, who: str) -> None:
        """Drop the counts of `who`: the operator has dealt with them."""
        for key in [key for key in self._counted if key[1] == who]:
            del self._counted[key]
        self._changed()

    @property
    def present(self) -> tuple[Counted, ...]:
        """The counts of the last ten minutes, highest first."""
        now_ns = self._now_ns()
        recent = [count for count in self._counted.values() if now_ns - count.last_ns <= SHOWN_NS]
        return tuple(sorted(recent, key=lambda count: -count.times))
