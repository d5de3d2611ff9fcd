"""`flagfall-hub run`: one process with the record, the pages and the API, and the broker as its child (unless another
one is configured). It serves until a signal.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import json
import os
import signal
import socket
import sqlite3
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.types import ASGIApp

from flagfall.base.command_line import DONE, ended_by
from flagfall.base.errors import Failed, Invalid
from flagfall.base.private_file import write_private
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.store import LedgerError, StoreFailed
from flagfall.link.client.client import Link
from flagfall.link.identity import Identity, create, load
from flagfall.link.tls import client_context
from flagfall.link.topics import Topic, hub_filters
from hub.assembly import label, put_together, wall, web_application
from hub.broker.child import BrokerChild
from hub.broker.mosquitto import HUB_USER, MISSING, can_enter, installed
from hub.config import ACCOUNTS, DEVICES, PORTS, Config, api_token, read_config
from hub.desk.accounts import Accounts
from hub.desk.setup_code import new_setup
from hub.log import log, take_over_logging
from hub.proof.hub_key import hub_key
from hub.record.heads import RESTORE, WAY_ON, Head, SignedHeads, expect_ledger
from hub.record.store import TournamentStore
from hub.record.switch import finish_switch
from hub.running import Broker, Hub
from hub.tables.devices import Devices
from hub.tables.inbound import DueResult
from hub.venue import folder as venue
from hub.venue.names import NO_PUBLIC_PAGE, public_page, web_host
from hub.web import front
from hub.web.connections import MOST_OF_NGINX, Connections, most_connections
from hub.web.serving import (
    by_scheme,
    certificate_in,
    console_over_tls,
    listening_socket,
    make_server,
    reachable_address,
    with_secure_cookies,
)

if TYPE_CHECKING:
    from hub.public.outside.mirror import Mirror

_ROUND_TIME_S = 1.0
# After so many rounds of looking around the hub looks for its address, and holds the certificate against the clock.
_RENEWED_TURNS = 10
_ANYWHERE = ("127.0.0.1", "0.0.0.0", "::", "localhost")
# A server with its socket.
Server = tuple[uvicorn.Server, socket.socket]


@ended_by(Failed, Invalid, LedgerError)
def run(arguments: Sequence[str]) -> int:
    """Run the hub until SIGTERM or SIGINT. CommandError, one line, if it cannot be set up."""
    config = read_config(arguments, os.environ)
    take_over_logging()
    return asyncio.run(_run(config))


async def _run(config: Config) -> int:
    """Build the hub, from the files that it opens to the pages that it serves, and run it until a signal."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(name, stopping.set)

    def send(topic: Topic, payload: bytes) -> bool:
        return link.publish(str(topic), payload, topic.qos, topic.retained)

    def clear(topic: Topic) -> None:
        link.publish(str(topic), b"", 0, True)  # not in the queue that receipts use

    _make_folder(config.state_dir)
    finish_switch(config.state_dir, config.ledger)
    async with contextlib.AsyncExitStack() as opened:
        devices = Devices(config.state_dir / DEVICES)
        token = api_token(config.api_token)
        heads = SignedHeads(config.state_dir)
        expect_ledger(config.ledger, len(devices.all), devices.seq > 0, heads)
        doors = _listen(config, opened)
        store = await _opened_store(config)
        opened.push_async_callback(store.close)
        _expect_record(config, devices, heads, store)
        _remember(heads, store.heads)
        identity, broker, child = await opened.enter_async_context(_broker(config, devices, store))
        accounts = Accounts(config.state_dir / ACCOUNTS)
        hub = put_together(
            state_dir=config.state_dir,
            key=hub_key(config.state_dir),
            store=store,
            devices=devices,
            accounts=accounts,
            setup=new_setup(config.state_dir, needed=not accounts.all),
            token=token,
            send=send,
            clear=clear,
            broker=broker,
            web_host="" if config.web_host in _ANYWHERE else config.web_host,
            web_port=doors.web_port,
            config=config,
            public_page=_public_page(config, doors),
        )
        link = Link(
            host=config.broker_host,
            port=broker.port,
            user=identity.device,
            token=identity.token,
            filters=hub_filters(),
            inbox=hub.intake.put,
            on_state=hub.intake.put,
            random=Random(0),
            # The hub's own broker is on this machine, and does not encrypt.
            tls=client_context(config.tls) if config.tls is not None and not config.embedded else None,
        )
        connections = Connections(hub.abuses, most_connections())
        if config.web_socket is not None:
            connections = Connections(hub.abuses, most_connections(MOST_OF_NGINX), MOST_OF_NGINX)
        certificate = None
        if doors.tls_port is not None and config.venue is not None:
            certificate = venue.WebCertificate(config.venue, wall(), log)
        servers = _servers(hub, connections, doors, certificate)
        _write_for_nginx(config, hub, certificate)
        mirror = _mirror(config, hub)
        # What is there now stays, and the record is values that hold no cycles: looking through them for garbage after
        # every 700 new ones took 8 % of the time of a result.
        gc.freeze()
        gc.set_threshold(10_000, 20, 10)

        await store.record_companions()  # devices that were revoked or enrolled while no hub ran
        for line in store.unreadable.values():
            log("error", line)
        hub.rejudging.add_all()
        decided: asyncio.Queue[list[DueResult]] = asyncio.Queue(1)
        running = [connections.run(), hub.rejudging.run(), hub.site.run(), hub.pulse.run()]
        running.append(hub.scribes.run())
        running += [_take(hub, decided), _check_files(hub, decided), _record(hub, decided)]
        running.append(
            _look_around(
                hub,
                link,
                heads,
                partial(_renew, config, hub, doors=doors, certificate=certificate, server=servers[-1]),
            )
        )
        if child is not None:
            running.append(child.keep_up())
        if child is not None or not config.embedded:
            running.append(link.keep_up())
        if mirror is not None:
            running.append(mirror.run())
        if hub.cosigning.witnesses:
            running.append(hub.cosigning.run())
        tell_ready = partial(_tell_ready, config, hub, child=child, doors=doors, certificate=certificate)
        try:
            await _serve(hub, running, servers, tell_ready, stopping)
        finally:
            _remember(heads, store.heads)
        log("info", "stopped")
        return DONE


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as fault:
        raise Invalid("state_dir", f"a folder to write to: {folder}: {fault.strerror}") from None


