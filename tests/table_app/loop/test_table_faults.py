"""A real table program whose surroundings fail in mid-game: the clock goes on, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

import pytest
from helpers.prepared import needs_machine
from helpers.table_venue import Venue, XServer
from helpers.waiting import PATIENCE_S, until

from flagfall.base.trouble import trouble
from flagfall.link.messages import Result, Status
from flagfall.link.packed_file import PackedFile, unpack
from flagfall.othello.gamefile import parse_game
from flagfall.othello.inputs import Tick
from flagfall.othello.side import Side
from simulator.hands import Hands
from simulator.recorded import DEMO_GAMES, read_games, replayed
from table_app.record.journal import read
from table_app.record.spare import Spare, spare_folder


class SmallDisk:
    """A file system of 256 kB in memory, mounted until it is closed or this process ends in whatever way."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir(parents=True)
        # It waits for the end of a pipe that this process holds, and outlives it.
        self._unmounting = subprocess.Popen(
            ["sh", "-c", 'cat >/dev/null; umount --lazy "$1"', "sh", str(place)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self._mount("-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs")
        self._filler = place / "filler"

    def _mount(self, *words: str) -> None:
        done = subprocess.run(["mount", *words, str(self.place)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def fill(self) -> None:
        with self._filler.open("wb", 0) as file, suppress(OSError):
            while file.write(bytes(4096)):
                pass

    def make_room(self) -> None:
        self._filler.unlink()

    def writable(self, yes: bool) -> None:
        self._mount("-o", "remount,rw" if yes else "remount,ro")

    def close(self) -> None:
        self._unmounting.communicate(timeout=PATIENCE_S)
        assert self._unmounting.returncode == 0, f"{self.place} is still mounted"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[Path], SmallDisk]]:
    """Yield a function that mounts a small disk. The test is skipped for users who may not mount, which the project's
    own checks always may."""
    needs_machine("it mounts a small disk")
    with ExitStack() as stack:

        def mount(place: Path) -> SmallDisk:
            disk = SmallDisk(place)
            stack.callback(disk.close)
            return disk

        yield mount


def pressed_until_told(venue: Venue) -> None:
    """Press until the fault is shown: the journal has a little room left in its last block."""
    side = Side.WHITE
    for _ in range(100):
        if not venue.table.look()["storage"]:
            return
        venue.press(side)
        side = side.other
    raise AssertionError("nobody was told")


def storage_told(venue: Venue) -> str:
    """Return the last report to the hub of the table's disk."""
    return [
        "",
        *(
            message.health.storage
            for message in venue.heard
            if isinstance(message, Status) and message.online
        ),
    ][-1]


def resigned_and_signed(venue: Venue) -> Result:
    """Let White resign and both sign; return the result that reaches the hub."""
    venue.table.tap({"type": "resign", "by": "white"})
    until(lambda: venue.table.see().state == "finished")
    for side in Side:
        venue.table.tap({"type": "sign", "by": side})
    until(lambda: any(isinstance(message, Result) and message.signatures.white for message in venue.heard))
    return next(
        message for message in venue.heard if isinstance(message, Result) and message.signatures.white
    )


def presses(venue: Venue) -> int:
    """Return the number of presses on record."""
    journal = read((venue.path / "s" / "games" / "1-1-a.jsonl").read_bytes())
    return 0 if journal is None else sum(type(entry.input).__name__ == "Press" for entry in journal.entries)


@pytest.mark.needs("xvfb", "xdotool")
def test_an_x_server_that_dies_takes_no_clock_with_it(venue: Venue, display: XServer) -> None:
    venue.start("window", DISPLAY=display.name, SDL_VIDEODRIVER="x11")
    venue.assigned(sensors=False)
    until(lambda: display.windows("Flagfall"))
    venue.press(Side.WHITE)
    display.kill()
    until(lambda: any(line.startswith("The screen fails: ") for line in venue.table.look()["messages"]))
    for side in (Side.BLACK, Side.WHITE, Side.BLACK):
        venue.press(side)
    until(lambda: presses(venue) == 4)
    until(
        lambda: any(
            isinstance(message, Status) and "screen" in message.health.clock for message in venue.heard
        )
    )
    assert venue.table.look()["state"] == "running"
    display.start()
    until(lambda: display.windows("Flagfall") and not venue.table.look()["messages"])
    venue.press(Side.WHITE)
    result = resigned_and_signed(venue)
    assert result.score.black == 64
    # XIO ends the program that draws; the note of it and of its return stand in the record.
    _, inputs = parse_game(unpack(PackedFile(result.file, result.sha256)).decode())
    notes = [input.note.detail for input in inputs if isinstance(input, Tick) and input.note is not None]
    assert notes[0] == "The screen fails: the program that draws ended with 1" and notes[-1] == "works"


@pytest.mark.needs("xvfb", "xdotool")
def test_a_result_goes_out_while_there_is_no_screen(venue: Venue, display: XServer) -> None:
    venue.start("window", DISPLAY=display.name, SDL_VIDEODRIVER="x11")
    venue.assigned(sensors=False)
    venue.press(Side.WHITE)
    display.kill()
    until(lambda: any(line.startswith("The screen fails: ") for line in venue.table.look()["messages"]))
    assert resigned_and_signed(venue).id == "1-1-a.2"


def test_on_a_full_disk_the_clock_goes_on_and_all_is_on_record_once_there_is_room(
    venue: Venue, small_disk: Callable[[Path], SmallDisk]
) -> None:
    disk = small_disk(venue.path / "s")
    venue.start()
    venue.assigned(sensors=False)
    disk.fill()
    pressed_until_told(venue)
    full = presses(venue)
    running = venue.table.see().running
    assert running is not None
    for side in (running, running.other, running):
        venue.press(side)
    assert presses(venue) == full, "nothing more fits on it"
    assert venue.table.look()["messages"] == [str(trouble("disk_full", file="1-1-a.jsonl"))]
    until(lambda: "The disk is full: 1-1-a.jsonl" in storage_told(venue))
    for request in ("resign", "sign"):
        venue.table.tap({"type": request, "by": "white"})
    until(lambda: venue.table.see().state == "finished")
    assert not [message for message in venue.heard if isinstance(message, Result)], (
        "a result waits for its record"
    )
    disk.make_room()
    venue.table.tap({"type": "sign", "by": "black"})
    until(lambda: any(isinstance(message, Result) and message.signatures.black for message in venue.heard))
    until(lambda: venue.table.look()["storage"] and storage_told(venue) == "ok")
    assert presses(venue) >= full + 3


def test_a_power_cut_on_a_full_disk_leaves_a_whole_journal(
    venue: Venue, small_disk: Callable[[Path], SmallDisk]
) -> None:
    disk = small_disk(venue.path / "s")
    venue.start()
    venue.assigned(sensors=False)
    disk.fill()
    pressed_until_told(venue)
    # What failed may have been a mark of the time: at least this press has no room.
    running = venue.table.see().running
    assert running is not None
    venue.press(running)
    until(lambda: venue.table.see().running is running.other)
    spare = Spare(spare_folder(venue.path / "s", os.environ))
    until(lambda: b'"press"' in (spare.kept("1-1-a.jsonl") or (0, b""))[1])
    full = presses(venue)
    venue.kill()
    # Still full: it starts all the same, and stands still where the record ends.
    venue.start()
    until(lambda: venue.table.see().state == "stopped")
    assert presses(venue) == full and not venue.table.look()["storage"]
    disk.make_room()
    until(lambda: venue.table.look()["storage"])
    # What the disk had not taken was kept in memory.
    until(lambda: presses(venue) > full)
    venue.table.tap({"type": "ruling", "rule": "resume"})
    until(lambda: venue.table.see().state == "running")
    assert resigned_and_signed(venue).score.black == 64


def test_a_table_begins_on_a_full_disk_and_says_so(
    venue: Venue, small_disk: Callable[[Path], SmallDisk]
) -> None:
    disk = small_disk(venue.path / "s")
    (venue.path / "s" / "games").mkdir()
    disk.fill()
    venue.start()
    until(lambda: "outbox.sqlite" in storage_told(venue))
    assert not venue.table.look()["storage"]
    disk.make_room()
    until(lambda: storage_told(venue) == "ok")
    venue.assigned(sensors=False)
    venue.press(Side.WHITE)
    assert resigned_and_signed(venue).score.black == 64


def test_while_the_record_is_read_only_the_clock_goes_on(
    venue: Venue, small_disk: Callable[[Path], SmallDisk]
) -> None:
    disk = small_disk(venue.path / "s" / "games")
    venue.start()
    venue.assigned(sensors=False)
    venue.press(Side.WHITE)
    until(lambda: presses(venue) == 1)
    # Its own writes are short, but a mount waits for none of them.
    until(lambda: _made_read_only(disk))
    pressed_until_told(venue)
    assert venue.table.look()["messages"] == [str(trouble("disk_read_only", file="1-1-a.jsonl"))]
    until(lambda: "cannot be written: 1-1-a.jsonl" in storage_told(venue))
    counted = presses(venue)
    running = venue.table.see().running
    assert running is not None
    venue.press(running)
    disk.writable(True)
    until(lambda: venue.table.look()["storage"])
    until(lambda: presses(venue) > counted)
    assert resigned_and_signed(venue).score.black == 64


def _made_read_only(disk: SmallDisk) -> bool:
    try:
        disk.writable(False)
    except AssertionError:
        return False
    return True


@pytest.mark.long
@pytest.mark.needs("xvfb", "xdotool")
def test_a_display_that_hangs_is_told_and_comes_back(venue: Venue, display: XServer) -> None:
    venue.start("window", DISPLAY=display.name, SDL_VIDEODRIVER="x11")
    venue.assigned(sensors=False)
    venue.press(Side.WHITE)
    display.hang(True)
    until(lambda: any(line.startswith("The screen fails: ") for line in venue.table.look()["messages"]))
    for side in (Side.BLACK, Side.WHITE):
        venue.press(side)
    until(lambda: presses(venue) == 3)
    display.hang(False)
    until(lambda: not venue.table.look()["messages"] and display.windows("Flagfall"))


@pytest.mark.long
@pytest.mark.needs("xvfb", "xdotool")
def test_a_whole_game_while_the_display_dies_again_and_again(venue: Venue, display: XServer) -> None:
    """The display dies by X server and by program in turn; the result is that of the recorded game, and
    nobody is accused."""
    recorded = read_games(DEMO_GAMES)[0]
    venue.start("window", DISPLAY=display.name, SDL_VIDEODRIVER="x11")
    venue.assigned()
    hands = Hands(venue.board, venue.table, replayed(recorded.squares).plies, speed=20.0, seed=5)
    game = threading.Thread(target=hands.play, daemon=True)
    game.start()
    chance, kills = Random(7), 0
    while game.is_alive():
        game.join(chance.uniform(0.5, 3))
        if kills % 2:
            display.kill()
            display.start()
        else:
            venue.kill_drawing()
        kills += 1
    hands.sign()
    until(lambda: any(isinstance(message, Result) and message.signatures.white for message in venue.heard))
    result = next(
        message for message in venue.heard if isinstance(message, Result) and message.signatures.white
    )
    assert kills > 20 and (result.score.black, result.score.white) == recorded.score
    # A busy machine may keep the board silent for longer than anybody waits.
    assert {incident["type"] for incident in result.incidents} <= {"board_lost", "out_of_discs"}
    until(lambda: display.windows("Flagfall"))
