"""Rendering of the console's templates in the reader's language, with players' names for ids. Every text is escaped.

The English text of a `hub.text.Message` is its key in the catalogues. A text that is in no catalogue stays English.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import quote

from jinja2 import pass_context
from jinja2.runtime import Context
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from flagfall.base.isolate import isolated
from flagfall.base.message import Message, Plain
from flagfall.base.words import Catalogue
from hub.commands.desk import Asks, AsksBlack, AsksDrawWin, same_claims
from hub.console.act_fields import drawn_form
from hub.console.context import Values, Visit
from hub.console.texts import PAPER_TEXTS, TEXTS
from hub.console.views.conflicts import score_text
from hub.desk.forms import Form, shown_key
from hub.event_words import own_title, rulebook_name
from hub.fields import instant_in
from hub.ranking.switches import finals_follow
from hub.record.state import TournamentState
from hub.role import Role
from hub.rulebook import by_difference
from hub.text import PEOPLE
from hub.web.bounds import KNOWN_BYTES
from hub.web.pages import PersonName, compiled, rendered, templates_of
from hub.zones import clock_text, zone_or_own

# Pages of which a part is refreshed after every change.
_LIVE = ("room", "round", "arrival")


class ConsoleTemplates:
    """The templates of this package, with the values that each of them may use."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self._languages = languages
        self._environment = templates_of("hub.console")
        self._environment.filters |= {
            "score": score_text,
            "time": pass_context(_time_there),
            "moment": pass_context(_moment_there),
            "path": lambda value: quote(str(value), safe=""),
        }
        self._environment.globals |= {"Role": Role, "shown_key": shown_key, "claims": same_claims}
        self._environment.globals |= {"drawn_form": drawn_form}

    async def compile_short_pages(self) -> None:
        """Compile the templates of `short_page`, once, while the loop goes on."""
        await compiled(self._environment, "fault.html", "enter.html", "setup.html")

    def short_page(
        self, name: str, request: Request, words: Catalogue, values: Values, **form: Any
    ) -> Response:
        """Return a page like `page` that takes no time: one of the entrance, or a refusal."""
        template, shown = self._shown(name, request, words, values, **form)
        return _page(self._environment.get_template(template).render(shown), form["status"])

    async def page(
        self, name: str, request: Request, words: Catalogue, values: Values, **form: Any
    ) -> Response:
        """Return the page `name`, rendered in slices. Of a page that refreshes itself, return the requested part.

        `form` are the arguments of `_shown` after these.
        """
        template, shown = self._shown(name, request, words, values, **form)
        return _page(await rendered(self._environment, template, shown), form["status"])

    def _shown(
        self,
        name: str,
        request: Request,
        words: Catalogue,
        values: Values,
        *,
        form: Form,
        error: Message | None,
        refused: Exception | None = None,
        **_: object,
    ) -> tuple[str, dict[str, object]]:
        """Return the template of a page and its values. `form` is the one that was refused, because of `error`."""
        live = f"{name}_live.html" if name in _LIVE else ""
        state = values["state"]
        name_of = state.tournament.name_of if isinstance(state, TournamentState) else str
        visit = values.get("visit")
        say = Translator(words, name_of, visit.act if isinstance(visit, Visit) else "")
        shown = {
            "w": words,
            "pgettext": words.pgettext,
            "ngettext": words.ngettext,
            "rules_name": partial(rulebook_name, words),
            "rules_of": lambda tournament: rulebook_name(words, tournament.rulebook, own_title(tournament)),
            "languages": self._languages,
            "typed": form.typed,
            "ticked": form.all,
            "sent": form.fields,
            "asks": refused if isinstance(refused, Asks) else None,
            "winners": refused.winners if isinstance(refused, AsksDrawWin) else {},
            "blacks": refused.players if isinstance(refused, AsksBlack) else (),
            "say": say,
            "name_of": lambda player: PersonName(name_of(player)),
            "error": sentence(say(error)) if error is not None else "",
            "wrong_field": fault_field(error) if error is not None else "",
            "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            "current": name,
            "base": f"/desk/t/{quote(state.id, safe='')}" if isinstance(state, TournamentState) else "",
            "most_bytes": KNOWN_BYTES,
            "zone": zone_or_own(state.tournament.time_zone if isinstance(state, TournamentState) else ""),
            "TEXTS": {**TEXTS, **PAPER_TEXTS}
            if isinstance(state, TournamentState) and state.on_paper
            else TEXTS,
            "finals_follow": not isinstance(state, TournamentState) or finals_follow(state.tournament),
            "by_difference": isinstance(state, TournamentState) and by_difference(state.tournament),
            **values,
        }
        template = live if live and "live" in request.query_params else f"{name}.html"
        return template, shown


def _page(html: str, status: int) -> Response:
    return HTMLResponse(html, status, headers={"Cache-Control": "no-store"})


def sentence(line: str) -> str:
    """Return the line with a capital at its beginning. A path keeps its letters."""
    if "/" in line.partition(" ")[0]:
        return line
    return line[:1].upper() + line[1:]


def time_text(moment: datetime.datetime | str, zone: datetime.tzinfo) -> str:
    """Return hours and minutes in the event's time zone; for an entry's label, seconds too."""
    if isinstance(moment, datetime.datetime):
        return clock_text(moment, zone)
    label = instant_in(moment)
    return f"{label.astimezone(zone):%H:%M:%S}" if label is not None else moment


def moment_text(text: str, zone: datetime.tzinfo) -> str:
    """Return an entry's label with its day and offset, in the event's time zone."""
    label = instant_in(text)
    return label.astimezone(zone).isoformat(" ", "seconds") if label is not None else text


def _time_there(context: Context, moment: datetime.datetime | str) -> str:
    return time_text(moment, context["zone"])


def _moment_there(context: Context, text: str) -> str:
    return moment_text(text, context["zone"])


# Places whose values have texts of their own in the catalogue.
_WORDED = frozenset(("title", "stage", "rule", "system", "reason"))

# Places that may hold a decimal fraction as a text.
_FIGURES = frozenset(("count", "left"))


def fault_field(line: Message) -> str:
    """Return the name of the form's field that a line is about, "" without one."""
    return line.field.rpartition(".")[2] if line.field else ""


class Translator:
    """A translation of messages into the reader's language. `name_of` returns a player's name for an id; `act` is the
    type of an act whose fields they may name."""

    def __init__(self, words: Catalogue, name_of: Callable[[str], str], act: str = "") -> None:
        self._words = words
        self._name_of = name_of
        self._act = act

    def __call__(self, line: Message | str) -> str:
        """Return the line in the user's language. A `str` is a person's own text and stays as it is."""
        if isinstance(line, str):
            return line
        return self._words.say(line, self._shown, self._label)

    def _label(self, field: str) -> str:
        name = field.rpartition(".")[2]
        key = next((key for key in (f"field.{name}", f"{self._act}.{name}") if key in TEXTS), "")
        if not key:
            return f"{field}: "
        return self._words(TEXTS[key]) + self._words.pgettext("after the name of a field", ": ")

    def _shown(self, name: str, value: Plain) -> object:
        if not isinstance(value, str):
            return value
        if name in PEOPLE:
            return isolated(self._name_of(value))
        if name == "rulebook":
            return rulebook_name(self._words, value)
        if name in ("registered", "last_day"):
            return self._words.day(value)
        if name in _FIGURES:
            return value.replace(".", self._words.pgettext("decimal mark", "."))
        key = f"{name}.{value}"
        return self._words(TEXTS[key]) if name in _WORDED and key in TEXTS else isolated(value)
