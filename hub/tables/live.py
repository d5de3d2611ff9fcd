"""The tables' present messages. They are not recorded; a restarted hub gets them anew.

Only enrolled devices are kept, so that the size is bounded by the room.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from flagfall.link.messages import Call, ClockShown, Status
from flagfall.othello.side import Side
from hub.tables.twins import Twins

_MOST_LINES = 20
# A clock that differs by more than this from its expected time was changed, or was received late.
_SAME_NS = 100_000_000


@dataclass(frozen=True, slots=True)
class ClockHeard:
    """A clock as a table sent it."""

    clock: ClockShown
    # The hub's own monotonic instant of receiving it.
    at_ns: int

    def table_ns(self, now_ns: int) -> int | None:
        """Return the table's count at the hub's `now_ns`, or None if the table has not sent its count."""
        sent_ns = self.clock.at_ns
        return None if sent_ns is None else sent_ns + now_ns - self.at_ns


@dataclass(slots=True)
class Live:
    """The present messages by device."""

    # Called after every change.
    notify: Callable[[], None]
    link_up: bool = False
    # The monotonic instant at which the connection to the broker was made or lost.
    link_since_ns: int = 0
    # By device and tournament ("" for none). A device sends under the tournament it is assigned to, and may have left a
    # last message under another.
    statuses: dict[str, dict[str, Status]] = field(default_factory=dict)
    # By device: of its statuses a latest one that says online.
    status: dict[str, Status] = field(default_factory=dict)
    clocks: dict[str, ClockHeard] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)
    # By device: the person who has answered its present call.
    answered: dict[str, str] = field(default_factory=dict)
    # Useless messages by kind.
    dropped: Counter[str] = field(default_factory=Counter)
    # The latest lines of dropped messages.
    last_dropped: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_LINES))
    # Devices that run twice.
    twins: Twins = field(default_factory=Twins)
    # By device: its clock at the last change that was no mere running on.
    _changed_clocks: dict[str, ClockHeard] = field(default_factory=dict)
    # The number of changes.
    version: int = 0

    def changed(self) -> None:
        self.version += 1
        self.notify()

    def online(self, device: str) -> bool:
        status = self.status.get(device)
        return status is not None and status.online

    def has_answered(self, device: str, ruling: str) -> bool:
        status = self.status.get(device)
        return status is not None and ruling in status.answers

    def clock_of(self, device: str | None, game: str) -> ClockHeard | None:
        """Return the clock of this device if it shows this game."""
        heard = self.clocks.get(device) if device is not None else None
        return heard if heard is not None and heard.clock.game == game else None

    def replaced_clock(self, device: str | None, game: str) -> tuple[str, ClockShown] | None:
        """Return another device that had this game before, and the game's clock there.

        None once `device` has as many moves of the game.
        """
        here = self.clock_of(device, game)
        moves = here.clock.moves if here is not None else 0
        for other, heard in self.clocks.items():
            if other != device and heard.clock.game == game and heard.clock.moves > moves:
                return other, heard.clock
        return None

    def hear_status(self, device: str, tournament: str, status: Status | None) -> None:
        """Note a device's status; None if the device has cleared it."""
        known = self.statuses.setdefault(device, {})
        before = known.pop(tournament, None)
        if status is not None:
            if before is not None and not status.online:  # a will takes back no answer
                status = msgspec.structs.replace(status, answers=before.answers, refusals=before.refusals)
            known[tournament] = status
        latest_first = list(reversed(known.values()))
        holds = next((status for status in latest_first if status.online), next(iter(latest_first), None))
        self.status.pop(device, None)
        if holds is not None:
            self.status[device] = holds
        self.changed()

    def hear_link(self, up: bool, at_ns: int = 0) -> None:
        """Note that the hub's own connection to the broker was made or lost at a monotonic instant."""
        self.link_up, self.link_since_ns = up, at_ns
        self.changed()

    def hear_clock(self, device: str, clock: ClockShown, at_ns: int) -> None:
        """Note a device's clock. A clock that has only run on is no change: clients let it run themselves."""
        heard = self.clocks[device] = ClockHeard(clock, at_ns)
        last = self._changed_clocks.get(device)
        if last is None or not _has_only_run_on(last, heard):
            self._changed_clocks[device] = heard
            self.changed()

    def hear_call(self, device: str, call: Call) -> None:
        if self.calls.get(device) != call:
            self.answered.pop(device, None)
        self.calls[device] = call
        self.changed()

    def answer_call(self, device: str, who: str) -> None:
        """Note that somebody goes to the table. The table itself ends its call."""
        self.answered[device] = who
        self.changed()

    def drop(self, kind: str, line: str) -> None:
        """Count a useless message and keep its line for the operator."""
        self.dropped[kind] += 1
        self.last_dropped.append(line)
        self.changed()


def _has_only_run_on(last: ClockHeard, heard: ClockHeard) -> bool:
    same = msgspec.structs.replace(last.clock, clocks_ns=heard.clock.clocks_ns, at_ns=heard.clock.at_ns)
    if same != heard.clock:
        return False
    for side in Side:
        left_ns = last.clock.clocks_ns.of(side)
        expected_ns = left_ns - (heard.at_ns - last.at_ns if last.clock.running == side else 0)
        if abs(heard.clock.clocks_ns.of(side) - expected_ns) > _SAME_NS:
            return False
    return True
