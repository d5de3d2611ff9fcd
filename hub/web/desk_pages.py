"""The operator's page: what needs him, how the room is, and the few actions of a round.

He enters with the hub's token; a session is a random cookie of this site only, forgotten when the hub ends. Every
action is a form that another site cannot send (`SameSite`, `Origin`); a refusal is shown with what was typed.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from hub.book import Book
from hub.desk import Desk
from hub.dispatch import Dispatch
from hub.live import Live
from hub.matters import devices_of, matters_of
from hub.registry import Registry
from hub.state import Refused, State
from hub.web.pages import Pages
from ledger.store import LedgerError

_COOKIE = "flagfall-desk"
_LARGEST_FORM_BYTES = 10_000
_OPERATOR = "operator"


class DeskPages:
    """`new_session` makes a secret that nobody can guess."""

    def __init__(
        self,
        desk: Desk,
        book: Book,
        registry: Registry,
        live: Live,
        dispatch: Dispatch,
        pages: Pages,
        token: str,
        new_session: Callable[[], str],
    ) -> None:
        self._desk = desk
        self._book = book
        self._registry = registry
        self._live = live
        self._dispatch = dispatch
        self._pages = pages
        self._token = token.encode()
        self._new_session = new_session
        self._sessions: set[str] = set()

    def routes(self) -> list[Route]:
        return [
            Route("/desk", self._page, methods=["GET"]),
            Route("/desk/live", self._live_part, methods=["GET"]),
            Route("/desk/enter", self._enter, methods=["POST"]),
            Route("/desk/leave", self._leave, methods=["POST"]),
            Route("/desk/{action}", self._act, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        if not self._is_in(request):
            return self._answer(self._pages.template("enter.html", error=""))
        return self._shown()

    async def _live_part(self, request: Request) -> Response:
        if not self._is_in(request):
            return HTMLResponse("", 403)
        return self._answer(self._pages.template("desk_live.html", **self._values()))

    async def _enter(self, request: Request) -> Response:
        form = await _form(request)
        if not _own_site(request) or not hmac.compare_digest(
            form.get("token", "").strip().encode(), self._token
        ):
            error = "This is not the token of this hub. It stands in the file api-token beside the ledger."
            return self._answer(self._pages.template("enter.html", error=error), 403)
        session = self._new_session()
        self._sessions.add(session)
        response = RedirectResponse("/desk", 303)
        response.set_cookie(_COOKIE, session, path="/desk", httponly=True, samesite="strict")
        return response

    async def _leave(self, request: Request) -> Response:
        self._sessions.discard(request.cookies.get(_COOKIE, ""))
        return RedirectResponse("/desk", 303)

    async def _act(self, request: Request) -> Response:
        if not self._is_in(request) or not _own_site(request):
            return RedirectResponse("/desk", 303)
        action = _ACTIONS.get(request.path_params["action"])
        state = self._state()
        if action is None or state is None:
            return RedirectResponse("/desk", 303)
        form = await _form(request)
        try:
            await action(self._desk, state, form)
        except (Refused, LedgerError) as fault:
            return self._shown(str(fault), form, 400)
        return RedirectResponse("/desk", 303)

    def _is_in(self, request: Request) -> bool:
        return request.cookies.get(_COOKIE, "") in self._sessions

    def _state(self) -> State | None:
        """The newest tournament that is not closed."""
        states = [state for state in self._book.states.values() if not state.closed]
        return max(states, key=lambda state: state.seq, default=None)

    def _shown(self, error: str = "", typed: dict[str, str] | None = None, status: int = 200) -> Response:
        values = self._values()
        return self._answer(
            self._pages.template("desk.html", error=error, typed=typed or {}, **values), status
        )

    def _values(self) -> dict[str, object]:
        state = self._state()
        waiting = [
            (device, ruling.rule, game.game) for _, ruling, game, device in self._dispatch.open_rulings()
        ]
        return {
            "state": state,
            "games": state.games_of(state.round) if state is not None else (),
            "matters": matters_of(state, self._live, waiting) if state is not None else (),
            "devices": devices_of(((one.device, one.seat) for one in self._registry.devices), self._live),
            "dropped": dict(self._live.dropped),
            "last_dropped": tuple(self._live.last_dropped)[-5:],
            "unreadable": tuple(self._book.unreadable.values()),
        }

    def _answer(self, html: str, status: int = 200) -> Response:
        return HTMLResponse(html, status, headers={"Cache-Control": "no-store"})


async def _publish(desk: Desk, state: State, form: dict[str, str]) -> None:
    await desk.publish(state.id, _OPERATOR, state.round + 1)


async def _start(desk: Desk, state: State, form: dict[str, str]) -> None:
    await desk.start(state.id, _OPERATOR)


async def _result(desk: Desk, state: State, form: dict[str, str]) -> None:
    table, black, white = (_number(form, name) for name in ("table", "black", "white"))
    for game in state.games_of(state.round):
        if game.table == table:
            await desk.enter_result(state.id, game.game, (black, white), "board", _OPERATOR, None)
            return
    raise Refused(f"table: expected one of round {state.round}, got {table}")


async def _decide(desk: Desk, state: State, form: dict[str, str]) -> None:
    score = _number(form, "black"), _number(form, "white")
    await desk.resolve(state.id, form.get("game", ""), score, "board", "", _OPERATOR)


async def _undo(desk: Desk, state: State, form: dict[str, str]) -> None:
    await desk.undo(state.id, None, _OPERATOR)


_ACTIONS: dict[str, Callable[[Desk, State, dict[str, str]], Awaitable[None]]] = {
    "publish": _publish,
    "start": _start,
    "result": _result,
    "decide": _decide,
    "undo": _undo,
}


def _number(form: dict[str, str], name: str) -> int:
    said = form.get(name, "").strip()
    if not said.isascii() or not said.isdecimal() or len(said) > 4:
        raise Refused(
            f"{name}: expected a number, got {said[:20]!r}" if said else f"{name}: expected a number"
        )
    return int(said)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; what is no form has none."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > _LARGEST_FORM_BYTES:
            return {}
    try:
        fields = parse_qs(data.decode(), max_num_fields=20)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}


def _own_site(request: Request) -> bool:
    """Browsers say where a form comes from; what says nothing is no browser, and has no cookie by accident."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
