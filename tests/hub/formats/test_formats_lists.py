"""Lists of players as directors of many countries have them: nobody is lost, and nobody invented."""

from __future__ import annotations

import pytest
from helpers.spreadsheets import noted, saved, tables
from openpyxl import Workbook

from hub.formats.dates import DayOrder
from hub.formats.reading import ReadTournament
from hub.formats.spreadsheets.cells import heading
from hub.formats.spreadsheets.csv_file import text_sheet
from hub.formats.spreadsheets.sheets import tournament_of_sheets
from hub.formats.spreadsheets.understood import Answers, TableReading, WorldNumbers
from hub.formats.spreadsheets.xlsx_file import read_sheets
from hub.model.players import Player, clean_name
from hub.text import FormatError

WORLD = WorldNumbers.of(
    [
        Player("1", name="VEGA, Alpha", country="FRA"),
        Player("2", name="SHELIAK, Beta"),
        Player("3", name="SULAFAT, Gamma"),
        Player("12", name="AMBER, Ann", country="FRA", rating=1714),
        Player("13", name="BERYL, Bo", country="ITA"),
        Player("14", name="BERYL, Bo", country="USA"),
        Player("15", name="CORAL, Cid Ivo"),
    ]
)


def read(
    text: str, world: WorldNumbers | None = None, answers: Answers | None = None, *, asks: bool = True
) -> ReadTournament:
    sheet = text_sheet(text.encode())
    return tournament_of_sheets((sheet,), "open", TableReading(answers or Answers(), world, asks=asks))


def fields(reading: ReadTournament) -> list[str]:
    assert reading.understood is not None
    return [column.field for table in reading.understood.tables for column in table.columns]


def names(reading: ReadTournament) -> list[str]:
    return [player.name for player in reading.tournament.players]


def identities(reading: ReadTournament) -> list[tuple[str, bool]]:
    return [(player.id, player.new) for player in reading.tournament.players]


# Numbers


@pytest.mark.parametrize(
    "title", ["No.", "Nr", "N°", "#", "Number", "Rank", "Seed", "Rang", "Lp.", "順位", "Platz"]
)
@pytest.mark.parametrize("world", [None, WORLD])
def test_a_column_that_counts_the_rows_is_nobodys_number(title: str, world: WorldNumbers | None) -> None:
    reading = read(f"{title},Name\n1,Dan DOE\n2,Eve ELM\n3,Flo FIR\n", world)
    assert identities(reading) == [("900001", True), ("900002", True), ("900003", True)]
    assert fields(reading) == ["row", "name"]


def test_numbers_of_rows_with_gaps_and_of_two_groups_are_nobodys() -> None:
    for column in ("1,2,4,5", "1,2,1,2", "4,2,1,3", "1.0,2.0,3.0,4.0"):
        rows = "\n".join(
            f"{n},{name}" for n, name in zip(column.split(","), ("A B", "C D", "E F", "G H"), strict=True)
        )
        assert all(new for _, new in identities(read(f"No.,Name\n{rows}\n")))


def test_a_number_is_an_identity_only_if_the_world_list_has_it_for_that_name() -> None:
    reading = read("WOF,Name\n12,Ann AMBER\n15,Cid CORAL\n13,Dan DOE\n77,Eve ELM\n", WORLD)
    assert identities(reading) == [("12", False), ("15", False), ("900001", True), ("900002", True)]
    assert noted(reading) == [
        "4: 13: expected BERYL, Bo, as in the world list, got DOE, Dan: entered without the number",
        "5: 77: expected a number of the world list: ELM, Eve is entered without it",
    ]


def test_an_id_column_of_1_to_n_is_not_the_world_lists_where_all_names_differ() -> None:
    reading = read("id,name\n1,Dan DOE\n2,Eve ELM\n3,Flo FIR\n", WORLD)
    assert all(new for _, new in identities(reading)) and fields(reading)[0] == "row"
    assert identities(read("id,name\n1,Dan DOE\n2,Eve ELM\n3,Flo FIR\n"))[0] == ("1", False)


