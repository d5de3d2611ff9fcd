"""The titles of women and young players, beside the open one."""

from __future__ import annotations

import pytest
from helpers.finals_values import (
    LEVEL,
    SEMI_FINALS,
    TEN,
    Value,
    draw,
    finals_json,
    of_points,
    pairs,
    places,
    win,
)

from hub.form.tournament import tournament_from_json
from hub.ranking.finals import finals_or_none, placed_at_the_end
from hub.ranking.standings import standings
from hub.text import FormatError

WOMEN = {player: {"gender": "f"} for player in "eghij"}


@pytest.mark.clause("woc-2019 II.1.b", "woc-2019 II.1.a (women)", "woc-2019 II.1.b (women)", "woc-2019 II.5")
@pytest.mark.clause("woc-2019 II.5.1", "woc-2019 II.5.2.a", "woc-2019 II.5.2.b", "woc-2019 III.3.1")
@pytest.mark.clause("woc-2019 III.3.2", "woc-2019 III.3.3", "woc-2017 II.1.b", "woc-2017 II.1.a (women)")
@pytest.mark.clause("woc-2017 II.1.b (women)", "woc-2017 II.5", "woc-2017 II.5.1", "woc-2017 II.5.2.a")
@pytest.mark.clause("woc-2017 II.5.2.b", "woc-2017 III.5", "woc-2017 III.6", "woc-2017 III.7")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_womens_semi_finals_third_place_and_final(rulebook: str) -> None:
    value = of_points(TEN | {"k": 2}, rulebook, players=WOMEN | {"k": {"gender": "f"}})
    state = finals_json(value)
    women = [match for match in state["due"] if match["title"] == "women"]
    assert pairs(women) == [("women", "semi-final", "e-i"), ("women", "semi-final", "g-h")]
    assert {(m["games"], m["minutes"], m["may"]) for m in women} == {(1, 35, "colour-or-draw-win")}
    assert [m["chooses"] for m in women] == ["e", "g"]
    assert places(state["lists"]["women"]) == [
        (1, "e"), (2, "g"), (3, "h"), (4, "i"), (5, "j"), (5, "k"),
    ]  # fmt: skip
    value["finals"] = [win("women", "semi-final", "i", "e"), win("women", "semi-final", "h", "g")]
    state = finals_json(value)
    women = [match for match in state["due"] if match["title"] == "women"]
    assert pairs(women) == [("women", "third-place", "e-g"), ("women", "final", "h-i")]
    assert [(m["games"], m["minutes"], m["chooses"], m["may"]) for m in women] == [
        (1, 35, "e", "colour-or-draw-win"), (1, 40, "h", "colour-or-draw-win"),
    ]  # fmt: skip
    value["finals"] += [win("women", "final", "i", "h"), win("women", "third-place", "g", "e")]
    state = finals_json(value)
    assert places(state["lists"]["women"])[:4] == [(1, "i"), (2, "h"), (3, "g"), (4, "e")]
    assert state["champions"]["women"] == "i"


@pytest.mark.clause("woc-2019 II.5.2", "woc-2017 II.5.2", "woc-2019 III.3.1", "woc-2017 III.5")
@pytest.mark.clause("woc-2019 II.1.b", "woc-2017 II.1.b")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_a_woman_in_the_open_semi_finals_has_the_title_by_her_place_there(rulebook: str) -> None:
    value = of_points(TEN, rulebook, players=WOMEN | {"c": {"gender": "f"}})
    state = finals_json(value)
    assert {match["title"] for match in state["due"]} == {"open"}
    assert places(state["lists"]["women"]) == [
        (1, "c"), (2, "e"), (3, "g"), (4, "h"), (5, "i"), (5, "j"),
    ]  # fmt: skip
    assert state["champions"] == {"open": None, "women": "c", "young": None, "teams": None}


