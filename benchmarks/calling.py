"""Connections of a load: the link's own, as many as are wanted in one loop; whoever loses one does without."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from link.connection import Connection
from link.packets import Connect

Heard = Callable[[str, bytes], None]
"""Takes topic and payload."""
_KEEPALIVE_S = 60


async def called(
    port: int, user: str, token: str, filters: tuple[str, ...], heard: Heard, host: str = "127.0.0.1"
) -> Connection:
    """A connection whose subscriptions stand; ConnectionError where the broker refuses it."""
    loop = asyncio.get_running_loop()
    up: asyncio.Future[None] = loop.create_future()

    def new() -> Connection:
        hello = Connect(user, user, token, _KEEPALIVE_S)
        return Connection(
            hello, filters, lambda arrival: heard(arrival.topic, arrival.payload), lambda: up.set_result(None)
        )

    _, connection = await loop.create_connection(new, host, port)
    await asyncio.wait({up, connection.over}, return_when=asyncio.FIRST_COMPLETED)
    if not up.done():
        raise ConnectionError(connection.refusal)
    return connection
