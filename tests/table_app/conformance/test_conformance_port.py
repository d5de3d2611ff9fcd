"""The command `flagfall-table board --conformance` at a port: the example board, and the firmware in MicroPython."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from helpers import prepared
from helpers.firmware_on_unix import HEAP, PROGRAM
from helpers.waiting import until

from firmware_py.calibrate import as_text
from firmware_py.classify import Calibration
from table_app.board.driver import open_port
from table_app.conformance.command import examined
from table_app.main import main

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "board.py"
Board = Callable[[Path], AbstractContextManager[Path]]


@contextmanager
def example(place: Path) -> Iterator[Path]:
    """Run the example board, with a disc laid on f5."""
    port = place / "board"
    process = subprocess.Popen([sys.executable, EXAMPLE, port], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"f5 black\nnonsense\n")
    process.stdin.flush()
    try:
        until(port.is_symlink, "the example's port")
        yield port
    finally:
        process.kill()
        process.wait()


@contextmanager
def firmware(place: Path) -> Iterator[Path]:
    """Run the whole firmware in MicroPython's unix port, before a chip whose sensors always read the middle."""
    command = list(prepared.had(prepared.micropython_unix))
    host, slave = os.openpty()
    tty.setraw(slave)
    zeros = [2048] * 64
    text = as_text(Calibration(zeros, [800] * 64, [-800] * 64))
    (place / "calibration.txt").write_text(text)
    command += ["-X", f"heapsize={HEAP}", "-c", PROGRAM.format(root=str(ROOT))]
    process = subprocess.Popen(command, stdin=host, stdout=host, cwd=place)
    try:
        yield Path(os.ttyname(slave))
    finally:
        process.kill()
        process.wait()
        os.close(host)
        os.close(slave)


# MicroPython's unix port waits at full speed for the fifteen seconds that the examination takes.
@pytest.mark.parametrize("board", [example, pytest.param(firmware, marks=pytest.mark.long)])
def test_the_example_and_the_firmware_keep_the_protocol(board: Board, tmp_path: Path) -> None:
    with board(tmp_path) as port:
        findings = examined(str(port), False, print)
    assert [finding for finding in findings if not finding.ok] == []
    assert len(findings) == 13


def test_the_command_says_what_it_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = str(tmp_path / "nothing")
    assert main(["board", "--conformance", nothing]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"flagfall-table: {nothing}: ") and error.count("\n") == 1
    assert main(["board"]) == 2
    assert "--conformance" in capsys.readouterr().err
    assert main(["board", "--conformance", "/dev/null"]) == 2
    assert "/dev/null: expected a serial port" in capsys.readouterr().err
    # A port at which nothing speaks: three seconds, one line.
    host, slave = os.openpty()
    tty.setraw(slave)
    try:
        taken = open_port(os.ttyname(slave))
        assert main(["board", "--conformance", os.ttyname(slave)]) == 2
        assert "another program has this port open: stop the table first" in capsys.readouterr().err
        taken.close()
        assert main(["board", "--conformance", os.ttyname(slave), "--json"]) == 1
    finally:
        os.close(slave)
        os.close(host)
    told = json.loads(capsys.readouterr().out)
    assert told["board"] is False
    (finding,) = told["findings"]
    assert finding["rule"] == "bytes"
    assert finding["text"].startswith("nothing came")


def test_a_port_that_goes_away_is_told(tmp_path: Path) -> None:
    host, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    os.close(slave)
    threading.Timer(1.0, os.close, (host,)).start()
    (finding,) = examined(path, False, print)
    assert not finding.ok
    assert (finding.rule, "the port was lost" in finding.text) == ("port", True), finding
