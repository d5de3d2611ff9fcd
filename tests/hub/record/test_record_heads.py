"""The heads of the record that the hub remembers outside the ledger, and those who remember them too: a record cut
short does not go on in silence."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers.hub_commands import flagfall_hub
from helpers.hub_files import tournament_file
from helpers.night import by_night
from helpers.waiting import PATIENCE_S, until
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from flagfall.base.command_line import CommandError
from flagfall.base.errors import Failed
from flagfall.base.private_file import write_private
from flagfall.ledger.entry import START, EntryDraft, chain
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.link.card import read_card
from flagfall.link.messages import RECORD_ALONE
from flagfall.link.topics import Kind
from hub.cli.backup import restore
from hub.config import read_config
from hub.record.heads import HEADS, KEY, Head, SignedHeads, missing
from table_app.hub_link.outbox import Outbox


def cut(ledger: Path, entries: int) -> None:
    """Take the last `entries` away, as somebody with the laptop could."""
    with sqlite3.connect(ledger) as database:
        database.execute("DROP TRIGGER entry_stays")
        database.execute(
            "DELETE FROM entry WHERE position > (SELECT max(position) FROM entry) - ?", (entries,)
        )
        database.execute(
            "CREATE TRIGGER entry_stays BEFORE DELETE ON entry"
            " BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END"
        )
    database.close()


def refused(hub: Any) -> str:
    """Return the error of a hub that does not start."""
    command = [sys.executable, "-m", "hub.main", "run", "--state-dir", str(hub.folder)]
    command += ["--web-port=0", "--broker-port=0", "--broker-host=127.0.0.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    return line


def play_one(hub: Any, file: dict[str, Any]) -> None:
    """Publish a round and send the result of one game."""
    tables = [hub.table("t1", 1), hub.table("t2", 2)]
    hub.call("PUT", "tournaments/open", file)
    hub.call("POST", "tournaments/open/pairings", {})
    result = tables[0].play("open", (40, 24))
    assert tables[0].receipt(result.id).accepted


@pytest.fixture
def played(hub: Any) -> Any:
    play_one(hub, tournament_file(4))
    return hub


@pytest.fixture(scope="module")
def played_once(new_hub_of_module: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    hub = new_hub_of_module(tmp_path_factory.mktemp("hub"))
    hub.start()
    play_one(hub, tournament_file(4))
    assert hub.stop() == 0
    return hub.folder


@pytest.fixture
def stopped(new_hub: Any, played_once: Path, tmp_path: Path) -> Any:
    """Return the same hub, ended."""
    return new_hub(Path(shutil.copytree(played_once, tmp_path / "hub")))


def test_entries_cut_from_the_end_stop_the_start_and_the_gap_goes_on_record(stopped: Any) -> None:
    ledger = stopped.folder / "ledger.sqlite"
    cut(ledger, 2)  # the result, and its game file
    line = refused(stopped)
    assert "tournament open" in line and "restore --as-it-is" in line and "restore --aside FILE" in line
    verified = flagfall_hub("verify", "--state-dir", stopped.folder)
    assert verified.returncode == 1 and "which the hub signed" in verified.stdout

    accepted = flagfall_hub("restore", "--as-it-is", "--state-dir", stopped.folder)
    assert accepted.returncode == 0 and "gap on record" in accepted.stdout, accepted.stderr
    stopped.start()
    assert stopped.call("GET", "tournaments/open")["games"][0]["score"] is None
    assert stopped.stop() == 0
    reader = SqliteLedger(ledger, read_only=True)
    *_, last = reader.read("open")
    reader.close()
    assert last.type == "record_gap" and json.loads(last.body)["why"] == "as_it_is"


def test_a_chain_made_anew_without_its_last_entries_stops_the_start(stopped: Any) -> None:
    ledger = stopped.folder / "ledger.sqlite"
    old = SqliteLedger(ledger, read_only=True)
    drafts = list(old.read("open"))
    old.close()
    ledger.unlink()
    new = SqliteLedger(ledger)
    other = structs.replace(drafts[-1], who="somebody")
    new.append(chain([*drafts[:-1], other], START), START)
    new.close()
    assert "expected a record with the head" in refused(stopped)


@pytest.mark.parametrize("bytes_left", [0, 5000])
def test_a_ledger_that_is_no_database_any_more_names_the_backup(stopped: Any, bytes_left: int) -> None:
    ledger = stopped.folder / "ledger.sqlite"
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:bytes_left] or Random(1).randbytes(len(whole)))
    line = refused(stopped)
    assert "ledger.sqlite" in line and "restore --aside FILE" in line


@pytest.mark.parametrize("how", ["without entries", *by_night("gone", "empty")])
def test_a_hub_with_devices_and_no_ledger_is_never_a_new_hub(stopped: Any, how: str) -> None:
    ledger = stopped.folder / "ledger.sqlite"
    ledger.unlink()
    if how == "empty":
        ledger.touch()
    elif how == "without entries":
        SqliteLedger(ledger).close()
        for name in (HEADS, KEY):
            (stopped.folder / name).unlink()
    line = refused(stopped)
    assert "ledger.sqlite" in line and "expected" in line
    assert flagfall_hub("restore", "--as-it-is", "--state-dir", stopped.folder).returncode == 0
    stopped.start()
    assert stopped.stop() == 0


def test_devices_enrolled_before_the_first_start_expect_no_ledger_until_then(
    new_hub: Any, tmp_path: Path
) -> None:
    """A hub's card has its tables from `flagfall-hub cards`."""
    assert flagfall_hub("cards", tmp_path / "cards", "--tables", "1", "--hub-card").returncode == 0
    card = read_card((tmp_path / "cards/hub/flagfall.toml").read_bytes())
    write_private(tmp_path / "devices.json", card.devices.encode())
    hub = new_hub(tmp_path)
    hub.start()
    assert list(hub.call("GET", "live")["devices"]) == ["table-01"]
    assert hub.stop() == 0
    (tmp_path / "ledger.sqlite").unlink()
    assert "expected the ledger of a hub with 1 devices" in refused(hub)


