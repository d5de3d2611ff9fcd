"""The attacks of a stranger in the hall on a club's hub with the usual 1,024 open files, and on a venue's behind nginx
with the number that systemd sets.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import multiprocessing
import os
import re
import resource
import ssl
import subprocess
import sys
import zlib
from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from msgspec import structs

from flagfall.link.messages import Result
from flagfall.link.packed_file import LARGEST_FILE_BYTES, PackedFile, pack
from flagfall.link.signature import sign
from helpers.nginx_front import Nginx
from helpers.waiting import PATIENCE_S, until
from hub.venue import folder as venue

ROOT = Path(__file__).parents[2]
STRANGER = "127.0.0.9"
SECONDS = 8
CLUB, VENUE = "club", "venue"
LARGEST_MB = {CLUB: 150, VENUE: 160}


class Target:
    """A hub's ports (`tls_port` 0: none). `asked` counts the requests and connections of the stranger."""

    def __init__(self, port: int, broker_port: int, tls_port: int = 0) -> None:
        self.port, self.broker_port, self.tls_port = port, broker_port, tls_port
        self.asked = 0
        self.games: list[str] = []
        self._phones = 0

    async def connect(self, address: str = STRANGER) -> Any:
        self.asked += address == STRANGER
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))

    async def page(self, address: str = "") -> bytes:
        """Ask for the page like a phone, each time another one unless `address` is passed, and return the status."""
        self._phones += 1
        address = address or f"127.1.{self._phones // 200 % 200}.{self._phones % 200 + 1}"
        reader, writer = await self.connect(address)
        writer.write(b"GET / HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n")
        answer = bytes(await reader.read())
        writer.close()
        return answer[9:12]


class AttackedHub(Target):
    """A running hub: a club's alone, or a venue's behind nginx (`kind`)."""

    def __init__(self, folder: Path, kind: str = CLUB) -> None:
        self.folder, self.kind = folder, kind
        self.log = (folder / "log").open("wb")
        command = [sys.executable, "-m", "hub.main", "run", "--state-dir", str(folder), "--broker-port", "0"]
        self.nginx = Nginx(folder / "nginx", folder) if kind == VENUE else None
        if self.nginx is None:
            command += ["--web-port", "0"]
        else:
            venue.make(folder / "venue", venue.VenueAddresses())
            command += ["--venue", str(folder / "venue"), "--broker", "embedded"]
            command += ["--web-socket", str(folder / "web.sock"), "--web-port", str(self.nginx.port)]
            command += ["--web-tls-port", str(self.nginx.tls_port)]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=self.log,
            stderr=self.log,
            preexec_fn=partial(_limit_files, _service_files("hub") if self.nginx else 1_024),
        )
        addresses = folder / "addresses.json"
        until(addresses.exists, "the hub's addresses")
        ports = json.loads(addresses.read_text())
        if self.nginx is not None:
            self.nginx.start(partial(_limit_files, _service_files("web")))
        tls_port = self.nginx.tls_port if self.nginx is not None else 0
        super().__init__(int(ports["web_port"]), int(ports["broker_port"]), tls_port)

    def megabytes(self) -> int:
        """Return the memory of the hub and of nginx. Memory that nginx's processes share counts once."""
        kilobytes = _kilobytes(f"/proc/{self.process.pid}/status", "VmRSS:")
        return (
            kilobytes + sum(_kilobytes(f"/proc/{pid}/smaps_rollup", "Pss:") for pid in self._web())
        ) // 1024

    def processor_s(self) -> float:
        """Return the processor time of all threads of the hub and of nginx so far."""
        ticks = 0
        for pid in (self.process.pid, *self._web()):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _web(self) -> list[int]:
        """Return the process ids of nginx."""
        if self.nginx is None or self.nginx.process is None:
            return []
        pid = self.nginx.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]

    def log_bytes(self) -> int:
        logs = [self.folder / "log", *([self.nginx.folder / "log"] if self.nginx is not None else [])]
        return sum(log.stat().st_size for log in logs)

    def stop(self) -> None:
        if self.nginx is not None:
            self.nginx.stop()
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        self.log.close()


