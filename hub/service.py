"""`flagfall-hub run`: one process with the record, the page and the API, and the broker as its child (unless another
is configured).

This is where the running hub is put together. One loop takes what arrives; the link only puts into its inbox.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import json
import os
import secrets
import signal
import sys
import time
import traceback
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from random import Random

from hub.broker.child import BrokerChild, BrokerError
from hub.broker.mosquitto import HUB_USER, MISSING, can_enter, installed
from hub.config import EMBEDDED, Config, ConfigError, api_token, read_config
from hub.console.assembly import Hours, assemble
from hub.console.change_stream import ChangeStream
from hub.console.login.accounts import AccountError, Accounts
from hub.console.login.guesses import Guesses
from hub.console.login.sessions import LoginSessions
from hub.console.login.setup_code import new_setup
from hub.limits.abuses import Abuses
from hub.log import log, take_over_logging
from hub.public.api.showing import ShowingApi
from hub.public.assembly import outside_of, public_half
from hub.record.heads import WAY_ON, Head, RecordError, SignedHeads, expect_ledger
from hub.record.store import TournamentStore
from hub.rounds.drafts import DraftFile
from hub.rounds.operations import Operations
from hub.rounds.publish import pair_in_child
from hub.tables.devices import Devices, RegistryError
from hub.tables.enrolment import Offers
from hub.tables.inbound import Arrived, Inbound
from hub.tables.intake import KEPT_OUT_S, Intake
from hub.tables.live import Live
from hub.tables.outbound import Outbound
from hub.tables.recovery import Recovery
from hub.tables.rejudging import RefereeAside, Rejudging
from hub.tables.setting_aside import SettingAside
from hub.tables.updates import Updates
from hub.venue import folder as venue
from hub.web.api.enrolment import Broker, EnrolmentApi
from hub.web.api.finals import FinalsApi
from hub.web.api.rounds import Api
from hub.web.api.update import UpdateApi
from hub.web.app import application
from hub.web.bounds import Bounds, known_by
from hub.web.gate import Gate, GatedSocket, most_connections, raise_descriptor_limit
from hub.web.https import certificate_in, console_elsewhere, with_secure_cookies
from hub.web.same import SameAnswers
from hub.web.serving import listening_at, server_of
from hub.web.turns import Budget
from ledger.opening import open_ledger
from ledger.store import LedgerError
from link.client.client import Arrival, Link
from link.identity import Identity, IdentityError, create, load
from link.private_file import write_private
from link.tls import TlsError, client_context
from link.topics import Topic, hub_filters, parse

DONE = 0
BAD_INPUT = 2
_ANYWHERE = ("127.0.0.1", "0.0.0.0", "::", "localhost")
_ROUND_TIME_S = 1.0


def run(arguments: Sequence[str]) -> int:
    """The hub until SIGTERM or SIGINT; 2 with one line on standard error where it cannot be set up."""
    try:
        config = read_config(arguments, os.environ)
        take_over_logging()
        return asyncio.run(_serve(config))
    except (
        AccountError,
        ConfigError,
        RegistryError,
        IdentityError,
        TlsError,
        LedgerError,
        RecordError,
        BrokerError,
        venue.VenueError,
    ) as fault:
        print(f"flagfall-hub: {fault}", file=sys.stderr)
        return BAD_INPUT


def _label() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


async def _serve(config: Config) -> int:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(name, stopping.set)
    try:
        config.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as fault:
        raise ConfigError(
            f"state_dir: expected a folder to write to: {config.state_dir}: {fault.strerror}"
        ) from None
    registry = Devices(config.state_dir / "devices.json")
    token = api_token(config.api_token)
    heads = SignedHeads(config.state_dir)
    expect_ledger(config.ledger, len(registry.devices), heads)
    with contextlib.ExitStack() as open_sockets:
        web_socket = open_sockets.enter_context(listening_at(config.web_host, config.web_port, "web_port"))
        tls_socket = None
        if config.web_tls_port is not None:
            tls_socket = listening_at(config.web_host, config.web_tls_port, "web_tls_port")
            open_sockets.enter_context(tls_socket)
        async with _book(config) as book:
            _expect_record(config, registry, heads, book)
            _remember(heads, book.heads)
            async with _broker(config, registry, book) as (hub, broker, child):
                return await _run(
                    config,
                    registry,
                    token,
                    heads,
                    web_socket,
                    tls_socket,
                    book,
                    hub,
                    broker,
                    child,
                    stopping,
                )


async def _run(
    config: Config,
    registry: Devices,
    token: str,
    heads: SignedHeads,
    web_socket: GatedSocket,
    tls_socket: GatedSocket | None,
    book: TournamentStore,
    hub: Identity,
    broker: Broker,
    child: BrokerChild | None,
    stopping: asyncio.Event,
) -> int:
    now_ns = time.monotonic_ns

    def changed() -> None:
        site.changed()
        pulse.changed()
        if outside is not None:
            outside.changed()

    abuses = Abuses(now_ns, changed)

    def keep_out(device: str) -> None:
        registry.keep_out(device)
        loop.call_later(KEPT_OUT_S, registry.let_in, device)
        log("warning", f"kept out device={device!r} for_s={KEPT_OUT_S:g} why='sends what is of no use'")

    loop = asyncio.get_running_loop()

    def lost(arrival: Arrival) -> None:
        """What nobody would ever take must not stay in the broker: whoever fills it keeps the others out."""
        topic = parse(arrival.topic)
        if topic is None or not arrival.payload:
            return
        if topic.tournament not in (None, *book.states) or registry.key(topic.device) is None:
            clear(topic)

    intake = Intake(abuses, now_ns, keep_out, lost)
    link = Link(
        config.broker_host,
        broker.port,
        hub.device,
        hub.token,
        hub_filters(),
        intake.put,
        intake.put,
        Random(0),
        tls=client_context(config.tls) if config.tls is not None else None,
    )

    def send(topic: Topic, payload: bytes) -> bool:
        return link.publish(str(topic), payload, topic.qos, topic.retained)

    def clear(topic: Topic) -> None:
        link.publish(str(topic), b"", 0, True)  # not in the queue in which receipts are

    pulse = ChangeStream()
    live = Live(changed)
    public = public_half(book, live, now_ns, _label, token)
    site = public.site
    outside = None
    if config.outside_folder is not None:
        outside = outside_of(site, config.outside_folder, config.outside_command, log)
    dispatch = Outbound(book.states, registry, live, send, now_ns)
    desk = Operations(book, registry, dispatch, pair_in_child, lambda: secrets.token_hex(8), changed)
    rejudging = Rejudging(book, live, RefereeAside(), log)
    rejudging.add_all()
    reception = Inbound(book, registry, live, dispatch, now_ns, log, rejudging.add, intake.fault, clear)
    api = Api(desk, book, registry, live, dispatch, token)
    setting_aside = SettingAside(registry, abuses, book.states, clear, broker.venue)
    offers = Offers(now_ns, lambda: registry.director_pin)
    enrolment = EnrolmentApi(api, desk, registry, offers, broker, setting_aside.set_aside)
    web_port = web_socket.getsockname()[1]
    updates = Updates(config.state_dir, registry, live, send, now_ns, _web_host_told(config), web_port, log)
    accounts = Accounts(config.state_dir / "accounts.json")
    setup = new_setup(config.state_dir, needed=not accounts.all)
    hours = Hours(now_ns, lambda: datetime.datetime.now(datetime.UTC))
    sessions = LoginSessions(config.state_dir / "sessions.json", lambda: secrets.token_urlsafe(32), now_ns)
    console = assemble(
        desk,
        book,
        registry,
        live,
        dispatch,
        accounts,
        sessions,
        Guesses(now_ns, token.encode(), abuses),
        abuses,
        setting_aside.set_aside,
        offers,
        setup,
        pair_in_child,
        pulse,
        DraftFile(config.state_dir / "drafts.json"),
        hours,
        lambda: secrets.token_urlsafe(32),
        site.key,
    )
    for line in book.unreadable.values():
        log("error", line)

    pages = application(
        public,
        api,
        FinalsApi(api, desk, book),
        ShowingApi(api, desk, site.key),
        UpdateApi(api, updates),
        enrolment,
        console,
    )
    gate = Gate(abuses, now_ns, most_connections(raise_descriptor_limit()))
    same = SameAnswers(lambda: site.version, tuple(site.words), time.monotonic)
    bounded = Bounds(pages, known_by(sessions, token, site.key), abuses, same, Budget(now_ns))
    web_socket.gate = gate
    servers = [(server_of(bounded, gate), web_socket)]
    if tls_socket is not None and config.venue is not None:
        place = venue.web_certificate(config.venue, datetime.datetime.now(datetime.UTC))
        certified = certificate_in(place)
        elsewhere = console_elsewhere(bounded, tls_socket.getsockname()[1])
        tls_socket.gate = gate
        servers = [
            (server_of(elsewhere, gate), web_socket),
            (server_of(with_secure_cookies(bounded), gate, *certified), tls_socket),
        ]
    tasks = [
        *([asyncio.create_task(child.keep_up())] if child is not None else []),
        *([asyncio.create_task(link.keep_up())] if child is not None or config.broker != EMBEDDED else []),
        asyncio.create_task(gate.run()),
        asyncio.create_task(_take(intake, reception, dispatch, updates, live)),
        asyncio.create_task(
            _look_around(dispatch, registry, updates, Recovery(book, dispatch, live, now_ns), heads, book)
        ),
        asyncio.create_task(rejudging.run()),
        asyncio.create_task(site.run()),
        *([asyncio.create_task(outside.run())] if outside is not None else []),
    ]
    serving = [asyncio.create_task(server.serve([listening])) for server, listening in servers]
    _tell_addresses(config.state_dir / "addresses.json", web_port, broker.port)
    log("info", f"ready page=http://{config.web_host}:{web_port}/ broker={config.broker_host}:{broker.port}")
    if tls_socket is not None:
        log("info", f"console=https://{config.web_host}:{tls_socket.getsockname()[1]}/desk")
    if setup.code:
        log("info", f"setup code={setup.code} page=http://{config.web_host}:{web_port}/desk/setup")
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({stop, *serving, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()  # a fault of the program's: it must be seen, not survived half-dead
    finally:
        site.end()
        pulse.end()
        for server, _ in servers:
            server.should_exit = True
        await asyncio.gather(*serving)
        stop.cancel()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        _remember(heads, book.heads)
    log("info", "stopped")
    return DONE


async def _take(
    intake: Intake,
    reception: Inbound,
    dispatch: Outbound,
    updates: Updates,
    live: Live,
) -> None:
    """The loop: whatever has arrived, from each device in turn, as one batch."""
    while True:
        link, batch = await intake.batch()
        for up in link:
            live.hear_link(up)
            log("info" if up else "warning", f"link {'up' if up else 'down'}")
        if True in link:
            dispatch.everything()
            updates.everything()
        try:
            await reception.take([Arrived(one.topic, one.payload, one.retained) for one in batch])
        except Exception:  # a fault of ours: no message has the power to stop the hub, and results come again
            live.drop("fault", "a message could not be taken: see the log")
            log("error", f"fault what={traceback.format_exc()!r}")


def _expect_record(config: Config, registry: Devices, heads: SignedHeads, book: TournamentStore) -> None:
    """RecordError if the record is not the one that this hub remembers."""
    for gap in book.gaps(heads.remembered):
        raise RecordError(f"{config.ledger}: {gap}: {WAY_ON}")
    if heads.first_time and registry.seq and not (book.states or book.unreadable):
        raise RecordError(
            f"{config.ledger}: expected the record that told devices of games, got none: {WAY_ON}"
        )


def _remember(heads: SignedHeads, present: Mapping[str, Head]) -> None:
    """A tournament that cannot be read keeps the head that was remembered last."""
    try:
        heads.remember({**heads.remembered, **present})
    except OSError as failure:
        log("warning", f"heads of the record not signed: {failure}")


async def _look_around(
    dispatch: Outbound,
    registry: Devices,
    updates: Updates,
    recovery: Recovery,
    heads: SignedHeads,
    book: TournamentStore,
) -> None:
    """Sends again what is not answered, asks again for what was lost, remembers the record's heads."""
    while True:
        await asyncio.sleep(_ROUND_TIME_S)
        await asyncio.to_thread(_remember, heads, book.heads)
        dispatch.rulings()
        for device in registry.devices:
            dispatch.answer_status(device.device)
        recovery.look()
        updates.look()


