"""The console put together from the hub's parts."""

from __future__ import annotations

import datetime
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hub.abuses import Abuses
from hub.book import Book
from hub.console.accounts import Accounts
from hub.console.console import Console
from hub.console.entrance import Setup
from hub.console.guesses import Guesses
from hub.console.office import Office
from hub.console.pages import ConsolePages
from hub.console.pulse import Pulse
from hub.console.sessions import Sessions
from hub.console.texts import TEXTS
from hub.desk import Desk
from hub.dispatch import Dispatch
from hub.draft_file import DraftFile
from hub.drafting import Drafting
from hub.enrolment import Offers
from hub.live import Live
from hub.publishing import Pair
from hub.registry import Registry
from link.words import all_words


@dataclass(frozen=True, slots=True)
class Hours:
    """What the console knows of time: `now_ns` is monotonic, `wall` the time of day, for labels only."""

    now_ns: Callable[[], int]
    wall: Callable[[], datetime.datetime]


def assemble(
    desk: Desk,
    book: Book,
    registry: Registry,
    live: Live,
    dispatch: Dispatch,
    accounts: Accounts,
    sessions: Sessions,
    guesses: Guesses,
    abuses: Abuses,
    set_aside: Callable[[str], Awaitable[None]],
    offers: Offers,
    setup: Setup,
    pair: Pair,
    pulse: Pulse,
    drafts: DraftFile,
    hours: Hours,
    fresh_secret: Callable[[], str],
    hall_key: str,
) -> Console:
    """`pulse` is told of every change by the hub; `fresh_secret` makes what nobody can guess."""
    office = Office(
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
