"""A hundred honest tables play while strangers and a table that was taken over ask for everything, one thing at a time.

Receipts, pages, memory and log are reported (`-s`), with what the hub's processor did, and beside a server that does
nothing but answer on the same machine; asserted is what does not depend on this machine's speed.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chaos.crowd import results_of
from helpers.hub_attacks import (
    ATTACKS,
    CLUB,
    LARGEST_MB,
    OF_TLS,
    PLAIN,
    ROOT,
    VENUE,
    AttackedHub,
    Swarm,
    bomb_of,
)
from helpers.waiting import PATIENCE_S, until

from flagfall.link import identity as identities
from flagfall.link.client.client import Link
from flagfall.link.identity import Identity
from flagfall.link.messages import Result, decode, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind, Topic, device_filter, parse
from simulator.director import Director

TABLES = 100
MOST_BAD = 12
SECONDS = 12


class Entered:
    """A device's link in this loop."""

    def __init__(self, identity: Identity, port: int) -> None:
        self.identity = identity
        self.heard: asyncio.Queue[Arrival] = asyncio.Queue()
        self.up = asyncio.Event()
        self.link = Link(
            "127.0.0.1",
            port,
            identity.device,
            identity.token,
            (device_filter(identity.device),),
            inbox=self.heard.put_nowait,
            on_state=lambda is_up: self.up.set() if is_up else self.up.clear(),
            random=Random(1),
        )
        self.task = asyncio.create_task(self.link.keep_up())

    def say(self, kind: Kind, payload: bytes, tournament: str = "open", retain: bool = False) -> None:
        self.link.publish(f"flagfall/1/{tournament}/table/{self.identity.device}/{kind}", payload, 0, retain)

    async def assigned(self) -> Any:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                arrival = await self.heard.get()
                topic = parse(arrival.topic)
                if topic is not None and topic.kind is Kind.ASSIGNMENT and arrival.payload:
                    assignment: Any = decode(topic, arrival.payload)
                    if assignment.game is not None:
                        return assignment

    async def receipt_s(self, result: Result) -> float:
        """Return the seconds from sending a result to its receipt. It is sent again every 5 s, as tables do."""
        began_s = time.monotonic()
        while True:
            self.link.publish(str(Topic("open", self.identity.device, Kind.RESULT)), encode(result), 1, False)
            try:
                async with asyncio.timeout(5):  # fixed: how long a table waits
                    while parse((await self.heard.get()).topic) != Topic(
                        "open", self.identity.device, Kind.RECEIPT
                    ):
                        pass
                return time.monotonic() - began_s
            except TimeoutError:
                assert time.monotonic() - began_s < PATIENCE_S, "no receipt"


async def rubbish(bad: Entered, game: Result) -> None:
    for _ in range(200):
        bad.say(Kind.CLOCK, b"{")


async def invented(bad: Entered, game: Result) -> None:
    for number in range(50):
        bad.say(Kind.STATUS, b"x" * 8_000, f"invented {time.monotonic_ns()} {number}", retain=True)


async def revisions(bad: Entered, game: Result) -> None:
    """Send revisions of 60 KB each."""
    for _ in range(4):
        number = time.monotonic_ns() % 1_000_000_000
        many = sign(
            Result(
                **{name: getattr(game, name) for name in game.__struct_fields__}
                | {"id": f"{game.game}.{number}", "revision": number, "incidents": [], "signature": ""}
            ),
            bad.identity.key,
        )
        bad.say(Kind.RESULT, encode(many) + b" " * 60_000)


async def bombs(bad: Entered, game: Result) -> None:
    """Signed results of 22 kB, each unpacking to 16 MB, 26 a second."""
    for _ in range(2):
        bad.say(Kind.RESULT, encode(bomb_of(game, time.monotonic_ns() % 1_000_000_000, bad.identity.key)))


OF_TABLES: dict[str, Callable[[Entered, Result], Awaitable[None]]] = {
    "rubbish": rubbish,
    "invented": invented,
    "revisions": revisions,
    "bombs": bombs,
    "twelve with bombs": bombs,
}


@pytest.fixture(scope="module")
def hall(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[AttackedHub, Path]]:
    hub = AttackedHub(tmp_path_factory.mktemp("hub"), request.param)
    crowd = tmp_path_factory.mktemp("crowd")
    director = director_of(hub)
    for number in range(1, TABLES + 2 + MOST_BAD):
        identity = director.enrol(f"t{number:03}", number)
        place = crowd if number <= TABLES else hub.folder
        identities.save(identity, place / f"{identity.device}.identity")
    director.create(
        {
            "format": "flagfall-tournament/1",
            "name": "Hall",
            "rulebook": "woc-2019",
            "system": "swiss",
            "rounds_planned": 11,
            "seed": 1,
            "players": [{"id": f"P{number:03}"} for number in range(1, 2 * (TABLES + 2 + MOST_BAD) - 1)],
            "rounds": [],
        }
    )
    command = [sys.executable, str(Path(__file__).parent / "crowd.py"), str(crowd), "127.0.0.1"]
    environment = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}
    tables = subprocess.Popen([*command, str(hub.broker_port)], cwd=ROOT, env=environment)
    director.publish(1)
    director.start()
    yield hub, crowd
    tables.terminate()
    tables.wait(PATIENCE_S)
    hub.stop()


