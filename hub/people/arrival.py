"""The pages of the tablet at the door, at `/arrival/TOKEN`: who is here, and results where players report them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flagfall.base.message import Message
from flagfall.ledger.store import LedgerError
from hub.desk.forms import Form, read_form
from hub.desk.seen_board import BoardForm, board_of_form
from hub.model.letters import has_words
from hub.model.players import alphabetical
from hub.people.acts import Acts, expected_players, may_report, report_of, shown_game
from hub.people.photographs import board_page, may_photograph, place_answer, read_sent_photograph
from hub.people.private import (
    NO_PAGE,
    WrongLinks,
    is_by_script,
    outcome,
    private_page,
    private_redirect,
    refusal_of,
    refusal_text,
    refused_outcome,
)
from hub.photographs import TryAgain
from hub.public.links import HubLinks
from hub.ranking.teams import belongs_to
from hub.record.seen_boards import boards_of, unlike_moves
from hub.rulebook import rules_of
from hub.running import Hub
from hub.text import Refused
from hub.web.connections import client_address
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
            Route("/arrival/{token}/score", self._report, methods=["POST"]),
            Route("/arrival/{token}/photo", self._photograph, methods=["POST"]),
            Route("/arrival/{token}/board", self._change_board, methods=["POST"]),
            Route("/arrival/{token}/place", self._place, methods=["GET"]),
            # A refused form is shown at the form's address: who loads that again gets the page.
            Route("/arrival/{token}/{act}", self._back, methods=["GET"]),
        ]

    async def _page(self, request: Request) -> Response:
        event = self._hub.player_links.arrival_of(request.path_params["token"])
        if event is None:
            return self._wrong.answer(request)
        return private_page(await self._html(request, event))

    async def _arrive(self, request: Request) -> Response:
        async def act(event: str, form: Form) -> dict[str, str]:
            player = form.typed("player")
            await self._acts.arrive(event, player)
            return {"done": player}

        return await self._after(request, act)

    async def _undo(self, request: Request) -> Response:
        async def act(event: str, form: Form) -> dict[str, str]:
            await self._acts.undo_arrival(event, form.typed("player"))
            return {}

        return await self._after(request, act)

    async def _report(self, request: Request) -> Response:
        """Take the report of a score by one of its players, or the other's confirmation."""

        async def act(event: str, form: Form) -> dict[str, str]:
            report = report_of(form)
            await self._acts.report_at_tablet(event, form.typed("player"), report)
            return {"game": report.game}

        return await self._after(request, act)

    async def _photograph(self, request: Request) -> Response:
        """Read a picture of a board, and show what lies on it."""

        async def read(sender: str) -> tuple[Form, BoardForm]:
            return await read_sent_photograph(self._hub.photographs, request, sender, of_many=True)

        return await self._with_board(request, read)

    async def _change_board(self, request: Request) -> Response:
        """Show a board again, with the square changed that was tapped."""

        async def read(sender: str) -> tuple[Form, BoardForm]:
            form = await read_form(request)
            return form, board_of_form(form)

        return await self._with_board(request, read)

    async def _with_board(
        self, request: Request, read: Callable[[str], Awaitable[tuple[Form, BoardForm]]]
    ) -> Response:
        """Return the page of a game with a board, or why there is none."""
        event = self._hub.player_links.arrival_of(request.path_params["token"])
        if event is None:
            return self._wrong.answer(request)
        try:
            if not may_photograph(self._hub.photographs, self._hub.store.states[event]):
                raise Refused("The director has turned photographs off: type the score.")
            form, board = await read(_sender(request, event))
        except Refused as fault:
            if self._is_closed(request, event):
                return self._wrong.answer(request)
            html = await self._html(request, event, refusal_of(fault))
            return private_page(html, 429 if isinstance(fault, TryAgain) else 400)
        if self._is_closed(request, event):
            return self._wrong.answer(request)
        return board_page(await self._html(request, event, form=form, board=board), board)

    def _is_closed(self, request: Request, event: str) -> bool:
        """Return whether the link opens this list no more: sending a body, or reading a picture, may take a minute."""
        return self._hub.player_links.arrival_of(request.path_params["token"]) != event

    async def _place(self, request: Request) -> Response:
        """Tell the page's script which place its picture has in the queue."""
        event = self._hub.player_links.arrival_of(request.path_params["token"])
        if event is None:
            return self._wrong.answer(request)
        return place_answer(self._hub.photographs, _sender(request, event))

    async def _after(
        self, request: Request, act: Callable[[str, Form], Awaitable[dict[str, str]]]
    ) -> Response:
        """Return the way to what the list shows after a form, or the list with the reason why it was not taken."""
        event = self._hub.player_links.arrival_of(request.path_params["token"])
        if event is None:
            return self._wrong.answer(request)
        form = Form()
        try:
            form = await read_form(request)
            if self._is_closed(request, event):
                return self._wrong.answer(request)
            shows = await act(event, form)
        except (Refused, LedgerError) as fault:
            if is_by_script(request):
                return refused_outcome(self._hub.site, request, fault, self._hub.store.states[event])
            html = await self._html(request, event, refusal_of(fault))
            return private_page(html, 400 if isinstance(fault, Refused) else 503)
        shown = self._list(request, **shows)
        return outcome("stored", to=shown.headers["location"]) if is_by_script(request) else shown

    async def _back(self, request: Request) -> Response:
        return self._list(request)

    def _list(self, request: Request, **query: str) -> Response:
        asked = request.query_params.get("lang", "")
        query |= {"lang": asked} if asked in self._hub.site.words else {}
        path = f"/arrival/{quote(request.path_params['token'], safe='')}"
        return private_redirect(f"{path}?{urlencode(query)}" if query else path)

    async def _html(
        self,
        request: Request,
        event: str,
        error: Message | None = None,
        form: Form | None = None,
        board: BoardForm | None = None,
    ) -> str:
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
            gone=site.words[language].say(NO_PAGE),
            name=state.title,
            state=state,
            sought=sought,
            players=[player for player in expected if has_words(f"{player.name} {player.id}", sought)],
            number=sum(player.id in state.arrival.here for player in expected),
            all_number=len(expected),
            games=[
                game
                for game in state.present_games
                if any(may_report(state, player, game.id) for player in game.players)
            ],
            chosen=state.games.get(query.get("game", "") or (form or Form()).typed("game")),
            board=board,
            may_photograph=may_photograph(self._hub.photographs, state),
            law=rules_of(tournament).law,
            boards_of=boards_of,
            unlike_moves=unlike_moves,
            typed=(form or Form()).typed,
            reportable=may_report,
            shown_game=shown_game,
            asked=by_id.get(query.get("player", "")),
            done=by_id.get(done) if done in state.arrival.here else None,
            undo_s=self._acts.undo_left_s(event, done),
            named=lambda player: PersonName(tournament.name_of(player)),
            country=lambda player: belongs_to(tournament, tournament.player(player)),
        )


def _sender(request: Request, event: str) -> str:
    """Return the name under which the pictures of this tablet wait."""
    return f"{event} tablet {client_address(request.scope)}"
