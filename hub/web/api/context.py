"""The values that the operator's API works with: the hub's parts, and what describes one operation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from hub.record.store import TournamentStore
from hub.rounds.operations import Operations
from hub.tables.devices import Devices
from hub.tables.enrolment import Offers
from hub.tables.live import Live
from hub.tables.outbound import Outbound
from hub.tables.updates import Updates


class Broker(msgspec.Struct, frozen=True):
    """The broker's address for tables; host "": the one at which they reached the hub."""

    host: str
    port: int
    venue: Path | None


@dataclass(frozen=True, slots=True)
class ApiContext:
    """The parts of one hub. `hall_key` gives projector and printer a round before its start; certificates are made one
    at a time (`certifying`)."""

    operations: Operations
    book: TournamentStore
    registry: Devices
    live: Live
    dispatch: Outbound
    offers: Offers
    updates: Updates
    broker: Broker
    set_aside: Callable[[str], Awaitable[None]]
    token: str
    hall_key: str
    certifying: asyncio.Lock = field(default_factory=asyncio.Lock)


class Operation(msgspec.Struct, frozen=True):
    """`body`: the request (dict: any object). `told`: the answer; None: an object without a schema. `act`: its
    function in the table's module. `public`: without the token."""

    method: str
    path: str
    summary: str
    act: Callable[..., Awaitable[object]]
    body: Any = None
    status: int = 200
    stream: bool = False
    told: type | None = None
    public: bool = False
