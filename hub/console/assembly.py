"""The console put together from the hub's parts."""

from __future__ import annotations

import datetime
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hub.console.app import Console
from hub.console.change_stream import ChangeStream
from hub.console.context import ConsoleContext
from hub.console.login.accounts import Accounts
from hub.console.login.guesses import Guesses
from hub.console.login.sessions import LoginSessions
from hub.console.login.setup_code import SetupCode
from hub.console.rendering import ConsolePages
from hub.console.texts import TEXTS
from hub.limits.abuses import Abuses
from hub.record.store import TournamentStore
from hub.rounds.drafts import DraftFile, Drafting
from hub.rounds.operations import Operations
from hub.rounds.publish import Pair
from hub.tables.devices import Devices
from hub.tables.enrolment import Offers
from hub.tables.live import Live
from hub.tables.outbound import Outbound
from link.words import all_words


@dataclass(frozen=True, slots=True)
class Hours:
    """What the console knows of time: `now_ns` is monotonic, `wall` the time of day, for labels only."""

    now_ns: Callable[[], int]
    wall: Callable[[], datetime.datetime]


def assemble(
    desk: Operations,
    book: TournamentStore,
    registry: Devices,
    live: Live,
    dispatch: Outbound,
    accounts: Accounts,
    sessions: LoginSessions,
    guesses: Guesses,
    abuses: Abuses,
    set_aside: Callable[[str], Awaitable[None]],
    offers: Offers,
    setup: SetupCode,
    pair: Pair,
    pulse: ChangeStream,
    drafts: DraftFile,
    hours: Hours,
    fresh_secret: Callable[[], str],
    hall_key: str,
) -> Console:
    """`pulse` is told of every change by the hub; `fresh_secret` makes what nobody can guess."""
    office = ConsoleContext(
        desk,
        book,
        registry,
        live,
        dispatch,
        Drafting(pair, pulse.changed, drafts, book.states),
        accounts,
        sessions,
        guesses,
        hours.now_ns,
        hours.wall,
        fresh_secret,
        abuses,
        set_aside,
        offers,
        hall_key,
    )
    return Console(office, ConsolePages(), all_words(TEXTS), setup, pulse)
