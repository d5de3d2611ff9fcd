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

from helpers.hub_files import result_of

from flagfall.link.client.client import LinkClient, Will
from flagfall.link.identity import Identity, load
from flagfall.link.messages import Assignment, BadMessage, Receipt, Result, Status, decode, encode
from flagfall.link.signature import sign, verify
from flagfall.link.topics import Arrival, Kind, Topic, device_filter, parse
from table_app.hub_link.outbox import Outbox

LOOK_S = 0.1


def score_of(game: str) -> tuple[int, int]:
    """Return the final discs of a game, black first."""
    black = hashlib.sha256(game.encode()).digest()[0] % 65
    return black, 64 - black


def results_of(header: dict[str, Any], game: str, identity: Identity) -> list[Result]:
    """Both revisions: at the end of the game, and signed by the players."""
    score = score_of(game)
    return [result_of(header, game, identity, score, revision, signed=revision == 2) for revision in (1, 2)]


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
            host,
            port,
            identity.device,
            identity.token,
            (device_filter(identity.device),),
            inbox=self.inbox.put,
            on_state=self.inbox.put,
            random=Random(number),
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
                self.report()
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
        if not verify(topic.kind, arrival.payload, self.identity.hub):
            return
        if isinstance(message, Receipt):
            if message.again:
                self.outbox.again(message.id)
            else:
                self.outbox.receipt(message.id, message.head if message.accepted else "")
                self.report()
        elif isinstance(message, Assignment) and (self.assigned is None or message.seq > self.assigned.seq):
            self.assigned, self.tournament = message, topic.tournament or ""
            will = Will(
                str(Topic(self.tournament, self.identity.device, Kind.STATUS)),
                encode(sign(Status(online=False), self.identity.key)),
            )
            self.link.set_will(will)
            self.report()
            self.play(message)

    def play(self, assigned: Assignment) -> None:
        if assigned.game is None or assigned.header is None:
            return
        topic = str(Topic(self.tournament, self.identity.device, Kind.RESULT))
        known = self.outbox.kept(topic)
        for result in results_of(assigned.header, assigned.game, self.identity):
            if result.id not in known:
                self.outbox.put(result.id, topic, encode(result))
            time.sleep(self.random.uniform(0, 0.3))  # fixed: so that revisions of many tables mix

    def report(self) -> None:
        if self.assigned is None:
            return
        topic = Topic(self.tournament, self.identity.device, Kind.STATUS)
        kept = self.outbox.kept(str(Topic(self.tournament, self.identity.device, Kind.RESULT)))
        status = Status(
            online=True, fit=True, game=self.assigned.game, seat=self.assigned.seat, receipts=kept
        )
        self.link.publish(str(topic), encode(sign(status, self.identity.key)), 1, True)


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
