"""The pages for printing: pairings by name and by table, result slips, score sheets, standings, cross table, all
rounds of a round robin, final lists.

They fit A4 or Letter; the browser prints them or saves them as PDF. With the hall's key a round can be printed before
its start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from urllib.parse import quote, urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flagfall.othello.board import parse_transcript
from hub.fields import whole_in
from hub.overview import Hall, lines_of
from hub.proof.hub_key import HubKey
from hub.proof.kept_head import link_of_head
from hub.public.final_list import prize_values
from hub.public.keys import key_of_table
from hub.public.projector import names_of
from hub.public.responses import cacheable, private
from hub.public.round_robin_sheet import MOST_PLAYERS, has_round_robin, round_robin_sheet
from hub.public.site import PublicSite, early_hall
from hub.ranking.columns import Cells, columns_of
from hub.ranking.cross_table import cross_table
from hub.ranking.finals import finals_or_none
from hub.ranking.scores import has_draw_wins
from hub.ranking.standings import as_after, league_tables
from hub.ranking.teams import belongs_to, team_standings
from hub.record.state import TournamentState
from hub.rulebook import rules_at_tables, rules_of
from hub.slices import apart
from hub.web.pages import PersonName
from hub.web.qr_code import qr_svg

PAPERS = ("a4", "letter")
PRINTS = (
    "by-table",
    "by-name",
    "slips",
    "sheets",
    "standings",
    "cross-table",
    "all-rounds",
    "lists",
    "prizes",
)
_OF_EVENT = ("standings", "cross-table")
# Sheets with the signed head of the record.
_WITH_HEAD = ("slips", "lists")
# Sheets that lead phones to the event's page.
_WITH_EVENT_CODE = ("by-table", "by-name", "slips")
_CENTRE = {27: "white", 28: "black", 35: "black", 36: "white"}


class Square(msgspec.Struct, frozen=True):
    """A square of a score sheet: a disc of the start, the number of the move played there, or nothing."""

    start: str = ""
    number: int | None = None


class Prints:
    """The print pages, at `/print/ID` and `/print/ID/KIND?paper=a4&round=3&key=KEY&lang=fr`."""

    def __init__(self, site: PublicSite, key: HubKey) -> None:
        self._site, self._key = site, key

    def routes(self) -> list[Route]:
        known = self._site.of_tournament
        return [
            Route("/print/{tournament}", known(partial(self._answer, template="print_choice.html"))),
            Route("/print/{tournament}/{kind}", known(self._print)),
        ]

    async def _print(self, request: Request, tournament: str) -> Response:
        kind = request.path_params["kind"]
        if kind not in PRINTS:
            return self._site.unknown(request)
        return await self._answer(request, tournament, "print_sheet.html", kind)

    async def _answer(
        self, request: Request, tournament: str, template: str, kind: str | None = None
    ) -> Response:
        site = self._site
        language = site.language(request)
        state, hall = await early_hall(site, request, tournament)
        early = site.may_see_early(request)
        paper = request.query_params.get("paper", "")
        paper = paper if paper in PAPERS else PAPERS[0]
        chosen = _round(request.query_params.get("round", ""), state)
        games = state.present_games if chosen is None else state.games_of(chosen)

        def address(kind: str | None = kind, **changed: object) -> str:
            query = {"paper": paper, "round": chosen, "lang": language} | changed
            query |= {"key": site.key} if early else {}
            path = f"/print/{quote(tournament, safe='')}" + (f"/{kind}" if kind else "")
            return f"{path}?{urlencode({k: v for k, v in query.items() if v is not None})}"

        html = await site.templates[language].page(
            template,
            kind=kind,
            prints=PRINTS,
            papers=PAPERS,
            paper=paper,
            chosen=chosen,
            address=address,
            languages=site.languages,
            games=games,
            clocks=await site.records.clocks(tournament, games) if kind == "sheets" else {},
            **(self._head(tournament) if kind in _WITH_HEAD else {}),
            **(self._event_code(tournament) if kind in _WITH_EVENT_CODE else {}),
            most_on_sheet=MOST_PLAYERS,
            round_robin=has_round_robin(state.tournament),
            # Who has no key of the hall sees no round before it is published.
            rounds=await apart(partial(round_robin_sheet, state.tournament, with_planned=early))
            if kind == "all-rounds"
            else None,
            **await apart(_facts, state, hall, kind, chosen),
        )
        return private(html) if early else cacheable(request, html)

    def _head(self, tournament: str) -> dict[str, object]:
        """Return the signed head of the record, as text and as a QR code: whoever has the sheet can hold it against a
        later record. The code is a link to the page that compares them; where no phone finds the hub, its end, which
        the page takes too."""
        note = self._key.checkpoint(tournament, self._site.store.tree(tournament), short=True)
        link, digits = link_of_head(self._site.page_for_phones(), note, self._key.verifier)
        return {"checkpoint": note, "checkpoint_code": qr_svg(link, "l", digits)}

    def _event_code(self, tournament: str) -> dict[str, object]:
        """Return the address of the event's page and its QR code, both "" where no phone could find it."""
        address = self._site.event_address(tournament)
        return {"event_address": address, "event_code": qr_svg(address) if address else ""}


def _facts(state: TournamentState, hall: Hall, kind: str | None, chosen: int | None) -> dict[str, object]:
    """Return the values of a sheet for the round `chosen`, or for the present one."""
    games = state.present_games if chosen is None else state.games_of(chosen)
    byes = state.present_byes if chosen is None else state.tournament.rounds[chosen - 1].byes
    if chosen is not None and kind in _OF_EVENT:
        state = replace(state, tournament=as_after(state.tournament, chosen))
        hall = replace(hall, lines=lines_of(state))
    tournament = state.tournament
    return {
        "name": state.title,
        "state": state,
        "hall": hall,
        "names": names_of(state, games, byes),
        "byes": [*map(tournament.name_of, byes)],
        "named": lambda player: PersonName(tournament.name_of(player)),
        "country": lambda player: belongs_to(tournament, tournament.player(player)),
        "sheet": lambda game: sheet_of(game.finished_moves),
        "draws_won": has_draw_wins(rules_of(tournament).law),
        "key_of_table": partial(key_of_table, state),
        "to_winner": _empties_to_winner(state),
        **prize_values(tournament, needed=kind == "prizes"),
        "columns": columns_of(tournament),
        "cells": Cells(tournament),
        "teams": team_standings(state.tournament) if kind in ("standings", "lists") else (),
        "leagues": league_tables(state.tournament) if kind == "standings" else (),
        "rows": cross_table(state.tournament) if kind == "cross-table" else (),
        "finals": finals_or_none(state.tournament) if kind == "lists" else None,
    }


def sheet_of(transcript: str) -> tuple[Square, ...]:
    """Return the 64 squares of a score sheet, a1 to h8, filled in as far as the game is known."""
    try:
        numbers: Mapping[int, int] = {
            square: number for number, square in enumerate(parse_transcript(transcript), 1)
        }
    except ValueError:
        numbers = {}
    return tuple(Square(_CENTRE.get(square, ""), numbers.get(square)) for square in range(64))


def _round(text: str, state: TournamentState) -> int | None:
    """Return the requested round, or None for the present games."""
    number = whole_in(text) or 0
    return number if 1 <= number <= state.round else None


def _empties_to_winner(state: TournamentState) -> bool:
    rules = rules_at_tables(state.tournament)
    return rules is None or rules.score.empties == "winner"
