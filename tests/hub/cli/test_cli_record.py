"""verify, backup and restore, as an operator uses them: with a hub that runs, and one that is lost."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import socket
import sqlite3
import stat
import tarfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers.hub_commands import flagfall_hub
from helpers.hub_files import tournament_file
from helpers.waiting import until
from msgspec import structs

from flagfall.ledger.entry import START, chain
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.link.topics import Kind
from hub.main import main
from table_app.hub_link.outbox import Outbox


@pytest.fixture
def played(hub: Any) -> Any:
    """Return a hub with two games of a round, of which one has its result."""
    tables = [hub.table("t1", 1), hub.table("t2", 2)]
    hub.call("PUT", "tournaments/open", tournament_file(4))
    hub.call("POST", "tournaments/open/pairings", {})
    result = tables[0].play("open", (40, 24))
    receipt = tables[0].receipt(result.id)
    assert receipt.accepted
    tables[0].status("open", receipts={result.id: receipt.head})
    return hub


def test_a_ledger_is_whole_and_the_tables_say_so_too(played: Any) -> None:
    until(lambda: played.call("GET", "live")["devices"]["t1"]["receipts"])
    done = flagfall_hub("verify", "--json", "--state-dir", played.folder)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["whole"] and report["receipts"] == 1 and report["tournaments"]["open"] >= 3
    text = flagfall_hub("verify", "--state-dir", played.folder)
    assert "the chain is whole" in text.stdout and "1 receipts" in text.stdout


def test_a_ledger_made_anew_after_the_event_does_not_pass(played: Any, tmp_path: Path) -> None:
    """Somebody with the laptop changes a score and computes all hashes again: the tables' receipts tell."""
    receipt = played.tables[0].heard[Kind.RECEIPT][-1]
    assert played.stop() == 0
    tables = tmp_path / "tables" / "t1"
    tables.mkdir(parents=True)
    outbox = Outbox(tables / "outbox.sqlite", Random(1))
    outbox.put(receipt.id, "topic", b"")
    outbox.receipt(receipt.id, receipt.head)
    outbox.close()
    honest = flagfall_hub("verify", "--state-dir", played.folder, "--tables", tmp_path / "tables")
    assert honest.returncode == 0, honest.stdout

    ledger = played.folder / "ledger.sqlite"
    old = SqliteLedger(ledger, read_only=True)
    drafts = list(old.read("open"))
    old.close()
    ledger.unlink()
    forged = [
        structs.replace(entry, body=entry.body.replace(b'"score":[40,24]', b'"score":[24,40]'))
        for entry in drafts
    ]
    assert forged != drafts
    new = SqliteLedger(ledger)
    new.append(chain(forged, START), START)
    new.close()
    done = flagfall_hub("verify", "--state-dir", played.folder, "--tables", tmp_path / "tables")
    assert done.returncode == 1
    assert "the chain is whole" in done.stdout
    assert "the ledger never had the head" in done.stdout


def test_a_changed_entry_is_named(played: Any) -> None:
    assert played.stop() == 0
    with sqlite3.connect(played.folder / "ledger.sqlite") as database:
        database.execute("DROP TRIGGER entry_is_final")
        database.execute("UPDATE entry SET at = 'never' WHERE position = 2")
    database.close()
    done = flagfall_hub("verify", "--json", "--state-dir", played.folder)
    assert done.returncode == 1
    (fault,) = json.loads(done.stdout)["faults"]
    assert "entry 2" in fault and "its hash" in fault


