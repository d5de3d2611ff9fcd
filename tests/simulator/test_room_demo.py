"""flagfall-demo as its user meets it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S, until

from flagfall.othello.game import ErrorState, Incident, IncidentType
from simulator.main import findings, main, standings_lines
from simulator.program import Program

COMMAND = [sys.executable, "-m", "simulator.main", "--speed", "1000", "--screen", "none"]


def left_running(folder: Path) -> list[str]:
    """Return the programs that still name this folder on their command line."""
    programs = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_text(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if str(folder) in words:
            programs.append(words)
    return programs


@contextmanager
def demo(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    # Whatever goes wrong, nothing of it stays behind and no read waits for ever.
    watchdog = threading.Timer(150, process.terminate)
    watchdog.start()
    try:
        yield process
    finally:
        watchdog.cancel()
        if process.poll() is None:
            process.terminate()
            process.wait(PATIENCE_S)


@pytest.mark.long  # in the suite README's `make demo` plays it (tests/house/test_house_commands.py)
def test_a_room_of_one_table_from_start_to_standings(tmp_path: Path) -> None:
    folder = tmp_path / "room"
    with demo("--tables", "1", "--rounds", "1", "--once", "--folder", str(folder)) as process:
        output = process.communicate()[0]
    assert process.returncode == 0, output
    assert re.search(r"page +http://127\.0\.0\.1:\d+/", output)
    assert re.search(r"boards +that run the firmware, in (MicroPython|CPython)", output)
    assert re.search(r"table 1 +P0[12] 30 - 34 P0[12]", output)
    assert "standings after round 1" in output
    assert "The standings are what the recorded scores make" in output
    assert left_running(folder) == []


@pytest.mark.parametrize("with_signal", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_interrupted_in_mid_game_it_stops_in_order(tmp_path: Path, with_signal: signal.Signals) -> None:
    folder = tmp_path / "room"
    with demo("--tables", "2", "--folder", str(folder)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "moves at table" in line:
                break
        assert len(left_running(folder)) >= 4  # the demo itself, the hub, two tables
        process.send_signal(with_signal)
        rest = process.communicate()[0]
    assert process.returncode == 130, rest
    assert rest.splitlines()[-1] == "stopping"
    assert left_running(folder) == []
    for log in folder.rglob("*.log"):
        assert "Traceback" not in log.read_text(), log


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tables", "0"], "argument --tables: expected a number 1 to 64, got '0'"),
        (["--rounds", "many"], "argument --rounds: expected a number 1 to 99, got 'many'"),
        (["--speed", "nan"], "argument --speed: expected a number 1 to 10000, got 'nan'"),
        (["--mistakes", "2"], "argument --mistakes: expected a number 0 to 1, got '2'"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--folder", os.devnull], "--folder: expected"),
    ],
)
def test_bad_arguments_end_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    (line,) = output.err.splitlines()
    assert line.startswith(f"flagfall-demo: {message}")


def test_a_folder_in_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["--folder", str(tmp_path)]) == 2
    assert "--folder: expected a new or empty folder" in capsys.readouterr().err


def test_findings_name_each_kind_once_and_leave_out_answers() -> None:
    incidents = [
        Incident(1, IncidentType.MISFLIP, state=ErrorState.CORRECTED),
        Incident(2, IncidentType.RULING),
        Incident(3, IncidentType.MISFLIP, state=ErrorState.CORRECTED),
        Incident(4, IncidentType.PRESS_OUT_OF_TURN),
    ]
    assert findings(incidents) == ["misflip, corrected (2)", "press out of turn"]


def test_standings_say_where_a_lot_decided() -> None:
    row = {"place": 1, "player": "P01", "points": 0.5, "bq": 35, "discs": 32, "by_lot": True}
    *_, line = standings_lines([row])
    assert line.split() == ["1", "P01", "0.5", "35", "32", "by", "lot"]


def test_what_lies_where_the_demo_is_started_is_none_of_its_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "argparse.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    program = Program("hub", "hub.main", ["--version"], tmp_path)
    program.start()
    until(lambda: not program.alive)
    assert re.fullmatch(r"\d+\.\d+\.\d+\s*", program.log.read_text())
