"""Gaps that players leave who withdraw after the playoffs or finals have begun."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.finals_values import EIGHT, LEVEL, Value, draw, finals_json, of_points, pairs, places, win
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.ranking.finals import Finals, finals_of

CLAUSES = {"woc-2019": "II.8", "woc-2017": "II.7", "woc-classic": "II.6", "cc-2024": "II.8"}


def gone(player: str, value: Value, **fields: Any) -> None:
    """Withdraw `player` now."""
    left = {"player": player, "after_round": len(value["rounds"]), "after_finals": len(value["finals"])}
    value.setdefault("withdrawals", []).append(left | fields)


@pytest.mark.clause("woc-2019 II.8", "woc-2017 II.7", "woc-classic II.6")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])
def test_who_withdraws_after_his_playoff_leaves_a_gap_that_is_named_and_settled_by_one_game(
    rulebook: str,
) -> None:
    value = of_points({**LEVEL, "f": 7, "g": 7}, rulebook)
    value["finals"] = [win("open", "playoff", "e", "d")]
    gone("e", value)
    (first, second) = finals_json(value)["due"]
    assert pairs([first, second]) == [("open", "semi-final", "a-e"), ("open", "semi-final", "b-c")]
    assert first["gap"] == {
        "withdrawn": ["e"],
        "allows": f"e has withdrawn and may not return ({rulebook} {CLAUSES[rulebook]}): scored 64-0, a goes on",
    }
    assert "gap" not in second
    value["finals"].append(win("open", "semi-final", "a", "e", 64, reason="forfeit"))
    finals = finals_json(value)
    assert finals["matches"][-1] == {
        "title": "open",
        "stage": "semi-final",
        "players": ["a", "e"],
        "winner": "a",
    }
    assert pairs(finals["due"]) == [("open", "semi-final", "b-c")]


@pytest.mark.clause("cc-2024 II.8")
def test_who_withdraws_during_a_final_has_lost_it_by_one_game() -> None:
    value = of_points(EIGHT, "cc-2024")
    value["finals"] = [win("open", "final", "a", "b")]
    gone("a", value)
    (final, third) = (
        next(m for m in finals_json(value)["due"] if m["stage"] == stage)
        for stage in ("final", "third-place")
    )
    assert final["gap"]["withdrawn"] == ["a"]
    assert "gap" not in third
    value["finals"].append(win("open", "final", "b", "a", 64, reason="forfeit"))
    assert finals_json(value)["champions"]["open"] == "b"


@pytest.mark.clause("woc-2019 II.8")
def test_who_has_no_game_yet_when_the_playoffs_are_played_keeps_his_number_and_leaves_a_gap() -> None:
    value = of_points({**LEVEL, "f": 7, "g": 7})
    value["finals"] = [win("open", "playoff", "e", "d")]
    gone("a", value)
    assert pairs(finals_json(value)["due"])[0] == ("open", "semi-final", "a-e")
    assert finals_json(value)["due"][0]["gap"]["withdrawn"] == ["a"]
    del value["withdrawals"][0]["after_finals"]  # a file of before: its games say that he left later
    assert finals_json(value)["due"][0]["gap"]["withdrawn"] == ["a"]


@pytest.mark.clause("woc-2019 II.8")
def test_before_a_titles_first_game_its_qualifiers_are_numbered_without_the_withdrawn() -> None:
    women = {player: {"gender": "f"} for player in "efgh"}
    value = of_points({**EIGHT, "i": 1}, players=women | {"i": {"gender": "f"}})
    value["finals"] = [win("open", "semi-final", "a", "d")]
    gone("e", value)
    assert ("women", "semi-final", "f-i") in pairs(finals_json(value)["due"])
    assert not any("gap" in match for match in finals_json(value)["due"])


@pytest.mark.clause("woc-2019 II.8")
def test_two_who_have_left_settle_nothing_for_each_other_and_nobody_waits() -> None:
    value = of_points(EIGHT)
    value["finals"] = [win("open", "semi-final", "a", "d"), win("open", "semi-final", "b", "c")]
    gone("a", value)
    gone("d", value)
    both = finals_json(value)["due"][0]["gap"]
    assert both["withdrawn"] == ["a", "d"]
    assert both["allows"].endswith("scored 0-0, the better place stands")
    value["finals"] += [
        win("open", "semi-final", "b", "c"),
        {
            "title": "open",
            "stage": "semi-final",
            "black": "d",
            "white": "a",
            "score": [0, 0],
            "reason": "forfeit",
        },
    ]
    finals = finals_json(value)
    assert pairs(finals["due"]) == [("open", "third-place", "c-d"), ("open", "final", "a-b")]
    assert [match["gap"]["withdrawn"] for match in finals["due"]] == [["d"], ["a"]]
    value["finals"] += [
        win("open", "third-place", "c", "d", 64, reason="forfeit"),
        win("open", "final", "b", "a", 64, reason="forfeit"),
    ]
    finals = finals_json(value)
    assert finals["due"] == []
    assert finals["champions"]["open"] == "b"
    assert places(finals["lists"]["open"])[:4] == [(1, "b"), (2, "a"), (3, "c"), (4, "d")]


def test_two_forfeited_games_of_an_old_file_are_read_as_before() -> None:
    value = of_points(EIGHT)
    value["finals"] = [win("open", "semi-final", "a", "d", 64, reason="forfeit")] * 2
    gone("d", value, after_finals=0)
    assert finals_json(value)["matches"][0]["winner"] == "a"


def open_title(finals: Finals) -> bool:
    return bool(finals.due) or any(
        match.winner() is None for of in finals.brackets.values() for match in of.matches
    )


@settings(max_examples=8)  # each ranks a tournament of many rounds
@given(st.data(), st.sampled_from(["woc-2019", "woc-2017", "woc-classic", "cc-2024"]))
def test_a_withdrawn_player_never_blocks_what_is_due(data: st.DataObject, rulebook: str) -> None:
    points = data.draw(st.lists(st.integers(2, 5), min_size=8, max_size=8), label="points")
    women = {"abcdefgh"[at]: {"gender": "f"} for at in data.draw(st.sets(st.integers(0, 7)), label="women")}
    value = of_points(
        dict(zip("abcdefgh", sorted(points, reverse=True), strict=True)), rulebook, players=women
    )
    value["finals"] = []
    for _ in range(80):
        finals = finals_of(tournament_from_json(value))
        if not finals.due:
            assert not open_title(finals)
            return
        there = sorted(
            set("abcdefgh") - {withdrawal["player"] for withdrawal in value.get("withdrawals", [])}
        )
        if there and data.draw(st.integers(0, 4)) == 0:
            gone(data.draw(st.sampled_from(there)), value)
            finals = finals_of(tournament_from_json(value))
            if not finals.due:
                continue
        match = data.draw(st.sampled_from(finals.due))
        better, other = match.players
        assert (finals.gap(match) is None) == (not match.withdrawn)
        if len(match.withdrawn) == 2:
            game = draw(match.title, match.stage, better, other, reason="forfeit") | {"score": [0, 0]}
        elif match.withdrawn:
            (left,) = match.withdrawn
            game = win(match.title, match.stage, match.may_win[0], left, 64, reason="forfeit")
        else:
            game = data.draw(
                st.sampled_from(
                    [
                        win(match.title, match.stage, better, other),
                        win(match.title, match.stage, other, better),
                        draw(match.title, match.stage, other, better, draw_win=better),
                    ]
                )
            )
        value["finals"].append(game)
    raise AssertionError("the finals do not end")
