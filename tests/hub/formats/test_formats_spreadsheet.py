"""Players and results as spreadsheets write them: CSV in its many habits, and `.xlsx`."""

from __future__ import annotations

import contextlib
import datetime
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from console_director import Here, director_at
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from hub.console.pages import new_event
from hub.console.player_lists import players_of_file
from hub.formats.papp.player_list import joueurs_reading
from hub.formats.reading import Source
from hub.formats.registry import ReadOptions, format_of
from hub.formats.spreadsheets.csv_file import read_csv
from hub.formats.spreadsheets.xlsx_file import read_sheets
from hub.text import FormatError, Refused
from hub.tournament import Player, Tournament

ANN = Player("7", "NOBODY, Ann", "FRA", "FRA", gender="f", born="2008-11-05", rating=1714)
PLAIN = 'id,name,country,gender,born,rating\r\n7,"NOBODY, Ann",FRA,f,2008-11-05,1714\r\n'


def written(*rows: tuple[object, ...], **more: list[tuple[object, ...]]) -> bytes:
    """A workbook; `more` are further sheets by name."""
    book = Workbook()
    sheets = [(book.active, list(rows)), *((book.create_sheet(name), found) for name, found in more.items())]
    for sheet, found in sheets:
        for row in found:
            sheet.append(row)
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def xlsx(data: bytes) -> Tournament:
    kind = format_of("anything", data)
    assert kind is not None and kind.name == "xlsx" and kind.read is not None
    return kind.read([Source("", data)], ReadOptions()).tournament


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode(),
        PLAIN.encode("utf-8-sig"),
        PLAIN.encode("utf-16"),
        b"\xfe\xff" + PLAIN.encode("utf-16-be"),
        PLAIN.replace(",", "\t").replace('"NOBODY\t Ann"', '"NOBODY, Ann"').encode("utf-16"),
        PLAIN.replace("\r\n", "\r").encode(),
        b"sep=;\r\nid;name;country;gender;born;rating\r\n7;NOBODY, Ann;FRA;f;2008-11-05;1714\r\n",
        b'"sep=;"\nID;Name;Country;Sex;Born;Rating\n7;"NOBODY, Ann";FRA;F;05/11/2008;1714\n',
        b"id;name;country;gender;born;rating;;;\n7;NOBODY, Ann;FRA;f;2008-11-05;1714;;;\n;;;;;;;;\n",
        "N°;Nom;Prénom;Pays;Sexe;Date de naissance;Elo\n7;NOBODY;Ann;FRA;Féminin;05.11.2008;1714,0\n".encode(
            "cp1252"
        ),
        '番号,氏名,国,性別,生年月日,レーティング\n７,"NOBODY, Ann",FRA,女,2008年11月5日,１７１４\n'.encode(),
        '番号,氏名,国,性別,生年月日,レーティング\n７,"NOBODY, Ann",FRA,女,2008/11/05,1714\n'.encode("cp932"),
        b'Open of the Hall\n\nid,name,country,gender,born,rating\n7,"NOBODY, Ann",FRA,f,2008-11-05,1714\n',
        b'id,name,shoe,country,gender,born,rating\n7,"NOBODY, Ann",44,FRA,f,2008-11-05,1714\n',
        b"id,last name,first name,country,gender,born,rating\n7,NOBODY,Ann,FRA,woman,2008-11-05,1714.0\n",
        b"Spielernummer;Nachname;Vorname;Nation;Geschl.;Geburtsdatum;Wertung\n7.0;NOBODY;Ann;FRA;w;05.11.2008;1 714\n",
        "N° joueur;Nom;Prénom;Pays;Sexe;Né le;Elo\n7;NOBODY;Ann;FRA;F;05/11/2008;1714\n".encode("utf-16"),
        b'sep=|\nid|name|country|gender|born|rating\n="7"|NOBODY, Ann|FRA|f|2008-11-05|\'1714\n',
        b"id|name|country|gender|born|rating|\n7|NOBODY, Ann|FRA|f|2008-11-05|1714|\n||||||\n",
        b",,,,,,\n\nNo,Player,,Country,Sex,Birthday,Elo\n7,NOBODY,Ann,FRA,f,2008-11-05,1714\n",
        b'Player,,Other,,,\nid,name,country,sex,born,rating\n7,"NOBODY, Ann",FRA,f,2008-11-05,1714\n',
        "番号\t姓\t名\t国籍\t性別\t誕生日\tレート\n７\tNOBODY\tAnn\tFRA\t女子\t2008年11月5日\t１７１４\n".encode(
            "utf-16"
        ),
    ],
)
def test_one_player_however_a_spreadsheet_writes_her(data: bytes) -> None:
    assert read_csv([data]).players == (ANN,)


