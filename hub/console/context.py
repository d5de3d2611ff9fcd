"""Values that the console's pages work with: a user's visit, and the rows of pages and forms."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import msgspec
from starlette.requests import Request

from flagfall.base.message import Message
from flagfall.base.words import Catalogue
from flagfall.ledger.entry import Entry
from hub.commands.acts import do
from hub.commands.desk import Desk, Event
from hub.commands.table import COMMANDS
from hub.desk.doubtful import Doubtful
from hub.desk.forms import Form, shown_key
from hub.desk.seen_board import BoardForm
from hub.record.acts.act import Act
from hub.record.acts.at_doors import door, given_act, least_of
from hub.record.doors import Form as FormOfAct
from hub.record.state import TournamentState
from hub.role import Role
from hub.running import Hub
from hub.slices import apart
from hub.text import Stale


@dataclass(slots=True)
class Visit:
    """One request of a user at this hub's console."""

    hub: Hub
    request: Request
    who: str
    role: Role
    csrf: str
    words: Catalogue
    form: Form = field(default_factory=Form)  # the contents of a form that was refused
    error: Message | None = None  # the reason why a form was refused
    refused: Exception | None = None
    once: str = ""  # the name that the page's forms get
    list_read: Doubtful | None = None  # a list of players that the form brought, as it was understood
    board: BoardForm | None = None  # a board that was photographed
    done: Any = None  # what the form's command has returned
    act: str = ""  # the type of the act that the form has
    event: Event = field(init=False)  # this user at the tournament that the address names
    state: TournamentState = field(init=False)  # that tournament as the page shows it

    @property
    def desk(self) -> Desk:
        """Return this user as an operator, at the event of the address if it names one."""
        desk: Desk = getattr(self, "event", None) or Desk(self.hub, self.who, self.role)
        session = self.request.cookies.get(self.hub.sessions.cookie, "")
        return replace(desk, once=self.once_id, session=session)

    @property
    def once_id(self) -> str | None:
        """The id of what a form with a name records: with the same contents, sent again, it is recorded once."""
        if not self.form.typed("once"):
            return None
        contents = {name: tuple(values) for name, values in self.form.fields.items() if name != "csrf"}
        return f"form-{shown_key((self.request.url.path, sorted(contents.items())))}"

    def expect_shown(self, value: object) -> None:
        """Raise Stale if the form was made when this value of the event was another one."""
        shown = self.form.typed("shown")
        if shown and shown != shown_key(value):
            raise Stale(
                "someone else has changed this in the meantime. Check it as it is now, then try again",
                field="form",
            )

    def address_for_others(self, path: str) -> str:
        """Return the whole address of a private page as other devices open it, "" if they find this hub at none."""
        page = self.hub.site.page_for_phones(str(self.request.base_url).rstrip("/"))
        return f"{page}{path}" if path and page else ""

    async def entries(self) -> list[Entry]:
        """Return the whole chain of the tournament."""
        return await self.hub.store.entries(self.state.id)


Values = Mapping[str, object]
# Makes the values of a page's template. A plain function computes them in a thread (`hub.slices`): it reads the state,
# the request and the form, which nobody changes meanwhile, and no table's messages.
Page = Callable[[Visit], Awaitable[Values] | Values]
# Makes the fields of the form's command, or the awaitable of them.
Read = Callable[[Visit], object]
# Refuses where the event is no longer as the page showed it; asked under the writing lock, with the fields.
Question = Callable[[Visit, TournamentState, Any], None]


def shown(value: Callable[[TournamentState, Any], object]) -> Question:
    """Return the question whether this value is still what the page showed."""
    return lambda visit, state, fields: visit.expect_shown(value(state, fields))


class ConsolePage(msgspec.Struct, frozen=True):
    """A page under /desk (GET)."""

    path: str
    least: Role
    name: str  # the name of its template, without `.html`
    values: Page
    # The page that has the contents instead in some events; "" where this one has them.
    elsewhere: Callable[[TournamentState], str] = lambda state: ""

    async def read(self, visit: Visit) -> Values:
        """Return the values, computed in the loop or in the thread."""
        made = self.values(visit) if inspect.iscoroutinefunction(self.values) else apart(self.values, visit)
        values: Values = await cast(Awaitable[Any], made)
        return values


class ConsoleForm(msgspec.Struct, frozen=True):
    """A form under /desk (POST), which runs a command."""

    path: str
    page: str  # the name of its page, which is shown again if the form is refused
    command: str
    # The address it leads to, or the name of one of the tournament's pages; "": its page.
    to: str | Callable[[Visit], str] = ""
    read: Read | None = None  # makes the command's fields where the form differs from them
    ask: Question | None = None

    @property
    def least(self) -> Role:
        """The least role that may send it: the command's."""
        return COMMANDS[self.command].role

    async def send(self, visit: Visit) -> str:
        """Run the command with what the form says, and return where to go. `Refused` shows the page again."""
        command, desk = COMMANDS[self.command], visit.desk
        fields = (
            visit.form.read(command.fields, visit.request.path_params)
            if self.read is None
            else self.read(visit)
        )
        if inspect.isawaitable(fields):
            fields = await fields
        ask = self.ask
        if ask is not None and isinstance(desk, Event):
            desk = replace(desk, ask=lambda state: ask(visit, state, fields))
        visit.done = await command.run(desk, fields)
        return self.to if isinstance(self.to, str) else self.to(visit)


# Makes the act where its form is not drawn from its fields.
ReadAct = Callable[[Visit], Act | Awaitable[Act]]


class ActForm(msgspec.Struct, frozen=True):
    """A form under /desk (POST), which has an act done."""

    path: str
    act: type[Act]
    form: FormOfAct
    read: ReadAct | None = None
    # Where it leads to, if that depends on what was done.
    after: Callable[[Visit], str] | None = None

    @property
    def page(self) -> str:
        """The name of its page, which is shown again if the form is refused."""
        return self.form.page

    @property
    def least(self) -> Role:
        """The least role that may send it."""
        return least_of(self.act, self.form)

    async def send(self, visit: Visit) -> str:
        """Have the act done that the form says, and return where to go. `Refused` shows the page again."""
        act = await self._act(visit)

        def ask(state: TournamentState) -> None:
            seen = self.act.seen(state, msgspec.structs.asdict(act))
            if seen is not None:
                visit.expect_shown(seen)

        visit.done = await do(replace(cast(Event, visit.desk), ask=ask), act)
        return self.form.to if self.after is None else self.after(visit)

    async def _act(self, visit: Visit) -> Act:
        visit.act = self.act.TYPE
        if self.read is None:
            given = visit.form.read(door(self.act, self.form), visit.request.path_params)
            return given_act(self.act, given, **self.form.sets)
        read = self.read(visit)
        return read if isinstance(read, Act) else await read