@pytest.mark.clause("woc-2019 II.5.2", "woc-2017 II.5.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_two_women_in_the_open_semi_finals_wait_until_one_is_certainly_ahead(rulebook: str) -> None:
    value = of_points(TEN, rulebook, players={"b": {"gender": "f"}, "d": {"gender": "f"}})
    value["finals"] = [SEMI_FINALS[0], SEMI_FINALS[1]]
    assert finals_json(value)["champions"]["women"] is None  # d lost, b may lose too
    value["finals"] += [win("open", "semi-final", "b", "c"), win("open", "semi-final", "b", "c")]
    assert finals_json(value)["champions"]["women"] == "b"
    value["finals"][2:] = SEMI_FINALS[2:]
    assert finals_json(value)["champions"]["women"] is None
    value["finals"].append(win("open", "third-place", "d", "b"))
    state = finals_json(value)
    assert (state["champions"]["women"], places(state["lists"]["women"])) == ("d", [(1, "d"), (2, "b")])


def test_a_woman_in_an_open_playoff_is_not_named_before_it_is_decided() -> None:
    value = of_points(LEVEL, players={"d": {"gender": "f"}, "h": {"gender": "f"}})
    assert finals_json(value)["champions"]["women"] is None
    value["finals"] = [win("open", "playoff", p, q) for p, q in ("de", "cf", "bg")]
    assert finals_json(value)["champions"]["women"] == "d"


@pytest.mark.parametrize("title", ["women", "young"])
def test_three_two_or_one_play_what_there_is_to_play(title: str) -> None:
    mark = {"gender": "f"} if title == "women" else {"born": "2013-01-01"}

    def due(players: str, finals: list[Value]) -> list[tuple[str, str, str]]:
        value = of_points(TEN, players=dict.fromkeys(players, mark), finals=finals)
        return [pair for pair in pairs(finals_json(value)["due"]) if pair[0] == title]

    assert due("egh", []) == [(title, "semi-final", "g-h")]
    assert due("egh", [win(title, "semi-final", "h", "g")]) == [(title, "final", "e-h")]
    assert due("eg", []) == [(title, "final", "e-g")]
    assert due("e", []) == []
    assert finals_json(of_points(TEN, players={"e": mark}))["champions"][title] == "e"


@pytest.mark.clause("woc-2019 II.1.c", "woc-2019 II.6", "woc-2019 II.6.1", "woc-2019 II.6.2.a")
@pytest.mark.clause("woc-2019 II.6.2.b", "woc-2019 II.1.a (young)", "woc-2019 II.1.b (young)")
@pytest.mark.clause("woc-2019 III.4.1", "woc-2019 III.4.2", "woc-2019 III.4.3")
def test_young_semi_finals_third_place_and_final() -> None:
    value = of_points(TEN | {"k": 2}, players={player: {"born": "2012-06-01"} for player in "eghijk"})
    state = finals_json(value)
    assert places(state["lists"]["young"]) == [
        (1, "e"), (2, "g"), (3, "h"), (4, "i"), (5, "j"), (5, "k"),
    ]  # fmt: skip
    young = [match for match in state["due"] if match["title"] == "young"]
    assert pairs(young) == [("young", "semi-final", "e-i"), ("young", "semi-final", "g-h")]
    assert {(m["games"], m["minutes"], m["may"]) for m in young} == {(1, 35, "colour-or-draw-win")}
    assert [m["chooses"] for m in young] == ["e", "g"]
    value["finals"] = [win("young", "semi-final", "e", "i"), win("young", "semi-final", "g", "h")]
    young = [match for match in finals_json(value)["due"] if match["title"] == "young"]
    assert [(m["stage"], m["games"], m["minutes"], m["chooses"], m["may"]) for m in young] == [
        ("third-place", 1, 35, "h", "colour-or-draw-win"), ("final", 1, 40, "e", "colour-or-draw-win"),
    ]  # fmt: skip
    value["finals"] += [win("young", "third-place", "i", "h"), win("young", "final", "g", "e")]
    assert places(finals_json(value)["lists"]["young"])[:4] == [(1, "g"), (2, "e"), (3, "i"), (4, "h")]
    assert finals_json(value)["champions"]["young"] == "g"


def test_where_an_age_cannot_be_told_there_are_standings_and_no_finals() -> None:
    value = of_points(TEN, players={"e": {"born": "2012-01-01"}})
    del value["date"]
    tournament = tournament_from_json(value)
    assert finals_or_none(tournament) is None
    assert placed_at_the_end(tournament) == standings(tournament)


@pytest.mark.clause("woc-2019 I.2.2")
def test_young_players_are_at_most_fourteen_on_the_last_day_of_the_year() -> None:
    young: dict[str, Value] = {
        "e": {"born": "2012-01-01"},
        "f": {"born": "2011-12-31"},
        "g": {"extra_young": True},
    }
    value = of_points(TEN, players=young)
    assert places(finals_json(value)["lists"]["young"]) == [(1, "e"), (2, "g")]
    del value["date"]
    assert standings(tournament_from_json(value)), "the standings need no ages"
    with pytest.raises(FormatError, match=r"^date: expected the first day"):
        finals_json(value)


@pytest.mark.clause("woc-2019 II.6.2", "woc-2019 III.4.1", "woc-2019 II.1.c")
def test_a_young_player_in_the_open_semi_finals_has_the_title_by_his_place_there() -> None:
    state = finals_json(of_points(TEN, players={p: {"born": "2014-01-01"} for p in "dfg"}))
    assert ({m["title"] for m in state["due"]}, state["champions"]["young"]) == ({"open"}, "d")
    assert places(state["lists"]["young"]) == [(1, "d"), (2, "f"), (2, "g")]


@pytest.mark.clause("woc-2017 B.2", "woc-2017 B.3", "woc-2017 B.3.1", "woc-2017 B.3.2", "woc-2017 B.3.3")
@pytest.mark.clause("woc-2017 B.3.3.a", "woc-2017 B.4")
def test_the_first_two_young_players_of_2017_play_a_final_at_once() -> None:
    players: dict[str, Value] = {p: {"born": "2014-01-01"} for p in "egij"} | {"h": {"extra_young": True}}
    value = of_points(TEN, "woc-2017", players=players)
    young = [match for match in finals_json(value)["due"] if match["title"] == "young"]
    assert pairs(young) == [("young", "final", "e-g")]
    assert (young[0]["games"], young[0]["minutes"], young[0]["chooses"]) == (1, 40, "e")
    assert places(finals_json(value)["lists"]["young"]) == [(1, "e"), (2, "g"), (3, "h"), (4, "i"), (4, "j")]
    value["finals"] = [draw("young", "final", "e", "g", draw_win="g")]
    assert finals_json(value)["champions"]["young"] == "g"


@pytest.mark.clause("woc-2017 B.4")
def test_no_young_final_in_2017_with_a_young_player_in_the_open_semi_finals() -> None:
    state = finals_json(of_points(TEN, "woc-2017", players={p: {"born": "2014-01-01"} for p in "aeg"}))
    assert ({m["title"] for m in state["due"]}, state["champions"]["young"]) == ({"open"}, "a")


def test_the_older_rules_have_neither_women_nor_young_lists() -> None:
    state = finals_json(of_points(TEN, "woc-classic", players=WOMEN))
    assert set(state["lists"]) == {"open", "teams"}


@pytest.mark.clause("woc-2019 II.5.1", "woc-2019 II.6.1", "woc-2017 II.5.1", "woc-2017 B.3.1")
@pytest.mark.parametrize(
    ("rulebook", "title"),
    [("woc-2019", "women"), ("woc-2019", "young"), ("woc-2017", "women"), ("woc-2017", "young")],
)
def test_level_women_and_young_players_stand_by_quotient_then_discs_then_lot(
    rulebook: str, title: str
) -> None:
    """Six with one point each. Quotients without what all share: q 44, s and p 42, r 40, t and u 38 by a bye."""
    mark = {"gender": "f"} if title == "women" else {"born": "2013-01-01"}
    value = of_points({"a": 9, "b": 8, "c": 7, "d": 6} | dict.fromkeys("tuprsq", 1), rulebook)
    for player in value["players"]:
        player |= mark if player["id"] in "tuprsq" else {}
    value["players"] += [{"id": loser} for loser in "wxyz"]
    first = value["rounds"][0]
    first["byes"] = [player for player in first["byes"] if player not in "prsq"]
    first["games"] = [
        {"black": "r", "white": "x", "score": [40, 24]},
        {"black": "s", "white": "y", "score": [42, 22]},
        {"black": "p", "white": "w", "score": [36, 28]},
        {"black": "q", "white": "z", "score": [38, 26]},
    ]
    value["rounds"][1]["byes"] += ["w", "z"]
    value["lots"] += list("wxyz")
    listed = [player for _, player in places(finals_json(value)["lists"][title])]
    assert listed == ["q", "s", "p", "r", "t", "u"]
