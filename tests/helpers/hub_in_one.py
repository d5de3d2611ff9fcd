"""The hub's parts together in one process: a real ledger, a fixed pairing, and a list of the messages sent."""

from __future__ import annotations

import asyncio
import datetime
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from flagfall.base.message import Message
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.link.identity import Identity, create
from flagfall.link.messages import Receipt, Status, decode, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind, Topic
from flagfall.othello.game import Header
from flagfall.othello.gamefile import header_object
from helpers.hub_files import tournament_file
from hub.ages import MachineClock
from hub.assembly import put_together, wall
from hub.child_process import Aside, within_processor_s
from hub.commands.acts import do
from hub.commands.desk import Desk, Event
from hub.commands.events import NewEvent
from hub.commands.table import COMMANDS
from hub.commands.tables import EnrolledDevice
from hub.config import ACCOUNTS, DEVICES
from hub.desk.accounts import Accounts
from hub.desk.setup_code import SetupCode
from hub.model.tournament import Tournament
from hub.pairing.round import PairedGame
from hub.proof.hub_key import hub_key
from hub.record.acts.act import Act
from hub.record.happening import Happening
from hub.record.store import TournamentStore
from hub.role import Role
from hub.rounds.paired import Paired
from hub.running import Broker, Hub
from hub.tables.devices import Devices
from hub.tables.inbound import Inbound
from hub.tables.rejudging import RefereeAside, Rejudging, differences_of

NOW = "2026-11-05T10:00:00Z"


class RefereeHere(RefereeAside):
    """A replacement of the referee's child process."""

    async def differences(self, message: str, assigned: Header, longest_s: float) -> tuple[Message, ...]:
        return msgspec.convert(differences_of(message, header_object(assigned)), tuple[Message, ...])


class InThread(Aside):
    """A replacement of the child process for long work: a thread."""

    async def run(self, longest_s: float, work: Callable[..., Any], *arguments: Any) -> Any:
        if work is within_processor_s:  # a thread has no time of its own
            _, work, *rest = arguments
            arguments = tuple(rest)
        return await asyncio.to_thread(work, *arguments)


def hub_of(folder: Path, store: TournamentStore, **others: Any) -> Hub:
    """Return a hub without sockets, child processes and running clocks. `others` replace some of these arguments."""
    numbers = itertools.count()
    head = store.head("open")[:6]

    def fresh_id() -> str:
        return f"id{head}{next(numbers)}"

    arguments: dict[str, Any] = {
        "state_dir": folder,
        "key": hub_key(folder),
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
    """Return the machine's clock made of the test's two clocks."""
    return MachineClock("a boot", now_ns, lambda: int(wall().timestamp() * 1e9))


class Operated:
    """A hub whose commands are run like by its director."""

    hub: Hub
    # The devices that were enrolled here.
    people: Mapping[str, Identity] = MappingProxyType({})

    def event(self, tournament: str = "open", who: str = "o") -> Event:
        return Desk(self.hub, who, Role.DIRECTOR).event(tournament)

    async def run(self, command: str, tournament: str = "open", who: str = "o", **fields: Any) -> Any:
        """Run a command of the event, with these fields (of an object without a struct: `fields`)."""
        row = COMMANDS[command]
        asked = fields["fields"] if row.fields is dict else row.fields(**fields)
        return await row.run(self.event(tournament, who), asked)

    async def act(self, act: Act, tournament: str = "open", who: str = "o") -> Any:
        """Have an act done at the event."""
        return await do(self.event(tournament, who), act)

    async def record(self, happening: Happening) -> Any:
        return await self.event().record(lambda _: happening)

    async def create(self, tournament: str, file: Any, take_devices: bool = False) -> Any:
        new = NewEvent(tournament=tournament, file=file, take_devices=take_devices)
        return await COMMANDS["create-event"].run(Desk(self.hub, "o", Role.DIRECTOR), new)

    async def enroll(self, device: str, seat: int | None = None, again: bool = False) -> Any:
        made = create(device, self.hub.key.public)
        new = EnrolledDevice(device=device, seat=seat, again=again, public_key=made.public.hex())
        enrolled = await COMMANDS["enrol-device"].run(Desk(self.hub, "o", Role.DIRECTOR), new)
        self.people = {**self.people, device: replace(made, token=enrolled.token)}
        return self.people[device]

    def signed(self, message: Any, device: str) -> Any:
        """Return the message, a status signed by its device."""
        is_unsigned = isinstance(message, Status) and not message.signature and device in self.people
        return sign(message, self.people[device].key) if is_unsigned else message


class Room(Operated):
    """A hub without sockets. `sent` holds all messages given to the broker."""

    def __init__(self, folder: Path, store: TournamentStore, **others: Any) -> None:
        self.sent: list[tuple[Topic, bytes]] = []
        self.now_ns = 0
        arguments = {"send": self._send, "now_ns": lambda: self.now_ns, **others}
        self.hub = hub_of(folder, store, **arguments)
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
            [
                Arrival(str(Topic("open", device, message.kind)), encode(self.signed(message, device)))
                for message in messages
            ],
        )
        await judged_again(self.rejudging)


async def judged_again(rejudging: Rejudging) -> None:
    """Judge all waiting results now."""
    for lane in (rejudging._soon, rejudging._late):
        await rejudging._judge_waiting(lane)


async def taken(reception: Inbound, batch: Sequence[Arrival]) -> None:
    """Handle, record and acknowledge a batch, with its large files."""
    await reception.record(await reception.take(batch))
    while reception.files.waiting:
        await reception.record(await reception.take_checked())


async def neighbours(tournament: Tournament) -> Paired:
    """Pair the first player with the second, the third with the fourth."""
    ids = [player.id for player in tournament.players]
    games = tuple(PairedGame(start // 2 + 1, *ids[start : start + 2]) for start in range(0, len(ids) - 1, 2))
    return Paired(len(tournament.rounds) + 1, games, tuple(ids[2 * len(games) :]), None, ())


async def opened_store(folder: Path, label: Callable[[], str] = lambda: NOW) -> TournamentStore:
    return await TournamentStore.opened(lambda: SqliteLedger(folder / "ledger.sqlite"), label)


async def open_room(folder: Path, **others: Any) -> Room:
    """Return a room. `others` are as for `hub_of`."""
    return Room(folder, await opened_store(folder), **others)


def play(folder: Path, story: Callable[[Room], Awaitable[None]], **others: Any) -> None:
    """Open a room, run the story in it, close it."""

    async def played() -> None:
        room = await open_room(folder, **others)
        try:
            await story(room)
        finally:
            await room.store.close()

    asyncio.run(played())


async def first_round(room: Room, players: int = 2, **more: Any) -> tuple[Any, Any]:
    """Publish a round with a game for one enrolled device. Return (its identity, its assignment)."""
    identity = await room.enroll("t1", 1)
    await room.create("open", tournament_file(players, **more))
    await room.run("publish-round")
    return identity, room.of(Kind.ASSIGNMENT)[-1]
