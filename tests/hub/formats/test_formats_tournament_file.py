"""`flagfall-tournament/1`: defaults, round trip, and every fault in one line that names its field."""

from __future__ import annotations

import copy
import dataclasses
import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.form.tournament import bq_constant_from_text, tournament_from_json
from hub.formats.tournament_file import read_tournament, tournament_to_json, write_tournament
from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.text import FormatError

Value = dict[str, Any]

FULL: Value = {
    "format": "flagfall-tournament/1",
    "name": "Évreux 2026 オセロ",
    "date": "2026-11-05",
    "rulebook": "woc-2019",
    "system": "swiss",
    "rounds_planned": 13,
    "bq_constant": 6.25,
    "seed": 77,
    "players": [
        {
            "id": "1",
            "name": "A",
            "country": "JPN",
            "team": "X",
            "gender": "f",
            "born": "2011-05-01",
            "rating": 2609,
            "past_semifinalist": True,
            "additional": True,
            "club": "north",
        },
        {"id": "2", "country": "FRA", "team": ""},
        {"id": "3", "country": "FRA", "extra_young": True, "division": "B", "categories": ["debutant"]},
        {"id": "4", "from_round": 2, "rating": 1500.5},
        {"id": "5"},
    ],
    "withdrawals": [{"player": "5", "after_round": 1}],
    "absences": [{"player": "3", "round": 2}],
    "bans": [["1", "2"]],
    "pins": [{"black": "1", "white": "2", "table": 1}, {"black": "4", "white": "3"}],
    "rounds": [
        {
            "games": [
                {"black": "1", "white": "2", "score": [40, 24], "reason": "board", "transcript": "f5"},
                {"black": "3", "white": "5", "score": [64, 0], "reason": "forfeit", "table": 2},
            ],
            "byes": [],
            "note": "hot",
        },
        {"games": [{"black": "2", "white": "4"}], "byes": ["1"]},
    ],
    "finals": [
        {
            "title": "division:B",
            "stage": "final",
            "black": "1",
            "white": "2",
            "score": [32, 32],
            "draw_win": "2",
            "reason": "board",
            "room": 4,
        }
    ],
    "contact_nations": ["ARG"],
    "lots": ["2", "1"],
    "sender": "anybody",
}


def test_what_is_read_and_written_is_the_same_with_unknown_fields_and_all() -> None:
    tournament = tournament_from_json(FULL)
    assert json.loads(write_tournament(tournament)) == FULL
    assert read_tournament(write_tournament(tournament)) == tournament
    assert tournament.sender == "anybody" and not tournament.extra
    assert tournament.players[0].extra == {"club": "north"}
    assert tournament.rounds[0].games[0].transcript == "f5"


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def unknown(kind: type) -> st.SearchStrategy[Value]:
    """Return any values for the fields that may be declared in such a value, and for fields that nobody knows."""
    checked = (
        *DRAWERS,
        "draw_win",
        "grade",
        "openings",
        "finals_openings",
        "opening_draw",
    )  # they are read strictly
    declared = [
        entry.name for entry in dataclasses.fields(kind) if entry.kw_only and entry.name not in checked
    ]
    names = st.sampled_from([*declared, "club", "seen_by", "misfits", "extra"])
    typed = {
        "extra_minutes": st.integers(0, 600),
        "hands_commit": st.booleans(),
        "no_show": st.booleans(),
        "discs": st.just("unknown"),
        "team_matches": st.integers(0, 21),
        "line_ups": st.dictionaries(
            st.text(max_size=3), st.lists(st.text(max_size=3), max_size=2), max_size=2
        ),
    }
    field = names.flatmap(
        lambda name: st.tuples(st.just(name), VALUES | typed.get(name, st.text(max_size=5)))
    )
    return st.lists(field, max_size=4).map(dict)


DRAWERS = ("rulebook_text", "misfits", "extra")  # a rulebook's text is refused where it is none


