"""Connections that do nothing, little, or take nothing: each is let go in time, and whoever comes meanwhile gets in.

A real server and real sockets; time passes by making a connection older.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import errno
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from hub.limits.abuses import Abuse, Abuses
from hub.venue import folder as venue
from hub.web.gate import ACCEPTED_AT_ONCE, REQUEST_S, STALLED_S, Gate
from hub.web.serving import LARGEST_HEAD_BYTES, certificate_in, listening_socket, make_server

NOW = datetime.datetime(2026, 11, 22, tzinfo=datetime.UTC)
LONG = b"x" * 300_000


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": LONG})


class Hall:
    """A server with one page of 300 kB, behind a gate of ours."""

    def __init__(self, certified: tuple[Path, Path] | None = None, most: int = 50) -> None:
        self.abuses = Abuses(lambda: 0)
        self.gate = Gate(self.abuses, lambda: 0, most)
        self._listening = listening_socket("127.0.0.1", 0, "web_port")
        self._listening.gate = self.gate
        self.port = self._listening.getsockname()[1]
        self._server = make_server(answer, self.gate, *(certified or ()))

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Hall]:
        serving = asyncio.create_task(self._server.serve([self._listening]))
        try:
            yield self
        finally:
            self._server.should_exit = True
            await serving
            self._listening.close()

    async def came(self, address: str = "127.0.0.9") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection that the gate has seen."""
        before = self.gate.connections
        pair = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        await asyncio.to_thread(until, lambda: self.gate.connections > before or self.gate.connections == 50)
        return pair

    def time_passes(self, seconds: float) -> None:
        """As much as if it had, for every connection; then the gate looks."""
        for held in self.gate._held.values():
            held.since_s -= seconds
            held.unread_since_s -= seconds
        self.gate.end_slow_connections()

    async def page(self, address: str = "127.0.0.5", tls: ssl.SSLContext | None = None) -> bytes:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=(address, 0), ssl=tls, server_hostname=tls and "localhost"
        )
        writer.write(b"GET / HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n")
        answer = bytes(await reader.read())
        writer.close()
        return answer[9:12]


