"""The reader of an `.xlsx` file's worksheets as rows of text, with limits before anything is unpacked.

The file is a ZIP of XML: the sizes in its directory are checked first (Python's zipfile unpacks no more than that),
each part that the reader opens is refused if it declares a document type, and of each sheet only as many rows and
columns are read as a table can have.
"""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Iterator
from typing import IO, Any
from xml.parsers import expat

from flagfall.base.message import N_
from hub.formats.kinds import expect_own_kind
from hub.formats.spreadsheets.cells import FORMULA, MOST_ROWS, Sheet
from hub.text import FormatError

MOST_BYTES = 32 << 20
_MOST_PARTS = 500
_MOST_SHEETS = 20
_MOST_COLUMNS = 64
_A_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_PIECE = 1 << 20
_XML_ENCODINGS = ("utf-8", "utf-16", "us-ascii", "iso-8859-1")
_HIDDEN_ROW = re.compile(rb"<(?:\w+:)?row\b[^>]{0,200}?\br=\"(\d{1,7})\"[^>]{0,200}?\bhidden=\"(?:1|true)\"")


def is_xlsx(head: bytes) -> bool:
    """Return True if the file is a ZIP. One without worksheets is refused when it is read."""
    return head.startswith(b"PK\x03\x04")


def read_sheets(data: bytes) -> tuple[Sheet, ...]:
    """Return the rows of every worksheet that is not hidden. Raise FormatError for another file, or one that takes too
    much memory."""
    _check_size(data)
    try:
        book = _book(data)
        formulas = {sheet.title: sheet for sheet in _book(data, values=False).worksheets}
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        several = len(shown) > 1
        sheets: list[Sheet] = []
        for sheet in shown[:_MOST_SHEETS]:
            rows_left = MOST_ROWS - sum(len(read_sheet.rows) for read_sheet in sheets)
            place = sheet.title[:60] if several else ""
            sheets.append(_sheet(sheet, formulas.get(sheet.title), place, rows_left))
        return tuple(sheets)
    except FormatError:
        raise
    except Exception as fault:  # the library may raise anything for a damaged file, and in place of a refusal
        if isinstance(fault.__cause__, FormatError):
            raise fault.__cause__ from None
        raise FormatError("", "a spreadsheet in .xlsx", str(fault)[:80] or type(fault).__name__) from None


def _book(data: bytes, *, values: bool = True) -> Any:
    """Return openpyxl's workbook with values or formulas; its archive checks each part when it is opened."""
    # Imported only for spreadsheets.
    from openpyxl.reader.excel import ExcelReader

    reader = ExcelReader(io.BytesIO(data), read_only=True, data_only=values, keep_links=False)
    reader.archive = _CheckedArchive(io.BytesIO(data))
    for name in reader.valid_files:
        if name.endswith((".xml", ".rels")):  # the library of another day may read more of them
            reader.archive.open(name).close()
    reader.read()
    return reader.wb


def _check_size(data: bytes) -> None:
    expect_own_kind(data, N_("a spreadsheet in .xlsx"))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            parts = packed.infolist()
            if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > MOST_BYTES:
                raise FormatError("", f"at most {MOST_BYTES >> 20} MB unpacked", "more")
    except FormatError:
        raise
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError, EOFError) as fault:
        raise FormatError("", "a spreadsheet in .xlsx", str(fault)[:80]) from None


class _CheckedArchive(zipfile.ZipFile):
    """An archive that reads no part with a document type, whatever the part's name and encoding are."""

    _checked: frozenset[str] = frozenset()

    def open(self, name: Any, *arguments: Any, **options: Any) -> IO[bytes]:
        """Open a part. Raise FormatError if it declares anything of its own."""
        part = name.filename if isinstance(name, zipfile.ZipInfo) else name
        if part not in self._checked:
            with super().open(name) as opened:
                _expect_no_declarations(opened, part)
            self._checked |= {part}
        return super().open(name, *arguments, **options)


class _AtRootElement(Exception):
    """The first element of a part: a document type can be declared only before it."""


def _expect_no_declarations(opened: IO[bytes], part: str) -> None:
    """Read an XML part up to its first element with the parser that will read it whole."""

    def refuse(*_: object) -> None:
        raise FormatError("", "a spreadsheet in .xlsx without declarations of its own", part[:60])

    def check_encoding(_version: str, encoding: str | None, _standalone: int) -> None:
        # Another encoding could hide a declaration from this parser, and show it to another one.
        if encoding is not None and encoding.lower() not in _XML_ENCODINGS:
            raise FormatError(
                "", "a spreadsheet in .xlsx, its parts in UTF-8", f"{part[:60]}: {encoding[:20]}"
            )

    def stop(*_: object) -> None:
        raise _AtRootElement

    parser = expat.ParserCreate()
    parser.XmlDeclHandler = check_encoding
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.StartElementHandler = stop
    try:
        while piece := opened.read(_PIECE):
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except _AtRootElement:
        return
    except expat.ExpatError as fault:
        raise FormatError("", "a spreadsheet in .xlsx", f"{part[:60]}: {fault}") from None


def _sheet(sheet: Any, formulas: Any, place: str, most_rows: int) -> Sheet:
    rows = sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=_MOST_COLUMNS, values_only=True)
    with sheet.parent._archive.open(sheet._worksheet_path) as part:
        written = part.read(MOST_BYTES)
    hidden = [int(row) for row in _HIDDEN_ROW.findall(written)]  # of hidden rows the library tells nothing
    if formulas is not None and _A_FORMULA.search(written):
        rows = _with_formulas(rows, formulas.iter_rows(max_row=MOST_ROWS + 1, max_col=_MOST_COLUMNS))
    filled = tuple(_filled(rows, most_rows))
    doubt = N_("a hidden row: read like the others")
    return Sheet(
        filled, place, [(row, doubt) for row in sorted({*hidden} & {number for number, _ in filled})]
    )


def _with_formulas(
    rows: Iterator[tuple[object, ...]], formulas: Iterator[tuple[Any, ...]]
) -> Iterator[tuple[object, ...]]:
    """Yield each row. A cell whose formula has no result in the file is the formula."""
    for values, cells in zip(rows, formulas, strict=False):
        yield tuple(
            f"{FORMULA}{cell.value}" if value is None and cell.data_type == "f" else value
            for value, cell in zip(values, cells, strict=False)
        )


def _filled(rows: Iterator[tuple[object, ...]], most_rows: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    for number, cells in enumerate(rows, start=1):
        texts = tuple(_text(cell) for cell in cells)
        if any(texts):
            most_rows -= 1
            if most_rows < 0 or number > MOST_ROWS:
                raise FormatError("", f"at most {MOST_ROWS} rows", "more")
            yield number, texts


def _text(cell: object) -> str:
    """Return the text of a cell as people see it."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, datetime.datetime | datetime.date):
        return cell.isoformat()[:10]
    if isinstance(cell, float) and cell == int(cell) and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)[:2_000]
