"""The columns of lists, the prizes, and the final list as a file."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from hub.commands.events import ListColumns, TypedPrizes
from hub.console.context import Values, Visit
from hub.fields import whole_in
from hub.model.lists import COLUMNS, MOST_PLACES, ROUNDINGS, ListPrizes, PrizeFund
from hub.model.tournament import Tournament
from hub.public.final_list import final_list_html
from hub.public.pdf import pdf_of, weasyprint
from hub.public.rendering import amount_text
from hub.ranking.columns import columns_of
from hub.ranking.finals import Finals, finals_and_fault
from hub.ranking.prizes import prize_lists
from hub.record.state import TournamentState
from hub.text import Refused

# The ending of each file of the final list, by its name in addresses.
FINAL_LISTS = {"final-list-html": ".html", "final-list-pdf": ".pdf"}


def lists_page(visit: Visit) -> Values:
    typed = visit.form.all("columns") if visit.error is not None else columns_of(visit.state.tournament)
    fund = visit.state.tournament.prizes or PrizeFund()
    finals, fault = finals_and_fault(visit.state.tournament)
    return {
        "all_columns": COLUMNS[1:],
        "columns": typed,
        "has_pdf": weasyprint() is not None,
        "fault": fault,
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


def _prize_rows(finals: Finals | None, fund: PrizeFund) -> list[PrizeRow]:
    """Return a row for each list that can have prizes, also for those set for a list that is not there now."""
    titles = [title for title, _ in prize_lists(finals)] if finals is not None else []
    rows = []
    for title in dict.fromkeys([*titles, *fund.lists]):
        prizes = fund.lists.get(title, ListPrizes())
        money = " ".join(map(amount_text, prizes.cents))
        rows.append(PrizeRow(f"prizes-{title}", title, money, " ".join(map(str, prizes.points))))
    return rows


def read_prizes(visit: Visit) -> TypedPrizes:
    """Return the typed prizes; a list with empty fields has none."""
    form, lists = visit.form, {}
    for title in form.all("list"):
        money, points = (form.text_or_empty(f"prizes-{title}-{kind}", 2_000) for kind in ("money", "points"))
        cents = tuple(_cents(word, f"prizes-{title}-money") for word in _words(money))
        whole = tuple(_whole(word, f"prizes-{title}-points") for word in _words(points))
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


_AMOUNT = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,2}))?")


def _words(text: str) -> list[str]:
    """Return the typed amounts, between blanks; a comma or semicolon may end one."""
    return [word for part in text.split() if (word := part.rstrip(",;"))]


def _cents(word: str, field: str) -> int:
    match = _AMOUNT.fullmatch(word) if word.isascii() else None
    if match is None:
        raise Refused(
            "expected amounts with blanks between them, such as 300 200 100.50, got {said!r}",
            field=field,
            said=word[:40],
        )
    return 100 * int(match[1]) + int((match[2] or "").ljust(2, "0"))


def _whole(word: str, field: str) -> int:
    number = whole_in(word, 6)
    if number is None:
        raise Refused(
            "expected whole points with blanks between them, such as 10 7 5, got {said!r}",
            field=field,
            said=word[:40],
        )
    return number


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