async def _opened_store(config: Config) -> TournamentStore:
    try:
        return await TournamentStore.opened(lambda: open_ledger(config.ledger), lambda: label(wall()))
    except StoreFailed as fault:
        # What may pass (a full disk, a lock) is one of SQLite's narrower errors; this one says: not its file.
        if type(fault.__cause__) is not sqlite3.DatabaseError:
            raise
        raise Failed(f"{fault}: {RESTORE}") from None


@dataclass(frozen=True, slots=True)
class _Doors:
    """The sockets that the hub listens at, and the ports at which browsers find its pages. With nginx in front there is
    one socket, and the ports are nginx's."""

    web_socket: socket.socket
    web_port: int
    tls_socket: socket.socket | None
    tls_port: int | None


def _listen(config: Config, opened: contextlib.AsyncExitStack) -> _Doors:
    if config.web_socket is not None:
        at_socket = opened.enter_context(front.unix_socket(config.web_socket))
        return _Doors(at_socket, config.web_port, None, config.web_tls_port)
    plain = opened.enter_context(listening_socket(config.web_host, config.web_port, "web_port"))
    if config.web_tls_port is None:
        return _Doors(plain, _port(plain), None, None)
    encrypted = listening_socket(config.web_host, config.web_tls_port, "web_tls_port")
    opened.enter_context(encrypted)
    return _Doors(plain, _port(plain), encrypted, _port(encrypted))


def _port(socket: socket.socket) -> int:
    return int(socket.getsockname()[1])


