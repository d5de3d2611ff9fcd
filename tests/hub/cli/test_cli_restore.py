"""Restoring: whatever ends the command, and wherever, the hub is the old one or the new one, with its safeguard."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_commands import flagfall_hub
from helpers.hub_files import tournament_file
from helpers.waiting import PATIENCE_S

from flagfall.ledger.sqlite import SqliteLedger
from hub.cli.backup import heads_of
from hub.config import read_config
from hub.record.heads import HEADS, KEY, Head, SignedHeads, expect_ledger
from hub.record.switch import PLAN, finish_switch
from hub.tables.devices import Devices

MOST_STEPS = 1_000
# One interpreter that has imported everything, and a fork of it for each step. Its argument is a hub, its input JSON of
# the steps: each a number, the folder for a copy of the hub, and the arguments of `flagfall-hub`. It ends with the
# first whose command was not killed, and prints the statuses.
DYING = """
import json, os, shutil, signal, sys
import hub.cli.backup, hub.cli.record, hub.config, hub.main, hub.record.switch, hub.tables.devices
import flagfall.ledger.sqlite
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect"}

def die_at(left, state):
    def hook(event, arguments):
        nonlocal left
        changes = event in CHANGES or event == "open" and isinstance(arguments[2], int) and arguments[2] & (
            os.O_WRONLY | os.O_RDWR | os.O_CREAT
        )
        if changes and any(state in str(argument) for argument in arguments):
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

    fsync = os.fsync
    def dying_fsync(descriptor):
        hook("os.rename", (state,))
        fsync(descriptor)

    sys.addaudithook(hook)
    os.fsync = dying_fsync

statuses = []
for step, state, arguments in json.load(sys.stdin):
    shutil.copytree(sys.argv[1], state)
    if (child := os.fork()) == 0:
        status = 70
        try:
            sys.stdout = sys.stderr
            die_at(step, state)
            status = hub.main.main(arguments)
        finally:
            sys.stderr.flush()
            os._exit(status)
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if statuses[-1] != -signal.SIGKILL:
        break
print(json.dumps(statuses))
"""


def killed_at(steps: Iterable[int], hub: Path, tmp_path: Path, *arguments: object) -> list[Path]:
    """Copy the hub for each of these steps, run a `flagfall-hub` that is killed before its change of this number of
    anything in the copy, until one is not killed; and return the copies.
    """
    folders = [(step, str(tmp_path / f"at {step}" / "hub")) for step in steps]
    typed = [str(argument) for argument in arguments]
    jobs = [(step, folder, [*typed, "--state-dir", folder]) for step, folder in folders]
    command = [sys.executable, "-c", DYING, str(hub)]
    done = subprocess.run(
        command, input=json.dumps(jobs), capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    statuses: list[int] = json.loads(done.stdout or "[]")
    assert done.returncode == 0, done.stderr
    assert statuses[-1] == 0 and set(statuses[:-1]) == {-9}, (statuses, done.stderr)
    return [Path(folder) for _, folder in folders[: len(statuses)]]


@pytest.fixture(scope="module")
def later(new_hub_of_module: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a stopped hub with one result more than its backup has, and the backup."""
    folder = tmp_path_factory.mktemp("later")
    hub = new_hub_of_module(folder / "hub")
    hub.start()
    tables = [hub.table("t1", 1), hub.table("t2", 2)]
    hub.call("PUT", "tournaments/open", tournament_file(4))
    hub.call("POST", "tournaments/open/pairings", {})
    file = folder / "older.tar"
    assert flagfall_hub("backup", file, "--state-dir", hub.folder).returncode == 0
    result = tables[0].play("open", (40, 24))
    assert tables[0].receipt(result.id).accepted
    assert hub.stop() == 0
    return hub.folder, file


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def record_in(folder: Path) -> tuple[dict[str, Head], dict[str, Head], bool]:
    """Return the heads of the record, those remembered, and whether the gap is on record; as a hub's start finds
    them."""
    config = read_config(["--state-dir", str(folder)], {})
    finish_switch(config.state_dir, config.ledger)
    devices, signed = Devices(folder / "devices.json"), SignedHeads(folder)
    assert len(devices.all) == 2 and not signed.first_time
    expect_ledger(config.ledger, 2, True, signed)
    ledger = SqliteLedger(folder / "ledger.sqlite", read_only=True)
    entries = list(ledger.read("open"))
    heads = heads_of(ledger)
    ledger.close()
    return heads, signed.remembered, any(entry.type == "record_gap" for entry in entries)


