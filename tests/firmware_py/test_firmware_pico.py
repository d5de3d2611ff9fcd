"""The image that is dragged onto a Pico: its file's form, and the image itself on an emulated chip before the physical
model, from its first instruction to a whole game in the table's hands.
"""

from __future__ import annotations

import fcntl
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import uf2
from elftools.elf.elffile import ELFFile
from helpers import prepared
from helpers.desk_table import DeskTable
from helpers.emulated_pico import Pico, PicoBody
from helpers.waiting import PATIENCE_S

from firmware_py.frame import WATCHDOG
from flagfall.base.errors import Invalid
from flagfall.link.board import frames
from flagfall.link.board.faults import STEP_DONE
from flagfall.othello.board import START, Position, format_transcript
from flagfall.othello.gamefile import parse_header
from flagfall.othello.report import outcome
from simulator.board_model import BoardModel, Disc
from simulator.hands import Hands, Manner
from simulator.recorded import DEMO_GAMES, read_games, replayed
from simulator.virtual_board import Cable, VirtualBoard
from table_app.board.driver import SerialBoard

ROOT = Path(__file__).resolve().parents[2]
MAKER = ROOT / "hardware" / "pico"
# What the emulator's flash says of itself.
NO_IDENTITY = "ff" * 8
MS = 1_000_000
# Two conversions of one scan are never so far apart.
BETWEEN_SCANS_NS = 500_000
# Of one scan.
CONVERSIONS = 4 * 64


def test_a_file_is_what_a_boot_loader_takes() -> None:
    image = bytes(range(256)) * 3 + b"firmware_py/board.py\0main.py\0"
    data = uf2.pack(image)
    assert len(data) == 4 * 512
    assert data[:4] == b"UF2\n"
    assert uf2.image_of(data).rstrip(b"\xff") == image
    assert uf2.check_modules(data, ["main.py"]) == ["firmware_py/board.py", "main.py"]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-1], "expected whole blocks"),
        (lambda data: b"", "expected whole blocks"),
        (lambda data: b"X" + data[1:], "block 0: magic numbers"),
        (lambda data: data[:28] + b"\0\0\0\0" + data[32:], "block 0: family: expected 0xe48bff56"),
        (lambda data: data[512:], "block 0: number"),
        (lambda data: data[:525] + b"\0" + data[526:], "block 1: address"),
    ],
)
def test_a_damaged_file_is_refused_by_block(damage: Callable[[bytes], bytes], message: str) -> None:
    with pytest.raises(Invalid, match=message):
        uf2.image_of(damage(uf2.pack(bytes(600))))


def test_a_file_without_our_modules_is_refused() -> None:
    with pytest.raises(Invalid, match=r"firmware_py/scan\.py"):
        uf2.check_modules(uf2.pack(b"\0main.py\0"), ["main.py", "firmware_py/scan.py"])


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the image by the one command, as a builder of a board does; one test worker at a time."""
    out = tmp_path_factory.mktemp("image") / "board.uf2"
    with (Path(sys.prefix) / ".pico-firmware.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [sys.executable, MAKER / "image.py", out], capture_output=True, text=True, check=False
        )
    if done.returncode:
        prepared.absent(done.stderr.strip().splitlines()[0])
    return out


class Heap:
    """The interpreter's heap, as its own table of blocks says (py/gc.c): two bits for each 16 bytes, 0 for free."""

    def __init__(self, pico: Pico) -> None:
        with (Path(sys.prefix) / "pico-firmware" / "out" / "firmware.elf").open("rb") as file:
            symbols = ELFFile(file).get_section_by_name(".symtab")
            begin, end = (
                symbols.get_symbol_by_name(name)[0]["st_value"] - 0x20000000
                for name in ("__GcHeapStart", "__GcHeapEnd")
            )
        table = (end - begin - 1) * 8 // (8 + 4 + 8 * 4 * 16)
        self._table = pico.memory[begin : begin + table]
        self.size = table * 4 * 16

    def used(self) -> int:
        blocks = int.from_bytes(self._table, "little")
        lower = int.from_bytes(b"\x55" * len(self._table), "little")
        return 16 * ((blocks | blocks >> 1) & lower).bit_count()


