"""Playoffs, semi-finals, finals and the open list of the World Championship's rulebooks, from the tournament alone,
and the day of the finals.
"""

from __future__ import annotations

from typing import Any

import pytest
from helpers.finals_values import (
    EIGHT,
    LEVEL,
    SEMI_FINALS,
    Value,
    draw,
    finals_json,
    of_points,
    pairs,
    places,
    win,
)

from hub.form.tournament import tournament_from_json
from hub.ranking.finals import FinalsSession, finals_of, third_day
from hub.text import FormatError


@pytest.mark.clause("woc-2019 II.1", "woc-2019 II.1.a", "woc-2019 II.1.a (individual)", "woc-2019 III.2.1")
@pytest.mark.clause("woc-2017 II.1", "woc-2017 II.1.a", "woc-2017 II.1.a (individual)", "woc-2017 III.2")
@pytest.mark.clause("woc-classic II.1", "woc-classic II.1.a", "woc-classic II.1.a (third day)")
@pytest.mark.clause("woc-classic III.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])
def test_first_plays_fourth_and_second_plays_third(rulebook: str) -> None:
    state = finals_json(of_points(EIGHT, rulebook))
    assert state["due"] == [
        {
            "title": "open",
            "stage": "semi-final",
            "players": players,
            "games": 3,
            "wins": {players[0]: 0, players[1]: 0},
            "minutes": 35,
            "chooses": players[0],
            "may": "colour",
        }
        for players in (["a", "d"], ["b", "c"])
    ]


@pytest.mark.clause("woc-2019 II.3", "woc-2019 II.3.3.c", "woc-2017 II.3", "woc-2017 II.3.3.c")
@pytest.mark.clause("woc-classic II.3", "woc-classic II.3.2", "woc-classic II.3.2.b", "cc-2024 II.3")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_behind_the_four_level_players_share_a_place(rulebook: str) -> None:
    state = finals_json(of_points(EIGHT, rulebook))
    assert state["provisional"] == list("abcdefgh")
    assert places(state["lists"]["open"]) == [
        (1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"), (6, "f"), (6, "g"), (8, "h"),
    ]  # fmt: skip


@pytest.mark.clause("woc-2019 II.3.2", "woc-2017 II.3.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_three_playoffs_when_second_to_seventh_are_level(rulebook: str) -> None:
    state = finals_json(of_points(LEVEL, rulebook))
    assert pairs(state["due"]) == [
        ("open", "playoff", "d-e"), ("open", "playoff", "c-f"), ("open", "playoff", "b-g"),
    ]  # fmt: skip
    assert [(m["games"], m["minutes"], m["chooses"], m["may"]) for m in state["due"]] == [
        (1, 30, player, "colour-or-draw-win") for player in "dcb"
    ]
    assert [place for place, _ in places(state["lists"]["open"])] == [1, 2, 3, 4, 5, 5, 5, 8]


@pytest.mark.clause("woc-2019 II.3.2", "woc-2017 II.3.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_first_and_eighth_play_when_all_eight_are_level(rulebook: str) -> None:
    state = finals_json(of_points(dict.fromkeys("abcdefgh", 7), rulebook))
    assert pairs(state["due"])[-1] == ("open", "playoff", "a-h")


@pytest.mark.clause("woc-classic II.3.1", "woc-classic II.3.2.a")
def test_only_fourth_and_fifth_play_in_the_older_rules_and_a_draw_is_the_fourths() -> None:
    level = of_points(LEVEL, "woc-classic")
    assert [(pairs([m])[0][2], m["may"]) for m in finals_json(level)["due"]] == [
        ("d-e", "colour-and-draw-win")
    ]
    level["finals"] = [draw("open", "playoff", "d", "e")]
    assert [places(finals_json(level)["lists"]["open"])[i][1] for i in range(4)] == ["a", "b", "c", "d"]
    level["finals"] = [win("open", "playoff", "e", "d", 33)]
    assert places(finals_json(level)["lists"]["open"])[:8] == [
        (1, "a"), (2, "b"), (3, "c"), (4, "e"), (5, "d"), (5, "f"), (5, "g"), (8, "h"),
    ]  # fmt: skip


@pytest.mark.clause("woc-2019 II.3.3", "woc-2019 II.3.3.a", "woc-2019 II.3.3.b", "woc-2017 II.3.3")
@pytest.mark.clause("woc-2017 II.3.3.a", "woc-2017 II.3.3.b")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_playoff_winners_keep_the_provisional_order_and_losers_share_the_fifth_place(rulebook: str) -> None:
    value = of_points(LEVEL, rulebook)
    value["finals"] = [
        win("open", "playoff", "e", "d"),
        draw("open", "playoff", "c", "f", draw_win="c"),
        win("open", "playoff", "g", "b"),
    ]
    state = finals_json(value)
    assert places(state["lists"]["open"]) == [
        (1, "a"), (2, "c"), (3, "e"), (4, "g"), (5, "b"), (5, "d"), (5, "f"), (8, "h"),
    ]  # fmt: skip
    assert pairs(state["due"]) == [("open", "semi-final", "a-g"), ("open", "semi-final", "c-e")]
    assert {match["winner"] for match in state["matches"]} == {"e", "c", "g"}


@pytest.mark.clause("woc-2019 II.1", "woc-2017 II.1", "woc-classic II.1", "cc-2024 II.1")
@pytest.mark.clause("woc-2019 II.3", "woc-2017 II.3", "woc-classic II.3", "cc-2024 II.3")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_nothing_is_due_and_nobody_champion_before_every_planned_round_is_in_and_scored(
    rulebook: str,
) -> None:
    value = of_points(EIGHT, rulebook, rounds_planned=11)
    assert (finals_json(value)["due"], set(finals_json(value)["champions"].values())) == ([], {None})
    value["rounds"].append({"games": [{"black": "a", "white": "b"}]})
    assert finals_json(value)["due"] == []
    value["rounds"][-1]["games"][0]["score"] = [40, 24]
    assert len(finals_json(value)["due"]) == 2


# The match of the first-ranked player, `a`.
FIRST_MATCH = pytest.mark.parametrize(
    ("rulebook", "stage", "other"),
    [
        ("woc-2019", "semi-final", "d"),
        ("woc-2017", "semi-final", "d"),
        ("woc-classic", "semi-final", "d"),
        ("cc-2024", "final", "b"),
    ],
)


def due_of(value: Value, stage: str) -> Value:
    return next(
        match for match in finals_json(value)["due"] if match["stage"] == stage and "a" in match["players"]
    )


@pytest.mark.clause("woc-2019 III.1", "woc-2017 III.1", "woc-classic III.1", "cc-2024 III.1")
@FIRST_MATCH
def test_best_of_three_choice_reversed_colours_and_discs(rulebook: str, stage: str, other: str) -> None:
    value = of_points(EIGHT, rulebook)
    assert (due_of(value, stage)["chooses"], due_of(value, stage)["may"]) == ("a", "colour")
    value["finals"] = [win("open", stage, other, "a", 50)]
    match = due_of(value, stage)
    assert (match["wins"], match["chooses"], match["may"]) == ({"a": 0, other: 1}, None, "colour")
    value["finals"].append(win("open", stage, "a", other, 49))
    assert due_of(value, stage)["chooses"] == other  # 50 + 15 discs against 14 + 49
    value["finals"][1] = win("open", stage, "a", other, 50)
    assert due_of(value, stage)["chooses"] == "a"  # level: the higher-ranked
    value["finals"].append(draw("open", stage, other, "a"))
    assert finals_json(value)["matches"] == [
        {"title": "open", "stage": stage, "players": ["a", other], "winner": "a"}
    ]  # points and discs level: the higher-ranked
    value["finals"][1] = win("open", stage, "a", other, 49)
    assert finals_json(value)["matches"][0]["winner"] == other  # points level: more discs


@pytest.mark.clause("woc-2019 III.1", "woc-2017 III.1", "woc-classic III.1", "cc-2024 III.1")
@FIRST_MATCH
def test_two_wins_end_a_match_but_a_win_and_a_draw_do_not(rulebook: str, stage: str, other: str) -> None:
    value = of_points(EIGHT, rulebook)
    value["finals"] = [win("open", stage, "a", other), draw("open", stage, other, "a")]
    assert due_of(value, stage)["wins"] == {"a": 1.5, other: 0.5}
    value["finals"][1] = win("open", stage, "a", other)
    assert finals_json(value)["matches"][0]["winner"] == "a"


@pytest.mark.clause("woc-2019 III.1", "woc-2017 III.1", "woc-classic III.1", "cc-2024 III.1")
@FIRST_MATCH
def test_colours_that_were_not_reversed_are_told_but_the_game_stands(
    rulebook: str, stage: str, other: str
) -> None:
    value = of_points(EIGHT, rulebook)
    value["finals"] = [win("open", stage, "a", other), win("open", stage, "a", other)]
    assert finals_json(value)["warnings"] == [
        f"open {stage} a-{other}: colours not reversed for the second game"
    ]
    assert finals_json(value)["matches"][0]["winner"] == "a"
    value["finals"][1] |= {"black": other, "white": "a", "score": [24, 40]}
    assert finals_json(value)["warnings"] == []


@pytest.mark.clause("woc-2019 II.1.b (individual)", "woc-2019 III.2.2", "woc-2019 III.2.3")
@pytest.mark.clause("woc-2017 II.1.b (individual)", "woc-2017 III.3", "woc-2017 III.4")
@pytest.mark.clause("woc-classic II.1.b (third day)", "woc-classic III.3", "woc-classic III.4")
@pytest.mark.parametrize(
    ("rulebook", "may"),
    [
        ("woc-2019", "colour-or-draw-win"),
        ("woc-2017", "colour-or-draw-win"),
        ("woc-classic", "colour-and-draw-win"),
    ],
)
def test_final_and_third_place_end_in_the_complete_list(rulebook: str, may: str) -> None:
    value = of_points(EIGHT, rulebook)
    value["finals"] = SEMI_FINALS[:3]
    assert places(finals_json(value)["lists"]["open"])[:4] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    value["finals"] = list(SEMI_FINALS)
    state = finals_json(value)
    assert places(state["lists"]["open"])[:4] == [(1, "a"), (2, "c"), (3, "b"), (4, "d")]
    third, final = state["due"]
    assert (third["stage"], third["players"], third["games"], third["minutes"]) == (
        "third-place",
        ["b", "d"],
        1,
        35,
    )
    assert (third["chooses"], third["may"]) == ("b", may)
    assert (final["stage"], final["players"], final["games"], final["minutes"]) == (
        "final",
        ["a", "c"],
        3,
        40,
    )
    value["finals"] += [
        win("open", "third-place", "d", "b"),
        win("open", "final", "c", "a"),
        win("open", "final", "c", "a"),
    ]
    state = finals_json(value)
    assert places(state["lists"]["open"])[:5] == [(1, "c"), (2, "a"), (3, "d"), (4, "b"), (5, "e")]
    assert (state["champions"]["open"], state["due"]) == ("c", [])


@pytest.mark.clause("woc-classic III.3")
def test_a_drawn_third_place_is_the_better_placeds_in_the_older_rules() -> None:
    value = of_points(EIGHT, "woc-classic")
    value["finals"] = [*SEMI_FINALS, draw("open", "third-place", "d", "b")]
    assert finals_json(value)["matches"][2]["winner"] == "b"


def test_a_drawn_game_with_choice_needs_its_draw_win() -> None:
    value = of_points(EIGHT)
    value["finals"] = [*SEMI_FINALS, draw("open", "third-place", "d", "b")]
    with pytest.raises(FormatError, match=r"^finals\[4\]\.draw_win: expected the player who wins the draw"):
        finals_json(value)
    value["finals"][4]["draw_win"] = "d"
    assert places(finals_json(value)["lists"]["open"])[2:4] == [(3, "d"), (4, "b")]


def test_a_third_game_of_a_match_that_is_decided_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^finals\[2\]: expected a game that was due"):
        finals_json(of_points(EIGHT, finals=[SEMI_FINALS[0], SEMI_FINALS[1], SEMI_FINALS[0]]))


def test_a_game_being_played_stays_due() -> None:
    playing = {"title": "open", "stage": "semi-final", "black": "a", "white": "d", "score": None}
    value = of_points(EIGHT, finals=[playing])
    assert finals_json(value)["due"] == finals_json(of_points(EIGHT))["due"]
    value["finals"].append(playing)
    with pytest.raises(FormatError, match=r"^finals\[1\]: expected a score"):
        finals_json(value)


# Withdrawals


@pytest.mark.clause("woc-2019 II.8", "woc-2017 II.7", "woc-classic II.6", "cc-2024 II.8")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_a_withdrawn_player_keeps_his_points_but_does_not_qualify(rulebook: str) -> None:
    value = of_points(EIGHT, rulebook, withdrawals=[{"player": "a", "after_round": 10}])
    state = finals_json(value)
    assert state["provisional"] == list("bcdefgh")
    assert {player for due in state["due"] for player in due["players"]} == set("bcde")
    assert places(state["lists"]["open"])[:6] == [
        (1, "b"), (2, "c"), (3, "d"), (4, "e"), (5, "a"), (6, "f"),
    ]  # fmt: skip


def test_who_already_has_a_game_in_the_finals_keeps_his_number_though_withdrawn() -> None:
    value = of_points(EIGHT, withdrawals=[{"player": "a", "after_round": 10}])
    value["finals"] = [win("open", "semi-final", "d", "a", 64)]
    assert finals_json(value)["provisional"] == list("abcdefgh")
    value["finals"].append(win("open", "semi-final", "d", "a", 64))
    assert finals_json(value)["matches"][0]["winner"] == "d"


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