@pytest.mark.parametrize("said", ["", "-", "?", "n/a", "unrated"])
def test_who_has_no_rating_has_none_however_it_is_said(said: str) -> None:
    (player,) = read_csv([f"id,name,rating\n7,Ann,{said}\n".encode()]).players
    assert player.rating is None


def test_results_under_french_and_japanese_headings() -> None:
    players = b"id,name\n1,A\n2,B\n3,C\n"
    french = b"Ronde;Table;Noir;Blanc;Pions noirs;Pions blancs\n1;1;1;2;40;24\n1;;3;;;\n"
    japanese = "ラウンド,卓,黒,白,黒石数,白石数\n１,１,１,２,４０,２４\n１,,３,,,\n".encode()
    for results in (french, japanese):
        (round_,) = read_csv([players, results]).rounds
        assert [(game.black, game.white, game.score, game.table) for game in round_.games] == [
            ("1", "2", (40, 24), 1)
        ]
        assert round_.byes == ("3",)


def test_a_line_of_several_lines_keeps_the_numbers_of_those_behind_it() -> None:
    with pytest.raises(FormatError, match=r"line 4: rating: expected a number"):
        read_csv([b'id,name,rating\n1,"A\nof two lines",1700\n2,B,many\n'])


def test_players_without_numbers_are_newcomers_with_numbers_that_nobody_has() -> None:
    players = read_csv([b"name,country\nAnn,FRA\nBo,SWE\n"]).players
    assert [(one.id, one.name, one.extra) for one in players] == [
        ("900001", "Ann", {"new": True}),
        ("900002", "Bo", {"new": True}),
    ]
    mixed = read_csv([b"id,name\n900001,Ann\n,Bo\n"]).players
    assert [one.id for one in mixed] == ["900001", "900002"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"nothing,here\n1,2\n", "columns id, name"),
        (b"id,name,name\n1,A,B\n", "line 1: expected each column once"),
        (b"id,name\n1,A,,more\n", "line 2: expected 2 columns"),
        (b"id,name,additional\n1,A,perhaps\n", "line 2: additional: expected yes or no"),
        (b"id,name,country\n,,FRA\n", "line 2: expected an id or a name"),
        (b"", "columns id, name"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(data: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read_csv([data])


# .xlsx


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
    found = xlsx(data)
    assert found.players == (ANN, Player("8", "NOBODY, Bo", "SWE", "SWE"))
    assert [(game.black, game.score) for game in found.rounds[0].games] == [("7", (40, 24))]


def test_a_hidden_sheet_enters_nobody() -> None:
    book = Workbook()
    assert book.active is not None
    for sheet in (book.active, book.create_sheet("last year")):
        for row in (("id", "name"), (7 if sheet is book.active else 8, "NOBODY, Ann")):
            sheet.append(row)
    book.worksheets[1].sheet_state = "hidden"
    kept = io.BytesIO()
    book.save(kept)
    assert [player.id for player in xlsx(kept.getvalue()).players] == ["7"]


@pytest.mark.parametrize("made", [7.5, datetime.date(2026, 10, 24)])
def test_a_number_that_the_spreadsheet_took_for_something_else_is_named(made: object) -> None:
    with pytest.raises(FormatError, match="line 2: id: expected a number, no fraction and no day"):
        xlsx(written(("id", "name"), (made, "NOBODY, Ann")))


def test_a_short_japanese_table_is_told_from_accents() -> None:
    table = "番号,氏名,国\n１２,誰でも ない,JPN\n".encode("cp932")
    assert [(player.id, player.name) for player in read_csv([table], "open").players] == [
        ("12", "誰でも ない")
    ]
    accents = "id;name\n12;ÅSBÖ, Zoë\n".encode("latin-1")
    assert read_csv([accents], "open").players[0].name == "ÅSBÖ, Zoë"


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


def packed(**parts: bytes) -> bytes:
    """A workbook with other parts in place of its own, by the last part of their names."""
    kept = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(written(("id", "name"), (1, "A")))) as read,
        zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for part in read.infolist():
            stem = Path(part.filename).stem
            made.writestr(part.filename, parts.get(stem, read.read(part)))
    return kept.getvalue()


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


@pytest.mark.parametrize("declared", [b'<!DOCTYPE x [<!ENTITY a "ha">]>', b"<!doctype x>", b"\0"])
def test_xml_with_declarations_of_its_own_is_refused(declared: bytes) -> None:
    with pytest.raises(FormatError, match="without declarations"):
        read_sheets(packed(workbook=b"<?xml version='1.0'?>" + b" " * ((1 << 20) - 25) + declared + b"<x/>"))


def test_a_sheet_far_wider_and_longer_than_a_table_costs_no_more_than_one() -> None:
    book = Workbook()
    book.active["A1"], book.active["B1"], book.active["A2"], book.active["B2"] = "id", "name", 1, "A"
    book.active["XFD3"], book.active["A1048576"] = "far", "away"
    kept = io.BytesIO()
    book.save(kept)
    assert xlsx(kept.getvalue()).players == (Player("1", "A"),)


@pytest.mark.parametrize("table", [b"id,name\n" + b"1,A\n" * 100_001, b"\n" * 200_000, b"\r" * 200_000])
def test_far_too_many_lines_are_refused_before_they_are_read(table: bytes) -> None:
    with pytest.raises(FormatError, match="at most 100000 lines"):
        read_csv([table])


def test_more_rows_than_are_read_are_no_shorter_list() -> None:
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in range(20_001):
        sheet.append((row,) if row else ("id",))
    kept = io.BytesIO()
    book.save(kept)
    with pytest.raises(FormatError, match="at most 20000 rows"):
        read_sheets(kept.getvalue())


def test_a_part_that_cannot_be_unpacked_is_refused_in_one_line() -> None:
    data = bytearray(written(("id", "name"), (1, "A")))
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        first = made.infolist()[0]
    at = first.header_offset + 30 + len(first.filename)
    data[at] = 0  # a stored block of no valid length
    with pytest.raises(FormatError, match="expected a spreadsheet"):
        read_sheets(bytes(data))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old .xls; save it"),
        (
            "calc.ods",
            b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            "an .ods; save it",
        ),
    ],
)
def test_spreadsheets_of_other_programs_are_named(name: str, data: bytes, said: str) -> None:
    with pytest.raises(Refused, match=said):
        players_of_file(name, data)


