"""How a hub is put together, given what it reaches the world by: the running hub, the tests and the exhibition each
give their own clocks, store and broker."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hub.ages import MachineClock, machine_clock
from hub.child_process import Aside
from hub.console.app import Console
from hub.console.context import ConsoleContext
from hub.console.login.accounts import Accounts
from hub.console.login.guesses import Guesses
from hub.console.login.sessions import LoginSessions
from hub.console.login.setup_code import SetupCode
from hub.console.own_rules import OwnRules
from hub.console.waits import Waits
from hub.console.world_list import WorldList
from hub.context import HubContext
from hub.limits.abuses import Abuses
from hub.log import log
from hub.public.api.operations import PublicApi
from hub.public.prints import Prints
from hub.public.projector import Projector
from hub.public.site import PublicSite
from hub.record.store import TournamentStore
from hub.rounds.drafts import DraftFile, Drafting
from hub.rounds.operations import Operations
from hub.rounds.paired import Pair, pair_in_child
from hub.tables.devices import Devices
from hub.tables.enrolment import Offers, SettingAside
from hub.tables.inbound import Inbound, Log
from hub.tables.intake import KEPT_OUT_S, Intake
from hub.tables.live import Live
from hub.tables.outbound import Outbound, Send
from hub.tables.recovery import Recovery
from hub.tables.rejudging import RefereeAside, Rejudging
from hub.tables.twins import Twins
from hub.tables.updates import Updates
from hub.venue.folder import network_name
from hub.web.api.app import Api
from hub.web.api.context import Broker
from hub.web.app import application
from hub.web.bounds import Bounds, known_clients
from hub.web.same import AnswerCache
from hub.web.stream import Stream, consoles_stream
from hub.web.turns import Budget, Turns
from link.topics import Arrival, Topic, parse


def wall() -> datetime.datetime:
    """The time of day, for labels only."""
    return datetime.datetime.now(datetime.UTC)


def label(moment: datetime.datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Adapters:
    """What a hub reaches the world by. `send` and `clear` (of a retained topic) are its client at the `broker`; devices
    find its pages at `web_host` ("": where they found the hub) and `web_port`. `now_ns` is monotonic."""

    state_dir: Path
    store: TournamentStore
    devices: Devices
    accounts: Accounts
    setup: SetupCode
    token: str
    send: Send
    clear: Callable[[Topic], None]
    broker: Broker
    web_host: str = ""
    web_port: int = 80
    now_ns: Callable[[], int] = time.monotonic_ns
    wall: Callable[[], datetime.datetime] = wall
    fresh_id: Callable[[], str] = lambda: secrets.token_hex(8)
    fresh_secret: Callable[[], str] = lambda: secrets.token_urlsafe(32)
    pair: Pair = pair_in_child
    aside: Aside = field(default_factory=Aside)
    referee: RefereeAside = field(default_factory=RefereeAside)
    log: Log = log
    clock: MachineClock = field(default_factory=machine_clock)


@dataclass(frozen=True, slots=True)
class HubParts:
    """All parts of one hub, connected. `application` has its pages, within their limits; each of `listeners` is called
    when something may have changed."""

    context: HubContext
    abuses: Abuses
    intake: Intake
    inbound: Inbound
    recovery: Recovery
    rejudging: Rejudging
    site: PublicSite
    pulse: Stream[str]
    console: Console
    application: Bounds
    listeners: list[Callable[[], None]]


def put_together(given: Adapters) -> HubParts:
    """Connects the parts. Nothing runs yet."""
    store, now_ns = given.store, given.now_ns
    listeners: list[Callable[[], None]] = []

    def changed() -> None:
        for listener in listeners:
            listener()

    abuses, pulse = Abuses(now_ns, changed), consoles_stream(now_ns)
    live = Live(changed, twins=Twins(given.devices.reserve_seq))
    site = PublicSite(store, live, now_ns, lambda: label(given.wall()), given.token, aside=given.aside)
    listeners += [site.changed, pulse.changed]
    intake = _intake(given, abuses)
    context = _context(given, live, abuses, changed, site.key)
    rejudging = Rejudging(store, live, given.referee, given.log)
    console = _console(given, context, abuses, pulse)
    listeners.append(console.context.waits.look)
    return HubParts(
        context=context,
        abuses=abuses,
        intake=intake,
        inbound=Inbound(
            store=store,
            devices=given.devices,
            live=live,
            outbound=context.outbound,
            now_ns=now_ns,
            log=given.log,
            judge_later=rejudging.add,
            fault=intake.fault,
            clear=given.clear,
        ),
        recovery=Recovery(store, context.outbound, live, now_ns),
        rejudging=rejudging,
        site=site,
        pulse=pulse,
        console=console,
        application=_application(given, site, console, abuses),
        listeners=listeners,
    )


def _context(
    given: Adapters, live: Live, abuses: Abuses, changed: Callable[[], None], hall_key: str
) -> HubContext:
    store, devices = given.store, given.devices
    # A broker with a host of its own in the settings is found there.
    named = network_name if not given.broker.host else str
    outbound = Outbound(store.states, devices, live, given.send, given.now_ns, hub_host=named)
    return HubContext(
        operations=Operations(store, devices, outbound, given.pair, fresh_id=given.fresh_id, changed=changed),
        store=store,
        devices=devices,
        live=live,
        outbound=outbound,
        offers=Offers(given.now_ns, devices),
        updates=Updates(
            state_dir=given.state_dir,
            devices=devices,
            live=live,
            send=given.send,
            now_ns=given.now_ns,
            host=given.web_host,
            port=given.web_port,
            log=given.log,
        ),
        set_aside=SettingAside(devices, abuses, store.states, given.clear, given.broker.venue).set_aside,
        hall_key=hall_key,
    )


def _application(given: Adapters, site: PublicSite, console: Console, abuses: Abuses) -> Bounds:
    """All pages and both APIs, within their limits."""
    api = Api(console.context.hub, given.broker, given.token)
    parts = site, Projector(site), Prints(site), PublicApi(site), api, console
    return Bounds(
        application(*parts, refusal_pages={"/desk": console.refusal_page, "": site.refusal_page}),
        known_clients(console.context.sessions, given.token, site.key),
        abuses,
        AnswerCache(lambda: site.version, tuple(site.words), lambda: given.now_ns() / 1e9),
        Turns(Budget(time.monotonic_ns)),
    )


def _intake(given: Adapters, abuses: Abuses) -> Intake:
    """The inbox of all device messages."""
    devices = given.devices

    def keep_out(device: str) -> None:
        devices.keep_out(device)
        asyncio.get_running_loop().call_later(KEPT_OUT_S, devices.let_in, device)
        given.log("warning", f"kept out device={device!r} for_s={KEPT_OUT_S:g} why='sends what is of no use'")

    def lost(arrival: Arrival) -> None:
        """Messages that nobody would ever take must not stay in the broker, or one device could block all others."""
        topic = parse(arrival.topic)
        if topic is None or not arrival.payload:
            return
        if topic.tournament not in (None, *given.store.states) or devices.key(topic.device) is None:
            given.clear(topic)

    return Intake(abuses, given.now_ns, keep_out, lost)


def _console(given: Adapters, hub: HubContext, abuses: Abuses, pulse: Stream[str]) -> Console:
    own = f"-{hashlib.sha256(given.token.encode()).hexdigest()[:8]}"
    folder = given.state_dir
    waits = Waits(folder / "waits.json", given.clock, given.wall, given.store.states)
    drafts = DraftFile(folder / "drafts.json")
    context = ConsoleContext(
        hub=hub,
        drafting=Drafting(given.pair, pulse.changed, drafts, given.store.states),
        accounts=given.accounts,
        sessions=LoginSessions(folder / "sessions.json", given.fresh_secret, given.clock, own),
        waits=waits,
        guesses=Guesses(given.now_ns, given.token.encode(), abuses, own),
        now_ns=given.now_ns,
        wall=given.wall,
        fresh_id=given.fresh_secret,
        abuses=abuses,
        plain_port=given.web_port,
        world_list=WorldList(folder / "world-list.json"),
        own_rules=OwnRules(folder / "own-rulebooks.json"),
    )
    return Console(context, given.setup, pulse)
