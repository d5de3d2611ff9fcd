"""The power goes at every write of a table in play: no press before the last heartbeat is lost, and it always starts.

As in test_power_cut.py the files are built again as they may be found behind each step of the program.
"""

from __future__ import annotations

import shutil
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from flagfall.base.message import Message
from flagfall.othello.game import State
from flagfall.othello.inputs import Press
from table_app.game.table_game import UNCERTAIN_NS, GameSession
from table_app.record.state_dir import StateDirectory

pytestmark = pytest.mark.needs("gcc")

SHARES = (0.0, 0.5, 1.0)
PROGRAM = """
import os, struct, sys, threading
from io import StringIO
from pathlib import Path
from queue import SimpleQueue
from random import Random
from flagfall.link.identity import create
from flagfall.othello.board import START, squares_of
from flagfall.othello.gamefile import parse_header
from flagfall.othello.side import Side
from table_app.assembly import Adapters, put_together
from table_app.board.port import NoBoard
from table_app.hub_link.sender import Sender, NoLink
from table_app.events import (BoardPresence, BoardShown, BoardStream, ButtonEdge, ScreenRequest, place_of)
from table_app.timebase import Timebase
from table_app.log import Log
from table_app.record.journal import JournalWriter, SyncedDisk
from table_app.record.state_dir import StateDirectory
folder = Path(sys.argv[1])
acknowledged = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT, 0o600)
clock_ns = [0]
now = lambda: clock_ns[0]
inbox = SimpleQueue()
state = StateDirectory(folder / "state")
state.open()
recorder = JournalWriter(SyncedDisk(), lambda why: None)
sender = Sender(identity=create("d"), outbox=folder.parent / "outbox.sqlite", link=NoLink(), put=inbox.put,
                  random=Random(0))
header = parse_header({"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019"})
table = put_together(Adapters(inbox, Timebase(0, now), create("d"), state, recorder, sender, NoBoard(),
                              Log(stream=StringIO()), local_header=header))
recorder.start()
sender.start()
table.restore(state.kept())
presses = 0
def turn(*events, after_ns=0):
    clock_ns[0] += after_ns
    taken = list(events)
    while not inbox.empty():
        taken.append(inbox.get())
    table.turn(taken, now())
    done = threading.Event()
    recorder.after_durable(done.set)
    assert done.wait(10)
    os.write(acknowledged, struct.pack("<Hq", presses, clock_ns[0]))
def press(side):
    global presses
    clock_ns[0] += 1_000_000_000
    presses += 1
    turn(ButtonEdge(now(), place_of(side, False), True))
    turn(ButtonEdge(now() + 60_000_000, place_of(side, False), False), after_ns=60_000_000)
    turn(BoardStream(now() + 100_000_000), after_ns=100_000_000)
turn(BoardPresence(0, True, "b"), BoardShown(0, START))
position, side = START, Side.BLACK
press(Side.WHITE)
for _ in range(6):
    position = position.played(side is Side.BLACK, next(squares_of(position.legal(side is Side.BLACK))))
    turn(BoardShown(now(), position), after_ns=800_000_000)
    press(side)
    side = side.other
turn(ScreenRequest(now(), "swap_sides"))
recorder.close()
sender.close()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name) / "found"


def started(folder: Path, files: dict[str, bytes]) -> tuple[GameSession | None, tuple[Message, ...], int]:
    """Start a table on these files. Return its game, the damage that it reports, and the presses on record."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    state = StateDirectory(folder / "state")
    state.open()
    try:
        kept = state.kept()
        journal, damage = state.journal("local-1")
        # The count never goes back behind what was recorded.
        assert journal is None or state.last_instant_ns() <= journal.last_ns
    finally:
        state.close()
    if journal is None:
        return None, (*kept.damage, *filter(None, [damage])), 0
    judged = sum(isinstance(entry.input, Press) for entry in journal.entries)
    play = GameSession.restored(journal)
    for power in play.power_back(journal.last_ns):
        play.judge(power)
        assert play.game.state in (State.STOPPED, State.WAITING) and play.uncertain_ns in (0, UNCERTAIN_NS)
    return play, (*kept.damage, *filter(None, [damage])), judged + len(journal.unjudged)


def cut_everywhere(doings: list[Any], disk: Any, folder: Path) -> tuple[int, int]:
    """Presses made, and how often the power was cut; asserts what has to hold each time."""
    random = Random(4)
    presses = cuts = 0
    heard_ns = 0
    for doing in doings:
        if doing.name.endswith("lock"):
            continue
        if doing.name == "acknowledged":
            if not doing.data:
                continue
            presses, heard_ns = struct.unpack("<Hq", doing.data)
        else:
            disk.do(doing)
        for share in SHARES:
            play, damage, presses_kept = started(folder, disk.after_a_cut(random, share))
            assert not damage
            assert presses_kept >= presses
            if play is not None and play.timed is False and play.has_begun:
                # A heartbeat comes at least every 0.7 s, and nothing after it is called certain.
                assert heard_ns - play.game.at_ns <= UNCERTAIN_NS
            cuts += 1
    return presses, cuts


def test_a_table_in_play_after_a_power_cut_at_every_write(recorded: Any, new_disk: Any, folder: Path) -> None:
    presses, cuts = cut_everywhere(recorded(PROGRAM), new_disk(), folder)
    assert presses == 7 and cuts > 150


def test_the_cuts_would_show_a_table_that_does_not_sync(recorded: Any, new_disk: Any, folder: Path) -> None:
    careless = PROGRAM.replace("folder = Path", "os.fsync = lambda descriptor: None\nfolder = Path", 1)
    with pytest.raises(AssertionError):
        cut_everywhere(recorded(careless), new_disk(), folder)
