"""The hub's parts together in one process: a real ledger, a given pairing, and what is sent kept in a list."""

from __future__ import annotations

import asyncio
import datetime
import itertools
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from hub_files import tournament_file

from hub.ages import MachineClock
from hub.assembly import put_together, wall
from hub.child_process import Aside
from hub.commands.desk import Desk, Event
from hub.commands.events import NewEvent
from hub.commands.table import COMMANDS
from hub.commands.tables import EnrolledDevice
from hub.config import ACCOUNTS, DEVICES
from hub.desk.accounts import Accounts, Role
from hub.desk.setup_code import SetupCode
from hub.model.tournament import Tournament
from hub.pairing.round import PairedGame
from hub.record.events import Happening
from hub.record.store import TournamentStore
from hub.rounds.paired import Paired
from hub.running import Broker, Hub
from hub.tables.devices import Devices
from hub.tables.inbound import Inbound
from hub.tables.rejudge import differences_of
from hub.tables.rejudging import RefereeAside, Rejudging
from ledger.sqlite import SqliteLedger
from link.messages import Receipt, decode, encode
from link.topics import Arrival, Kind, Topic
from othello.game import Header
from othello.gamefile import header_object
from othello.message import Message

NOW = "2026-11-05T10:00:00Z"


class RefereeHere(RefereeAside):
    """In place of the child process."""

    async def differences(self, message: str, assigned: Header, longest_s: float) -> tuple[Message, ...]:
        return msgspec.convert(differences_of(message, header_object(assigned)), tuple[Message, ...])


class InThread(Aside):
    """What takes long, without a child process for each test."""

    async def run(self, longest_s: float, work: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.to_thread(work, *arguments)


def hub_of(folder: Path, store: TournamentStore, **others: Any) -> Hub:
    """Without a socket, a child process and a clock that runs; `others` stand in place of some of these arguments."""
    numbers = itertools.count()
    head = store.head("open")[:6]

    def fresh_id() -> str:
        return f"id{head}{next(numbers)}"

    arguments: dict[str, Any] = {
        "state_dir": folder,
        "store": store,
        "devices": Devices(folder / DEVICES),
        "accounts": Accounts(folder / ACCOUNTS),
        "setup": SetupCode("ABCD-EFGH", lambda: None),
        "token": "a-token-of-this-hub",
        "send": lambda topic, payload: True,
        "clear": lambda topic: None,
        "broker": Broker("", 1883, None),
        "now_ns": lambda: 0,
        "wall": wall,
        "fresh_id": fresh_id,
        "fresh_secret": fresh_id,
        "pair": neighbours,
        "aside": InThread(),
        "referee": RefereeHere(),
        "log": lambda level, line: None,
    }
    arguments |= others
    arguments.setdefault("clock", machine_clock_of(arguments["now_ns"], arguments["wall"]))
    return put_together(**arguments)


def machine_clock_of(now_ns: Callable[[], int], wall: Callable[[], datetime.datetime]) -> MachineClock:
    """The machine's clock by the test's two clocks."""
    return MachineClock("a boot", now_ns, lambda: int(wall().timestamp() * 1e9))


class Operated:
    """A hub whose commands are run as its director does."""

    hub: Hub

    def event(self, tournament: str = "open", who: str = "o") -> Event:
        return Desk(self.hub, who, Role.DIRECTOR).event(tournament)

    async def run(self, command: str, tournament: str = "open", who: str = "o", **fields: Any) -> Any:
        """Run a command of the event, with these fields (of an object without a struct: `fields`)."""
        row = COMMANDS[command]
        asked = fields["fields"] if row.fields is dict else row.fields(**fields)
        return await row.run(self.event(tournament, who), asked)

    async def record(self, happening: Happening) -> Any:
        return await self.event().record(lambda _: happening)

    async def create(self, tournament: str, file: Any, take_devices: bool = False) -> Any:
        new = NewEvent(tournament=tournament, file=file, take_devices=take_devices)
        return await COMMANDS["create-event"].run(Desk(self.hub, "o", Role.DIRECTOR), new)

    async def enroll(self, device: str, seat: int | None = None, again: bool = False) -> Any:
        new = EnrolledDevice(device=device, seat=seat, again=again)
        return await COMMANDS["enrol-device"].run(Desk(self.hub, "o", Role.DIRECTOR), new)


class Room(Operated):
    """A hub without sockets. `sent` is everything handed to the broker."""

    def __init__(self, folder: Path, store: TournamentStore, **others: Any) -> None:
        self.sent: list[tuple[Topic, bytes]] = []
        self.now_ns = 0
        given = {"send": self._send, "now_ns": lambda: self.now_ns, **others}
        self.hub = hub_of(folder, store, **given)
        self.store, self.reception, self.rejudging = store, self.hub.inbound, self.hub.rejudging
        self.devices, self.live = self.hub.devices, self.hub.live
        self.outbound = self.hub.outbound

    def _send(self, topic: Topic, payload: bytes) -> bool:
        self.sent.append((topic, payload))
        return True

    def of(self, kind: Kind, device: str = "t1") -> list[Any]:
        return [
            decode(topic, payload)
            for topic, payload in self.sent
            if (topic.kind, topic.device) == (kind, device)
        ]

    def receipts(self) -> list[Receipt]:
        return self.of(Kind.RECEIPT)

    async def arrives(self, *messages: Any, device: str = "t1") -> None:
        await taken(
            self.reception,
            [Arrival(str(Topic("open", device, message.kind)), encode(message)) for message in messages],
        )
        await judged_again(self.rejudging)


async def judged_again(rejudging: Rejudging) -> None:
    """Everything that waits is judged now."""
    for lane in (rejudging._soon, rejudging._late):
        await rejudging._judge_waiting(lane)


async def taken(reception: Inbound, batch: Sequence[Arrival]) -> None:
    """Heard, recorded and answered."""
    await reception.record(await reception.take(batch))


async def neighbours(tournament: Tournament) -> Paired:
    """First with second, third with fourth."""
    ids = [player.id for player in tournament.players]
    games = tuple(PairedGame(at // 2 + 1, *ids[at : at + 2]) for at in range(0, len(ids) - 1, 2))
    return Paired(len(tournament.rounds) + 1, games, tuple(ids[2 * len(games) :]), None, ())


async def opened_store(folder: Path, label: Callable[[], str] = lambda: NOW) -> TournamentStore:
    return await TournamentStore.opened(lambda: SqliteLedger(folder / "ledger.sqlite"), label)


async def open_room(folder: Path, **others: Any) -> Room:
    """`others`: as for `hub_of`."""
    return Room(folder, await opened_store(folder), **others)


def play(folder: Path, story: Callable[[Room], Awaitable[None]], **others: Any) -> None:
    """Opens a room, tells the story, closes it."""

    async def told() -> None:
        room = await open_room(folder, **others)
        try:
            await story(room)
        finally:
            await room.store.close()

    asyncio.run(told())


async def first_round(room: Room, players: int = 2) -> tuple[Any, Any]:
    """One enrolled device with a game: (its identity, its assignment)."""
    identity = await room.enroll("t1", 1)
    await room.create("open", tournament_file(players))
    await room.run("publish-round")
    return identity, room.of(Kind.ASSIGNMENT)[-1]