@pytest.fixture(scope="module")
def echo_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        echo = multiprocessing.get_context("spawn").Process(
            target=answer_everybody, args=(listening,), daemon=True
        )
        echo.start()
    yield port
    echo.terminate()
    echo.join(PATIENCE_S)


def director_of(hub: AttackedHub) -> Director:
    token = (hub.folder / "api-token").read_text("ascii").strip()
    return Director(f"http://127.0.0.1:{hub.port}", token, "open")


def result_of(assigned: Any, identity: Identity) -> Result:
    return results_of(assigned.header, assigned.game, identity)[0]


async def took_s(answer: Awaitable[bytes]) -> float:
    began_s = time.monotonic()
    assert await asyncio.wait_for(answer, PATIENCE_S) == b"200"
    return time.monotonic() - began_s


async def echoed(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = await reader.read(3)
    writer.close()
    return answer


def answer_everybody(listening: socket.socket) -> None:
    """Answer every connection at once: the yardstick, in a process whose loop has nothing else to do."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"200")
        writer.close()

    async def serve() -> None:
        await (await asyncio.start_server(answer, sock=listening)).serve_forever()

    asyncio.run(serve())


def p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


@pytest.mark.long
@pytest.mark.needs("mosquitto", "nginx")
@pytest.mark.parametrize("hall", [CLUB, VENUE], indirect=True)
@pytest.mark.parametrize("name", ["nothing", *PLAIN, *OF_TABLES])
def test_a_hundred_tables_have_their_receipts(
    hall: tuple[AttackedHub, Path], echo_port: int, name: str
) -> None:
    measure(hall[0], echo_port, name)


@pytest.mark.long
@pytest.mark.needs("mosquitto", "nginx")
@pytest.mark.parametrize("hall", [VENUE], indirect=True)
@pytest.mark.parametrize("name", OF_TLS)
def test_handshakes_of_tls_keep_nobody_waiting(
    hall: tuple[AttackedHub, Path], echo_port: int, name: str
) -> None:
    measure(hall[0], echo_port, name)


def measure(hub: AttackedHub, echo_port: int, name: str) -> None:
    """Attack for some seconds, with receipts and pages timed beside it."""
    bad_count = MOST_BAD if name.startswith("twelve") else 1
    good_identity, *bad_identities = (
        identities.load(hub.folder / f"t{TABLES + number:03}.identity") for number in range(1, 2 + bad_count)
    )

    async def story() -> None:
        good = Entered(good_identity, hub.broker_port)
        bad = [Entered(identity, hub.broker_port) for identity in bad_identities]
        result = result_of(await good.assigned(), good_identity)
        theirs = [result_of(await table.assigned(), table.identity) for table in bad]
        await good.receipt_s(result)
        tasks = [good.task, *(table.task for table in bad)]
        if name in OF_TABLES:

            async def again(table: Entered, game: Result) -> None:
                while True:
                    await OF_TABLES[name](table, game)
                    await asyncio.sleep(0.05)  # fixed: as fast as a table of this kind would

            tasks += [asyncio.create_task(again(*each)) for each in zip(bad, theirs, strict=True)]
        if swarm is not None:
            await asyncio.to_thread(until, lambda: swarm.asked, "the attack")
        log_before = hub.log_bytes()
        receipts: list[float] = []
        pages: list[float] = []
        echoes: list[float] = []
        largest_mb = 0
        began_s, processor_s = time.monotonic(), hub.processor_s()
        asked = swarm.asked if swarm is not None else 0
        while time.monotonic() - began_s < SECONDS:
            receipts.append(await good.receipt_s(result))
            pages.append(await took_s(hub.page()))
            echoes.append(await took_s(echoed(echo_port)))
            largest_mb = max(largest_mb, hub.megabytes())
            await asyncio.sleep(0.02)  # fixed: one measurement begins so long after another
        processor_s = hub.processor_s() - processor_s
        asked = swarm.asked - asked if swarm is not None else 0
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        log_kb = (hub.log_bytes() - log_before) / 1000 * 60 / SECONDS
        print(
            f"\n{hub.kind:5} {name:21} receipt p99 {p99(receipts):.3f} s, at most {max(receipts):.3f} s,"
            f" page p99 {p99(pages):.3f} s of {len(pages)}, echo {p99(echoes):.3f} s, {largest_mb} MB,"
            f" log {log_kb:.0f} kB a minute; asked {asked / SECONDS:.0f} a second,"
            f" hub {100 * processor_s / SECONDS:.0f} % of a core"
        )
        assert largest_mb < LARGEST_MB[hub.kind]
        assert log_kb < 1_000

    with contextlib.ExitStack() as attack:
        swarm = attack.enter_context(Swarm(name, hub)) if name in ATTACKS else None
        asyncio.run(story())