def test_a_name_of_the_world_list_is_offered_its_number_and_never_given_it() -> None:
    reading = read("Name,Country\nAnn Amber,FRA\nBo BERYL,USA\nDan DOE,FRA\n", WORLD)
    assert all(new for _, new in identities(reading))
    assert reading.understood is not None
    offered = [(offer.line, [player.id for player in offer.listed]) for offer in reading.understood.offers]
    assert offered == [(2, ["12"]), (3, ["13", "14"])]
    chosen = read(
        "Name,Country\nAnn Amber,FRA\nBo BERYL,USA\n", WORLD, Answers(numbers={"3": "14", "2": "new"})
    )
    assert identities(chosen) == [("900001", True), ("14", False)]
    all_certain = read("Name\nAnn Amber\nBo BERYL\n", WORLD, Answers(take_numbers=True))
    assert identities(all_certain) == [("12", False), ("900001", True)], "homonyms are chosen one by one"


def test_results_name_players_by_the_numbers_of_their_rows() -> None:
    players = text_sheet(b"No.,Name\n1,Dan DOE\n2,Eve ELM\n")
    results = text_sheet(b"Round,Black,White,Black score,White score\n1,1,2,40,24\n")
    reading = tournament_of_sheets((players, results), "open", TableReading(world=WORLD))
    (game,) = reading.tournament.rounds[0].games
    assert (game.black, game.white) == ("900001", "900002")


@pytest.mark.parametrize("spoilt", ["1.23457E+11", "1,23457E+11", "1E+05", "123457000000"])
def test_a_number_that_a_spreadsheet_has_shortened_is_no_identity(spoilt: str) -> None:
    reading = read(f'Number,Name\n"{spoilt}",Ann\n00012,Bo\n')
    assert identities(reading) == [("900001", True), ("12", False)]
    (note,) = noted(reading)
    assert note.startswith("2: id: expected all digits of a number")


# Headings


@pytest.mark.parametrize(
    ("title", "field"),
    [
        *(
            (title, "name")
            for title in ("Surname, First", "Last, First", "Name (Surname, First)", "Nom, Prénom")
        ),
        *(
            (title, "name")
            for title in ("NOM Prénom", "Nachname, Vorname", "Cognome e Nome", "Apellidos y nombre")
        ),
        *(
            (title, "name")
            for title in ("Achternaam, voornaam", "Nazwisko i imię", "氏名", "First name / last name")
        ),
        *(
            (title, "name")
            for title in ("Participant", "Teilnehmer", "Giocatore", "Uczestnik", "Participantes")
        ),
        *(
            (title, "gender")
            for title in ("M/F", "Sex (M/F)", "m/w/d", "H/F", "Gender [M/F]", "Sesso", "性別")
        ),
        *((title, "first_name") for title in ("Given name(s)", "First", "Voornaam", "Imię", "Vorname", "名")),
        *((title, "family_name") for title in ("Last", "Surname", "Apellidos", "Cognome", "Nazwisko", "姓")),
        *(
            (title, "born")
            for title in ("D.O.B.", "Jahrgang", "Rok urodzenia", "Fecha de nacimiento", "Né(e) le")
        ),
        *((title, "country") for title in ("Nationality", "Fed.", "Nazione", "Kraj", "País", "国籍", "Land")),
        *((title, "id") for title in ("WOF #", "WOF No.", "Licence", "会員番号")),
    ],
)
def test_headings_of_many_countries(title: str, field: str) -> None:
    assert heading(title) == field


