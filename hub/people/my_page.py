"""My page, the private page of one player: table, opponent and colour, the games, and the place.

It follows the public pages, and never shows board, clock or moves of a game in play. Where the rulebook lets players
have telephones in the room, it shows a round from its publication on; elsewhere from its start, as all phones do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flagfall.base.message import Message
from flagfall.ledger.store import LedgerError
from hub.desk.forms import Form, read_form
from hub.desk.player_links import PlayerOfLink
from hub.desk.seen_board import BoardForm, board_of_form
from hub.fields import instant_in
from hub.model.games import OPEN
from hub.overview import Hall, is_replay_public
from hub.people.acts import Acts, may_object, may_report, report_of, shown_game
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
from hub.people.tapped_moves import TappedForm, moves_to_tap
from hub.photographs import TryAgain
from hub.public.links import HubLinks
from hub.public.player_rounds import meetings_of, present_meeting
from hub.ranking.finals import finals_or_none
from hub.ranking.place_reasons import place_reasons
from hub.ranking.teams import belongs_to
from hub.record.objections import LONGEST_WORDS
from hub.record.seen_boards import boards_of, unlike_moves
from hub.record.state import TournamentState
from hub.rulebook import by_difference, rules_of
from hub.running import Hub
from hub.slices import apart
from hub.text import Refused
from hub.web.pages import PersonName
from hub.zones import clock_text, zone_or_own


def telephones_clause(state: TournamentState) -> str:
    """Return the rulebook's clause that forbids telephones in the room, "" if it has none."""
    announced = rules_of(state.tournament).law.event.told
    return next((clause for clause, word in announced.items() if word == "devices"), "")


