"""Papp's joueurs.txt, WTHOR's archive and CSV."""

from __future__ import annotations

import contextlib
import csv
import datetime
import gzip
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flagfall.othello.board import format_transcript, parse_transcript
from hub.form.tournament import FORMAT, tournament_from_json
from hub.formats.kinds import foreign_kind
from hub.formats.papp import joueurs_reading
from hub.formats.reading import Source
from hub.formats.spreadsheets.csv_file import TABLES, read_csv, write_csv
from hub.formats.wthor import (
    PLAYER_NAME_BYTES,
    WthorGame,
    read_names,
    read_wtb,
    tournament_from_wthor,
    turn_to_f5,
    write_names,
    write_wtb,
    wthor_of,
)
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.standings import standings
from hub.text import FormatError

DATA = Path(__file__).parents[2] / "data"
DAY = datetime.date(2026, 11, 5)

# Papp

JOUEURS = b"""% Liste des joueurs par pays

pays = ARG

280016 NOBODY, Ann                        %_<1714>
280091 NOBODY, Bo {a remark}
pays = SWE
  1492 N\xd6BODY                            %_<-12>
"""


def test_a_list_of_players_by_country() -> None:
    assert joueurs_reading(JOUEURS)[0] == (
        Player("280016", "NOBODY, Ann", "ARG", "ARG", rating=1714),
        Player("280091", "NOBODY, Bo", "ARG", "ARG"),
        Player("1492", "NÖBODY", "SWE", "SWE", rating=-12),
    )
    assert joueurs_reading(JOUEURS.replace(b"\n", b"\r\n"))[0] == joueurs_reading(JOUEURS)[0]
    players, notes = joueurs_reading(JOUEURS.replace(b"<-12>", b"<17140>"))
    assert players[2].rating is None and "rating: expected a number from -5000" in str(notes[0])


@given(st.binary(max_size=40), st.integers(0, len(JOUEURS)), st.integers(0, len(JOUEURS)))
@example(damage=b"", where=0, cut=len(JOUEURS))
def test_a_damaged_list_is_read_or_refused_in_one_line(damage: bytes, where: int, cut: int) -> None:
    try:
        joueurs_reading(JOUEURS[:where] + damage + JOUEURS[where + cut :])
    except FormatError as fault:
        assert str(fault).isprintable()


# WTHOR

NINE_MOVES = parse_transcript("f5d6c5f6e7f4g5e6e3")
WTB = write_wtb([WthorGame(3, 1, 2, 64, NINE_MOVES), WthorGame(4, 2, 5, 31, ())][:1], 2026, DAY)


def test_the_archives_bytes() -> None:
    assert WTB[:16] == bytes((20, 26, 11, 5)) + struct.pack("<IHH4B", 1, 0, 2026, 8, 0, 24, 0)
    assert WTB[16:24] == struct.pack("<3H2B", 3, 1, 2, 64, 64)
    assert WTB[24:34] == bytes((56, 64, 53, 66, 75, 46, 57, 65, 35, 0))
    assert len(WTB) == 16 + 68
    assert read_wtb(WTB) == (2026, (WthorGame(3, 1, 2, 64, NINE_MOVES),))


def test_name_files() -> None:
    names = ("???", "NOBODY Ann", "N\xd6BODY Bo", "A name of far too many letters")
    data = write_names(names, PLAYER_NAME_BYTES, DAY)
    assert len(data) == 16 + 4 * 20
    assert read_names(data, PLAYER_NAME_BYTES) == (*names[:3], "A name of far too m")


@pytest.mark.parametrize("transcript", ["f5d6c5", "e6f4e3", "c4e3f4", "d3c5d6"])
def test_every_game_is_turned_to_start_f5(transcript: str) -> None:
    turned = turn_to_f5(parse_transcript(transcript))
    assert format_transcript(turned) == "f5d6c5"


def test_a_game_that_starts_nowhere() -> None:
    with pytest.raises(ValueError, match="f5, e6, c4 or d3"):
        turn_to_f5((0,))
    with pytest.raises(ValueError, match="f5, e6, c4 or d3"):
        turn_to_f5(())


def tables_of(tables: Sequence[bytes]) -> Tournament:
    return read_csv([Source(f"{nth}.csv", data) for nth, data in enumerate(tables)]).tournament


