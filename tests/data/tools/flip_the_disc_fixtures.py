"""Makes tests/data/flip_the_disc from the sources, with other names, numbers, ratings and days.

    python tests/data/tools/flip_the_disc_fixtures.py FOLDER_OF_SOURCES

The folder holds `tournament_*.json` as the site publishes them.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

_NUMBERS = ("579", "602")
_FIRST_NUMBER = 9_001  # of the rating list


def _anonymous(source: dict[str, Any]) -> dict[str, Any]:
    ids = sorted(player["id"] for player in source["players_list"])
    number = {player: nth for nth, player in enumerate(ids, start=1)}
    person = {player: {"surname": f"PLAYER{nth:02}", "name": "Ann"} for player, nth in number.items()}
    players = [
        player
        | person[player["id"]]
        | {"id": number[player["id"]], "wof_id": _FIRST_NUMBER + number[player["id"]], "rating": 1_500}
        for player in source["players_list"]
    ]
    standings = [
        line | person[line["player_id"]] | {"player_id": number[line["player_id"]], "rating": 1_500}
        for line in source["standings"]
    ]
    rounds = [
        {
            "pairing": [
                pair if isinstance(pair, str) else [_seat(seat, number, person) for seat in pair]
                for pair in played["pairing"]
            ]
        }
        | {name: played[name] for name in ("round", "currentRound", "started", "finished")}
        for played in source["rounds"]
    ]
    info = source["info"] | {"id": 1, "name": "Club", "city": "", "td_id": 1, "lo_id": 1}
    days = [name for name in info if name.endswith("_date") or name.startswith("expected_")]
    info |= dict.fromkeys(days, "2026-01-03T09:00:00.000Z")
    return {"players_list": players, "standings": standings, "rounds": rounds, "info": info}


def _seat(seat: dict[str, Any], number: dict[int, int], person: dict[int, Any]) -> dict[str, Any]:
    if seat["id"] not in number:
        return seat  # a bye
    kept = {name: value for name, value in seat.items() if name not in ("gameId", "roundStarted")}
    return kept | person[seat["id"]] | {"id": number[seat["id"]]}


def main() -> None:
    source, target = Path(sys.argv[1]), Path(__file__).parent.parent / "flip_the_disc"
    target.mkdir(exist_ok=True)
    for name in _NUMBERS:
        value = _anonymous(json.loads((source / f"tournament_{name}.json").read_text("utf-8")))
        data = json.dumps(value, separators=(",", ":")).encode()
        (target / f"club-{name}.json.gz").write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main()
