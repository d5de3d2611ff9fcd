"""A new board at a real table program: placed and calibrated from its screen, over the cable."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from helpers.waiting import PATIENCE_S, until

from flagfall.othello.board import START, Position
from simulator.firmware_body import FirmwareBody
from simulator.table_socket import TableSocket
from simulator.virtual_board import VirtualBoard

IDENTITY = "e661385283774f2b"
ALL = (1 << 64) - 1


def test_a_new_board_is_placed_and_calibrated_at_a_running_table(tmp_path: Path) -> None:
    body = FirmwareBody(IDENTITY, START, stored=None)
    board = VirtualBoard(tmp_path / "board", body=body)
    log = tmp_path / "said"
    options = {"buttons": "virtual", "screen": "none", "board": board.path, "state-dir": tmp_path / "state"}
    command = [sys.executable, "-m", "table_app.main", "run"]
    command += [f"--{key}={value}" for key, value in options.items()]
    with log.open("w") as errors:
        program = subprocess.Popen(command, stderr=errors)
    hand = TableSocket(tmp_path / "state")

    def ask(detail: str) -> None:
        assert hand.tap({"request": "board_setup", "detail": detail}) == ""

    def measured(lies: Position, step: int) -> None:
        board.set_up(lies)
        ask("measure")
        done = f'"calibration step done{f" ({step})" if step else ""}"'
        until(lambda: done in log.read_text(), f"{done} in {log.read_text()}")

    try:
        until(lambda: f"board there identity={IDENTITY}" in log.read_text(), "a board")
        ask("corner")
        ask("turned")
        ask("calibrate")
        measured(Position(0, 0), 0)
        measured(Position(ALL, 0), 1)
        measured(Position(0, ALL), 2)
        until(lambda: "calibration step done (3)" in log.read_text(), "kept")
        # The board lies turned, so the walk's a1 is the board's own h8.
        board.set_up(Position(0, 0))
        ask("walk")
        until(lambda: "walk begun" in log.read_text(), "a walk")
        board.set_up(Position(1 << 63, 0))
        until(lambda: "walk: seen at a1" in log.read_text(), "a disc on a1")
        board.set_up(Position(0, 0))
        ask("stop")
        until(lambda: "walk not passed, squares missing (63)" in log.read_text(), "the verdict")
        ask("close")
        # The board lies the other way round: what it calls h8 is a1. The start position looks the same.
        board.set_up(START)
        places = tmp_path / "state" / "boards.json"
        until(places.exists, "what is kept of boards")
        assert json.loads(places.read_text())[IDENTITY] == {"turned": True}
        until(lambda: hand.see().state == "waiting", "a game that waits for its start")
    finally:
        hand.close()
        program.terminate()
        program.wait(timeout=PATIENCE_S)
        board.close()
        body.power_off()
    assert "Traceback" not in log.read_text()
