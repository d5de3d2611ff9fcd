"""Workbooks: `.xlsx` as programs write it, and what is refused before it is unpacked."""

from __future__ import annotations

import contextlib
import datetime
import io
import re
import zipfile
from pathlib import Path

import pytest
from helpers.spreadsheets import ANN, noted, packed, saved, tables, written
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from hub.formats.reading import Source
from hub.formats.registry import ReadOptions, format_of
from hub.formats.spreadsheets.xlsx_file import read_sheets
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.text import FormatError


def xlsx(data: bytes) -> Tournament:
    kind = format_of("anything", data)
    assert kind is not None and kind.name == "xlsx" and kind.read is not None
    return kind.read([Source("", data)], ReadOptions()).tournament


LIBREOFFICE = (
    '''\
"Club d'été – 日本",,,,,,,
,,,,,,,
"N°","NOM","Prénom","Pays","Né le","Elo","Sexe","Groupe A"
12,"ALFA","Anne-Zoé","France",03/02/2001,1720.5,"F",1
345,"BÊTA, Jr","Bo ""B""","Grande-Bretagne",31/12/1988,1234,"H",0
"007","山田","太郎","日本",08/07/2012,1500,"男",
1234567,"NEW; ONE","=Cid","USA",,,"f",
''',
    """\
"Ronde","Table","Noir","Blanc","Score noir","Score blanc"
1,1,12,345,40,24
1,2,"山田, 太郎",1234567,32,32
2,1,345,7,20,44
2,,12,"bye",,
""",
)


def test_libreoffice_writes_the_same_tables_in_each_of_its_forms() -> None:
    """Version 7.4: CSV in UTF-8, in UTF-16 with semicolons, and `.xlsx` with cells of dates, sums and truths."""
    apart = re.compile(r'("(?:[^"]|"")*")|,')
    semicolons = [apart.sub(lambda match: match[1] or ";", text) for text in LIBREOFFICE]
    tournament = tables(*(text.encode() for text in LIBREOFFICE)).tournament
    assert tournament == tables(*(text.encode("utf-16") for text in semicolons)).tournament
    assert tournament == xlsx((Path(__file__).parents[2] / "data" / "libreoffice.xlsx").read_bytes())
    assert [
        (player.id, player.name, player.country, player.born, player.rating) for player in tournament.players
    ] == [
        ("12", "ALFA, Anne-Zoé", "FRA", "2001-02-03", 1720.5),
        ("345", 'BÊTA, Jr, Bo "B"', "GBR", "1988-12-31", 1234),
        ("7", "山田, 太郎", "JPN", "2012-07-08", 1500),
        ("1234567", "NEW; ONE, =Cid", "USA", None, None),
    ]
    assert [player.gender for player in tournament.players] == ["f", "m", "m", "f"] and tournament.players[
        0
    ].past_semifinalist
    games = [(game.black, game.white, game.score) for round_ in tournament.rounds for game in round_.games]
    assert games == [("12", "345", (40, 24)), ("7", "1234567", (32, 32)), ("345", "7", (20, 44))]
    assert tournament.rounds[1].byes == ("12",)


def test_a_workbook_with_numbers_dates_and_several_sheets() -> None:
    data = written(
        ("Open of the Hall",),
        (),
        ("Nr", "Name", "Vorname", "Land", "Geschlecht", "Geburtsdatum", "Elo"),
        (7, "NOBODY", "Ann", "FRA", "w", datetime.date(2008, 11, 5), 1714.0),
        (8, "NOBODY", "Bo", "SWE", None, None, None),
        Results=[("Round", "Black", "White", "Black score", "White score"), (1, 7, 8, 40, 24)],
        Notes=[("buy chalk",)],
    )
    reading = xlsx(data)
    assert reading.players == (ANN, Player("8", "NOBODY, Bo", "SWE", "SWE"))
    assert [(game.black, game.score) for game in reading.rounds[0].games] == [("7", (40, 24))]


def test_a_hidden_sheet_enters_nobody() -> None:
    book = Workbook()
    assert book.active is not None
    for sheet in (book.active, book.create_sheet("last year")):
        for row in (("id", "name"), (7 if sheet is book.active else 8, "NOBODY, Ann")):
            sheet.append(row)
    book.worksheets[1].sheet_state = "hidden"
    assert [player.id for player in xlsx(saved(book)).players] == ["7"]


def test_headings_over_several_columns_and_empty_rows_before_them() -> None:
    data = written(
        (),
        (None, "Players of the Open"),
        (None, "Player", None, None, "Other"),
        (None, "Nr.", "Name", None, "Country", "Sex", "Date of birth", "Rating"),
        (None, "7", "NOBODY", "Ann", "FRA", "w", "2008-11-05", "１７１４"),
        (None, 8.0, "NOBODY", "Bo", "SWE", None, None, "-"),
    )
    assert xlsx(data).players == (ANN, Player("8", "NOBODY, Bo", "SWE", "SWE"))


def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked() -> None:
    bomb = packed(sheet1=b" " * (64 << 20))
    assert len(bomb) < 1 << 20
    with pytest.raises(FormatError, match="at most 32 MB unpacked"):
        read_sheets(bomb)