def _servers(
    hub: Hub, connections: Connections, doors: _Doors, certificate: venue.WebCertificate | None
) -> tuple[Server, ...]:
    """Return the servers of the pages; the last one serves them with the certificate, if there is one."""
    pages: ASGIApp = web_application(hub)
    plain = pages
    if doors.tls_port is not None and certificate is not None:
        plain = console_over_tls(pages, doors.tls_port, lambda host: web_host(host, certificate.hosts))
    if doors.web_socket.family == socket.AF_UNIX:
        pages = front.behind_nginx(by_scheme(plain, with_secure_cookies(pages)), hub.sessions, _pass(hub))
        return ((make_server(pages, connections), doors.web_socket),)
    served: tuple[Server, ...] = ((make_server(plain, connections), doors.web_socket),)
    if doors.tls_socket is not None and certificate is not None:
        files = certificate_in(certificate.folder)
        encrypted = make_server(with_secure_cookies(pages), connections, *files)
        served += ((encrypted, doors.tls_socket),)
    return served


def _pass(hub: Hub) -> front.Pass:
    return front.Pass(hub.token, hub.sessions.hub, lambda: hub.wall().timestamp())


def _write_for_nginx(config: Config, hub: Hub, certificate: venue.WebCertificate | None) -> None:
    if config.web_socket is None:
        return
    files, tls = None, ""
    if certificate is not None and config.web_tls_port is not None:
        files = certificate_in(certificate.folder)
        tls = front.tls_settings(config.web_tls_port, files)
    text = front.settings(config.web_socket.absolute(), files, _pass(hub), hub.site.key)
    if front.write_settings(config.state_dir, text, tls):
        log("info", f"nginx reads its settings anew folder={config.state_dir / front.FOLDER}")


def _public_page(config: Config, doors: _Doors) -> str:
    return public_page(
        config.public_address,
        at_venue=config.venue is not None,
        web_host=config.web_host,
        web_port=doors.web_port,
    )


def _renew(
    config: Config, hub: Hub, *, doors: _Doors, certificate: venue.WebCertificate | None, server: Server
) -> None:
    """Find the address for telephones anew: the network may come after the hub, or give it another one. Make the
    certificate anew if the wall clock, once set, shows that it does not hold."""
    # Without a network the last address stays, for paper that is printed meanwhile.
    hub.site.public_page = _public_page(config, doors) or hub.site.public_page
    if certificate is not None:
        certificate.look(wall(), server[0].config.ssl)
        _write_for_nginx(config, hub, certificate)


def _mirror(config: Config, hub: Hub) -> Mirror | None:
    if config.outside_folder is None:
        return None
    from hub.public.outside.mirror import Mirror  # loaded only by hubs with an outside

    mirror = Mirror(hub.site, config.outside_folder, config.outside_command, log)
    hub.live.listeners.append(mirror.changed)
    return mirror


