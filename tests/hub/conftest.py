"""A table as the hub sees one: an identity, a broker's client, and results with real game files in them."""

from __future__ import annotations

import datetime
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
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
import prepared
import pytest
from argon2 import PasswordHasher
from browsing import chromium
from hub_files import result_of, tournament_file
from hub_in_one import InThread, Room, adapters, open_room, opened_store
from samples.exhibition import Exhibition, Scene
from waiting import until

from hub.assembly import put_together
from hub.console.login import accounts
from hub.console.login.accounts import Role
from hub.public.outside.static_site import FolderSite
from hub.rounds.paired import Paired
from hub.tournament import Tournament
from link.client.client import LinkClient
from link.identity import Identity
from link.messages import Assignment, Receipt, Result, RulingMessage, Status, decode, encode
from link.topics import Arrival, Kind, Topic, device_filter, parse

PATIENCE_S = 30.0

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of tests sign in; those of the passwords themselves (test_console_accounts.py) take the real ones."""
    monkeypatch.setattr(accounts, "_hasher", lambda: CHEAP)


class Table:
    """A device with a client of its own."""

    def __init__(self, identity: Identity, port: int) -> None:
        self.identity = identity
        self.heard: dict[Kind, list[Any]] = {kind: [] for kind in Kind}
        self._inbox: queue.Queue[Arrival] = queue.Queue()
        self.up = threading.Event()
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
        """The newest assignment, once it fits."""

        def found() -> Assignment | None:
            self.listen()
            newest = max(self.heard[Kind.ASSIGNMENT], key=lambda one: one.seq, default=None)
            return newest if newest is not None and fits(newest) else None

        return until(found)

    def receipt(self, result_id: str) -> Receipt:
        def found() -> list[Receipt]:
            self.listen()
            return [one for one in self.heard[Kind.RECEIPT] if one.id == result_id]

        return until(found)[-1]

    def ruling(self, rule: str) -> RulingMessage:
        def found() -> list[RulingMessage]:
            self.listen()
            return [one for one in self.heard[Kind.RULING] if one.rule == rule]

        return until(found)[-1]

    def say(self, topic: Topic, payload: bytes) -> None:
        assert self.link.publish(str(topic), payload, topic.qos, topic.retained)

    def status(self, tournament: str, **fields: Any) -> None:
        topic = Topic(tournament, self.identity.device, Kind.STATUS)
        self.say(topic, encode(Status(**{"online": True, "fit": True, **fields})))

    def send(self, tournament: str, result: Result) -> None:
        self.say(Topic(tournament, self.identity.device, Kind.RESULT), encode(result))

    def play(self, tournament: str, score: tuple[int, int], **how: Any) -> Result:
        """Plays what is assigned, and waits until the hub has it."""
        assigned = self.assignment(lambda one: one.game is not None)
        assert assigned.header is not None and assigned.game is not None
        result = result_of(assigned.header, assigned.game, self.identity, score, **how)
        self.send(tournament, result)
        return result


class Hub:
    """A real hub process in a folder of its own; can be killed and started again on the same ports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {"web_port": 0, "broker_port": 0}
        self.process: subprocess.Popen[bytes] | None = None
        self.tables: list[Table] = []

    def start(self, *arguments: str) -> None:
        addresses = self.folder / "addresses.json"
        addresses.unlink(missing_ok=True)
        command = [sys.executable, "-m", "hub.main", "run", "--state-dir", str(self.folder)]
        for key, port in self.ports.items():
            command += [f"--{key.replace('_', '-')}", str(port)]
        environment = {name: at for name, at in os.environ.items() if not name.startswith("FLAGFALL_")}
        root = Path(__file__).parents[2]
        self.log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            [*command, *arguments], cwd=root, stderr=self.log, stdout=self.log, env=environment
        )

        def told() -> dict[str, int] | None:
            assert self.process is not None and self.process.poll() is None, self.lines()
            try:
                return json.loads(addresses.read_text())
            except (OSError, ValueError):
                return None

        told_addresses = until(told)
        self.ports = {key: told_addresses[key] for key in self.ports}

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def stop(self) -> int:
        assert self.process is not None, "never started"
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE_S)
        self.log.close()
        return status

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

    def told(self, method: str, path: str, body: object = None) -> Any:
        status, value = self.ask(method, path, body)
        assert status < 300, value
        return value

    def table(self, device: str, seat: int | None = None) -> Table:
        told = self.told("POST", "devices", {"device": device, "seat": seat})
        table = Table(
            Identity(told["device"], bytes.fromhex(told["key"]), told["token"]), self.ports["broker_port"]
        )
        self.tables.append(table)
        table.wait_up()
        return table


