"""Reads the worksheets of an `.xlsx` file as rows of text, with limits before anything is unpacked.

The file is a ZIP of XML: the sizes in its directory are checked first (Python's zipfile unpacks no more than that),
parts with XML entities are refused, and of each sheet only as many rows and columns are read as a table can have.
"""

from __future__ import annotations

import datetime
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from hub.formats.spreadsheets.headings import MOST_ROWS, Sheet
from hub.text import FormatError
from link.words import N_

MOST_BYTES = 32 << 20
_MOST_PARTS = 500
_MOST_SHEETS = 20
_MOST_COLUMNS = 64
_PIECE = 1 << 20
_HIDDEN_ROW = re.compile(rb"<(?:\w+:)?row\b[^>]{0,200}?\br=\"(\d{1,7})\"[^>]{0,200}?\bhidden=\"(?:1|true)\"")

_OTHER_BOOKS = (
    (b"\xd0\xcf\x11\xe0", "an old .xls; save it as .xlsx or CSV"),
    (b"application/vnd.oasis.opendocument.spreadsheet", "an .ods; save it as .xlsx or CSV"),
)


def is_xlsx(head: bytes) -> bool:
    """Whether it is a ZIP, or an old .xls; one without worksheets is refused when it is read."""
    return head.startswith((b"PK\x03\x04", _OTHER_BOOKS[0][0]))


def read_sheets(data: bytes) -> tuple[Sheet, ...]:
    """The rows of every worksheet that is not hidden. FormatError for another file, or one that costs memory."""
    _bounded(data)
    # Imported only for spreadsheets.
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        several = len(shown) > 1
        found: list[Sheet] = []
        for sheet in shown[:_MOST_SHEETS]:
            rows_left = MOST_ROWS - sum(len(one.rows) for one in found)
            found.append(_sheet(sheet, sheet.title[:60] if several else "", rows_left))
        return tuple(found)
    except FormatError:
        raise
    except Exception as fault:  # the library may raise anything for a damaged file
        raise FormatError("", "a spreadsheet in .xlsx", str(fault)[:80] or type(fault).__name__) from None


def _bounded(data: bytes) -> None:
    for mark, said in _OTHER_BOOKS:
        if mark in data[:100]:
            raise FormatError("", "a spreadsheet in .xlsx", said)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            parts = packed.infolist()
            if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > MOST_BYTES:
                raise FormatError("", f"at most {MOST_BYTES >> 20} MB unpacked", "more")
            for part in parts:
                if part.filename.endswith((".xml", ".rels")):
                    _without_entities(packed, part)
    except FormatError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        OSError,
        ValueError,
        EOFError,
    ) as fault:
        raise FormatError("", "a spreadsheet in .xlsx", str(fault)[:80]) from None


def _without_entities(packed: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    with packed.open(part) as opened:
        before = b""
        while piece := opened.read(_PIECE):
            if (b"<!" in before + piece and b"<!DOCTYPE" in (before + piece).upper()) or b"\0" in piece:
                raise FormatError(
                    "", "a spreadsheet in .xlsx without declarations of its own", part.filename[:60]
                )
            before = piece[-16:]


def _sheet(sheet: Any, place: str, most_rows: int) -> Sheet:
    rows = sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=_MOST_COLUMNS, values_only=True)
    with sheet.parent._archive.open(
        sheet._worksheet_path
    ) as part:  # of hidden rows the library tells nothing
        hidden = [int(row) for row in _HIDDEN_ROW.findall(part.read(MOST_BYTES))]
    found = tuple(_filled(rows, most_rows))
    said = N_("a hidden row: read like the others")
    return Sheet(found, place, [(row, said) for row in sorted({*hidden} & {number for number, _ in found})])


def _filled(rows: Iterator[tuple[object, ...]], most_rows: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    for number, cells in enumerate(rows, start=1):
        said = tuple(_text(cell) for cell in cells)
        if any(said):
            most_rows -= 1
            if most_rows < 0 or number > MOST_ROWS:
                raise FormatError("", f"at most {MOST_ROWS} rows", "more")
            yield number, said


def _text(cell: object) -> str:
    """The text of a cell as people see it."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, datetime.datetime | datetime.date):
        return cell.isoformat()[:10]
    if isinstance(cell, float) and cell == int(cell) and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)[:2_000]
