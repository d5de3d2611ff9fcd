"""The tables' present messages. They are not recorded; a restarted hub gets them anew.

Only enrolled devices are kept, so that the size is bounded by the room.

Among them are the starts of each device's program, by which a device that runs twice is detected: a cloned card, or one
settings file on two cards. Each start has a random token of its own, which the status carries. The broker lets one
connection of a device in at a time, so two programs with one identity take turns. A start that was replaced by another
and speaks again shows it. A restart does not (the old start never comes back), nor does a reconnection (the start is
the same).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from flagfall.link.messages import Call, ClockShown, Result, Sessions, Status
from flagfall.othello.side import Side

_MOST_LINES = 20
# A clock that differs by more than this from its expected time was changed, or was received late.
_SAME_NS = 100_000_000
# Starts remembered for each device: it may be restarted now and then.
_MOST_STARTS = 16


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


@dataclass(frozen=True, slots=True)
class Withheld:
    """A result that waits at its table, because its game does not stand as that table has it."""

    device: str
    # Their ids, Black's first, as that table has them.
    players: tuple[str, str]


@dataclass(slots=True)
class _Device:
    """The starts of one device."""

    # The present one is last.
    starts: list[str] = field(default_factory=list)
    # The starts that take turns.
    disputed: tuple[str, ...] = ()
    # The starts that were set aside.
    aside: tuple[str, ...] = ()
    seq: int = 0


@dataclass(slots=True)
class Twins:
    """The starts of all devices that this hub has heard since its own start."""

    # Gives ever higher numbers, over restarts of the hub too: a table heeds the highest.
    next_seq: Callable[[], int] = lambda: 1
    _devices: dict[str, _Device] = field(default_factory=dict)

    def hear(self, device: str, start: str, disputed: bool = False) -> bool:
        """Note a start that speaks now. Return whether the device's sessions have changed.

        `disputed`: the table itself says so, because the hub told it before the hub's restart.
        """
        known = self._devices.setdefault(device, _Device())
        if start in known.aside:
            return False
        before = known.disputed
        if start in known.starts[:-1] or (before and start not in before):
            # A replaced start is back; or a disputed device was restarted, or there is a third one.
            others = known.starts[known.starts.index(start) + 1 :] if start in known.starts else ()
            known.disputed = tuple(dict.fromkeys((*before, start, *others)))
        elif disputed and not known.seq:
            known.disputed = (start,)  # this hub told it before its restart, and has not ended it since
        if start in known.starts:
            known.starts.remove(start)
        known.starts = [*known.starts, start][-_MOST_STARTS:]
        if known.disputed == before:
            return False
        known.seq = self.next_seq()
        return True

    def set_aside(self, device: str, start: str) -> bool:
        """Set one start aside; the other goes on once it is alone. Return whether it was one of several."""
        known = self._devices.get(device)
        if known is None or start not in known.disputed:
            return False
        rest = tuple(other for other in known.disputed if other != start)
        known.disputed = rest if len(rest) > 1 else ()
        known.aside = (*known.aside, start)[-_MOST_STARTS:]
        known.starts = [other for other in known.starts if other != start]
        known.seq = self.next_seq()
        return True

    def let_go_on(self, device: str) -> bool:
        """End a dispute in which this hub knows only one start. Return whether there was one."""
        known = self._devices.get(device)
        if known is None or len(known.disputed) != 1:
            return False
        known.disputed, known.seq = (), self.next_seq()
        return True

    def disputed(self, device: str) -> tuple[str, ...]:
        """Return the starts of this device that take turns, none if there is only one."""
        known = self._devices.get(device)
        return known.disputed if known is not None else ()

    def is_aside(self, device: str, start: str) -> bool:
        known = self._devices.get(device)
        return known is not None and start in known.aside

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices in dispute."""
        return tuple(device for device, known in self._devices.items() if known.disputed)

    def forget(self, device: str) -> None:
        """Forget a device that was enrolled anew or revoked: nobody else has its new key."""
        self._devices.pop(device, None)

    def sessions(self, device: str) -> Sessions | None:
        """Return the message about sessions for this device, or None if there was never more than one."""
        known = self._devices.get(device)
        if known is None or not known.seq:
            return None
        return Sessions(seq=known.seq, disputed=known.disputed, aside=known.aside)


@dataclass(slots=True)
class Live:
    """The present messages by device."""

    # Each is called after every change, of the record too.
    listeners: list[Callable[[], None]] = field(default_factory=list)
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
    # By event and game: a result that waits at its table (`hub.tables.result_check.NotNow`).
    withheld: dict[tuple[str, str], Withheld] = field(default_factory=dict)
    # By event and game: the moves that a scribe has tapped, as far as they are shown (`hub.tables.scribes`).
    lines: dict[tuple[str, str], str] = field(default_factory=dict)
    # Devices that run twice.
    twins: Twins = field(default_factory=Twins)
    # By device: its clock at the last change that was no mere running on.
    _changed_clocks: dict[str, ClockHeard] = field(default_factory=dict)

    def changed(self) -> None:
        for listener in self.listeners:
            listener()

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

    def running(self, device: str | None, clock: ClockShown) -> Side | None:
        """Return whose clock runs there, None if none does; or if the table is not reached: its clocks have been
        pressed since, and nobody here knows when."""
        reached = device is not None and self.online(device)
        return Side(clock.running) if reached and clock.running is not None else None

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

    def forget(self, device: str) -> None:
        """Forget what a device has said that was enrolled anew or revoked. The clock stays, so that the operator sees
        how far its game had got."""
        for said in (self.statuses, self.status, self.calls, self.answered):
            said.pop(device, None)
        self.twins.forget(device)
        self.withheld = {game: waiting for game, waiting in self.withheld.items() if waiting.device != device}
        self.changed()

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

    def withhold(self, tournament: str, result: Result) -> bool:
        """Note a result that waits at its table. Return False if it is noted already: the table sends it again."""
        waiting = Withheld(result.device, (result.players.black, result.players.white))
        if self.withheld.get((tournament, result.game)) == waiting:
            return False
        self.withheld[tournament, result.game] = waiting
        self.changed()
        return True

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