def test_a_second_row_of_headings_and_titles_above_are_no_players() -> None:
    reading = read(
        'Open of the Hall 2026,,,,\n\nPlayer,,Details,,\nNo.,"Surname, First",Nationality,M/F,Rating\n'
        'N°,"Nom, Prénom",Pays,H/F,Cote\n1,"AMBER, Ann",France,F,1500\n2,"BERYL, Bo",Italy,M,1400\n'
    )
    assert [(player.name, player.country, player.gender) for player in reading.tournament.players] == [
        ("AMBER, Ann", "FRA", "f"),
        ("BERYL, Bo", "ITA", "m"),
    ]
    assert reading.understood is not None
    assert reading.understood.tables[0].above == ((1, "Open of the Hall 2026"),)
    assert noted(reading) == ["5: a second row of headings: left out"]


def test_headings_of_two_rows_are_read_together() -> None:
    reading = read(
        "Name,,Birth,\nFirst,Last,Date,Town\nAnn,AMBER,2010-01-02,Paris\nBo,BERYL,2011-01-02,Rome\n"
    )
    assert [(player.name, player.born) for player in reading.tournament.players] == [
        ("AMBER, Ann", "2010-01-02"),
        ("BERYL, Bo", "2011-01-02"),
    ]


def test_every_column_that_is_not_read_is_named() -> None:
    reading = read("Name,E-mail,,Phone,Empty,Rating\nAnn,a@b.c,odd,0612,,1500\nBo,,,,,1400\n")
    assert reading.understood is not None
    texts = [text for _, _, text in reading.understood.lines()]
    assert texts == ['column B "E-mail": not read', 'column C "": not read', 'column D "Phone": not read']


def test_a_table_without_a_column_of_names_is_asked_for_it() -> None:
    text = "Qwerty,Origen,Puntos\nAna Garza,ESP,1500\nJose Ruiz,ESP,1400\n"
    reading = read(text)
    assert reading.understood is not None and reading.understood.asks and not reading.tournament.players
    with pytest.raises(FormatError, match="line 1: expected columns id, name"):
        read(text, asks=False)
    answered = read(text, answers=Answers(columns={"1.1": "name", "1.2": "country", "1.3": ""}))
    assert answered.understood is not None and not answered.understood.asks
    assert [(player.name, player.country, player.rating) for player in answered.tournament.players] == [
        ("Ana Garza", "ESP", None),
        ("Jose Ruiz", "ESP", None),
    ]
    nameless = read("Country,Rating\nFRA,1500\nITA,1400\n")
    assert nameless.understood is not None and nameless.understood.tables[0].nameless


def test_answers_that_change_nothing_change_nothing() -> None:
    """The form that is sent back unchanged is read as it was shown."""
    for text in (
        'No.,"Surname, First",Shoe,Birth\n1,"A, B",44,12/25/2010\n2,"C, D",43,01/02/2010\n',
        "A; FRA\nB\n",
    ):
        reading = read(text, WORLD)
        assert reading.understood is not None
        again = read(text, WORLD, reading.understood.answers)
        assert again.tournament == reading.tournament and again.understood == reading.understood


# Rows that are no players


@pytest.mark.parametrize(
    "row",
    [
        "Total,,2",
        ",,Total: 2",
        "Average,,1450",
        "Moyenne,,1450",
        "Summe: 2,,2900",
        "Durchschnitt,,1450",
        "Total players: 2,,",
        "Media,,1450",
        "Razem,,2",
        "Gemiddelde,,1450",
        "合計,,2",
        "平均,,1450",
        "* = junior,,",
        "Updated 12 Nov 2026,,",
        "Page 1 of 2,,",
        "Contact: me@example.org,,",
        "http://example.org,,",
        ",,1450",
        "----,,",
        "Please arrive by 9:00,,",
        "Please be in the room early,,",
    ],
)
def test_totals_averages_and_notes_are_left_out_and_named(row: str) -> None:
    reading = read(f"Name,Country,Rating\nAnn AMBER,FRA,1500\nBo BERYL,ITA,1400\n{row}\n")
    assert names(reading) == ["AMBER, Ann", "BERYL, Bo"]
    (note,) = noted(reading)
    assert note.startswith("4: ") and note.count("left out") == 1


