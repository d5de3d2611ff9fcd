"""Two versions in one room, as after half an update: the hub of 0.3.0, tables of now, and the reverse.

The programs of 0.3.0 come from its wheel, made from the history. Hub, broker and tables are real processes.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from helpers.releases import python_of
from helpers.waiting import PATIENCE_S, until

from hub.record.codec import ALL
from simulator.program import wait_until
from simulator.recorded import DEMO_GAMES, read_games
from simulator.room import TOURNAMENT, UP_WITHIN_S, Plan, Room
from simulator.seat import Manners

pytestmark = [pytest.mark.long, pytest.mark.needs("mosquitto")]
PRESENT = Path(sys.executable)


@pytest.fixture(scope="module")
def earlier() -> Path:
    return python_of("0.3.0")


@contextmanager
def room_of(folder: Path, hub: Path, tables: Path, screens: tuple[str, ...] = ()) -> Iterator[Room]:
    """Yield an open room of two tables whose hub and tables are run by these Pythons."""
    room = Room(
        Plan(2, 3, folder, manners=Manners(speed=1000, mistakes=0.02, seed=4), screens=screens),
        read_games(DEMO_GAMES),
    )
    room.hub.use(hub)
    for seat in room.seats:
        seat.program.use(tables)
    try:
        room.open()
        yield room
    finally:
        room.close()


def start_hub(room: Room, python: Path) -> None:
    """Start the hub by this Python, in place of the one that runs. Wait until it knows its tables again, or that it
    cannot read the event."""
    room.hub.stop()
    room.hub.use(python)
    room.hub.start()

    def is_up() -> bool:
        live = room.director.live()
        if live is None:
            return False
        devices = (live["devices"].get(seat.device, {"fit": False}) for seat in room.seats)
        return bool(live["unreadable"]) or all(device["fit"] for device in devices)

    wait_until(is_up, UP_WITHIN_S, "the hub with its tables", *room.programs)


def command(room: Room, python: Path, *words: str) -> str:
    """Run a command of the hub's program and return what it printed."""
    line = [str(python), "-P", "-m", "hub.main", *words, f"--state-dir={state_of(room)}"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def state_of(room: Room) -> Path:
    return room.plan.folder / "hub"


def entries_of(room: Room) -> list[Any]:
    """Return what the ledger holds, as its file has it."""
    ledger = sqlite3.connect(state_of(room) / "ledger.sqlite")
    try:
        return ledger.execute(
            "SELECT position, id, type, version, hash FROM entry ORDER BY position"
        ).fetchall()
    finally:
        ledger.close()


def ask(room: Room, method: str, path: str, body: object = None) -> Any:
    token = (state_of(room) / "api-token").read_text("ascii").strip()
    data = None if body is None else json.dumps(body).encode()
    address = f"{room.address}api/1/tournaments/{TOURNAMENT}{path}"
    request = urllib.request.Request(address, data, {"Authorization": f"Bearer {token}"}, method=method)
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return json.load(answer)


@pytest.mark.parametrize("hub_is_earlier", [False, True], ids=["tables of 0.3.0", "hub of 0.3.0"])
def test_rounds_are_played_by_two_versions(
    tmp_path: Path, earlier: Path, hub_is_earlier: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    hub, tables = (earlier, PRESENT) if hub_is_earlier else (PRESENT, earlier)
    with room_of(tmp_path / "room", hub, tables, screens=("window",)) as room:
        for round_ in (1, 2):
            room.play_round(round_)
            assert room.standings_are_right() is None
        live = room.director.live()
        assert live is not None
        assert {device["version"] for device in live["devices"].values()} == {
            version("flagfall") if hub_is_earlier else "0.3.0"
        }
        assert (live["dropped"], live["unreadable"], live["rulings_waiting"]) == ({}, {}, [])
        receipts = {result for device in live["devices"].values() for result in device["receipts"]}
        # The second revision has both signatures.
        assert {f"{finished.game.game}.2" for finished in room.finished} <= receipts
        with urllib.request.urlopen(f"{room.address}t/{TOURNAMENT}", timeout=PATIENCE_S) as page:
            assert page.status == 200
        assert "the chain is whole" in command(room, PRESENT, "verify")
        assert "the chain is whole" in command(room, earlier, "verify")


def test_an_earlier_hub_goes_on_with_what_it_understands_and_only_reads_the_rest(
    tmp_path: Path, earlier: Path
) -> None:
    with room_of(tmp_path / "room", PRESENT, earlier) as room:
        room.play_round(1)
        start_hub(room, earlier)
        room.play_round(2)
        assert room.standings_are_right() is None
        start_hub(room, PRESENT)
        ask(room, "PUT", "/players-pages", {"pages": True, "results": True, "no_photographs": True})
        before = entries_of(room)
        start_hub(room, earlier)
        line = "is of version 2 of type players_pages_set, this program knows up to 1: opened read-only"
        live = room.director.live()
        assert live is not None and line in live["unreadable"][TOURNAMENT]
        for method, path, body in (("GET", "", None), ("POST", "/absences", {"player": "P01", "round": 3})):
            with pytest.raises(urllib.error.HTTPError) as refusal:
                ask(room, method, path, body)
            assert line in refusal.value.read().decode()
        assert line in room.hub.log.read_text("utf-8")
        assert "the chain is whole" in command(room, earlier, "verify")
        assert entries_of(room) == before
        start_hub(room, PRESENT)
        room.play_round(3)
        assert room.standings_are_right() is None
        assert entries_of(room)[: len(before)] == before


def test_a_backup_made_before_the_update_brings_the_earlier_hub_back(tmp_path: Path, earlier: Path) -> None:
    backup = tmp_path / "before.tar"
    with room_of(tmp_path / "room", earlier, earlier) as room:
        room.play_round(1)

        def update() -> None:
            command(room, earlier, "backup", str(backup))
            start_hub(room, PRESENT)

        room.play_round(2, once(update))
        ask(room, "PUT", "/players-pages", {"pages": True, "results": True, "no_photographs": True})
        assert room.standings_are_right() is None
        room.hub.stop()
        command(room, earlier, "restore", "--aside", str(backup))
        start_hub(room, earlier)
        # The backup lacks the second round's results: the tables send them again.
        until(lambda: all(game.signed for game in room.director.games() or ()), "the results of round 2")
        assert room.standings_are_right() is None
        room.play_round(3)
        assert room.standings_are_right() is None
        assert "record_gap" in {type_ for _, _, type_, _, _ in entries_of(room)}


def test_what_came_to_an_entry_since_is_heeded_or_harmless(earlier: Path) -> None:
    before, now = (
        json.loads(subprocess.check_output([python, "-P", "-c", FIELDS])) for python in (earlier, PRESENT)
    )
    came = {(name, field) for name in before for field in {*now[name]} - {*before[name]}}
    must_know = {path.rpartition(".")[2] for kind in ALL for path in kind.MUST_KNOW}
    assert {f"{name}.{field}" for name, field in came if field not in must_know} == HARMLESS


# Prints the fields of each struct that an entry's body may hold.
FIELDS = """
import json, typing
from msgspec import Struct
from msgspec.structs import fields
from hub.record.codec import ALL
structs = {}
def walk(kind):
    if isinstance(kind, type) and issubclass(kind, Struct) and kind.__name__ not in structs:
        structs[kind.__name__] = [field.name for field in fields(kind)]
        for field in fields(kind):
            walk(field.type)
    for part in typing.get_args(kind):
        walk(part)
for kind in ALL:
    walk(kind)
print(json.dumps(structs))
"""
# How the hub got a table's key, and the clause of a difference: said to people, and nothing follows from them.
HARMLESS = {"DeviceEnrolled.by", "Message.clause"}


def once(act: Callable[[], None]) -> Callable[[], None]:
    """Return a function that acts at its first call only."""
    waiting = [act]

    def call() -> None:
        while waiting:
            waiting.pop()()

    return call
