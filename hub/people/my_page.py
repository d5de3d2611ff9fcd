"""My page, the private page of one player: table, opponent and colour, the games, and the place.

It follows the public pages, and never shows board, clock or moves of a game in play. Where the rulebook lets players
have telephones in the room, it shows a round from its publication on; elsewhere from its start, as all phones do.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hub.fields import instant_in
from hub.overview import Hall, is_replay_public
from hub.people.private import WrongLinks, private_page
from hub.public.links import HubLinks
from hub.public.player_rounds import meetings_of, present_meeting
from hub.ranking.teams import belongs_to
from hub.record.state import TournamentState
from hub.rulebook import rules_of
from hub.running import Hub
from hub.web.pages import PersonName
from hub.zones import clock_text, zone_or_own


def telephones_clause(state: TournamentState) -> str:
    """Return the rulebook's clause that forbids telephones in the room, "" if it has none."""
    told = rules_of(state.tournament).law.event.told
    return next((clause for clause, word in told.items() if word == "devices"), "")


class MyPages:
    """The private pages of players, at `/me/TOKEN`."""

    def __init__(self, hub: Hub, wrong: WrongLinks) -> None:
        self._hub, self._wrong = hub, wrong

    def routes(self) -> list[Route]:
        return [Route("/me/{token}", self._page, methods=["GET"])]

    async def _page(self, request: Request) -> Response:
        holder = self._hub.player_links.player_of(request.path_params["token"])
        if holder is None:
            return self._wrong.answer(request)
        return private_page(await self._html(request, holder.event, holder.player))

    async def _html(self, request: Request, event: str, player: str) -> str:
        site = self._hub.site
        language = site.language(request)
        state, hall = self._seen(event)
        tournament = state.tournament
        asked = request.query_params.get("lang")
        return await site.templates[language].page(
            "my_page.html",
            links=HubLinks(event, language=asked if asked in site.words else None),
            here=request.url.path,
            languages=site.languages,
            name=state.title,
            state=state,
            held=hall.heading.held,
            line=next(line for line in hall.lines if line.standing.player == player),
            present=present_meeting(state, player),
            meetings=meetings_of(state, player),
            next_start=self._next_start(state),
            telephones=telephones_clause(state),
            named=lambda other: PersonName(tournament.name_of(other)),
            country=lambda other: belongs_to(tournament, tournament.player(other)),
            steppable=lambda game: game.score is not None and is_replay_public(game) and game.has_replay,
        )

    def _seen(self, event: str) -> tuple[TournamentState, Hall]:
        """Return the event as this page shows it."""
        site = self._hub.site
        posted = self._hub.store.states[event]
        hall = (site.halls if telephones_clause(posted) else site.all_halls).of(event)
        assert hall is not None
        return (site.seen[event] if telephones_clause(posted) else posted), hall

    def _next_start(self, state: TournamentState) -> tuple[int, str] | None:
        """Return the next round and the time of day of its start, if the director has set one that is still ahead."""
        posted = self._hub.store.states[state.id]
        at = instant_in(posted.showing.starts_at or "")
        if at is None or at <= self._hub.wall() or posted.closed:
            return None
        number = posted.round if posted.not_started else posted.round + 1
        return number, clock_text(at, zone_or_own(posted.tournament.time_zone))
