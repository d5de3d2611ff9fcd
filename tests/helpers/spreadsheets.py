"""The tables that tests of spreadsheets write and read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from openpyxl import Workbook

from hub.formats.reading import ReadTournament, Source
from hub.formats.spreadsheets.csv_file import read_csv
from hub.model.players import Player

ANN = Player("7", "NOBODY, Ann", "FRA", "FRA", gender="f", born="2008-11-05", rating=1714)


def written(*rows: tuple[object, ...], **more: list[tuple[object, ...]]) -> bytes:
    """Return a workbook. `more` are further sheets by name."""
    book = Workbook()
    sheets = [
        (book.active, list(rows)),
        *((book.create_sheet(name), further) for name, further in more.items()),
    ]
    for sheet, sheet_rows in sheets:
        for row in sheet_rows:
            sheet.append(row)
    return saved(book)


def saved(book: Workbook) -> bytes:
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def tables(*files: bytes) -> ReadTournament:
    """Return the tournament read from several CSV files together."""
    return read_csv([Source(f"{nth}.csv", data) for nth, data in enumerate(files)])


def noted(reading: ReadTournament) -> list[str]:
    return [str(note) for note in reading.notes]


def packed(**parts: bytes) -> bytes:
    """Return a workbook with some parts replaced, by the last part of their names."""
    kept = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(written(("id", "name"), (1, "A")))) as read,
        zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for part in read.infolist():
            stem = Path(part.filename).stem
            made.writestr(part.filename, parts.get(stem, read.read(part)))
    return kept.getvalue()
