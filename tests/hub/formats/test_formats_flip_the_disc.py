"""Files of Flip the Disc: read whole, held against the standings in them, refused with the place; lines to type."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.console.player_lists import read_tournament
from hub.form.tournament import tournament_from_json
from hub.formats.elo.reader import elo_reading
from hub.formats.elo.writer import write_elo
from hub.formats.flip_the_disc.parts import MOST_PLAYERS
from hub.formats.flip_the_disc.reader import LARGEST_BYTES, read_flip_the_disc
from hub.formats.flip_the_disc.typed_lines import typed_lines_of_event, write_typed_lines
from hub.formats.registry import format_of
from hub.formats.tournament_file import read_tournament as read_own
from hub.formats.tournament_file import tournament_to_json, write_tournament
from hub.model.tournament import Tournament
from hub.pairing.next_round import next_round
from hub.ranking.standings import standings
from hub.text import FormatError, Refused

FILES = Path(__file__).parents[2] / "data" / "flip_the_disc"
_EVENTS = ("club-579", "club-602")


def _file(name: str = "club-579") -> dict[str, Any]:
    value: dict[str, Any] = json.loads(gzip.decompress((FILES / f"{name}.json.gz").read_bytes()))
    return value


def _read(value: object) -> tuple[Tournament, list[str]]:
    reading = read_flip_the_disc(json.dumps(value).encode())
    return reading.tournament, [str(note) for note in reading.notes]


def _small(**info: object) -> dict[str, Any]:
    """Three players and a round: 1 beats 2 by 40-24, 3 has the bye."""
    players = [
        {"id": n, "wof_id": 100 + n, "surname": f"P{n}", "name": "Ann", "country_code": "NO"}
        for n in (1, 2, 3)
    ]
    return {
        "players_list": players,
        "rounds": [{"currentRound": 1, "started": True, "pairing": [_game(1, 2, 40), _bye(3)]}],
        "info": {"name": "Evening", "rounds": 2, "pairing_system": "Swiss System"} | info,
    }


def _game(black: int, white: int, discs: int | None, **fields: object) -> list[dict[str, object]]:
    result = None if discs is None else (discs > 32) + (discs >= 32)
    return [{"id": black, "score": discs, "result": result} | fields, {"id": white}]


def _bye(player: int) -> list[dict[str, object]]:
    return [{"id": player, "score": None, "result": None}, {"id": -1}]


@pytest.mark.parametrize("name", _EVENTS)
def test_the_standings_of_a_file_come_out_as_the_site_published_them(name: str) -> None:
    value = _file(name)
    tournament, notes = _read(value)
    ids = {player["id"]: str(player["wof_id"]) for player in value["players_list"]}
    lines = standings(tournament)
    assert [(line.player, line.points) for line in lines] == [
        (ids[line["player_id"]], line["score"]) for line in value["standings"]
    ]
    for line, published in zip(lines, value["standings"], strict=True):
        assert abs(line.bq - published["mbq"]) <= 0.5
    assert not [note for note in notes if note.startswith("standings")]


def test_players_rounds_byes_and_finals_of_a_real_file() -> None:
    tournament, notes = _read(_file("club-602"))
    assert (len(tournament.players), len(tournament.rounds), tournament.rounds_planned) == (12, 11, 11)
    assert [(game.title, game.stage) for game in tournament.finals] == [
        ("open", "third-place"),
        ("open", "final"),
        ("open", "final"),
    ]
    assert {player.country for player in tournament.players} == {"POL", "FRA", "ITA"}
    assert tournament.date == "2026-01-03"
    assert all("the moves do not show the result" in note for note in notes)
    byes = [round_.byes for round_ in _read(_file("club-579"))[0].rounds]
    assert [len(players) for players in byes] == [1] * 7


@pytest.mark.parametrize("called", ["tournament_579.json", "x.txt"])
def test_a_file_is_recognised_by_its_fields_and_ours_stays_ours(called: str) -> None:
    data = json.dumps(_file()).encode()
    recognised = format_of(called, data)
    assert recognised is not None and recognised.name == "flip-the-disc"
    ours = format_of(called, write_tournament(read_flip_the_disc(data).tournament))
    assert ours is not None and ours.name == "tournament"


def test_an_event_under_way_goes_on_here_and_pairs_nobody_twice() -> None:
    value = _file()
    value["rounds"] = value["rounds"][:5]
    del value["standings"]
    tournament, _ = _read(value)
    assert (len(tournament.rounds), tournament.rounds_planned) == (5, 7)
    met = {frozenset(game.players) for round_ in tournament.rounds for game in round_.games}
    paired = next_round(tournament).games
    assert len(paired) == 5 and not met & {frozenset(game.players) for game in paired}


def test_a_round_that_has_not_begun_is_left_out_and_said() -> None:
    value = _small()
    value["rounds"].append({"currentRound": 2, "started": False, "pairing": [_game(1, 3, None), _bye(2)]})
    tournament, notes = _read(value)
    assert len(tournament.rounds) == 1
    assert notes == ["rounds[1]: round 2 has not begun: left out, pair it here"]


def test_a_game_that_is_still_played_has_no_score() -> None:
    value = _small()
    value["rounds"][0]["pairing"][0] = _game(1, 2, None)
    assert _read(value)[0].rounds[0].games[0].score is None


def test_who_left_came_late_or_missed_a_round_is_so_here() -> None:
    value = _small(rounds=3)
    value["players_list"].append(
        {"id": 4, "wof_id": None, "surname": "LATE", "name": "Bo", "country_code": "SE"}
    )
    value["players_list"][1]["left_after_round"] = 1
    value["rounds"] += [
        {"currentRound": 2, "started": True, "pairing": [_game(4, 1, 30)]},
        {"currentRound": 3, "started": True, "pairing": [_game(3, 4, 20), _bye(1)]},
    ]
    tournament, _ = _read(value)
    late = tournament.player("ftd-4")
    assert (late.from_round, late.new, late.name, late.country) == (2, True, "LATE, Bo", "SWE")
    assert [(w.player, w.after_round) for w in tournament.withdrawals] == [("102", 1)]
    assert [(a.player, a.round) for a in tournament.absences] == [("103", 2)]


def test_two_players_with_one_number_of_the_rating_list_keep_their_own() -> None:
    value = _small()
    value["players_list"][1]["wof_id"] = 101
    assert [player.id for player in _read(value)[0].players] == ["ftd-1", "ftd-2", "103"]


def test_a_coefficient_of_the_director_is_the_constant_of_the_quotient() -> None:
    assert _read(_small(mbq_coef=6))[0].bq_constant == 6
    assert _read(_small(mbq_coef=0))[0].bq_constant == 0
    assert _read(_small(mbq_coef=None, rounds=1))[0].bq_constant is None


@pytest.mark.parametrize(
    ("system", "here"),
    [
        ("Swiss System", "swiss"),
        ("Dutch System", "swiss"),
        ("Round Robin", "round_robin"),
        ("Double Round Robin", "double_round_robin"),
    ],
)
def test_the_sites_systems_have_a_name_here(system: str, here: str) -> None:
    assert _read(_small(pairing_system=system, rounds=6))[0].system == here


def test_a_system_that_is_new_is_a_swiss_with_a_note() -> None:
    tournament, notes = _read(_small(pairing_system="Knockout"))
    assert tournament.system == "swiss"
    assert notes == ['info.pairing_system: "Knockout" is not known here: entered as a Swiss']


def test_finals_carry_their_title_stage_and_the_winner_of_a_draw() -> None:
    value = _small(rounds=1, finals=1, roundNames=[{"round": 109, "round_name": "SF"}])
    semi_final = {"currentRound": 109, "started": True, "pairing": ["female", _game(1, 2, 32, result=0)]}
    last = [_game(1, 3, 20, category="U14", gameName="F1"), _game(1, 3, None)]
    value["rounds"] += [{"currentRound": 110, "started": True, "pairing": last}, semi_final]
    tournament, notes = _read(value)
    games = [(g.title, g.stage, g.score, g.draw_win) for g in tournament.finals]
    assert games == [("women", "semi-final", (32, 32), "102"), ("division:U14", "final", (20, 44), None)]
    assert notes == ["rounds[1].pairing[1]: a game of the finals without a result: left out"]


def test_what_the_sites_standings_say_otherwise_is_shown_at_its_line() -> None:
    value = _small(rounds=1)
    value["standings"] = [
        {"player_id": 1, "score": 1, "mbq": 40},
        {"player_id": 3, "score": 1, "mbq": 999},
        {"player_id": 2, "score": 0.5, "mbq": 24},
    ]
    _, notes = _read(value)
    assert notes == [
        "standings[0]: P1, Ann stands before P3, Ann at Flip the Disc, and behind by BQ here",
        "standings[1]: P3, Ann: a BQ of 999 at Flip the Disc, 96 by these rounds",
        "standings[2]: P2, Ann: 0.5 points at Flip the Disc, 0 by these rounds",
    ]


def test_moves_that_are_none_are_left_out_and_doubtful_ones_are_shown() -> None:
    value = _small()
    value["rounds"][0]["pairing"][0] = _game(1, 2, 40, transcript="f5z9")
    tournament, notes = _read(value)
    assert tournament.rounds[0].games[0].transcript == ""
    assert len(notes) == 1 and notes[0].startswith("rounds[0].pairing[0]: moves left out: move 2:")
    value["rounds"][0]["pairing"][0] = _game(1, 2, 40, transcript="f5a1")
    assert _read(value)[1] == [
        "rounds[0].pairing[0]: the moves do not show the result: move 2: expected a legal move, got a1"
    ]


def _changed(value: dict[str, Any], path: str, to: object) -> dict[str, Any]:
    changed: Any = copy.deepcopy(value)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = changed
    for part in way:
        place = place[part]
    place[last] = to
    return dict(changed)


_TEXT = "a text of at most 500 characters"
_WHOLE = "expected a whole number from 0 to"


@pytest.mark.parametrize(
    ("path", "to", "line"),
    [
        ("players_list", [], "players_list: expected 1 to 2000 players, got 0"),
        ("players_list", 5, "players_list: expected a list, got 5"),
        ("players_list.1", "x", 'players_list[1]: expected an object, got "x"'),
        ("players_list.1.id", 1, "players_list[1].id: expected an id of its own, got 1 again"),
        ("players_list.1.id", None, "players_list[1].id: expected the number of a player, got nothing"),
        ("players_list.1.surname", [], f"players_list[1].surname: expected {_TEXT}, got []"),
        ("players_list.1.left_after_round", -2, f"players_list[1].left_after_round: {_WHOLE} 200, got -2"),
        ("rounds", None, "rounds: expected a list, got nothing"),
        ("rounds.0.currentRound", 3, "rounds[0].currentRound: expected round 1, got 3"),
        (
            "rounds.0.currentRound",
            None,
            "rounds[0].currentRound: expected the number of a round, got nothing",
        ),
        (
            "rounds.0.pairing.0",
            [1, 2, 3],
            "rounds[0].pairing[0]: expected two players, Black first, got [1, 2, 3]",
        ),
        ("rounds.0.pairing.0.0.id", 77, "rounds[0].pairing[0][0].id: expected the id of a player, got 77"),
        (
            "rounds.0.pairing.0.1.id",
            1,
            "rounds[0].pairing[0][1].id: expected another player than Black, got 1",
        ),
        ("rounds.0.pairing.0.0.score", 65, f"rounds[0].pairing[0][0].score: {_WHOLE} 64, got 65"),
        ("rounds.0.pairing.0.0.result", 3, f"rounds[0].pairing[0][0].result: {_WHOLE} 2, got 3"),
        ("rounds.0.pairing.1.0.id", 2, "rounds[0].pairing[1]: expected players once in a round, got 2 again"),
        ("info", None, "info: expected an object, got nothing"),
        ("info.rounds", 4000, f"info.rounds: {_WHOLE} 200, got 4000"),
    ],
)
def test_bad_input_is_one_line_with_the_place_and_what_was_expected(path: str, to: object, line: str) -> None:
    with pytest.raises(FormatError) as fault:
        _read(_changed(_small(), path, to))
    assert str(fault.value) == line


def test_a_file_is_limited_before_anything_of_it_is_parsed() -> None:
    with pytest.raises(Refused, match="expected at most 8388608 bytes, got a larger file"):
        read_tournament("x.json", b'{"players_list":[' + b" " * LARGEST_BYTES)
    with pytest.raises(FormatError, match="expected at most 4000000 values, got more"):
        read_flip_the_disc(b'{"players_list":[' + b"," * 4_000_001)
    with pytest.raises(FormatError, match="too deep a nesting"):
        read_flip_the_disc(b'{"players_list":' + b"[" * 100_000)
    many = _small() | {"players_list": [{"id": n} for n in range(1, MOST_PLAYERS + 2)]}
    with pytest.raises(FormatError, match="players_list: expected 1 to 2000 players, got 2001"):
        _read(many)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 120) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


def _places(value: object, way: str = "") -> list[str]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for name, item in items for place in (f"{way}{name}", *_places(item, f"{way}{name}."))]


@given(st.data())
def test_any_value_at_any_place_is_read_or_refused_in_one_line(data: st.DataObject) -> None:
    value = _small(roundNames=[{"round": 1, "round_name": "1"}]) | {
        "standings": [{"player_id": 1, "score": 1, "mbq": 40}]
    }
    for _ in range(data.draw(st.integers(1, 2))):
        value = _changed(value, data.draw(st.sampled_from(_places(value))), data.draw(_VALUES))
    try:
        reading = read_flip_the_disc(json.dumps(value).encode())
    except FormatError as fault:
        assert "\n" not in str(fault)
    else:
        assert tournament_from_json(tournament_to_json(reading.tournament)) == reading.tournament


@pytest.mark.parametrize("name", _EVENTS)
def test_what_was_read_leaves_as_elo_and_as_our_own_file(name: str) -> None:
    tournament, _ = _read(_file(name))
    assert read_own(write_tournament(tournament)) == tournament
    back = elo_reading(write_elo(tournament)).tournament
    assert [[(g.players, g.score) for g in r.games] for r in back.rounds] == [
        [(g.players, g.score) for g in r.games] for r in tournament.rounds
    ]
    assert {player.id for player in back.players} == {player.id for player in tournament.players}


def test_results_leave_as_lines_to_type_with_blacks_name_and_discs() -> None:
    value = _small()
    value["rounds"].append(
        {"currentRound": 2, "started": True, "pairing": [_game(3, 1, 12), _game(2, 2, 1)[:1]]}
    )
    tournament, _ = _read(value)
    assert write_typed_lines(tournament).files == {".txt": b"P3 Ann 12\n"}
    assert write_typed_lines(tournament, 1).files == {".txt": b"P1 Ann 40\n"}
    assert typed_lines_of_event(tournament) == b"% round 1\nP1 Ann 40\n\n% round 2\nP3 Ann 12\n"
    with pytest.raises(FormatError, match="--round: expected 1 to 2, got 3"):
        write_typed_lines(tournament, 3)
    value["rounds"] = []
    with pytest.raises(FormatError, match="rounds: expected games with a result, got none"):
        typed_lines_of_event(_read(value)[0])


@pytest.mark.parametrize(
    ("said", "tie_break"),
    [(None, ""), ("MBQ", ""), ("Brightwell Quotient", ""), ("Disc difference", "disc-difference")],
)
def test_a_tie_break_that_is_known_is_read(said: object, tie_break: str) -> None:
    tournament, notes = _read(_small(**{"tie-breaker": said}))
    assert (tournament.tie_break, notes) == (tie_break, [])


@pytest.mark.parametrize("said", ["Sonneborn", 3, ["mbq"], {"by": "discs"}, True])
def test_a_tie_break_that_is_not_known_is_one_line(said: object) -> None:
    tournament, notes = _read(_small(**{"tie-breaker": said}))
    assert tournament.tie_break == ""
    assert len(notes) == 1 and "info.tie-breaker" in notes[0] and "ranked by BQ" in notes[0]


XOT = "f5d6c4d3c2b3b4b5"


@pytest.mark.parametrize("said", [XOT, XOT.upper(), [XOT], [XOT, "f5f6e6f4"]])
def test_openings_that_a_file_names_are_those_of_its_rounds(said: object) -> None:
    tournament, notes = _read(_small(xot=said))
    assert tournament.openings is not None and tournament.openings[0] == XOT and notes == []


@pytest.mark.parametrize("said", [1, True, "yes", "f5f5", [XOT, XOT], [XOT] + ["f5"] * 2, [XOT, 3], {"a": 1}])
def test_openings_without_their_moves_are_one_line(said: object) -> None:
    tournament, notes = _read(_small(xot=said))
    assert tournament.openings is None
    assert len(notes) == 1 and "info.xot" in notes[0] and "does not name" in notes[0]


@pytest.mark.parametrize("said", [None, 0, False, "", "no", []])
def test_no_openings_are_none(said: object) -> None:
    tournament, notes = _read(_small(xot=said))
    assert (tournament.openings, notes) == (None, [])


@pytest.mark.parametrize(
    ("told", "day", "noted"),
    [
        ("2026-11-06T23:00:00.000Z", "2026-11-07", "is entered as 2026-11-07, the day at this hub"),
        ("2026-11-06T09:00:00Z", "2026-11-06", ""),
        ("2026-11-06", "2026-11-06", ""),
        ("2026-11-06T23:00:00", "2026-11-06", ""),
        ("6 November", None, "info.start_date: expected a day such as 2026-11-07, got"),
        ("2026-13-45", None, "info.start_date: expected a day such as 2026-11-07, got"),
    ],
)
def test_a_day_is_that_of_the_clocks_here_and_one_that_is_none_gets_a_note(
    monkeypatch: pytest.MonkeyPatch, told: str, day: str | None, noted: str
) -> None:
    """The site writes a player's midnight as the evening before in UTC."""
    tokyo = ZoneInfo("Asia/Tokyo")
    monkeypatch.setattr("hub.formats.flip_the_disc.reader.zone_or_own", lambda _: tokyo)
    tournament, notes = _read(_small(start_date=told))
    assert tournament.date == day
    assert [noted in note for note in notes if "info.start_date" in note] == ([True] if noted else [])
