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
