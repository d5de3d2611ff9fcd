"""Connection of the parts of a hub. The running hub, the tests and the exhibition each pass their own clocks, store and
broker."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import secrets
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from flagfall.link.topics import Arrival, Topic, parse
from hub.ages import MachineClock, machine_clock
from hub.api.app import Api
from hub.child_process import Aside
from hub.config import SCRIBES, Config
from hub.console.app import Console
from hub.desk.accounts import Accounts, LoginSessions
from hub.desk.guesses import Guesses
from hub.desk.own_rules import OwnRules
from hub.desk.player_links import PlayerLinks
from hub.desk.setup_code import SetupCode
from hub.desk.waits import Waits
from hub.desk.world_list import WorldList
from hub.limits import Abuses
from hub.log import log as log_line
from hub.people.acts import Acts
from hub.people.arrival import Arrivals
from hub.people.my_page import MyPages, telephones_clause
from hub.people.photographs import uploads
from hub.people.private import WrongLinks
from hub.people.scribe import ScribePages
from hub.photographs import Photographs
from hub.proof.cosigned import FILE_NAME as COSIGNED
from hub.proof.cosigned import CosignedHeads
from hub.proof.cosigning import Cosigning
from hub.proof.hub_key import HubKey
from hub.proof.witness_client import witnesses_of
from hub.public.api.operations import PublicApi
from hub.public.overlay import Overlay
from hub.public.prints import Prints
from hub.public.projector import Projector
from hub.public.proofs import PublicProofs
from hub.public.site import PublicSite
from hub.record.store import TournamentStore
from hub.rounds.draft import DraftFile, Drafting
from hub.rounds.paired import Pair, pair_in_child
from hub.running import Broker, Hub
from hub.tables.devices import Devices, Offers, key_entries
from hub.tables.inbound import KEPT_OUT_S, Inbound, Intake, Log
from hub.tables.live import Live, Twins
from hub.tables.outbound import Outbound, Recovery, Send
from hub.tables.rejudging import RefereeAside, Rejudging
from hub.tables.scribes import Scribes
from hub.tables.updates import Updates
from hub.venue.names import network_name
from hub.web.app import application
from hub.web.bounds import Bounds, known_clients
from hub.web.cache import AnswerCache
from hub.web.stream import consoles_stream

# Takes a retained message from the broker.
Clear = Callable[[Topic], None]


def wall() -> datetime.datetime:
    """Return the time of day, for labels only."""
    return datetime.datetime.now(datetime.UTC)


def label(moment: datetime.datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def put_together(
    *,
    state_dir: Path,
    key: HubKey,
    store: TournamentStore,
    devices: Devices,
    accounts: Accounts,
    setup: SetupCode,
    token: str,
    send: Send,
    clear: Clear,
    broker: Broker,
    web_host: str = "",
    web_port: int = 80,
    public_page: str = "",
    now_ns: Callable[[], int] = time.monotonic_ns,
    wall: Callable[[], datetime.datetime] = wall,
    fresh_id: Callable[[], str] = lambda: secrets.token_hex(8),
    fresh_secret: Callable[[], str] = lambda: secrets.token_urlsafe(32),
    pair: Pair = pair_in_child,
    aside: Aside | None = None,
    referee: RefereeAside | None = None,
    log: Log = log_line,
    clock: MachineClock | None = None,
    config: Config | None = None,
) -> Hub:
    """Connect the parts of a hub; nothing runs yet.

    `send` and `clear` are its client at the `broker`. Devices find its pages at `web_host` ("": where they found the
    hub) and `web_port`; phones find the public pages at `public_page` ("": nobody knows).
    """
    store.companions = partial(key_entries, devices=devices)
    clock = clock or machine_clock()
    suffix = (
        f"-{hashlib.sha256(token.encode()).hexdigest()[:8]}"  # two hubs of one host have cookies of their own
    )
    live = Live(twins=Twins(devices.reserve_seq))
    abuses = Abuses(now_ns, live.changed)
    intake = _intake(store, devices, abuses, clear, now_ns=now_ns, log=log)
    outbound = Outbound(
        store.states,
        devices,
        live,
        send,
        now_ns,
        # A broker with a host of its own in the settings is found there.
        hub_host=str if broker.host else network_name,
        page_of=lambda event: "" if telephones_clause(store.states[event]) else site.event_address(event),
        key=key.key,
    )
    rejudging = Rejudging(store, live, referee or RefereeAside(), log)
    site = PublicSite(
        store, live, now_ns, lambda: label(wall()), token, public_page=public_page, aside=aside or Aside()
    )
    pulse = consoles_stream(now_ns)
    config = config or Config(state_dir, state_dir / "ledger.sqlite", state_dir / "api-token")
    cosigned = CosignedHeads(state_dir / COSIGNED)
    addresses = ((witness.url, witness.key) for witness in config.witnesses)
    witnesses = witnesses_of(addresses, config.witness_policy)
    hub = Hub(
        config=config,
        token=token,
        broker=broker,
        plain_port=web_port,
        now_ns=now_ns,
        wall=wall,
        fresh_secret=fresh_secret,
        key=key,
        cosigned=cosigned,
        cosigning=Cosigning(store, key, cosigned, witnesses, now_ns=now_ns, log=log),
        store=store,
        pair=pair,
        fresh_id=fresh_id,
        drafting=Drafting(pair, pulse.changed, DraftFile(state_dir / "drafts.json"), store.states),
        devices=devices,
        live=live,
        scribes=Scribes(state_dir / SCRIBES, store, live, now_ns, log),
        intake=intake,
        inbound=Inbound(
            store=store,
            devices=devices,
            live=live,
            outbound=outbound,
            now_ns=now_ns,
            log=log,
            hub_key=key.public,
            judge_later=rejudging.add,
            fault=intake.fault,
            aside=aside or Aside(),
            clear=clear,
        ),
        rejudging=rejudging,
        outbound=outbound,
        recovery=Recovery(store, outbound, live, now_ns),
        offers=Offers(now_ns, devices),
        updates=Updates(
            state_dir=state_dir,
            devices=devices,
            live=live,
            send=send,
            now_ns=now_ns,
            host=web_host,
            port=web_port,
            key=key.key,
            log=log,
        ),
        clear=clear,
        abuses=abuses,
        accounts=accounts,
        setup=setup,
        sessions=LoginSessions(state_dir / "sessions.json", fresh_secret, clock, suffix),
        guesses=Guesses(now_ns, token.encode(), abuses, suffix),
        waits=Waits(state_dir / "waits.json", clock, wall, store.states),
        world_list=WorldList(state_dir / "world-list.json"),
        own_rules=OwnRules(state_dir / "own-rulebooks.json"),
        player_links=PlayerLinks(key, store.states, store.beginning),
        photographs=Photographs(now_ns),
        site=site,
        pulse=pulse,
    )
    streams = (stream.changed for stream in site.all_streams)
    live.listeners += [*streams, pulse.changed, hub.waits.look, hub.cosigning.changed]
    return hub


def web_application(hub: Hub) -> Bounds:
    """Return the application: all pages and both APIs of a hub, within their limits."""
    console = Console(hub)
    wrong, acts = WrongLinks(hub.site, hub.abuses, hub.now_ns), Acts(hub)
    return Bounds(
        application(
            PublicProofs(hub.site, hub.key, hub.cosigned),
            hub.site,
            Projector(hub.site),
            Prints(hub.site, hub.key),
            Overlay(hub.site),
            MyPages(hub, wrong, acts),
            Arrivals(hub, wrong, acts),
            ScribePages(hub, wrong),
            PublicApi(hub.site, _api_description),
            Api(hub),
            console,
            refusal_pages={"/desk": console.refusal_page, "": hub.site.refusal_page},
        ),
        known_clients(hub.sessions, hub.token, hub.site.key),
        hub.abuses,
        AnswerCache(lambda: hub.store.version, lambda: hub.now_ns() / 1e9),
        uploads(hub),
    )


def _intake(
    store: TournamentStore,
    devices: Devices,
    abuses: Abuses,
    clear: Clear,
    *,
    now_ns: Callable[[], int],
    log: Log,
) -> Intake:
    """Return the inbox of all device messages."""

    def keep_out(device: str) -> None:
        devices.keep_out(device)
        asyncio.get_running_loop().call_later(KEPT_OUT_S, devices.let_in, device)
        log("warning", f"kept out device={device!r} for_s={KEPT_OUT_S:g} why='sends what is of no use'")

    def lost(arrival: Arrival) -> None:
        """Clear a message that nobody would ever take: it must not stay in the broker, or one device could block all
        others."""
        topic = parse(arrival.topic)
        if topic is None or not arrival.payload:
            return
        if topic.tournament not in (None, *store.states) or devices.key(topic.device) is None:
            clear(topic)

    return Intake(abuses, now_ns, keep_out, lost)


def _api_description() -> dict[str, Any]:
    from hub.api.openapi import description  # half a megabyte, loaded only when it is asked for

    return description()
