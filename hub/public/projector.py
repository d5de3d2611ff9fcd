"""The projector's view: pairings, countdown, standings, clocks and chosen boards, page after page.

It helps no player: it shows boards only of broadcast tables, and never the disc counts of a game in play.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hub.fields import instant_in, whole_in
from hub.model.games import Game
from hub.model.players import sorted_as
from hub.model.tournament import Tournament
from hub.overview import Hall, TableCard
from hub.public.live_page import PARTS
from hub.public.responses import private, uncached
from hub.public.site import PublicSite, early_hall, stream_address
from hub.ranking.finals import Finals, finals_or_none
from hub.ranking.switches import finals_follow
from hub.ranking.teams import team_standings
from hub.record.state import TournamentState
from hub.slices import apart
from hub.web.pages import PersonName
from hub.web.qr_code import qr_svg
from hub.zones import clock_text, zone_or_own

BY_TABLE, BY_NAME, STANDINGS, TABLES, BOARDS = "by_table", "by_name", "standings", "tables", "boards"
CHAMPIONS, FINAL_LIST, TEAMS, PHONE = "champions", "final_list", "teams", "phone"
SCENES = (BY_TABLE, BY_NAME, BOARDS, TABLES, TEAMS, STANDINGS, CHAMPIONS, FINAL_LIST, PHONE)
# Number of boards shown if the director chooses none: two pages. In a large tournament the boards of all tables would
# hide clocks and lists for many minutes.
_UNCHOSEN_BOARDS = 6
# The countdown disappears this long after a start that never came.
_FORGOTTEN_S = 900


class Projector:
    """The projector's page, at `/hall/ID?key=KEY&show=by_table,standings&every=12&lang=ja`. The query is optional."""

    def __init__(self, site: PublicSite) -> None:
        self._site = site
        self._finals: dict[str, tuple[Tournament, Finals | None]] = {}

    def routes(self) -> list[Route]:
        return [Route("/hall/{tournament}", self._site.of_tournament(self._show))]

    async def _show(self, request: Request, tournament: str) -> Response:
        site = self._site
        language = site.language(request)
        state, hall = await early_hall(site, request, tournament)
        audience = {"key": site.key} if site.may_see_early(request) else {"tables": "all"}
        pairings = pairings_of(state, hall)
        boards = boards_of(state, hall)
        final = await apart(self._final_lists, state)
        teams = await apart(team_standings, state.tournament)
        asked = request.query_params.get("show", "")
        event_address = site.event_address(tournament)
        scenes = _scenes(
            asked,
            hall,
            final,
            pairings=bool(pairings),
            boards=bool(boards),
            teams=bool(teams),
            phone=bool(event_address),
        )
        others = tuple(card for card in hall.cards if BOARDS not in scenes or card not in boards)
        scenes = scenes if others else tuple(scene for scene in scenes if scene != TABLES)
        live = site.pages[language].live_page
        await site.templates[language].compile(*PARTS)
        now, now_ms = site.label(), site.now_ns() // 1_000_000
        start = starts_at(state, now)
        html = await site.templates[language].page(
            "projector.html",
            hall=hall,
            scenes=scenes,
            pairings=pairings,
            final=final,
            event_address=event_address,
            event_code=qr_svg(event_address) if PHONE in scenes else "",
            teams=teams,
            players=state.tournament.by_id,
            named=lambda player: PersonName(state.tournament.name_of(player)),
            by_name=names_of(state, (state.games[card.game] for card in pairings), state.present_byes),
            cards={
                BOARDS: await live.draw_cards(boards, site.now_ns()),
                TABLES: await live.draw_cards(others, site.now_ns()),
            },
            stream=stream_address(tournament, language, **audience),
            starts_ms=_hub_ms(start, now, now_ms),
            next_at=_time_there(start, state),
            next_is=_next_of(state),
            next_round=state.round if state.not_started else state.round + 1,
            every=_interval_s(request.query_params.get("every", "")),
            now_ms=now_ms,
        )
        return private(html) if site.may_see_early(request) else uncached(request, html)

    def _final_lists(self, state: TournamentState) -> Finals | None:
        """Return the final lists once everything is decided. They are computed again only after a change of the
        record.
        """
        if state.round < state.tournament.rounds_planned or not state.complete:
            return None
        known = self._finals.get(state.id)
        if known is None or known[0] is not state.tournament:
            known = self._finals[state.id] = (state.tournament, _decided_finals(state))
        return known[1]


