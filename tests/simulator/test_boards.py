"""The choice of boards of a room: the firmware wherever the machine bears it, MicroPython's own where it is
installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import AskHello, Hello, Snapshot
from flagfall.othello.board import START
from simulator.boards import MOST_FIRMWARES, MOST_IN_MICROPYTHON, boards_for
from simulator.firmware_body import FirmwareBody
from simulator.plain_body import PlainBody
from simulator.virtual_board import laid


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a place where MicroPython seems to be installed, and a node that seems to be there."""
    (tmp_path / "node_modules/@micropython/micropython-webassembly-pyscript").mkdir(parents=True)
    monkeypatch.setattr("simulator.boards.shutil.which", lambda name: f"/usr/bin/{name}")
    yield tmp_path


def test_few_tables_have_micropython_more_have_cpython_and_many_neither(home: Path) -> None:
    there = {"FLAGFALL_MICROPYTHON": str(home)}
    assert "in MicroPython" in boards_for(MOST_IN_MICROPYTHON, there).description
    assert "in CPython" in boards_for(MOST_IN_MICROPYTHON + 1, there).description
    assert isinstance(boards_for(MOST_FIRMWARES, there).body(1), FirmwareBody)
    assert isinstance(boards_for(MOST_FIRMWARES + 1, there).body(1), PlainBody)


def test_without_micropython_or_node_the_same_firmware_runs_here(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no MicroPython" in boards_for(1, {"FLAGFALL_MICROPYTHON": str(home / "elsewhere")}).description
    monkeypatch.setattr("simulator.boards.shutil.which", lambda name: None)
    assert "no MicroPython" in boards_for(1, {"FLAGFALL_MICROPYTHON": str(home)}).description


@pytest.mark.parametrize("tables", [1, MOST_FIRMWARES + 1])
def test_every_board_says_its_own_name_and_what_lies_on_it(tables: int) -> None:
    # In its own time: what it is does not show.
    body = boards_for(tables, {"FLAGFALL_MICROPYTHON": "/nowhere"}).body(3)
    decoder = Decoder()
    body.power_on(0)
    frames = decoder.feed(body.work(0, b"\0" + encode(Frame(0, 0, AskHello()))))
    while body.wake_ns < 500_000_000:
        frames += decoder.feed(body.work(body.wake_ns, b""))
    body.power_off()
    names = {frame.message.identity for frame in frames if isinstance(frame.message, Hello)}
    assert names == {f"{3:016x}"}
    assert {frame.message.position for frame in frames if isinstance(frame.message, Snapshot)} == {START}


def test_a_board_whose_thread_comes_late_has_missed_nothing() -> None:
    # Two discs laid sixty milliseconds apart are two positions at two instants, though both are told much later.
    body = FirmwareBody("00000000000000b0", START)
    decoder = Decoder()
    body.power_on(0)
    decoder.feed(body.work(500_000_000, b""))
    first = laid(START, 44, True)
    second = laid(first, 45, False)
    body.change(first, 500_000_000)
    body.change(second, 560_000_000)
    messages = [frame.message for frame in decoder.feed(body.work(900_000_000, b""))]
    body.power_off()
    shown = {message.position: message.changed_us for message in messages if isinstance(message, Snapshot)}
    assert list(shown)[-2:] == [first, second]
    assert 45_000 <= shown[second] - shown[first] <= 75_000


@pytest.mark.parametrize("make", [FirmwareBody, PlainBody])
def test_a_disc_turned_and_turned_back_before_the_thread_comes_was_both(
    make: type[FirmwareBody | PlainBody],
) -> None:
    # Black flips a disc and presses, White's move flips it back a moment later: the board tells both.
    body = make("00000000000000b0", START)
    decoder = Decoder()
    body.power_on(0)
    decoder.feed(body.work(500_000_000, b""))
    turned = laid(START, 27, True)
    body.change(turned, 500_000_000)
    body.change(START, 580_000_000)
    messages = [frame.message for frame in decoder.feed(body.work(900_000_000, b""))]
    body.power_off()
    positions = [message.position for message in messages if isinstance(message, Snapshot)]
    assert positions.index(turned) < len(positions) - 1 and positions[-1] == START
    settled = [message.settled_to_us for message in messages if isinstance(message, Snapshot)]
    assert settled == sorted(settled)
