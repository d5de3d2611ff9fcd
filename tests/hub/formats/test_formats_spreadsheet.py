"""Players and results as spreadsheets write them: CSV in its many habits, and `.xlsx`."""

from __future__ import annotations

import contextlib
import datetime
import html
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from console_director import Here, director_at
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from hub.console.pages import event as event_pages
from hub.console.player_lists import read_tournament
from hub.formats.papp.player_list import joueurs_reading
from hub.formats.reading import ReadTournament, Source
from hub.formats.registry import ReadOptions, format_of
from hub.formats.spreadsheets import csv_file
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


def tables(*found: bytes) -> ReadTournament:
    """Files of CSV that were read together."""
    return read_csv([Source(f"{nth}.csv", data) for nth, data in enumerate(found)])


def noted(found: ReadTournament) -> list[str]:
    return [str(note) for note in found.notes]


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
        "N°;Nom;Prénom;Pays;Sexe;Né(e);Elo\n7;NOBODY;Ann;FRA;Féminin;05.11.2008;1714,0\n".encode("cp1252"),
        '番号,氏名,国,性別,生年月日,レーティング\n７,"NOBODY, Ann",FRA,女,2008年11月5日,１７１４\n'.encode(),
        '番号,氏名,国,性別,生年月日,レーティング\n７,"NOBODY, Ann",FRA,女,2008/11/05,1714\n'.encode("cp932"),
        b'Open of the Hall\n\nid,name,country,gender,born,rating\n7,"NOBODY, Ann",FRA,f,2008-11-05,1714\n',
        b'id,name,shoe,country,gender,born,rating\n7,"NOBODY, Ann",44,FRA,f,2008-11-05,1714\n',
        b"id,last name,first name,country,gender,born,rating\n7,NOBODY,Ann,FRA,woman,2008-11-05,1714.0\n",
        b"Spielernummer;Nachname;Vorname;Fed.;Geschl.;Geb.;Wertung\n7.0;NOBODY;Ann;FRA;w;05.11.2008;1 714\n",
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
    assert tables(data).tournament.players == (ANN,)


@pytest.mark.parametrize("said", ["", "-", "?", "n/a", "unrated"])
def test_who_has_no_rating_has_none_however_it_is_said(said: str) -> None:
    (player,) = tables(f"id,name,rating\n7,Ann,{said}\n".encode()).tournament.players
    assert player.rating is None


def test_results_under_french_and_japanese_headings() -> None:
    players = b"id,name\n1,A\n2,B\n3,C\n"
    french = b"Ronde;Table;Noir;Blanc;Pions noirs;Pions blancs\n1;1;1;2;40;24\n1;;3;;;\n"
    japanese = "ラウンド,卓,黒,白,黒石数,白石数\n１,１,１,２,４０,２４\n１,,３,,,\n".encode()
    for results in (french, japanese):
        (round_,) = tables(players, results).tournament.rounds
        assert [(game.black, game.white, game.score, game.table) for game in round_.games] == [
            ("1", "2", (40, 24), 1)
        ]
        assert round_.byes == ("3",)


def test_players_without_numbers_are_newcomers_with_numbers_that_nobody_has() -> None:
    players = tables(b"name,country\nAnn,FRA\nBo,SWE\n").tournament.players
    assert [(one.id, one.name, one.extra) for one in players] == [
        ("900001", "Ann", {"new": True}),
        ("900002", "Bo", {"new": True}),
    ]
    mixed = tables(b"id,name\n900001,Ann\n,Bo\n").tournament.players
    assert [one.id for one in mixed] == ["900001", "900002"]


@pytest.mark.parametrize("data", [b"", b"nothing,here\n1,2\n", b"name,elo\n", b"id,name\n,\n"])
def test_a_table_without_anybody_is_refused_with_what_was_expected(data: bytes) -> None:
    with pytest.raises(FormatError, match="line 1: expected columns id, name"):
        tables(data)


THIRTY_NINE = "".join(f"{number},P{number}\n" for number in range(101, 140))