class Served:
    """The hub's whole web application without sockets; entered, it is a client that carries the token."""

    PASSWORD = "a password of this hub"

    def __init__(self, folder: Path, pair: Callable[[Tournament], Any] | None = None) -> None:
        """`pair` makes the rounds; `now_ns` and `wall` are the hub's clocks, `budget_ns` that of strangers."""
        self.folder = folder
        self.pair = pair or first_against_second
        self.now_ns = 0
        self.budget_ns = time.monotonic_ns
        self.wall = datetime.datetime(2026, 11, 5, 10, 0, tzinfo=datetime.UTC)

    def browser(self) -> httpx.AsyncClient:
        """Another client, that carries nothing."""
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=True)
        return httpx.AsyncClient(transport=transport, base_url="http://hub")

    async def entered(self, role: Role) -> tuple[httpx.AsyncClient, str]:
        """A client that has signed in with this role, and the secret of its forms."""
        if self.accounts.role(role.word) is None:
            self.accounts.put(role.word, role, self.PASSWORD)
        client = self.browser()
        form = {"name": role.word, "password": self.PASSWORD}
        answer = await client.post("/desk/enter", data=form)
        assert answer.status_code == 303, answer.text
        sessions = self.console.context.sessions
        session = sessions.session(client.cookies[sessions.cookie])
        assert session is not None
        return client, session.csrf

    async def __aenter__(self) -> httpx.AsyncClient:
        self.store = await opened_store(self.folder, lambda: self.wall.isoformat())
        given = adapters(
            self.folder,
            self.store,
            pair=self.pair,
            now_ns=lambda: self.now_ns,
            budget_ns=self.budget_ns,
            wall=lambda: self.wall,
        )
        self.devices, self.accounts, self.setup = given.devices, given.accounts, given.setup
        self.parts = put_together(given)
        self.live, self.operations = self.parts.context.live, self.parts.context.operations
        self.site, self.console, self.abuses = self.parts.site, self.parts.console, self.parts.abuses
        self.app = self.parts.application
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app, raise_app_exceptions=True),
            base_url="http://hub",
            headers={"Authorization": f"Bearer {given.token}"},
        )
        return self.client

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()
        await self.store.close()


async def first_against_second(tournament: Tournament) -> Paired:
    """One game, byes for the others."""
    ids = [player.id for player in tournament.players]
    return Paired(len(tournament.rounds) + 1, ((1, ids[0], ids[1]),), tuple(ids[2:]), None, ())


@pytest.fixture(scope="module")
def browser_of_module() -> Iterator[Any]:
    with chromium() as one:
        yield one


@pytest.fixture
def browser(browser_of_module: Any) -> Iterator[Any]:
    """The module's browser, in which nothing is open."""
    yield browser_of_module
    for context in browser_of_module.contexts:
        context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    return prepared.had(prepared.axe).read_text("utf-8")


@contextmanager
def hubs() -> Iterator[Callable[[Path], Hub]]:
    """Makes hubs, not yet started; ends them."""
    made: list[Hub] = []

    def make(folder: Path) -> Hub:
        folder.mkdir(exist_ok=True)
        made.append(Hub(folder))
        return made[-1]

    yield make
    for one in made:
        for table in one.tables:
            table.link.stop()
        if one.process is not None:
            one.stop()


@pytest.fixture
def new_hub() -> Iterator[Callable[[Path], Hub]]:
    with hubs() as make:
        yield make


@pytest.fixture(scope="module")
def new_hub_of_module() -> Iterator[Callable[[Path], Hub]]:
    with hubs() as make:
        yield make


@pytest.fixture
def hub(tmp_path: Path, new_hub: Callable[[Path], Hub]) -> Hub:
    running = new_hub(tmp_path)
    running.start()
    return running


@pytest.fixture
def new_table() -> type[Table]:
    return Table


class Shown:
    """An exhibition's public pages without a socket."""

    def __init__(self, folder: Path, scene: Scene) -> None:
        self._folder, self._scene = folder, scene
        self.now_ns = 0

    async def __aenter__(self) -> Shown:
        self.exhibition = await Exhibition.opened(
            self._folder, self._scene, now_ns=lambda: self.now_ns, aside=InThread()
        )
        self.site = self.exhibition.parts.site
        self.folder_site = FolderSite(self.site.pages, self.site.records)
        pages = self.exhibition.parts.application.inner
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(pages), base_url="http://hub")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()
        await self.exhibition.store.close()

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers={"accept-language": "en", **headers})

    async def text(self, path: str, **headers: str) -> str:
        answer = await self.get(path, **headers)
        assert answer.status_code == 200, (path, answer.status_code)
        return answer.text


@pytest.fixture
def new_shown() -> type[Shown]:
    """The public pages of a scene, kept in a folder."""
    return Shown


@pytest.fixture
def new_served() -> type[Served]:
    return Served


@pytest.fixture
def served(tmp_path: Path) -> Served:
    """A hub without a socket; entered, it gives a client that holds the token."""
    return Served(tmp_path)


@pytest.fixture(scope="session")
def new_file() -> Callable[..., dict[str, Any]]:
    return tournament_file


@pytest.fixture
def make_result() -> Callable[..., Result]:
    return result_of


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """A hub's parts without a socket, in the loop of the test."""
    opened = await open_room(tmp_path)
    yield opened
    await opened.store.close()


@pytest.fixture
def wait_until() -> Callable[[Callable[[], Any]], Any]:
    return until