class Heard:
    """The output of a chip, as frames."""

    def __init__(self, pico: Pico) -> None:
        self.pico = pico
        self.decoder = frames.Decoder()
        self.messages: list[frames.Message] = []
        self._looked_at = 0

    def run(self, until_ns: int) -> None:
        self.messages += [frame.message for frame in self.decoder.feed(self.pico.run(until_ns))]

    def until(self, holds: Callable[[frames.Message], bool], within_ms: int) -> frames.Message:
        """Return the first such message that was not looked at yet, within so many milliseconds of the chip's time."""
        deadline_ns = self.pico.now_ns + within_ms * MS
        while True:
            while self._looked_at < len(self.messages):
                self._looked_at += 1
                if holds(self.messages[self._looked_at - 1]):
                    return self.messages[self._looked_at - 1]
            if self.pico.now_ns >= deadline_ns:
                break
            self.run(self.pico.now_ns + 5 * MS)
        raise AssertionError(f"not within {within_ms} ms: {self.messages[-5:]}")

    def say(self, message: frames.Message) -> None:
        self.pico.say(frames.encode(frames.Frame(0, 0, message)))


def _is(kind: type[frames.Message]) -> Callable[[frames.Message], bool]:
    return lambda message: isinstance(message, kind)


@pytest.fixture(scope="session")
def calibrated(image: Path) -> bytes:
    """Return the flash of a Pico that was calibrated as a builder does it: empty, all black up, all white up, keep."""
    heard = Heard(Pico(image, BoardModel(seed=3)))
    hello = heard.until(_is(frames.Hello), 1300)
    assert hello == frames.Hello(NO_IDENTITY, (1, 0), False, 0)
    for step, disc in enumerate((None, Disc(True), Disc(False))):
        for square in range(64):
            heard.pico.model.put(square, disc)
        heard.say(frames.Calibrate(step))
        assert heard.until(_is(frames.FaultReport), 1500) == frames.FaultReport(STEP_DONE, None, step)
    heard.say(frames.Calibrate(3))
    assert heard.until(_is(frames.FaultReport), 3000) == frames.FaultReport(STEP_DONE, None, 3)
    hello = heard.until(_is(frames.Hello), 500)
    assert isinstance(hello, frames.Hello)
    assert hello.calibrated
    assert heard.decoder.bad == 0
    return heard.pico.flash


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_interrupt_bytes_from_the_first_packet_on_are_data(image: Path) -> None:
    # Ctrl-C in every millisecond from the moment the port opens: while the interpreter starts, while the firmware is
    # imported, while it waits for the button and while it runs.
    heard = Heard(Pico(image, BoardModel(seed=3)))
    while heard.pico.now_ns < 1150 * MS:
        heard.pico.say(b"\x03")
        heard.run(heard.pico.now_ns + MS)
    assert heard.pico.connected_ns < 50 * MS, "so it fell into the start"
    assert any(map(_is(frames.Hello), heard.messages))
    before = len(heard.messages)
    heard.say(frames.AskHello())  # ends what the bytes before it began
    heard.say(frames.AskHello())
    heard.run(heard.pico.now_ns + 200 * MS)
    assert any(map(_is(frames.Hello), heard.messages[before:]))
    assert heard.decoder.bad == 0, "no prompt, no traceback among the frames"


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_disc_a_flip_a_hand_a_hang_and_what_a_scan_takes(
    image: Path, calibrated: bytes, record_property: Callable[[str, object], None]
) -> None:
    pico = Pico(image, BoardModel(seed=3), calibrated)
    model = pico.model
    for square in range(64):
        if START.occupied >> square & 1:
            model.put(square, model.drawn_disc(bool(START.black >> square & 1)))
    heard = Heard(pico)
    assert heard.until(_is(frames.Hello), 1300) == frames.Hello(NO_IDENTITY, (1, 0), True, 0)
    heard.until(lambda message: isinstance(message, frames.Snapshot) and message.position == START, 300)

    model.put(37, model.drawn_disc(True))
    assert heard.until(_is(frames.Touched), 100) == frames.Touched(37, frames.TOUCH_DISC)
    model.flip(36)
    moved = Position(START.black | 1 << 37 | 1 << 36, START.white & ~(1 << 36))
    heard.until(lambda message: isinstance(message, frames.Snapshot) and message.position == moved, 150)
    pico.rows.touched, pico.columns.touched = 1 << 2, 1 << 5
    assert heard.until(_is(frames.Touched), 100) == frames.Touched(21, frames.TOUCH_HAND)
    pico.rows.touched = pico.columns.touched = 0

    heap = Heap(pico)
    begins: list[int] = []
    heaps: list[int] = []
    last_ns = conversions = 0

    def converted() -> None:
        nonlocal conversions, last_ns
        paused, last_ns = pico.now_ns - last_ns > BETWEEN_SCANS_NS, pico.now_ns
        if conversions or (paused and last_ns):
            if conversions % CONVERSIONS == 0:
                begins.append(pico.now_ns)
                heaps.append(heap.used())
            conversions += 1

    heard.run(pico.now_ns + MS)
    pico.on_conversion = converted
    heard.run(pico.now_ns + 1_500 * MS)
    scans_ms = [(after - before) / MS for before, after in pairwise(begins)]
    figures = {
        "scan_ms": round(statistics.median(scans_ms), 2),
        "longest_scan_ms": round(max(scans_ms), 2),
        "scan_cycles": round(statistics.median(scans_ms) * 125_000),
        "heap_highest": max(heaps),
        "heap": heap.size,
    }
    for name, value in figures.items():
        record_property(name, value)
    print(figures)
    assert max(heaps) < heap.size / 2

    pico.hang()
    heard.until(_is(frames.Hello), 4500)
    assert pico.restarts == 1
    assert heard.until(_is(frames.FaultReport), 100) == frames.FaultReport(WATCHDOG, None, 0)
    heard.until(lambda message: isinstance(message, frames.Snapshot) and message.position == moved, 400)


