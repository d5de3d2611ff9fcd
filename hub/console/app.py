"""The console's addresses: access by role, and the handling of refused forms.

Every user has a session (a cookie of this site only); every form carries the session's own secret (`csrf`), which no
other site can read. A viewer may look at everything but the accounts, and change nothing.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from flagfall.base.errors import Failed
from flagfall.base.message import Message
from flagfall.base.words import STAFF, Catalogue, all_words
from flagfall.ledger.store import LedgerError
from hub.commands.desk import Desk, state_of
from hub.commands.support import running_facts, support_file
from hub.commands.table import COMMANDS
from hub.console.context import ActForm, ConsoleForm, ConsolePage, Values, Visit
from hub.console.pages import login
from hub.console.pages.lists import FINAL_LISTS, final_list_file
from hub.console.pages.photographs import BOARDS, CheckForm
from hub.console.pages.projector import event_file
from hub.console.pages.typed import QUEUE
from hub.console.rendering import ConsoleTemplates
from hub.console.routes import EVENT, PAGES, ROUTES
from hub.console.texts import TEXTS
from hub.desk import guesses
from hub.desk.forms import BY_SCRIPT, Form, read_form
from hub.desk.seen_board import BoardForm
from hub.photographs import TryAgain
from hub.role import Role
from hub.running import Hub
from hub.slices import apart
from hub.text import Refused, Stale, UnknownGame
from hub.web.app import WITH_PICTURE, disk_fault, kept_briefly
from hub.web.bounds import KNOWN_BYTES, RequestRefused
from hub.web.pages import chosen_language
from hub.web.stream import events

LANGUAGE_COOKIE = "flagfall-language"
_TOO_OLD = Message("This form is too old, or comes from another page. Load the page again.")
_NOT_SIGNED_IN = Message("You are signed out. Sign in again.")
_NO_COOKIE = Message(
    "Not signed in: the browser has not kept this page's cookie. Allow cookies for this page, then sign in again."
)
_SIGNED_IN = "/desk/signed-in"
_ENTRANCES = ("/desk/enter", "/desk/setup", _SIGNED_IN)
_STATIC = Path(__file__).parent / "static"


class Console:
    """The application under /desk."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._one_list = asyncio.Lock()
        self._words = all_words(domain=STAFF)
        self._templates = ConsoleTemplates(tuple(self._words))

    def routes(self) -> list[BaseRoute]:
        routes: list[BaseRoute] = [
            Mount("/desk/static", kept_briefly(StaticFiles(directory=_STATIC))),
            Route(
                "/desk/enter", partial(self._login, page="enter", enter=login.log_in), methods=["GET", "POST"]
            ),
            Route("/desk/setup", self._set_up, methods=["GET", "POST"]),
            Route(_SIGNED_IN, self._signed_in, methods=["GET"]),
            Route("/desk/leave", self._log_out, methods=["POST"]),
            Route("/desk/language", self._choose_language, methods=["POST"]),
            Route("/desk/changes", self._change_stream, methods=["GET"]),
            Route("/desk/find", self._find_listed_players, methods=["GET"]),
        ]
        for route in ROUTES:
            if isinstance(route, ConsolePage):
                shown = self._for_user(route.least, partial(self._page, route))
                routes.append(Route(route.path, shown, methods=["GET"]))
                continue
            page = PAGES[route.page]
            done = self._for_user(route.least, partial(self._submit_form, page, route))
            routes.append(Route(route.path, done, methods=["POST"]))
            # A refused form is shown at the form's address: who loads that again gets the page.
            routes.append(Route(route.path, partial(_redirect, page.path), methods=["GET"]))
        page = PAGES["game"]
        for path, read in BOARDS.items():
            shown = self._for_user(Role.ASSISTANT, partial(self._show_board, read))
            routes.append(Route(f"{page.path}/{path}", shown, methods=["POST"]))
            routes.append(Route(f"{page.path}/{path}", partial(_redirect, page.path), methods=["GET"]))
        for path, command, answer in QUEUE:
            answered = self._for_user(COMMANDS[command].role, partial(self._answer_queue, answer))
            routes.append(Route(f"{EVENT}/{path}", answered, methods=["POST"]))
        routes.append(
            Route(f"{EVENT}/file/{{kind}}", self._for_user(Role.VIEWER, self._download), methods=["GET"])
        )
        routes.append(Route("/desk/support", self._for_user(Role.DIRECTOR, self._support), methods=["GET"]))
        return routes

    # Routes

    def _for_user(self, least: Role, work: Callable[[Visit], Awaitable[Response]]) -> login.Answer:
        """Return the route's answer for users of this role. Refusals are shown on a page."""

        async def answer(request: Request) -> Response:
            await self._templates.compile_short_pages()
            visit = self._visit_of(request)
            if isinstance(visit, Response):
                return visit
            if visit.role < least:
                role = visit.words(TEXTS[f"role.{visit.role.word}"])
                return self._fault_page(
                    visit,
                    Message.of("Your role ({role}) does not allow this. Ask a director.", role=role),
                    403,
                )
            try:
                return await work(visit)
            except (Refused, LedgerError) as fault:
                unknown = visit.error is not None or isinstance(fault, UnknownGame)
                return self._fault_page(visit, fault.message, 404 if unknown else 409)
            except (OSError, Failed) as fault:
                return self._fault_page(visit, disk_fault(fault), 507)

        return answer

    async def _submit_form(self, page: ConsolePage, form: ConsoleForm | ActForm, visit: Visit) -> Response:
        """Return the redirect of a form, by default to its `page`; that page again if the form is refused."""
        try:
            self._load_tournament(visit)
            visit.form = await read_form(visit.request)
            if not _is_own_form(visit.request, visit.form, visit.csrf):
                return self._fault_page(visit, _TOO_OLD, 403)
            to = await form.send(visit)
            if not to:
                return _answer_form(visit.request, _address_of(page.path, visit.request))
            return _answer_form(visit.request, to if to.startswith("/") else f"/desk/t/{visit.state.id}/{to}")
        except RequestRefused as fault:
            return await self._too_large(page, visit, fault)
        except UnknownGame:
            raise
        except (Refused, LedgerError) as fault:
            visit.error = fault.message
            visit.refused = fault
        except (OSError, Failed) as fault:
            visit.error = disk_fault(fault)
            return await self._page(page, visit, 507)
        return await self._page(page, visit, 409 if isinstance(visit.refused, Stale | LedgerError) else 400)

    async def _show_board(
        self, read: Callable[[Visit, CheckForm], Awaitable[tuple[Form, BoardForm]]], visit: Visit
    ) -> Response:
        """Return the game's page with the board of a picture, or why there is none."""
        page = PAGES["game"]

        def check(form: Form) -> None:
            if not _is_own_form(visit.request, form, visit.csrf):
                raise Refused(_TOO_OLD)

        self._load_tournament(visit)
        try:
            visit.form, visit.board = await read(visit, check)
        except RequestRefused as fault:
            return await self._too_large(page, visit, fault)
        except UnknownGame:
            raise
        except Refused as fault:
            visit.error = fault.message
            return await self._page(page, visit, 429 if isinstance(fault, TryAgain) else 400)
        answer = await self._page(page, visit)
        if visit.board.picture:
            answer.headers["Content-Security-Policy"] = WITH_PICTURE
        return answer

    async def _answer_queue(
        self, act: Callable[[Visit], Awaitable[dict[str, Any]]], visit: Visit
    ) -> Response:
        """Return the answer for the queue of typed results, as JSON. 503 asks it to try again."""
        self._load_tournament(visit)
        try:
            visit.form = await read_form(visit.request)
            if not _is_own_form(visit.request, visit.form, visit.csrf):
                return JSONResponse({"line": visit.words.text(str(_NOT_SIGNED_IN))}, 403)
            return JSONResponse(await act(visit), headers={"Cache-Control": "no-store"})
        except LedgerError as fault:
            return JSONResponse({"line": str(fault)}, 503)
        except (OSError, Failed) as fault:
            return JSONResponse({"line": str(disk_fault(fault))}, 503)

    async def _too_large(self, page: ConsolePage, visit: Visit, fault: RequestRefused) -> Response:
        """Return the form's page for a body that was too large, or came too slowly."""
        visit.error = Message(fault.detail)
        if fault.status_code == 413:
            visit.error = Message.of(
                "expected at most {most} MB, got a larger one", field="file", most=KNOWN_BYTES >> 20
            )
        answer = await self._page(page, visit, fault.status_code)
        answer.headers.update(fault.headers or {})
        return answer

    async def _page(self, page: ConsolePage, visit: Visit, status: int = 200) -> Response:
        """Return the page. It says why its form was refused where there is an error."""
        self._load_tournament(visit)
        if hasattr(visit, "state") and (elsewhere := page.elsewhere(visit.state)):
            return RedirectResponse(f"/desk/t/{quote(visit.state.id, safe='')}/{elsewhere}", 303)
        values = {"state": getattr(visit, "state", None), **await page.read(visit)}
        return await self._templates.page(page.name, **self._shown(visit, values, status))

    def _load_tournament(self, visit: Visit) -> None:
        """Load the tournament of the address as it is now; UnknownGame if there is none."""
        tournament = visit.request.path_params.get("tournament")
        if tournament is not None:
            visit.event = Desk(visit.hub, visit.who, visit.role).event(tournament)
            visit.state = visit.event.state
            if "player" in visit.request.path_params:
                visit.state.player(visit.request.path_params["player"])
            if "game" in visit.request.path_params:
                visit.event.game(visit.request.path_params["game"])

    def _visit_of(self, request: Request) -> Visit | Response:
        """Return the request's user, or the redirection to the login page without one."""
        login.heed_command_line(self._hub)
        session = self._hub.sessions.session(request.cookies.get(self._hub.sessions.cookie, ""))
        role = self._hub.accounts.role(session.name) if session is not None else None
        if session is None or role is None:
            if request.method == "POST" or "live" in request.query_params:
                return self._login_page(request, "enter", _NOT_SIGNED_IN, 403)
            back = f"?{urlencode({'back': request.url.path})}" if request.url.path != "/desk" else ""
            return RedirectResponse(f"/desk/{self._entrance}{back}", 303)
        words = self._catalogue_for(request)
        visit = Visit(self._hub, request, session.name, role=role, csrf=session.csrf, words=words)
        visit.once = self._hub.fresh_secret()
        return visit

    def _shown(self, visit: Visit, values: Values, status: int) -> dict[str, Any]:
        """Return the arguments of a page's rendering."""
        return {
            "request": visit.request,
            "words": visit.words,
            "values": {"visit": visit, "hall_key": self._hub.site.key, **values},
            "form": visit.form,
            "error": visit.error,
            "refused": visit.refused,
            "status": status,
        }

    def _fault_page(self, visit: Visit, why: Message, status: int) -> Response:
        values = {"state": None, "why": why, "missing": status == 404}
        return self._templates.short_page("fault", **self._shown(visit, values, status))

    async def _download(self, visit: Visit) -> Response:
        """Return the event as a file."""
        state = state_of(self._hub, visit.request.path_params["tournament"])
        kind = visit.request.path_params["kind"]
        if kind in FINAL_LISTS:
            async with self._one_list:  # each takes a second of a core, and a PDF memory
                file: tuple[str, bytes] | None = await asyncio.to_thread(
                    final_list_file, state.tournament, state.id, kind, visit.words.language
                )
        else:
            file = await apart(event_file, state, kind)
        if file is None:
            raise UnknownGame("There is no such file.")
        name, data = file
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        }
        return Response(data, media_type="application/octet-stream", headers=headers)

    async def _support(self, visit: Visit) -> Response:
        """Return the file for whoever helps."""
        hub = self._hub
        data = await asyncio.to_thread(support_file, hub.config, running_facts(hub))
        name = f"flagfall-support-{hub.wall():%Y%m%d-%H%M}.zip"
        headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(data, media_type="application/zip", headers=headers)

    def refusal_page(self, request: Request, why: Message, status: int) -> Response:
        """Return a page that says why it is not the requested one."""
        visit = self._visit_of(request)
        if isinstance(visit, Visit):
            return self._fault_page(visit, why, status)
        return visit if status < 500 else self._login_page(request, self._entrance, why, status)

    # Login

    @property
    def _entrance(self) -> str:
        return "enter" if self._hub.accounts.all else "setup"

    async def _set_up(self, request: Request) -> Response:
        if self._hub.accounts.all:
            return RedirectResponse("/desk/enter", 303)
        return await self._login(request, "setup", login.set_up)

    async def _login(self, request: Request, page: str, enter: login.Enter) -> Response:
        """Return the login page, or the answer to its form."""
        await self._templates.compile_short_pages()
        if request.method == "GET":
            return self._login_page(request, page)
        if not _same_site(request):
            return self._login_page(request, page, _TOO_OLD, 403)
        hub, form = self._hub, await _form_or_none(request)
        try:
            name = await enter(hub, form, request)
        except Refused as fault:
            return self._login_page(request, page, fault.message, 403, form)
        except Failed as fault:
            return self._login_page(request, page, fault.message, 507, form)
        back = _console_address(form.typed("back"))
        response = RedirectResponse(f"{_SIGNED_IN}?{urlencode({'back': back})}", 303)
        kept: dict[str, Any] = {"path": "/desk", "httponly": True, "samesite": "strict"}
        response.set_cookie(hub.sessions.cookie, hub.sessions.begin(name), **kept)
        browser = hub.guesses.cookie(name, hub.fresh_secret())
        response.set_cookie(hub.guesses.cookie_name, browser, guesses.COOKIE_S, **kept)
        return response

    def _login_page(
        self,
        request: Request,
        page: str,
        error: Message | None = None,
        status: int = 200,
        form: Form | None = None,
    ) -> Response:
        back = (form.typed("back") if form else "") or request.query_params.get("back", request.url.path)
        values: Values = {"visit": None, "state": None, "current": "", "back": back}
        words = self._catalogue_for(request)
        return self._templates.short_page(
            page, request, words, values, form=form or Form(), error=error, status=status
        )

    async def _signed_in(self, request: Request) -> Response:
        """Lead on from the login, if the browser has kept the cookie that it was given."""
        if self._hub.sessions.cookie not in request.cookies:
            return self._login_page(request, "enter", _NO_COOKIE, 403)
        return RedirectResponse(_console_address(request.query_params.get("back", "")), 303)

    async def _log_out(self, request: Request) -> Response:
        if _same_site(request):
            self._hub.sessions.end(request.cookies.get(self._hub.sessions.cookie, ""))
        return RedirectResponse("/desk/enter", 303)

    async def _choose_language(self, request: Request) -> Response:
        form = await _form_or_none(request)
        back = form.typed("back")
        inside = back.startswith(_ENTRANCES) and "//" not in back.partition("?")[0]
        response = RedirectResponse(back if inside else _console_address(back), 303)
        if form.typed("language") in self._words:
            response.set_cookie(LANGUAGE_COOKIE, form.typed("language"), max_age=31_536_000, samesite="lax")
        return response

    async def _change_stream(self, request: Request) -> Response:
        if isinstance(self._visit_of(request), Response):
            return HTMLResponse("", 403)
        return events(self._hub.pulse.listen(""))

    async def _find_listed_players(self, request: Request) -> Response:
        """Return players of the stored world list for the text being typed: an array of objects."""
        visit = self._visit_of(request)
        if isinstance(visit, Response) or visit.role < Role.ASSISTANT:
            return JSONResponse([], 403)
        sought = request.query_params.get("q", "")
        players = await apart(self._hub.world_list.find_players, sought)
        names = ("id", "name", "country", "rating", "line")
        objects = [{name: getattr(player, name) for name in names} for player in players]
        return JSONResponse(objects, headers={"Cache-Control": "no-store"})

    def _catalogue_for(self, request: Request) -> Catalogue:
        cookie = request.cookies.get(LANGUAGE_COOKIE, "")
        accepted = request.headers.get("accept-language", "")
        return self._words[chosen_language(tuple(self._words), cookie, accepted)]