def test_a_part_that_says_less_than_it_unpacks_to_is_refused() -> None:
    data = bytearray(packed(sheet1=b" " * (8 << 20)))
    for size in ((8 << 20).to_bytes(4, "little"),):
        while (at := data.find(size)) >= 0:
            data[at : at + 4] = (100).to_bytes(4, "little")
    with pytest.raises(FormatError):
        read_sheets(bytes(data))


DOCTYPE = '<!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'


@pytest.mark.parametrize(
    "part",
    [
        b"<?xml version='1.0'?>" + b" " * ((1 << 20) - 25) + DOCTYPE.encode(),
        DOCTYPE.encode(),
        b"\xef\xbb\xbf" + DOCTYPE.encode(),
        ('<?xml version="1.0" encoding="utf-16"?>' + DOCTYPE).encode("utf-16"),
        b"\xff\xfe" + DOCTYPE.encode("utf-16-le"),
        b"\xfe\xff" + DOCTYPE.encode("utf-16-be"),
        b"<!DOCTYPE x SYSTEM 'http://127.0.0.1/x.dtd'><x/>",
    ],
)
@pytest.mark.parametrize("stem", ["workbook", "sheet1", "styles", "[Content_Types]", ".rels"])
def test_a_part_that_declares_anything_is_refused_in_every_encoding(stem: str, part: bytes) -> None:
    with pytest.raises(FormatError, match="without declarations"):
        read_sheets(packed(**{stem: part}))


def test_a_part_is_checked_because_it_is_read_and_not_for_its_name() -> None:
    """A worksheet called `sheet1.dat` is refused; a drawing with a document type, which nobody reads, is not."""
    book = written(("id", "name"), (7, "Ann"))
    made, drawn = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as read, zipfile.ZipFile(made, "w") as renamed:
        for part in read.infolist():
            data = read.read(part).replace(b"sheet1.xml", b"sheet1.dat")
            if part.filename.endswith("sheet1.xml"):
                data = b"<!DOCTYPE worksheet>" + data
            renamed.writestr(part.filename.replace("sheet1.xml", "sheet1.dat"), data)
    with pytest.raises(FormatError, match=r"without declarations of its own, got xl/worksheets/sheet1\.dat"):
        read_sheets(made.getvalue())
    with zipfile.ZipFile(io.BytesIO(book)) as read, zipfile.ZipFile(drawn, "w") as with_logo:
        for part in read.infolist():
            with_logo.writestr(part.filename, read.read(part))
        with_logo.writestr("xl/media/logo.svg", b"<!DOCTYPE svg><svg/>")
    assert [player.name for player in xlsx(drawn.getvalue()).players] == ["Ann"]


@pytest.mark.parametrize("encoding", ["cp037", "utf-7", "utf-32", "iso-2022-jp"])
def test_a_part_in_an_encoding_that_could_hide_a_declaration_is_refused(encoding: str) -> None:
    part = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + DOCTYPE.encode(encoding)
    with pytest.raises(FormatError, match="its parts in UTF-8"):
        read_sheets(packed(workbook=part))


def test_a_sheet_far_wider_and_longer_than_a_table_costs_no_more_than_one() -> None:
    book = Workbook()
    book.active["A1"], book.active["B1"], book.active["A2"], book.active["B2"] = "id", "name", 1, "A"
    book.active["XFD3"], book.active["A1048576"] = "far", "away"
    assert xlsx(saved(book)).players == (Player("1", "A"),)


@pytest.mark.parametrize("sheets", [1, 3])
def test_more_rows_than_are_read_are_no_shorter_list(sheets: int) -> None:
    book = Workbook(write_only=True)
    for _ in range(sheets):
        sheet = book.create_sheet()
        for row in range(20_001 // sheets):
            sheet.append((row,) if row else ("id",))
    with pytest.raises(FormatError, match="at most 20000 rows"):
        read_sheets(saved(book))


def test_a_part_that_cannot_be_unpacked_is_refused_in_one_line() -> None:
    data = bytearray(written(("id", "name"), (1, "A")))
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        part = made.getinfo("xl/workbook.xml")
    at = part.header_offset + 30 + len(part.filename)
    data[at] = 0  # a stored block of no valid length
    with pytest.raises(FormatError, match="expected a spreadsheet"):
        read_sheets(bytes(data))


@given(st.integers(0, 6_000), st.binary(max_size=12), st.integers(0, 400))
def test_a_damaged_workbook_is_read_or_refused_in_one_line(where: int, damage: bytes, cut: int) -> None:
    data = written(("id", "name"), (1, "A"))
    with contextlib.suppress(FormatError):
        read_sheets(data[:where] + damage + data[where + cut :])


def test_a_hidden_row_is_read_and_named() -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("id", "name"), (7, "Ann"), (8, "Bo"), (9, "Cid")):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    kind = format_of("a.xlsx", saved(book))
    assert kind is not None and kind.read is not None
    reading = kind.read([Source("", saved(book))], ReadOptions())
    assert len(reading.tournament.players) == 3 and noted(reading) == [
        "3: a hidden row: read like the others"
    ]
