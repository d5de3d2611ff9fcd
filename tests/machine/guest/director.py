"""Runs in a hub's guest: the director, through the hub's own API (create, publish, start, games or live)."""

from __future__ import annotations

import json
import sys
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
match sys.argv[1]:
    case "create":
        director.create(TOURNAMENT)
    case "publish":
        director.publish(1, judged=False, sensors=False)
    case "start":
        director.start()
    case "games":
        print(json.dumps([[game.device, game.score, game.signed] for game in director.games() or ()]))
    case "live":
        print(json.dumps((director.live() or {"devices": {}})["devices"]))