def test_an_older_backup_is_restored_beside_the_hub_that_is_there(played: Any, tmp_path: Path) -> None:
    done = flagfall_hub("backup", tmp_path, "--state-dir", played.folder)
    file, *named = done.stdout.splitlines()
    (open_line,) = [line for line in named if line.startswith("open: ")]
    with tarfile.open(file) as archive:
        manifest = archive.extractfile("manifest.json")
        assert manifest is not None
        head = json.load(manifest)["heads"]["open"]["head"]
    assert head in open_line
    late = played.tables[1].play("open", (10, 54))
    assert played.tables[1].receipt(late.id).accepted
    played.call("PUT", "tournaments/later", {"format": "flagfall-tournament/1"} | _file())
    assert played.stop() == 0
    (played.folder / "ledger.sqlite").write_bytes(b"overwritten")
    assert "not a database" in refused(played) or "not a ledger" in refused(played)

    plain = flagfall_hub("restore", file, "--state-dir", played.folder)
    assert plain.returncode == 2 and "there is a hub already" in plain.stderr
    aside = flagfall_hub("restore", "--aside", file, "--state-dir", played.folder)
    assert aside.returncode == 0, aside.stderr
    assert "gap on record: tournament open" in aside.stdout
    (put,) = played.folder.glob("aside-*")
    assert (put / "ledger.sqlite").read_bytes() == b"overwritten"
    played.start()
    assert played.call("GET", "tournaments/open")["games"][0]["score"] == [40, 24]
    assert played.stop() == 0
    assert flagfall_hub("verify", "--state-dir", played.folder, "--head", head[:16]).returncode == 0


def _file() -> dict[str, Any]:
    players = [{"id": str(number), "name": f"P {number}"} for number in (1, 2)]
    return {"name": "Later", "rulebook": "woc-2019", "players": players, "rounds": []}


def test_a_printed_head_is_found_or_not(stopped: Any) -> None:
    output = json.loads(flagfall_hub("verify", "--json", "--state-dir", stopped.folder).stdout)
    head = output["heads"]["open"]
    spaced = f"{head[:4]} {head[4:8]} {head[8:12]}".upper()
    for asked in (head, head[:8], spaced):
        done = flagfall_hub("verify", "--state-dir", stopped.folder, "--head", asked)
        assert done.returncode == 0 and "in the record" in done.stdout
    other = "0" * 12
    done = flagfall_hub("verify", "--state-dir", stopped.folder, "--head", other)
    assert done.returncode == 1 and f"NOT  head {other}: the ledger never had it" in done.stdout
    done = flagfall_hub("verify", "--state-dir", stopped.folder, "--head", "xyz")
    assert done.returncode == 2 and "8 to 64 hexadecimal digits" in done.stderr