@pytest.mark.parametrize(
    ("table", "odd", "said"),
    [
        ("id,name,rating\n1,A,many\n", "A", '2: rating: expected a number, got "many": entered without it'),
        (
            "id,name,born\n1,A,2011\n",
            "A",
            "2: born: the year alone is told: entered as its first day",
        ),
        (
            "id,name,rating\n1,A,39757\n",
            "A",
            "2: rating: expected a number from -5000 to 5000, got 39757: entered without it",
        ),
        ("id,name,additional\n1,A,perhaps\n", "A", "2: additional: expected true or false"),
        ("id,name,from_round\n1,A,last\n", "A", "2: from_round: expected a whole number from 1"),
        ("id,name,withdrawn_after\n1,A,x\n", "A", "2: withdrawn_after: expected a whole number"),
        ("id,name,gender\n1,A,who\n", "A", "2: gender: expected one of f, m, x"),
        ("id,name,rating\n1.5,A,\n", "A", "2: id: expected a number, no fraction and no day, got 1.5"),
        ("id,name,rating\n2026-10-24,A,\n", "A", "2: id: expected a number, no fraction and no day"),
        ("id,name,rating\n101,A,\n", "A", "3: player 101 stands in the list before: left out"),
        (f"id,name,rating\n{'9' * 70},A,\n", None, "2: id: expected an id (text of 1 to 64"),
        ("id,name,rating\n,,1500\n", None, "2: expected an id or a name: left out"),
        ("id,name,rating\n1,A,1500,more\n", "A", '2: behind the last column: left out: "more"'),
        (
            "id,name,rating\n1,AMBER, Ann,1500\n",
            "AMBER, Ann",
            "2: one cell too many: the name is entered as AMBER, Ann",
        ),
        ("id,name,rating,name\n1,A,1500,B\n", "A", "1: the second column name: left out"),
        ('id,name,rating\n1,"A,1500\n', "A", "2: a quotation mark without its other one: read without"),
        ("id,name,rating\ntotal 13,,\n", "", "2: no name: entered as player total 13"),
        (
            "id,name,rating\n,Ann AMBER,\n,Ann Amber,\n",
            "AMBER, Ann",
            "3: Ann Amber stands in line 2 too: both are entered",
        ),
    ],
)
def test_one_odd_line_costs_that_cell_or_that_line_and_nobody_else(
    table: str, odd: str | None, said: str
) -> None:
    found = tables((table + THIRTY_NINE).encode())
    names = [one.name for one in found.tournament.players]
    assert {f"P{number}" for number in range(102, 140)} <= {*names}
    assert odd is None or odd in names
    (note,) = noted(found)
    assert note.startswith(said)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("x,3,4,40,24,,", 'round: expected a whole number 1 to 1000, got "x": left out'),
        ("99999,3,4,40,24,,", "round: expected a whole number 1 to 1000, got 99999: left out"),
        (",3,4,40,24,,", "round: expected a round, got nothing: left out"),
        ("1,3,4,40,,,", 'score[1]: expected a whole number 0 to 64, got "": entered without it'),
        ("1,3,4,60,60,,", "score: expected at most 64 discs together, got 60-60: entered without it"),
        ("1,1,4,40,24,,", "player 1 has a game or a bye in this round already: left out"),
        ("1,3,3,40,24,,", "expected two players, or one for a bye: left out"),
        ("1,5,4,40,24,,", "player 5 is not there in round 1: left out"),
        ("1,3,4,40,24,7,", "table 7 stands in this round before: entered without it"),
        ("1,3,4,40,24,,tired", "reason: expected one of board, "),
        ("1,3,99,40,24,,", "player 99 is not in the list: known by number only"),
    ],
)
def test_one_odd_result_costs_that_cell_or_that_line(row: str, said: str) -> None:
    players = b"id,name,from_round\n1,A,\n2,B,\n3,C,\n4,D,\n5,E,2\n"
    first = "round,black,white,black_score,white_score,table,reason\n1,1,2,40,24,7,\n"
    found = tables(players, f"{first}{row}\n2,1,3,40,24,,\n".encode())
    assert [len(one.games) for one in found.tournament.rounds] in ([1, 1], [2, 1])
    (note,) = noted(found)
    assert note.startswith(f"1.csv: 3: {said}")


