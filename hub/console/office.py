"""What the pages of the console work with: the hub's parts, one visit, and what a page or a form answers."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from starlette.requests import Request

from hub.abuses import Abuses
from hub.book import Book
from hub.console.accounts import Accounts, Role
from hub.console.forms import Form
from hub.console.guesses import Guesses
from hub.console.sessions import Sessions
from hub.desk import Desk
from hub.dispatch import Dispatch
from hub.drafting import Drafting
from hub.enrolment import Offers
from hub.line import Line
from hub.live import Live
from hub.registry import Registry
from hub.state import State
from link.words import Catalogue


@dataclass(frozen=True, slots=True)
class Office:
    """The parts of one hub. `wall` is the time of day, for labels only; `now_ns` is monotonic.

    `hall_key` opens what the projector may show before phones see it.
    """

    desk: Desk
    book: Book
    registry: Registry
    live: Live
    dispatch: Dispatch
    drafting: Drafting
    accounts: Accounts
    sessions: Sessions
    guesses: Guesses
    now_ns: Callable[[], int]
    wall: Callable[[], datetime.datetime]
    fresh_id: Callable[[], str]
    abuses: Abuses
    set_aside: Callable[[str], Awaitable[None]]
    offers: Offers
    hall_key: str = ""
    hashing: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(slots=True)
class Visit:
    """One request of somebody who has entered. `error` is what a form was refused for, `form` then what it brought."""

    request: Request
    who: str
    role: Role
    csrf: str
    words: Catalogue
    form: Form = field(default_factory=Form)
    error: Line | None = None

    def at(self, name: str) -> str:
        """A part of the address."""
        return str(self.request.path_params[name])

    def asked(self, name: str) -> str:
        """A value behind the address's question mark."""
        return self.request.query_params.get(name, "")


@dataclass(frozen=True, slots=True)
class Shown:
    """A page: its template, and the one of the part that is kept fresh ("" for none), with their values."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    live: str = ""
    state: State | None = None


Page = Callable[[Office, Visit], Awaitable[Shown]]
Act = Callable[[Office, Visit], Awaitable[str]]
"""Does what a form says and gives the address to go to; `Refused` shows the form's page again with the reason."""


@dataclass(frozen=True, slots=True)
class Door:
    """One address under /desk: a page (GET), or a form's (POST), whose page is shown again if it is refused."""

    path: str
    least: Role
    page: Page
    act: Act | None = None


def state_of(office: Office, visit: Visit) -> State:
    """The tournament of the address; Unknown where there is none."""
    return office.desk.state(visit.at("tournament"))


def address(state: State | str, page: str) -> str:
    """The address of a page of this tournament."""
    name = state if isinstance(state, str) else state.id
    return f"/desk/t/{name}/{page}"
