"""Columns of a table: the row that names them, and the fields of their cells if a heading does not tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flagfall.othello.errors import shown
from flagfall.othello.message import Message
from hub.formats.countries import country_code
from hub.formats.dates import DayOrder, order_of_days
from hub.formats.names import plain
from hub.formats.reading import Notes
from hub.formats.spreadsheets.headings import FIELDS, HEADINGS, NUMBER, ROW, Sheet, folded, gender, heading
from hub.formats.spreadsheets.understood import ALONE, TYPED, Answers, ReadColumn, ReadTable

# The cells of a row that are not empty, by column.
Row = dict[str, str]
# The last row that may hold headings: a title and a date may come above them.
_LAST_HEADING = 20
_MOST_COLUMNS = 64
_SAMPLES = 3
_PERSON = frozenset(("name", "family_name", "first_name"))
_NAMED = _PERSON | {"id", NUMBER}
_COUNT = re.compile(r"\d{1,5}(?:\.0*)?", re.ASCII)
_FIGURE = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_PATTERN = re.compile(
    r"\b((?:dd?|jj?|tt?|gg?)\s*[-/.]\s*mm?|mm?\s*[-/.]\s*(?:dd?|jj?|tt?|gg?))\s*[-/.]", re.IGNORECASE
)
_YEAR_OR_DAY = re.compile(r"\d{4}|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}年.*")


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it was understood, and the rows of cells below its headings."""

    read: ReadTable
    rows: Sequence[tuple[int, Sequence[str]]]

    @property
    def fields(self) -> list[str]:
        """The field of each column, "" for one that is left alone."""
        return [column.field for column in self.read.columns]

    def column(self, field: str) -> ReadColumn | None:
        """Return the column of this field."""
        return next((column for column in self.read.columns if column.field == field), None)

    def with_field(self, field: str, other: str, why: Message) -> Table:
        """Return the table with another field for the column of `field`."""
        columns = tuple(
            replace(column, field=other, why=why) if column.field == field else column
            for column in self.read.columns
        )
        return replace(self, read=replace(self.read, columns=columns))

    def records(self, notes: Notes) -> list[tuple[int, Row]]:
        """Return the cells of each row by field. Cells behind the last column are noted."""
        return [(number, _record(number, self.fields, cells, notes)) for number, cells in self.rows]