@given(unknown(Tournament), unknown(Player), unknown(Round), unknown(Game), unknown(Game))
def test_whatever_stands_beside_the_formats_fields_is_written_back_unchanged(
    top: Value, player: Value, round_: Value, game: Value, final: Value
) -> None:
    players = [player | {"id": "1"}, {"id": "2"}]
    met = {"black": "1", "white": "2"}
    value = least(2) | {"players": players, "rounds": [round_ | {"games": [game | met], "byes": []}]}
    played = {"title": "open", "stage": "final", "score": None, "draw_win": None, "reason": "board"}
    value["finals"] = [final | met | played]
    again = json.loads(write_tournament(tournament_from_json(top | value)))
    assert {name: again[name] for name in top} == top
    assert again["players"] == value["players"]
    (held,) = again["rounds"]
    assert {name: held[name] for name in round_} == round_
    assert [held["games"][0], again["finals"]] == [game | met, value["finals"]]


def test_a_game_stands_on_a_line_of_its_own() -> None:
    assert (
        b'{"black": "1", "white": "2", "score": [40, 24], "reason": "board", "transcript": "f5"},\n'
        in write_tournament(tournament_from_json(FULL))
    )


def least(players: int, rulebook: str = "woc-2019", **fields: Any) -> Value:
    return {
        "format": "flagfall-tournament/1",
        "rulebook": rulebook,
        "players": [{"id": str(i)} for i in range(players)],
        "rounds": [],
    } | fields


