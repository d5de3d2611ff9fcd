"""The page of a scribe, at `/scribe/TOKEN`: somebody beside the board taps the moves of one game while it is played.

It shows that game alone. What is tapped is shown by the public pages under the rules of a table's own board
(`hub.tables.live_board`), and never by a player's page while the game is in play.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from flagfall.base.message import Message
from hub.desk.forms import Form, read_form
from hub.desk.player_links import GameOfLink
from hub.limits import Buckets
from hub.people.acts import TooManyTries
from hub.people.private import (
    HEADERS,
    NO_PAGE,
    NOT_STORED,
    WrongLinks,
    is_by_script,
    outcome,
    private_page,
    private_redirect,
    refusal_text,
    refused_outcome,
)
from hub.people.tapped_moves import read_tapped
from hub.public.links import HubLinks
from hub.running import Hub
from hub.tables.live_board import is_by_scribe, live_board
from hub.tables.scribes import MOST_MOVES, opening_of
from hub.text import Refused, Stale
from hub.web.pages import PersonName

# Lines of one scribe at once, and the pause for each one more: nobody plays as fast for long.
FREE_LINES = 30
PAUSE_S = 2
# Of a line as somebody types it: with numbers and blanks.
_LONGEST_TYPED = 6 * MOST_MOVES


class ScribePages:
    """The pages of the scribes of this hub's events."""

    def __init__(self, hub: Hub, wrong: WrongLinks) -> None:
        self._hub, self._wrong = hub, wrong
        self._budgets = Buckets(FREE_LINES, 1 / PAUSE_S, hub.now_ns)

    def routes(self) -> list[Route]:
        return [
            Route("/scribe/{token}", self._page, methods=["GET"]),
            Route("/scribe/{token}/moves", self._put, methods=["POST"]),
            # A refused form is shown at the form's address: who loads that again gets the page.
            Route("/scribe/{token}/{act}", self._back, methods=["GET"]),
        ]

    async def _page(self, request: Request) -> Response:
        link = self._hub.player_links.scribe_of(request.path_params["token"])
        if link is None:
            return self._wrong.answer(request)
        return private_page(await self._html(request, link))

    async def _back(self, request: Request) -> Response:
        asked = request.query_params.get("lang", "")
        query = f"?{urlencode({'lang': asked})}" if asked in self._hub.site.words else ""
        return private_redirect(f"/scribe/{quote(request.path_params['token'], safe='')}{query}")

    async def _put(self, request: Request) -> Response:
        """Keep the moves of the game so far, in place of those that the page has shown."""
        link = self._hub.player_links.scribe_of(request.path_params["token"])
        if link is None:
            return self._wrong.answer(request)
        try:
            if not self._budgets.of(f"{link.event} {link.game}").take(1, self._hub.now_ns()):
                raise TooManyTries("Too many tries. Wait {seconds} seconds.", seconds=PAUSE_S)
            form = await read_form(request)
            # Sending a body may take a minute, in which the link was revoked or the round was taken back.
            if self._hub.player_links.scribe_of(request.path_params["token"]) != link:
                return self._wrong.answer(request)
            await self._keep(link, form)
        except Stale as fault:
            if is_by_script(request):
                return JSONResponse({"outcome": "changed", "moves": self._line(link)}, 409, HEADERS)
            return private_page(await self._html(request, link, fault.message), 409)
        except Refused as fault:
            if is_by_script(request):
                state = self._hub.store.states[link.event]
                return refused_outcome(self._hub.site, request, fault, state)
            status = 429 if isinstance(fault, TooManyTries) else 400
            return private_page(await self._html(request, link, fault.message), status)
        except OSError:  # the disk is full or gone: the page goes on sending, and says so
            line = self._hub.site.words[self._hub.site.language(request)].say(NOT_STORED)
            if is_by_script(request):
                return outcome("waits", line, status=503)
            return private_page(await self._html(request, link, NOT_STORED), 503)
        back = await self._back(request)
        return outcome("stored", to=back.headers["location"]) if is_by_script(request) else back

    async def _keep(self, link: GameOfLink, form: Form) -> None:
        typed, before = form.typed("moves"), form.typed("before")
        if max(len(typed), len(before)) > _LONGEST_TYPED:
            raise Refused("Move {number} cannot be played: {said}.", number=MOST_MOVES + 1, said="…")
        game = self._hub.store.states[link.event].games[link.game]
        moves = read_tapped(typed, opening_of(game))
        await self._hub.scribes.put(link.event, link.game, moves, before)

    def _line(self, link: GameOfLink) -> str:
        """Return the moves as they are kept now."""
        return self._hub.scribes.of(link.event, self._hub.store.states[link.event].games[link.game])

    async def _html(self, request: Request, link: GameOfLink, error: Message | None = None) -> str:
        site = self._hub.site
        state, language = self._hub.store.states[link.event], site.language(request)
        tournament, game = state.tournament, state.games[link.game]
        asked = request.query_params.get("lang")
        board = live_board(self._hub.live, link.event, game)
        against = self._hub.scribes.contradiction(link.event, game)
        return await site.templates[language].page(
            "scribe.html",
            links=HubLinks(link.event, language=asked if asked in site.words else None),
            here=f"/scribe/{request.path_params['token']}",
            query=f"?lang={asked}" if asked in site.words else "",
            error="" if error is None else refusal_text(site.words[language], error, tournament.name_of),
            gone=site.words[language].say(NO_PAGE),
            languages=site.languages,
            name=state.title,
            game=game,
            moves=self._line(link),
            opening=opening_of(game),
            of_table=board is not None and not is_by_scribe(board) and board.transcript != opening_of(game),
            against=""
            if against is None
            else refusal_text(site.words[language], against, tournament.name_of),
            named=lambda player: PersonName(tournament.name_of(player)),
        )
