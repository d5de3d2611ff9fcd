"""The tables' present messages. They are not recorded, and a restarted hub gets them anew.

Only enrolled devices are kept, so its size is bounded by the room.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from hub.tables.twins import Twins
from link.messages import Call, ClockShown, Status
from othello.side import Side

_TOLD_LAST = 20
_SAME_NS = 100_000_000
"""A clock that differs by more from what it would have run to has been changed, or was received late."""


@dataclass(frozen=True, slots=True)
class ClockHeard:
    """A clock as a table sent it; `at_ns` is the hub's own monotonic instant of receiving it."""

    clock: ClockShown
    at_ns: int

    def table_ns(self, now_ns: int) -> int | None:
        """The table's count at the hub's `now_ns`; None if the table has not sent its count."""
        told_ns = self.clock.at_ns
        return None if told_ns is None else told_ns + now_ns - self.at_ns


@dataclass(slots=True)
class Live:
    """By device: status with the answers to rulings, clock, and call. `tell` is called after every change.

    A device sends under the tournament it is assigned to, and may have left a last message under another: of its
    statuses (`statuses`, by tournament, "" for none) one that says online counts. `answered`: who has answered a
    device's present call. `dropped` counts useless messages by kind; `last_dropped` are the latest lines.
    """

    tell: Callable[[], None]
    link_up: bool = False
    link_since_ns: int = 0
    """Since when the connection to the broker is up, or down."""
    statuses: dict[str, dict[str, Status]] = field(default_factory=dict)
    status: dict[str, Status] = field(default_factory=dict)
    clocks: dict[str, ClockHeard] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)
    answered: dict[str, str] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    last_dropped: deque[str] = field(default_factory=lambda: deque(maxlen=_TOLD_LAST))
    twins: Twins = field(default_factory=Twins)
    """Devices that run twice."""
    _told: dict[str, ClockHeard] = field(default_factory=dict)
    """By device: its clock at the last change."""
    version: int = 0
    """Counts the changes."""

    def changed(self) -> None:
        self.version += 1
        self.tell()

    def online(self, device: str) -> bool:
        status = self.status.get(device)
        return status is not None and status.online

    def has_answered(self, device: str, ruling: str) -> bool:
        status = self.status.get(device)
        return status is not None and ruling in status.answers

    def clock_of(self, device: str | None, game: str) -> ClockHeard | None:
        """The clock of this device, if it is that of this game."""
        heard = self.clocks.get(device) if device is not None else None
        return heard if heard is not None and heard.clock.game == game else None

    def replaced_clock(self, device: str | None, game: str) -> tuple[str, ClockShown] | None:
        """The device that had this game before, and how the game stood there, while `device` has fewer moves of it."""
        here = self.clock_of(device, game)
        moves = here.clock.moves if here is not None else 0
        for other, heard in self.clocks.items():
            if other != device and heard.clock.game == game and heard.clock.moves > moves:
                return other, heard.clock
        return None

    def hear_status(self, device: str, tournament: str, status: Status | None) -> None:
        """`status` None: the device has cleared this one."""
        known = self.statuses.setdefault(device, {})
        before = known.pop(tournament, None)
        if status is not None:
            if before is not None and not status.online:  # a will takes back no answer
                status = msgspec.structs.replace(status, answers=before.answers, refusals=before.refusals)
            known[tournament] = status
        latest_first = list(reversed(known.values()))
        holds = next((one for one in latest_first if one.online), next(iter(latest_first), None))
        self.status.pop(device, None)
        if holds is not None:
            self.status[device] = holds
        self.changed()

    def hear_link(self, up: bool, at_ns: int = 0) -> None:
        """Note that the hub's own connection to the broker was made or lost, at its monotonic instant."""
        self.link_up, self.link_since_ns = up, at_ns
        self.changed()

    def hear_clock(self, device: str, clock: ClockShown, at_ns: int) -> None:
        """A clock that has only run on is no change: clients let it run themselves."""
        heard = self.clocks[device] = ClockHeard(clock, at_ns)
        told = self._told.get(device)
        if told is None or not _has_only_run_on(told, heard):
            self._told[device] = heard
            self.changed()

    def hear_call(self, device: str, call: Call) -> None:
        if self.calls.get(device) != call:
            self.answered.pop(device, None)
        self.calls[device] = call
        self.changed()

    def answer_call(self, device: str, who: str) -> None:
        """Somebody goes to the table; the table itself ends its call."""
        self.answered[device] = who
        self.changed()

    def drop(self, kind: str, line: str) -> None:
        """Counts a useless message and keeps its line for the operator."""
        self.dropped[kind] += 1
        self.last_dropped.append(line)
        self.changed()


def _has_only_run_on(told: ClockHeard, heard: ClockHeard) -> bool:
    same = msgspec.structs.replace(told.clock, clocks_ns=heard.clock.clocks_ns, at_ns=heard.clock.at_ns)
    if same != heard.clock:
        return False
    for side in Side:
        left_ns = told.clock.clocks_ns.of(side)
        expected_ns = left_ns - (heard.at_ns - told.at_ns if told.clock.running == side else 0)
        if abs(heard.clock.clocks_ns.of(side) - expected_ns) > _SAME_NS:
            return False
    return True
