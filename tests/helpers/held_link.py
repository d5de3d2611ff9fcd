"""A link to a hub that is slow, holds messages back, or is cut: a relay of connections in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from types import SimpleNamespace
from typing import Any


class HeldLink:
    """A relay that delays each piece from a client by `delay_s`.

    With `holds` the "requests" that are posted, or the "answers" to them, go no further until the link is cut; `held`
    counts them.
    """

    def __init__(self) -> None:
        self.delay_s = 0.0
        self.holds = ""
        self.held = 0
        self._port = 0
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> HeldLink:
        self._thread.start()
        server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop
        ).result()
        self.port = server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def to(self, port: int) -> None:
        self._port = port

    def in_front_of(self, hub: Any) -> Any:
        """Return the hub as a browser reaches it over this link."""
        return SimpleNamespace(folder=hub.folder, page=f"http://127.0.0.1:{self.port}")

    def cut(self) -> None:
        """End every connection. Later ones pass."""
        self.holds = ""
        self._loop.call_soon_threadsafe(lambda: [writer.transport.abort() for writer in self._open])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            hub_reader, hub_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, hub_writer}
        self._open |= ends
        posted = asyncio.Event()

        async def relay(source: asyncio.StreamReader, target: asyncio.StreamWriter, asks: bool) -> None:
            while piece := await source.read(1 << 16):
                if asks:
                    await asyncio.sleep(self.delay_s)  # fixed: how slow the link is
                    if piece.startswith(b"POST"):
                        posted.set()
                if posted.is_set() and self.holds == ("requests" if asks else "answers"):
                    self.held += 1
                    await asyncio.Event().wait()
                target.write(piece)
                await target.drain()

        tasks = [
            asyncio.ensure_future(relay(reader, hub_writer, asks=True)),
            asyncio.ensure_future(relay(hub_reader, writer, asks=False)),
        ]
        with contextlib.suppress(OSError):
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for end in ends:
            end.transport.abort()
        self._open -= ends
