"""Tells open consoles that something has changed, or that time has passed; each then fetches its part of the page
again, because late tables and the end of the round depend on time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

BREATH_S = 0.25
_LOOK_AGAIN_S = 10.0


class ChangeStream:
    """`changed` is called in the loop after every change."""

    def __init__(self) -> None:
        self._count = 0
        self._waiting: set[asyncio.Event] = set()
        self._ended = False

    def changed(self) -> None:
        self._count += 1
        for event in self._waiting:
            event.set()

    def end(self) -> None:
        """Ends every stream."""
        self._ended = True
        for event in self._waiting:
            event.set()

    async def listen(self) -> AsyncIterator[str]:
        """Server-sent events, at most one per interval."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            yield f"data: {self._count}\n\n"
            while not self._ended:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_AGAIN_S):
                        await event.wait()
                event.clear()
                if not self._ended:
                    yield f"data: {self._count}\n\n"
                    await asyncio.sleep(BREATH_S)
        finally:
            self._waiting.discard(event)