def _limit_files(most: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _service_files(name: str) -> int:
    """Return the number of open files that systemd allows a service."""
    text = (ROOT / "systemd" / f"flagfall-{name}.service").read_text("utf-8")
    return int(text.partition("LimitNOFILE=")[2].split()[0])


def _kilobytes(file: str, key: str) -> int:
    try:
        return int(Path(file).read_text().partition(key)[2].split()[0])
    except (OSError, IndexError):  # a process that has just ended
        return 0


def post(path: str, body: bytes, kind: str, length: int | None = None) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: hub\r\nContent-Type: {kind}\r\nContent-Length: {length or len(body)}\r\n\r\n"
    return head.encode() + body


FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"


async def slow_heads(hub: Target) -> None:
    reader, writer = await hub.connect()
    writer.write(b"GET / HT")
    while not reader.at_eof():
        await asyncio.sleep(1)  # fixed: the pace of this attack
        writer.write(b"x")
        await writer.drain()


async def large_bodies(hub: Target) -> None:
    reader, writer = await hub.connect()
    writer.write(post("/desk/enter", b"--x\r\n" * 50_000, PARTS, 8 << 20))
    await reader.read()
    writer.close()


async def dripped_bodies(hub: Target) -> None:
    _, writer = await hub.connect()
    writer.write(post("/desk/enter", b"", FORM, 4_000))
    for _ in range(60):
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.3)  # fixed: the pace of this attack


async def flood(hub: Target) -> None:
    reader, writer = await hub.connect()
    while not reader.at_eof():
        writer.write(b"GET / HTTP/1.1\r\nHost: hub\r\n\r\n" * 4)
        hub.asked += 4
        await writer.drain()
        await reader.read(65_536)


ANOTHER = (
    "/t/open/players?q={junk}",
    "/?{junk}",
    "/print/open/sheets?round=1&paper={paper}&lang={lang}",
    "/t/open/{junk}",
    "/hall/open?show={junk}",
    "/t/open/event?lang={lang}",
    "/t/open/files/wthor.zip?{junk}",
    "/t/open/files/games.ggf",
    "/t/open/games/{game}?move={number}&lang={lang}",
    "/api/1/public/tournaments/open/games/{game}",
    "/t/open/files/games/{game}.ggf",
    "/print/open/cross-table?paper={paper}&lang={lang}",
)