def test_a_player_called_like_a_total_is_a_player() -> None:
    assert "Media, Ana" in names(read('Name,Country\n"Media, Ana",ESP\nBo,ITA\n'))
    assert "SUM, Ho" in names(read("Name,Country\nHo SUM,HKG\nBo,ITA\n"))


@pytest.mark.parametrize("order", [("Dan", "Ann", "Bo"), ("Ann", "Dan", "Bo"), ("Ann", "Bo", "Dan")])
def test_a_player_called_dan_is_no_heading_of_grades(order: tuple[str, ...]) -> None:
    assert names(read("\n".join(order))) == list(order)
    assert names(read("Name,Dan\nAnn,3 dan\nBo,\n")) == ["Ann", "Bo"]


def test_a_row_with_a_name_alone_among_full_ones_is_named() -> None:
    reading = read(
        "Name,Country,Rating\nAnn,FRA,1500\nBo,ITA,1400\nCid,ITA,1300\nWaiting list,,\nDi,FRA,1200\n"
    )
    assert noted(reading) == ["5: only a name stands in this row: Waiting list is entered"]


def test_the_headings_again_on_each_page_are_nobody() -> None:
    assert names(read("Name,Country\nAnn,FRA\nName,Country\nBo,ITA\n")) == ["Ann", "Bo"]


# Typed lines


def test_typed_lines_and_tables_are_read_by_the_same_rules() -> None:
    typed = read("Ann Amber 1500; France; f\nBo Beryl; ITA\nAnn Amber 1500; FRA\n")
    table = read("Name;Country;Gender\nAnn Amber 1500;France;f\nBo Beryl;ITA;\nAnn Amber 1500;FRA;\n")
    assert typed.tournament == table.tournament
    first = typed.tournament.players[0]
    assert (first.name, first.country, first.rating) == ("Ann Amber", "FRA", 1500)
    assert [note.split(": ", 1)[1].replace("line 2", "line 1") for note in noted(typed)] == [
        note.split(": ", 1)[1].replace("line 2", "line 1") for note in noted(table)
    ]
    assert any("stands in line 1 too" in note for note in noted(typed))


@pytest.mark.parametrize(
    ("line", "name", "country", "rating"),
    [
        ("Ann Amber 1500", "Ann Amber", "", 1500),
        ("Ann Amber (1500)", "Ann Amber", "", 1500),
        ("Ann AMBER (FRA) 1500", "AMBER, Ann", "FRA", 1500),
        ("Ann Amber FRA 1500", "Ann Amber", "FRA", 1500),
        ("Amber, Ann; Frankreich; 1500", "Amber, Ann", "FRA", 1500),
        ("FRA; Ann Amber; 1500", "Ann Amber", "FRA", 1500),
        ("Amber, Ann, FRA, 1500", "Amber, Ann", "FRA", 1500),
        ("7) Ann Amber\tfra\t1500", "Ann Amber", "FRA", 1500),
        ("- Ann Amber; 1500", "Ann Amber", "", 1500),
        ("No, Min; KOR; 1500", "No, Min", "KOR", 1500),
        ("Land, Ann; 1500", "Land, Ann", "", 1500),
        ("P101", "P101", "", None),
    ],
)
def test_a_typed_line(line: str, name: str, country: str, rating: float | None) -> None:
    first, _ = read(f"{line}\nBo Beryl\n").tournament.players
    assert (first.name, first.country, first.rating) == (name, country, rating)


def test_a_number_alone_is_a_player_of_the_world_list() -> None:
    reading = read("12\nBo\n99\n", WORLD)
    assert (
        identities(reading) == [("12", False), ("900001", True)]
        and reading.tournament.players[0].rating == 1714
    )
    assert noted(reading) == ["3: expected a number of the list or the file, got 99: left out"]


