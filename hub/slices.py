"""Work of the hub's loop in slices, so that no page and no file holds it: receipts, clocks and streams go on between.

A page is rendered in slices (`hub.web.pages.rendered`). What is computed from a frozen state alone runs in a thread
(`apart`): between two of its instructions the loop has its turn. Child processes (`hub.child_process`) are for foreign
files, and for work of seconds or of much memory.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_T = TypeVar("_T")
# Time after which other work of the hub has its turn.
SLICE_S = 0.005
# One thread alone: with several the loop would wait longer for its turn.
_THREAD = ThreadPoolExecutor(1, "pages")


async def apart(work: Callable[..., _T], *frozen: object) -> _T:
    """Return `work(*frozen)`, computed in a thread while the loop goes on. Nothing that `work` reads may change."""
    return await asyncio.get_running_loop().run_in_executor(_THREAD, work, *frozen)


async def in_slices(items: Iterable[_T]) -> AsyncIterator[_T]:
    """Yield the items, with other work of the hub in between. What they are made of must be frozen."""
    until_s = time.monotonic() + SLICE_S
    for item in items:
        yield item
        if time.monotonic() > until_s:
            await asyncio.sleep(0)
            until_s = time.monotonic() + SLICE_S