def test_a_table_has_numbers_without_zeros_in_front_and_birthdays_under_a_form_for_both_genders() -> None:
    (player,) = players_of_file("a.csv", "No;Nom;Né(e) le\n00123;NOBODY;2001-02-03\n".encode())
    assert (player.id, player.born) == ("123", "2001-02-03")


@given(st.integers(0, 6_000), st.binary(max_size=12), st.integers(0, 400))
def test_a_damaged_workbook_is_read_or_refused_in_one_line(where: int, damage: bytes, cut: int) -> None:
    data = written(("id", "name"), (1, "A"))
    with contextlib.suppress(FormatError):
        read_sheets(data[:where] + damage + data[where + cut :])


# joueurs.txt


def test_one_broken_line_of_the_world_list_costs_that_line() -> None:
    data = (
        b"pays = FRA\n1 A, One %_<1700>\nwhat is this\n1 A, Again\n3 C, Three\n"
        + b"x" * 5_000
        + b"\n4 D, Four\n"
    )
    players, notes = joueurs_reading(data)
    assert [one.id for one in players] == ["1", "3", "4"]
    assert [note.line for note in notes] == [3, 4, 6]
    assert "what is this" in str(notes[0]) and "stands before" in str(notes[1])
    with pytest.raises(FormatError, match="line 1"):
        joueurs_reading(b"no list at all\n")


# At the console


async def test_a_workbook_makes_an_event_and_a_list_with_a_broken_line_is_kept(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_event, "_ASIDE", Here())

    empty = {"format": "flagfall-tournament/1", "rulebook": "open", "players": [{"id": "1"}, {"id": "2"}]}
    async with director_at(served, {**empty, "rounds": []}) as director:
        sheet = written(("Nom", "Pays", "Elo"), ("Ann", "FRA", 1714), ("Bo", "SWE", 1500))
        form = {"csrf": director.csrf, "name": "From a sheet", "rulebook": "open"}
        answer = await director.client.post("/desk/new", data=form, files={"file": ("a.xlsx", sheet)})
        assert answer.headers["location"] == "/desk/t/from-a-sheet/draft"
        made = director.served.store.states["from-a-sheet"].tournament
        assert [one.name for one in made.players] == ["Ann", "Bo"]
        assert (made.system, made.rounds_planned) == ("double_round_robin", 2)
        broken = b"pays = FRA\n900001 A, One\n2 B, Two\nwhat is this\n"
        answer = await director.client.post(
            "/desk/new/list", data={"csrf": director.csrf}, files={"list": ("joueurs.txt", broken)}
        )
        shown = (await director.client.get(answer.headers["location"])).text
        assert "1 line of the file was left out, as it could not be read: line 4." in shown
        form["name"] = "After the list"
        await director.client.post("/desk/new", data=form, files={"file": ("a.xlsx", sheet)})
        made = director.served.store.states["after-the-list"].tournament
        assert [one.id for one in made.players] == ["900003", "900002"]
        bomb = packed(sheet1=b" " * (64 << 20))
        answer = await director.client.post("/desk/new", data=form, files={"file": ("b.xlsx", bomb)})
        assert answer.status_code == 400 and "at most 32 MB unpacked" in answer.text
