"""Assembles the running hub, one value, from a configuration and the resources opened for it."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import uvicorn
from starlette.types import ASGIApp

from hub.broker.child import BrokerChild
from hub.config import ACCOUNTS, Config
from hub.console.app import Console
from hub.console.context import ConsoleContext
from hub.console.login.accounts import Accounts
from hub.console.login.guesses import Guesses
from hub.console.login.sessions import LoginSessions
from hub.console.login.setup_code import SetupCode, new_setup
from hub.console.own_rules import OwnRules
from hub.console.world_list import WorldList
from hub.context import HubContext
from hub.limits.abuses import Abuses
from hub.log import log
from hub.public.assembly import public_parts
from hub.public.site import PublicSite
from hub.record.heads import SignedHeads
from hub.record.store import TournamentStore
from hub.rounds.drafts import DraftFile, Drafting
from hub.rounds.operations import Operations
from hub.rounds.paired import pair_in_child
from hub.tables.devices import Devices
from hub.tables.enrolment import Offers
from hub.tables.inbound import Inbound
from hub.tables.intake import KEPT_OUT_S, Intake
from hub.tables.live import Live
from hub.tables.outbound import Outbound
from hub.tables.recovery import Recovery
from hub.tables.rejudging import RefereeAside, Rejudging
from hub.tables.setting_aside import SettingAside
from hub.tables.updates import Updates
from hub.venue import folder as venue
from hub.web.api.app import Api
from hub.web.api.context import Broker
from hub.web.app import application
from hub.web.bounds import Bounds, known_clients
from hub.web.gate import Gate, GatedSocket, most_connections, raise_descriptor_limit
from hub.web.same import AnswerCache
from hub.web.serving import certificate_in, console_over_tls, make_server, with_secure_cookies
from hub.web.stream import ChangeStream
from hub.web.turns import Budget, Turns
from link.client.client import Link
from link.identity import Identity
from link.tls import client_context
from link.topics import Arrival, Topic, hub_filters, parse

if TYPE_CHECKING:
    from hub.public.outside.mirror import Mirror

_ANYWHERE = ("127.0.0.1", "0.0.0.0", "::", "localhost")


@dataclass(frozen=True, slots=True)
class OpenedHub:
    """The open resources of a hub: record, devices, sockets, broker. `identity` is the hub's own at the broker; `child`
    is the broker if the hub started it."""

    store: TournamentStore
    devices: Devices
    heads: SignedHeads
    token: str
    identity: Identity
    broker: Broker
    child: BrokerChild | None
    web_socket: GatedSocket
    tls_socket: GatedSocket | None

    @property
    def web_port(self) -> int:
        return int(self.web_socket.getsockname()[1])

    @property
    def tls_port(self) -> int | None:
        return None if self.tls_socket is None else int(self.tls_socket.getsockname()[1])


@dataclass(frozen=True, slots=True)
class RunningHub:
    """All parts of one hub, connected; `hub.service.serve` runs them. `servers` have their sockets."""

    config: Config
    opened: OpenedHub
    intake: Intake
    inbound: Inbound
    outbound: Outbound
    live: Live
    recovery: Recovery
    updates: Updates
    rejudging: Rejudging
    link: Link
    gate: Gate
    site: PublicSite
    outside: Mirror | None
    pulse: ChangeStream
    setup: SetupCode
    servers: tuple[tuple[uvicorn.Server, GatedSocket], ...]


def label() -> str:
    """The wall clock's time, for labels only."""
    return _wall().isoformat(timespec="milliseconds")


def broker_host_told(config: Config) -> str:
    """The broker's host for new devices; empty: the host at which they reached the hub."""
    here = config.embedded or config.venue is not None
    return "" if here and config.broker_host in _ANYWHERE else config.broker_host