@pytest.mark.parametrize(
    "text", ["<html>\n<p>a</p>\n</html>\n", '{"a": [1]}\nb = {}\n', "\x89PNG\n\x1a\nab\x00\n"]
)
def test_what_is_no_list_enters_nobody(text: str) -> None:
    with pytest.raises(FormatError, match="expected columns id, name"):
        read(text)


# Dates


@pytest.mark.parametrize(
    ("cells", "order", "days"),
    [
        (["12/25/2010", "01/02/2011"], DayOrder.MONTH_FIRST, ["2010-12-25", "2011-01-02"]),
        (["01/02/2011", "25/12/2010"], DayOrder.DAY_FIRST, ["2011-02-01", "2010-12-25"]),
        (["02/02/1973", "13/02/2001"], DayOrder.DAY_FIRST, ["1973-02-02", "2001-02-13"]),
        (["1-2-2011", "12-25-2010"], DayOrder.MONTH_FIRST, ["2011-01-02", "2010-12-25"]),
        (["03.04.2010", "1.2.2011"], DayOrder.DAY_FIRST, ["2010-04-03", "2011-02-01"]),
        (["2010-04-03", "2011/2/1"], DayOrder.PLAIN, ["2010-04-03", "2011-02-01"]),
        (["02/02/1973", "3 Mar 2010"], DayOrder.PLAIN, ["1973-02-02", "2010-03-03"]),
        (["03/04/2010", "02/02/2011"], DayOrder.EITHER, [None, "2011-02-02"]),
        (["12/25/2010", "25/12/2010"], DayOrder.EITHER, [None, None]),
        (["12/25/2010 00:00", "01/02/2011 0:00:00"], DayOrder.MONTH_FIRST, ["2010-12-25", "2011-01-02"]),
    ],
)
def test_the_dates_of_a_column_have_one_order(
    cells: list[str], order: DayOrder, days: list[str | None]
) -> None:
    reading = read("Name,Born\n" + "".join(f"P{n},{cell}\n" for n, cell in enumerate(cells)))
    assert [player.born for player in reading.tournament.players] == days
    assert reading.understood is not None
    assert reading.understood.tables[0].columns[1].order == order
    assert reading.understood.asks == (order is DayOrder.EITHER)


def test_a_column_of_dates_that_could_be_either_is_answered_once() -> None:
    text = "Name,Born\nA,03/04/2010\nB,05/06/2011\n"
    month = read(text, answers=Answers(orders={"1.2": DayOrder.MONTH_FIRST}))
    assert [player.born for player in month.tournament.players] == ["2010-03-04", "2011-05-06"]
    (note, other) = noted(read(text, asks=False))
    assert (
        note == '2: born: expected a day that can be only one, got "03/04/2010": entered without it' and other
    )
    reading = read("Name,Birth (MM/DD/YYYY)\nA,03/04/2010\n")
    assert reading.tournament.players[0].born == "2010-03-04"
    typed = read("A; 03/04/2010\nB; 05/06/2011\n", answers=Answers(orders={"1.days": DayOrder.DAY_FIRST}))
    assert [player.born for player in typed.tournament.players] == ["2010-04-03", "2011-06-05"]


@pytest.mark.parametrize("cell", ["12/03/65", "31/02/2010", "99/99/2010", "spring", "H22.12.25"])
def test_a_day_that_is_none_is_named_and_left_out(cell: str) -> None:
    reading = read(f"Name,Born\nA,{cell}\nB,2010-01-02\n")
    assert reading.tournament.players[0].born is None
    assert noted(reading) == [f'2: born: expected a date YYYY-MM-DD, got "{cell}": entered without it']


# Letters, cells, countries


