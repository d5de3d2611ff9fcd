"""A Grand Prix season as `flagfall-hub season` ranks it from the files of its events."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from helpers.finals_values import of_points, win
from hypothesis import given
from hypothesis import strategies as st

from hub.main import main
from hub.ranking.grand_prix import season


def written(
    folder: Path, name: str, points: dict[str, int], *finals: dict[str, object], rulebook: str = "bof"
) -> str:
    path = folder / name
    path.write_text(json.dumps(of_points(points, rulebook, finals=list(finals))))
    return str(path)


def test_the_events_of_a_year_are_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = written(tmp_path, "a.json", {"x": 9, "y": 8, "z": 7}, win("open", "final", "x", "y"))
    second = written(tmp_path, "b.json", {"y": 9, "w": 8}, win("open", "final", "w", "y"))
    assert main(["season", first, second, "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["season"]
    assert [(line["place"], line["player"], line["points"], line["of_events"]) for line in lines] == [
        (1, "y", 320, [160, 160]),
        (2, "x", 200, [200]),
        (2, "w", 200, [200]),
        (4, "z", 120, [120]),
    ]
    assert [line["plays_off"] for line in lines] == [False, True, True, False]
    assert main(["season", first, second]) == 0
    assert "    2    200  x  (200)  play-off" in capsys.readouterr().out


def test_an_event_without_points_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = written(tmp_path, "world.json", {"x": 9, "y": 8}, rulebook="woc-2019")
    assert main(["season", other]) == 2
    error = capsys.readouterr().err
    assert (
        "world.json: rounds: expected complete rounds under a rulebook with Grand Prix points, got woc-2019"
        in error
    )


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([200, 160, 120, 5]), max_size=6),
        max_size=6,
    )
)
def test_more_points_never_stand_below_fewer_and_level_players_share_their_place(
    events: list[dict[str, int]],
) -> None:
    lines = season(events)
    assert {line.player for line in lines} == {player for points in events for player in points}
    for better, worse in itertools.pairwise(lines):
        assert better.points >= worse.points
        level = (better.points, better.of_events) == (worse.points, worse.of_events)
        assert (better.place == worse.place) == level and (
            not level or (better.plays_off and worse.plays_off)
        )
        assert level or better.points > worse.points or better.of_events > worse.of_events


def club(folder: Path, name: str, *players: tuple[str, str, int]) -> str:
    """Write the file of an event whose players were entered by hand: number, name, points."""
    value = of_points({number: points for number, _, points in players}, "bof")
    names = {number: player for number, player, _ in players}
    for player in value["players"]:
        player |= {"name": names[player["id"]], "new": int(player["id"]) >= 900_001}
    path = folder / name
    path.write_text(json.dumps(value))
    return str(path)


def totals(out: str) -> dict[str, list[int]]:
    """Return the totals of each name, the most first."""
    lines: dict[str, list[int]] = {}
    for line in json.loads(out)["season"]:
        lines.setdefault(line["name"], []).append(line["points"])
    return lines


def test_numbers_made_up_for_an_event_join_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = club(tmp_path, "a.json", ("900001", "Ann Amber", 9), ("900002", "Bo Beryl", 8))
    second = club(tmp_path, "b.json", ("900001", "Bo Beryl", 9), ("900002", "Cid Coral", 8))
    assert main(["season", first, second, "--json"]) == 0
    told = capsys.readouterr()
    assert totals(told.out) == {"Ann Amber": [200], "Bo Beryl": [200, 160], "Cid Coral": [160]}
    assert (
        'Bo Beryl: a.json:900002, b.json:900001 may be one person, and are kept apart; --same "Bo Beryl"'
        in (told.err)
    )
    assert json.loads(told.out)["asked"] and "Ann" not in told.err
    # The answer joins them, and the list says why.
    assert main(["season", first, second, "--same", "BERYL Bo"]) == 0
    told = capsys.readouterr()
    assert (
        "    1    360  Bo Beryl  (200 + 160)  [one person by --same: a.json:900002, b.json:900001]"
        in told.out
    )
    assert told.err == ""
    assert main(["season", first, second, "--same", "all"]) == 0
    assert "[one person by name: a.json:900002, b.json:900001]" in capsys.readouterr().out
    assert main(["season", first, second, "--same", "all", "--apart", "Bo Beryl"]) == 0
    told = capsys.readouterr()
    assert told.out.count("Bo Beryl  (") == 2 and told.err == ""


def test_a_number_of_the_list_joins_only_names_that_agree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = club(tmp_path, "a.json", ("12", "AMBER, Ann", 9), ("7", "Bo Beryl", 8))
    second = club(tmp_path, "b.json", ("12", "Ann Amber", 9), ("7", "Cid Coral", 8))
    third = club(tmp_path, "c.json", ("900001", "Ann Amber", 9), ("900002", "Dot", 8))
    assert main(["season", first, second, third, "--json"]) == 0
    told = capsys.readouterr()
    assert totals(told.out)["AMBER, Ann"] == [400], "the same number and name"
    assert totals(told.out)["Ann Amber"] == [200], "a name alone is asked about"
    assert totals(told.out)["Bo Beryl"] == totals(told.out)["Cid Coral"] == [160]
    assert "7 is Bo Beryl in a.json and Cid Coral in b.json: kept apart" in told.err
    assert main(["season", first, second, third, "--json", "--same", "12=c.json:900001"]) == 0
    assert totals(capsys.readouterr().out)["AMBER, Ann"] == [600]


def test_two_of_one_name_in_one_event_are_never_joined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = club(tmp_path, "a.json", ("900001", "Ann Amber", 9), ("900002", "Ann Amber", 8))
    second = club(tmp_path, "b.json", ("900001", "Ann Amber", 9), ("900002", "Bo", 8))
    for same in ((), ("--same", "all")):
        assert main(["season", first, second, "--json", *same]) == 0
        assert totals(capsys.readouterr().out)["Ann Amber"] == [200, 200, 160]
    assert main(["season", first, second, "--same", "Ann Amber"]) == 2
    assert "play in one event: name the entries" in capsys.readouterr().err
    assert main(["season", first, second, "--same", "a.json:900002=b.json:900001"]) == 0
    assert "one person by --same" in capsys.readouterr().out
    assert main(["season", first, second, "--same", "Zoe"]) == 2
    assert "expected a name, a number or FILE:NUMBER of a player, got 'Zoe'" in capsys.readouterr().err
