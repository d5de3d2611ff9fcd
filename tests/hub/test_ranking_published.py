"""Real tournaments, anonymised (tests/data/README.md): order, points, discs and BQ are as published."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from hub.formats.tournament_file import tournament_from_json
from hub.ranking.standings import Standing, standings

TOURNAMENTS = Path(__file__).parent.parent / "data" / "tournaments"


def _read(name: str) -> tuple[tuple[Standing, ...], list[dict[str, Any]]]:
    value = json.loads(gzip.decompress((TOURNAMENTS / f"{name}.json.gz").read_bytes()))
    return standings(tournament_from_json(value["tournament"])), value["published"]


@pytest.mark.clause("woc-2019 II.3.1")
@pytest.mark.clause("woc-2019 A.2")
@pytest.mark.clause("woc-2019 A.3")
@pytest.mark.clause("woc-2019 A.3.b")
@pytest.mark.parametrize(("name", "players"), [("woc-2013", 58), ("woc-2018", 82), ("woc-2023", 98)])
def test_the_order_of_three_world_championships(name: str, players: int) -> None:
    ours, published = _read(name)
    assert len(ours) == players
    assert [(line.player, line.points, line.discs) for line in ours] == [
        (line["player"], line["points"], line["discs"]) for line in published
    ]


@pytest.mark.clause("cc-2024 VII.a.2")
@pytest.mark.clause("cc-2024 VII.a.3.c")
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
    for line, told in zip(ours, published, strict=True):
        assert abs(line.bq - told["bq_rounded"]) <= 0.5