async def is_over(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(30):
            while await reader.read(65_536):
                pass


def told(story: Callable[[Hall], Awaitable[None]], hall: Hall) -> None:
    async def run() -> None:
        async with hall.open():
            await story(hall)

    asyncio.run(run())


@pytest.mark.parametrize("said", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: hub\r\nX: "])
def test_a_request_that_is_never_said_is_let_go_however_it_drips(said: bytes) -> None:
    async def story(hall: Hall) -> None:
        reader, writer = await hall.came()
        for byte in said:
            writer.write(bytes([byte]))
            await writer.drain()
        held = next(iter(hall.gate._held.values()))
        await asyncio.to_thread(
            until, lambda: held.protocol is not None and held.protocol.has_begun == bool(said)
        )
        hall.time_passes(REQUEST_S / 2)
        writer.write(b"x")  # another drop renews nothing
        hall.time_passes(REQUEST_S / 2 + 1)
        await is_over(reader)
        await asyncio.to_thread(until, lambda: not hall.gate.connections)
        assert await hall.page() == b"200"
        writer.close()

    told(story, Hall())


@pytest.mark.parametrize("line", [b"a: b\r\n", b" folded\r\n", b"a"])
def test_a_head_that_is_too_long_is_refused_also_when_it_comes_whole(line: bytes) -> None:
    async def story(hall: Hall) -> None:
        reader, writer = await hall.came()
        writer.write(b"GET / HTTP/1.1\r\nHost: hub\r\nX: y\r\n" + line * 20_000 + b"\r\n\r\n")
        assert (await reader.read(12))[9:12] in (b"400", b"")
        await is_over(reader)
        assert await hall.page() == b"200"
        writer.close()

    told(story, Hall())


@pytest.mark.parametrize(
    "said, status",
    [
        (b"GET / HTTP/1.1\r\nHost: hub\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n", b"200"),
        (b"nonsense\r\n\r\n", b"400"),
    ],
)
def test_what_a_stranger_sends_writes_no_line_into_the_log(
    said: bytes, status: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def story(hall: Hall) -> None:
        reader, writer = await hall.came()
        writer.write(said)
        assert (await reader.read(12))[9:] == status
        await is_over(reader)
        writer.close()

    told(story, Hall())
    assert not caplog.records


def test_what_takes_long_to_read_counts_as_so_many_new_connections() -> None:
    async def story(hall: Hall) -> None:
        _, writer = await hall.came()
        (held,) = hall.gate._held.values()
        hall.gate.note_read(held, 0.0001)
        _, another = await hall.came()
        hall.gate.note_read(held, ACCEPTED_AT_ONCE)  # a second for each
        reader, refused = await asyncio.open_connection("127.0.0.1", hall.port, local_addr=("127.0.0.9", 0))
        await is_over(reader)
        assert [(one.abuse, one.who) for one in hall.abuses.present] == [(Abuse.CONNECTIONS, "127.0.0.9")]
        assert await hall.page() == b"200"
        for one in (writer, another, refused):
            one.close()

    told(story, Hall())


def test_no_more_is_read_of_a_connection_than_a_head_may_have() -> None:
    async def story(hall: Hall) -> None:
        _, writer = await hall.came()
        (held,) = hall.gate._held.values()
        await asyncio.to_thread(until, lambda: held.protocol is not None)
        largest, data_received = 0, held.protocol.data_received

        def received(data: bytes) -> None:
            nonlocal largest
            largest = max(largest, len(data))
            data_received(data)

        held.protocol.data_received = received
        writer.write(b"POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: 300000\r\n\r\n" + LONG)
        await asyncio.to_thread(until, lambda: largest)
        assert largest <= LARGEST_HEAD_BYTES
        writer.close()

    told(story, Hall())


def test_answers_that_nobody_takes_are_let_go() -> None:
    async def story(hall: Hall) -> None:
        _, writer = await hall.came()
        assert isinstance(writer.transport, asyncio.ReadTransport)
        writer.transport.pause_reading()
        writer.write(b"GET / HTTP/1.1\r\nHost: hub\r\n\r\n" * 40)
        (held,) = hall.gate._held.values()
        await asyncio.to_thread(until, lambda: held.unread_bytes)
        hall.time_passes(STALLED_S / 2)
        assert hall.gate.connections == 1
        assert await hall.page() == b"200"
        hall.time_passes(STALLED_S)
        await asyncio.to_thread(until, lambda: not hall.gate.connections)
        assert [(one.abuse, one.who) for one in hall.abuses.present] == [(Abuse.SLOW, "127.0.0.9")]
        assert await hall.page() == b"200"
        writer.close()

    told(story, Hall())


def test_hands_shaken_without_end_keep_nobody_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    place = tmp_path / "venue"
    venue.make(place, venue.VenueAddresses())
    certified = certificate_in(venue.web_certificate(place, NOW))
    trusting = ssl.create_default_context(cafile=str(place / "ca" / "ca.pem"))

    async def story(hall: Hall) -> None:
        pairs = [await hall.came() for _ in range(30)]
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"  # the beginning of a ClientHello
        for number, (_, writer) in enumerate(pairs):
            writer.write(hello[: number % len(hello)])
        assert await hall.page(tls=trusting) == b"200"
        hall.time_passes(REQUEST_S + 1)
        for reader, writer in pairs:
            await is_over(reader)
            writer.close()
        await asyncio.to_thread(until, lambda: not hall.gate.connections)
        assert [(one.abuse, one.who) for one in hall.abuses.present] == [(Abuse.SLOW, "127.0.0.9")]
        assert await hall.page(tls=trusting) == b"200"
        assert not caplog.records, "no fault of ours"

    told(story, Hall(certified))


def test_who_holds_all_places_gives_one_up_for_another_address() -> None:
    async def story(hall: Hall) -> None:
        pairs = [await hall.came() for _ in range(50)]
        assert hall.gate.connections == 50
        assert await hall.page() == b"200"
        await is_over(pairs[0][0])  # his oldest
        assert {(one.abuse, one.who) for one in hall.abuses.present} == {(Abuse.CONNECTIONS, "127.0.0.9")}
        for _, writer in pairs:
            writer.close()

    told(story, Hall())


def test_without_a_descriptor_who_waits_is_turned_away_and_the_next_one_enters(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing = [3]
    accept = socket.socket.accept

    def without(listening: socket.socket) -> Any:
        if failing[0] and listening.family == socket.AF_INET:
            failing[0] -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return accept(listening)

    async def story(hall: Hall) -> None:
        monkeypatch.setattr(socket.socket, "accept", without)
        _, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        await asyncio.to_thread(until, lambda: not failing[0])
        monkeypatch.setattr(socket.socket, "accept", accept)
        writer.close()
        assert await hall.page() == b"200"
        assert not caplog.records

    told(story, Hall())
