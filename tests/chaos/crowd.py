"""Many tables in one process, as the hub hears them: they play what they are assigned and send results until each has
its receipt. Killed at any instant, the process goes on from its files when it is started again.

crowd.py FOLDER HOST PORT: FOLDER holds a `<device>.identity` for each table.
How a game ends follows from its id alone, so that a game that was lost with the process is played the same again.
"""

from __future__ import annotations

import hashlib
import queue
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

from link.client.client import Link, LinkClient, Will
from link.identity import Identity, load
from link.messages import Assignment, BadMessage, PerColour, Receipt, Result, Status, decode, encode
from link.outbox import Outbox
from link.packed_file import pack
from link.signature import sign, verify
from link.topics import Arrival, Kind, Topic, device_filter, parse
from othello.gamefile import format_game, parse_header
from othello.inputs import BoardState, Press, Rule, Sign, Start
from othello.inputs import Ruling as Ruled
from othello.referee import judge, new_game
from othello.report import outcome
from othello.side import Side

LOOK_S = 0.1


def score_of(game: str) -> tuple[int, int]:
    """How a game ends: discs, black first."""
    black = hashlib.sha256(game.encode()).digest()[0] % 65
    return black, 64 - black


def results_of(header: dict[str, Any], game: str, identity: Identity) -> list[Result]:
    """Both revisions: at the end of the game, and signed by the players."""
    value = parse_header(header)
    inputs: list[Any] = [
        Start(1_000),
        BoardState(1_500, ok=False),
        Press(2_000, Side.WHITE),
        Ruled(3_000, Rule.ENTER_SCORE, score=score_of(game)),
    ]
    return [
        _result(value, inputs, game, identity, 1, False),
        _result(value, [*inputs, Sign(4_000, Side.BLACK), Sign(5_000, Side.WHITE)], game, identity, 2, True),
    ]


def _result(
    header: Any, inputs: list[Any], game: str, identity: Identity, revision: int, signed: bool
) -> Result:
    played = new_game(header)
    for one in inputs:
        played = judge(played, one)
    told = outcome(played)
    packed = pack(format_game(header, inputs).encode())
    result = Result(
        id=f"{game}.{revision}",
        game=game,
        revision=revision,
        device=identity.device,
        score=PerColour(told["score"]["black"], told["score"]["white"]),
        winner=told["winner"],
        reason=told["reason"],
        transcript=told["transcript"],
        clocks_ns=PerColour(0, 0),
        flags=PerColour(0, 0),
        incidents=told["incidents"],
        signatures=PerColour(signed, signed),
        file=packed.file,
        sha256=packed.sha256,
    )
    return sign(result, identity.key)


class Table(threading.Thread):
    def __init__(self, folder: Path, identity: Identity, host: str, port: int, number: int) -> None:
        super().__init__(daemon=True)
        self.identity = identity
        self.random = Random(number)
        self.outbox_path = folder / f"{identity.device}.outbox"
        self.tournament = ""
        self.assigned: Assignment | None = None
        self.inbox: queue.Queue[Arrival | bool] = queue.Queue()
        self.link = LinkClient(
            Link(
                host,
                port,
                identity.device,
                identity.token,
                (device_filter(identity.device),),
                self.inbox.put,
                self.inbox.put,
                Random(number),
            )
        )

    def run(self) -> None:
        self.outbox = Outbox(self.outbox_path, self.random)
        self.link.start()
        while True:
            now_ns = time.monotonic_ns()
            for letter in self.outbox.due(now_ns):
                if not self.link.publish(letter.topic, letter.payload, 1, False):
                    break
                self.outbox.sent(letter.id, now_ns)
            try:
                news = self.inbox.get(timeout=LOOK_S)
            except queue.Empty:
                continue
            if news is True:
                self.outbox.reconnected()
                self.tell()
            elif isinstance(news, Arrival):
                self.take(news)

    def take(self, arrival: Arrival) -> None:
        topic = parse(arrival.topic)
        if topic is None or topic.kind not in (Kind.ASSIGNMENT, Kind.RECEIPT) or not arrival.payload:
            return
        try:
            message = decode(topic, arrival.payload)
        except BadMessage:
            return
        if not verify(topic.kind, arrival.payload, self.identity.key):
            return
        if isinstance(message, Receipt):
            if message.again:
                self.outbox.again(message.id)
            else:
                self.outbox.receipt(message.id, message.head if message.accepted else "")
                self.tell()
        elif isinstance(message, Assignment) and (self.assigned is None or message.seq > self.assigned.seq):
            self.assigned, self.tournament = message, topic.tournament or ""
            will = Will(
                str(Topic(self.tournament, self.identity.device, Kind.STATUS)), encode(Status(online=False))
            )
            self.link.set_will(will)
            self.tell()
            self.play(message)

    def play(self, assigned: Assignment) -> None:
        if assigned.game is None or assigned.header is None:
            return
        topic = str(Topic(self.tournament, self.identity.device, Kind.RESULT))
        known = self.outbox.kept(topic)
        for result in results_of(assigned.header, assigned.game, self.identity):
            if result.id not in known:
                self.outbox.put(result.id, topic, encode(result))
            time.sleep(self.random.uniform(0, 0.3))  # so that revisions of many tables mix

    def tell(self) -> None:
        if self.assigned is None:
            return
        topic = Topic(self.tournament, self.identity.device, Kind.STATUS)
        kept = self.outbox.kept(str(Topic(self.tournament, self.identity.device, Kind.RESULT)))
        status = Status(
            online=True, fit=True, game=self.assigned.game, seat=self.assigned.seat, receipts=kept
        )
        self.link.publish(str(topic), encode(status), 1, True)


def main() -> None:
    folder, host, port = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    files = sorted(folder.glob("*.identity"))
    tables = [Table(folder, load(file), host, port, number) for number, file in enumerate(files)]
    for table in tables:
        table.start()
    for table in tables:
        table.join()


if __name__ == "__main__":
    main()