class MyPages:
    """The private pages of players, at `/me/TOKEN`."""

    def __init__(self, hub: Hub, wrong: WrongLinks, acts: Acts) -> None:
        self._hub, self._wrong, self._acts = hub, wrong, acts

    def routes(self) -> list[Route]:
        return [
            Route("/me/{token}", self._page, methods=["GET"]),
            Route("/me/{token}/wrong", self._object, methods=["POST"]),
            Route("/me/{token}/score", self._report, methods=["POST"]),
            Route("/me/{token}/moves", self._keep_moves, methods=["POST"]),
            Route("/me/{token}/photo", self._photograph, methods=["POST"]),
            Route("/me/{token}/board", self._change_board, methods=["POST"]),
            Route("/me/{token}/place", self._place, methods=["GET"]),
            # A refused form is shown at the form's address: who loads that again gets the page.
            Route("/me/{token}/{act}", self._back, methods=["GET"]),
        ]

    async def _page(self, request: Request) -> Response:
        holder = self._hub.player_links.player_of(request.path_params["token"])
        if holder is None:
            return self._wrong.answer(request)
        return private_page(await self._html(request, holder))

    async def _back(self, request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        return private_redirect(f"/me/{quote(request.path_params['token'], safe='')}{query}")

    async def _object(self, request: Request) -> Response:
        """Take the form "Something is wrong"."""

        async def act(holder: PlayerOfLink, form: Form) -> None:
            words = form.text("words", LONGEST_WORDS)
            await self._acts.object_to_result(holder, form.typed("game"), words, form.typed("shown"))

        return await self._after(request, act)

    async def _report(self, request: Request) -> Response:
        """Take a player's report of a score, or their confirmation of the opponent's."""

        async def act(holder: PlayerOfLink, form: Form) -> None:
            await self._acts.report_score(holder, report_of(form))

        return await self._after(request, act)

    async def _keep_moves(self, request: Request) -> Response:
        """Take the moves that a player has tapped."""

        async def act(holder: PlayerOfLink, form: Form) -> None:
            tapped = TappedForm(game=form.typed("game"), moves=form.typed("moves"), shown=form.typed("shown"))
            await self._acts.keep_moves(holder, tapped)

        return await self._after(request, act)

    async def _photograph(self, request: Request) -> Response:
        """Read a picture of the board, and show what lies on it."""

        async def read(sender: str) -> tuple[Form, BoardForm]:
            return await read_sent_photograph(self._hub.photographs, request, sender, of_many=False)

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
        """Return the page with a board, or why there is none."""
        holder = self._hub.player_links.player_of(request.path_params["token"])
        if holder is None:
            return self._wrong.answer(request)
        try:
            if not may_photograph(self._hub.photographs, self._hub.store.states[holder.event]):
                raise Refused("The director has turned photographs off: type the score.")
            form, board = await read(_sender(holder))
        except Refused as fault:
            if self._is_revoked(request, holder):
                return self._wrong.answer(request)
            html = await self._html(request, holder, refusal_of(fault))
            return private_page(html, 429 if isinstance(fault, TryAgain) else 400)
        if self._is_revoked(request, holder):
            return self._wrong.answer(request)
        return board_page(await self._html(request, holder, form=form, board=board), board)

    def _is_revoked(self, request: Request, holder: PlayerOfLink) -> bool:
        """Return whether the link opens this page no more: sending a body, or reading a picture, may take a minute."""
        return self._hub.player_links.player_of(request.path_params["token"]) != holder

    async def _place(self, request: Request) -> Response:
        """Tell the page's script which place its picture has in the queue."""
        holder = self._hub.player_links.player_of(request.path_params["token"])
        if holder is None:
            return self._wrong.answer(request)
        return place_answer(self._hub.photographs, _sender(holder))

    async def _after(
        self, request: Request, act: Callable[[PlayerOfLink, Form], Awaitable[None]]
    ) -> Response:
        """Return the way back to the page after a form, or the page that says why it was not taken."""
        holder = self._hub.player_links.player_of(request.path_params["token"])
        if holder is None:
            return self._wrong.answer(request)
        form = Form()
        try:
            form = await read_form(request)
            if self._is_revoked(request, holder):
                return self._wrong.answer(request)
            await act(holder, form)
        except (Refused, LedgerError) as fault:
            if is_by_script(request):
                state = self._hub.store.states[holder.event]
                return refused_outcome(self._hub.site, request, fault, state)
            html = await self._html(request, holder, refusal_of(fault), form)
            return private_page(html, 400 if isinstance(fault, Refused) else 503)
        back = await self._back(request)
        return outcome("stored", to=back.headers["location"]) if is_by_script(request) else back

    async def _html(
        self,
        request: Request,
        holder: PlayerOfLink,
        error: Message | None = None,
        form: Form | None = None,
        board: BoardForm | None = None,
    ) -> str:
        site, event, player = self._hub.site, holder.event, holder.player
        language = site.language(request)
        state, hall = await self._seen(event)
        tournament = state.tournament
        asked = request.query_params.get("lang")
        present = present_meeting(state, player)
        played = present.game if present is not None else None
        posted = self._hub.store.states[event]
        # A game of theirs that the player has chosen, or the last one.
        chosen = request.query_params.get("moves") or (played.id if played is not None else "")
        shown_query = {
            "lang": asked if asked in site.words else "",
            "moves": request.query_params.get("moves"),
        }
        query = urlencode({name: text for name, text in shown_query.items() if text})
        return await site.templates[language].page(
            "my_page.html",
            links=HubLinks(event, language=asked if asked in site.words else None),
            here=f"/me/{request.path_params['token']}",
            query=f"?{query}" if query else "",
            error="" if error is None else refusal_text(site.words[language], error, tournament.name_of),
            typed=(form or Form()).typed,
            gone=site.words[language].say(NO_PAGE),
            reasons=await apart(place_reasons, tournament, player) if tournament.ranked else None,
            by_difference=by_difference(tournament),
            last_place=await apart(_last_place, state, player),
            may_object=played is not None and may_object(posted, player, played.id),
            may_report=played is not None and may_report(posted, player, played.id),
            claim=played.claim if played is not None else None,
            shown=shown_game(played) if played is not None else "",
            confirm=state.confirm,
            board=board,
            tapped=moves_to_tap(posted, player, chosen),
            moves_chosen="moves" in request.query_params,
            tappable=lambda game: game.id != chosen and moves_to_tap(posted, player, game.id) is not None,
            may_photograph=may_photograph(self._hub.photographs, state),
            law=rules_of(tournament).law,
            seen_boards=list(boards_of(played)) if played is not None else [],
            unlike_moves=unlike_moves,
            objections=[objection for objection in state.objections if objection.player == player],
            games=state.games,
            longest_words=LONGEST_WORDS,
            languages=site.languages,
            name=state.title,
            state=state,
            held=hall.heading.held,
            line=next(line for line in hall.lines if line.standing.player == player),
            present=present,
            meetings=meetings_of(state, player),
            next_start=self._next_start(state),
            telephones=telephones_clause(state),
            named=lambda other: PersonName(tournament.name_of(other)),
            country=lambda other: belongs_to(tournament, tournament.player(other)),
            steppable=lambda game: game.score is not None and is_replay_public(game) and game.has_replay,
        )

    async def _seen(self, event: str) -> tuple[TournamentState, Hall]:
        """Return the event as this page shows it."""
        site = self._hub.site
        posted = self._hub.store.states[event]
        if telephones_clause(posted):
            return site.seen[event], await site.halls.computed(site.seen[event])
        return posted, await site.all_halls.computed(posted)

    def _next_start(self, state: TournamentState) -> tuple[int, str] | None:
        """Return the next round and the time of day of its start, if the director has set one that is still ahead."""
        posted = self._hub.store.states[state.id]
        at = instant_in(posted.showing.starts_at or "")
        if at is None or at <= self._hub.wall() or posted.closed:
            return None
        number = posted.round if posted.not_started else posted.round + 1
        return number, clock_text(at, zone_or_own(posted.tournament.time_zone))


def _sender(holder: PlayerOfLink) -> str:
    """Return the name under which a player's pictures wait."""
    return f"{holder.event} {holder.player}"


def _last_place(state: TournamentState, player: str) -> int | None:
    """Return the player's place in the final list, None before the rounds are complete or without finals."""
    if not rules_of(state.tournament).has_finals or not state.tournament.ranked:
        return None
    finals = finals_or_none(state.tournament)
    if finals is None or not finals.qualifying.complete:
        return None
    return next((entry.place for entry in finals.lists[OPEN] if entry.player == player), None)