async def _serve(
    hub: Hub,
    running: Sequence[Coroutine[Any, Any, object]],
    servers: Sequence[Server],
    tell_ready: Callable[[], None],
    stopping: asyncio.Event,
) -> None:
    """Run `running` and the servers until `stopping` is set, and end them; an exception in one of them is raised."""
    tasks = [asyncio.create_task(part) for part in running]
    serving = [asyncio.create_task(server.serve([listening])) for server, listening in servers]
    tell_ready()
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({stop, *serving, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()  # an error of the program: it must be seen, not survived half-dead
    finally:
        hub.site.end()
        hub.pulse.end()
        for server, _ in servers:
            server.should_exit = True
        await asyncio.gather(*serving)
        stop.cancel()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _tell_ready(
    config: Config,
    hub: Hub,
    *,
    child: BrokerChild | None,
    doors: _Doors,
    certificate: venue.WebCertificate | None,
) -> None:
    web_port, broker_port = doors.web_port, hub.broker.port
    _tell_addresses(config.state_dir / PORTS, web_port, broker_port)
    host = reachable_address(config.web_host)
    page = f"http://{host}:{web_port}"
    missing = config.embedded and child is None
    broker = "none" if missing else f"{config.broker_host}:{broker_port}"
    log("info", f"ready page={page}/ broker={broker}")
    if not hub.site.public_page:
        log("warning", f"no QR codes: {NO_PUBLIC_PAGE}")
    if doors.tls_port is not None and certificate is not None:
        page = f"https://{web_host(host, certificate.hosts)}:{doors.tls_port}"
        log("info", f"console={page}/desk")
    if code := hub.setup.code:
        log("info", f"setup code={code} page={page}/desk/setup")


async def _take(hub: Hub, decided: asyncio.Queue[list[DueResult]]) -> None:
    """Take what has arrived, from each device in turn, as one batch; loop for ever."""
    while True:
        link, batch = await hub.intake.batch()
        for up in link:
            hub.live.hear_link(up, hub.now_ns())
            log("info" if up else "warning", f"link {'up' if up else 'down'}")
        if True in link:
            hub.outbound.send_assignments()
            hub.updates.tell_all()
        with _surviving(hub):
            due = await hub.inbound.take(batch)
            await decided.put(due)


async def _check_files(hub: Hub, decided: asyncio.Queue[list[DueResult]]) -> None:
    """Check the large game files of results, one after the other; loop for ever."""
    while True:
        with _surviving(hub):
            await decided.put(await hub.inbound.take_checked())


async def _record(hub: Hub, decided: asyncio.Queue[list[DueResult]]) -> None:
    """Record decided results: all that were decided during one commit go together into the next."""
    while True:
        due = await decided.get()
        while not decided.empty():
            due += decided.get_nowait()
        with _surviving(hub):
            await hub.inbound.record(due)


@contextlib.contextmanager
def _surviving(hub: Hub) -> Iterator[None]:
    """Log any exception, because no message may stop the hub; tables send their results again."""
    try:
        yield
    except Exception:
        hub.live.drop("fault", "a message could not be taken: see the log")
        log("error", f"fault what={traceback.format_exc()!r}")


def _expect_record(config: Config, devices: Devices, heads: SignedHeads, store: TournamentStore) -> None:
    """Raise Failed if the record is not the one that this hub remembers."""
    for gap in store.gaps(heads.remembered):
        raise Failed(f"{config.ledger}: {gap}: {WAY_ON}")
    if heads.first_time and devices.seq and not (store.states or store.unreadable):
        raise Failed(f"{config.ledger}: expected the record that told devices of games, got none: {WAY_ON}")


def _remember(heads: SignedHeads, present: Mapping[str, Head]) -> None:
    """Sign the present heads; of a tournament that cannot be read the last remembered head is kept."""
    try:
        heads.remember({**heads.remembered, **present})
    except OSError as failure:
        log("warning", f"heads of the record not signed: {failure}")


async def _look_around(hub: Hub, link: Link, heads: SignedHeads, renew: Callable[[], None]) -> None:
    """Repeat unanswered messages, ask for lost results, remember the record's heads, log why no broker answers."""
    problem = link.problem
    for turn in itertools.count(1):
        await asyncio.sleep(_ROUND_TIME_S)
        if turn % _RENEWED_TURNS == 0:
            await asyncio.to_thread(renew)
        if link.problem not in ("", problem):
            log("warning", f"broker: {link.problem}")
        problem = link.problem
        await asyncio.to_thread(_remember, heads, hub.store.heads)
        hub.outbound.send_rulings()
        for device in hub.devices.all:
            hub.outbound.answer_status(device.device)
        hub.recovery.compare_records()
        hub.updates.remind_devices()
        hub.sessions.keep_up()
        hub.waits.keep_up()


@contextlib.asynccontextmanager
async def _broker(
    config: Config, devices: Devices, store: TournamentStore
) -> AsyncIterator[tuple[Identity, Broker, BrokerChild | None]]:
    """Yield the hub's identity at the broker, the broker's address, and the broker itself if the hub starts it."""
    # Where the broker is the hub's own, devices find it at the host at which they reached the hub.
    here = config.embedded or config.venue is not None
    host = "" if here and config.broker_host in _ANYWHERE else config.broker_host
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
    """Log the devices that the broker cannot let in."""
    for device in devices.all:
        if not can_enter(device.device):
            reason = "cannot enter: expected no colon, no blank around it"
            log("error", f"broker: device {device.device!r} {reason}")


def _tell_addresses(file: Path, web_port: int, broker_port: int) -> None:
    """Write the ports chosen by the system, for programs on this machine."""
    addresses = {"web_port": web_port, "broker_port": broker_port, "pid": os.getpid()}
    write_private(file, json.dumps(addresses).encode() + b"\n", mode=0o644)
