"""The embedded broker for tests without a loop of their own: in a thread, between `start` and `stop`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from link.broker import EmbeddedBroker


class BrokerThread:
    """`port` 0: any free one, then the same again at each start."""

    def __init__(self, digest_of: Callable[[str], str | None], hub_user: str, port: int = 0) -> None:
        self.broker = EmbeddedBroker(digest_of, hub_user)
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None

    def start(self) -> int:
        self._port = self._loop.run_until_complete(self.broker.start("127.0.0.1", self._port))
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self._port

    def stop(self) -> None:
        if self._thread is None:
            return
        asyncio.run_coroutine_threadsafe(self.broker.stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._thread = None
