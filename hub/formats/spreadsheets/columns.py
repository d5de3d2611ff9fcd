"""Columns of a table of players, and players typed one on a line.

The columns of a table are found by the row that names them, or by their cells if a heading does not tell. A typed line
has a name, and behind it other facts in any order.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from flagfall.base.errors import shown
from flagfall.base.message import Message
from flagfall.othello.colour_choice import written_grade
from hub.formats.dates import DayOrder, order_of_days, written_day
from hub.formats.names import country_code, is_country_code, plain
from hub.formats.reading import Notes
from hub.formats.spreadsheets.cells import FIELDS, HEADINGS, NUMBER, ROW, Sheet, folded, gender, heading
from hub.formats.spreadsheets.understood import ALONE, TYPED, Answers, ReadColumn, ReadTable
from hub.text import quoted

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
    if known[0] == "grade":
        return any(written_grade(cell) for cell in column)
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


# The field of a line that has only a number.
NUMBER_ALONE = "number_alone"
_NUMBER = re.compile(r"\d{1,10}", re.ASCII)
_COUNTED = re.compile(r"(?:#\s?)?(\d{1,4})\s?[.)]\s+(?=\D)|[-*•·]\s+(?=\D)", re.ASCII)
_NUMBER_IN_FRONT = re.compile(r"(\d{1,10})\s+(?=[^\W\d_])", re.ASCII)
_TYPED_FIGURE = re.compile(r"[-+]?\d+(?:[.,]\d+)?", re.ASCII)
_LIKE_A_DAY = re.compile(r"\d{1,4}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,4}日?", re.ASCII)
_CODE = re.compile(r"[A-Z]{2,3}")


@dataclass(slots=True)
class _Line:
    """The cells of one line by field, and the cells that fit no field."""

    number: int
    row: Row = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)


def lines_of(sheet: Sheet, nth: int, answers: Answers, notes: Notes) -> Table:
    """Return the players of lines without headings as a table."""
    lines = [_line(number, *_cells(sheet, number, cells)) for number, cells in sheet.rows]
    counted = [line.row["id"] for line in lines if "id" in line.row]
    if len(counted) > 1 and are_row_numbers(counted) and len(counted) * 2 > len(lines):
        for line in lines:
            if "id" in line.row:
                line.row[ROW] = line.row.pop("id")
    for line in lines:
        for cell in line.unknown:
            notes.left_out(
                line.number,
                "expected a country, a rating, f or m, a date of birth or A behind the name, got {said}: left out",
                said=quoted(cell[:30]),
            )
    days = tuple(line.row["born"] for line in lines if "born" in line.row)
    order = order_of_days(days)
    key = f"{nth}.days"
    if order is DayOrder.EITHER:
        order = answers.orders.get(key, answers.day_order)
    fields = dict.fromkeys(name for line in lines for name in line.row)
    hidden = tuple(
        ReadColumn(key, "", "", name, days[:_SAMPLES], order=order)
        if name == "born"
        else ReadColumn("", "", "", name, ())
        for name in fields
    )
    rows = [(line.number, [line.row.get(name, "") for name in fields]) for line in lines if line.row]
    return Table(ReadTable(sheet.place, 0, hidden, cells=tuple(_columns_typed(sheet, nth))), rows)


def _cells(sheet: Sheet, number: int, cells: Sequence[str]) -> tuple[list[str], bool]:
    """Return the cells of a line, and whether commas part them."""
    line = sheet.lines.get(number)
    if line is None:
        return [cell for cell in map(plain, cells) if cell], False
    line = plain(line)
    delimiter = next((sign for sign in "\t;；|" if sign in line), ",")
    try:
        parts = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True), [])
    except csv.Error:
        parts = line.replace('"', "").split(delimiter)
    return [cell for cell in map(plain, parts) if cell], delimiter == ","


def _line(number: int, cells: list[str], by_commas: bool) -> _Line:
    line = _Line(number)
    if not cells:
        return line
    if match := _COUNTED.match(cells[0]):
        cells[0] = cells[0][match.end() :]
        if match[1]:
            line.row[ROW] = match[1]
    elif (match := _NUMBER_IN_FRONT.match(cells[0])) and len(match[1]) > 2:
        line.row["id"], cells[0] = match[1], cells[0][match.end() :]
    elif _NUMBER.fullmatch(cells[0]):
        if len(cells) == 1:
            line.row[NUMBER_ALONE] = cells[0]
            return line
        line.row["id"] = cells.pop(0)
    name_at = _place_of_name(cells)
    name = cells.pop(name_at)
    if by_commas and name_at < len(cells) and _is_given_name(cells[name_at]):
        name = f"{name}, {cells.pop(name_at)}"
    line.row["name"] = name
    for cell in cells:
        _sort_in(cell, line)
    return line


def _place_of_name(cells: Sequence[str]) -> int:
    """Return the place of the name: the first cell, or a later one if the first is a country and the later one is
    none."""
    if country_code(cells[0]) is None:
        return 0
    others = (
        index
        for index, cell in enumerate(cells)
        if index and _is_given_name(cell) and country_code(cell) is None
    )
    return next((index for index in others if len(cells[index].split()) > 1 or _CODE.fullmatch(cells[0])), 0)


def _is_given_name(cell: str) -> bool:
    """Return True if a cell behind a family name and a comma continues the name: letters that are no other field."""
    return len(cell) > 1 and cell[0].isalpha() and not is_country_code(cell) and not _is_country_name(cell)


def _is_country_name(cell: str) -> bool:
    return country_code(cell) is not None


def _sort_in(cell: str, line: _Line) -> None:
    """Put a cell behind the name into the only field that it can be."""
    row = line.row
    if cell.upper() == "A" and "past_semifinalist" not in row:
        row["past_semifinalist"] = "yes"
    elif "gender" not in row and gender(cell) in ("f", "m", "x"):
        row["gender"] = cell
    elif "country" not in row and (country_code(cell) is not None or _CODE.fullmatch(cell)):
        row["country"] = cell
    elif "born" not in row and (_LIKE_A_DAY.fullmatch(cell) or written_day(cell, DayOrder.DAY_FIRST)):
        row["born"] = cell
    elif "rating" not in row and _TYPED_FIGURE.fullmatch(cell):
        row["rating"] = cell
    else:
        line.unknown.append(cell)


def _columns_typed(sheet: Sheet, nth: int) -> Iterable[ReadColumn]:
    """Yield the columns as they are, so that a person can say which one holds the names."""
    wide = min(max((len(cells) for _, cells in sheet.rows), default=0), 64)
    for index in range(wide):
        cells = [cells[index] for _, cells in sheet.rows if len(cells) > index and cells[index]]
        samples = tuple(" ".join(cell.split())[:40] for cell in cells[:_SAMPLES])
        yield ReadColumn(f"{nth}.{index + 1}", letter(index), "", ALONE, samples)