def test_finals_that_cannot_be_are_named_and_the_others_stay() -> None:
    found = tables(
        b"id,name\n1,A\n2,B\n",
        b"title,stage,black,white,black_score,white_score,draw_win\n"
        b"open,final,1,2,32,32,1\nopen,final,1,1,40,24,\nopen,nowhere,1,2,40,24,\nopen,playoff,1,2,32,32,7\n",
    )
    assert [one.draw_win for one in found.tournament.finals] == ["1", None]
    assert [note.split(": ", 2)[1] for note in noted(found)] == ["3", "4", "5", "5"]


def test_results_name_players_as_people_do() -> None:
    """By number, by name in either order; a table of results alone brings its players along."""
    players = b"Name;Surname\nAnn;AMBER\nBo;BERYL\n"
    results = b"Round;Black;White;Black score;White score\n1;Ann AMBER;BERYL, Bo;40;24\n2;Beryl Bo;bye;;\n"
    found = tables(players, results)
    assert [(one.id, one.name) for one in found.tournament.players] == [
        ("900001", "AMBER, Ann"),
        ("900002", "BERYL, Bo"),
    ]
    assert [(game.black, game.white) for game in found.tournament.rounds[0].games] == [("900001", "900002")]
    alone = tables(results)
    assert alone.tournament == found.tournament and not alone.notes


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("AMBER, Ann", "AMBER, Ann"),
        ("AMBER,Ann", "AMBER, Ann"),
        ("AMBER Ann", "AMBER, Ann"),
        ("Ann  AMBER", "AMBER, Ann"),
        ("VAN DEN BERG Ann Bo", "VAN DEN BERG, Ann Bo"),
        ("O'NEILL Ann", "O'NEILL, Ann"),
        ("J. AMBER", "AMBER, J."),
        ("Ann Amber", "Ann Amber"),
        ("ANN AMBER", "ANN AMBER"),
        ("琥珀　太郎", "琥珀 太郎"),
        ("ＡＭＢＥＲ　Ａｎｎ", "AMBER, Ann"),
    ],
)
def test_a_name_tells_its_family_name_by_a_comma_or_capitals(written: str, read: str) -> None:
    (player,) = tables(f'name\n"{written}"\n'.encode()).tournament.players
    assert player.name == read


@pytest.mark.parametrize(
    ("headings", "row"),
    [
        (
            "Timestamp,Email Address,Your name,Country (3 letters),Current rating",
            "2026/01/02 10:00,a@b.c,AMBER Ann,France,1714",
        ),
        (
            "Horodateur;Adresse e-mail;Nom / Name;Pays / Country;Cote Elo (WOF)",
            "02/01/2026;a@b.c;Ann AMBER;FRA;1714,00",
        ),
        (
            "タイムスタンプ,メールアドレス,お名前,国,レーティング",
            "2026/01/02,a@b.c,AMBER Ann,フランス,１７１４",
        ),
        ("Cognome;Nome;Paese;Elo", "AMBER;Ann;Francia;1.714"),
        ("Nome;Cognome;Nazione;Elo", 'Ann;AMBER;FRA;"1,714"'),
        ("Achternaam\tVoornaam\tLand\tRating", "AMBER\tAnn\tFrankrijk\t1 714"),
        ("Imię i nazwisko;Kraj;Ranking", "Ann AMBER;Francja;1714.0"),
        ("Vor- und Nachname;Land;Wertungszahl", "Ann AMBER;Frankreich;1714"),
        ("Name;Surname;Nation;Rtg;;;", "Ann;AMBER;France;'1714;;;"),
    ],
)
def test_forms_and_lists_of_many_countries(headings: str, row: str) -> None:
    found = tables(f"{headings}\n\n{row}\n".encode())
    (player,) = found.tournament.players
    assert (player.name, player.country, player.rating) == ("AMBER, Ann", "FRA", 1714)
    assert not found.notes


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-8-sig", "cp932", "euc_jp"])
def test_japanese_tables_in_every_encoding_with_a_mark_or_without(encoding: str) -> None:
    table = "番号,氏名,国\n" + "".join(f"{n},琥珀　太郎,日本\n" for n in range(1, 9))
    players = tables(table.encode(encoding)).tournament.players
    assert len(players) == 8 and players[0].name == "琥珀 太郎" and players[0].country == "JPN"


