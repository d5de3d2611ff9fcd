"""Runs in a hub's guest: the director, through the hub's own API (create, publish, start, agree, result; or
`seen DEVICE`, `runs DEVICE VERSION`: until the table is fit to play). It waits inside, as it takes seconds to begin."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from simulator.director import Director

TOURNAMENT = {
    "format": "flagfall-tournament/1",
    "name": "Two cards",
    "rulebook": "woc-2019",
    "system": "swiss",
    "rounds_planned": 1,
    "seed": 1,
    "players": [{"id": f"P{number}", "name": f"Player {number}"} for number in (1, 2)],
    "rounds": [],
}

token = Path("/var/lib/flagfall/api-token").read_text("ascii").strip()
director = Director("http://127.0.0.1:8000", token, "two-cards")


def fit(device: str, versions: list[str]) -> bool:
    status = (director.live() or {"devices": {}})["devices"].get(device, {})
    return bool(
        status.get("online") and status.get("fit") and status["version"] in (versions or [status["version"]])
    )


match sys.argv[1:]:
    case ["create"]:
        director.create(TOURNAMENT)
    case ["publish"]:
        director.publish(1, judged=False, sensors=False)
    case ["start"]:
        director.start()
    case ["agree"]:
        director.offer_update(json.loads(Path("/var/lib/flagfall/update/asked.json").read_bytes())["sha256"])
    case ["result"]:
        while not any(game.signed for game in director.games() or ()):
            time.sleep(1)  # fixed: how often it looks; `waiting` is not in the guest
        print(json.dumps([[game.device, game.score, game.signed] for game in director.games() or ()]))
    case ["seen" | "runs", device, *versions]:
        while not fit(device, versions):
            time.sleep(1)  # fixed: how often it looks; `waiting` is not in the guest