def test_a_restoring_killed_at_any_step_leaves_the_old_hub_or_the_new_one(
    later: tuple[Path, Path], tmp_path: Path, new_hub: Any
) -> None:
    old, _, _ = record_in(Path(shutil.copytree(later[0], tmp_path / "old")))
    left = killed_at(range(MOST_STEPS), later[0], tmp_path, "restore", "--aside", later[1])
    assert len(left) > 30
    switched = []
    for number, folder in enumerate(left):
        heads, remembered, has_gap = record_in(folder)
        assert remembered == heads
        is_new = heads != old
        assert has_gap == is_new, f"killed at step {number}"
        switched.append(is_new)
        if is_new:
            (aside,) = folder.glob("aside-*")
            assert {"ledger.sqlite", "devices.json", HEADS, KEY, "api-token"} <= set(files_in(aside))
        assert not (folder / PLAN).exists()
    assert switched == sorted(switched) and not switched[0] and switched[-1], "one step is the switch"
    # The hub that was killed just before, and just after, starts and knows its games.
    for folder, score in ((left[switched.index(True) - 1], [40, 24]), (left[switched.index(True)], None)):
        hub = new_hub(folder)
        hub.start()
        assert hub.call("GET", "tournaments/open")["games"][0]["score"] == score
        assert hub.stop() == 0


def test_a_restoring_killed_at_any_step_can_be_given_again(later: tuple[Path, Path], tmp_path: Path) -> None:
    left = killed_at(range(0, MOST_STEPS, 7), later[0], tmp_path, "restore", "--aside", later[1])
    assert len(left) > 4
    for folder in left:
        again = flagfall_hub("restore", "--aside", later[1], "--state-dir", folder)
        assert again.returncode == 0, again.stderr
        assert record_in(folder)[2]


def test_taking_the_record_as_it_is_killed_at_any_step_keeps_the_safeguard(
    later: tuple[Path, Path], tmp_path: Path
) -> None:
    shortened = tmp_path / "shortened"
    shutil.copytree(later[0], shortened)
    assert flagfall_hub("restore", "--aside", later[1], "--state-dir", shortened).returncode == 0
    (aside,) = shortened.glob("aside-*")
    before = SignedHeads(aside).remembered
    # The older record, with the heads and the key of the later one.
    (backed_up,) = [shortened / "ledger.sqlite"]
    other = tmp_path / "backed up"
    assert flagfall_hub("restore", later[1], "--state-dir", other).returncode == 0
    shutil.copy(other / "ledger.sqlite", backed_up)
    for name in (HEADS, KEY):
        shutil.copy(aside / name, shortened / name)
    for folder in killed_at(range(MOST_STEPS), shortened, tmp_path, "restore", "--as-it-is"):
        heads, remembered, has_gap = record_in(folder)
        assert remembered == before or (remembered == heads and has_gap)


def test_a_running_hub_keeps_its_heads_and_its_files(
    later: tuple[Path, Path], tmp_path: Path, new_hub: Any
) -> None:
    hub = new_hub(Path(shutil.copytree(later[0], tmp_path / "hub")))
    hub.start()
    before = {name: (hub.folder / name).read_bytes() for name in (HEADS, KEY, "devices.json", "api-token")}
    for way in (["--as-it-is"], ["--aside", later[1]]):
        done = flagfall_hub("restore", *way, "--state-dir", hub.folder)
        assert done.returncode == 2 and "another program is writing to this ledger" in done.stderr
        assert {name: (hub.folder / name).read_bytes() for name in before} == before
        assert not list(hub.folder.glob("aside-*"))
    hub.kill()
    hub.start()
    assert hub.call("GET", "tournaments/open")["games"][0]["score"] == [40, 24]


def test_moves_that_a_scribe_has_tapped_come_with_the_backup_and_stay_without_one(
    later: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(later[0], tmp_path / "hub"))
    tapped = folder / "scribes.json"
    tapped.write_text('{"open": {}}')
    assert flagfall_hub("restore", "--aside", later[1], "--state-dir", folder).returncode == 0
    assert tapped.read_text() == '{"open": {}}', "a backup of 0.3.1 has none"
    with_moves, other = tmp_path / "newer.tar", tmp_path / "other"
    assert flagfall_hub("backup", with_moves, "--state-dir", folder).returncode == 0
    assert flagfall_hub("restore", with_moves, "--state-dir", other).returncode == 0
    assert (other / "scribes.json").read_text() == '{"open": {}}'


@pytest.mark.parametrize("damage", ["ledger.sqlite", "devices.json", "accounts.json", HEADS, KEY])
def test_a_damaged_backup_changes_nothing(later: tuple[Path, Path], tmp_path: Path, damage: str) -> None:
    folder = Path(shutil.copytree(later[0], tmp_path / "hub"))
    with tarfile.open(later[1]) as archive:
        contents = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    content = contents.get(damage, b"")
    contents[damage] = content[:5000] + b"\0" * (len(content) - 5000) if len(content) > 5000 else b"{"
    manifest = json.loads(contents["manifest.json"])
    manifest["files"] = {
        name: hashlib.sha256(content).hexdigest()
        for name, content in contents.items()
        if name != "manifest.json"
    }
    contents["manifest.json"] = json.dumps(manifest).encode()
    bad = tmp_path / "bad.tar"
    with tarfile.open(bad, "w") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    before = files_in(folder)
    done = flagfall_hub("restore", "--aside", bad, "--state-dir", folder)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    after = files_in(folder)
    assert {name: after.get(name) for name in before if not name.endswith((".lock", "-shm", "-wal"))} == {
        name: content for name, content in before.items() if not name.endswith((".lock", "-shm", "-wal"))
    }
    assert record_in(folder)[2] is False
