"""Players one on a line, as people type them: a name, and behind it other facts in any order.

    5083; NOBODY, Ann; FRA; 1720; f; 2008-11-05; A

Tabs, semicolons or commas part the cells of a line. A number alone is a player of the world list, or
of the file beside.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hub.formats.countries import country_code, is_country_code
from hub.formats.dates import DayOrder, order_of_days, written_day
from hub.formats.names import plain
from hub.formats.reading import Notes
from hub.formats.spreadsheets.columns import Row, Table, are_row_numbers, letter
from hub.formats.spreadsheets.headings import ROW, Sheet, gender
from hub.formats.spreadsheets.understood import ALONE, Answers, ReadColumn, ReadTable
from hub.text import quoted

# The field of a line that has only a number.
NUMBER_ALONE = "number_alone"
_NUMBER = re.compile(r"\d{1,10}", re.ASCII)
_COUNTED = re.compile(r"(?:#\s?)?(\d{1,4})\s?[.)]\s+(?=\D)|[-*•·]\s+(?=\D)", re.ASCII)
_NUMBER_IN_FRONT = re.compile(r"(\d{1,10})\s+(?=[^\W\d_])", re.ASCII)
_FIGURE = re.compile(r"[-+]?\d+(?:[.,]\d+)?", re.ASCII)
_LIKE_A_DAY = re.compile(r"\d{1,4}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,4}日?", re.ASCII)
_CODE = re.compile(r"[A-Z]{2,3}")
_SAMPLES = 3


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
    return Table(ReadTable(sheet.place, 0, hidden, cells=tuple(_columns(sheet, nth))), rows)


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
    elif "rating" not in row and _FIGURE.fullmatch(cell):
        row["rating"] = cell
    else:
        line.unknown.append(cell)


def _columns(sheet: Sheet, nth: int) -> Iterable[ReadColumn]:
    """Yield the columns as they are, so that a person can say which one holds the names."""
    wide = min(max((len(cells) for _, cells in sheet.rows), default=0), 64)
    for index in range(wide):
        cells = [cells[index] for _, cells in sheet.rows if len(cells) > index and cells[index]]
        samples = tuple(" ".join(cell.split())[:40] for cell in cells[:_SAMPLES])
        yield ReadColumn(f"{nth}.{index + 1}", letter(index), "", ALONE, samples)
