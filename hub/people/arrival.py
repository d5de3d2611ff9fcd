"""The pages of the tablet at the door: who is here, at `/arrival/TOKEN`; they open nothing else of the hub."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flagfall.ledger.store import LedgerError
from flagfall.othello.message import Message
from hub.desk.forms import Form, read_form
from hub.model.players import alphabetical, has_words
from hub.people.acts import Acts, expected_players
from hub.people.private import WrongLinks, private_page, private_redirect, refusal_text
from hub.public.links import HubLinks
from hub.ranking.teams import belongs_to
from hub.running import Hub
from hub.text import Refused
from hub.web.pages import PersonName


class Arrivals:
    """The pages of the tablets at the doors of this hub's events."""

    def __init__(self, hub: Hub, wrong: WrongLinks, acts: Acts) -> None:
        self._hub, self._wrong, self._acts = hub, wrong, acts

    def routes(self) -> list[Route]:
        return [
            Route("/arrival/{token}", self._page, methods=["GET"]),
            Route("/arrival/{token}/here", self._arrive, methods=["POST"]),
            Route("/arrival/{token}/undo", self._undo, methods=["POST"]),
            # A refused form is shown at the form's address: who loads that again gets the page.
            Route("/arrival/{token}/{act}", self._back, methods=["GET"]),
        ]

    async def _page(self, request: Request) -> Response:
        event = self._hub.player_links.arrival_of(request.path_params["token"])
        if event is None:
            return self._wrong.answer(request)
        return private_page(await self._html(request, event))

    async def _arrive(self, request: Request) -> Response:
        return await self._after(request, self._acts.arrive, shows="done")

    async def _undo(self, request: Request) -> Response:
        return await self._after(request, self._acts.undo_arrival)

    async def _after(
        self, request: Request, act: Callable[[str, str], Awaitable[None]], shows: str = ""
    ) -> Response:
        """Return the way back to the list after a form, or the list with the reason why it was not taken."""
        event = self._hub.player_links.arrival_of(request.path_params["token"])
        if event is None:
            return self._wrong.answer(request)
        form = Form()
        try:
            form = await read_form(request)
            player = form.typed("player")
            await act(event, player)
        except (Refused, LedgerError) as fault:
            html = await self._html(request, event, fault.message)
            return private_page(html, 400 if isinstance(fault, Refused) else 503)
        return self._list(request, **({shows: player} if shows else {}))

    async def _back(self, request: Request) -> Response:
        return self._list(request)

    def _list(self, request: Request, **query: str) -> Response:
        asked = request.query_params.get("lang", "")
        query |= {"lang": asked} if asked in self._hub.site.words else {}
        path = f"/arrival/{quote(request.path_params['token'], safe='')}"
        return private_redirect(f"{path}?{urlencode(query)}" if query else path)

    async def _html(self, request: Request, event: str, error: Message | None = None) -> str:
        site = self._hub.site
        state, language = self._hub.store.states[event], site.language(request)
        tournament, query = state.tournament, request.query_params
        sought = query.get("q", "").strip()[:80]
        expected = alphabetical(expected_players(state))
        by_id = {player.id: player for player in expected}
        done = query.get("done", "")
        return await site.templates[language].page(
            "arrival.html",
            links=HubLinks(event),
            here=f"/arrival/{request.path_params['token']}",
            languages=site.languages,
            lang=query.get("lang", "") if query.get("lang") in site.words else "",
            error="" if error is None else refusal_text(site.words[language], error, tournament.name_of),
            name=state.title,
            state=state,
            sought=sought,
            players=[player for player in expected if has_words(f"{player.name} {player.id}", sought)],
            number=sum(player.id in state.arrival.here for player in expected),
            all_number=len(expected),
            asked=by_id.get(query.get("player", "")),
            done=by_id.get(done) if done in state.arrival.here else None,
            undo_s=self._acts.undo_left_s(event, done),
            named=lambda player: PersonName(tournament.name_of(player)),
            country=lambda player: belongs_to(tournament, tournament.player(player)),
        )
