"""Players and results as spreadsheets and people write them: CSV in its many habits."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.spreadsheets import ANN, tables

from hub.console.player_lists import read_tournament
from hub.formats.spreadsheets import csv_file
from hub.text import FormatError, Refused

PLAIN = 'id,name,country,gender,born,rating\r\n7,"NOBODY, Ann",FRA,f,2008-11-05,1714\r\n'


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
        b'"sep=;"\nID;Name;Country;Sex;Born;Rating\n7;"NOBODY, Ann";FRA;F;5.11.2008;1714\n',
        b"id;name;country;gender;born;rating;;;\n7;NOBODY, Ann;FRA;f;2008-11-05;1714;;;\n;;;;;;;;\n",
        "N°;Nom;Prénom;Pays;Sexe;Né(e);Elo\n7;NOBODY;Ann;FRA;Féminin;05.11.2008;1714,0\n".encode("cp1252"),
        '番号,氏名,国,性別,生年月日,レーティング\n７,"NOBODY, Ann",FRA,女,2008年11月5日,１７１４\n'.encode(),
        '番号,氏名,国,性別,生年月日,レーティング\n７,"NOBODY, Ann",FRA,女,2008/11/05,1714\n'.encode("cp932"),
        b'Open of the Hall\n\nid,name,country,gender,born,rating\n7,"NOBODY, Ann",FRA,f,2008-11-05,1714\n',
        b'id,name,shoe,country,gender,born,rating\n7,"NOBODY, Ann",44,FRA,f,2008-11-05,1714\n',
        b"id,last name,first name,country,gender,born,rating\n7,NOBODY,Ann,FRA,woman,2008-11-05,1714.0\n",
        b"Spielernummer;Nachname;Vorname;Fed.;Geschl.;Geb.;Wertung\n7.0;NOBODY;Ann;FRA;w;05.11.2008;1 714\n",
        "N° joueur;Nom;Prénom;Pays;Sexe;Né le;Elo\n7;NOBODY;Ann;FRA;F;5 nov. 2008;1714\n".encode("utf-16"),
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


@pytest.mark.parametrize("text", ["", "-", "?", "n/a", "unrated"])
def test_who_has_no_rating_has_none_however_it_is_said(text: str) -> None:
    (player,) = tables(f"id,name,rating\n7,Ann,{text}\n".encode()).tournament.players
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
    assert [(player.id, player.name, player.new) for player in players] == [
        ("900001", "Ann", True),
        ("900002", "Bo", True),
    ]
    mixed = tables(b"id,name\n900001,Ann\n,Bo\n").tournament.players
    assert [player.id for player in mixed] == ["900001", "900002"]


@pytest.mark.parametrize("data", [b"", b"nothing,here\n1,2\n", b"name,elo\n", b"id,name\n,\n"])
def test_a_table_without_anybody_is_refused_with_what_was_expected(data: bytes) -> None:
    with pytest.raises(FormatError, match="line 1: expected columns id, name"):
        tables(data)


def test_results_name_players_as_people_do() -> None:
    """Players are named by number or by name in either order; a table of results alone brings its players along."""
    players = b"Name;Surname\nAnn;AMBER\nBo;BERYL\n"
    results = b"Round;Black;White;Black score;White score\n1;Ann AMBER;BERYL, Bo;40;24\n2;Beryl Bo;bye;;\n"
    reading = tables(players, results)
    assert [(player.id, player.name) for player in reading.tournament.players] == [
        ("900001", "AMBER, Ann"),
        ("900002", "BERYL, Bo"),
    ]
    assert [(game.black, game.white) for game in reading.tournament.rounds[0].games] == [("900001", "900002")]
    alone = tables(results)
    assert alone.tournament == reading.tournament and not alone.notes


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
    reading = tables(f"{headings}\n\n{row}\n".encode())
    (player,) = reading.tournament.players
    assert (player.name, player.country, player.rating) == ("AMBER, Ann", "FRA", 1714)
    assert not reading.notes


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-8-sig", "cp932", "euc_jp"])
def test_japanese_tables_in_every_encoding_with_a_mark_or_without(encoding: str) -> None:
    table = "番号,氏名,国\n" + "".join(f"{n},琥珀　太郎,日本\n" for n in range(1, 9))
    players = tables(table.encode(encoding)).tournament.players
    assert len(players) == 8 and players[0].name == "琥珀 太郎" and players[0].country == "JPN"


def test_a_day_that_the_spreadsheet_keeps_as_a_number() -> None:
    (player,) = tables(b"name,born\nAnn,39757\n").tournament.players
    assert player.born == "2008-11-05"


def test_a_short_japanese_table_is_told_from_accents() -> None:
    table = "番号,氏名,国\n１２,誰でも ない,JPN\n".encode("cp932")
    assert [(player.id, player.name) for player in tables(table).tournament.players] == [
        ("12", "誰でも ない")
    ]
    accents = "id;name\n12;ÅSBÖ, Zoë\n".encode("latin-1")
    assert tables(accents).tournament.players[0].name == "ÅSBÖ, Zoë"


@pytest.mark.parametrize("table", [b"id,name\n" + b"1,A\n" * 100_001, b"\n" * 200_000, b"\r" * 200_000])
def test_far_too_many_lines_are_refused_before_they_are_read(table: bytes) -> None:
    with pytest.raises(FormatError, match="at most 100000 lines"):
        tables(table)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old Excel or Word file; save"),
        (
            "calc.ods",
            b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            "an OpenDocument file; save",
        ),
    ],
)
def test_spreadsheets_of_other_programs_are_named(name: str, data: bytes, message: str) -> None:
    with pytest.raises(Refused, match=message):
        read_tournament(name, data)


def test_a_table_has_numbers_without_zeros_in_front_and_birthdays_under_a_form_for_both_genders() -> None:
    (player,) = read_tournament(
        "a.csv", "No;Nom;Né(e) le\n00123;NOBODY;2001-02-03\n".encode()
    ).tournament.players
    assert (player.id, player.born) == ("123", "2001-02-03")


@pytest.mark.parametrize("quoted", [b"", b'"'])
def test_more_rows_than_a_tournament_has_are_refused_without_reading_them(
    monkeypatch: Any, quoted: bytes
) -> None:
    read = []
    monkeypatch.setattr(csv_file, "_as_written", lambda cell: read.append(cell) or cell)
    with pytest.raises(FormatError, match="at most 20000 rows"):
        tables(b"id\n" + quoted + b"".join(b"%d\n\n" % number for number in range(40_000)))
    assert len(read) <= 20_002
