"""`flagfall-hub run`: one process with the record, the pages and the API, and the broker as its child (unless another
one is configured).

Opens what the hub needs, has it assembled by `hub.running`, and serves until a signal.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import json
import os
import signal
import sqlite3
import traceback
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from hub.assembly import label, wall
from hub.broker.child import BrokerChild, BrokerError
from hub.broker.mosquitto import HUB_USER, MISSING, can_enter, installed
from hub.config import DEVICES, PORTS, Config, api_token, read_config
from hub.console.login.accounts import AccountError
from hub.log import log, take_over_logging
from hub.record.heads import RESTORE, WAY_ON, Head, RecordError, SignedHeads, expect_ledger
from hub.record.store import TournamentStore
from hub.record.switch import finish_switch
from hub.running import OpenedHub, RunningHub, assembled, broker_host_told
from hub.tables.devices import Devices, DevicesError
from hub.tables.inbound import DueResult
from hub.venue import folder as venue
from hub.web.api.context import Broker
from hub.web.serving import listening_socket, reachable_address
from ledger.opening import open_ledger
from ledger.store import LedgerError, StoreFailed
from link.command_line import DONE, ended_by
from link.identity import Identity, IdentityError, create, load
from link.private_file import write_private
from link.tls import TlsError
from othello.errors import Invalid

_ROUND_TIME_S = 1.0
_CERTIFICATE_TURNS = 10
"""After so many rounds of looking around the certificate is held against the wall clock."""


@ended_by(AccountError, BrokerError, Invalid, DevicesError, IdentityError)
@ended_by(LedgerError, RecordError, TlsError, venue.VenueError)
def run(arguments: Sequence[str]) -> int:
    """Runs the hub until SIGTERM or SIGINT. CommandError, one line, if it cannot be set up."""
    config = read_config(arguments, os.environ)
    take_over_logging()
    return asyncio.run(_run(config))


async def _run(config: Config) -> int:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(name, stopping.set)
    async with _opened(config) as opened:
        hub = assembled(config, opened)
        # What is there now stays, and the record is values that hold no cycles: looking through them for garbage after
        # every 700 new ones took 8 % of the time of a result.
        gc.freeze()
        gc.set_threshold(10_000, 20, 50)
        return await serve(hub, stopping)


@contextlib.asynccontextmanager
async def _opened(config: Config) -> AsyncIterator[OpenedHub]:
    try:
        config.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as fault:
        expected = f"a folder to write to: {config.state_dir}: {fault.strerror}"
        raise Invalid("state_dir", expected) from None
    finish_switch(config.state_dir, config.ledger)
    devices = Devices(config.state_dir / DEVICES)
    token = api_token(config.api_token)
    heads = SignedHeads(config.state_dir)
    expect_ledger(config.ledger, len(devices.all), devices.seq > 0, heads)
    async with contextlib.AsyncExitStack() as stack:
        web_socket = stack.enter_context(listening_socket(config.web_host, config.web_port, "web_port"))
        tls_socket = None
        if config.web_tls_port is not None:
            tls_socket = listening_socket(config.web_host, config.web_tls_port, "web_tls_port")
            stack.enter_context(tls_socket)
        try:
            store = await TournamentStore.opened(lambda: open_ledger(config.ledger), lambda: label(wall()))
        except StoreFailed as fault:
            # What may pass (a full disk, a lock) is one of SQLite's narrower errors; this one says: not its file.
            if type(fault.__cause__) is not sqlite3.DatabaseError:
                raise
            raise RecordError(f"{fault}: {RESTORE}") from None
        stack.push_async_callback(store.close)
        _expect_record(config, devices, heads, store)
        _remember(heads, store.heads)
        identity, broker, child = await stack.enter_async_context(_broker(config, devices, store))
        yield OpenedHub(
            store=store,
            devices=devices,
            heads=heads,
            token=token,
            identity=identity,
            broker=broker,
            child=child,
            web_socket=web_socket,
            tls_socket=tls_socket,
        )


async def serve(hub: RunningHub, stopping: asyncio.Event) -> int:
    """Runs all parts of the hub until `stopping` is set, and ends them; an exception in one of them is raised."""
    opened = hub.opened
    for line in opened.store.unreadable.values():
        log("error", line)
    hub.parts.rejudging.add_all()
    decided: asyncio.Queue[list[DueResult]] = asyncio.Queue(1)
    running = [hub.gate.run(), hub.parts.rejudging.run(), hub.parts.site.run(), hub.parts.pulse.run()]
    running += [_take(hub, decided), _record(hub, decided), _look_around(hub)]
    if opened.child is not None:
        running.append(opened.child.keep_up())
    if opened.child is not None or not hub.config.embedded:
        running.append(hub.link.keep_up())
    if hub.outside is not None:
        running.append(hub.outside.run())
    tasks = [asyncio.create_task(one) for one in running]
    serving = [asyncio.create_task(server.serve([listening])) for server, listening in hub.servers]
    _tell_ready(hub)
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({stop, *serving, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()  # an error of the program: it must be seen, not survived half-dead
    finally:
        hub.parts.site.end()
        hub.parts.pulse.end()
        for server, _ in hub.servers:
            server.should_exit = True
        await asyncio.gather(*serving)
        stop.cancel()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        _remember(opened.heads, opened.store.heads)
    log("info", "stopped")
    return DONE


def _tell_ready(hub: RunningHub) -> None:
    config, opened = hub.config, hub.opened
    _tell_addresses(config.state_dir / PORTS, opened.web_port, opened.broker.port)
    host = reachable_address(config.web_host)
    page = f"http://{host}:{opened.web_port}"
    missing = config.embedded and opened.child is None
    broker = "none" if missing else f"{config.broker_host}:{opened.broker.port}"
    log("info", f"ready page={page}/ broker={broker}")
    if opened.tls_port is not None and hub.certificate is not None:
        page = f"https://{venue.web_host(host, hub.certificate.hosts)}:{opened.tls_port}"
        log("info", f"console={page}/desk")
    if code := hub.parts.console.setup.code:
        log("info", f"setup code={code} page={page}/desk/setup")


async def _take(hub: RunningHub, decided: asyncio.Queue[list[DueResult]]) -> None:
    """The loop that takes what has arrived, from each device in turn, as one batch."""
    while True:
        link, batch = await hub.parts.intake.batch()
        for up in link:
            hub.parts.context.live.hear_link(up, hub.parts.console.context.now_ns())
            log("info" if up else "warning", f"link {'up' if up else 'down'}")
        if True in link:
            hub.parts.context.outbound.send_assignments()
            hub.parts.context.updates.tell_all()
        with _surviving(hub):
            due = await hub.parts.inbound.take(batch)
            await decided.put(due)


async def _record(hub: RunningHub, decided: asyncio.Queue[list[DueResult]]) -> None:
    """Records decided results: all that were decided during one commit go together into the next."""
    while True:
        due = await decided.get()
        while not decided.empty():
            due += decided.get_nowait()
        with _surviving(hub):
            await hub.parts.inbound.record(due)


@contextlib.contextmanager
def _surviving(hub: RunningHub) -> Iterator[None]:
    """Logs any exception, because no message may stop the hub; tables send their results again."""
    try:
        yield
    except Exception:
        hub.parts.context.live.drop("fault", "a message could not be taken: see the log")
        log("error", f"fault what={traceback.format_exc()!r}")


def _expect_record(config: Config, devices: Devices, heads: SignedHeads, store: TournamentStore) -> None:
    """RecordError if the record is not the one that this hub remembers."""
    for gap in store.gaps(heads.remembered):
        raise RecordError(f"{config.ledger}: {gap}: {WAY_ON}")
    if heads.first_time and devices.seq and not (store.states or store.unreadable):
        raise RecordError(
            f"{config.ledger}: expected the record that told devices of games, got none: {WAY_ON}"
        )


def _remember(heads: SignedHeads, present: Mapping[str, Head]) -> None:
    """Signs the present heads; of a tournament that cannot be read the last remembered head is kept."""
    try:
        heads.remember({**heads.remembered, **present})
    except OSError as failure:
        log("warning", f"heads of the record not signed: {failure}")


async def _look_around(hub: RunningHub) -> None:
    """Repeats unanswered messages, asks for lost results, remembers the record's heads, says why no broker answers."""
    opened = hub.opened
    problem = hub.link.problem
    for turn in itertools.count(1):
        await asyncio.sleep(_ROUND_TIME_S)
        if turn % _CERTIFICATE_TURNS == 0:
            await asyncio.to_thread(hub.renew_certificate)
        if hub.link.problem not in ("", problem):
            log("warning", f"broker: {hub.link.problem}")
        problem = hub.link.problem
        await asyncio.to_thread(_remember, opened.heads, opened.store.heads)
        hub.parts.context.outbound.send_rulings()
        for device in opened.devices.all:
            hub.parts.context.outbound.answer_status(device.device)
        hub.parts.recovery.compare_records()
        hub.parts.context.updates.remind_devices()
        hub.parts.console.context.sessions.keep_up()
        hub.parts.console.context.waits.keep_up()


