"""Finals of the other rulebooks, of small fields, and any outcome at all."""

from __future__ import annotations

import pytest
from helpers.finals_values import EIGHT, TEN, Value, draw, finals_json, of_points, pairs, places, win
from hypothesis import given
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.ranking.finals import finals_of
from hub.ranking.reports import finals, finals_value
from hub.ranking.standings import standings

# cc-2024 and usoa


@pytest.mark.clause("cc-2024 II.1", "cc-2024 III.1", "cc-2024 III.2")
def test_a_confederation_championship_goes_straight_to_final_and_third_place() -> None:
    value = of_points(EIGHT, "cc-2024")
    third, final = finals_json(value)["due"]
    assert (third["players"], third["games"], third["minutes"], third["chooses"], third["may"]) == (
        ["c", "d"], 1, 30, "c", "colour-or-draw-win",
    )  # fmt: skip
    assert (final["players"], final["games"], final["minutes"], final["chooses"], final["may"]) == (
        ["a", "b"], 3, 30, "a", "colour",
    )  # fmt: skip
    value["finals"] = [
        win("open", "third-place", "d", "c"),
        win("open", "final", "b", "a"),
        win("open", "final", "b", "a"),
    ]
    state = finals_json(value)
    assert [player for _, player in places(state["lists"]["open"])][:4] == ["b", "a", "d", "c"]
    assert (set(state["lists"]), state["champions"]["open"]) == ({"open"}, "b")


def round_robin_of_ten() -> Value:
    """Return nine rounds of ten players: the player earlier in the alphabet wins 40-24."""
    circle = list("abcdefghij")
    rounds = []
    for _ in range(9):
        games = [sorted((circle[i], circle[9 - i])) for i in range(5)]
        rounds.append({"games": [{"black": b, "white": w, "score": [40, 24]} for b, w in games]})
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return {
        "format": "flagfall-tournament/1",
        "rulebook": "cc-2024",
        "players": [{"id": player} for player in "abcdefghij"],
        "rounds": rounds,
        "lots": list("abcdefghij"),
    }


