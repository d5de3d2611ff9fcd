"""The server of an exhibition: public pages and console, on a free port of this machine, by this process alone."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from flagfall.link.messages import Health, Status
from hub.ages import MachineClock
from hub.assembly import web_application
from hub.role import Role
from samples.exhibition import NOW, VERSION, Exhibition, Scene, seats_of
from simulator.program import free_port

DIRECTOR = "Vega"
PASSWORD = "a password for pictures"
# The hub's clock is ahead of the last entry by this much: a player who has not begun by then is late.
_AFTER_S = 180


@dataclass(frozen=True, slots=True)
class Address:
    """The address at which an exhibition is shown, the hall's key there, and the end of the game at a table."""

    page: str
    key: str
    finish: Callable[[int], None]


@contextlib.contextmanager
def shown(folder: Path, scene: Scene, **others: Any) -> Iterator[Address]:
    """Serve a scene until the block ends; `folder` takes its record, `others` are as for `Exhibition.opened`.

    At the console `DIRECTOR` has `PASSWORD`; an empty scene waits for `SETUP_CODE`.
    """
    port = free_port()
    ready: Future[tuple[uvicorn.Server, Exhibition, asyncio.AbstractEventLoop]] = Future()

    async def serve() -> None:
        now = datetime.datetime.fromisoformat(NOW) + datetime.timedelta(seconds=_AFTER_S)
        since_boot_s = 0
        clock = MachineClock("", lambda: since_boot_s * 10**9, lambda: int(now.timestamp()) * 10**9)
        exhibition = await Exhibition.opened(folder, scene, wall=lambda: now, clock=clock, **others)
        exhibition.hub.waits.look()
        since_boot_s = _AFTER_S
        _furnish(exhibition)
        site, pages = exhibition.hub.site, web_application(exhibition.hub).inner
        config = uvicorn.Config(
            pages, host="127.0.0.1", port=port, log_config=None, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        streams = [asyncio.create_task(part.run()) for part in (site, exhibition.hub.pulse)]
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        ready.set_result((server, exhibition, asyncio.get_running_loop()))
        await serving
        site.end()
        exhibition.hub.pulse.end()
        for stream in streams:
            stream.cancel()
        await exhibition.store.close()

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as fault:
            if ready.done():
                raise
            ready.set_exception(fault)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    server, exhibition, loop = ready.result()

    def finish(table: int) -> None:
        asyncio.run_coroutine_threadsafe(exhibition.finish_table(table), loop).result()

    try:
        yield Address(f"http://127.0.0.1:{port}", exhibition.hub.site.key, finish)
    finally:
        server.should_exit = True
        thread.join()


def _furnish(exhibition: Exhibition) -> None:
    """Add devices at the seats and beside them, and somebody who may sign in."""
    hub, scene = exhibition.hub, exhibition.scene
    for device in seats_of(scene).values():
        if scene.empty:
            hub.live.hear_status(device, "", Status(online=True, fit=True, version=VERSION))
    for spare, status in _SPARES.items():
        hub.devices.enroll(spare, bytes(32))
        hub.live.hear_status(spare, "", status)
    if not scene.empty:
        hub.accounts.put(DIRECTOR, Role.DIRECTOR, PASSWORD)


_SPARES = {
    "spare-1": Status(online=True, fit=True, version=VERSION),
    "spare-2": Status(
        online=True, fit=False, version=VERSION, health=Health(board="5 squares not calibrated")
    ),
}
