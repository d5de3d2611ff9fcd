"""The day of the finals: what starts together, and when."""

from __future__ import annotations

from typing import Any

import pytest

from hub.form.tournament import tournament_from_json
from hub.ranking.finals_played import finals_of
from hub.ranking.third_day import FinalsSession, third_day

POINTS = {"a": 9, "b": 8, "c": 7, "d": 6, "p": 5, "q": 4, "r": 3, "s": 2, "w": 5, "x": 4, "y": 3, "z": 2}


def sessions(
    rulebook: str, finals: list[dict[str, Any]] | None = None, **fields: Any
) -> tuple[FinalsSession, ...]:
    value = {
        "format": "flagfall-tournament/1",
        "rulebook": rulebook,
        "system": "swiss",
        "date": "2026-11-05",
        "rounds_planned": 9,
        "players": [
            {"id": p, "gender": "f" if p in "pqrs" else "m"} | ({"born": "2015-01-01"} if p in "wxyz" else {})
            for p in POINTS
        ],
        "rounds": [{"byes": [p for p, scored in POINTS.items() if scored > r]} for r in range(9)],
        "lots": list(POINTS),
        "finals": finals or [],
    }
    return third_day(finals_of(tournament_from_json(value | fields)))


def lines_of(session: FinalsSession) -> list[str]:
    return [
        f"{game.table} {game.title} {game.stage} {game.game} {'-'.join(game.players or '?')}"
        for game in session.games
    ]


@pytest.mark.clause("woc-2019 B", "woc-2019 III.2.2", "woc-2019 III.3.1", "woc-2019 III.3.2")
@pytest.mark.clause("woc-2019 III.3.3", "woc-2019 III.4.1", "woc-2019 III.4.2", "woc-2019 III.4.3")
def test_the_timetable_of_2019() -> None:
    day = sessions("woc-2019")
    assert [(session.start, session.end) for session in day] == [
        ("09:30", "10:40"), ("10:50", "12:00"), ("12:10", "13:20"),
        ("14:10", "15:30"), ("15:40", "17:00"), ("17:10", "18:30"),
    ]  # fmt: skip
    assert [lines_of(session) for session in day] == [
        ["1 open semi-final 1 a-d", "2 open semi-final 1 b-c", "3 young semi-final 1 w-z", "4 young semi-final 1 x-y"],
        ["1 open semi-final 2 a-d", "2 open semi-final 2 b-c", "3 women semi-final 1 p-s", "4 women semi-final 1 q-r"],
        ["1 open semi-final 3 a-d", "2 open semi-final 3 b-c", "3 young third-place 1 ?", "4 young final 1 ?"],
        ["1 open final 1 ?", "2 open third-place 1 ?", "3 women third-place 1 ?"],
        ["1 open final 2 ?", "2 women final 1 ?"],
        ["1 open final 3 ?"],
    ]  # fmt: skip
    assert [game.if_needed for game in day[2].games] == [True, True, False, False]


def test_before_the_playoff_nobody_is_named_for_the_semi_finals() -> None:
    scored = POINTS | {"p": POINTS["d"]}
    rounds = [{"byes": [who for who, points in scored.items() if points > at]} for at in range(9)]
    playoff = {"title": "open", "stage": "playoff", "black": "d", "white": "p", "score": [24, 40]}
    assert sessions("woc-2019", rounds=rounds) == ()
    assert lines_of(sessions("woc-2019", [playoff], rounds=rounds)[0])[0] == "1 open semi-final 1 a-p"


def test_a_third_game_that_is_not_needed_leaves_the_timetable() -> None:
    game = {"title": "open", "stage": "semi-final", "black": "a", "white": "d", "score": [40, 24]}
    day = sessions("woc-2019", [game, game | {"black": "d", "white": "a", "score": [24, 40]}])
    assert lines_of(day[2])[0] == "1 open semi-final 3 b-c"


@pytest.mark.clause("woc-2017 III.3", "woc-2017 III.5", "woc-2017 III.6", "woc-2017 III.7", "woc-2017 B.4")
def test_what_starts_with_what_in_2017() -> None:
    day = [lines_of(session) for session in sessions("woc-2017")]
    assert day[0][2:] == ["3 women semi-final 1 p-s"]
    assert day[1][2:] == ["3 women semi-final 1 q-r"]
    assert day[2][2:] == ["3 young final 1 w-x"]
    assert day[3] == ["1 open final 1 ?", "2 open third-place 1 ?", "3 women third-place 1 ?"]
    assert day[4] == ["1 open final 2 ?", "2 women final 1 ?"]


@pytest.mark.clause("cc-2024 III.2")
def test_the_third_place_starts_with_the_final_in_a_confederation_championship() -> None:
    assert [lines_of(session) for session in sessions("cc-2024")] == [
        ["1 open final 1 a-b", "2 open third-place 1 c-d"], ["1 open final 2 a-b"], ["1 open final 3 a-b"],
    ]  # fmt: skip


def test_the_older_rules_and_usoa() -> None:
    assert len(sessions("woc-classic")) == 6
    assert sessions("usoa") == ()