def _console_address(address: str) -> str:
    """Return the address if it is one of the console's pages, else that of its first page."""
    inside = address.startswith("/desk") and "//" not in address and not address.startswith(_ENTRANCES)
    return address if inside else "/desk"


async def _redirect(path: str, request: Request) -> Response:
    return RedirectResponse(_address_of(path, request), 303)


def _address_of(path: str, request: Request) -> str:
    """Return the address with the names that the request's own one has."""
    named = {name: quote(str(value), safe="") for name, value in request.path_params.items()}
    return path.format_map(named)


def _answer_form(request: Request, to: str) -> Response:
    """Return a redirect, or the address alone for the page's own script, which goes there itself."""
    if BY_SCRIPT in request.headers:
        return JSONResponse({"to": to}, headers={"Cache-Control": "no-store"})
    return RedirectResponse(to, 303)


async def _form_or_none(request: Request) -> Form:
    try:
        return await read_form(request)
    except Refused:
        return Form()


def _same_site(request: Request) -> bool:
    """Return whether the form comes from this site. Browsers say so; a client that does not is no browser, and carries
    no cookie by accident."""
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host", "")


def _is_own_form(request: Request, form: Form, csrf: str) -> bool:
    return _same_site(request) and hmac.compare_digest(form.typed("csrf").encode(), csrf.encode())