def letter(index: int) -> str:
    """Return a column's letters as spreadsheets show them: A for 0."""
    return (letter(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)


def table_of(sheet: Sheet, nth: int, answers: Answers, notes: Notes) -> Table | None:
    """Return the table below the headings of a sheet, or None if no row names a column and no answer does."""
    answered = any(key.startswith(f"{nth}.") for key in answers.columns)
    heading_at = _heading_row(sheet.rows, least_below=2 if sheet.place == TYPED else 1)
    if heading_at is None and not answered:
        return None
    first = 0 if heading_at is None else heading_at
    headings = [] if heading_at is None else _headings(sheet.rows, heading_at)[:_MOST_COLUMNS]
    below = first if heading_at is None else first + 1
    number = 0 if heading_at is None else sheet.rows[heading_at][0]
    known = {folded(cell) for cell in headings if cell}
    rows: list[tuple[int, Sequence[str]]] = []
    for row, cells in sheet.rows[below:]:
        if known and len(known) > 1 and {folded(cell) for cell in cells if cell} == known:
            continue  # the headings again, as on every page of a print
        if not rows and heading_at is not None and _are_headings(cells):
            notes.left_out(row, "a second row of headings: left out")
            continue
        rows.append((row, cells))
    wide = max((len(cells) for _, cells in rows), default=0) if heading_at is None else len(headings)
    fields = [heading(cell) if cell else "" for cell in headings] or [""] * min(wide, _MOST_COLUMNS)
    blank = [not any(cells[nth_] for _, cells in rows if len(cells) > nth_) for nth_ in range(len(fields))]
    _settle_names(fields, headings, blank)
    columns = _columns(fields, headings, rows, nth, answers)
    for nth_, column in enumerate(columns):
        if column.field not in (ALONE, ROW) and column.field in [before.field for before in columns[:nth_]]:
            notes.left_out(number or 1, "the second column {name}: left out", name=column.field)
            columns[nth_] = replace(column, field=ALONE)
    for row, doubt in sheet.doubts:
        if row > number:
            notes.changed(row, doubt)
    results = {"black", "white"} <= {column.field for column in columns}
    nameless = not results and not _PERSON & {column.field for column in columns}
    above = (
        []
        if heading_at is None
        else [(row, _shown(cells)) for row, cells in sheet.rows[:heading_at] if not _is_group(cells)]
    )
    read = ReadTable(
        sheet.place, number, tuple(columns), above=tuple(above), results=results, nameless=nameless
    )
    return Table(read, rows)


def _shown(cells: Sequence[str]) -> str:
    return " ".join(" ".join(filter(None, cells)).split())[:100]


def _heading_row(rows: Sequence[tuple[int, Sequence[str]]], *, least_below: int) -> int | None:
    """Return the place of the first of the rows that name the most columns, or None."""
    best, most = None, 0
    for place, (_, cells) in enumerate(rows[:_LAST_HEADING]):
        known = [heading(cell) for cell in cells[:_MOST_COLUMNS] if cell]
        count = len(HEADINGS & {*known})
        beneath = (
            best is not None and place == best + 1 and count == most and _count(cells) > _count(rows[best][1])
        )
        if (count > most or beneath) and _names_columns(cells, known, rows[place + 1 :], first=place == 0):
            best, most = place, count
    return 0 if best is None and len(rows) > least_below and _differs(rows) else best


def _count(cells: Sequence[str]) -> int:
    return sum(map(bool, cells))


def _names_columns(
    cells: Sequence[str], fields: Sequence[str], below: Sequence[tuple[int, Sequence[str]]], *, first: bool
) -> bool:
    """Return True if a row with at least one heading is a row of headings, and not a player called Land or No."""
    if any(_FIGURE.fullmatch(cell) for cell in cells if cell):
        return False
    known = [field for field in fields if field in HEADINGS]
    if len(known) > 1:
        return True
    if len(fields) == 1 and first and known[0] in _PERSON:
        return True
    if known[0] in ("black", "white", "table", "title", "reason", "stage", "draw_win"):
        return False
    place = next(nth for nth, cell in enumerate(cells) if cell and heading(cell) == known[0])
    column = [cells[place] for _, cells in below if len(cells) > place and cells[place]]
    if known[0] in ("id", NUMBER, ROW):
        return any(_FIGURE.fullmatch(plain(cell)) for cell in column) or known[0] == "id"
    if known[0] == "country":
        return any(country_code(cell) for cell in column)
    return (
        known[0] in _PERSON
        or not column
        or sum(_is_like(known[0], cell) for cell in column) * 2 > len(column) > 0
    )


def _is_like(field: str, cell: str) -> bool:
    if field == "rating":
        return _FIGURE.fullmatch(plain(cell)) is not None
    if field == "born":
        return _YEAR_OR_DAY.fullmatch(plain(cell)) is not None
    return field != "gender" or gender(cell) in ("f", "m", "x")


def _differs(rows: Sequence[tuple[int, Sequence[str]]]) -> bool:
    """Return True if the first row can name unknown columns: it has letters only, over figures, days or countries."""
    first, rest = rows[0][1], [cells for _, cells in rows[1:51]]
    if sum(bool(cell) for cell in first) < 2 or any(any(c.isdigit() for c in cell) for cell in first):
        return False
    for place, cell in enumerate(first):
        below = [plain(cells[place]) for cells in rest if len(cells) > place and cells[place]]
        figures = sum(bool(_FIGURE.fullmatch(text) or _YEAR_OR_DAY.fullmatch(text)) for text in below)
        if cell and below and figures == len(below):
            return True
        if cell and country_code(cell) is None and len(below) > 1 and all(map(country_code, below)):
            return True
    return False


def _headings(rows: Sequence[tuple[int, Sequence[str]]], place: int) -> list[str]:
    """Return the headings of a row. A heading that says nothing alone is joined with the one above that spans several
    columns."""
    cells = list(rows[place][1])
    if place == 0 or not _is_group(rows[place - 1][1]):
        return cells
    over = ""
    for nth, cell in enumerate(cells):
        over = (rows[place - 1][1][nth : nth + 1] or [""])[0] or over
        if over and cell and heading(cell) not in HEADINGS and heading(f"{over} {cell}") in HEADINGS:
            cells[nth] = f"{over} {cell}"
        elif (
            over and not cell and heading(over) in HEADINGS and (rows[place - 1][1][nth : nth + 1] or [""])[0]
        ):
            cells[nth] = over
    return cells


def _is_group(cells: Sequence[str]) -> bool:
    """Return True if this is a row of headings that span several columns each."""
    return any(heading(cell) in HEADINGS for cell in cells if cell) or sum(bool(cell) for cell in cells) > 1


def _are_headings(cells: Sequence[str]) -> bool:
    """Return True if all cells, at least two, are headings or explain one in brackets."""
    filled = [cell for cell in cells if cell]
    return len(filled) > 1 and all(heading(cell) in HEADINGS or cell[:1] in "([" for cell in filled)


def _settle_names(columns: list[str], headings: Sequence[str], blank: Sequence[bool]) -> None:
    """Make `name` the family name if the given name has a column; one heading may span both."""
    if "family_name" in columns:
        other = "" if "first_name" in columns else "first_name"
        columns[:] = [{"name": other, "family_name": "name"}.get(column, column) for column in columns]
    elif "name" not in columns and "first_name" in columns:
        columns[columns.index("first_name")] = "name"
    elif "first_name" not in columns and "name" in columns[:-1]:
        index = columns.index("name") + 1
        if not headings[index] and not blank[index]:
            columns[index] = "first_name"


def _columns(
    fields: Sequence[str],
    headings: Sequence[str],
    rows: Sequence[tuple[int, Sequence[str]]],
    nth: int,
    answers: Answers,
) -> list[ReadColumn]:
    columns = []
    for index, guess in enumerate(fields):
        cells = [plain(cells[index]) for _, cells in rows if len(cells) > index and cells[index]]
        field = guess if guess in HEADINGS else ALONE
        why = None
        title = headings[index] if index < len(headings) else ""
        if field == NUMBER:
            field = ROW if are_row_numbers(cells) else "id"
            why = Message("numbers of the rows: nobody's number") if field == ROW else None
        elif (
            field == "rating"
            and folded(title) in ("ranking", "classement", "wof ranking")
            and are_row_numbers(cells)
        ):
            field, why = ROW, Message("numbers of the rows: nobody's number")
        elif field == ROW and not are_row_numbers(cells):
            field = ALONE
        key = f"{nth}.{index + 1}"
        if answers.columns.get(key, field) != field:
            field, why = answers.columns[key], None
            field = field if field in FIELDS or field in ("first_name", ROW) else ALONE
        if not cells and not title:
            continue
        order = DayOrder.PLAIN
        if field == "born":
            order = order_of_days(cells)
            if order is DayOrder.EITHER and (asked := _order_asked_for(title)):
                order = asked
            if order is DayOrder.EITHER:
                order = answers.orders.get(key, answers.day_order)
            elif order is not DayOrder.PLAIN:
                order = answers.orders.get(key, order)
        samples = tuple(" ".join(cell.split())[:40] for cell in cells[:_SAMPLES])
        columns.append(
            (
                index,
                ReadColumn(
                    key, letter(index), " ".join(title.split())[:60], field, samples, order=order, why=why
                ),
            )
        )
    read_columns = dict(columns)
    return [
        read_columns.get(index) or ReadColumn(f"{nth}.{index + 1}", letter(index), "", ALONE, ())
        for index in range(len(fields))
    ]


def _order_asked_for(title: str) -> DayOrder | None:
    """Return the order of `Date of birth (MM/DD/YYYY)` or `TT.MM.JJJJ`."""
    match = _PATTERN.search(title)
    if match is None:
        return None
    return DayOrder.MONTH_FIRST if match[1][:1] in "mM" else DayOrder.DAY_FIRST


def are_row_numbers(cells: Sequence[str]) -> bool:
    """Return True if the cells count the rows, as ranks and seeds do: from 1, with few gaps and nothing beyond."""
    numbers = [int(cell.partition(".")[0]) for cell in cells if _COUNT.fullmatch(cell)]
    return bool(numbers) and min(numbers) <= 1 and max(numbers) <= 1.25 * len(numbers) + 3


def _record(number: int, columns: Sequence[str], cells: Sequence[str], notes: Notes) -> Row:
    beyond = [cell for cell in cells[len(columns) :] if cell]
    name_at = columns.index("name") if "name" in columns and "first_name" not in columns else -1
    if (
        beyond and name_at >= 0 and len(cells) == len(columns) + 1 and cells[name_at + 1][:1].isalpha()
    ):  # a comma in a name
        cells = [*cells[:name_at], f"{cells[name_at]}, {cells[name_at + 1]}", *cells[name_at + 2 :]]
        notes.changed(number, "one cell too many: the name is entered as {name}", name=cells[name_at][:60])
    elif beyond:
        notes.left_out(number, "behind the last column: left out: {said}", said=shown(", ".join(beyond)))
    return {name: cell for name, cell in zip(columns, cells, strict=False) if name and cell}
