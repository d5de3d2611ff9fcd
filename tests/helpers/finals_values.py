"""Tournament files for tests of finals: players with certain points, games of the finals."""

from __future__ import annotations

import json
from typing import Any

from hub.form.tournament import tournament_from_json
from hub.ranking.reports import finals

Value = dict[str, Any]


def of_points(points: dict[str, int], rulebook: str = "woc-2019", **fields: Any) -> Value:
    """Return a Swiss tournament with these points. Level players are in the order of `points`.

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


def finals_json(value: Value) -> Value:
    output: Value = json.loads(finals(tournament_from_json(value), as_json=True))
    return output


def win(title: str, stage: str, winner: str, loser: str, discs: int = 40, **fields: Any) -> Value:
    """Return a game that the black player wins."""
    score = [discs, 64 - discs]
    return {"title": title, "stage": stage, "black": winner, "white": loser, "score": score, **fields}


def draw(title: str, stage: str, black: str, white: str, **fields: Any) -> Value:
    return {"title": title, "stage": stage, "black": black, "white": white, "score": [32, 32], **fields}


def places(entries: list[Value]) -> list[tuple[int, str]]:
    return [(entry["place"], entry["player"]) for entry in entries]


def pairs(due: list[Value]) -> list[tuple[str, str, str]]:
    return [(match["title"], match["stage"], "-".join(match["players"])) for match in due]


EIGHT = {"a": 10, "b": 9, "c": 8, "d": 7, "e": 6, "f": 5, "g": 5, "h": 3}
TEN = {"a": 10, "b": 9, "c": 8, "d": 7, "e": 6, "f": 5, "g": 5, "h": 3, "i": 2, "j": 2}
LEVEL = {"a": 9, "b": 8, "c": 8, "d": 8, "e": 8, "f": 8, "g": 8, "h": 3}
SEMI_FINALS = [
    win("open", "semi-final", "a", "d"),
    win("open", "semi-final", "a", "d"),
    win("open", "semi-final", "c", "b"),
    win("open", "semi-final", "c", "b"),
]
