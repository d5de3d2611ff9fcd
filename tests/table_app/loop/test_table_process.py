"""A real table program: its own process, virtual pins, a virtual board on a pty, a real broker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

from helpers.table_venue import Venue
from helpers.waiting import PATIENCE_S, until

from flagfall.link.messages import Receipt, Result
from flagfall.link.packed_file import PackedFile, unpack
from flagfall.othello.gamefile import parse_game
from flagfall.othello.referee import judge, new_game
from flagfall.othello.side import Side
from simulator.hands import Hands
from simulator.recorded import read_games, replayed

GAMES = Path(__file__).parents[3] / "simulator" / "games" / "championship.txt.gz"


def _reached(hands: Hands, plies: int) -> bool:
    return hands.played.plies >= plies


def test_a_whole_game_by_hands_with_two_kills_in_it(venue: Venue) -> None:
    recorded = read_games(GAMES)[0]
    game = replayed(recorded.squares)
    venue.start()
    venue.assigned()
    hands = Hands(venue.board, venue.table, game.plies, speed=1000.0, seed=2)
    played = threading.Thread(target=hands.play, daemon=True)
    played.start()
    for plies in (10, 35):
        until(partial(_reached, hands, plies))
        venue.kill()
        venue.start()
    played.join(PATIENCE_S)
    assert not played.is_alive()
    hands.sign()
    until(lambda: any(isinstance(r, Result) and r.signatures.white for r in venue.heard))
    result = next(r for r in venue.heard if isinstance(r, Result) and r.signatures.white)
    assert (result.score.black, result.score.white) == recorded.score
    types = {incident["type"] for incident in result.incidents}
    assert types <= {"power_lost", "ruling", "press_out_of_turn", "board_lost", "refused"}, result.incidents
    assert [i["type"] for i in result.incidents].count("power_lost") == 2
    # The judge looks whether his ruling has helped before he touches again.
    assert [i["type"] for i in result.incidents].count("refused") <= 2
    header, inputs = parse_game(unpack(PackedFile(result.file, result.sha256)).decode())
    judged = new_game(header)
    for input in inputs:
        judged = judge(judged, input)
    assert {str(side): judged.clock.left_ns(side, judged.at_ns) for side in Side} == {
        "black": result.clocks_ns.black,
        "white": result.clocks_ns.white,
    }
    venue.order(Receipt(id=result.id, accepted=True, head="0" * 64))
    until(lambda: venue.table.look()["phase"] == "received")


def test_sigterm_stops_it_cleanly_and_a_second_instance_refuses_to_start(venue: Venue) -> None:
    venue.start()
    second = subprocess.run(
        [sys.executable, "-m", "table_app.main", "run", "--buttons", "keys", "--screen", "none"],
        env=os.environ | {"FLAGFALL_STATE_DIR": str(venue.path / "s"), "FLAGFALL_BOARD": "none"},
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert second.returncode == 2
    assert second.stderr.decode().count("\n") == 1 and b"another flagfall-table already runs" in second.stderr
    assert venue.program is not None
    venue.program.send_signal(signal.SIGTERM)
    assert venue.program.wait(PATIENCE_S) == 0
    assert not (venue.path / "s" / "pins.sock").exists()
    assert b"Traceback" not in (venue.path / "log").read_bytes()
