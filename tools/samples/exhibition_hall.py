"""Serves an exhibition: public pages and console, on a free port of this machine, by this process alone."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import itertools
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from hub.console.app import Console
from hub.console.context import ConsoleContext
from hub.console.login.accounts import Accounts, Role
from hub.console.login.guesses import Guesses
from hub.console.login.sessions import LoginSessions
from hub.console.login.setup_code import SetupCode
from hub.context import HubContext
from hub.limits.abuses import Abuses
from hub.log import log
from hub.public.assembly import public_parts
from hub.public.site import PublicSite
from hub.rounds.drafts import DraftFile, Drafting
from hub.rounds.operations import Operations
from hub.rounds.paired import pair_in_child
from hub.tables.devices import Devices
from hub.tables.enrolment import Offers
from hub.tables.outbound import Outbound
from hub.tables.setting_aside import SettingAside
from hub.tables.updates import Updates
from hub.web.app import application
from hub.web.stream import ChangeStream
from link.messages import Health, Status
from samples.exhibition import NOW, TOKEN, VERSION, Exhibition, Scene, seats_of
from simulator.program import free_port

DIRECTOR = "Vega"
PASSWORD = "a password for pictures"
SETUP_CODE = "STAR-2026"
_AFTER_S = 180
"""By so much the desk's clock is ahead of the last entry: whoever has not begun by then is late."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where an exhibition is shown, and the hall's key there."""

    page: str
    key: str


@contextlib.contextmanager
def shown(folder: Path, scene: Scene) -> Iterator[Address]:
    """Serves a scene until the block ends; `folder` takes its record. At the console `DIRECTOR` has `PASSWORD`; an
    empty scene waits for `SETUP_CODE`."""
    port = free_port()
    ready: Future[tuple[uvicorn.Server, str]] = Future()

    async def serve() -> None:
        exhibition = await Exhibition.opened(folder, scene)
        site, pages, pulse = _assembled(exhibition, folder)
        config = uvicorn.Config(
            pages, host="127.0.0.1", port=port, log_config=None, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        streaming = asyncio.create_task(site.run())
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        ready.set_result((server, site.key))
        await serving
        site.end()
        pulse.end()
        streaming.cancel()
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
    server, key = ready.result()
    try:
        yield Address(f"http://127.0.0.1:{port}", key)
    finally:
        server.should_exit = True
        thread.join()


def _assembled(exhibition: Exhibition, folder: Path) -> tuple[PublicSite, ASGIApp, ChangeStream]:
    store, live, scene, pulse = exhibition.store, exhibition.live, exhibition.scene, ChangeStream()
    site = PublicSite(store, live, time.monotonic_ns, lambda: NOW, TOKEN)

    def changed() -> None:
        site.changed()
        pulse.changed()

    live.tell = changed
    devices = Devices(folder / "devices.json")
    for seat, device in seats_of(scene).items():
        devices.enroll(device, seat)
        if scene.empty:
            live.hear_status(device, "", Status(online=True, fit=True, version=VERSION))
    for spare, status in _SPARES.items():
        devices.enroll(spare)
        live.hear_status(spare, "", status)
    told = lambda topic, payload: True  # noqa: E731
    outbound = Outbound(store.states, devices, live, told, time.monotonic_ns)
    numbers = itertools.count(1)

    def fresh() -> str:
        return f"desk-{next(numbers)}"

    accounts = Accounts(folder / "accounts.json")
    if not scene.empty:
        accounts.put(DIRECTOR, Role.DIRECTOR, PASSWORD)
    wall = datetime.datetime.fromisoformat(NOW) + datetime.timedelta(seconds=_AFTER_S)
    abuses = Abuses(time.monotonic_ns, changed)
    setting_aside = SettingAside(devices, abuses, store.states, lambda _: None, None)
    hub = HubContext(
        operations=Operations(store, devices, outbound, pair_in_child, fresh_id=fresh, changed=changed),
        store=store,
        devices=devices,
        live=live,
        outbound=outbound,
        offers=Offers(time.monotonic_ns, devices),
        updates=Updates(
            folder, devices, live, send=told, now_ns=time.monotonic_ns, host="", port=80, log=log
        ),
        set_aside=setting_aside.set_aside,
        hall_key=site.key,
    )
    context = ConsoleContext(
        hub=hub,
        accounts=accounts,
        sessions=LoginSessions(folder / "sessions.json", fresh, time.monotonic_ns),
        guesses=Guesses(time.monotonic_ns, TOKEN.encode(), abuses),
        abuses=abuses,
        drafting=Drafting(pair_in_child, pulse.changed, DraftFile(folder / "drafts.json"), store.states),
        now_ns=time.monotonic_ns,
        wall=lambda: wall,
        fresh_id=fresh,
    )
    console = Console(context, SetupCode(SETUP_CODE if scene.empty else "", lambda: None), pulse)
    pages = {"/desk": console.refusal_page, "": site.refusal_page}
    return site, application(*public_parts(site), console, refusal_pages=pages), pulse


_SPARES = {
    "spare-1": Status(online=True, fit=True, version=VERSION),
    "spare-2": Status(
        online=True, fit=False, version=VERSION, health=Health(board="5 squares not calibrated")
    ),
}
