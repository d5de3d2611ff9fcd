"""The public site, without login and read-only: pages, downloads, streams.

A client with the hall's key (projector, printer) sees a round as soon as it is published. Everybody else sees it when
it is started.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from functools import partial
from typing import Any
from urllib.parse import quote, unquote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from flagfall.base.message import Message
from flagfall.base.words import all_words
from hub.child_process import Aside, AsideFailed
from hub.fields import whole_in
from hub.overview import Hall, Halls, PublicStates, as_drawn, is_replay_public
from hub.public.api.views import FeedFacts
from hub.public.games.downloads import file_of, files_of
from hub.public.games.game_files import Records
from hub.public.links import ALL_TABLES, HubLinks
from hub.public.live_page import HallParts
from hub.public.overlaid_game import TABLE, OverlaidGames, OverlayEvents, overlay_html, stream_name
from hub.public.pages import MOVED, PublicPages, View
from hub.public.rendering import Templates
from hub.public.responses import cacheable, uncached
from hub.record.state import TournamentState
from hub.record.store import TournamentStore
from hub.tables.live import Live
from hub.tables.live_board import is_by_scribe, live_board
from hub.venue.names import reachable_page
from hub.web.pages import chosen_language
from hub.web.stream import Stream, events, listen_together

# Maximum number of streams in one connection. A browser asks only for those of its visible tabs.
MOST_TOGETHER = 24
_NO_TOURNAMENT = Message("There is no such event here.")
_NO_STREAMS = Message.of("Choose 1 to {most} streams.", field="on", most=MOST_TOGETHER)


class Audience(Enum):
    """The readers of a stream."""

    # Of the first page, which shows the tables in front.
    FRONT = "front"
    # Of the pages with all tables.
    TABLES = "tables"
    # Holders of the hall's key, who see rounds before their start.
    HALL = "hall"


class PublicSite:
    """The public site. `now_ns` is the hub's monotonic clock, `label` gives its wall clock (ISO 8601). Long work runs
    in `aside`.

    `public_page` is the address at which phones find the site, "" if nobody has given one.

    `key` opens the pages that projector and printer may show before phones. It is derived from the hub's `token`, so
    that it stays the same.
    """

    def __init__(
        self,
        store: TournamentStore,
        live: Live,
        now_ns: Callable[[], int],
        label: Callable[[], str],
        token: str,
        *,
        public_page: str = "",
        aside: Aside | None = None,
    ) -> None:
        self.key = hall_key(token)
        self.words = all_words()
        self.templates = {language: Templates(words) for language, words in self.words.items()}
        self.languages = tuple((language, words.name_in_menu) for language, words in self.words.items())
        self.pages = {name: PublicPages(made, self.languages) for name, made in self.templates.items()}
        self.seen: Mapping[str, TournamentState] = PublicStates(store.states)
        self.halls = Halls(self.seen, live, posted=store.states)
        self.all_halls = Halls(store.states, live)
        self.records = Records(store.message, aside or Aside())
        self.store, self.live, self.now_ns, self.label = store, live, now_ns, label
        self.public_page = public_page
        self.streams = {
            (language, audience): Stream(
                HallParts(
                    self.pages[language].live_page,
                    (self.all_halls if audience is Audience.HALL else self.halls).of,
                    now_ns,
                    (lambda _: None) if audience is Audience.HALL else partial(_links_in, language),
                    all_tables=audience is not Audience.FRONT,
                ),
                now_ns=now_ns,
            )
            for language in self.words
            for audience in Audience
        }
        self.tables = FeedFacts(self.seen, live, now_ns)
        self.feed = Stream(self.tables, now_ns=now_ns)
        self.overlaid = OverlaidGames(self.seen, self.halls)
        self.overlays = {
            language: Stream(OverlayEvents(templates, self.overlaid.at, now_ns), now_ns=now_ns)
            for language, templates in self.templates.items()
        }
        # Each is told of changes in the hub (`hub.assembly`).
        self.all_streams: tuple[Stream[Any], ...] = (
            self.feed,
            *self.streams.values(),
            *self.overlays.values(),
        )

    async def run(self) -> None:
        """Send changes until cancelled."""
        await asyncio.gather(*(stream.run() for stream in self.all_streams))

    def end(self) -> None:
        for stream in self.all_streams:
            stream.end()

    def page_for_phones(self, reader: str = "") -> str:
        """Return the address at which phones find this hub, "" if there is none; where none is known, that at which a
        `reader` of the console has opened it, if others can too."""
        return reachable_page(self.public_page, reader)

    def event_address(self, tournament: str) -> str:
        """Return the address of an event's page on QR codes, "" if no phone could find it."""
        page = self.page_for_phones()
        return f"{page}{HubLinks(tournament).page('')}" if page else ""

    # Addresses

    def routes(self) -> list[Route]:
        return [
            Route("/", self._newest_tournament),
            Route("/t/{tournament}", self.of_tournament(self._live)),
            Route(f"/t/{{tournament}}/{ALL_TABLES}", self.of_tournament(self._all_tables)),
            Route(f"/t/{{tournament}}/{ALL_TABLES}/{{table}}", self.of_tournament(self._table)),
            Route("/t/{tournament}/files/{file:path}", self.of_tournament(self._file)),
            Route("/t/{tournament}/games/{game}", self.of_tournament(self._game)),
            Route("/t/{tournament}/{page:path}", self.of_tournament(self._page)),
            Route("/events/{tournament}", self.of_tournament(self._events)),
            Route("/events", self._events_together),
        ]

    def of_tournament(
        self, answer: Callable[[Request, str], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return a route's function that calls `answer` for the tournament of the address, if there is one."""

        async def answered(request: Request) -> Response:
            tournament = request.path_params["tournament"]
            if tournament in self.seen:
                return await answer(request, tournament)
            heir = self._heir(tournament)
            return self.unknown(request) if heir is None else _moved(request, heir)

        return answered

    def _heir(self, tournament: str) -> str | None:
        """Return the event that takes over the address of one that was put away: the newest one of the same name."""
        if tournament not in self.store.states:
            return None
        same_name = re.compile(re.escape(tournament) + r"-[0-9]{1,4}\Z")
        heirs = [state for state in self.seen.values() if same_name.match(state.id)]
        return max(heirs, key=lambda state: state.seq).id if heirs else None

    def language(self, request: Request) -> str:
        """Return the language in the address, else the browser's."""
        return chosen_language(
            tuple(self.words),
            request.query_params.get("lang", ""),
            request.headers.get("accept-language", ""),
        )

    def may_see_early(self, request: Request) -> bool:
        """Return whether the client has the hall's key."""
        return hmac.compare_digest(request.query_params.get("key", "").encode(), self.key.encode())

    def _links(self, request: Request, tournament: str, here: str = "") -> HubLinks:
        """Return addresses that keep the language in this one."""
        asked = request.query_params.get("lang")
        return HubLinks(tournament, here, asked if asked in self.words else None)

    async def _view(self, request: Request, tournament: str, here: str = "") -> View:
        """Return the inputs of a page. KeyError if there is no such tournament."""
        state = self.seen[tournament]
        links = self._links(request, tournament, here)
        return View(state, await self.halls.computed(state), links, now=self.label())

    def newest_event(self) -> TournamentState | None:
        """Return the newest event that is not closed, else the newest one."""
        states = [state for state in self.seen.values() if not state.closed] or list(self.seen.values())
        return max(states, key=lambda state: state.seq, default=None)

    async def _newest_tournament(self, request: Request) -> Response:
        chosen = self.newest_event()
        if chosen is None:
            return cacheable(request, self.pages[self.language(request)].empty())
        return await self._live(request, chosen.id)

    async def _live(self, request: Request, tournament: str) -> Response:
        language, view = self.language(request), await self._view(request, tournament)
        others = [
            (self._links(request, state.id).page(""), state.title)
            for state in self.seen.values()
            if state.id != tournament
        ]
        stream, links = stream_address(tournament, language), _links_in(language, tournament)
        return uncached(request, await self.pages[language].live(view, stream, others, self.now_ns(), links))

    async def _all_tables(self, request: Request, tournament: str) -> Response:
        language, view = self.language(request), await self._view(request, tournament, ALL_TABLES)
        stream = stream_address(tournament, language, tables="all")
        links = _links_in(language, tournament)
        return uncached(request, await self.pages[language].all_tables(view, stream, self.now_ns(), links))

    async def _table(self, request: Request, tournament: str) -> Response:
        """Return the page that follows one table, through its next games too."""
        name, state = request.path_params["table"], self.seen[tournament]
        shown = self.overlaid.of(state, TABLE, name)
        if shown is None:
            return await self._missing_page(request, tournament, "missing_page")
        language = self.language(request)
        view = await self._view(request, tournament, f"{ALL_TABLES}/{name}")
        part = overlay_html(self.templates[language], shown, self.now_ns())
        stream = f"/events/{stream_name(tournament, TABLE, name)}?{urlencode({'lang': language})}"
        return uncached(request, await self.pages[language].table(view, whole_in(name, 5) or 0, part, stream))

    async def _page(self, request: Request, tournament: str) -> Response:
        page, asked = request.path_params["page"].rstrip("/"), request.path_params["page"]
        if page in MOVED or page != asked or not page:
            address = self._links(request, tournament).page(MOVED.get(page, page))
            return RedirectResponse(address, 308, {"Cache-Control": "no-store"})
        sought = request.query_params.get("q", "").strip()[:80]
        view = await self._view(request, tournament, page)
        html = await self.pages[self.language(request)].page(page, view, sought)
        if html is None:
            return await self._missing_page(request, tournament, "missing_page")
        return cacheable(request, html)

    async def _game(self, request: Request, tournament: str) -> Response:
        state = self.seen[tournament]
        game = state.games.get(request.path_params["game"])
        if game is None or not is_replay_public(game):
            return await self._missing_page(request, tournament, "missing_game")
        heard = self.live.clock_of(game.device, game.id)
        clock = heard.clock if heard is not None else None
        board = live_board(self.live, tournament, game)
        story = await self.records.story(tournament, game, board, game.finished_moves)
        view = await self._view(request, tournament, f"games/{game.id}")
        move = whole_in(request.query_params.get("move", ""))
        pages = self.pages[self.language(request)]
        html = await pages.game(
            view, as_drawn(game, clock), story, move, files_of(game), by_scribe=is_by_scribe(board)
        )
        return cacheable(request, html)

    async def _file(self, request: Request, tournament: str) -> Response:
        name = request.path_params["file"]
        try:
            file = await file_of(self.seen[tournament], name, self.records, self.live)
        except AsideFailed as fault:
            answer = self.refusal_page(request, fault.message, 503)
            answer.headers["Retry-After"] = "10"
            return answer
        if file is None:
            return await self._missing_page(request, tournament, "missing_page")
        plain = name.rpartition("/")[2]
        download = None if file.media_type.startswith("text/plain") and plain.endswith(".txt") else plain
        return cacheable(request, file.data, file.media_type, name=download)

    async def _events(self, request: Request, tournament: str) -> Response:
        await self.halls.computed(self.seen[tournament])
        stream = self.streams[self.language(request), self._audience(request)]
        return events(stream.listen(tournament))

    def _audience(self, request: Request) -> Audience:
        if self.may_see_early(request):
            return Audience.HALL
        return Audience.TABLES if request.query_params.get("tables") == "all" else Audience.FRONT

    async def _events_together(self, request: Request) -> Response:
        """Return several streams in one connection. Each `on` is the end of a stream's address; an unknown one has no
        events.
        """
        addresses = list(dict.fromkeys(request.query_params.getlist("on")))
        if not 0 < len(addresses) <= MOST_TOGETHER:
            return self.refusal_page(request, _NO_STREAMS, 400)
        return events(listen_together([self._stream_at(request, address) for address in addresses]))

    def _stream_at(self, request: Request, address: str) -> tuple[Stream[Any], str]:
        """Return the stream at an address as it stands in a page, and its tournament or, of an overlay, its name."""
        path, _, query = address.partition("?")
        scope = {**request.scope, "query_string": query.encode()}
        alone = Request(scope)
        if "/" in path:
            return self.overlays[self.language(alone)], path
        return self.streams[self.language(alone), self._audience(alone)], unquote(path)

    def unknown(self, request: Request) -> Response:
        """Return the page for an address without a tournament."""
        return self.refusal_page(request, _NO_TOURNAMENT, 404)

    def refusal_page(self, request: Request, why: Message, status: int) -> Response:
        """Return a page that says why there is nothing else to see."""
        return HTMLResponse(self.pages[self.language(request)].empty(why), status)

    async def _missing_page(self, request: Request, tournament: str, key: str) -> Response:
        view = await self._view(request, tournament)
        return cacheable(request, await self.pages[self.language(request)].missing(view, key), status=404)


def stream_address(tournament: str, language: str, **query: str) -> str:
    """Return the address of a tournament's stream."""
    return f"/events/{quote(tournament, safe='')}?{urlencode({'lang': language, **query})}"


def _moved(request: Request, tournament: str) -> Response:
    """Redirect to the same page of another event, for now only: an event that was put away may come back."""
    path = request.url.path.split("/")
    path[2] = quote(tournament, safe="")
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse("/".join(path) + query, 307, {"Cache-Control": "no-store"})


def _links_in(language: str, tournament: str) -> HubLinks:
    """Return addresses without a language: the stream does not know the reader's choice, and the page keeps it."""
    return HubLinks(tournament, "", language)


async def early_hall(site: PublicSite, request: Request, tournament: str) -> tuple[TournamentState, Hall]:
    """Return the tournament and hall for this client: all of it for one with the hall's key."""
    early = site.may_see_early(request)
    state = (site.store.states if early else site.seen)[tournament]
    return state, await (site.all_halls if early else site.halls).computed(state)


def hall_key(token: str) -> str:
    """Return the key with which the hall sees pairings before phones do."""
    return hmac.new(token.encode(), b"hall", hashlib.sha256).hexdigest()[:20]
