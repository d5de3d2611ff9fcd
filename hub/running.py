"""The running hub: its parts, connected, as the loops, the console and the API use them."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from flagfall.link.topics import Topic
from hub.config import Config
from hub.desk.accounts import Accounts, LoginSessions
from hub.desk.doubtful import DoubtfulFiles
from hub.desk.guesses import Guesses
from hub.desk.own_rules import OwnRules
from hub.desk.player_links import PlayerLinks
from hub.desk.setup_code import SetupCode
from hub.desk.waits import Waits
from hub.desk.world_list import WorldList
from hub.limits import Abuses
from hub.photographs import Photographs
from hub.proof.cosigned import CosignedHeads
from hub.proof.cosigning import Cosigning
from hub.proof.hub_key import HubKey
from hub.public.site import PublicSite
from hub.record.store import TournamentStore
from hub.rounds.draft import Drafting
from hub.rounds.paired import Pair
from hub.tables.devices import Devices, Offers
from hub.tables.inbound import Inbound, Intake
from hub.tables.live import Live
from hub.tables.outbound import Outbound, Recovery
from hub.tables.rejudging import Rejudging
from hub.tables.scribes import Scribes
from hub.tables.updates import Updates
from hub.web.stream import Stream


@dataclass(frozen=True, slots=True)
class Broker:
    """The broker's address for tables; host "": the one at which they reached the hub."""

    host: str
    port: int
    venue: Path | None


@dataclass(frozen=True, slots=True)
class Hub:
    """The parts of a running hub. `hub.assembly.put_together` makes one, and shows how they are connected."""

    # Values from the program that starts it.
    config: Config
    token: str  # of the API
    broker: Broker
    plain_port: int  # tables find the hub's pages there
    now_ns: Callable[[], int]  # monotonic
    wall: Callable[[], datetime.datetime]  # the time of day, for labels only
    fresh_secret: Callable[[], str]

    # The record, and what commands write it with (`hub.commands.desk`).
    key: HubKey  # signs what the hub says to tables, and the record's heads
    cosigned: CosignedHeads  # by witnesses
    cosigning: Cosigning
    store: TournamentStore
    pair: Pair
    drafting: Drafting
    fresh_id: Callable[[], str]  # of an entry whose caller gives none

    # The tables.
    devices: Devices
    live: Live
    scribes: Scribes
    intake: Intake
    inbound: Inbound
    rejudging: Rejudging
    outbound: Outbound
    recovery: Recovery
    offers: Offers
    updates: Updates
    clear: Callable[[Topic], None]  # lets the broker forget a retained message
    abuses: Abuses

    # The director's desk.
    accounts: Accounts
    setup: SetupCode
    sessions: LoginSessions
    guesses: Guesses
    waits: Waits
    world_list: WorldList
    own_rules: OwnRules

    # Values for the pages.
    player_links: PlayerLinks
    photographs: Photographs
    site: PublicSite
    pulse: Stream[str]

    # One at a time pairs and publishes a round, one makes an event, and one revokes a certificate.
    publishing: asyncio.Lock = field(default_factory=asyncio.Lock)
    creating: asyncio.Lock = field(default_factory=asyncio.Lock)
    certifying: asyncio.Lock = field(default_factory=asyncio.Lock)
    doubtful_files: DoubtfulFiles = field(default_factory=DoubtfulFiles)
    hashing: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "passwords"))
