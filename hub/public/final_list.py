"""The final list as one file: a page that stands alone, without scripts and links."""

from __future__ import annotations

from functools import cache

from markupsafe import Markup

from flagfall.base.words import FIRST, all_words
from hub.model.tournament import Tournament
from hub.public.rendering import Templates
from hub.ranking.columns import Cells, columns_of
from hub.ranking.cross_table import cross_table
from hub.ranking.finals import finals_and_fault
from hub.ranking.prizes import prize_tables
from hub.ranking.teams import belongs_to, team_standings
from hub.rulebook import by_difference
from hub.web.app import STATIC
from hub.web.pages import PersonName


@cache
def _templates(language: str) -> Templates:
    return Templates(all_words()[language])


def prize_values(tournament: Tournament, needed: bool = True) -> dict[str, object]:
    """Return the values of the template of the prizes: no tables where they are not needed, or there are none."""
    finals = finals_and_fault(tournament)[0] if needed and tournament.prizes is not None else None
    return {
        "fund": tournament.prizes,
        "tournament": tournament,
        "prizes": prize_tables(finals) if finals is not None else (),
        "settled": finals is not None and finals.qualifying.complete and not finals.due,
    }


def final_list_html(tournament: Tournament, language: str = FIRST, title: str = "") -> str:
    """Return the page: champions, all final lists with the event's columns, prizes, and the cross table."""
    words = all_words()
    finals, fault = finals_and_fault(tournament)
    return _templates(language if language in words else FIRST).part(
        "final_list.html",
        title=tournament.name or title,
        tokens=Markup((STATIC / "tokens.css").read_text("utf-8")),
        **prize_values(tournament),
        finals=finals,
        fault=None if fault is None else words[language if language in words else FIRST].say(fault),
        columns=columns_of(tournament),
        cells=Cells(tournament),
        by_difference=by_difference(tournament),
        teams=team_standings(tournament),
        rows=cross_table(tournament) if tournament.rounds else (),
        withdrawn=tournament.withdrawn,
        named=lambda player: PersonName(tournament.name_of(player)),
        beside=lambda player: belongs_to(tournament, tournament.player(player)),
    )