def _decided_finals(state: TournamentState) -> Finals | None:
    finals = finals_or_none(state.tournament)
    return finals if finals is not None and finals.qualifying.complete and not finals.due else None


def pairings_of(state: TournamentState, hall: Hall) -> tuple[TableCard, ...]:
    """Return the cards of games without a score, by table."""
    return tuple(card for card in hall.cards if state.games[card.game].score is None)


def names_of(
    state: TournamentState, games: Iterable[Game], byes: Iterable[str]
) -> tuple[tuple[str, int | None, str], ...]:
    """Return (name, table or None for a bye, colour) of everybody who plays, by name."""
    name_of = state.tournament.name_of
    names: list[tuple[str, int | None, str]] = []
    for game in games:
        for side, player in zip(("black", "white"), game.players, strict=True):
            names.append((name_of(player), game.table, "open_colour" if game.colours_open else side))
    names += [(name_of(player), None, "") for player in byes]
    return tuple(sorted(names, key=lambda entry: (sorted_as(entry[0]), entry[1] or 0)))


def boards_of(state: TournamentState, hall: Hall) -> tuple[TableCard, ...]:
    """Return the cards that show a board: those that the director chose, else the first ones in play.

    The first ones are those with the highest points. A game that is not broadcast has no board.
    """
    chosen = state.showing.boards
    shown = tuple(card for card in hall.cards if card.position is not None)
    if chosen is not None:
        return tuple(card for card in shown if card.table in chosen)
    return tuple(card for card in shown if card.black.discs is None)[:_UNCHOSEN_BOARDS]


def starts_at(state: TournamentState, now: str) -> str | None:
    """Return the label of the next start until it comes, or None."""
    start = state.showing.starts_at
    playing = state.open_games and not state.not_started
    if start is None or playing or state.closed or not now:
        return None
    gone_s = (datetime.datetime.fromisoformat(now) - datetime.datetime.fromisoformat(start)).total_seconds()
    return start if gone_s < _FORGOTTEN_S else None


def _time_there(label: str | None, state: TournamentState) -> str:
    """Return the time of a label in the event's zone, "" for none."""
    moment = instant_in(label) if label else None
    return clock_text(moment, zone_or_own(state.tournament.time_zone)) if moment is not None else ""


def _next_of(state: TournamentState) -> str:
    """Return what follows the games at the tables: "round", "finals" or nothing."""
    if state.closed or state.not_started or not state.round:
        return ""
    if state.round < state.tournament.rounds_planned:
        return "round"
    return "finals" if finals_follow(state.tournament) and not state.tournament.finals else ""


def _hub_ms(label: str | None, now: str, now_ms: int) -> int | None:
    """Return the hub's count at `label`. At `now` it is `now_ms`. The page has no other clock to go by."""
    if label is None:
        return None
    ahead = datetime.datetime.fromisoformat(label) - datetime.datetime.fromisoformat(now)
    return now_ms + round(ahead.total_seconds() * 1000)


def _scenes(
    asked: str, hall: Hall, final: Finals | None, *, pairings: bool, boards: bool, teams: bool, phone: bool
) -> tuple[str, ...]:
    wanted = [scene for scene in asked.split(",") if scene in SCENES]
    there = {STANDINGS} | ({TEAMS} if teams else set()) | ({TABLES} if hall.cards else set())
    there |= {BY_TABLE, BY_NAME} if pairings else set()
    there |= {BOARDS} if boards else set()
    there |= {PHONE} if phone else set()
    if final is not None:
        there |= {FINAL_LIST} | ({CHAMPIONS} if any(final.champions.values()) else set())
    if wanted:
        chosen = [scene for scene in wanted if scene in there]
        return tuple(dict.fromkeys(chosen)) or (STANDINGS,)
    if pairings and not hall.heading.started:
        return BY_TABLE, BY_NAME
    if final is not None:
        return tuple(scene for scene in (CHAMPIONS, TEAMS, FINAL_LIST, PHONE) if scene in there)
    return tuple(scene for scene in (BOARDS, TABLES, TEAMS, STANDINGS, PHONE) if scene in there)


def _interval_s(text: str) -> int:
    seconds = whole_in(text)
    return 12 if seconds is None else min(120, max(3, seconds))