@pytest.mark.clause("woc-2019 II.2.a")
@pytest.mark.clause("woc-2019 II.2.b")
@pytest.mark.clause("woc-2019 II.2.c")
@pytest.mark.clause("woc-2019 II.2.d")
@pytest.mark.clause("woc-2019 II.2")
@pytest.mark.clause("woc-2017 II.2.a")
@pytest.mark.clause("woc-2017 II.2.b")
@pytest.mark.clause("woc-2017 II.2.c")
@pytest.mark.clause("woc-2017 II.2.d")
@pytest.mark.clause("woc-2017 II.2")
@pytest.mark.clause("woc-classic II.2.a")
@pytest.mark.clause("woc-classic II.2.b")
@pytest.mark.clause("woc-classic II.2.c")
@pytest.mark.clause("woc-classic II.2.d")
@pytest.mark.clause("woc-classic II.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])
@pytest.mark.parametrize(
    ("players", "system", "rounds"),
    [
        (2, "double_round_robin", 2),
        (7, "double_round_robin", 14),
        (8, "double_round_robin", 14),
        (9, "round_robin", 9),
        (14, "round_robin", 13),
        (15, "modified_swiss", 13),
        (24, "modified_swiss", 13),
        (25, "swiss", 13),
    ],
)
def test_the_worlds_system_by_number_of_players(
    rulebook: str, players: int, system: str, rounds: int
) -> None:
    tournament = tournament_from_json(least(players, rulebook))
    assert (tournament.system, tournament.rounds_planned) == (system, rounds)


@pytest.mark.clause("cc-2024 II.2")
@pytest.mark.clause("cc-2024 II.2 [4 or less]")
@pytest.mark.clause("cc-2024 II.2 [5-6]")
@pytest.mark.clause("cc-2024 II.2 [7-8]")
@pytest.mark.clause("cc-2024 II.2 [9-10]")
@pytest.mark.clause("cc-2024 II.2 [11-12]")
@pytest.mark.clause("cc-2024 II.2 [12 or more]")
@pytest.mark.parametrize(
    ("players", "system", "rounds"),
    [
        (3, "triple_round_robin", 9),
        (4, "triple_round_robin", 9),
        (5, "double_round_robin", 10),
        (6, "double_round_robin", 10),
        (7, "round_robin_then_swiss", 11),
        (8, "round_robin_then_swiss", 11),
        (9, "round_robin_with_semifinals", 11),
        (10, "round_robin_with_semifinals", 11),
        (11, "round_robin", 11),
        (12, "round_robin", 11),
        (13, "swiss", 11),
    ],
)
def test_the_confederations_system_by_number_of_players(players: int, system: str, rounds: int) -> None:
    tournament = tournament_from_json(least(players, "cc-2024"))
    assert (tournament.system, tournament.rounds_planned) == (system, rounds)


def test_other_defaults() -> None:
    tournament = tournament_from_json(least(0, name=None) | {"players": [{"id": "a", "country": "FRA"}]})
    assert (tournament.players[0].team, tournament.bq_constant, tournament.name) == ("FRA", 6, "")
    assert tournament_from_json(least(2, bq_constant="64/rounds")).bq_constant is None
    assert tournament_from_json(least(2, bq_constant=5.8)).bq_constant == Fraction("5.8")
    withdrawn = [{"player": "8", "after_round": 0}]
    assert tournament_from_json(least(9, withdrawals=withdrawn)).system == "double_round_robin"
    more = [{"games": []}] * 15
    assert tournament_from_json(least(30, rounds=more)).rounds_planned == 15


def at(path: str, new: object) -> Value:
    """Return FULL with one place replaced; the path is as in an error."""
    value = copy.deepcopy(FULL)
    place: Any = value
    steps = path.replace("[", ".[").split(".")
    for step in steps[:-1]:
        place = place[int(step[1:-1]) if step.startswith("[") else step]
    last = steps[-1]
    place[int(last[1:-1]) if last.startswith("[") else last] = new
    return value


GAME = {"black": "1", "white": "2", "score": [40, 24]}
FAULTS: list[tuple[str, object, str]] = [
    ("format", "flagfall-tournament/2", 'format: expected "flagfall-tournament/1", got "flagfall-tourna'),
    ("rulebook", "fide", "rulebook: expected one of woc-2019, open, club, usoa, woc-2017, woc-classic, cc-2024, jof,"),
    ("system", "knockout", "system: expected one of swiss, modified_swiss,"),
    ("name", 5, "name: expected a text of at most 500 characters, got 5"),
    ("date", "05/11/2026", 'date: expected a date YYYY-MM-DD, got "05/11/2026"'),
    ("date", "2026-02-30", "date: expected a date YYYY-MM-DD"),
    ("rounds_planned", 1, "rounds: expected at most 1 rounds (rounds_planned), got 2"),
    ("rounds_planned", 13.0, "rounds_planned: expected a whole number from 0, got 13.0"),
    ("rounds_planned", 10**12, "rounds_planned: expected a whole number from 0 to 1000000000, got 1000000000000"),
    ("rounds_planned", True, "rounds_planned: expected a whole number from 0, got true"),
    ("bq_constant", "6", 'bq_constant: expected a number or "64/rounds", got "6"'),
    ("bq_constant", -1, 'bq_constant: expected a number or "64/rounds", got -1'),
    ("seed", -1, "seed: expected a whole number"),
    ("players", {}, "players: expected a list, got {}"),
    ("players[1]", "2", 'players[1]: expected an object, got "2"'),
    ("players[1].id", 2, "players[1].id: expected an id"),
    ("players[1].id", " ", "players[1].id: expected an id"),
    ("players[1].id", "1", 'players[1].id: expected an id of its own, got "1" again'),
    ("players[1].country", ["FRA"], "players[1].country: expected a text of at most 500 characters, got [\"FRA\"]"),
    ("players[1].gender", "female", "players[1].gender: expected one of f, m, x, got"),
    ("players[1].born", "2011", "players[1].born: expected a date YYYY-MM-DD"),
    ("players[1].rating", "high", 'players[1].rating: expected a number, got "high"'),
    ("players[1].additional", 1, "players[1].additional: expected true or false, got 1"),
    ("players[1].from_round", 0, "players[1].from_round: expected a whole number from 1, got 0"),
    ("players[1].from_round", 2, 'rounds[0].games[0].white: expected a player of this round, got "2", who ent'),
    ("withdrawals[0].player", "9", 'withdrawals[0].player: expected the id of a player, got "9"'),
    ("withdrawals[0].after_round", 0, 'rounds[0].games[1].white: expected a player of this round, got "5", who'),
    ("withdrawals", [{"player": "5"}], "withdrawals[0].after_round: expected a round"),
    ("withdrawals", [{"player": "5", "after_round": 1}] * 2, "withdrawals[1].player: expected one withdrawal"),
    ("absences[0].player", "1", 'rounds[1].byes[0]: expected a player of this round, got "1", who is absent'),
    ("absences[0].round", "2", 'absences[0].round: expected a whole number from 1, got "2"'),
    ("bans[0]", ["1"], "bans[0]: expected two player ids, got [\"1\"]"),
    ("bans[0]", ["1", "1"], "bans[0]: expected two different players"),
    ("bans[0]", ["1", "7"], "bans[0][1]: expected the id of a player"),
    ("pins[1].black", "1", 'pins[1].black: expected a player in one pin only, got "1" again'),
    ("pins[1].white", "8", "pins[1].white: expected the id of a player"),
    ("pins[1]", {"black": "3", "white": "4", "table": 1}, "pins[1].table: expected a table once"),
    ("rounds[0]", [], "rounds[0]: expected an object, got []"),
    ("rounds[0].games[0].black", "77", 'rounds[0].games[0].black: expected the id of a player, got "77"'),
    ("rounds[0].games[0].white", "1", 'rounds[0].games[0].white: expected a player in one game of the round'),
    ("rounds[0].games[1].black", "1", 'rounds[0].games[1].black: expected a player in one game of the round'),
    ("rounds[0].byes", ["2"], "rounds[0].byes[0]: expected a player without a game or another bye"),
    ("rounds[0].games[0].score", [65, 0], "rounds[0].games[0].score[0]: expected a whole number from 0 to 64"),
    ("rounds[0].games[0].score", [40, 20], "rounds[0].games[0].score: expected 64 discs together under woc-2019"),
    ("rounds[0].games[0].score", [40, 30], "rounds[0].games[0].score: expected at most 64 discs together, got 40"),
    ("rounds[0].games[0].score", [0, 0], "rounds[0].games[0].score: expected a score above 0-0 unless both forf"),
    ("rounds[0].games[0].score", "40-24", "rounds[0].games[0].score: expected [black, white] or null"),
    ("rounds[0].games[0].reason", "luck", "rounds[0].games[0].reason: expected one of board, default"),
    ("rounds[0].games[0].table", 2, "rounds[0].games[1].table: expected a table once in a round"),
    ("finals[0].title", "men", "finals[0].title: expected open, women, young or division:<name>"),
    ("finals[0].title", "division:", "finals[0].title: expected open, women"),
    ("finals[0].stage", "quarter-final", "finals[0].stage: expected one of playoff, semi-final"),
    ("finals[0].white", "1", "finals[0].white: expected another player than black"),
    ("finals[0].draw_win", "3", "finals[0].draw_win: expected the id of one of the two or null"),
    ("finals[0].score", [33, 33], "finals[0].score: expected at most 64 discs together"),
    ("lots[1]", "2", "lots[1]: expected a player once"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "new", "message"), FAULTS, ids=[f"{p}={n!s:.20}" for p, n, _ in FAULTS])
def test_every_fault_is_one_line_that_names_its_field(path: str, new: object, message: str) -> None:
    with pytest.raises(FormatError) as fault:
        tournament_from_json(at(path, new))
    assert str(fault.value).startswith(message)
    assert str(fault.value).isprintable()


@pytest.mark.parametrize("field", ["format", "rulebook", "players", "rounds"])
def test_what_is_needed(field: str) -> None:
    value = {name: item for name, item in FULL.items() if name != field}
    with pytest.raises(FormatError, match=rf"^{field}: expected .*, got nothing$"):
        tournament_from_json(value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected JSON"),
        (b"[]", "expected an object, got []"),
        (b'{\n"format": "flagfall-tournament/1",\n}', "line 3: expected JSON"),
        (b'{"format":\xff}', "expected JSON"),
        (b"[" * 100_000, "expected JSON"),
        (b"[" * 4_100_000, "expected at most 4000000 values, got more"),
        (b'{"seed": NaN}', "line 1: expected JSON"),
        (
            b'{"rounds": [{"byes": [], "byes": []}]}',
            '"byes": expected each name once in an object, got it again',
        ),
        (
            b'{"bq_constant": 1e400}',
            '"bq_constant": expected a number that a computer can hold, got a larger one',
        ),
        (b'{"rounds": [{"games": [{"score": [-1e400, 0]}]}]}', '"score": expected a number that'),
    ],
)
def test_what_is_no_json(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as fault:
        read_tournament(data)
    assert message in str(fault.value)


def test_a_byte_order_mark_is_no_fault() -> None:
    assert read_tournament(b"\xef\xbb\xbf" + json.dumps(FULL).encode()) == tournament_from_json(FULL)


@pytest.mark.clause("usoa 4.3")
@pytest.mark.clause("usoa 4.4")
@pytest.mark.clause("usoa 6.8")
@pytest.mark.parametrize(
    ("score", "fits"),
    [([40, 20], True), ([32, 31], True), ([20, 20], True), ([64, 0], True), ([50, 0], False)],
)
def test_usoa_leaves_empty_squares_uncounted(score: list[int], fits: bool) -> None:
    value = at("rounds[0].games[0].score", score) | {"rulebook": "usoa"}
    if fits:
        tournament_from_json(value)
    else:
        with pytest.raises(FormatError, match="64-0 for a wipe-out"):
            tournament_from_json(value)


@pytest.mark.parametrize(
    ("text", "constant"), [("6", Fraction(6)), ("5.5", Fraction(11, 2)), ("64/11", Fraction(64, 11))]
)
def test_c_on_the_command_line(text: str, constant: Fraction) -> None:
    assert bq_constant_from_text(text) == constant


@pytest.mark.parametrize("text", ["", "six", "-1", "1e999999999", "nan", "64/0", "1_0"])
def test_c_that_is_none(text: str) -> None:
    with pytest.raises((ValueError, ZeroDivisionError)):
        bq_constant_from_text(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PLACES = [path for path, _, _ in FAULTS]


@given(st.sampled_from(PLACES), JSON)
def test_any_value_anywhere_is_read_or_refused_in_one_line(path: str, new: object) -> None:
    try:
        tournament = tournament_from_json(at(path, new))
    except FormatError as fault:
        assert str(fault).isprintable()
        assert len(str(fault)) < 400
    else:
        assert tournament_from_json(tournament_to_json(tournament)) == tournament


@given(st.binary(max_size=60), st.integers(0, 900), st.integers(0, 30))
def test_damaged_bytes_are_read_or_refused_in_one_line(damage: bytes, where: int, cut: int) -> None:
    data = json.dumps(FULL).encode()
    try:
        read_tournament(data[:where] + damage + data[where + cut :])
    except FormatError as fault:
        assert str(fault).isprintable()


OWN = 'based_on = "cc-2024"\nid = "evening"\n[minutes]\nqualifying = 15\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (7, "rulebook_text: expected the text of a rulebook in TOML, got 7"),
        (
            OWN + "[flag]\nwings = 2\n",
            "rulebook_text: expected a rulebook, got flag.wings: unknown field, expected one of ",
        ),
        (OWN.replace("cc-2024", "usoa"), "rulebook_text: expected a rulebook based on cc-2024, got usoa"),
    ],
)
def test_a_directors_own_rulebook_is_checked_with_its_tournament(text: object, why: str) -> None:
    value = {"format": "flagfall-tournament/1", "rulebook": "cc-2024", "players": [], "rounds": []}
    assert tournament_from_json(value | {"rulebook_text": OWN}).rulebook_text == OWN
    with pytest.raises(FormatError) as error:
        tournament_from_json(value | {"rulebook_text": text})
    assert str(error.value).startswith(why)