def assembled(config: Config, opened: OpenedHub) -> RunningHub:
    """Connects the parts. Nothing runs yet; the event loop must be the one that `serve` will use."""
    now_ns = time.monotonic_ns
    store, devices = opened.store, opened.devices
    listeners: list[Callable[[], None]] = []

    def changed() -> None:
        for listener in listeners:
            listener()

    abuses = Abuses(now_ns, changed)
    pulse, live = ChangeStream(), Live(changed)
    site = PublicSite(store, live, now_ns, label, opened.token)
    outside = None
    if config.outside_folder is not None:
        from hub.public.outside.mirror import Mirror  # loaded only by hubs with an outside

        outside = Mirror(site, config.outside_folder, config.outside_command, log)
    listeners += [site.changed, pulse.changed, *([outside.changed] if outside is not None else [])]

    intake, link = _link(config, opened, abuses)

    def send(topic: Topic, payload: bytes) -> bool:
        return link.publish(str(topic), payload, topic.qos, topic.retained)

    def clear(topic: Topic) -> None:
        _clear(link, topic)

    outbound = Outbound(store.states, devices, live, send, now_ns)
    operations = Operations(
        store=store,
        devices=devices,
        outbound=outbound,
        pair=pair_in_child,
        fresh_id=lambda: secrets.token_hex(8),
        changed=changed,
    )
    rejudging = Rejudging(store, live, RefereeAside(), log)
    inbound = Inbound(
        store=store,
        devices=devices,
        live=live,
        outbound=outbound,
        now_ns=now_ns,
        log=log,
        judge_later=rejudging.add,
        fault=intake.fault,
        clear=clear,
    )
    updates = Updates(
        state_dir=config.state_dir,
        devices=devices,
        live=live,
        send=send,
        now_ns=now_ns,
        host="" if config.web_host in _ANYWHERE else config.web_host,
        port=opened.web_port,
        log=log,
    )
    hub = HubContext(
        operations=operations,
        store=store,
        devices=devices,
        live=live,
        outbound=outbound,
        offers=Offers(now_ns, devices),
        updates=updates,
        set_aside=SettingAside(devices, abuses, store.states, clear, opened.broker.venue).set_aside,
        hall_key=site.key,
    )
    accounts = Accounts(config.state_dir / ACCOUNTS)
    setup = new_setup(config.state_dir, needed=not accounts.all)
    own = f"-{hashlib.sha256(opened.token.encode()).hexdigest()[:8]}"
    context = ConsoleContext(
        hub=hub,
        drafting=Drafting(
            pair_in_child, pulse.changed, DraftFile(config.state_dir / "drafts.json"), store.states
        ),
        accounts=accounts,
        sessions=LoginSessions(config.state_dir / "sessions.json", _fresh_secret, now_ns, own),
        guesses=Guesses(now_ns, opened.token.encode(), abuses, own),
        now_ns=now_ns,
        wall=_wall,
        fresh_id=_fresh_secret,
        abuses=abuses,
        plain_port=opened.web_port,
        world_list=WorldList(config.state_dir / "world-list.json"),
        own_rules=OwnRules(config.state_dir / "own-rulebooks.json"),
    )
    console = Console(context, setup, pulse)
    pages = application(
        *public_parts(site),
        Api(hub, opened.broker, opened.token),
        console,
        refusal_pages={"/desk": console.refusal_page, "": site.refusal_page},
    )
    gate = Gate(abuses, now_ns, most_connections(raise_descriptor_limit()))
    same = AnswerCache(lambda: site.version, tuple(site.words), time.monotonic)
    bounded = Bounds(
        pages, known_clients(context.sessions, opened.token, site.key), abuses, same, Turns(Budget(now_ns))
    )
    return RunningHub(
        config=config,
        opened=opened,
        intake=intake,
        inbound=inbound,
        outbound=outbound,
        live=live,
        recovery=Recovery(store, outbound, live, now_ns),
        updates=updates,
        rejudging=rejudging,
        link=link,
        gate=gate,
        site=site,
        outside=outside,
        pulse=pulse,
        setup=setup,
        servers=_servers(config, opened, bounded, gate),
    )


def _link(config: Config, opened: OpenedHub, abuses: Abuses) -> tuple[Intake, Link]:
    """The inbox of all device messages, and the connection that fills it."""
    loop = asyncio.get_running_loop()

    def keep_out(device: str) -> None:
        opened.devices.keep_out(device)
        loop.call_later(KEPT_OUT_S, opened.devices.let_in, device)
        log("warning", f"kept out device={device!r} for_s={KEPT_OUT_S:g} why='sends what is of no use'")

    def lost(arrival: Arrival) -> None:
        """Messages that nobody would ever take must not stay in the broker, or one device could block all others."""
        topic = parse(arrival.topic)
        if topic is None or not arrival.payload:
            return
        if topic.tournament not in (None, *opened.store.states) or opened.devices.key(topic.device) is None:
            _clear(link, topic)

    intake = Intake(abuses, time.monotonic_ns, keep_out, lost)
    link = Link(
        host=config.broker_host,
        port=opened.broker.port,
        user=opened.identity.device,
        token=opened.identity.token,
        filters=hub_filters(),
        inbox=intake.put,
        on_state=intake.put,
        random=Random(0),
        tls=client_context(config.tls) if config.tls is not None else None,
    )
    return intake, link


def _clear(link: Link, topic: Topic) -> None:
    link.publish(str(topic), b"", 0, True)  # not in the queue that receipts use


def _servers(
    config: Config, opened: OpenedHub, pages: ASGIApp, gate: Gate
) -> tuple[tuple[uvicorn.Server, GatedSocket], ...]:
    opened.web_socket.gate = gate
    if opened.tls_socket is None or opened.tls_port is None or config.venue is None:
        return ((make_server(pages, gate), opened.web_socket),)
    opened.tls_socket.gate = gate
    certified = certificate_in(venue.web_certificate(config.venue, _wall()))
    return (
        (make_server(console_over_tls(pages, opened.tls_port, venue.web_name), gate), opened.web_socket),
        (make_server(with_secure_cookies(pages), gate, *certified), opened.tls_socket),
    )


def _fresh_secret() -> str:
    return secrets.token_urlsafe(32)


def _wall() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
