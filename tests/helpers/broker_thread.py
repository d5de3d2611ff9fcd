"""The hub's own broker for tests without a loop of their own: in a thread, between `start` and `stop`."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from random import Random

from helpers.waiting import PATIENCE_S
from hub.broker.child import BrokerChild
from hub.broker.mosquitto import installed
from hub.venue.folder import access_list
from simulator.program import free_port


class BrokerThread:
    """A broker in a thread. Call `sync` after a change of `tokens`.

    Without a `port` it has a free one, which stays its own while it is stopped.
    """

    def __init__(self, tokens: Mapping[str, str], port: int = 0) -> None:
        program = installed()
        assert program is not None, "mosquitto is not installed"
        self._folder = tempfile.TemporaryDirectory(prefix="flagfall-broker-")
        self.logged: list[str] = []
        self.child = BrokerChild(
            program,
            Path(self._folder.name) / "broker",
            lambda: tokens,
            access_list,
            log=lambda level, line: self.logged.append(f"{level} {line}"),
            random=Random(1),
        )
        self._port = port or free_port()
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None
        self._keeping: asyncio.Task[None] | None = None

    def start(self) -> int:
        self._port = self._loop.run_until_complete(self.child.start("127.0.0.1", self._port))
        self._keeping = self._loop.create_task(self.child.keep_up())
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self._port

    def sync(self) -> None:
        self._loop.call_soon_threadsafe(self.child.sync)

    def stop(self) -> None:
        if self._thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(PATIENCE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._thread = None

    async def _stop(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
        await self.child.stop()
