"""The command `doctor --board`, as a builder types it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S

from flagfall.othello.board import START
from simulator.firmware_body import FirmwareBody
from simulator.virtual_board import VirtualBoard
from table_app.board import monitor
from table_app.main import main


def doctor(board: str, out: int, typed: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "table_app.main", "doctor", "--board"]
    environment = {**os.environ, "FLAGFALL_BOARD": board}
    return subprocess.Popen(command, stdin=typed, stdout=out, stderr=subprocess.PIPE, env=environment)


def test_into_a_pipe_one_page_is_printed(tmp_path: Path) -> None:
    body = FirmwareBody("e661385283774f2b", START)
    board = VirtualBoard(tmp_path / "board", body=body)
    try:
        page, _ = doctor(str(board.path), subprocess.PIPE).communicate(timeout=PATIENCE_S)
    finally:
        board.close()
        body.power_off()
    lines = page.decode().splitlines()
    assert lines[0] == "board e661385283774f2b"
    assert lines[9].count("X") == lines[9].count("O") == 1
    assert any(line.startswith("least margin") for line in lines)


def test_without_a_board_it_says_so_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(monitor, "_WAIT_S", 2.0)
    monkeypatch.setenv("FLAGFALL_BOARD", str(tmp_path / "none"))
    assert main(["doctor", "--board"]) == 1
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'none'} cannot be opened")
    monkeypatch.setenv("FLAGFALL_BOARD", "none")
    assert main(["doctor", "--board"]) == 2
    assert capsys.readouterr().err == 'flagfall-table: board: expected a port or "auto", got "none"\n'


def test_on_a_terminal_lines_are_commands(tmp_path: Path) -> None:
    body = FirmwareBody("e661385283774f2b", START)
    board = VirtualBoard(tmp_path / "board", body=body)
    terminal, slave = os.openpty()
    process = doctor(str(board.path), slave, slave)
    os.close(slave)
    seen = b""
    try:
        deadline_s = time.monotonic() + PATIENCE_S
        for wanted, line in ((b"least margin", b"0\n"), (b"something lies here at d4", b"q\n")):
            while wanted not in seen:
                assert time.monotonic() < deadline_s, seen[-2000:]
                seen += os.read(terminal, 4096)
            os.write(terminal, line)
        while process.poll() is None:
            assert time.monotonic() < deadline_s
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break
        assert process.wait(timeout=PATIENCE_S) == 0
    finally:
        process.kill()
        os.close(terminal)
        board.close()
        body.power_off()
