"""Real tournaments, anonymised (tests/data/README.md): order, points, discs and BQ are as published."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from hub.form.tournament import tournament_from_json
from hub.ranking.finals import finals_of
from hub.ranking.standings import Standing, standings

TOURNAMENTS = Path(__file__).parents[2] / "data" / "tournaments"


def _fixture(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(gzip.decompress((TOURNAMENTS / f"{name}.json.gz").read_bytes()))
    return value


def _read(name: str) -> tuple[tuple[Standing, ...], list[dict[str, Any]]]:
    value = _fixture(name)
    return standings(tournament_from_json(value["tournament"])), value["published"]


@pytest.mark.clause("woc-2019 II.3.1", "woc-2019 A.2", "woc-2019 A.3", "woc-2019 A.3.b")
@pytest.mark.parametrize(("name", "players"), [("woc-2013", 58), ("woc-2018", 82), ("woc-2023", 98)])
def test_the_order_of_three_world_championships(name: str, players: int) -> None:
    ours, published = _read(name)
    assert len(ours) == players
    assert [(line.player, line.points, line.discs) for line in ours] == [
        (line["player"], line["points"], line["discs"]) for line in published
    ]


@pytest.mark.clause("cc-2024 VII.a.2", "cc-2024 VII.a.3.c")
def test_a_european_championship_with_eleven_byes() -> None:
    ours, published = _read("eoc-2025")
    mine = {line.player: line for line in ours}
    assert len(ours) == 87
    for line in published:
        assert (mine[line["player"]].points, mine[line["player"]].discs) == (line["points"], line["discs"])
    merits = [(mine[line["player"]].half_points, mine[line["player"]].bq) for line in published]
    assert merits == sorted(merits, reverse=True)


@pytest.mark.parametrize("name", ["club-559", "club-579", "club-602"])
def test_every_published_bq_of_three_club_tournaments(name: str) -> None:
    ours, published = _read(name)
    assert [(line.player, line.points) for line in ours] == [(p["player"], p["points"]) for p in published]
    for line, printed in zip(ours, published, strict=True):
        assert abs(line.bq - printed["bq_rounded"]) <= 0.5


@pytest.mark.clause("woc-2019 II.3.2", "woc-2019 III.1", "woc-2019 III.2.1", "woc-2019 III.2.3")
@pytest.mark.clause("woc-2019 III.3.1")
@pytest.mark.parametrize(
    ("name", "women", "playoffs", "games", "open_places", "women_places"),
    [
        ("woc-2013", 0, 0, 7, [1, 2, 4, 3], []),
        ("woc-2018", 4, 1, 15, [3, 1, 2, 4], [4, 3, 1, 2]),
        ("woc-2023", 0, 1, 8, [4, 2, 1, 3], []),
    ],
)
def test_real_finals_were_due_game_by_game_and_end_as_they_did(
    name: str, *, women: int, playoffs: int, games: int, open_places: list[int], women_places: list[int]
) -> None:
    """Fold each file's added results of the open title (and in 2018 of the women's) in order.

    `open_places` are the places of the first four of the final list in the published list.
    """
    fixture = _fixture(name)
    rank = {line["player"]: place for place, line in enumerate(fixture["published"], start=1)}
    four = {line["player"] for line in fixture["published"][:5]}
    others = {p for game in fixture["added_results"] for p in (game["black"], game["white"])} - four
    value = fixture["tournament"] | {"date": "2019-01-01", "finals": []}
    if women:
        for player in value["players"]:
            player["gender"] = "f" if player["id"] in others else "m"
    for game in fixture["added_results"]:
        due = finals_of(tournament_from_json(value)).due
        match = [m for m in due if {*m.players} == {game["black"], game["white"]}]
        if match:
            known = {key: game[key] for key in ("black", "white", "score")}
            value["finals"].append(known | {"title": match[0].title, "stage": match[0].stage})
    finals = finals_of(tournament_from_json(value))
    assert (len(value["finals"]), finals.due) == (games, ())
    assert sum(match.stage == "playoff" for match in finals.decided) == playoffs
    assert [rank[place.player] for place in finals.lists["open"][:4]] == open_places
    ours = sorted(others, key=lambda player: rank[player])
    assert [ours.index(place.player) + 1 for place in finals.lists["women"][:4]] == women_places
