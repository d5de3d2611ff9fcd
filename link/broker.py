"""An MQTT broker inside the hub's process, for one machine or a trusted network.

Users are the devices and the hub, each with a random token; a device sends only under its own topics and hears
only those. It does not encrypt, and forgets everything when it ends; signatures and the outbox do not rely on it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any

from link.access import Access
from link.guarded_amqtt import GuardedBroker

_START_TIMEOUT_S = 10.0
_STOP_TIMEOUT_S = 5.0


class BrokerError(Exception):
    """The broker cannot start; one line."""


class EmbeddedBroker:
    """Listens on `host`:`port` (0: any free port) between `start` and `stop`, in a thread and loop of its own.

    `digest_of` gives the SHA-256 (hex) of a user's token, None for who is unknown (a dict's `get` will do). It is
    asked at every connection, from the broker's thread: devices can be enrolled and revoked while it runs.
    """

    def __init__(
        self, digest_of: Callable[[str], str | None], hub_user: str, host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self._digest_of = digest_of
        self._access = Access(hub_user)
        self._host = host
        self._port = port
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._failure = ""
        self._faults = 0

    @property
    def faults(self) -> int:
        """Errors inside the broker that cost a connection or a message; for the console."""
        return self._faults

    @property
    def failure(self) -> str:
        """Why it does not run any more, in one line; empty while all is well."""
        return self._failure

    def start(self) -> int:
        """Returns the port once connections are accepted. BrokerError if the address cannot be used."""
        self._ready.clear()
        self._failure = ""
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)
        self._thread.start()
        if not self._ready.wait(_START_TIMEOUT_S):
            raise BrokerError(f"broker: not started within {_START_TIMEOUT_S:.0f} s")
        if self._failure:
            self._thread.join()
            raise BrokerError(self._failure)
        return self._port

    def stop(self) -> None:
        """Ends all connections; returns when the port is free. Harmless when not started."""
        if self._thread is None or self._loop is None or self._stop is None:
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended by itself
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._thread = self._loop = self._stop = None

    def _run(self) -> None:
        # amqtt logs each caller's mistake in several lines; what matters is counted in `faults`.
        for name in ("amqtt", "transitions"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            asyncio.run(self._serve())
        except OSError as failure:
            self._failure = (
                f"broker: cannot listen on {self._host}:{self._port}: {failure.strerror or failure}"
            )
        except Exception as failure:
            self._failure = f"broker: {failure}"
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._count)
        self._stop = asyncio.Event()
        broker = GuardedBroker(self._digest_of, self._access)
        await broker.start()
        server = await asyncio.start_server(broker.caller, self._host, self._port)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        while not self._stop.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), 1.0)
            broker.end_silent_connections(self._loop.time())
        server.close()
        broker.end_all_connections()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(broker.shutdown(), _STOP_TIMEOUT_S)

    def _count(self, _: asyncio.AbstractEventLoop, __: dict[str, Any]) -> None:
        self._faults += 1