@contextlib.asynccontextmanager
async def _broker(
    config: Config, devices: Devices, store: TournamentStore
) -> AsyncIterator[tuple[Identity, Broker, BrokerChild | None]]:
    """The hub's identity at the broker, the broker's address, and the broker itself if the hub starts it."""
    host = broker_host_told(config)
    if not config.embedded:
        assert config.broker_identity is not None
        yield load(config.broker_identity), Broker(host, config.broker_port, config.venue), None
        return
    hub = create(HUB_USER)
    program = installed()
    if program is None:
        log("error", f"broker: {MISSING}")
        yield hub, Broker(host, config.broker_port, config.venue), None
        return
    _tell_kept_out(devices)
    child = BrokerChild(
        program,
        config.state_dir / "broker",
        lambda: devices.tokens | {HUB_USER: hub.token},
        access=lambda: venue.access_list(("-", *store.states)),
        log=log,
        random=Random(),
    )
    devices.changed = store.begun = child.sync
    port = await child.start(config.broker_host, config.broker_port)
    try:
        yield hub, Broker(host, port, config.venue), child
    finally:
        await child.stop()


def _tell_kept_out(devices: Devices) -> None:
    """Logs the devices that the broker cannot let in."""
    for device in devices.all:
        if not can_enter(device.device):
            said = "cannot enter: expected no colon, no blank around it"
            log("error", f"broker: device {device.device!r} {said}")


def _tell_addresses(file: Path, web_port: int, broker_port: int) -> None:
    """Writes the ports chosen by the system, for programs on this machine."""
    told = {"web_port": web_port, "broker_port": broker_port, "pid": os.getpid()}
    write_private(file, json.dumps(told).encode() + b"\n", mode=0o644)
