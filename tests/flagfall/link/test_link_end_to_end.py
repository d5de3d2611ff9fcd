"""Outbox, client, broker, decision, ledger and receipt together, while the broker and the hub come and go."""

from __future__ import annotations

import queue
import threading
import time
from pathlib import Path
from random import Random

import msgspec
from helpers.broker_thread import BrokerThread
from helpers.ledger_records import record
from helpers.waiting import PATIENCE_S

from flagfall.ledger.entry import EntryDraft, canonical
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.link.client.client import LinkClient
from flagfall.link.identity import Identity, create
from flagfall.link.messages import BadMessage, Receipt, Result, decode, encode
from flagfall.link.signature import sign, verify
from flagfall.link.topics import Arrival, Kind, Topic, device_filter, hub_filters, parse
from hub.model.games import Game
from hub.tables.result_check import result_fault
from table_app.hub_link.outbox import Outbox

GAMES = 30


class Table(threading.Thread):
    """Puts its results into the outbox and sends them until each has its receipt."""

    def __init__(self, port: int, who: Identity, results: list[Result], path: Path) -> None:
        super().__init__(daemon=True)
        self.port, self.who, self.results, self.path = port, who, results, path
        self.receipts: list[str] = []
        self.resent = 0

    def run(self) -> None:
        inbox: queue.Queue[Arrival | bool] = queue.Queue()
        outbox = Outbox(self.path, Random(1))
        topic = Topic("woc", self.who.device, Kind.RESULT)
        for result in self.results:
            outbox.put(result.id, str(topic), encode(sign(result, self.who.key)))
        link = LinkClient(
            "127.0.0.1",
            self.port,
            self.who.device,
            self.who.token,
            (device_filter(self.who.device),),
            inbox=inbox.put,
            on_state=inbox.put,
            random=Random(2),
        )
        link.start()
        sent: set[str] = set()
        while outbox.pending():
            for letter in outbox.due(time.monotonic_ns()):
                if link.publish(letter.topic, letter.payload, 1, False):
                    outbox.sent(letter.id, time.monotonic_ns())
                    self.resent += letter.id in sent
                    sent.add(letter.id)
            try:
                news = inbox.get(timeout=0.05)
            except queue.Empty:
                continue
            if isinstance(news, bool):
                outbox.reconnected()
                continue
            arrived = parse(news.topic)
            assert arrived is not None
            message = decode(arrived, news.payload)
            if isinstance(message, Receipt) and verify(Kind.RECEIPT, news.payload, self.who.hub):
                assert message.accepted, message.why
                if outbox.receipt(message.id):
                    self.receipts.append(message.id)
        link.stop()
        outbox.close()


class Hub(threading.Thread):
    """Stores what is right and answers with receipts. After so many new results, or at None in its inbox, it ends
    without a word: the last result it has stored gets no receipt."""

    def __init__(
        self, port: int, who: Identity, tables: dict[str, Identity], path: Path, ends_after: int
    ) -> None:
        super().__init__(daemon=True)
        self.port, self.who, self.tables, self.path, self.ends_after = port, who, tables, path, ends_after
        self.quarantined: list[str] = []
        self.inbox: queue.Queue[Arrival | None] = queue.Queue()

    def run(self) -> None:
        ledger = SqliteLedger(self.path)
        signatures: dict[str, dict[int, str]] = {}
        for entry in ledger.read("woc"):
            self.fold(signatures, msgspec.json.decode(entry.body, type=Result))
        link = LinkClient(
            "127.0.0.1",
            self.port,
            "hub",
            self.who.token,
            hub_filters(),
            inbox=self.inbox.put,
            on_state=lambda _: None,
            random=Random(3),
        )
        link.start()
        new = 0
        while new < self.ends_after and (arrival := self.inbox.get(timeout=PATIENCE_S)) is not None:
            topic = parse(arrival.topic)
            assert topic is not None
            try:
                message = decode(topic, arrival.payload)
            except BadMessage:
                continue
            if not isinstance(message, Result):
                continue
            key = self.tables[topic.device].public
            game = Game("11", "22", table=1, id=message.game, round=1, device=topic.device)
            stored = signatures.get(message.game, {})
            fault = result_fault(
                topic, arrival.payload, message, game, key=key, hub=b"h" * 32, signatures=stored
            )
            if fault is not None:
                self.quarantined.append(fault)
                continue
            draft = EntryDraft(
                message.id, "result", 1, "", topic.device, "woc", canonical(msgspec.to_builtins(message))
            )
            done = record(ledger, [draft])
            assert (done.new == 0) == (message.revision in stored)
            new += done.new
            if new < self.ends_after:
                self.fold(signatures, message)
                receipt = sign(Receipt(id=message.id, accepted=True, head=done.head), self.who.key)
                link.publish(str(Topic("woc", topic.device, Kind.RECEIPT)), encode(receipt), 1, False)
        link.stop()
        ledger.close()

    def fold(self, signatures: dict[str, dict[int, str]], result: Result) -> None:
        signatures.setdefault(result.game, {})[result.revision] = result.signature


def test_every_result_is_stored_once_though_hub_and_broker_break_off(result: Result, tmp_path: Path) -> None:
    hub_itself = create("hub")
    people = {"hub": hub_itself, **{name: create(name, hub_itself.public) for name in ("t7", "t8")}}
    tokens = {name: person.token for name, person in people.items()}
    broker = BrokerThread(tokens)
    port = broker.start()

    def game(device: str, number: int) -> Result:
        name = f"woc-{device}-{number}"
        return msgspec.structs.replace(result, id=f"{name}.1", game=name, device=device)

    tables = [
        Table(port, people[name], [game(name, n) for n in range(GAMES)], tmp_path / f"{name}.sqlite")
        for name in ("t7", "t8")
    ]
    for table in tables:
        table.start()
    ledger_path = tmp_path / "ledger.sqlite"
    quarantined: list[str] = []
    for ends_after in (5, 20):
        hub = Hub(port, people["hub"], people, ledger_path, ends_after)
        hub.start()
        hub.join(PATIENCE_S)
        assert not hub.is_alive()
        quarantined += hub.quarantined
        broker.stop()
        broker = BrokerThread(tokens, port=port)
        broker.start()
    hub = Hub(port, people["hub"], people, ledger_path, 2 * GAMES)
    hub.start()
    for table in tables:
        table.join(PATIENCE_S)
        assert not table.is_alive()
        assert sorted(table.receipts) == sorted(sent.id for sent in table.results)
        assert table.resent
    hub.inbox.put(None)
    hub.join(PATIENCE_S)
    assert not hub.is_alive()
    quarantined += hub.quarantined
    broker.stop()
    ledger = SqliteLedger(ledger_path, read_only=True)
    stored = [entry.id for entry in ledger.read("woc")]
    assert sorted(stored) == sorted(sent.id for table in tables for sent in table.results)
    assert ledger.verify("woc") is None
    assert quarantined == []
    ledger.close()
