"""The contract's sentences on `rank --json` and `finals --json`, each against a file made to break it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hub.main import main

Value = dict[str, Any]
Capture = pytest.CaptureFixture[str]
RULEBOOKS = ("woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa")
FINAL_RULEBOOKS = RULEBOOKS[:-1]


@pytest.fixture
def run_command(tmp_path: Path, capsys: Capture) -> Any:
    """Return a function that runs one command on a file and returns its status, and its object or its one line of
    error. its status, and its object or its one line of error."""

    def run(command: str, value: Value, *options: str) -> tuple[int, Any]:
        file = tmp_path / "tournament.json"
        file.write_text(json.dumps(value), "utf-8")
        status = main([command, str(file), "--json", *options])
        out, err = capsys.readouterr()
        if status == 2:
            assert out == "" and err.count("\n") == 1
            return status, err
        assert out.count("\n") == 1
        return status, json.loads(out)

    return run


def ladder(rulebook: str, points: dict[str, float], **more: Any) -> Value:
    """Return a finished Swiss file: each player meets opponents of his own who never score, so that points are at will.

    The opponents ("x1", ...) have withdrawn before the finals and stand last.
    """
    rounds = int(max(points.values())) + 1
    weak = {player: f"x{nth}" for nth, player in enumerate(points)}
    played: list[Value] = [{"games": []} for _ in range(rounds)]
    for nth, (player, wanted) in enumerate(points.items()):
        for number in range(rounds):
            share = min(1.0, max(0.0, wanted - number))
            discs = 40 - nth if share == 1 else 32
            result: Value = {"score": [discs, 64 - discs]}
            if share == 0:  # nobody has a point
                result = {"score": [0, 0], "reason": "forfeit"}
            played[number]["games"].append({"black": player, "white": weak[player], **result})
    about = more.pop("players_more", {})
    players = [{"id": player, **about.get(player, {})} for player in points]
    return {
        "format": "flagfall-tournament/1",
        "rulebook": rulebook,
        "date": "2026-11-05",
        "system": "swiss",
        "rounds_planned": rounds,
        "players": [*players, *({"id": w} for w in weak.values())],
        "withdrawals": [{"player": w, "after_round": rounds} for w in weak.values()],
        "rounds": played,
        **more,
    }


EIGHT = {"a": 8.0, "b": 7.0, "c": 6.0, "d": 5.0, "e": 4.0, "f": 3.0, "g": 2.0, "h": 1.0}


def final(title: str, stage: str, black: str, white: str, score: list[int] | None, **more: Any) -> Value:
    return {"title": title, "stage": stage, "black": black, "white": white, "score": score, **more}


# rank


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_game_without_score_is_left_out(rulebook: str, run_command: Any) -> None:
    value = ladder(rulebook, EIGHT)
    playing = {"black": "a", "white": "b"}
    with_game = value | {"rounds": [*value["rounds"], {"games": [playing]}], "rounds_planned": 10}
    without = value | {"rounds": [*value["rounds"], {"games": []}], "rounds_planned": 10}
    assert run_command("rank", with_game) == run_command("rank", without)
    status, error = run_command("pair", with_game)
    assert status == 2 and "10" in error


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_wins_then_disc_difference_from_the_file(rulebook: str, run_command: Any) -> None:
    games = [[("a", "b", [33, 31]), ("c", "d", [64, 0])], [("a", "d", [33, 31]), ("b", "c", [64, 0])]]
    value: Value = {
        "format": "flagfall-tournament/1",
        "rulebook": rulebook,
        "system": "swiss",
        "rounds_planned": 2,
        "players": [{"id": player} for player in "abcd"],
        "rounds": [{"games": [{"black": b, "white": w, "score": s} for b, w, s in pairs]} for pairs in games],
    }
    _, by_difference = run_command("rank", value | {"tie_break": "disc-difference"})
    lines = [
        (line["player"], line["points"], line["difference"], line["by_lot"])
        for line in by_difference["standings"]
    ]
    assert lines == [("a", 2, 4, False), ("b", 1, 62, False), ("c", 1, 0, False), ("d", 0, -66, False)]
    _, by_quotient = run_command("rank", value)
    assert [line["difference"] for line in by_quotient["standings"]] == [4, 62, 0, -66]
    level = [[("a", "b", [40, 24]), ("c", "d", [40, 24])]]
    value["rounds"] = [
        {"games": [{"black": b, "white": w, "score": s} for b, w, s in pairs]} for pairs in level
    ]
    _, tied = run_command("rank", value | {"tie_break": "disc-difference", "lots": ["c", "a", "d", "b"]})
    assert [(line["player"], line["by_lot"]) for line in tied["standings"]] == [
        ("c", True),
        ("a", True),
        ("d", True),
        ("b", True),
    ]
    _, told_finals = run_command(
        "finals", value | {"tie_break": "disc-difference", "lots": ["c", "a", "d", "b"]}
    )
    assert told_finals["provisional"] == ["c", "a", "d", "b"]


def test_the_option_goes_before_the_files_own_constant(run_command: Any) -> None:
    value = ladder("woc-2019", EIGHT) | {"bq_constant": 3}
    _, of_file = run_command("rank", value)
    assert run_command("rank", value, "--bq-constant", "3") == (0, of_file)
    assert run_command("rank", value, "--bq-constant", "6") == run_command("rank", value | {"bq_constant": 6})
    assert run_command("rank", value, "--bq-constant", "64/rounds") == run_command(
        "rank", value | {"bq_constant": 64 / 9}
    )
    for bad in ("x", "-1", "1/0", "64/round", "nan"):
        assert run_command("rank", value, f"--bq-constant={bad}")[0] == 2


# finals


def test_a_list_of_six_follows_the_four_and_who_withdrew_stands_by_his_points(run_command: Any) -> None:
    ids = [str(nth) for nth in range(1, 11)]
    circle, rounds = list(ids), []
    for number in range(9):
        games, byes = [], []
        for player, opponent in zip(circle[:5], reversed(circle[5:]), strict=True):
            if number >= 5 and "7" in (player, opponent):
                byes.append(opponent if player == "7" else player)
                continue
            better = int(player) < int(opponent)
            games.append({"black": player, "white": opponent, "score": [40, 24] if better else [24, 40]})
        rounds.append({"games": games, "byes": byes})
        circle = [circle[0], circle[-1], *circle[1:-1]]
    last = [(("5", "6"), ("8", "9"), "10"), (("5", "8"), ("10", "9"), "6")]
    rounds += [
        {"games": [{"black": b, "white": w, "score": [10, 54]} for b, w in games], "byes": [bye]}
        for *games, bye in last
    ]
    value = {
        "format": "flagfall-tournament/1",
        "rulebook": "cc-2024",
        "players": [{"id": player} for player in ids],
        "withdrawals": [{"player": "7", "after_round": 5}],
        "rounds": rounds,
    }
    _, standings = run_command("rank", value)
    assert [line["player"] for line in standings["standings"]] == [
        *("1", "2", "3", "4", "6", "5", "8", "9", "10", "7")
    ]
    _, finals = run_command("finals", value)
    assert [place["player"] for place in finals["lists"]["open"]] == [
        *("1", "2", "3", "4", "6", "5", "8", "9", "10", "7")
    ]
    assert "7" not in finals["provisional"]


@pytest.mark.parametrize("rulebook", FINAL_RULEBOOKS)
def test_fields_and_keys_are_those_of_the_contract(rulebook: str, run_command: Any) -> None:
    _, output = run_command("finals", ladder(rulebook, EIGHT))
    assert {"provisional", "lists", "due", "matches", "champions"} <= set(output)
    assert set(output["champions"]) == {"open", "women", "young", "teams"}
    for due in output["due"]:
        assert list(due) == ["title", "stage", "players", "games", "wins", "minutes", "chooses", "may"]
        assert list(due["wins"]) == due["players"]
    has = {"woc-2019": {"open", "women", "young", "teams"}, "woc-2017": {"open", "women", "young", "teams"}}
    assert set(output["lists"]) == has.get(
        rulebook, {"open", "teams"} if rulebook == "woc-classic" else {"open"}
    )


@pytest.mark.parametrize(
    ("rulebook", "pairs", "may"),
    [
        ("woc-2019", ["d-e", "c-f"], "colour-or-draw-win"),
        ("woc-2017", ["d-e", "c-f"], "colour-or-draw-win"),
        ("woc-classic", ["d-e"], "colour-and-draw-win"),
    ],
)
def test_only_playoffs_are_due_until_all_are_decided(
    rulebook: str, pairs: list[str], may: str, run_command: Any
) -> None:
    women = {p: {"gender": "f"} for p in "fgh"}
    value = ladder(rulebook, EIGHT | dict.fromkeys("cdef", 5.0), players_more=women)
    _, output = run_command("finals", value)
    assert ["-".join(due["players"]) for due in output["due"]] == pairs
    assert {(due["stage"], due["minutes"], due["may"], due["games"]) for due in output["due"]} == {
        ("playoff", 30, may, 1)
    }
    assert [due["chooses"] for due in output["due"]] == [pair[0] for pair in pairs]
    assert [place["player"] for place in output["lists"]["open"]][:4] == list("abcd")
    if rulebook == "woc-classic":
        value["finals"] = [final("open", "playoff", "d", "e", [32, 32])]
        _, output = run_command("finals", value)
        assert output["matches"][0]["winner"] == "d"
        return
    value["finals"] = [final("open", "playoff", "f", "c", [40, 24])]
    _, output = run_command("finals", value)
    assert ["-".join(due["players"]) for due in output["due"]] == ["d-e"], (
        "nothing else before all are decided"
    )
    assert output["champions"]["women"] == "f", (
        "alone among those in the four, whoever wins the other playoff"
    )
    value["finals"].append(final("open", "playoff", "d", "e", None))
    _, output = run_command("finals", value)
    assert ["-".join(due["players"]) for due in output["due"]] == ["d-e"], "being played, it stays due"
    value["finals"][1] = final("open", "playoff", "d", "e", [32, 32])
    assert run_command("finals", value)[0] == 2, "drawn without a draw-win"
    value["finals"][1] |= {"draw_win": "e"}
    _, output = run_command("finals", value)
    assert [place["player"] for place in output["lists"]["open"]][:4] == ["a", "b", "e", "f"]
    assert {(place["place"], place["player"]) for place in output["lists"]["open"][4:6]} == {
        (5, "c"),
        (5, "d"),
    }


@pytest.mark.parametrize("rulebook", FINAL_RULEBOOKS)
def test_a_game_that_was_not_due_or_has_a_foreign_title_is_refused(rulebook: str, run_command: Any) -> None:
    value = ladder(rulebook, EIGHT)
    for game in (
        final("open", "semi-final", "a", "c", [40, 24]),
        final("open", "playoff", "d", "e", [40, 24]),
        final("women", "final", "a", "b", [40, 24]),
        final("division:A", "final", "a", "b", [40, 24]),
        final("open", "third-place", "a", "b", [40, 24]),
    ):
        status, error = run_command("finals", value | {"finals": [game]})
        assert status == 2 and "finals[0]: expected a game that was due (open " in error
    incomplete = value | {"rounds_planned": 10, "finals": [final("open", "final", "a", "b", [40, 24])]}
    status, error = run_command("finals", incomplete)
    assert status == 2 and "none was due" in error


@pytest.mark.parametrize("rulebook", FINAL_RULEBOOKS)
def test_nothing_is_due_and_nobody_champion_before_every_planned_round(
    rulebook: str, run_command: Any
) -> None:
    alone = ladder(rulebook, {"a": 1.0}, players_more={"a": {"gender": "f", "country": "FRA"}})
    _, output = run_command("finals", alone | {"rounds_planned": 3})
    assert output["due"] == [] and set(output["champions"].values()) == {None}
    alone["rounds"][1]["games"][0].pop("score")
    _, output = run_command("finals", alone)
    assert output["due"] == [] and set(output["champions"].values()) == {None}


def test_may_stays_colour_where_colours_are_fixed(run_command: Any) -> None:
    for rulebook, stage in (("woc-2019", "semi-final"), ("cc-2024", "final")):
        value = ladder(rulebook, EIGHT)
        pair = ("a", "d") if stage == "semi-final" else ("a", "b")
        value["finals"] = [final("open", stage, *pair, [40, 24])]
        _, output = run_command("finals", value)
        (due,) = [due for due in output["due"] if due["players"] == list(pair)]
        assert (due["chooses"], due["may"], due["wins"]) == (None, "colour", {pair[0]: 1, pair[1]: 0})
        value["finals"].append(final("open", stage, pair[1], pair[0], [50, 14]))
        _, output = run_command("finals", value)
        (due,) = [due for due in output["due"] if due["players"] == list(pair)]
        assert (due["chooses"], due["may"]) == (pair[1], "colour"), "more discs in the first two games"


@pytest.mark.parametrize("rulebook", FINAL_RULEBOOKS)
def test_playing_all_that_is_due_names_the_open_champion(rulebook: str, run_command: Any) -> None:
    value = ladder(rulebook, EIGHT) | {"finals": []}
    for _ in range(30):
        _, output = run_command("finals", value)
        if not output["due"]:
            break
        due = output["due"][0]
        white, black = due["players"]
        value["finals"].append(final(due["title"], due["stage"], black, white, [40, 24]))
    assert output["champions"]["open"] is not None
    assert output["lists"]["open"][0] == {"place": 1, "player": output["champions"]["open"]}
    semi_finals = [match for match in output["matches"] if match["stage"] == "semi-final"]
    assert len(semi_finals) == (0 if rulebook == "cc-2024" else 2)


def test_minutes_of_every_stage(run_command: Any) -> None:
    women_and_young = {p: {"gender": "f", "born": "2014-01-01"} for p in "efgh"}
    for rulebook, expected in (
        ("woc-2019", {("open", 35), ("women", 35), ("young", 35)}),
        ("woc-2017", {("open", 35), ("women", 35), ("young", 40)}),
        ("woc-classic", {("open", 35)}),
        ("cc-2024", {("open", 30)}),
    ):
        _, output = run_command("finals", ladder(rulebook, EIGHT, players_more=women_and_young))
        assert {(due["title"], due["minutes"]) for due in output["due"]} == expected


def test_who_has_no_team_and_no_country_is_in_no_team(run_command: Any) -> None:
    of = {"a": {"country": "FRA"}, "b": {"team": "Club"}, "c": {"country": "FRA", "team": ""}}
    _, output = run_command("finals", ladder("woc-2019", EIGHT, players_more=of))
    assert output["lists"]["teams"] == [
        {"place": 1, "team": "FRA", "points": 8},
        {"place": 2, "team": "Club", "points": 7},
    ]
    assert output["champions"]["teams"] == "FRA"
