"""Run by the programs of 0.1.0 on the machine where they are installed: `python evening_of_0_1_0.py WEB BROKER`.

Four players, two rounds at two tables of 0.1.0's simulator: round 1 to its signed results, of round 2 the first moves.
Then table-01's state is the installed table's.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from pathlib import Path

from link import identity
from simulator.director import Director
from simulator.recorded import DEMO_GAMES, read_games
from simulator.seat import Manners, Seat  # type: ignore[attr-defined]  # 0.1.0's name

STATE = Path("/var/lib/flagfall")
web, broker = sys.argv[1:]
director = Director(f"http://127.0.0.1:{web}", (STATE / "api-token").read_text().strip(), "evening")
seats = [Seat(number, Path(f"/root/seat-{number}"), int(broker)) for number in (1, 2)]
for seat in seats:
    told = director.enrol(seat.device, seat.number)
    identity.save(
        identity.Identity(told["device"], bytes.fromhex(told["key"]), told["token"]), seat.identity_file
    )
    seat.program.start()


def wait(condition: object, what: str) -> None:
    deadline_s = time.monotonic() + 120
    while not condition():  # type: ignore[operator]
        if time.monotonic() > deadline_s:
            sys.exit(f"not within 120 s: {what}")
        time.sleep(0.1)  # fixed: how often it looks; `waiting` is not on that machine


def live(device: str) -> dict[str, object]:
    return (director.live() or {"devices": {}})["devices"].get(device, {})


def play(round_: int) -> list[threading.Thread]:
    for seat in seats:
        seat.set_up()
    games = {game.device: game.game for game in director.publish(round_)}
    wait(lambda: all(live(str(device)).get("game") == game for device, game in games.items()), "assigned")
    director.start()
    hands = []
    for seat in seats:
        manners = Manners(200 if round_ == 1 else 10, 0)
        one = threading.Thread(target=seat.play, args=(next(recorded), round_, manners, print), daemon=True)
        one.start()
        hands.append(one)
    return hands


wait(lambda: all(live(seat.device).get("fit") for seat in seats), "fit tables")
director.create(
    {
        "format": "flagfall-tournament/1",
        "name": "An evening",
        "rulebook": "woc-2019",
        "system": "swiss",
        "rounds_planned": 2,
        "seed": 1,
        "players": [{"id": f"P{number}", "name": f"Player {number}"} for number in range(1, 5)],
        "rounds": [],
    }
)
recorded = iter(read_games(DEMO_GAMES))
for hand in play(1):
    hand.join()
wait(lambda: (games := director.games()) and all(game.signed for game in games), "signed results")
play(2)
wait(lambda: all(seat.plies >= 6 for seat in seats), "six moves")
for seat in seats:
    seat.program.kill()
shutil.copytree(
    seats[0].folder,
    STATE,
    dirs_exist_ok=True,
    ignore=shutil.ignore_patterns("board*", "*.sock*", "*.toml", "*.log"),
)