def test_a_day_that_the_spreadsheet_keeps_as_a_number() -> None:
    (player,) = tables(b"name,born\nAnn,39757\n").tournament.players
    assert player.born == "2008-11-05"


# .xlsx


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
    semicolons = [apart.sub(lambda found: found[1] or ";", one) for one in LIBREOFFICE]
    found = tables(*(one.encode() for one in LIBREOFFICE)).tournament
    assert found == tables(*(one.encode("utf-16") for one in semicolons)).tournament
    assert found == xlsx((Path(__file__).parents[2] / "data" / "libreoffice.xlsx").read_bytes())
    assert [(one.id, one.name, one.country, one.born, one.rating) for one in found.players] == [
        ("12", "ALFA, Anne-Zoé", "FRA", "2001-02-03", 1720.5),
        ("345", 'BÊTA, Jr, Bo "B"', "GBR", "1988-12-31", 1234),
        ("7", "山田, 太郎", "JPN", "2012-07-08", 1500),
        ("1234567", "NEW; ONE, =Cid", "USA", None, None),
    ]
    assert [one.gender for one in found.players] == ["f", "m", "m", "f"] and found.players[
        0
    ].past_semifinalist
    games = [(one.black, one.white, one.score) for round_ in found.rounds for one in round_.games]
    assert games == [("12", "345", (40, 24)), ("7", "1234567", (32, 32)), ("345", "7", (20, 44))]
    assert found.rounds[1].byes == ("12",)


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


def test_a_short_japanese_table_is_told_from_accents() -> None:
    table = "番号,氏名,国\n１２,誰でも ない,JPN\n".encode("cp932")
    assert [(player.id, player.name) for player in tables(table).tournament.players] == [
        ("12", "誰でも ない")
    ]
    accents = "id;name\n12;ÅSBÖ, Zoë\n".encode("latin-1")
    assert tables(accents).tournament.players[0].name == "ÅSBÖ, Zoë"


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
        tables(table)


@pytest.mark.parametrize("sheets", [1, 3])
def test_more_rows_than_are_read_are_no_shorter_list(sheets: int) -> None:
    book = Workbook(write_only=True)
    for _ in range(sheets):
        sheet = book.create_sheet()
        for row in range(20_001 // sheets):
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
        read_tournament(name, data)


def test_a_table_has_numbers_without_zeros_in_front_and_birthdays_under_a_form_for_both_genders() -> None:
    (player,) = read_tournament(
        "a.csv", "No;Nom;Né(e) le\n00123;NOBODY;2001-02-03\n".encode()
    ).tournament.players
    assert (player.id, player.born) == ("123", "2001-02-03")


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
    kept = io.BytesIO()
    book.save(kept)
    kind = format_of("a.xlsx", kept.getvalue())
    assert kind is not None and kind.read is not None
    found = kind.read([Source("", kept.getvalue())], ReadOptions())
    assert len(found.tournament.players) == 3 and noted(found) == ["3: a hidden row: read like the others"]


@pytest.mark.parametrize("quoted", [b"", b'"'])
def test_more_rows_than_a_tournament_has_are_refused_without_reading_them(
    monkeypatch: Any, quoted: bytes
) -> None:
    read = []
    monkeypatch.setattr(csv_file, "_as_written", lambda cell: read.append(cell) or cell)
    with pytest.raises(FormatError, match="at most 20000 rows"):
        tables(b"id\n" + quoted + b"".join(b"%d\n\n" % number for number in range(40_000)))
    assert len(read) <= 20_002


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"id,name,country\n1,A\x1b[2J\0B,\x07\n2,C,\n"),
        ("a.csv", "id,name\n1,A\u202eB\u2028C\n2,C\n".encode()),
        ("a.elo", b"%%Tournament: T\x07\n%_% 1, A\x1b[2J, \x08B, FRA, 1, 40\n1 (40)>(24) 2 B\n"),
        ("joueurs.txt", b"pays = F\x1bRA\n1 A\x07B %_<1700>\n2 C\n"),
        (
            "a.json",
            b'{"format":"flagfall-tournament/1","rulebook":"open","rounds":[],"name":"\\u001b",'
            b'"players":[{"id":"1","name":"A\\u0007\\u202eB","team":"\\u0000"}]}',
        ),
    ],
)
def test_no_name_of_any_file_controls_a_terminal_or_turns_a_line(name: str, data: bytes) -> None:
    players = read_tournament(name, data).tournament.players
    assert players
    for player in players:
        assert all(one.isprintable() for one in (player.name, player.country, player.team))
        assert player.name == " ".join(player.name.split())