@pytest.fixture
def board_of_a_pico(
    image: Path, calibrated: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[VirtualBoard]:
    """Yield a board whose port is a pty. In this process the time is the chip's: it stands still while the chip does
    not run.
    """
    pico = Pico(image, BoardModel(seed=3), calibrated)
    pico.run(1_300 * MS)  # it starts before the table, which would miss it otherwise
    really = time.sleep

    def sleep(seconds: float) -> None:
        until_ns = pico.now_ns + round(seconds * 1e9)
        while True:
            really(0.002)
            if pico.now_ns >= until_ns:
                return

    monkeypatch.setattr(time, "monotonic_ns", lambda: pico.now_ns)
    monkeypatch.setattr(time, "monotonic", lambda: pico.now_ns / 1e9)
    monkeypatch.setattr(time, "sleep", sleep)
    board = VirtualBoard(tmp_path / "board", cable=Cable(delay_s=0.0), body=PicoBody(pico, START))
    yield board
    board.close()


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_a_whole_game_on_the_chip_comes_out_move_for_move(board_of_a_pico: VirtualBoard) -> None:
    game = next(game for game in read_games(DEMO_GAMES) if len(game.squares) == 60)
    plies = replayed(game.squares).plies
    header = parse_header(
        {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "minutes": 30}
    )
    table = DeskTable(header, SerialBoard(str(board_of_a_pico.path)))
    try:
        quick = Manner(think_s=0.001, disc_s=0.02, reach_s=0.06, bounce_s=0.0, patience_s=PATIENCE_S)
        played = Hands(board_of_a_pico, table, plies, seed=1, speed=1000, manner=quick).play()
        table.wait(lambda: table.game.over)
    finally:
        table.close()
    result = outcome(table.game)
    assert result["transcript"] == format_transcript(game.squares)
    assert played.accused == []
    assert {incident["type"] for incident in result["incidents"]} <= {"out_of_discs"}
