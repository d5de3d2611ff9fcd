"""Playoffs, semi-finals, finals and final lists of the five rulebooks, from the tournament alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.formats.errors import FormatError
from hub.formats.tournament_file import tournament_from_json
from hub.ranking.finals import finals_of
from hub.ranking.finals_report import finals, finals_to_json
from hub.ranking.standings import standings

Value = dict[str, Any]


def of_points(points: dict[str, int], rulebook: str = "woc-2019", **fields: Any) -> Value:
    """A Swiss tournament in which these points were scored; level players stand in the order given.

    Points come from byes alone, so level players are level in BQ and discs too and `lots` orders them.
    """
    count = fields.pop("rounds", max(points.values(), default=0))
    players = fields.pop("players", {})
    return {
        "format": "flagfall-tournament/1",
        "rulebook": rulebook,
        "system": "swiss",
        "rounds_planned": count,
        "date": "2026-11-05",
        "players": [{"id": player, **players.get(player, {})} for player in points],
        "rounds": [
            {"games": [], "byes": [p for p, scored in points.items() if scored > r]} for r in range(count)
        ],
        "lots": list(points),
    } | fields


def told(value: Value) -> Value:
    told: Value = json.loads(finals(tournament_from_json(value), as_json=True))
    return told


def win(title: str, stage: str, winner: str, loser: str, discs: int = 40, **fields: Any) -> Value:
    """A game that the black player wins."""
    score = [discs, 64 - discs]
    return {"title": title, "stage": stage, "black": winner, "white": loser, "score": score, **fields}


def draw(title: str, stage: str, black: str, white: str, **fields: Any) -> Value:
    return {"title": title, "stage": stage, "black": black, "white": white, "score": [32, 32], **fields}


def places(entries: list[Value]) -> list[tuple[int, str]]:
    return [(entry["place"], entry["player"]) for entry in entries]


def pairs(due: list[Value]) -> list[tuple[str, str, str]]:
    return [(match["title"], match["stage"], "-".join(match["players"])) for match in due]


EIGHT = {"a": 10, "b": 9, "c": 8, "d": 7, "e": 6, "f": 5, "g": 5, "h": 3}
SEMI_FINALS = [
    win("open", "semi-final", "a", "d"),
    win("open", "semi-final", "a", "d"),
    win("open", "semi-final", "c", "b"),
    win("open", "semi-final", "c", "b"),
]


@pytest.mark.clause("woc-2019 II.1")
@pytest.mark.clause("woc-2019 II.1.a")
@pytest.mark.clause("woc-2019 II.1.a (individual)")
@pytest.mark.clause("woc-2019 III.2.1")
@pytest.mark.clause("woc-2017 II.1")
@pytest.mark.clause("woc-2017 II.1.a")
@pytest.mark.clause("woc-2017 II.1.a (individual)")
@pytest.mark.clause("woc-2017 III.2")
@pytest.mark.clause("woc-classic II.1")
@pytest.mark.clause("woc-classic II.1.a")
@pytest.mark.clause("woc-classic II.1.a (third day)")
@pytest.mark.clause("woc-classic III.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])
def test_first_plays_fourth_and_second_plays_third(rulebook: str) -> None:
    now = told(of_points(EIGHT, rulebook))
    assert now["due"] == [
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


@pytest.mark.clause("woc-2019 II.3")
@pytest.mark.clause("woc-2019 II.3.3.c")
@pytest.mark.clause("woc-2017 II.3")
@pytest.mark.clause("woc-2017 II.3.3.c")
@pytest.mark.clause("woc-classic II.3")
@pytest.mark.clause("woc-classic II.3.2")
@pytest.mark.clause("woc-classic II.3.2.b")
@pytest.mark.clause("cc-2024 II.3")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_behind_the_four_level_players_share_a_place(rulebook: str) -> None:
    now = told(of_points(EIGHT, rulebook))
    assert now["provisional"] == list("abcdefgh")
    assert places(now["lists"]["open"]) == [
        (1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"), (6, "f"), (6, "g"), (8, "h"),
    ]  # fmt: skip


LEVEL = {"a": 9, "b": 8, "c": 8, "d": 8, "e": 8, "f": 8, "g": 8, "h": 3}


@pytest.mark.clause("woc-2019 II.3.2")
@pytest.mark.clause("woc-2017 II.3.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_three_playoffs_when_second_to_seventh_are_level(rulebook: str) -> None:
    now = told(of_points(LEVEL, rulebook))
    assert pairs(now["due"]) == [
        ("open", "playoff", "d-e"), ("open", "playoff", "c-f"), ("open", "playoff", "b-g"),
    ]  # fmt: skip
    assert [(m["games"], m["minutes"], m["chooses"], m["may"]) for m in now["due"]] == [
        (1, 30, player, "colour-or-draw-win") for player in "dcb"
    ]
    assert [place for place, _ in places(now["lists"]["open"])] == [1, 2, 3, 4, 5, 5, 5, 8]


@pytest.mark.clause("woc-2019 II.3.2")
def test_first_and_eighth_play_when_all_eight_are_level() -> None:
    now = told(of_points(dict.fromkeys("abcdefgh", 7)))
    assert pairs(now["due"])[-1] == ("open", "playoff", "a-h")


@pytest.mark.clause("woc-classic II.3.1")
@pytest.mark.clause("woc-classic II.3.2.a")
def test_only_fourth_and_fifth_play_in_the_older_rules_and_a_draw_is_the_fourths() -> None:
    level = of_points(LEVEL, "woc-classic")
    assert [(pairs([m])[0][2], m["may"]) for m in told(level)["due"]] == [("d-e", "colour-and-draw-win")]
    level["finals"] = [draw("open", "playoff", "d", "e")]
    assert [places(told(level)["lists"]["open"])[i][1] for i in range(4)] == ["a", "b", "c", "d"]
    level["finals"] = [win("open", "playoff", "e", "d", 33)]
    assert places(told(level)["lists"]["open"])[:8] == [
        (1, "a"), (2, "b"), (3, "c"), (4, "e"), (5, "d"), (5, "f"), (5, "g"), (8, "h"),
    ]  # fmt: skip


@pytest.mark.clause("woc-2019 II.3.3")
@pytest.mark.clause("woc-2019 II.3.3.a")
@pytest.mark.clause("woc-2019 II.3.3.b")
@pytest.mark.clause("woc-2017 II.3.3")
@pytest.mark.clause("woc-2017 II.3.3.a")
@pytest.mark.clause("woc-2017 II.3.3.b")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_playoff_winners_keep_the_provisional_order_and_losers_share_the_fifth_place(rulebook: str) -> None:
    value = of_points(LEVEL, rulebook)
    value["finals"] = [
        win("open", "playoff", "e", "d"),
        draw("open", "playoff", "c", "f", draw_win="c"),
        win("open", "playoff", "g", "b"),
    ]
    now = told(value)
    assert places(now["lists"]["open"]) == [
        (1, "a"), (2, "c"), (3, "e"), (4, "g"), (5, "b"), (5, "d"), (5, "f"), (8, "h"),
    ]  # fmt: skip
    assert pairs(now["due"]) == [("open", "semi-final", "a-g"), ("open", "semi-final", "c-e")]
    assert {match["winner"] for match in now["matches"]} == {"e", "c", "g"}


def test_until_all_playoffs_are_decided_nothing_else_is_due() -> None:
    value = of_points(LEVEL, players={"a": {"gender": "f"}, "h": {"gender": "f"}})
    value["finals"] = [win("open", "playoff", "d", "e"), win("open", "playoff", "c", "f")]
    assert pairs(told(value)["due"]) == [("open", "playoff", "b-g")]


def test_nothing_is_due_and_nobody_champion_before_every_planned_round_is_in_and_scored() -> None:
    value = of_points(EIGHT, rounds_planned=11)
    assert (told(value)["due"], set(told(value)["champions"].values())) == ([], {None})
    value["rounds"].append({"games": [{"black": "a", "white": "b"}]})
    assert told(value)["due"] == []
    value["rounds"][-1]["games"][0]["score"] = [40, 24]
    assert len(told(value)["due"]) == 2


@pytest.mark.clause("woc-2019 III.1")
@pytest.mark.clause("woc-2017 III.1")
@pytest.mark.clause("woc-classic III.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])
def test_best_of_three_choice_reversed_colours_and_discs(rulebook: str) -> None:
    value = of_points(EIGHT, rulebook)
    value["finals"] = [win("open", "semi-final", "d", "a", 50)]
    match = told(value)["due"][0]
    assert (match["wins"], match["chooses"], match["may"]) == ({"a": 0, "d": 1}, None, "colour")
    value["finals"].append(win("open", "semi-final", "a", "d", 49))
    assert told(value)["due"][0]["chooses"] == "d"  # 50 + 15 discs against 14 + 49
    value["finals"][1] = win("open", "semi-final", "a", "d", 50)
    assert told(value)["due"][0]["chooses"] == "a"  # level: the higher-ranked
    value["finals"].append(draw("open", "semi-final", "d", "a"))
    assert told(value)["matches"] == [
        {"title": "open", "stage": "semi-final", "players": ["a", "d"], "winner": "a"}
    ]  # points and discs level: the higher-ranked
    value["finals"][1] = win("open", "semi-final", "a", "d", 49)
    assert told(value)["matches"][0]["winner"] == "d"  # points level: more discs


@pytest.mark.clause("woc-2019 III.1")
def test_two_wins_end_a_match_but_a_win_and_a_draw_do_not() -> None:
    value = of_points(EIGHT)
    value["finals"] = [win("open", "semi-final", "a", "d"), draw("open", "semi-final", "d", "a")]
    match = told(value)["due"][0]
    assert match["wins"] == {"a": 1.5, "d": 0.5}
    value["finals"][1] = win("open", "semi-final", "a", "d")
    assert told(value)["matches"][0]["winner"] == "a"


def test_colours_that_were_not_reversed_are_told_but_the_game_stands() -> None:
    value = of_points(
        EIGHT, finals=[win("open", "semi-final", "a", "d"), win("open", "semi-final", "a", "d")]
    )
    assert told(value)["warnings"] == ["open semi-final a-d: colours not reversed for the second game"]
    value["finals"][1] |= {"black": "d", "white": "a", "score": [24, 40]}
    assert told(value)["warnings"] == []


@pytest.mark.clause("woc-2019 II.1.b (individual)")
@pytest.mark.clause("woc-2019 III.2.2")
@pytest.mark.clause("woc-2019 III.2.3")
@pytest.mark.clause("woc-2017 II.1.b (individual)")
@pytest.mark.clause("woc-2017 III.3")
@pytest.mark.clause("woc-2017 III.4")
@pytest.mark.clause("woc-classic II.1.b (third day)")
@pytest.mark.clause("woc-classic III.3")
@pytest.mark.clause("woc-classic III.4")
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
    assert places(told(value)["lists"]["open"])[:4] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    value["finals"] = list(SEMI_FINALS)
    now = told(value)
    assert places(now["lists"]["open"])[:4] == [(1, "a"), (2, "c"), (3, "b"), (4, "d")]
    third, final = now["due"]
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
    now = told(value)
    assert places(now["lists"]["open"])[:5] == [(1, "c"), (2, "a"), (3, "d"), (4, "b"), (5, "e")]
    assert (now["champions"]["open"], now["due"]) == ("c", [])


@pytest.mark.clause("woc-classic III.3")
def test_a_drawn_third_place_is_the_better_placeds_in_the_older_rules() -> None:
    value = of_points(EIGHT, "woc-classic")
    value["finals"] = [*SEMI_FINALS, draw("open", "third-place", "d", "b")]
    assert told(value)["matches"][2]["winner"] == "b"


def test_a_drawn_game_with_choice_needs_its_draw_win() -> None:
    value = of_points(EIGHT)
    value["finals"] = [*SEMI_FINALS, draw("open", "third-place", "d", "b")]
    with pytest.raises(FormatError, match=r"^finals\[4\]\.draw_win: expected the player who wins the draw"):
        told(value)
    value["finals"][4]["draw_win"] = "d"
    assert places(told(value)["lists"]["open"])[2:4] == [(3, "d"), (4, "b")]


@pytest.mark.parametrize(
    "game",
    [
        win("open", "final", "a", "b"),
        win("open", "playoff", "d", "e"),
        win("open", "semi-final", "a", "c"),
        win("women", "final", "a", "b"),
        win("division:x", "final", "a", "b"),
    ],
)
def test_a_game_that_was_not_due_is_refused(game: Value) -> None:
    with pytest.raises(
        FormatError, match=r"^finals\[0\]: expected a game that was due \(open semi-final a-d"
    ):
        told(of_points(EIGHT, finals=[game]))


def test_a_third_game_of_a_match_that_is_decided_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^finals\[2\]: expected a game that was due"):
        told(of_points(EIGHT, finals=[SEMI_FINALS[0], SEMI_FINALS[1], SEMI_FINALS[0]]))


def test_a_game_being_played_stays_due() -> None:
    playing = {"title": "open", "stage": "semi-final", "black": "a", "white": "d", "score": None}
    value = of_points(EIGHT, finals=[playing])
    assert told(value)["due"] == told(of_points(EIGHT))["due"]
    value["finals"].append(playing)
    with pytest.raises(FormatError, match=r"^finals\[1\]: expected a score"):
        told(value)


# Withdrawals


@pytest.mark.clause("woc-2019 II.8")
@pytest.mark.clause("woc-2017 II.7")
@pytest.mark.clause("woc-classic II.6")
@pytest.mark.clause("cc-2024 II.8")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_a_withdrawn_player_keeps_his_points_but_does_not_qualify(rulebook: str) -> None:
    value = of_points(EIGHT, rulebook, withdrawals=[{"player": "a", "after_round": 10}])
    now = told(value)
    assert now["provisional"] == list("bcdefgh")
    assert places(now["lists"]["open"])[:6] == [
        (1, "b"), (2, "c"), (3, "d"), (4, "e"), (5, "a"), (6, "f"),
    ]  # fmt: skip


def test_who_already_has_a_game_in_the_finals_keeps_his_number_though_withdrawn() -> None:
    value = of_points(EIGHT, withdrawals=[{"player": "a", "after_round": 10}])
    value["finals"] = [win("open", "semi-final", "d", "a", 64)]
    assert told(value)["provisional"] == list("abcdefgh")
    value["finals"].append(win("open", "semi-final", "d", "a", 64))
    assert told(value)["matches"][0]["winner"] == "d"


# Women and young players

WOMEN = {player: {"gender": "f"} for player in "eghij"}
TEN = {"a": 10, "b": 9, "c": 8, "d": 7, "e": 6, "f": 5, "g": 5, "h": 3, "i": 2, "j": 2}


@pytest.mark.clause("woc-2019 II.1.b")
@pytest.mark.clause("woc-2019 II.1.a (women)")
@pytest.mark.clause("woc-2019 II.1.b (women)")
@pytest.mark.clause("woc-2019 II.5")
@pytest.mark.clause("woc-2019 II.5.1")
@pytest.mark.clause("woc-2019 II.5.2.a")
@pytest.mark.clause("woc-2019 II.5.2.b")
@pytest.mark.clause("woc-2019 III.3.1")
@pytest.mark.clause("woc-2019 III.3.2")
@pytest.mark.clause("woc-2019 III.3.3")
@pytest.mark.clause("woc-2017 II.1.b")
@pytest.mark.clause("woc-2017 II.1.a (women)")
@pytest.mark.clause("woc-2017 II.1.b (women)")
@pytest.mark.clause("woc-2017 II.5")
@pytest.mark.clause("woc-2017 II.5.1")
@pytest.mark.clause("woc-2017 II.5.2.a")
@pytest.mark.clause("woc-2017 II.5.2.b")
@pytest.mark.clause("woc-2017 III.5")
@pytest.mark.clause("woc-2017 III.6")
@pytest.mark.clause("woc-2017 III.7")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_womens_semi_finals_third_place_and_final(rulebook: str) -> None:
    value = of_points(TEN | {"k": 2}, rulebook, players=WOMEN | {"k": {"gender": "f"}})
    now = told(value)
    women = [match for match in now["due"] if match["title"] == "women"]
    assert pairs(women) == [("women", "semi-final", "e-i"), ("women", "semi-final", "g-h")]
    assert {(m["games"], m["minutes"], m["may"]) for m in women} == {(1, 35, "colour-or-draw-win")}
    assert [m["chooses"] for m in women] == ["e", "g"]
    assert places(now["lists"]["women"]) == [
        (1, "e"), (2, "g"), (3, "h"), (4, "i"), (5, "j"), (5, "k"),
    ]  # fmt: skip
    value["finals"] = [win("women", "semi-final", "i", "e"), win("women", "semi-final", "h", "g")]
    now = told(value)
    women = [match for match in now["due"] if match["title"] == "women"]
    assert pairs(women) == [("women", "third-place", "e-g"), ("women", "final", "h-i")]
    assert [(m["minutes"], m["chooses"]) for m in women] == [(35, "e"), (40, "h")]
    value["finals"] += [win("women", "final", "i", "h"), win("women", "third-place", "g", "e")]
    now = told(value)
    assert places(now["lists"]["women"])[:4] == [(1, "i"), (2, "h"), (3, "g"), (4, "e")]
    assert now["champions"]["women"] == "i"


@pytest.mark.clause("woc-2019 II.5.2")
@pytest.mark.clause("woc-2017 II.5.2")
@pytest.mark.clause("woc-2019 III.3.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_a_woman_in_the_open_semi_finals_has_the_title_by_her_place_there(rulebook: str) -> None:
    value = of_points(TEN, rulebook, players=WOMEN | {"c": {"gender": "f"}})
    now = told(value)
    assert {match["title"] for match in now["due"]} == {"open"}
    assert places(now["lists"]["women"]) == [
        (1, "c"), (2, "e"), (3, "g"), (4, "h"), (5, "i"), (5, "j"),
    ]  # fmt: skip
    assert now["champions"] == {"open": None, "women": "c", "young": None, "teams": None}


@pytest.mark.clause("woc-2019 II.5.2")
def test_two_women_in_the_open_semi_finals_wait_until_one_is_certainly_ahead() -> None:
    value = of_points(TEN, players={"b": {"gender": "f"}, "d": {"gender": "f"}})
    value["finals"] = [SEMI_FINALS[0], SEMI_FINALS[1]]
    assert told(value)["champions"]["women"] is None  # d lost, b may lose too
    value["finals"] += [win("open", "semi-final", "b", "c"), win("open", "semi-final", "b", "c")]
    assert told(value)["champions"]["women"] == "b"
    value["finals"][2:] = SEMI_FINALS[2:]
    assert told(value)["champions"]["women"] is None
    value["finals"].append(win("open", "third-place", "d", "b"))
    now = told(value)
    assert (now["champions"]["women"], places(now["lists"]["women"])) == ("d", [(1, "d"), (2, "b")])


def test_a_woman_in_an_open_playoff_is_not_named_before_it_is_decided() -> None:
    value = of_points(LEVEL, players={"d": {"gender": "f"}, "h": {"gender": "f"}})
    assert told(value)["champions"]["women"] is None
    value["finals"] = [win("open", "playoff", p, q) for p, q in ("de", "cf", "bg")]
    assert told(value)["champions"]["women"] == "d"


@pytest.mark.parametrize("title", ["women", "young"])
def test_three_two_or_one_play_what_there_is_to_play(title: str) -> None:
    mark = {"gender": "f"} if title == "women" else {"born": "2013-01-01"}

    def due(players: str, finals: list[Value]) -> list[tuple[str, str, str]]:
        value = of_points(TEN, players=dict.fromkeys(players, mark), finals=finals)
        return [pair for pair in pairs(told(value)["due"]) if pair[0] == title]

    assert due("egh", []) == [(title, "semi-final", "g-h")]
    assert due("egh", [win(title, "semi-final", "h", "g")]) == [(title, "final", "e-h")]
    assert due("eg", []) == [(title, "final", "e-g")]
    assert due("e", []) == []
    assert told(of_points(TEN, players={"e": mark}))["champions"][title] == "e"


@pytest.mark.clause("woc-2019 I.2.2")
@pytest.mark.clause("woc-2019 II.1.c")
@pytest.mark.clause("woc-2019 II.6")
@pytest.mark.clause("woc-2019 II.6.1")
@pytest.mark.clause("woc-2019 II.6.2.a")
@pytest.mark.clause("woc-2019 II.6.2.b")
@pytest.mark.clause("woc-2019 II.1.a (young)")
@pytest.mark.clause("woc-2019 II.1.b (young)")
@pytest.mark.clause("woc-2019 III.4.1")
@pytest.mark.clause("woc-2019 III.4.2")
@pytest.mark.clause("woc-2019 III.4.3")
def test_young_players_are_at_most_fourteen_on_the_last_day_of_the_year() -> None:
    born = {"e": "2012-01-01", "f": "2011-12-31", "g": "2012-06-01", "h": "2020-01-01", "i": "2013-12-31"}
    value = of_points(TEN, players={player: {"born": day} for player, day in born.items()})
    now = told(value)
    young = [match for match in now["due"] if match["title"] == "young"]
    assert pairs(young) == [("young", "semi-final", "e-i"), ("young", "semi-final", "g-h")]
    assert {(m["games"], m["minutes"], m["may"]) for m in young} == {(1, 35, "colour-or-draw-win")}
    value["finals"] = [win("young", "semi-final", "e", "i"), win("young", "semi-final", "g", "h")]
    due = [(m["stage"], m["minutes"], m["chooses"]) for m in told(value)["due"] if m["title"] == "young"]
    assert due == [("third-place", 35, "h"), ("final", 40, "e")]
    del value["date"]
    with pytest.raises(FormatError, match=r"^date: expected the first day"):
        told(value)


@pytest.mark.clause("woc-2019 II.6.2")
def test_a_young_player_in_the_open_semi_finals_has_the_title_by_his_place_there() -> None:
    now = told(of_points(TEN, players={p: {"born": "2014-01-01"} for p in "dfg"}))
    assert ({m["title"] for m in now["due"]}, now["champions"]["young"]) == ({"open"}, "d")
    assert places(now["lists"]["young"]) == [(1, "d"), (2, "f"), (2, "g")]


@pytest.mark.clause("woc-2017 B.2")
@pytest.mark.clause("woc-2017 B.3")
@pytest.mark.clause("woc-2017 B.3.1")
@pytest.mark.clause("woc-2017 B.3.2")
@pytest.mark.clause("woc-2017 B.3.3")
@pytest.mark.clause("woc-2017 B.3.3.a")
@pytest.mark.clause("woc-2017 B.4")
def test_the_first_two_young_players_of_2017_play_a_final_at_once() -> None:
    players: dict[str, Value] = {p: {"born": "2014-01-01"} for p in "egij"} | {"h": {"extra_young": True}}
    value = of_points(TEN, "woc-2017", players=players)
    young = [match for match in told(value)["due"] if match["title"] == "young"]
    assert pairs(young) == [("young", "final", "e-g")]
    assert (young[0]["games"], young[0]["minutes"], young[0]["chooses"]) == (1, 40, "e")
    assert places(told(value)["lists"]["young"]) == [(1, "e"), (2, "g"), (3, "h"), (4, "i"), (4, "j")]
    value["finals"] = [draw("young", "final", "e", "g", draw_win="g")]
    assert told(value)["champions"]["young"] == "g"


@pytest.mark.clause("woc-2017 B.4")
def test_no_young_final_in_2017_with_a_young_player_in_the_open_semi_finals() -> None:
    now = told(of_points(TEN, "woc-2017", players={p: {"born": "2014-01-01"} for p in "aeg"}))
    assert ({m["title"] for m in now["due"]}, now["champions"]["young"]) == ({"open"}, "a")


def test_the_older_rules_have_neither_women_nor_young_lists() -> None:
    now = told(of_points(TEN, "woc-classic", players=WOMEN))
    assert set(now["lists"]) == {"open", "teams"}


# cc-2024 and usoa


@pytest.mark.clause("cc-2024 II.1")
@pytest.mark.clause("cc-2024 III.1")
@pytest.mark.clause("cc-2024 III.2")
def test_a_confederation_championship_goes_straight_to_final_and_third_place() -> None:
    value = of_points(EIGHT, "cc-2024")
    third, final = told(value)["due"]
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
    now = told(value)
    assert [player for _, player in places(now["lists"]["open"])][:4] == ["b", "a", "d", "c"]
    assert (set(now["lists"]), now["champions"]["open"]) == ({"open"}, "b")


def round_robin_of_ten() -> Value:
    """Ten players, nine rounds: whoever stands earlier in the alphabet wins 40-24."""
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


@pytest.mark.clause("cc-2024 II.2 [9-10]")
@pytest.mark.clause("cc-2024 II.5")
def test_nine_or_ten_play_semi_finals_of_two_games_and_a_list_of_six() -> None:
    value = round_robin_of_ten()
    tournament = tournament_from_json(value)
    assert (tournament.system, tournament.rounds_planned) == ("round_robin_with_semifinals", 11)
    due = told(value)["due"]
    assert [(m["stage"], m["players"], m["games"], m["minutes"]) for m in due] == [
        ("semi-final", ["a", "d"], 2, 25), ("semi-final", ["b", "c"], 2, 25),
    ]  # fmt: skip
    value["finals"] = [win("open", "semi-final", "a", "d")]
    match = told(value)["due"][0]
    assert (match["wins"], match["chooses"], match["may"]) == ({"a": 1, "d": 0}, None, "colour")
    value["finals"] += [win("open", "semi-final", "d", "a", 41)]
    assert told(value)["matches"][0]["winner"] == "d"  # one win each, more discs
    value["finals"][1] = win("open", "semi-final", "d", "a", 40)
    assert told(value)["matches"][0]["winner"] == "a"  # level in all: the higher-ranked
    games = [("j", "e"), ("i", "f"), ("h", "g")]
    last = [{"games": [{"black": b, "white": w, "score": [40, 24]} for b, w in games]} for _ in range(2)]
    value["rounds"] += last
    now = told(value)
    # e 5, f 4, g 3, h 2 + 2, i 1 + 2, j 0 + 2: the six by total points, behind the four whatever they have.
    assert places(now["lists"]["open"]) == [
        (1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"), (6, "f"), (6, "h"), (8, "g"), (8, "i"), (10, "j"),
    ]  # fmt: skip
    assert now["provisional"] == list("abcdefghij")
    assert pairs(now["due"]) == [("open", "semi-final", "b-c")]
    assert told(value | {"rounds_planned": 9}) == now
    lines = standings(tournament_from_json(value))
    assert [line.player for line in lines] == list("abcdefhgij")
    assert [line.place for line in lines] == list(range(1, 11))
    assert (lines[4].discs, lines[4].discs_against) == (5 * 40 + 4 * 24 + 2 * 24, 5 * 24 + 4 * 40 + 2 * 40)
    assert (lines[3].points, lines[3].discs) == (6, 6 * 40 + 3 * 24)


@pytest.mark.clause("cc-2024 II.7.1")
@pytest.mark.clause("cc-2024 II.7.2")
def test_rating_divisions_play_single_games_and_the_highest_rated_chooses() -> None:
    players = {p: {"division": "B", "rating": 1500 + i} for i, p in enumerate("efghij")}
    value = of_points(TEN, "cc-2024", players=players)
    due = [match for match in told(value)["due"] if match["title"] == "division:B"]
    assert pairs(due) == [("division:B", "semi-final", "e-h"), ("division:B", "semi-final", "f-g")]
    assert {(m["games"], m["minutes"], m["may"]) for m in due} == {(1, 25, "colour-or-draw-win")}
    assert [m["chooses"] for m in due] == ["h", "g"]
    value["finals"] = [win("division:B", "semi-final", "h", "e"), win("division:B", "semi-final", "f", "g")]
    due = [match for match in told(value)["due"] if match["title"] == "division:B"]
    assert (pairs(due), due[0]["chooses"]) == ([("division:B", "final", "f-h")], "h")
    value["finals"].append(draw("division:B", "final", "h", "f", draw_win="f"))
    now = told(value)
    assert now["divisions"]["B"][0] == {"place": 1, "player": "f"}
    assert (set(now["champions"]), now["warnings"]) == ({"open", "women", "young", "teams"}, [])
    value["players"][-1]["division"] = ""
    assert told(value)["warnings"] == ["division B has 5 players, fewer than 6 (cc-2024 II.7.1)"]


def test_usoa_has_the_open_list_only() -> None:
    value = of_points(EIGHT, "usoa", withdrawals=[{"player": "b", "after_round": 10}])
    now = told(value)
    assert set(now["lists"]) == {"open"}
    assert places(now["lists"]["open"]) == [(i, p) for i, p in enumerate("abcdefgh", start=1)]
    assert (now["due"], now["provisional"]) == ([], list("acdefgh"))


# Small fields, and any outcome at all


@pytest.mark.parametrize("rulebook", ["woc-2019", "cc-2024"])
def test_small_fields(rulebook: str) -> None:
    assert told(of_points({}, rulebook))["champions"]["open"] is None
    assert told(of_points({"a": 1}, rulebook))["champions"]["open"] == "a"
    assert pairs(told(of_points({"a": 2, "b": 1}, rulebook))["due"]) == [("open", "final", "a-b")]


def test_the_first_of_three_waits_in_the_final() -> None:
    value = of_points({"a": 3, "b": 2, "c": 1})
    assert pairs(told(value)["due"]) == [("open", "semi-final", "b-c")]
    value["finals"] = [win("open", "semi-final", "c", "b"), win("open", "semi-final", "c", "b")]
    now = told(value)
    assert pairs(now["due"]) == [("open", "final", "a-c")]
    assert places(now["lists"]["open"]) == [(1, "a"), (2, "c"), (3, "b")]


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
        now = finals_of(tournament_from_json(value))
        if not now.due:
            break
        match = now.due[which % len(now.due)]
        score = [discs, 64 - discs]
        seats = {"black": match.players[0], "white": match.players[1], "draw_win": match.players[1]}
        value["finals"].append({"title": match.title, "stage": match.stage, "score": score, **seats})
    now = finals_of(tournament_from_json(value))
    assert now.due == ()
    assert now.champions["open"] == now.lists["open"][0].player
    if rulebook in ("woc-2019", "woc-2017") and now.lists["women"]:
        assert now.champions["women"] == now.lists["women"][0].player
    for title, listed in now.lists.items():
        numbers = [place.place for place in listed]
        assert numbers == sorted(numbers), title
        assert len({place.player for place in listed}) == len(listed)
    assert json.loads(json.dumps(finals_to_json(now)))["due"] == []
    assert finals(tournament_from_json(value), as_json=False)
