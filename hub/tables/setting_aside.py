"""Revokes a device that is lost or harmful: its messages are ignored, and the broker forgets what it retained."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from hub.limits.abuses import Abuses
from hub.tables.devices import Devices
from hub.text import Refused
from hub.venue import folder as venue
from link.topics import FROM_TABLE, RETAINED, Topic


class SettingAside:
    """`clear` makes the broker forget a retained topic; `events` are the tournaments of this hub. `venue_folder`: the
    folder of certificates, None if there are none."""

    def __init__(
        self,
        devices: Devices,
        abuses: Abuses,
        events: Mapping[str, object],
        clear: Callable[[Topic], None],
        venue_folder: Path | None,
    ) -> None:
        self._devices = devices
        self._abuses = abuses
        self._events = events
        self._clear = clear
        self._venue = venue_folder
        self._certifying = asyncio.Lock()

    async def set_aside(self, device: str) -> None:
        """Key and token of the device become invalid, and its connections at the hub's own broker end
        (`Devices.changed`); a venue's broker restarts without it. Refused if it is not enrolled."""
        self._devices.revoke(device)
        self._abuses.forget(device)
        for topic in retained_of(device, self._events):
            self._clear(topic)
        if self._venue is not None:
            try:
                async with self._certifying:
                    await asyncio.to_thread(venue.revoke, self._venue, device)
            except venue.VenueError as fault:
                raise Refused(str(fault)) from None


def retained_of(device: str, events: Iterable[str]) -> Iterable[Topic]:
    """The topics that a broker may retain of a device and for it."""
    for tournament in (None, *events):
        for kind in sorted(FROM_TABLE | RETAINED):
            yield Topic(tournament, device, kind)