def test_a_file_in_an_old_encoding_is_named_and_can_be_said() -> None:
    data = "Name;Country\nŁukasz Żak;POL\nJiří Dvořák;CZE\nAnn;FRA\n".encode("cp1250")
    reading = tables(data)
    assert noted(reading) == [
        "expected letters in UTF-8, got other ones, read as latin-1: look at lines 2, 3",
        "2: name: expected letters, got what a wrong encoding made of them: £ukasz ¯ak",
    ]
    chosen = tournament_of_sheets((text_sheet(data, "cp1250"),), "open")
    assert names(chosen) == ["Łukasz Żak", "Jiří Dvořák", "Ann"] and not chosen.notes
    assert names(tournament_of_sheets((text_sheet("Name\nÉmile\n".encode(), "cp1250"),), "open")) == ["Émile"]


@pytest.mark.parametrize("name", ["£ukasz ¯ak", "Å‚ukasz", "Ã‰mile", "Co³aczyk", "Èâàíîâ", "Zo\ufffd"])
def test_letters_that_were_broken_before_are_named(name: str) -> None:
    reading = read(f"Name,Country\n{name},POL\nBo,FRA\n")
    (note,) = noted(reading)
    assert note.startswith("2: name: expected letters, got what a wrong encoding made of them")


@pytest.mark.parametrize(
    "name", ["Zoë Ñandú", "D´Angelo", "Łukasz Żak", "O’Neil", "Øystein Å", "Müller-Lüdenscheidt"]
)
def test_letters_that_are_right_are_not_in_doubt(name: str) -> None:
    assert not read(f"Name,Country\n{name},POL\nBo,FRA\n").notes


def test_a_line_break_in_a_cell_is_read_as_a_blank_and_named() -> None:
    reading = read('Name,Country,Rating\r\n"Ann\nLee",USA,1500\r\n"Bo ""The Rock"" Ray",USA,1400\r\n')
    assert names(reading) == ["Ann Lee", 'Bo "The Rock" Ray']
    assert noted(reading) == ['2: name: expected one line, got several: read as "Ann Lee"']


def test_a_formula_without_its_result_is_named_with_what_stands_there() -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ("Name", "Rating", "Sum"),
        ("Ann", "=1500+20", "=1+1"),
        ('="B"&"o"', 1400, None),
        ("Cid", "#REF!", None),
    ):
        sheet.append(row)
    reading = tournament_of_sheets(read_sheets(saved(book)), "open", TableReading())
    assert [(player.name, player.rating) for player in reading.tournament.players] == [
        ("Ann", None),
        ("Cid", None),
    ]
    assert (
        noted(reading)[0]
        == '2: rating: expected a value, got a formula without its result: "=1500+20": left out'
    )
    assert "3: name: expected a value, got a formula without its result" in noted(reading)[1]
    assert noted(reading)[-1] == '4: rating: expected a value, got a formula that fails: "#REF!": left out'


def test_an_unknown_country_is_named_and_stays_as_it_is_written() -> None:
    reading = read(
        "Name,Country\nA B,Atlantis\nC D,Türkiye\nE F,Ivory Coast\nG H,Taiwan\nI J,Scotland\nK L,Great-Britain\n"
        "M N,XYZ\n"
    )
    assert [player.country for player in reading.tournament.players] == [
        "Atlantis",
        "TUR",
        "CIV",
        "TWN",
        "GBR",
        "GBR",
        "XYZ",
    ]
    assert noted(reading) == [
        '2: country: expected a country or its code, got "Atlantis": entered as it is written',
        '8: country: expected a country or its code, got "XYZ": entered as it is written',
    ]
    assert not read("Name,Country\nA B,AAA\nC D,BBB\n").notes, "a club's own codes"


@pytest.mark.parametrize("hidden", ["\u200b", "\ufeff", "\u2060", "\u00ad", "\u202e", "\u200e"])
def test_characters_that_nobody_sees_are_in_no_name(hidden: str) -> None:
    dirty = f"An{hidden}na{hidden} Amber"
    assert (
        clean_name(dirty) == Player("1", name=dirty).name == names(read(f"{dirty}\nBo\n"))[0] == "Anna Amber"
    )
    assert names(read(f"Na{hidden}me,Country\n{dirty},FRA\n"))[0] == "Anna Amber"
