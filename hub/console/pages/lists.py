"""Everything that is shown, printed, saved and given at the end: the final lists with prizes and qualification
(`cc-2024` V), their columns, paper, files and screens."""

from __future__ import annotations

from typing import NamedTuple, cast

import msgspec

from hub.commands.events import ListColumns, TypedPrizes
from hub.console.context import Values, Visit
from hub.console.pages.finals import matches_and_lists
from hub.console.pages.projector import showing_values
from hub.desk.amounts import cents_in, wholes_in
from hub.model.lists import COLUMNS, MOST_PLACES, ROUNDINGS, ListPrizes, PrizeFund, amount_text
from hub.model.tournament import Tournament
from hub.public.final_list import final_list_html
from hub.public.pdf import pdf_of, weasyprint
from hub.public.rendering import money_text
from hub.ranking.categories import prizes_of
from hub.ranking.columns import columns_of
from hub.ranking.finals import Finals
from hub.ranking.prizes import prize_lists
from hub.record.state import TournamentState
from hub.text import Refused

# The ending of each file of the final list, by its name in addresses.
FINAL_LISTS = {"final-list-html": ".html", "final-list-pdf": ".pdf"}


def lists_page(visit: Visit) -> Values:
    typed = visit.form.all("columns") if visit.error is not None else columns_of(visit.state.tournament)
    fund = visit.state.tournament.prizes or PrizeFund()
    values = matches_and_lists(visit.state)
    finals = cast("Finals | None", values["finals"])
    return {
        **values,
        **showing_values(visit),
        "prizes": prizes_of(finals) if finals is not None else None,
        "all_columns": COLUMNS[1:],
        "columns": typed,
        "has_pdf": weasyprint() is not None,
        "fund": fund,
        "roundings": [(str(cents), amount_text(cents)) for cents in ROUNDINGS],
        "prize_rows": _prize_rows(finals, fund),
    }


class PrizeRow(NamedTuple):
    """The fields of one list's prizes in the form."""

    key: str  # the beginning of their names
    title: str
    money: str
    points: str
    # The amounts as they were understood.
    understood: tuple[str, ...] = ()


def _prize_rows(finals: Finals | None, fund: PrizeFund) -> list[PrizeRow]:
    """Return a row for each list that can have prizes, also for those set for a list that is not there now."""
    titles = [title for title, _ in prize_lists(finals)] if finals is not None else []
    rows = []
    for title in dict.fromkeys([*titles, *fund.lists]):
        prizes = fund.lists.get(title, ListPrizes())
        money = " ".join(map(amount_text, prizes.cents))
        understood = tuple(money_text(cents, fund.currency) for cents in prizes.cents)
        rows.append(PrizeRow(f"prizes-{title}", title, money, " ".join(map(str, prizes.points)), understood))
    return rows


def read_prizes(visit: Visit) -> TypedPrizes:
    """Return the typed prizes; a list with empty fields has none."""
    form, lists = visit.form, {}
    for title in form.all("list"):
        money, points = f"prizes-{title}-money", f"prizes-{title}-points"
        cents = cents_in(form.text_or_empty(money, 2_000), money)
        whole = wholes_in(form.text_or_empty(points, 2_000), points)
        if cents or whole:
            lists[title] = ListPrizes(cents, whole)
    fund = {
        "lists": msgspec.to_builtins(lists),
        "currency": form.text_or_empty("currency", 12).strip(),
        "round_to_cents": int(form.choice("round_to_cents", tuple(map(str, ROUNDINGS)))),
    }
    try:
        return TypedPrizes(fund=msgspec.convert(fund, PrizeFund))
    except msgspec.ValidationError:
        raise Refused("expected at most {most} places in a list", field="prizes", most=MOST_PLACES) from None


def shown_prizes(state: TournamentState, _: TypedPrizes) -> object:
    """Return what the form of the prizes shows."""
    return state.tournament.prizes


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
