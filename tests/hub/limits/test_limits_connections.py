"""Connections that do nothing, little, or take nothing: each is let go in time, and whoever comes meanwhile gets in.

A real server and real sockets; time passes by making a connection older.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.waiting import PATIENCE_S, until

from hub.limits import Abuse, Abuses
from hub.venue import folder as venue
from hub.web.bounds import Bounds
from hub.web.cache import AnswerCache
from hub.web.connections import (
    MOST_OF_ADDRESS,
    REQUEST_S,
    STALLED_S,
    TAKEN_BYTES,
    Connections,
    GuardedProtocol,
)
from hub.web.serving import certificate_in, listening_socket, make_server

NOW = datetime.datetime(2026, 11, 22, tzinfo=datetime.UTC)
LONG = b"x" * 300_000


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": LONG})


class Hall:
    """A server with one page of 300 kB."""

    def __init__(self, certified: tuple[Path, Path] | None = None, most: int = 500) -> None:
        self.abuses = Abuses(lambda: 0)
        self.connections = Connections(self.abuses, most)
        self._listening = listening_socket("127.0.0.1", 0, "web_port")
        self.port = self._listening.getsockname()[1]
        cache = AnswerCache(lambda: 1, lambda: 0.0)
        pages = Bounds(answer, lambda scope: False, self.abuses, cache)
        self._server = make_server(pages, self.connections, *(certified or ()))

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
        """Open a connection and wait until it has a place."""
        before = len(self.connections)
        pair = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        pair[1].get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        await asyncio.to_thread(until, lambda: len(self.connections) > before)
        return pair

    @property
    def held(self) -> GuardedProtocol:
        """The only connection."""
        (held,) = self.connections._held
        return held

    def look(self, after_s: float) -> None:
        """Let so much time pass."""
        self.connections.end_slow(asyncio.get_running_loop().time() + after_s)

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
        async with asyncio.timeout(PATIENCE_S):
            while await reader.read(65_536):
                pass


def play(story: Callable[[Hall], Awaitable[None]], hall: Hall) -> None:
    async def run() -> None:
        async with hall.open():
            await story(hall)

    asyncio.run(run())


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: hub\r\nX: "])
def test_a_request_that_is_never_said_is_let_go_however_it_drips(sent: bytes) -> None:
    async def story(hall: Hall) -> None:
        reader, writer = await hall.came()
        for byte in sent:
            writer.write(bytes([byte]))
            await writer.drain()
        await asyncio.to_thread(until, lambda: hall.held._has_begun == bool(sent))
        hall.look(REQUEST_S / 2)
        writer.write(b"x")  # another drop renews nothing
        await writer.drain()
        hall.look(REQUEST_S + 1)
        await is_over(reader)
        await asyncio.to_thread(until, lambda: not len(hall.connections))
        assert await hall.page() == b"200"
        assert [count.abuse for count in hall.abuses.present] == [Abuse.SLOW] * bool(sent)
        writer.close()

    play(story, Hall())


@pytest.mark.parametrize("line", [b"a: b\r\n", b" folded\r\n", b"a"])
def test_a_head_that_is_too_long_is_refused_also_when_it_comes_whole(line: bytes) -> None:
    async def story(hall: Hall) -> None:
        reader, writer = await hall.came()
        writer.write(b"GET / HTTP/1.1\r\nHost: hub\r\nX: y\r\n" + line * 20_000 + b"\r\n\r\n")
        assert (await reader.read(12))[9:12] in (b"400", b"")
        await is_over(reader)
        assert await hall.page() == b"200"
        writer.close()

    play(story, Hall())


@pytest.mark.parametrize(
    "sent, status",
    [
        (b"GET / HTTP/1.1\r\nHost: hub\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n", b"200"),
        (b"nonsense\r\n\r\n", b"400"),
    ],
)
def test_what_a_stranger_sends_writes_no_line_into_the_log(
    sent: bytes, status: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def story(hall: Hall) -> None:
        reader, writer = await hall.came()
        writer.write(sent)
        assert (await reader.read(12))[9:] == status
        await is_over(reader)
        writer.close()

    play(story, Hall())
    assert not caplog.records


def test_no_more_is_read_of_a_connection_at_a_time_than_half_a_head() -> None:
    async def story(hall: Hall) -> None:
        _, writer = await hall.came()
        largest, data_received = 0, hall.held.data_received

        def received(data: bytes) -> None:
            nonlocal largest
            largest = max(largest, len(data))
            data_received(data)

        hall.held.data_received = received  # type: ignore[method-assign]
        writer.write(b"POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: 300000\r\n\r\n" + LONG)
        await asyncio.to_thread(until, lambda: largest)
        assert largest <= 4_096
        writer.close()

    play(story, Hall())


def test_answers_that_nobody_takes_are_let_go() -> None:
    async def story(hall: Hall) -> None:
        _, writer = await hall.came()
        assert isinstance(writer.transport, asyncio.ReadTransport)
        writer.transport.pause_reading()
        writer.write(b"GET / HTTP/1.1\r\nHost: hub\r\n\r\n" * 40)
        await asyncio.to_thread(until, lambda: hall.held.transport.get_write_buffer_size())
        hall.look(0)
        hall.look(STALLED_S / 2)
        assert len(hall.connections) == 1
        assert await hall.page() == b"200"
        hall.look(STALLED_S + 1)
        await asyncio.to_thread(until, lambda: not len(hall.connections))
        assert [(count.abuse, count.who) for count in hall.abuses.present] == [(Abuse.SLOW, "127.0.0.9")]
        assert await hall.page() == b"200"
        writer.close()

    play(story, Hall())


def test_who_takes_an_answer_slowly_keeps_the_connection() -> None:
    async def story(hall: Hall) -> None:
        reader, writer = await hall.came()
        transport = writer.transport
        assert isinstance(transport, asyncio.ReadTransport)
        transport.pause_reading()
        writer.write(b"GET / HTTP/1.1\r\nHost: hub\r\n\r\n" * 40)
        unread = hall.held.transport.get_write_buffer_size
        for looks in range(1, 4):
            await asyncio.to_thread(until, unread)
            hall.look(looks * STALLED_S * 0.9)
            # The systems' buffers between the two are megabytes: it is read until the server has got rid of something.
            before_bytes = unread()
            transport.resume_reading()
            while before_bytes - TAKEN_BYTES < unread() <= before_bytes:
                await reader.readexactly(65_536)
            transport.pause_reading()
        assert len(hall.connections) == 1 and not hall.abuses.present
        writer.close()

    play(story, Hall())


def test_an_address_holds_so_many_at_most_and_others_come_in() -> None:
    async def story(hall: Hall) -> None:
        pairs = [
            await asyncio.open_connection("127.0.0.1", hall.port, local_addr=("127.0.0.9", 0))
            for _ in range(MOST_OF_ADDRESS + 20)
        ]
        await asyncio.to_thread(until, lambda: len(hall.connections) == MOST_OF_ADDRESS)
        for reader, _ in pairs[-20:]:
            await is_over(reader)
        assert await hall.page() == b"200"
        assert [(count.abuse, count.who) for count in hall.abuses.present] == [
            (Abuse.CONNECTIONS, "127.0.0.9")
        ]
        for _, writer in pairs:
            writer.close()
        await asyncio.to_thread(until, lambda: not len(hall.connections))
        assert await hall.page("127.0.0.9") == b"200"

    play(story, Hall())


def test_all_together_hold_so_many_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(hall: Hall) -> None:
        pairs = [await hall.came(f"127.0.0.{number}") for number in range(10, 15)]
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port, local_addr=("127.0.0.5", 0))
        await is_over(reader)
        pairs[0][1].close()
        await asyncio.to_thread(until, lambda: len(hall.connections) == 4)
        assert await hall.page() == b"200"
        for _, other in pairs:
            other.close()
        writer.close()

    play(story, Hall(most=5))


def test_a_page_over_https_has_the_same_limits(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    place = tmp_path / "venue"
    venue.make(place, venue.VenueAddresses())
    certified = certificate_in(venue.web_certificate(place, NOW))
    trusting = ssl.create_default_context(cafile=str(place / "ca" / "ca.pem"))

    async def story(hall: Hall) -> None:
        assert await hall.page(tls=trusting) == b"200"
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", hall.port, ssl=trusting, server_hostname="localhost"
        )
        writer.write(b"GET / HT")
        await asyncio.to_thread(until, lambda: len(hall.connections) == 1 and hall.held._has_begun)
        hall.look(REQUEST_S + 1)
        await is_over(reader)
        assert not caplog.records, "no fault of ours"
        writer.close()

    play(story, Hall(certified))