def test_tables_remember_the_head_of_later_entries(played: Any, tmp_path: Path) -> None:
    """The director's ruling comes after the last receipt; cut away and chained anew, it is missed by the table."""
    table = played.tables[0]
    table.status("open")
    table.heard[Kind.RECEIPT].clear()
    played.call("POST", "tournaments/open/withdrawals", {"player": "p4", "after_round": 1})

    def grown() -> list[Any]:
        table.listen()
        return [receipt for receipt in table.heard[Kind.RECEIPT] if receipt.id == RECORD_ALONE]

    record = until(grown)[-1].record
    assert record.tournament == "open"
    assert played.stop() == 0
    ledger = SqliteLedger(played.folder / "ledger.sqlite", read_only=True)
    entries = list(ledger.read("open"))
    ledger.close()
    # A hub that was too busy to judge the result at once records that afterwards.
    assert record.head == entries[record.entries - 1].hash
    tables = tmp_path / "tables" / "t1"
    tables.mkdir(parents=True)
    outbox = Outbox(tables / "outbox.sqlite", Random(1))
    assert outbox.remember_head("open", record.entries, record.head)
    assert not outbox.remember_head("open", record.entries - 1, "0" * 64), "an older word does not count"
    outbox.close()
    for name in (HEADS, KEY):
        (played.folder / name).unlink()
    verify = ("verify", "--state-dir", played.folder, "--tables", tmp_path / "tables")
    assert flagfall_hub(*verify).returncode == 0
    cut(played.folder / "ledger.sqlite", len(entries) + 1 - record.entries)
    missed = flagfall_hub(*verify)
    assert missed.returncode == 1 and "receipt for the record: the ledger never had" in missed.stdout

    # The hub on its own cannot know; the table's status tells it, and so the operator.
    played.start()
    until(lambda: table.link.connected)
    table.status("open", record={"tournament": "open", "entries": record.entries, "head": record.head})
    until(
        lambda: any(
            "entries are lost or changed" in line for line in played.call("GET", "live")["last_dropped"]
        )
    )


def test_heads_that_are_not_signed_with_the_key_are_refused(tmp_path: Path) -> None:
    heads = SignedHeads(tmp_path)
    assert heads.first_time
    heads.remember({"open": Head(3, "a" * 64)})
    assert SignedHeads(tmp_path).remembered == {"open": Head(3, "a" * 64)}
    content = (tmp_path / HEADS).read_text()
    (tmp_path / HEADS).write_text(content.replace("a" * 64, "b" * 64))
    with pytest.raises(Failed, match="expected heads signed"):
        SignedHeads(tmp_path)
    (tmp_path / HEADS).unlink()
    with pytest.raises(Failed, match="expected the heads that this hub signed"):
        SignedHeads(tmp_path)
    (tmp_path / KEY).write_text("short")
    with pytest.raises(Failed, match="hex digits"):
        SignedHeads(tmp_path)


def test_whatever_lies_in_the_file_is_one_line(tmp_path: Path) -> None:
    SignedHeads(tmp_path).remember({})
    for content in (b"", b"[]", b"\xff", b'{"format":1}', b"[" * 100_000, b" " * (5 << 20)):
        (tmp_path / HEADS).write_bytes(content)
        with pytest.raises(Failed):
            SignedHeads(tmp_path)


@given(st.integers(1, 30), st.integers(0, 30))
def test_a_head_is_missed_exactly_when_the_chain_is_shorter(remembered: int, present: int) -> None:
    drafts = [EntryDraft(str(n), "t", 1, "", "w", "open", b"{}") for n in range(max(remembered, present))]
    entries = chain(drafts, START)
    positions = {entry.hash: n for n, entry in enumerate(entries[:present], 1)}
    gaps = list(missing({"open": Head(remembered, entries[remembered - 1].hash)}, {"open": positions}))
    assert bool(gaps) == (present < remembered)


def test_a_backup_whose_files_have_gaps_is_one_line(tmp_path: Path) -> None:
    """GNU tar's sparse files: half a kilobyte claims six gigabytes, which were read as zeros."""
    member = tarfile.TarInfo("ledger.sqlite")
    member.size, member.type = 512, tarfile.GNUTYPE_SPARSE
    head = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    head[386:410] = b"%011o\0%011o\0" % (0, 512)
    head[483:495] = b"%011o\0" % (6 << 30)
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    file = tmp_path / "forged.tar"
    file.write_bytes(bytes(head) + b"x" * 512 + b"\0" * 1024)
    with pytest.raises(CommandError, match="expected a backup made by"):
        restore(read_config(["--state-dir", str(tmp_path / "s")], {}, tmp_path / "none"), file)