def test_who_makes_a_player_by_hand_makes_a_printable_one() -> None:
    assert Player("1", "A\ud800\tB").name == "A B"
    assert Tournament("open", (), name="A\x1bB").name == "A B"


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


def key_in(page: str) -> str:
    """What a page sends back that has shown a file's doubtful lines."""
    (key,) = re.findall(r'name="seen" value="(\w+)"', page)
    return str(key)


async def test_every_doubtful_line_is_shown_before_anything_is_kept(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "_ASIDE", Here())
    async with director_at(served) as director:
        odd = ("id,name,rating\n1,A,many\n2,B,1500\n3,C,<b>few</b>\n,,7\n" + THIRTY_NINE).encode()
        form = {"csrf": director.csrf, "name": "Odd", "rulebook": "open", "rounds_planned": "5"}

        async def send(file: bytes | None = None, **more: str) -> Any:
            files = None if file is None else {"file": ("odd.csv", file)}
            return await director.client.post("/desk/new", data={**form, **more}, files=files)

        answer = await send(odd)
        assert answer.status_code == 400 and not director.served.store.states
        page = html.unescape(answer.text)
        for line in (
            'line 2: Rating: expected a number, got "many"',
            "line 4: ",
            "line 5: expected an id or a name",
        ):
            assert line in page
        assert "3 lines of the file are in doubt" in page and "<b>few" not in answer.text
        assert 'value="Odd"' in answer.text and 'value="5"' in answer.text
        assert (await send(seen="another file")).status_code == 400 and not director.served.store.states
        done = await send(seen=key_in(answer.text))
        assert done.headers["location"] == "/desk/t/odd/draft"
        assert len(director.served.store.states["odd"].tournament.players) == 42
        again = await send(odd, name="Again", seen=key_in(answer.text))  # the same file, chosen anew
        assert again.status_code == 303
        mended = await send(odd.replace(b"many", b"1700"), name="Mended", seen=key_in(answer.text))
        assert mended.status_code == 400 and "2 lines of the file are in doubt" in mended.text
        for nth in range(5):  # only the last few are kept
            await send(odd + f"200,Z,{nth}x\n".encode(), name="Other")
        assert (await send(seen=key_in(mended.text), name="Late")).status_code == 400


async def test_a_workbook_makes_an_event_and_a_list_with_a_broken_line_is_kept(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "_ASIDE", Here())

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
        assert answer.status_code == 400 and "line 4: neither a country nor a player" in answer.text
        seen = {"csrf": director.csrf, "seen": key_in(answer.text)}
        assert (await director.client.post("/desk/new/list", data=seen)).status_code == 303
        form["name"] = "After the list"
        await director.client.post("/desk/new", data=form, files={"file": ("a.xlsx", sheet)})
        made = director.served.store.states["after-the-list"].tournament
        assert [one.id for one in made.players] == ["900003", "900002"]
        bomb = packed(sheet1=b" " * (64 << 20))
        answer = await director.client.post("/desk/new", data=form, files={"file": ("b.xlsx", bomb)})
        assert answer.status_code == 400 and "at most 32 MB unpacked" in answer.text
