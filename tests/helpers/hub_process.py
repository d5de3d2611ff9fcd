"""A real hub in a process of its own, and tables that are clients of its broker and send results with game files."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from flagfall.link.client.client import LinkClient
from flagfall.link.identity import Identity, create
from flagfall.link.messages import Assignment, Receipt, Result, RulingMessage, Status, decode, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind, Topic, device_filter, parse
from helpers.forked_hub import ForkedHub
from helpers.hub_files import result_of
from helpers.waiting import PATIENCE_S, until
from simulator.program import free_port

# As `table_app/hub_link/sender.py` does it, which also waits longer from time to time.
SENT_AGAIN_AFTER_S = 10.0


class Table:
    """A device with a client of its own."""

    def __init__(self, identity: Identity, port: int) -> None:
        self.identity = identity
        self.heard: dict[Kind, list[Any]] = {kind: [] for kind in Kind}
        self._inbox: queue.Queue[Arrival] = queue.Queue()
        self.up = threading.Event()
        self._sent: dict[str, tuple[str, Result]] = {}
        self.link = LinkClient(
            "127.0.0.1",
            port,
            identity.device,
            identity.token,
            [device_filter(identity.device)],
            inbox=self._inbox.put,
            on_state=lambda up: self.up.set() if up else self.up.clear(),
            random=Random(1),
        )
        self.link.start()

    def listen(self) -> None:
        while True:
            try:
                arrival = self._inbox.get_nowait()
            except queue.Empty:
                return
            topic = parse(arrival.topic)
            if topic is not None and topic.kind in (Kind.ASSIGNMENT, Kind.RECEIPT, Kind.RULING):
                self.heard[topic.kind].append(decode(topic, arrival.payload))

    def wait_up(self) -> None:
        assert self.up.wait(PATIENCE_S)

    def assignment(self, fits: Callable[[Assignment], bool] = lambda _: True) -> Assignment:
        """Return the newest assignment, once it fits."""

        def newest() -> Assignment | None:
            self.listen()
            assignment = max(self.heard[Kind.ASSIGNMENT], key=lambda assignment: assignment.seq, default=None)
            return assignment if assignment is not None and fits(assignment) else None

        return until(newest)

    def receipt(self, result_id: str) -> Receipt:
        """Return the receipt of a result, which is sent again until it comes, as a table's outbox does."""
        sent_s = time.monotonic()

        def receipts() -> list[Receipt]:
            nonlocal sent_s
            self.listen()
            if (
                result_id in self._sent
                and time.monotonic() - sent_s > SENT_AGAIN_AFTER_S
                and self.up.is_set()
            ):
                sent_s = time.monotonic()
                self.send(*self._sent[result_id])
            return [receipt for receipt in self.heard[Kind.RECEIPT] if receipt.id == result_id]

        return until(receipts)[-1]

    def ruling(self, rule: str) -> RulingMessage:
        def rulings() -> list[RulingMessage]:
            self.listen()
            return [ruling for ruling in self.heard[Kind.RULING] if ruling.rule == rule]

        return until(rulings)[-1]

    def say(self, topic: Topic, payload: bytes) -> None:
        assert self.link.publish(str(topic), payload, topic.qos, topic.retained)

    def status(self, tournament: str, **fields: Any) -> None:
        topic = Topic(tournament, self.identity.device, Kind.STATUS)
        status = Status(**{"online": True, "fit": True, **fields})
        self.say(topic, encode(sign(status, self.identity.key)))

    def send(self, tournament: str, result: Result) -> None:
        self._sent[result.id] = tournament, result
        self.say(Topic(tournament, self.identity.device, Kind.RESULT), encode(result))

    def play(self, tournament: str, score: tuple[int, int], **how: Any) -> Result:
        """Play the assigned game: send its result."""
        assigned = self.assignment(lambda assignment: assignment.game is not None)
        assert assigned.header is not None and assigned.game is not None
        result = result_of(assigned.header, assigned.game, self.identity, score, tournament=tournament, **how)
        self.send(tournament, result)
        return result


class Hub:
    """A real hub process in a folder of its own. It can be killed and started again on the same ports."""

    # False: an interpreter of its own, as people start it.
    is_forked = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Nobody else's while the hub is down.
        self.ports = {"web_port": free_port(), "broker_port": free_port()}
        self.process: subprocess.Popen[bytes] | ForkedHub | None = None
        self.tables: list[Table] = []
        # Further variables of the process's environment; then it is no forked one.
        self.more: dict[str, str] = {}

    def start(self, *arguments: str) -> None:
        addresses = self.folder / "addresses.json"
        addresses.unlink(missing_ok=True)
        options = ["run", "--state-dir", str(self.folder)]
        for key, port in self.ports.items():
            options += [f"--{key.replace('_', '-')}", str(port)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FLAGFALL_")}
        root, log = Path(__file__).parents[2], self.folder / "log"
        if self.is_forked and not self.more:
            self.process = ForkedHub([*options, *arguments], root, log, environment)
        else:
            command = [sys.executable, "-m", "hub.main", *options, *arguments]
            with log.open("ab") as opened:
                self.process = subprocess.Popen(
                    command, cwd=root, stderr=opened, stdout=opened, env=environment | self.more
                )

        def read_addresses() -> dict[str, int] | None:
            assert self.process is not None and self.process.poll() is None, self.lines()
            try:
                return json.loads(addresses.read_text())
            except (OSError, ValueError):
                return None

        ports = until(read_addresses)
        self.ports = {key: ports[key] for key in self.ports}

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def stop(self) -> int:
        assert self.process is not None, "never started"
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def lines(self) -> str:
        return (self.folder / "log").read_text()

    @property
    def page(self) -> str:
        return f"http://127.0.0.1:{self.ports['web_port']}"

    def ask(self, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        token = (self.folder / "api-token").read_text().strip() if token is None else token
        request = urllib.request.Request(f"{self.page}/api/1/{path}", data, method=method)
        request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.load(refusal)

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Return the answer of the API. It must not be a refusal."""
        status, value = self.ask(method, path, body)
        assert status < 300, value
        return value

    def enrol(self, device: str, seat: int | None = None, **how: Any) -> Identity:
        """Enrol a device with a new key, and return its identity."""
        made = create(device)
        asked = {"device": device, "seat": seat, "public_key": made.public.hex(), **how}
        enrolled = self.call("POST", "devices", asked)
        return replace(made, token=enrolled["token"], hub=bytes.fromhex(enrolled["hub_key"]))

    def table(self, device: str, seat: int | None = None) -> Table:
        table = Table(self.enrol(device, seat), self.ports["broker_port"])
        self.tables.append(table)
        table.wait_up()
        return table


@contextmanager
def hubs() -> Iterator[Callable[[Path], Hub]]:
    """Yield a function that makes hubs, not yet started. End the hubs afterwards."""
    made: list[Hub] = []

    def make(folder: Path) -> Hub:
        folder.mkdir(exist_ok=True)
        made.append(Hub(folder))
        return made[-1]

    yield make
    for hub in made:
        for table in hub.tables:
            table.link.stop()
        if hub.process is not None:
            hub.stop()
