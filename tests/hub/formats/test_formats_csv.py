"""CSV tables for spreadsheets: names beside ids, and numbers that every spreadsheet reads as numbers."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction
from typing import Any

import pytest
from helpers.finals_values import EIGHT, SEMI_FINALS, draw, of_points, win
from hypothesis import given
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.formats.reading import Source
from hub.formats.spreadsheets.csv_file import TABLES, decimal, read_csv, write_csv

NAMES = {letter: {"name": f"Player {letter}"} for letter in "abcdefgh"}
NUMBER = re.compile(r"\d+(\.\d+)?")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def decided_open() -> dict[str, Any]:
    """Return an event whose finals are played; one of them was drawn, and decided by the draw-win."""
    third = draw("open", "third-place", "d", "b", draw_win="b")
    finals = [win("open", "final", "c", "a"), win("open", "final", "c", "a")]
    return of_points(EIGHT, players=NAMES, name="Open", finals=[*SEMI_FINALS, third, *finals])


def club_evening() -> dict[str, Any]:
    """Return an evening of seven rounds planned: a draw, a half point for a missed round, a bye, a player without a
    name."""
    players = [
        {"id": "11", "name": "Dvořák Jiří", "country": "CZE"},
        {"id": "12", "name": "山田 太郎", "country": "JPN"},
        {"id": "13", "name": "=1+1"},
        {"id": "14"},
    ]
    rounds: list[dict[str, Any]] = [
        {
            "games": [
                {"black": "11", "white": "12", "score": [32, 32]},
                {"black": "13", "white": "14", "score": [40, 24]},
            ]
        },
        {"games": [{"black": "12", "white": "13", "score": [30, 34]}], "byes": ["14"]},
        {"games": [{"black": "14", "white": "11", "score": [20, 44]}], "byes": []},
    ]
    return {
        "format": "flagfall-tournament/1",
        "rulebook": "open",
        "system": "swiss",
        "rounds_planned": 7,
        "bq_constant": "64/rounds",
        "players": players,
        "rounds": rounds,
        "half_byes": [{"player": "11", "round": 2}],
    }


def test_points_and_quotients_are_decimal_numbers_with_a_point() -> None:
    tournament = tournament_from_json(club_evening())
    rows = {row["id"]: row for row in rows_of(write_csv(tournament, "standings"))}
    assert {id_: row["points"] for id_, row in rows.items()} == {"11": "2", "12": "0.5", "13": "2", "14": "1"}
    for row in rows.values():
        assert NUMBER.fullmatch(row["bq"]), row
    assert any("." in row["bq"] for row in rows.values()), "the constant 64/3 leaves fractions"
    cross = {row["id"]: row for row in rows_of(write_csv(tournament, "cross"))}
    assert cross["11"]["round_2"] == "0.5"
    written = "".join(write_csv(tournament, table) for table in TABLES)
    assert "½" not in written and "1/2" not in written and not re.search(r"\d \d+/\d+", written)


@given(st.fractions(min_value=0, max_value=100_000, max_denominator=1000))
def test_a_fraction_is_rounded_to_six_decimals_and_never_grouped(value: Fraction) -> None:
    text = decimal(value)
    assert NUMBER.fullmatch(text)
    assert abs(Fraction(text) - value) <= Fraction(1, 1_000_000)


NAMED = {"black": "black_name", "white": "white_name", "draw_win": "draw_win_name", "id": "name"}


@pytest.mark.parametrize("table", [table for table in TABLES if table != "players"])
def test_every_table_has_names_beside_the_ids(table: str) -> None:
    nameless = []
    for tournament in map(tournament_from_json, (club_evening(), decided_open())):
        name_of = {player.id: player.name or player.id for player in tournament.players}
        for row in rows_of(write_csv(tournament, table)):
            cells = [(row[id_], row[name].removeprefix("'")) for id_, name in NAMED.items() if row.get(id_)]
            nameless += [(id_, name) for id_, name in cells if name != name_of.get(id_, id_)]
    assert nameless == []


def test_a_table_with_names_is_read_back_by_its_ids() -> None:
    tournament = tournament_from_json(decided_open())
    assert any(game.draw_win for game in tournament.finals)
    sources = [
        Source(f"{table}.csv", write_csv(tournament, table).encode()) for table in ("players", "results")
    ]
    read = read_csv(sources, tournament.rulebook).tournament
    assert [game.players for game in read.finals] == [game.players for game in tournament.finals]
    assert [game.draw_win for game in read.finals] == [game.draw_win for game in tournament.finals]