def _web_host_told(config: Config) -> str:
    """Where tables find the page; "": where they have found the broker."""
    return "" if config.web_host in _ANYWHERE else config.web_host


def _broker_host_told(config: Config) -> str:
    """What a new device is told of where the broker is; "": where it has found the hub."""
    here = config.broker == EMBEDDED or config.venue is not None
    return "" if here and config.broker_host in _ANYWHERE else config.broker_host


@contextlib.asynccontextmanager
async def _book(config: Config) -> AsyncIterator[TournamentStore]:
    book = await TournamentStore.opened(lambda: open_ledger(config.ledger), _label)
    try:
        yield book
    finally:
        await book.close()


@contextlib.asynccontextmanager
async def _broker(
    config: Config, registry: Devices, book: TournamentStore
) -> AsyncIterator[tuple[Identity, Broker, BrokerChild | None]]:
    """Who the hub is there, where the broker is, and the broker itself where it is the hub's own."""
    host = _broker_host_told(config)
    if config.broker != EMBEDDED:
        assert config.broker_identity is not None
        yield load(config.broker_identity), Broker(host, config.broker_port, config.venue), None
        return
    hub = create(HUB_USER)
    program = installed()
    if program is None:
        log("error", f"broker: {MISSING}")
        yield hub, Broker(host, config.broker_port, config.venue), None
        return
    for device in registry.devices:
        if not can_enter(device.device):
            log(
                "error",
                f"broker: device {device.device!r} cannot enter: expected no colon, no blank around it",
            )
    before = [device.device for device in registry.devices if device.enrolled_by_0_1]
    if before:
        log(
            "info",
            f"enrolled by 0.1, enter once they run 0.2 (systemd/install.sh table): {', '.join(before)}",
        )
    child = BrokerChild(
        program,
        config.state_dir / "broker",
        lambda: registry.tokens | {HUB_USER: hub.token},
        lambda: venue.access_list(("-", *book.states)),
        log,
        Random(),
    )
    registry.changed = book.begun = child.sync
    port = await child.start(config.broker_host, config.broker_port)
    try:
        yield hub, Broker(host, port, config.venue), child
    finally:
        await child.stop()


def _tell_addresses(file: Path, web_port: int, broker_port: int) -> None:
    """Ports chosen by the system, for programs on this machine."""
    told = {"web_port": web_port, "broker_port": broker_port, "pid": os.getpid()}
    write_private(file, json.dumps(told).encode() + b"\n", mode=0o644)
