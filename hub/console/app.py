"""The console's addresses: access by role, and the handling of refused forms.

Every user has a session (a cookie of this site only); every form carries the session's own secret (`csrf`), which no
other site can read. A viewer may look at everything but the accounts, and change nothing.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from hub.console.change_stream import ChangeStream
from hub.console.context import ConsoleContext, ConsoleRoute, RequestContext, ShownPage, state_of
from hub.console.downloads import download
from hub.console.forms import Form, form_of
from hub.console.login import guesses, pages
from hub.console.login.accounts import AccountError, Role
from hub.console.login.setup_code import SetupCode
from hub.console.rendering import ConsolePages
from hub.console.routes import EVENT, ROUTES
from hub.console.texts import TEXTS
from hub.console.translate import Translator, field_of
from hub.event_words import TEXTS as EVENT_TEXTS
from hub.event_words import own_title, rulebook_name
from hub.record.state import Refused, TournamentState
from hub.rounds.drafts import Stale
from hub.rounds.operations import UnknownGame
from hub.text import Fault, FormatError, Text
from hub.web.gate import client_address
from hub.web.language import chosen_language
from ledger.store import LedgerError
from link.words import Catalogue, all_words

LANGUAGE_COOKIE = "flagfall-language"
_STATIC = Path(__file__).parent / "static"


class Console:
    """Answers everything under /desk."""

    def __init__(
        self,
        context: ConsoleContext,
        setup: SetupCode,
        pulse: ChangeStream,
    ) -> None:
        self.context = context
        self._pages = ConsolePages()
        self._words = all_words({**TEXTS, **EVENT_TEXTS})
        self._setup = setup
        self._pulse = pulse

    def routes(self) -> list[BaseRoute]:
        found: list[BaseRoute] = [
            Mount("/desk/static", StaticFiles(directory=_STATIC)),
            Route("/desk/enter", self._enter, methods=["GET", "POST"]),
            Route("/desk/setup", self._set_up, methods=["GET", "POST"]),
            Route("/desk/leave", self._leave, methods=["POST"]),
            Route("/desk/language", self._language, methods=["POST"]),
            Route("/desk/changes", self._changes, methods=["GET"]),
            Route("/desk/find", self._find, methods=["GET"]),
        ]
        for route in ROUTES:
            answer = self._page_of(route) if route.act is None else self._form_of(route)
            found.append(Route(route.path, answer, methods=["GET"] if route.act is None else ["POST"]))
        found.append(Route(f"{EVENT}/file/{{kind}}", self._file, methods=["GET"]))
        return found

    # Routes

    def _page_of(self, route: ConsoleRoute) -> pages.Answer:
        async def answer(request: Request) -> Response:
            visit = self._visit(request)
            if isinstance(visit, Response):
                return visit
            if visit.role < route.least:
                return self._forbidden(visit)
            try:
                return self._rendered(visit, await route.page(self.context, visit))
            except UnknownGame as fault:
                return self._not_there(visit, fault.line, 404)
            except (Refused, LedgerError) as fault:
                return self._not_there(visit, _line_of(fault), 409)

        return answer

    def _form_of(self, route: ConsoleRoute) -> pages.Answer:
        assert route.act is not None
        act = route.act

        async def answer(request: Request) -> Response:
            visit = self._visit(request)
            if isinstance(visit, Response):
                return visit
            if visit.role < route.least:
                return self._forbidden(visit)
            try:
                visit.form = await form_of(request)
                if not _own(request, visit.form, visit.csrf):
                    return self._not_there(
                        visit,
                        Text(
                            visit.words(
                                "This form is not from this page, or is too old. Please load the page again."
                            )
                        ),
                        403,
                    )
                return RedirectResponse(await act(self.context, visit), 303)
            except UnknownGame as fault:
                return self._not_there(visit, fault.line, 404)
            except (Refused, AccountError, LedgerError) as fault:
                visit.error, visit.refused = _line_of(fault), fault
                status = 409 if isinstance(fault, Stale | LedgerError) else 400
            try:
                return self._rendered(visit, await route.page(self.context, visit), status)
            except (Refused, LedgerError) as fault:
                return self._not_there(visit, _line_of(fault), 404)

        return answer

    def _visit(self, request: Request) -> RequestContext | Response:
        """The request's user; redirects to the login page without one."""
        pages.heed_command_line(self.context)
        session = self.context.sessions.of(request.cookies.get(self.context.sessions.cookie, ""))
        role = self.context.accounts.role(session.name) if session is not None else None
        if session is None or role is None:
            if request.method == "GET" and "live" not in request.query_params:
                where = "/desk/enter" if self.context.accounts.all else "/desk/setup"
                return RedirectResponse(where, 303)
            return self._login_page(request, "enter.html", status=403)
        return RequestContext(request, session.name, role, session.csrf, self._language_of(request))

    def _rendered(self, visit: RequestContext, shown: ShownPage, status: int = 200) -> Response:
        live = shown.live if "live" in visit.request.query_params else ""
        name_of = _names(shown.state)
        say = Translator(visit.words, name_of)
        values = {
            "live_template": shown.live,
            "state": shown.state,
            "visit": visit,
            **_said_by(visit.words),
            "languages": tuple(self._words),
            "typed": visit.form.typed,
            "ticked": visit.form.all,
            "say": say,
            "error": say(visit.error) if visit.error is not None else "",
            "wrong_field": field_of(visit.error) if visit.error is not None else "",
            "here": visit.request.url.path,
            "current": shown.template.removesuffix(".html"),
            "name_of": name_of,
            "hall_key": self.context.hall_key,
            **shown.values,
        }
        return _html(self._pages.render(live or shown.template, values), status)

    def _forbidden(self, visit: RequestContext) -> Response:
        why = visit.words(
            "This needs another role than {role}.", role=visit.words.named(f"role.{visit.role.word}")
        )
        return self._not_there(visit, Text(why), 403)

    def _not_there(self, visit: RequestContext, why: Text, status: int) -> Response:
        return self._rendered(visit, ShownPage("fault.html", {"why": why}), status)

    async def _file(self, request: Request) -> Response:
        """The event as a file, for every user."""
        visit = self._visit(request)
        if isinstance(visit, Response):
            return visit
        try:
            file = download(state_of(self.context, visit), visit.at("kind"))
        except UnknownGame as fault:
            return self._not_there(visit, fault.line, 404)
        except (FormatError, Refused, LedgerError) as fault:
            return self._not_there(visit, _line_of(fault), 409)
        if file is None:
            return self._not_there(visit, Text(visit.words("There is no such file.")), 404)
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name)}",
        }
        return Response(file.data, media_type="application/octet-stream", headers=headers)

    # Login

    async def _enter(self, request: Request) -> Response:
        if request.method == "GET":
            return self._login_page(request, "enter.html")
        if not _same_site(request):
            return self._foreign(request, "enter.html")
        form = await _form_or_none(request)
        outcome = await pages.enter(self.context, form, self._language_of(request), self._caller(request))
        if outcome.error is not None:
            return self._login_page(request, "enter.html", outcome.error, 403, form)
        return self._let_in(outcome)

    async def _set_up(self, request: Request) -> Response:
        if self.context.accounts.all:
            return RedirectResponse("/desk/enter", 303)
        if request.method == "GET":
            return self._login_page(request, "setup.html")
        if not _same_site(request):
            return self._foreign(request, "setup.html")
        form = await _form_or_none(request)
        outcome = await pages.set_up(
            self.context, self._setup, form, self._language_of(request), self._caller(request)
        )
        if outcome.error is not None:
            return self._login_page(request, "setup.html", outcome.error, 403, form)
        return self._let_in(outcome)

    async def _leave(self, request: Request) -> Response:
        if _same_site(request):
            self.context.sessions.end(request.cookies.get(self.context.sessions.cookie, ""))
        return RedirectResponse("/desk/enter", 303)

    async def _language(self, request: Request) -> Response:
        form = await _form_or_none(request)
        back = form.typed("back")
        response = RedirectResponse(back if back.startswith("/desk") and "//" not in back else "/desk", 303)
        if form.typed("language") in self._words:
            response.set_cookie(LANGUAGE_COOKIE, form.typed("language"), max_age=31_536_000, samesite="lax")
        return response

    def _let_in(self, outcome: pages.Entered) -> Response:
        response = RedirectResponse("/desk", 303)
        context = self.context
        kept: dict[str, Any] = {"path": "/desk", "httponly": True, "samesite": "strict"}
        response.set_cookie(context.sessions.cookie, outcome.secret, **kept)
        response.set_cookie(context.guesses.cookie_name, outcome.browser, guesses.COOKIE_S, **kept)
        return response

    def _caller(self, request: Request) -> pages.Caller:
        known = request.cookies.get(self.context.guesses.cookie_name, "")
        return pages.Caller(client_address(request.scope), known)

    def _foreign(self, request: Request, template: str) -> Response:
        return self._login_page(
            request,
            template,
            Text(
                self._language_of(request)(
                    "This form is not from this page, or is too old. Please load the page again."
                )
            ),
            403,
        )

    def _login_page(
        self,
        request: Request,
        template: str,
        error: Text | None = None,
        status: int = 200,
        form: Form | None = None,
    ) -> Response:
        form = form or Form()
        words = self._language_of(request)
        values = {
            **_said_by(words),
            "languages": tuple(self._words),
            "error": Translator(words, str)(error) if error is not None else "",
            "wrong_field": field_of(error) if error is not None else "",
            "typed": form.typed,
            "ticked": form.all,
            "visit": None,
            "state": None,
            "here": request.url.path,
            "current": "",
            "live_template": "",
        }
        return _html(self._pages.render(template, values), status)

    async def _changes(self, request: Request) -> Response:
        if isinstance(self._visit(request), Response):
            return HTMLResponse("", 403)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._pulse.listen(), media_type="text/event-stream", headers=headers)

    async def _find(self, request: Request) -> Response:
        """Players of the stored world list for the text being typed: an array of objects."""
        visit = self._visit(request)
        if isinstance(visit, Response) or visit.role < Role.ASSISTANT:
            return JSONResponse([], 403)
        found = self.context.world_list.find(request.query_params.get("q", ""))
        told = [
            {"id": p.id, "name": p.name, "country": p.country, "rating": p.rating, "line": p.line}
            for p in found
        ]
        return JSONResponse(told, headers={"Cache-Control": "no-store"})

    def _language_of(self, request: Request) -> Catalogue:
        cookie = request.cookies.get(LANGUAGE_COOKIE, "")
        accepted = request.headers.get("accept-language", "")
        return self._words[chosen_language(tuple(self._words), cookie, accepted)]