def test_a_second_laptop_takes_over_under_the_same_name(played: Any, new_hub: Any, tmp_path: Path) -> None:
    """The backup is older than a result; the laptop is lost; the other one asks the table and gets it."""
    other = played.tables[1]
    done = flagfall_hub("backup", tmp_path, "--state-dir", played.folder)
    assert done.returncode == 0, done.stderr
    (file,) = tmp_path.glob("flagfall-*.tar")
    assert done.stdout.splitlines()[0] == str(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    late = other.play("open", (10, 54))
    late_receipt = other.receipt(late.id)
    assert late_receipt.accepted
    played.call("POST", "tournaments/open/pairings", {})
    second_round = played.call("GET", "tournaments/open")["games"]
    seq = other.assignment(lambda assignment: assignment.game in [game["game"] for game in second_round]).seq
    played.kill()

    second = new_hub(tmp_path / "second")
    second.ports = dict(played.ports)
    done = flagfall_hub("restore", file, "--state-dir", second.folder)
    assert done.returncode == 0, done.stderr
    second.start()
    assert second.call("GET", "tournaments/open")["games"][1]["score"] is None
    other.heard[Kind.RECEIPT].clear()
    until(lambda: other.link.connected)
    other.status("open", receipts={late.id: late_receipt.head})
    asked = until(lambda: other.listen() or [r for r in other.heard[Kind.RECEIPT] if r.again])
    assert asked[0].id == late.id and not asked[0].accepted
    other.send("open", late)
    until(lambda: second.call("GET", "tournaments/open")["games"][1]["score"] == [10, 54])
    # The lost second round, published again, has the same games, and its assignments overtake the old ones.
    again = second.call("POST", "tournaments/open/pairings", {})["games"]
    assert [game["game"] for game in again] == [game["game"] for game in second_round]
    newer = other.assignment(lambda assignment: assignment.seq > seq)
    assert newer.game in [game["game"] for game in again]
    # Until the table has its new receipt, the old one speaks against this ledger.
    verified = flagfall_hub("verify", "--state-dir", second.folder)
    assert verified.returncode == 1 and "never had the head" in verified.stdout
    (receipt,) = [r for r in other.heard[Kind.RECEIPT] if r.id == late.id and r.accepted]
    other.status("open", receipts={late.id: receipt.head})
    until(lambda: second.call("GET", "live")["devices"]["t2"]["receipts"] == {late.id: receipt.head})
    assert flagfall_hub("verify", "--state-dir", second.folder).returncode == 0


def test_a_backup_of_a_running_hub_holds_what_it_had_acknowledged(played: Any, tmp_path: Path) -> None:
    table = played.tables[1]
    result = table.play("open", (33, 31))
    assert table.receipt(result.id).accepted
    file = tmp_path / "one.tar"
    assert main(["backup", str(file), "--state-dir", str(played.folder)]) == 0
    assert main(["backup", str(file), "--state-dir", str(played.folder)]) == 2, "nothing is overwritten"
    assert main(["backup", str(tmp_path / "stikc"), "--state-dir", str(played.folder)]) == 2, (
        "a folder's name"
    )
    assert not (tmp_path / "stikc").exists()
    second = tmp_path / "second"
    assert main(["restore", str(file), "--state-dir", str(second)]) == 0
    assert main(["restore", str(file), "--state-dir", str(second)]) == 2, "nor here"
    entries = [
        tuple(ledger.read("open"))
        for ledger in (
            SqliteLedger(played.folder / "ledger.sqlite", read_only=True),
            SqliteLedger(second / "ledger.sqlite", read_only=True),
        )
    ]
    assert entries[0] == entries[1]
    assert any(entry.id == f"result.{result.id}" for entry in entries[1])
    for name in ("devices.json", "api-token"):
        assert stat.S_IMODE((second / name).stat().st_mode) == 0o600
    assert (second / "api-token").read_text() == (played.folder / "api-token").read_text()
    old = json.loads((played.folder / "devices.json").read_text())
    new = json.loads((second / "devices.json").read_text())
    assert new["devices"] == old["devices"] and new["seq"] > old["seq"] + 1000


def test_a_venue_comes_back_whole_and_over_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, venue = tmp_path / "state", tmp_path / "venue"
    assert main(["venue", "init", str(venue), "--port", "18883"]) == 0
    assert "broker_port = 18883" in capsys.readouterr().out
    state.mkdir()
    ledger = SqliteLedger(state / "ledger.sqlite")
    ledger.close()
    file = tmp_path / "one.tar"
    assert main(["backup", str(file), f"--state-dir={state}", f"--venue={venue}"]) == 0
    second = tmp_path / "second"
    assert main(["restore", str(file), f"--state-dir={second}", f"--venue={venue}"]) == 2, (
        "there is one already"
    )
    assert main(["restore", str(file), f"--state-dir={second}"]) == 0
    files = {path.relative_to(venue): path.read_bytes() for path in venue.rglob("*") if path.is_file()}
    again = {
        path.relative_to(second / "venue"): path for path in (second / "venue").rglob("*") if path.is_file()
    }
    assert {name: path.read_bytes() for name, path in again.items()} == files
    assert {stat.S_IMODE(path.stat().st_mode) for path in again.values()} == {0o600}
    # The authority is alive: it makes certificates that the old broker knows.
    stick = tmp_path / "stick"
    stick.mkdir()
    tables = ["--tables", "1", "--host", "h", f"--state-dir={second}", f"--venue={second / 'venue'}"]
    assert main(["venue", "stick", str(stick), *tables]) == 0


def tar(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def manifest(files: dict[str, bytes], **more: Any) -> dict[str, bytes]:
    listed = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    value = {"format": "flagfall-backup/1", "files": listed, **more}
    return {"manifest.json": json.dumps(value).encode(), **files}


def test_what_is_no_backup_is_one_line_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = {"ledger.sqlite": b"x"}
    bad = [
        tmp_path / "nowhere.tar",
        tar(tmp_path / "empty.tar", {}),
        tar(tmp_path / "no_manifest.tar", good),
        tar(tmp_path / "other.tar", manifest(good, format="something/1")),
        tar(tmp_path / "damaged.tar", manifest(good) | {"ledger.sqlite": b"y"}),
        tar(tmp_path / "more.tar", manifest(good) | {"extra": b"y"}),
        tar(tmp_path / "climbs.tar", manifest(good | {"venue/../../escaped": b"y"})),
        tar(tmp_path / "foreign.tar", manifest(good | {"/etc/passwd": b"y"})),
        tar(tmp_path / "no_ledger.tar", manifest({"devices.json": b"{}"})),
        tar(tmp_path / "bad_ledger.tar", manifest(good)),
    ]
    rubbish = tmp_path / "rubbish.tar"
    rubbish.write_bytes(os.urandom(3000))
    for file in [*bad, rubbish]:
        target = tmp_path / f"state of {file.stem}"
        assert main(["restore", str(file), "--state-dir", str(target)]) == 2, file
        error = capsys.readouterr().err
        assert error.count("\n") == 1, error
        assert not (tmp_path / "escaped").exists()
        shutil.rmtree(target, ignore_errors=True)


def test_bad_arguments_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = f"--state-dir={tmp_path}"
    for arguments in (
        ["verify", state],
        ["backup", state],
        ["backup", str(tmp_path / "x"), state],
        ["restore", state],
        ["verify", "--nonsense", state],
    ):
        assert main(arguments) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_port_in_use_by_somebody_else_does_not_mislead_verify(played: Any) -> None:
    """Nobody answers where the hub was: the chain is verified all the same."""
    assert played.stop() == 0
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (played.folder / "addresses.json").write_text(json.dumps({"web_port": port}))
        taken.close()
        assert flagfall_hub("verify", "--state-dir", played.folder).returncode == 0
