"""A club's clock on whatever computer there is, and a wall clock that somebody moves about."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S, until

from flagfall.othello.side import Side
from simulator.table_socket import TableSocket
from table_app.record.journal import read

ROOT = Path(__file__).parents[3]


@pytest.mark.needs("faketime")
def test_a_wall_clock_that_jumps_changes_nothing(tmp_path: Path) -> None:
    """Set an hour forward and a day back in mid-game: the clocks charge what really passed."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    wall = tmp_path / "wall"
    wall.write_text("+0\n", "ascii")
    environment = os.environ | {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(wall),
        "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }
    command = [sys.executable, "-m", "table_app.main", "run", "--virtual-pins", "--screen", "none"]
    command += ["--board", "none", "--state-dir", str(tmp_path / "s")]
    table = TableSocket(tmp_path / "s")
    program = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=(tmp_path / "log").open("wb"))
    try:
        until(table.see, meanwhile=(ConnectionError,))
        begun_s = time.monotonic()
        for number, jump in enumerate(("+3600", "-86400", "+0")):
            side = Side.WHITE if number % 2 == 0 else Side.BLACK
            table.button(side, down=True)
            until(lambda side=side: table.look()["running"] == side.other)
            table.button(side, down=False)
            jumped = tmp_path / "said"
            jumped.write_text(f"{jump}\n", "ascii")
            jumped.replace(wall)  # whole: libfaketime ends a program that finds it empty
            jumped_ns = sum(table.look()["clocks_ns"].values())
            until(lambda before_ns=jumped_ns: sum(table.look()["clocks_ns"].values()) < before_ns - 2e8)
        left_ns = sum(table.look()["clocks_ns"].values())
        passed_s = time.monotonic() - begun_s
    finally:
        program.terminate()
        program.wait(PATIENCE_S)
        table.close()
    charged_s = 2 * 30 * 60 - left_ns / 1e9
    # The jumps are of hours; what the test's own steps take is far less than a minute.
    assert 0.5 < charged_s <= passed_s + 1
    journal = read((tmp_path / "s" / "games" / "local-1.jsonl").read_bytes())
    assert journal is not None
    instants = [entry.input.at_ns for entry in journal.entries]
    assert instants == sorted(instants) and instants[-1] < 60e9
