"""A room of tables as one loop sees it: each takes its assignment, sends results, and waits for each receipt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from benchmarks.load.lean_mqtt import LeanClient
from benchmarks.load.table_results import TableResults
from benchmarks.load.venue import TOURNAMENT
from flagfall.link.identity import Identity
from flagfall.link.messages import Status, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Kind, Topic, device_filter

# A result is sent again after this long without a receipt, as an outbox would.
AGAIN_S = 5.0


class LoadTable:
    """One device. `receipts`: seconds from sending to receipt, in their order."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.assignment: dict[str, Any] | None = None
        self.assigned = asyncio.Event()
        self.receipts: list[float] = []
        self.again = 0
        self.client: LeanClient | None = None
        self._waiting: dict[str, asyncio.Event] = {}
        self._answers: dict[str, str] = {}
        self._revision = 0
        self._results: TableResults | None = None

    def topic(self, kind: Kind) -> str:
        return str(Topic(TOURNAMENT, self.identity.device, kind))

    async def connect(self, port: int) -> None:
        filters = (device_filter(self.identity.device),)
        self.client = await LeanClient.connected(
            port, self.identity.device, self.identity.token, filters, self._heard
        )

    def report(self) -> None:
        """Send the status in which the hub sees that the assignment has come."""
        assert self.client is not None and self.assignment is not None
        game, seat = self.assignment["game"], self.assignment["seat"]
        status = Status(online=True, fit=True, game=game, seat=seat, answers=self._answers)
        self.client.publish(self.topic(Kind.STATUS), encode(sign(status, self.identity.key)), 1, retain=True)

    def play(self, kind: str) -> None:
        """Make results of this kind from now on."""
        assert self.assignment is not None
        game, header = self.assignment["game"], self.assignment["header"]
        self._results = TableResults(self.identity, game, header, kind, tournament=TOURNAMENT)

    def prepared(self, count: int) -> list[tuple[str, bytes]]:
        """Return the next revisions, signed."""
        assert self._results is not None
        first = self._revision + 1
        self._revision += count
        return [self._results.payload(revision) for revision in range(first, first + count)]

    async def send(self, results: Sequence[tuple[str, bytes]]) -> None:
        """Send one after the other, each until its receipt."""
        assert self.client is not None
        topic = self.topic(Kind.RESULT)
        for result, payload in results:
            came = self._waiting[result] = asyncio.Event()
            begun = time.perf_counter()
            while not came.is_set():
                self.client.publish(topic, payload)
                try:
                    await asyncio.wait_for(came.wait(), AGAIN_S)
                except TimeoutError:
                    self.again += 1
            self.receipts.append(time.perf_counter() - begun)

    def close(self) -> None:
        if self.client is not None:
            self.client.close()

    def _heard(self, topic: str, payload: bytes) -> None:
        kind = topic.rpartition("/")[2]
        if kind == Kind.RECEIPT:
            message = msgspec.json.decode(payload)
            if not message["accepted"]:
                raise RuntimeError(f"the hub has refused {message['id']}: {message['why']}")
            waiting = self._waiting.pop(message["id"], None)
            if waiting is not None:
                waiting.set()
        elif kind == Kind.ASSIGNMENT and payload:
            message = msgspec.json.decode(payload)
            if message["game"] is not None:
                self.assignment = message
                self.assigned.set()
        elif kind == Kind.RULING and self.assignment is not None:
            self._answers[msgspec.json.decode(payload)["id"]] = "applied"
            if self.client is not None:  # else it is told with the rest, once the connection stands
                self.report()


async def seated(devices: Sequence[Identity], port: int) -> list[LoadTable]:
    """Return the tables, all connected, each with its assignment, as the hub knows."""
    tables = [LoadTable(identity) for identity in devices]
    for table in tables:
        await table.connect(port)
    for table in tables:
        await asyncio.wait_for(table.assigned.wait(), 30)
        table.report()
    return tables