def recorded_games(count: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return (black's score, moves) of real games (tests/data/README.md)."""
    games = []
    for line in (
        gzip.decompress((DATA / "wthor-2019.txt.gz").read_bytes()).decode().splitlines()[1 : count + 1]
    ):
        score, transcript = line.split()[3:5]
        games.append((int(score), parse_transcript(transcript)))
    return games


def test_a_tournament_to_the_archive_and_back() -> None:
    rotated = [63 - square for square in NINE_MOVES]  # the same game from the other side of the board
    value: dict[str, Any] = {
        "format": "flagfall-tournament/1",
        "rulebook": "woc-2019",
        "name": "Evening",
        "date": "2026-11-05",
        "players": [{"id": "7", "name": "NOBODY, Ann"}, {"id": "9"}],
        "rounds": [
            {"games": [{"black": "9", "white": "7", "score": [64, 0], "transcript": "f5d6c5f6e7f4g5e6e3"}]},
            {
                "games": [
                    {"black": "7", "white": "9", "score": [64, 0], "transcript": format_transcript(rotated)}
                ]
            },
            {"games": [{"black": "7", "white": "9", "score": [40, 24]}]},
        ],
    }
    files = wthor_of(tournament_from_json(value))
    assert files.left_out == ("1 game without a transcript left out",)
    names = read_names(files.files[".JOU"], 20)
    assert names == ("???", "NOBODY Ann", "9")
    back = tournament_from_wthor(files.files[".wtb"], 1, names, read_names(files.files[".TRN"], 26))
    assert (back.name, back.date, [len(round_.games) for round_ in back.rounds]) == (
        "Evening",
        "2026-01-01",
        [1, 1],
    )
    assert {game.transcript for round_ in back.rounds for game in round_.games} == {"f5d6c5f6e7f4g5e6e3"}
    assert {line.points for line in standings(back)} == {1}


def test_without_rounds_a_game_goes_into_the_first_in_which_both_are_free() -> None:
    pairs = [(1, 2), (1, 3), (2, 3), (4, 5), (4, 1)]
    data = write_wtb([WthorGame(1, b, w, 64, NINE_MOVES) for b, w in pairs], 2026, DAY)
    rounds = tournament_from_wthor(data, 1).rounds
    assert [[(g.black, g.white) for g in r.games] for r in rounds] == [
        [("1", "2"), ("4", "5")],
        [("1", "3")],
        [("2", "3"), ("4", "1")],
    ]
    endless = write_wtb([WthorGame(1, 1, 2, 64, NINE_MOVES)] * 1001, 2026, DAY)
    with pytest.raises(FormatError, match="game 1001: expected at most 1000 games of a player"):
        tournament_from_wthor(endless, 1)


def test_real_games_pass_through_unchanged() -> None:
    games = [
        WthorGame(1, 2 * i, 2 * i + 1, score, moves) for i, (score, moves) in enumerate(recorded_games(40))
    ]
    assert len(games) == 40
    data = write_wtb(games, 2019, DAY)
    assert read_wtb(data)[1] == tuple(games)
    assert len(tournament_from_wthor(data, 1).players) == 80


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "byte 0: expected a header of 16 bytes, got 0 bytes"),
        (WTB[:-1], "byte 4: expected 1 games in 84 bytes, got 83 bytes"),
        (WTB[:4] + b"\xff\xff\xff\xff" + WTB[8:], "byte 4: expected 4294967295 games"),
        (WTB[:12] + b"\x0a" + WTB[13:], "byte 12: expected board size 8"),
        (WTB[:22] + b"\x41" + WTB[23:], "game 1: black's score: expected at most 64 discs, got 65"),
        (WTB[:25] + b"\x38" + WTB[26:], "game 1: move 2: expected an empty square"),
        (WTB[:25] + b"\x00" + WTB[26:], "game 1: move 2: expected an empty square"),
        (WTB[:25] + b"\x5a" + WTB[26:], "game 1: move 2: expected an empty square"),
    ],
)
def test_broken_archives_name_the_byte_or_the_game(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as fault:
        read_wtb(data)
    assert str(fault.value).startswith(message)


def test_moves_that_are_no_game_of_othello_are_named() -> None:
    with pytest.raises(
        FormatError,
        match=r"^game 1: move 2: expected a legal move from the start position, .* included, got a1",
    ):
        tournament_from_wthor(WTB[:25] + b"\x0b" + WTB[26:], 3)
    with pytest.raises(FormatError, match=r"^--tournament: expected one of 3, got 8"):
        tournament_from_wthor(WTB, 8)


@given(st.binary(max_size=20), st.integers(0, len(WTB)), st.integers(0, 20))
def test_a_damaged_archive_is_read_or_refused_in_one_line(damage: bytes, where: int, cut: int) -> None:
    try:
        tournament_from_wthor(WTB[:where] + damage + WTB[where + cut :], 3)
    except FormatError as fault:
        assert str(fault).isprintable()


# CSV

PLAYERS_CSV = (
    "id;name;country;gender;rating;additional;withdrawn_after;categories\n"
    '1;"A; B";FRA;F;1700;yes;;x y\n2;Ö;;;;;1;\n3;;;;;;;\n'
)
RESULTS_CSV = (
    "round,table,black,white,black_score,white_score,reason,title,stage,draw_win\n"
    "1,1,1,2,40,24,,,,\n1,,3,,,,,,,\n2,,3,1,,,,,,\n,,1,3,32,32,,open,final,3\n"
)


def test_players_and_results_make_a_tournament() -> None:
    read = tables_of([PLAYERS_CSV.encode(), RESULTS_CSV.encode()])
    assert read.players[0].name == "A; B"
    assert (read.players[0].additional, read.players[0].gender, read.players[0].rating) == (True, "f", 1700)
    assert read.players[0].categories == ("x", "y")
    assert (read.rounds[0].byes, read.rounds[1].games[0].score) == (("3",), None)
    assert (read.finals[0].draw_win, read.withdrawals[0].after_round) == ("3", 1)


def test_the_cross_table_and_all_final_lists() -> None:
    games = [{"black": "1", "white": "2", "score": [40, 24]}, {"black": "3", "white": "4"}]
    players = [
        {"id": "1", "name": "Ann", "country": "FRA"},
        {"id": "2", "gender": "f"},
        {"id": "3"},
        {"id": "4"},
    ]
    value = {
        "format": "flagfall-tournament/1",
        "rulebook": "woc-2019",
        "system": "swiss",
        "lots": list("1234"),
    }
    played = tournament_from_json(
        value | {"players": players, "rounds": [{"games": games}, {"games": [], "byes": ["1"]}]}
    )
    assert write_csv(played, "cross").splitlines() == [
        "place,id,name,points,round_1,round_2",
        "1,1,Ann,2,B 2 40-24,bye",
        "2,2,2,0,W 1 24-40,",
        "3,3,3,0,B 4,",
        "4,4,4,0,W 3,",
    ]
    lists = write_csv(played, "lists").splitlines()
    assert lists[:2] == ["list,place,id,name,points", "open,1,1,Ann,2"]
    assert {"women,1,2,2,0", "teams,1,FRA,FRA,2"} <= set(lists)


def test_tables_written_and_read_back_are_the_same() -> None:
    read = tables_of([PLAYERS_CSV.encode(), RESULTS_CSV.encode()])
    tables = [write_csv(read, table).encode() for table in ("players", "results")]
    assert tables_of(tables) == read
    assert write_csv(read, "standings").splitlines()[:2] == [
        "place,id,name,country,points,bq,discs,by_lot",
        "1,1,A; B,FRA,1,76,40,",
    ]


@given(st.binary(max_size=30), st.integers(0, 100), st.integers(0, 20))
@example(b"\x89PNG", 0, 0)
def test_beside_a_whole_table_a_damaged_one_is_read(damage: bytes, where: int, cut: int) -> None:
    players, results = PLAYERS_CSV.encode(), RESULTS_CSV.encode()
    for tables in (
        [players[:where] + damage + players[where + cut :], results],
        [players, results[:where] + damage + results[where + cut :]],
    ):
        if any(foreign_kind(table) for table in tables):
            with pytest.raises(FormatError, match=r"^\d\.csv: expected a list saved as"):
                tables_of(tables)  # damaged so that it begins as a picture or an archive does
            continue
        read: Tournament = tables_of(tables)
        assert all(write_csv(read, table) for table in TABLES if table != "lists")
        with contextlib.suppress(FormatError):  # finals that were not due
            assert write_csv(read, "lists")


FORMULAS = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    '=HYPERLINK("http://x","y")',
    "Ann;=1+1;Bo",
    "Ann; -1",
    "'=1",
    ";;@A",
)


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_of_ours_is_run_by_a_spreadsheet_and_names_come_back(formula: str) -> None:
    """A spreadsheet of a country with decimal commas parts cells at semicolons, whatever the file's own separator."""
    players = [{"id": "1", "name": formula, "country": "AAA"}, {"id": "2", "name": "Other", "country": "BBB"}]
    event = {"format": FORMAT, "rulebook": "woc-2019", "players": players, "rounds": []}
    tournament = tournament_from_json(event)
    written = [write_csv(tournament, table) for table in TABLES]
    for separator in ",;":
        rows = (row for text in written for row in csv.reader(text.splitlines(), delimiter=separator))
        assert not [
            cell for row in rows for cell in row if cell.strip()[:1] in ("=", "+", "-", "@", "\t", "\r")
        ]
    assert tables_of([written[0].encode()]).players[0].name == formula
