"""A club's clock on whatever computer there is, and a wall clock that somebody moves about."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import until

from othello.inputs import Press
from othello.side import Side
from simulator.table_socket import TableSocket
from table_app.record.journal import read

ROOT = Path(__file__).parents[3]

ELSEWHERE = """
# What Windows lacks is taken away before the program is imported. Other people's modules have their own ways there.
import sys, types
import asyncio, gpiozero, jinja2, msgspec, pygame, serial, serial.tools.list_ports, sqlite3
import argparse, ctypes, datetime, email, http, importlib.metadata, importlib.resources, json, logging, os, queue
import random, select, shutil, signal, socket, ssl, subprocess, tempfile, threading, tomllib, unicodedata, uuid, zlib
from pathlib import Path
import time
from waiting import until
lacking = ("gpiod", "fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "gpiozero")
for name in [one for one in sys.modules if one.split(".")[0] in lacking]:
    del sys.modules[name]
for name in lacking:
    sys.modules[name] = None
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=lambda descriptor, mode, length: None)
sys.platform = "win32"
del os.geteuid, socket.AF_UNIX
for name in ("CLOCK_MONOTONIC_RAW", "clock_gettime_ns"):
    delattr(time, name)
"""
TABLE = """
state = Path(sys.argv[1])
from table_app.screen import process
process.COMMAND = (sys.executable, "-c", sys.argv[2], *sys.argv[1:])
from table_app.main import main
code = main(["run", "--laptop", "--state-dir", str(state)])
assert "pygame" not in sys.modules or not pygame.get_init()
sys.exit(code)
"""
SCREEN = """
state = Path(sys.argv[1])

def hands():
    games = state / "games"
    # Before the window is there SDL drops keys.
    until(lambda: pygame.display.get_surface() and list(games.glob("*.jsonl")))
    for key, side in ((pygame.K_j, b"white"), (pygame.K_f, b"black")):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))
        until(lambda side=side: b'"press","by":"' + side in next(games.glob("*.jsonl")).read_bytes())
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=key))
    pygame.event.post(pygame.event.Event(pygame.QUIT))

threading.Thread(target=hands, daemon=True).start()
from table_app.screen.child import main
sys.exit(main())
"""


def test_a_laptop_needs_nothing_that_windows_lacks(tmp_path: Path) -> None:
    environment = os.environ | {"SDL_VIDEODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    environment["PYTHONPATH"] = str(ROOT / "tests")
    command = [sys.executable, "-c", ELSEWHERE + TABLE, str(tmp_path / "s"), ELSEWHERE + SCREEN]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    journal = read((tmp_path / "s" / "games" / "local-1.jsonl").read_bytes())
    assert journal is not None and not journal.header.sensors and not journal.header.judged
    assert [str(one.input.by) for one in journal.entries if isinstance(one.input, Press)] == [
        "white",
        "black",
    ]


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
            said = tmp_path / "said"
            said.write_text(f"{jump}\n", "ascii")
            said.replace(wall)  # whole: libfaketime ends a program that finds it empty
            jumped_ns = sum(table.look()["clocks_ns"].values())
            until(lambda before_ns=jumped_ns: sum(table.look()["clocks_ns"].values()) < before_ns - 2e8)
        left_ns = sum(table.look()["clocks_ns"].values())
        passed_s = time.monotonic() - begun_s
    finally:
        program.terminate()
        program.wait(10)
        table.close()
    charged_s = 2 * 30 * 60 - left_ns / 1e9
    # The jumps are of hours; what the test's own steps take is far less than a minute.
    assert 0.5 < charged_s <= passed_s + 1
    journal = read((tmp_path / "s" / "games" / "local-1.jsonl").read_bytes())
    assert journal is not None
    instants = [one.input.at_ns for one in journal.entries]
    assert instants == sorted(instants) and instants[-1] < 60e9
