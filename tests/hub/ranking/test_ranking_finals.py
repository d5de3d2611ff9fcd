"""Playoffs, semi-finals, finals and the open list of the World Championship's rulebooks, from the tournament alone."""

from __future__ import annotations

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
