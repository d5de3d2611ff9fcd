"""Revokes a device that is lost or harmful: its messages are ignored, and the broker forgets what it retained."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hub.limits.abuses import Abuses
from hub.tables.devices import Devices
from hub.text import Refused
from hub.venue import folder as venue
from link.topics import FROM_TABLE, RETAINED, Topic


@dataclass(eq=False)
class SettingAside:
    """`clear` makes the broker forget a retained topic; `events` are the tournaments of this hub. `venue_folder`: the
    folder of certificates, None if there are none."""

    devices: Devices
    abuses: Abuses
    events: Mapping[str, object]
    clear: Callable[[Topic], None]
    venue_folder: Path | None

    def __post_init__(self) -> None:
        self._certifying = asyncio.Lock()

    async def set_aside(self, device: str) -> None:
        """Key and token of the device become invalid, and its connections at the hub's own broker end
        (`Devices.changed`); a venue's broker restarts without it. Refused if it is not enrolled."""
        self.devices.revoke(device)
        self.abuses.forget(device)
        for topic in retained_topics(device, self.events):
            self.clear(topic)
        if self.venue_folder is not None:
            try:
                async with self._certifying:
                    await asyncio.to_thread(venue.revoke, self.venue_folder, device)
            except venue.VenueError as fault:
                raise Refused(str(fault)) from None


def retained_topics(device: str, events: Iterable[str]) -> Iterable[Topic]:
    """The topics that a broker may retain of a device and for it."""
    for tournament in (None, *events):
        for kind in sorted(FROM_TABLE | RETAINED):
            yield Topic(tournament, device, kind)
