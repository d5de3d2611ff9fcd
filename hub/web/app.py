"""The hub's web application: the live page for everybody, its stream, and the operator's API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hub.book import Book
from hub.hall import Hall
from hub.web.api import Api
from hub.web.desk_pages import DeskPages
from hub.web.enrolment_api import EnrolmentApi
from hub.web.pages import Pages
from hub.web.stream import Stream

_STATIC = Path(__file__).parent / "static"
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": browsers then hide where the desk's own forms come from.
    "Referrer-Policy": "same-origin",
}


def application(
    book: Book,
    pages: Pages,
    stream: Stream,
    api: Api,
    desk_pages: DeskPages,
    hall_of: Callable[[str], Hall | None],
    now_ns: Callable[[], int],
    enrolment: EnrolmentApi | None = None,
) -> ASGIApp:
    """Everything the hub answers over HTTP."""

    async def newest(_: Request) -> Response:
        states = [state for state in book.states.values() if not state.closed] or list(book.states.values())
        chosen = max(states, key=lambda state: state.seq, default=None)
        return _page(None if chosen is None else chosen.id)

    async def one(request: Request) -> Response:
        tournament = request.path_params["tournament"]
        if tournament not in book.states:
            return PlainTextResponse("There is no such tournament here.\n", 404)
        return _page(tournament)

    def _page(tournament: str | None) -> Response:
        others = tuple(
            (state.id, state.tournament.name or state.id)
            for state in book.states.values()
            if state.id != tournament
        )
        hall = hall_of(tournament) if tournament is not None else None
        return HTMLResponse(pages.page(hall, others, now_ns()), headers={"Cache-Control": "no-store"})

    async def events(request: Request) -> Response:
        tournament = request.path_params["tournament"]
        if tournament not in book.states:
            return PlainTextResponse("There is no such tournament here.\n", 404)
        return StreamingResponse(
            stream.listen(tournament),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    routes = [
        Route("/", newest),
        Route("/t/{tournament}", one),
        Route("/events/{tournament}", events),
        *api.routes(),
        *(enrolment.routes() if enrolment is not None else ()),
        *desk_pages.routes(),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    return _with_headers(Starlette(routes=routes))


def _with_headers(inner: ASGIApp) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await inner(scope, receive, send_with_headers)

    return answer
