"""The console's addresses: who may go through which door, and what becomes of a refused form.

Whoever enters has a session (a cookie of this site only); every form carries the session's own secret (`csrf`),
which no other site can read. A viewer may look at everything but the accounts, and change nothing.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from hub.console import (
    audit_page,
    draft_page,
    entrance,
    finals_page,
    game_page,
    new_page,
    people_pages,
    room_page,
    round_page,
    show_page,
)
from hub.console.accounts import AccountError, Role
from hub.console.forms import Form, form_of
from hub.console.office import Door, Office, Shown, Visit
from hub.console.pages import ConsolePages
from hub.console.pulse import Pulse
from hub.desk import Unknown
from hub.drafting import Stale
from hub.state import Refused, State
from hub.web.words import Words, chosen_language
from ledger.store import LedgerError

LANGUAGE_COOKIE = "flagfall-language"
_STATIC = Path(__file__).parent / "static"
_T = "/desk/t/{tournament}"
_V, _A, _D = Role.VIEWER, Role.ASSISTANT, Role.DIRECTOR

DOORS: tuple[Door, ...] = (
    Door("/desk", _V, new_page.events_page),
    Door("/desk/new", _D, new_page.new_page),
    Door("/desk/new", _D, new_page.new_page, new_page.create),
    Door("/desk/accounts", _D, entrance.accounts_page),
    Door("/desk/accounts", _D, entrance.accounts_page, entrance.put_account),
    Door("/desk/accounts/remove", _D, entrance.accounts_page, entrance.remove_account),
    Door("/desk/password", _V, entrance.password_page),
    Door("/desk/password", _V, entrance.password_page, entrance.change_password),
    Door(f"{_T}/round", _V, round_page.round_page),
    Door(f"{_T}/start", _A, round_page.round_page, round_page.start),
    Door(f"{_T}/result", _A, round_page.round_page, round_page.enter_result),
    Door(f"{_T}/decide", _D, round_page.round_page, round_page.decide),
    Door(f"{_T}/answer", _A, round_page.round_page, round_page.answer_call),
    Door(f"{_T}/ruling", _A, round_page.round_page, round_page.send_ruling),
    Door(f"{_T}/withdraw-round", _D, round_page.round_page, round_page.withdraw_round),
    Door(f"{_T}/undo", _D, audit_page.audit_page, round_page.undo),
    Door(f"{_T}/close", _D, finals_page.finals_page, round_page.close),
    Door(f"{_T}/draft", _V, draft_page.draft_page),
    Door(f"{_T}/draft/pair", _A, draft_page.draft_page, draft_page.pair),
    Door(f"{_T}/draft/by-hand", _A, draft_page.draft_page, draft_page.by_hand),
    Door(f"{_T}/draft/change", _A, draft_page.draft_page, draft_page.change),
    Door(f"{_T}/draft/ban", _D, draft_page.draft_page, draft_page.ban),
    Door(f"{_T}/draft/publish", _D, draft_page.draft_page, draft_page.publish),
    Door(f"{_T}/players", _V, people_pages.players_page),
    Door(f"{_T}/players", _A, people_pages.players_page, people_pages.add),
    Door(f"{_T}/player/{{player}}", _V, people_pages.player_page),
    Door(f"{_T}/player/{{player}}", _A, people_pages.player_page, people_pages.change),
    Door(f"{_T}/player/{{player}}/withdraw", _A, people_pages.player_page, people_pages.withdraw),
    Door(f"{_T}/player/{{player}}/absent", _A, people_pages.player_page, people_pages.absent),
    Door(f"{_T}/player/{{player}}/expel", _D, people_pages.player_page, people_pages.expel),
    Door(f"{_T}/room", _V, room_page.room_page),
    Door(f"{_T}/seat", _A, room_page.room_page, room_page.seat),
    Door(f"{_T}/judges", _A, room_page.room_page, room_page.judges),
    Door(f"{_T}/game/{{game}}", _V, game_page.game_page),
    Door(f"{_T}/game/{{game}}", _D, game_page.game_page, game_page.correct),
    Door(f"{_T}/show", _V, show_page.show_page),
    Door(f"{_T}/show", _A, show_page.show_page, show_page.show),
    Door(f"{_T}/finals", _V, finals_page.finals_page),
    Door(f"{_T}/finals", _D, finals_page.finals_page, finals_page.publish),
    Door(f"{_T}/audit", _V, audit_page.audit_page),
)
"""Every page and every form, with the least role that may use it."""


class Console:
    """Answers everything under /desk."""

    def __init__(
        self,
        office: Office,
        pages: ConsolePages,
        words: Mapping[str, Words],
        setup: entrance.Setup,
        pulse: Pulse,
    ) -> None:
        self.office = office
        self._pages = pages
        self._words = words
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
        ]
        for door in DOORS:
            answer = self._page_of(door) if door.act is None else self._form_of(door)
            found.append(Route(door.path, answer, methods=["GET"] if door.act is None else ["POST"]))
        return found

    # Doors

    def _page_of(self, door: Door) -> entrance.Answer:
        async def answer(request: Request) -> Response:
            visit = self._visit(request)
            if isinstance(visit, Response):
                return visit
            if visit.role < door.least:
                return self._forbidden(visit)
            try:
                return self._rendered(visit, await door.page(self.office, visit))
            except Unknown as fault:
                return self._not_there(visit, str(fault), 404)
            except (Refused, LedgerError) as fault:
                return self._not_there(visit, str(fault), 409)

        return answer

    def _form_of(self, door: Door) -> entrance.Answer:
        assert door.act is not None
        act = door.act

        async def answer(request: Request) -> Response:
            visit = self._visit(request)
            if isinstance(visit, Response):
                return visit
            if visit.role < door.least:
                return self._forbidden(visit)
            try:
                visit.form = await form_of(request)
                if not _own(request, visit.form, visit.csrf):
                    return self._not_there(visit, visit.words("form_foreign"), 403)
                return RedirectResponse(await act(self.office, visit), 303)
            except Unknown as fault:
                return self._not_there(visit, str(fault), 404)
            except (Refused, AccountError, LedgerError) as fault:
                visit.error = str(fault)
                status = 409 if isinstance(fault, Stale | LedgerError) else 400
            try:
                return self._rendered(visit, await door.page(self.office, visit), status)
            except (Refused, LedgerError) as fault:
                return self._not_there(visit, str(fault), 404)

        return answer

    def _visit(self, request: Request) -> Visit | Response:
        """Who comes; to the entrance with those who have not entered."""
        session = self.office.sessions.of(request.cookies.get(entrance.COOKIE, ""))
        role = self.office.accounts.role(session.name) if session is not None else None
        if session is None or role is None:
            if request.method == "GET" and "live" not in request.query_params:
                where = "/desk/enter" if self.office.accounts.all else "/desk/setup"
                return RedirectResponse(where, 303)
            return self._entrance(request, "enter.html", "", 403)
        return Visit(request, session.name, role, session.csrf, self._language_of(request))

    def _rendered(self, visit: Visit, shown: Shown, status: int = 200) -> Response:
        live = shown.live if "live" in visit.request.query_params else ""
        values = {
            "live_template": shown.live,
            "state": shown.state,
            "visit": visit,
            "w": visit.words,
            "languages": tuple(self._words),
            "typed": visit.form.typed,
            "ticked": visit.form.all,
            "error": visit.error,
            "wrong_field": visit.error.partition(":")[0] if visit.error else "",
            "here": visit.request.url.path,
            "current": shown.template.removesuffix(".html"),
            "name_of": _names(shown.state),
            **shown.values,
        }
        return _html(self._pages.render(live or shown.template, values), status)

    def _forbidden(self, visit: Visit) -> Response:
        return self._not_there(
            visit, visit.words("not_yours", role=visit.words(f"role.{visit.role.word}")), 403
        )

    def _not_there(self, visit: Visit, why: str, status: int) -> Response:
        return self._rendered(visit, Shown("fault.html", {"why": why}), status)

    # Entering and leaving

    async def _enter(self, request: Request) -> Response:
        if request.method == "GET":
            return self._entrance(request, "enter.html", "")
        form = await _form_or_none(request)
        if not _same_site(request):
            return self._entrance(request, "enter.html", self._language_of(request)("form_foreign"), 403)
        words = self._language_of(request)
        outcome = await entrance.enter(self.office, form, words)
        if not outcome.secret:
            return self._entrance(request, "enter.html", outcome.error, 403, form)
        return _let_in(outcome.secret)

    async def _set_up(self, request: Request) -> Response:
        if self.office.accounts.all:
            return RedirectResponse("/desk/enter", 303)
        if request.method == "GET":
            return self._entrance(request, "setup.html", "")
        form = await _form_or_none(request)
        if not _same_site(request):
            return self._entrance(request, "setup.html", self._language_of(request)("form_foreign"), 403)
        outcome = await entrance.set_up(self.office, self._setup, form, self._language_of(request))
        if not outcome.secret:
            return self._entrance(request, "setup.html", outcome.error, 403, form)
        return _let_in(outcome.secret)

    async def _leave(self, request: Request) -> Response:
        if _same_site(request):
            self.office.sessions.end(request.cookies.get(entrance.COOKIE, ""))
        return RedirectResponse("/desk/enter", 303)

    async def _language(self, request: Request) -> Response:
        form = await _form_or_none(request)
        back = form.typed("back")
        response = RedirectResponse(back if back.startswith("/desk") and "//" not in back else "/desk", 303)
        if form.typed("language") in self._words:
            response.set_cookie(LANGUAGE_COOKIE, form.typed("language"), max_age=31_536_000, samesite="lax")
        return response

    def _entrance(
        self, request: Request, template: str, error: str, status: int = 200, form: Form | None = None
    ) -> Response:
        form = form or Form()
        values = {
            "w": self._language_of(request),
            "languages": tuple(self._words),
            "error": error,
            "wrong_field": error.partition(":")[0],
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

    def _language_of(self, request: Request) -> Words:
        cookie = request.cookies.get(LANGUAGE_COOKIE, "")
        accepted = request.headers.get("accept-language", "")
        return self._words[chosen_language(self._words, cookie, accepted)]


def _names(state: State | None) -> Callable[[object, str], str]:
    """Names by id for one rendering: a page of many players asks for thousands."""
    players = state.tournament.players if state is not None else ()
    names = {player.id: player.name or player.id for player in players}
    return lambda _, player: names[player]


def _html(html: str, status: int = 200) -> Response:
    return HTMLResponse(html, status, headers={"Cache-Control": "no-store"})


def _let_in(secret: str) -> Response:
    response = RedirectResponse("/desk", 303)
    response.set_cookie(entrance.COOKIE, secret, path="/desk", httponly=True, samesite="strict")
    return response


async def _form_or_none(request: Request) -> Form:
    try:
        return await form_of(request)
    except Refused:
        return Form()


def _same_site(request: Request) -> bool:
    """Browsers say where a form comes from; what says nothing is no browser, and has no cookie by accident."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")


def _own(request: Request, form: Form, csrf: str) -> bool:
    return _same_site(request) and hmac.compare_digest(form.typed("csrf").encode(), csrf.encode())
