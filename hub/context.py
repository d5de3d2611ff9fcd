"""The parts of one hub that the operator's console and the operator's API work with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hub.record.store import TournamentStore
from hub.rounds.operations import Operations
from hub.tables.devices import Devices
from hub.tables.enrolment import Offers
from hub.tables.live import Live
from hub.tables.outbound import Outbound
from hub.tables.updates import Updates


@dataclass(frozen=True, slots=True)
class HubContext:
    """`hall_key` opens the pages that projector and printer may show before phones; `set_aside` revokes a device."""

    operations: Operations
    store: TournamentStore
    devices: Devices
    live: Live
    outbound: Outbound
    offers: Offers
    updates: Updates
    set_aside: Callable[[str], Awaitable[None]]
    hall_key: str