async def always_another(hub: Target) -> None:
    """Ask for pages that nobody has asked for before: each must be rendered."""
    reader, writer = await hub.connect()
    for number in range(100):
        path = ANOTHER[number % len(ANOTHER)].format(
            junk=os.urandom(4).hex(),
            paper=("a4", "letter")[number // 12 % 2],
            lang=("en", "fr", "ja", "de")[number % 4],
            game=hub.games[number % len(hub.games)] if hub.games else "none",
            number=number % 60,
        )
        writer.write(f"GET {path} HTTP/1.1\r\nHost: hub\r\n\r\n".encode())
        hub.asked += 1
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: ([0-9]+)", head)
        await reader.readexactly(int(length[1]) if length else 0)
    writer.close()


async def streams(hub: Target) -> None:
    """Listen to the live page, each connection in another language."""
    reader, writer = await hub.connect()
    language = ("en", "fr", "ja", "de")[hub.asked % 4]
    writer.write(f"GET /events/open?lang={language} HTTP/1.1\r\nHost: hub\r\n\r\n".encode())
    while await reader.read(65_536):
        pass


async def never_reads(hub: Target) -> None:
    """Ask for the longest page many times over, and read none."""
    _, writer = await hub.connect()
    writer.write(b"GET /t/open HTTP/1.1\r\nHost: hub\r\n\r\n" * 50)
    await asyncio.sleep(20)  # fixed: the pace of this attack
    writer.close()


async def guesses(hub: Target) -> None:
    reader, writer = await hub.connect()
    writer.write(post("/desk/enter", b"name=Ada&password=" + os.urandom(4).hex().encode(), FORM))
    await reader.readuntil(b"\r\n\r\n")
    writer.close()


async def played(hub: Target) -> list[str]:
    """Return the games of the event, which are public."""
    reader, writer = await hub.connect("127.0.0.8")
    request = "GET /api/1/public/tournaments/open/games HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n"
    writer.write(request.encode())
    body = (await reader.read()).partition(b"\r\n\r\n")[2]
    writer.close()
    return [game["game"] for game in json.loads(body).get("games", ())]


async def long_heads(hub: Target) -> None:
    """Send a thousand header lines, as many as are accepted, then more than are accepted."""
    reader, writer = await hub.connect()
    for lines in (1_000, 1_000, 20_000):
        writer.write(b"GET / HTTP/1.1\r\nHost: hub\r\n" + b"a: b\r\n" * lines + b"\r\n")
        hub.asked += 1
        await reader.readuntil(b"\r\n\r\n")
    writer.close()


async def enrolments(hub: Target) -> None:
    """Send digests of codes that nobody has given out, and guesses of the first director's code."""
    reader, writer = await hub.connect()
    for path, body, kind in (
        ("/enrol", b'{"digest": "%s"}' % os.urandom(32).hex().encode(), "application/json"),
        ("/desk/setup", b"code=AAAA-AAAA&name=x&password=y", FORM),
    ):
        writer.write(post(path, body, kind))
        hub.asked += 1
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: ([0-9]+)", head)
        await reader.readexactly(int(length[1]) if length else 0)
    writer.close()


async def unfinished_connects(hub: Target) -> None:
    """Send the broker the beginning of a CONNECT of 90 kB, which goes on by drips."""
    reader, writer = await asyncio.open_connection("127.0.0.1", hub.broker_port, local_addr=(STRANGER, 0))
    hub.asked += 1
    writer.write(b"\x10\x90\xbf\x05" + b"\x00\x04MQTT\x04\x02\x00\x3c" + b"x" * 60_000)
    while not reader.at_eof():
        await asyncio.sleep(1)  # fixed: the pace of this attack
        writer.write(b"x")
        await writer.drain()


async def false_tables(hub: Target) -> None:
    """Send the broker wrong passwords."""
    reader, writer = await asyncio.open_connection("127.0.0.1", hub.broker_port, local_addr=(STRANGER, 0))
    hub.asked += 1
    connect = b"\x00\x04MQTT\x04\xc2\x00\x3c" + b"".join(
        len(part).to_bytes(2, "big") + part for part in (b"t001/x", b"t001", os.urandom(8).hex().encode())
    )
    writer.write(b"\x10" + bytes([len(connect)]) + connect)
    await reader.read()
    writer.close()


async def handshakes(hub: Target) -> None:
    """Make TLS handshakes, each from the beginning."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    hub.asked += 1
    _, writer = await asyncio.open_connection(
        "127.0.0.1", hub.tls_port, local_addr=(STRANGER, 0), ssl=context
    )
    writer.transport.abort()


async def unfinished_handshakes(hub: Target) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", hub.tls_port, local_addr=(STRANGER, 0))
    hub.asked += 1
    writer.write(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")  # the beginning of a ClientHello
    await reader.read()
    writer.close()


# Name -> (number of attackers at once, the attack that each repeats).
ATTACKS: dict[str, tuple[int, Callable[[Target], Awaitable[None]]]] = {
    "slow heads": (1_100, slow_heads),
    "large bodies": (60, large_bodies),
    "dripped bodies": (300, dripped_bodies),
    "flood of pages": (60, flood),
    "always another page": (60, always_another),
    "streams": (1_500, streams),
    "never reads": (500, never_reads),
    "guesses": (60, guesses),
    "long heads": (60, long_heads),
    "enrolments": (60, enrolments),
    "unfinished connects": (300, unfinished_connects),
    "false tables": (60, false_tables),
    "handshakes": (60, handshakes),
    "unfinished handshakes": (1_100, unfinished_handshakes),
}
OF_TLS = ("handshakes", "unfinished handshakes")
PLAIN = tuple(name for name in ATTACKS if name not in OF_TLS)


async def again_and_again(attack: Callable[[Target], Awaitable[None]], hub: Target) -> None:
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await attack(hub)
        await asyncio.sleep(0.02)  # fixed: the pace of this attack


def bomb_of(result: Result, revision: int, key: bytes) -> Result:
    """Return a signed result of 22 kB whose file unpacks to 16 MB."""
    bomb = _bomb(result.file)
    changed = {
        "id": f"{result.game}.{revision}",
        "revision": revision,
        "file": bomb.file,
        "sha256": bomb.sha256,
        "signature": "",
    }
    return sign(structs.replace(result, **changed), key)


@cache
def _bomb(file: str) -> PackedFile:
    header = _start_of(file).partition(b"\n")[0] + b"\n"
    return pack(header + b"0" * (LARGEST_FILE_BYTES - len(header)))


def _start_of(file: str) -> bytes:
    return zlib.decompressobj().decompress(base64.b64decode(file), 4_000)


class Swarm:
    """A stranger in another process, whose work does not disturb what is measured. The attack lasts while it is
    entered.
    """

    def __init__(self, name: str, hub: Target) -> None:
        context = multiprocessing.get_context("spawn")
        self._asked = context.Value("q", 0)
        self._process = context.Process(
            target=_swarm, args=(name, (hub.port, hub.broker_port, hub.tls_port), self._asked), daemon=True
        )

    @property
    def asked(self) -> int:
        return int(self._asked.value)

    def __enter__(self) -> Swarm:
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join(PATIENCE_S)


def _swarm(name: str, ports: tuple[int, int, int], asked: Any) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))
    count, attack = ATTACKS[name]
    target = Target(*ports)

    async def run() -> None:
        target.games = await played(target)
        everybody = [asyncio.create_task(again_and_again(attack, target)) for _ in range(count)]
        while True:
            await asyncio.sleep(0.1)  # fixed: the pace of this attack
            asked.value = target.asked
            assert not any(task.done() for task in everybody)

    asyncio.run(run())
