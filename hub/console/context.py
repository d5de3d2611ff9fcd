"""Values that the console's pages work with: a user's visit, and the rows of pages and forms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import msgspec
from starlette.requests import Request

from hub.desk.accounts import Role
from hub.desk.doubtful import Doubtful
from hub.desk.forms import Form, shown_key
from hub.record.state import TournamentState
from hub.rounds.event_operations import EventOperations
from hub.rounds.questions import Stale
from hub.running import Hub
from ledger.entry import Entry
from link.words import Catalogue
from othello.message import Message


@dataclass(slots=True)
class Visit:
    """One request of a user at this hub's console. `error` is why a form was refused, `form` then its contents.

    `list_read` is a list of players that the form brought, as it was understood.

    Where the address names a tournament, `event` has the commands of this user there, and `state` is the tournament as
    the page shows it.
    """

    hub: Hub
    request: Request
    who: str
    role: Role
    csrf: str
    words: Catalogue
    form: Form = field(default_factory=Form)
    error: Message | None = None
    refused: Exception | None = None
    once: str = ""  # the name that the page's forms get
    list_read: Doubtful | None = None
    event: EventOperations = field(init=False)
    state: TournamentState = field(init=False)

    @property
    def once_id(self) -> str | None:
        """The id of what a form with a name records: with the same contents, sent again, it is recorded once."""
        if not self.form.typed("once"):
            return None
        contents = {name: tuple(values) for name, values in self.form.fields.items() if name != "csrf"}
        return f"form-{shown_key((self.request.url.path, sorted(contents.items())))}"

    def expect_shown(self, value: object) -> None:
        """Stale if the form was made when this value of the event was another one."""
        shown = self.form.typed("shown")
        if shown and shown != shown_key(value):
            raise Stale("somebody else has changed this meanwhile; this is how it stands now", field="form")

    async def entries(self) -> list[Entry]:
        """The whole chain of the tournament."""
        return await self.hub.store.entries(self.state.id)


Values = Mapping[str, object]
Page = Callable[[Visit], Awaitable[Values]]
"""Makes the values of a page's template."""
Act = Callable[[Visit], Awaitable[str | None]]
"""Does what a form says and returns where to go: an address, or the name of one of the tournament's pages; None: to the
form's page. `Refused` shows that page again with the reason."""


class ConsolePage(msgspec.Struct, frozen=True):
    """A page under /desk (GET). `name`: of its template, without `.html`."""

    path: str
    least: Role
    name: str
    values: Page


class ConsoleForm(msgspec.Struct, frozen=True):
    """A form under /desk (POST). `page`: the name of its page, which is shown again if the form is refused."""

    path: str
    least: Role
    page: str
    act: Act
