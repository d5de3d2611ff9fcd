"""The columns of lists, and the final list as a file."""

from __future__ import annotations

from hub.commands.events import ListColumns
from hub.console.context import Values, Visit
from hub.model.lists import COLUMNS
from hub.model.tournament import Tournament
from hub.public.final_list import final_list_html
from hub.public.pdf import pdf_of, weasyprint
from hub.ranking.columns import columns_of
from hub.record.state import TournamentState

# The ending of each file of the final list, by its name in addresses.
FINAL_LISTS = {"final-list-html": ".html", "final-list-pdf": ".pdf"}


async def lists_page(visit: Visit) -> Values:
    typed = visit.form.all("columns") if visit.error is not None else columns_of(visit.state.tournament)
    return {"all_columns": COLUMNS[1:], "columns": typed, "has_pdf": weasyprint() is not None}


def read_columns(visit: Visit) -> ListColumns:
    """Return the ticked columns, in the order of lists."""
    fields: ListColumns = visit.form.read(ListColumns)
    return fields


def shown_columns(state: TournamentState, _: ListColumns) -> object:
    """Return what the form of the columns shows."""
    return state.tournament.list_columns


def final_list_file(tournament: Tournament, event: str, kind: str, language: str) -> tuple[str, bytes]:
    """Return the suggested name and the contents. Failed if no PDF can be made."""
    html = final_list_html(tournament, language, event)
    data = pdf_of(html) if kind == "final-list-pdf" else html.encode()
    return f"{event}-final-list{FINAL_LISTS[kind]}", data
