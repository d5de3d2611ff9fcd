"""The detection of devices that run twice: a cloned card, or one settings file on two cards.

Each start of a table's program has a random token of its own, which its status carries. The broker lets one connection
of a device in at a time, so two programs with one identity take turns. A start that was replaced by another and speaks
again shows it. A restart does not (the old start never comes back), nor does a reconnection (the start is the same).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flagfall.link.messages import Sessions

# Starts remembered for each device: it may be restarted now and then.
_MOST_STARTS = 16


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
