"""The table's loop, turn by turn: one event after another at instants of the test's own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

from msgspec import structs

from flagfall.link import messages
from flagfall.link.client.client import Will
from flagfall.link.identity import Identity, create
from flagfall.link.keys import new_key, public_key
from flagfall.link.messages import AnyMessage, decode, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Topic, parse
from flagfall.othello.board import START, Position, parse_transcript
from flagfall.othello.inputs import Note, Start
from flagfall.othello.side import Side
from helpers import waiting
from helpers.waiting import PATIENCE_S
from table_app.assembly import Adapters, put_together
from table_app.board.port import NoBoard
from table_app.events import (
    Arrival,
    BoardPresence,
    BoardShown,
    BoardStream,
    ButtonEdge,
    Inbox,
    Part,
    PartTrouble,
    ScreenInput,
    place_of,
)
from table_app.hub_link.sender import NoLink, Sender
from table_app.log import Log
from table_app.record.journal import JournalWriter, SyncedDisk
from table_app.record.spare import Spare
from table_app.record.state_dir import StateDirectory
from table_app.timebase import Timebase

MS = 1_000_000
S = 1_000 * MS
HUB = new_key()
KEY = create("d1", public_key(HUB))
HEADER = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "minutes": 30}


class Broker(NoLink):
    """A link that keeps what was said."""

    def __init__(self) -> None:
        self.up = True
        self.sent: list[tuple[str, AnyMessage]] = []
        self.will: Will | None = None
        self.hosts: list[str] = []
        self.left = 0
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        place = parse(topic)
        if not self.up:
            return False
        assert place is not None and place.retained == retain
        if payload:  # nothing: what was retained is taken back
            assert place.qos == qos
            self.sent.append((topic, decode(place, payload)))
        return True

    def add_host(self, host: str) -> None:
        self.hosts.append(host)

    def leave_host(self) -> None:
        self.left += 1

    def set_will(self, will: Will | None) -> None:
        self.will = will

    def of(self, kind: type[Any]) -> list[Any]:
        return [message for _, message in self.sent if isinstance(message, kind)]


class Board(NoBoard):
    """A board that says what the test lets it."""

    turned = False

    def turn(self, turned: bool) -> None:
        self.turned = turned


class FailingDisk(SyncedDisk):
    """A disk that is full, or that takes as long as a card that stalls while `goes_on` is not set."""

    def __init__(self) -> None:
        self.full = False
        self.goes_on = threading.Event()
        self.goes_on.set()

    def write(self, path: Path, offset: int, content: bytes) -> None:
        self.goes_on.wait()
        if self.full:
            raise OSError(28, "No space left on device")
        super().write(path, offset, content)


class Table:
    """One table program from its start to its end, in the test's own time."""

    def __init__(
        self, path: Path, identity: Identity = KEY, spare: Path | None = None, **options: Any
    ) -> None:
        """Start a table; `spare` is memory that outlives the program."""
        self.monotonic_ns = 500 * S
        self.state = StateDirectory(path, Spare(spare))
        self.state.open()
        self.inbox: Inbox = SimpleQueue()
        self.disk = FailingDisk()
        self.broker = Broker()
        self.board = Board()
        self.log = StringIO()
        self.recorder = JournalWriter(
            self.disk,
            lambda why: self.inbox.put(PartTrouble(Part.DISK, why)),
            spare=self.state.spare,
            alive=self.state.alive,
        )
        self.sender = Sender(
            identity=identity,
            outbox=self.state.outbox_path,
            link=self.broker,
            put=self.inbox.put,
            random=Random(1),
        )
        self.instants = Timebase.going_on_from(self.state.last_instant_ns(), lambda: self.monotonic_ns)
        adapters = Adapters(
            inbox=self.inbox,
            instants=self.instants,
            identity=identity,
            state=self.state,
            recorder=self.recorder,
            sender=self.sender,
            board=self.board,
            log=Log(stream=self.log),
            **options,
        )
        self.appliance = put_together(adapters)
        self.recorder.start()
        self.sender.start()
        self.appliance.restore(self.state.kept())
        self.turn()

    @property
    def now_ns(self) -> int:
        return self.instants.now_ns()

    @property
    def view(self) -> Any:
        return self.appliance.view

    @property
    def game(self) -> Any:
        assert self.view.game is not None
        return self.view.game

    def turn(self, *events: Any, after_ns: int = 0) -> None:
        self.monotonic_ns += after_ns
        taken = list(events)
        while not self.inbox.empty():
            taken.append(self.inbox.get())
        self.appliance.turn(taken, self.now_ns)

    def until(self, condition: Callable[..., bool]) -> None:
        """Turn (the test's time stands still) until the other threads have done their part."""

        def turned() -> bool:
            self.turn()
            return condition()

        condition() or waiting.until(turned, self.log.getvalue, meanwhile=(), every_s=0.005)

    def synced(self) -> None:
        """Wait until all that was recorded is on disk."""
        done = threading.Event()
        self.recorder.after_durable(done.set)
        assert done.wait(PATIENCE_S)

    def order(self, message: Any, key: bytes = HUB, tournament: str | None = "woc") -> None:
        signed = sign(structs.replace(message, device="d1"), key)
        topic = Topic(tournament, "d1", message.kind)
        self.turn(Arrival(str(topic), encode(signed), False))

    def assign(self, seq: int = 1, game: str | None = "1-1-a", **header: Any) -> None:
        self.order(
            messages.Assignment(
                seq=seq, tournament="woc", game=game, seat=4, header=None if game is None else HEADER | header
            )
        )

    def start(self) -> None:
        self.turn(ScreenInput(Start(self.now_ns)))
        self.turn(after_ns=300 * MS)

    def press(self, side: Side, after_ns: int = S) -> None:
        self.monotonic_ns += after_ns
        self.turn(BoardStream(self.now_ns - 50 * MS), ButtonEdge(self.now_ns, place_of(side, False), True))
        self.turn(ButtonEdge(self.now_ns + 60 * MS, place_of(side, False), False), after_ns=60 * MS)
        self.settle()

    def settle(self) -> None:
        self.turn(BoardStream(self.now_ns + 100 * MS), after_ns=100 * MS)

    def shown(self, position: Position) -> None:
        self.turn(BoardShown(self.now_ns, position), after_ns=70 * MS)

    def with_board(self) -> None:
        self.turn(BoardPresence(self.now_ns, True, "b0"), BoardShown(self.now_ns, START))

    def close(self) -> None:
        self.recorder.close()
        self.sender.close()
        self.state.close()


def play_on(table: Table, transcript: str = "f5d6c3d3c4", **header: Any) -> Position:
    """Assign and start a game, and make these moves."""
    table.with_board()
    table.assign(**header)
    table.start()
    table.press(Side.WHITE)
    position, side = START, Side.BLACK
    for square in parse_transcript(transcript):
        position = position.played(side is Side.BLACK, square)
        table.turn(after_ns=S)
        table.shown(position)
        table.press(side, after_ns=10 * MS)
        side = side.other
    return position


def hold(table: Table, side: Side, for_ns: int) -> None:
    """Down for a while, then up; the press itself is out of turn and changes nothing."""
    table.turn(ButtonEdge(table.now_ns, place_of(side, False), True), after_ns=100 * MS)
    for _ in range(for_ns // (500 * MS)):
        table.turn(BoardStream(table.now_ns), after_ns=500 * MS)
    table.turn(ButtonEdge(table.now_ns, place_of(side, False), False), after_ns=100 * MS)
    table.settle()


def notes(table: Table) -> list[Note]:
    return [entry.note for entry in table.game.notes]