def _said_by(words: Catalogue) -> dict[str, object]:
    return {
        "w": words,
        "pgettext": words.pgettext,
        "ngettext": words.ngettext,
        "rules_name": partial(rulebook_name, words),
        "rules_of": lambda tournament: rulebook_name(words, tournament.rulebook, own_title(tournament)),
    }


def _names(state: TournamentState | None) -> Callable[[str], str]:
    """Names by id for one rendering: a page of many players needs thousands. An unknown player keeps the id."""
    players = state.tournament.players if state is not None else ()
    names = {player.id: player.name or player.id for player in players}
    return lambda player: names.get(player, player)


def _line_of(fault: Fault | FormatError | LedgerError) -> Text:
    return Text(str(fault)) if isinstance(fault, LedgerError) else fault.line


def _html(html: str, status: int = 200) -> Response:
    return HTMLResponse(html, status, headers={"Cache-Control": "no-store"})


async def _form_or_none(request: Request) -> Form:
    try:
        return await form_of(request)
    except Refused:
        return Form()


def _same_site(request: Request) -> bool:
    """Browsers say where a form comes from; a client that says nothing is no browser, and carries no cookie by
    accident."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")


def _own(request: Request, form: Form, csrf: str) -> bool:
    return _same_site(request) and hmac.compare_digest(form.typed("csrf").encode(), csrf.encode())
