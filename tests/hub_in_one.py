"""The hub's parts together in one process: a real ledger, a given pairing, and what is sent kept in a list."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from hub_files import tournament_file

from hub.record.store import TournamentStore
from hub.rounds.event_operations import EventOperations
from hub.rounds.operations import Operations
from hub.rounds.paired import Paired
from hub.tables.devices import Devices
from hub.tables.inbound import Inbound
from hub.tables.live import Live
from hub.tables.outbound import Outbound
from hub.tables.rejudge import differences_of
from hub.tables.rejudging import RefereeAside, Rejudging
from hub.text import Text
from hub.tournament import Tournament
from ledger.sqlite import SqliteLedger
from link.messages import Receipt, decode, encode
from link.topics import Arrival, Kind, Topic
from othello.game import Header
from othello.gamefile import header_object


class RefereeHere(RefereeAside):
    """In place of the child process."""

    async def differences(self, message: str, assigned: Header, longest_s: float) -> tuple[Text, ...]:
        return msgspec.convert(differences_of(message, header_object(assigned)), tuple[Text, ...])


@dataclass
class Room:
    """A hub without sockets. `sent` is everything handed to the broker."""

    store: TournamentStore
    devices: Devices
    live: Live
    outbound: Outbound
    operations: Operations
    reception: Inbound
    rejudging: Rejudging
    sent: list[tuple[Topic, bytes]] = field(default_factory=list)
    now_ns: int = 0

    def of(self, kind: Kind, device: str = "t1") -> list[Any]:
        return [
            decode(topic, payload)
            for topic, payload in self.sent
            if (topic.kind, topic.device) == (kind, device)
        ]

    @property
    def event(self) -> EventOperations:
        return self.operations.of("open", "operator")

    def receipts(self) -> list[Receipt]:
        return self.of(Kind.RECEIPT)

    async def arrives(self, *messages: Any, device: str = "t1") -> None:
        await taken(
            self.reception,
            [Arrival(str(Topic("open", device, message.kind)), encode(message)) for message in messages],
        )
        await self.rejudging.judge_waiting()


async def taken(reception: Inbound, batch: Sequence[Arrival]) -> None:
    """Heard, recorded and answered."""
    await reception.record(await reception.take(batch))


async def neighbours(tournament: Tournament) -> Paired:
    """First with second, third with fourth."""
    ids = [player.id for player in tournament.players]
    games = tuple((table, ids[2 * table - 2], ids[2 * table - 1]) for table in range(1, len(ids) // 2 + 1))
    return Paired(len(tournament.rounds) + 1, games, tuple(ids[2 * len(games) :]), None, ())


async def open_room(folder: Path, pair: Callable[[Tournament], Awaitable[Paired]] = neighbours) -> Room:
    store = await TournamentStore.opened(
        lambda: SqliteLedger(folder / "ledger.sqlite"), lambda: "2026-11-05T10:00:00Z"
    )
    devices = Devices(folder / "devices.json")
    live = Live(lambda: None)
    sent: list[tuple[Topic, bytes]] = []

    def send(topic: Topic, payload: bytes) -> bool:
        sent.append((topic, payload))
        return True

    room: Room
    outbound = Outbound(store.states, devices, live, send, lambda: room.now_ns)
    numbers = iter(range(1_000_000))
    head = store.head("open")[:6]
    desk = Operations(store, devices, outbound, pair, lambda: f"id{head}{next(numbers)}", lambda: None)

    def log(level: str, line: str) -> None:
        pass

    rejudging = Rejudging(store, live, RefereeHere(), log)
    reception = Inbound(
        store, devices, live, outbound, now_ns=lambda: room.now_ns, log=log, judge_later=rejudging.add
    )
    room = Room(store, devices, live, outbound, desk, reception, rejudging, sent)
    return room


def play(folder: Path, story: Callable[[Room], Awaitable[None]], **how: Any) -> None:
    """Opens a room, tells the story, closes it."""

    async def told() -> None:
        room = await open_room(folder, **how)
        try:
            await story(room)
        finally:
            await room.store.close()

    asyncio.run(told())


async def first_round(room: Room, players: int = 2) -> tuple[Any, Any]:
    """One enrolled device with a game: (its identity, its assignment)."""
    identity = await room.operations.enroll("t1", 1, "operator")
    await room.operations.create("open", tournament_file(players), "operator")
    await room.event.publish()
    return identity, room.of(Kind.ASSIGNMENT)[-1]
