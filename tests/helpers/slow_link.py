"""A network between browser and hub that can stall, and that shows which streams are open."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

_STREAM = re.compile(rb"GET (/events[/?]\S*|/desk/changes\S*) HTTP")


class SlowLink:
    """A relay from `port` to a hub. While it is stalled nothing is lost and nothing arrives."""

    def __init__(self, hub_port: int) -> None:
        self._hub_port = hub_port
        self._streams: dict[asyncio.StreamWriter, str] = {}
        self._loop = asyncio.new_event_loop()
        self._flows = asyncio.Event()
        self._flows.set()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        opening = asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(opening, self._loop).result()
        self.port: int = self._server.sockets[0].getsockname()[1]

    @property
    def streams(self) -> list[str]:
        """The addresses of the open streams."""
        return sorted(self._streams.values())

    def stall(self) -> None:
        self._loop.call_soon_threadsafe(self._flows.clear)

    def flow(self) -> None:
        self._loop.call_soon_threadsafe(self._flows.set)

    def end(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end_all(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_hub, to_hub = await asyncio.open_connection("127.0.0.1", self._hub_port)
        except OSError:
            writer.close()
            return
        ways = [
            asyncio.create_task(self._carry(reader, to_hub, writer)),
            asyncio.create_task(self._carry(from_hub, writer)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        self._streams.pop(writer, None)
        for end in (writer, to_hub):
            end.transport.abort()

    async def _carry(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        browser: asyncio.StreamWriter | None = None,
    ) -> None:
        try:
            while data := await source.read(65_536):
                if browser is not None and (asked := _STREAM.search(data)):
                    self._streams[browser] = unquote(asked[1].decode())
                await self._flows.wait()
                target.write(data)
                await target.drain()
        except OSError:
            return


@contextmanager
def slow_link(hub_port: int) -> Iterator[SlowLink]:
    link = SlowLink(hub_port)
    try:
        yield link
    finally:
        link.end()