@pytest.mark.clause("cc-2024 II.2 [9-10]", "cc-2024 II.5")
def test_nine_or_ten_play_semi_finals_of_two_games_and_a_list_of_six() -> None:
    value = round_robin_of_ten()
    tournament = tournament_from_json(value)
    assert (tournament.system, tournament.rounds_planned) == ("round_robin_with_semifinals", 11)
    due = finals_json(value)["due"]
    assert [(m["stage"], m["players"], m["games"], m["minutes"]) for m in due] == [
        ("semi-final", ["a", "d"], 2, 25), ("semi-final", ["b", "c"], 2, 25),
    ]  # fmt: skip
    value["finals"] = [win("open", "semi-final", "a", "d")]
    match = finals_json(value)["due"][0]
    assert (match["wins"], match["chooses"], match["may"]) == ({"a": 1, "d": 0}, None, "colour")
    value["finals"] += [win("open", "semi-final", "d", "a", 41)]
    assert finals_json(value)["matches"][0]["winner"] == "d"  # one win each, more discs
    value["finals"][1] = win("open", "semi-final", "d", "a", 40)
    assert finals_json(value)["matches"][0]["winner"] == "a"  # level in all: the higher-ranked
    games = [("j", "e"), ("i", "f"), ("h", "g")]
    last = [{"games": [{"black": b, "white": w, "score": [40, 24]} for b, w in games]} for _ in range(2)]
    value["rounds"] += last
    state = finals_json(value)
    # e 5, f 4, g 3, h 2 + 2, i 1 + 2, j 0 + 2: the six by total points, behind the four whatever they have.
    assert places(state["lists"]["open"]) == [
        (1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"), (6, "f"), (6, "h"), (8, "g"), (8, "i"), (10, "j"),
    ]  # fmt: skip
    assert state["provisional"] == list("abcdefghij")
    assert pairs(state["due"]) == [("open", "semi-final", "b-c")]
    assert finals_json(value | {"rounds_planned": 9}) == state
    lines = standings(tournament_from_json(value))
    assert [line.player for line in lines] == list("abcdefhgij")
    assert [line.place for line in lines] == list(range(1, 11))
    assert (lines[4].discs, lines[4].discs_against) == (5 * 40 + 4 * 24 + 2 * 24, 5 * 24 + 4 * 40 + 2 * 40)
    assert (lines[3].points, lines[3].discs) == (6, 6 * 40 + 3 * 24)
    for round_ in last:
        round_["games"][0]["white"] = "d"
    lines = standings(tournament_from_json(value))
    assert [line.player for line in lines][:5] == list("abcde"), "who plays the six leaves the four three"
    assert [line.points for line in lines][3:5] == [6, 5]


@pytest.mark.clause("cc-2024 II.7.1", "cc-2024 II.7.2")
def test_rating_divisions_play_single_games_and_the_highest_rated_chooses() -> None:
    players = {p: {"division": "B", "rating": 1500 + i} for i, p in enumerate("efghij")}
    value = of_points(TEN, "cc-2024", players=players)
    due = [match for match in finals_json(value)["due"] if match["title"] == "division:B"]
    assert pairs(due) == [("division:B", "semi-final", "e-h"), ("division:B", "semi-final", "f-g")]
    assert {(m["games"], m["minutes"], m["may"]) for m in due} == {(1, 25, "colour-or-draw-win")}
    assert [m["chooses"] for m in due] == ["h", "g"]
    value["finals"] = [win("division:B", "semi-final", "h", "e"), win("division:B", "semi-final", "f", "g")]
    due = [match for match in finals_json(value)["due"] if match["title"] == "division:B"]
    assert (pairs(due), due[0]["chooses"]) == ([("division:B", "final", "f-h")], "h")
    value["finals"].append(draw("division:B", "final", "h", "f", draw_win="f"))
    state = finals_json(value)
    assert state["divisions"]["B"][0] == {"place": 1, "player": "f"}
    assert (set(state["champions"]), state["warnings"]) == ({"open", "women", "young", "teams"}, [])
    value["players"][-1]["division"] = ""
    assert finals_json(value)["warnings"] == ["division B has 5 players, fewer than 6 (cc-2024 II.7.1)"]


def test_usoa_has_the_open_list_only() -> None:
    value = of_points(EIGHT, "usoa", withdrawals=[{"player": "b", "after_round": 10}])
    state = finals_json(value)
    assert set(state["lists"]) == {"open"}
    assert places(state["lists"]["open"]) == [(i, p) for i, p in enumerate("abcdefgh", start=1)]
    assert (state["due"], state["provisional"]) == ([], list("acdefgh"))


# Small fields, and any outcome at all


@pytest.mark.parametrize("rulebook", ["woc-2019", "cc-2024"])
def test_small_fields(rulebook: str) -> None:
    assert finals_json(of_points({}, rulebook))["champions"]["open"] is None
    assert finals_json(of_points({"a": 1}, rulebook))["champions"]["open"] == "a"
    assert pairs(finals_json(of_points({"a": 2, "b": 1}, rulebook))["due"]) == [("open", "final", "a-b")]


def test_the_first_of_three_waits_in_the_final() -> None:
    value = of_points({"a": 3, "b": 2, "c": 1})
    assert pairs(finals_json(value)["due"]) == [("open", "semi-final", "b-c")]
    value["finals"] = [win("open", "semi-final", "c", "b"), win("open", "semi-final", "c", "b")]
    state = finals_json(value)
    assert pairs(state["due"]) == [("open", "final", "a-c")]
    assert places(state["lists"]["open"]) == [(1, "a"), (2, "c"), (3, "b")]


@given(
    points=st.lists(st.integers(0, 4), min_size=1, max_size=12),
    women=st.sets(st.integers(0, 11)),
    rulebook=st.sampled_from(["woc-2019", "woc-2017", "woc-classic", "cc-2024"]),
    choices=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 64)), max_size=40),
)
def test_playing_whatever_is_due_always_ends_in_complete_lists(
    points: list[int], women: set[int], rulebook: str, choices: list[tuple[int, int]]
) -> None:
    players = {f"{i:02}": {"gender": "f"} for i in women}
    value = of_points(
        {f"{i:02}": p for i, p in enumerate(sorted(points, reverse=True))},
        rulebook,
        players=players,
        rounds=4,
    )
    value["finals"] = []
    for which, discs in [*choices, *[(0, 20)] * 60]:
        state = finals_of(tournament_from_json(value))
        if not state.due:
            break
        match = state.due[which % len(state.due)]
        score = [discs, 64 - discs]
        seats = {"black": match.players[0], "white": match.players[1], "draw_win": match.players[1]}
        value["finals"].append({"title": match.title, "stage": match.stage, "score": score, **seats})
    state = finals_of(tournament_from_json(value))
    assert state.due == ()
    assert state.champions["open"] == state.lists["open"][0].player
    if rulebook in ("woc-2019", "woc-2017") and state.lists["women"]:
        assert state.champions["women"] == state.lists["women"][0].player
    for title, listed in state.lists.items():
        numbers = [place.place for place in listed]
        assert numbers == sorted(numbers), title
        assert len({place.player for place in listed}) == len(listed)
    assert finals_value(state).due == []
    assert finals(tournament_from_json(value), as_json=False)
