"""The SQLite file itself: one writer, damage found, a kill survived."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from helpers.ledger_records import record
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from flagfall.ledger.entry import START, EntryDraft, chain
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import Broken, StoreFailed


def drafts(count: int) -> list[EntryDraft]:
    return [EntryDraft(f"g{n}.1", "result", 1, "", "t7", "woc", b'{"n":%d}' % n) for n in range(1, count + 1)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def filled(path: Path) -> Path:
    ledger = SqliteLedger(path)
    record(ledger, drafts(40))
    ledger.close()
    return path


def test_a_second_writer_is_refused_and_a_reader_is_not(filled: Path) -> None:
    writer = SqliteLedger(filled)
    with pytest.raises(StoreFailed, match="another program") as refused:
        SqliteLedger(filled)
    assert str(filled) in str(refused.value)
    reader = SqliteLedger(filled, read_only=True)
    record(writer, drafts(41))
    assert reader.head("woc") == writer.head("woc")
    assert reader.verify("woc") is None
    reader.close()
    writer.close()
    SqliteLedger(filled).close()


def test_a_reader_adds_nothing(filled: Path) -> None:
    reader = SqliteLedger(filled, read_only=True)
    with pytest.raises(StoreFailed, match="read-only"):
        record(reader, drafts(41))
    reader.close()


def test_another_thread_is_refused(path: Path) -> None:
    ledger = SqliteLedger(path)
    caught: list[Exception] = []

    def trespass() -> None:
        try:
            ledger.head("woc")
        except sqlite3.ProgrammingError as refused:
            caught.append(refused)

    thread = threading.Thread(target=trespass)
    thread.start()
    thread.join()
    assert len(caught) == 1
    ledger.close()


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"no database, but long enough to be looked at" * 20, "not a database"), (b"", None)],
)
def test_a_strange_file_is_refused_in_one_line(path: Path, content: bytes, expected: str | None) -> None:
    path.write_bytes(content)
    if expected is None:
        SqliteLedger(path).close()
        return
    with pytest.raises(StoreFailed, match=expected) as refused:
        SqliteLedger(path)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == content


def test_somebody_elses_database_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE people (name TEXT)")
    other.close()
    with pytest.raises(StoreFailed, match="not a ledger"):
        SqliteLedger(path)


def test_a_later_format_is_refused(filled: Path) -> None:
    with sqlite3.connect(filled) as database:
        database.execute("PRAGMA user_version = 2")
    database.close()
    with pytest.raises(StoreFailed, match="format 2, this program knows 1"):
        SqliteLedger(filled)
    with pytest.raises(StoreFailed, match="format 2"):
        SqliteLedger(filled, read_only=True)


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    for read_only in (False, True):
        with pytest.raises(StoreFailed, match="nowhere") as refused:
            SqliteLedger(tmp_path / "nowhere" / "ledger.sqlite", read_only)
        assert "\n" not in str(refused.value)


def test_the_file_only_grows(filled: Path) -> None:
    with sqlite3.connect(filled) as database:
        for statement in ("UPDATE entry SET who = 'x'", "DELETE FROM entry"):
            with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("UPDATE entry SET body = '{\"n\":99}' WHERE position = 3", (3, "g3.1")),
        ("UPDATE entry SET at = 'earlier' WHERE position = 7", (7, "g7.1")),
        ("UPDATE entry SET version = 2 WHERE position = 1", (1, "g1.1")),
        ("DELETE FROM entry WHERE position = 5", (5, "")),
        ("UPDATE entry SET position = 99 WHERE position = 40", (40, "")),
    ],
)
def test_a_change_past_the_guard_is_found(filled: Path, change: str, expected: tuple[int, str]) -> None:
    with sqlite3.connect(filled) as database:
        database.execute("DROP TRIGGER entry_is_final")
        database.execute("DROP TRIGGER entry_stays")
        database.execute(change.replace("'{\"n\":99}'", "CAST('{\"n\":99}' AS BLOB)"))
    database.close()
    ledger = SqliteLedger(filled, read_only=True)
    broken = ledger.verify("woc")
    ledger.close()
    assert isinstance(broken, Broken)
    assert (broken.position, broken.id) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_altered_byte_passes_for_the_record(filled: Path, data: st.DataObject) -> None:
    # Either somebody says that the file is damaged, or every entry reads as it was written.
    good = filled.read_bytes()
    place = data.draw(st.integers(0, len(good) - 1))
    damaged = filled.with_name("damaged.sqlite")
    damaged.write_bytes(
        good[:place] + bytes([good[place] ^ data.draw(st.integers(1, 255))]) + good[place + 1 :]
    )
    try:
        ledger = SqliteLedger(damaged, read_only=True)
    except StoreFailed as refused:
        assert "\n" not in str(refused)
        return
    try:
        if ledger.verify("woc") is None:
            assert tuple(ledger.read("woc")) == chain(drafts(40), START)
    finally:
        ledger.close()


def test_a_damaged_index_is_found(filled: Path) -> None:
    # The chain reads well, but the ledger would no more know what it holds.
    good = filled.read_bytes()
    places = [match.start() for match in re.finditer(rb"wocg17\.1", good)]
    assert len(places) == 1
    damaged = filled.with_name("damaged.sqlite")
    damaged.write_bytes(good[: places[0] + 3] + b"G" + good[places[0] + 4 :])
    ledger = SqliteLedger(damaged, read_only=True)
    assert tuple(ledger.read("woc")) == chain(drafts(40), START)
    broken = ledger.verify("woc")
    ledger.close()
    assert broken is not None
    assert "damaged" in broken.why


def test_a_torn_file_is_found(filled: Path) -> None:
    torn = filled.with_name("torn.sqlite")
    torn.write_bytes(filled.read_bytes()[:-4096])
    try:
        ledger = SqliteLedger(torn, read_only=True)
    except StoreFailed:
        return
    assert ledger.verify("woc") is not None
    ledger.close()


def test_a_log_cut_off_anywhere_loses_at_most_the_last_batches(path: Path) -> None:
    # What a power cut leaves behind the last sync: the write-ahead log torn at any place.
    ledger = SqliteLedger(path)
    many = drafts(12)
    for draft in many:
        record(ledger, [draft])
    log = path.with_name("ledger.sqlite-wal").read_bytes()
    assert log
    for length in range(0, len(log), 1_111):
        copy = path.with_name("copy.sqlite")
        shutil.copy(path, copy)
        copy.with_name("copy.sqlite-wal").write_bytes(log[:length])
        again = SqliteLedger(copy)
        entries = tuple(again.read("woc"))
        assert entries == chain(many[: len(entries)], START)
        assert again.verify("woc") is None
        again.close()
    ledger.close()


KILLED = """
import sys
from pathlib import Path
from flagfall.ledger.entry import START, EntryDraft, chain
from flagfall.ledger.sqlite import SqliteLedger
head = START
ledger = SqliteLedger(Path(sys.argv[1]))
number = 0
while True:
    number += 1
    draft = EntryDraft(f"g{number}.1", "result", 1, "", "t7", "woc", b"{}")
    head = ledger.append(chain([draft], head), head).head
    print(number, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill_and_the_lock_does_not(path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 50:
            break
    os.kill(process.pid, signal.SIGKILL)
    acknowledged = max([50, *(int(line) for line in process.stdout.read().split("\n") if line)])
    process.wait()
    process.stdout.close()
    ledger = SqliteLedger(path)
    assert ledger.verify("woc") is None
    assert len(list(ledger.read("woc"))) >= acknowledged
    ledger.close()


def test_a_full_disk_is_refused_and_changes_nothing(path: Path) -> None:
    ledger = SqliteLedger(path)
    record(ledger, drafts(3))
    ledger._connection.execute("PRAGMA max_page_count = 20")
    big = EntryDraft("big", "result", 1, "", "t7", "woc", b"x" * 200_000)
    small = EntryDraft("small", "result", 1, "", "t7", "woc", b"x")
    for batch in ([big], [small, big]):
        with pytest.raises(StoreFailed, match="full"):
            record(ledger, batch)
    assert len(list(ledger.read("woc"))) == 3
    assert ledger.verify("woc") is None
    ledger._connection.execute("PRAGMA max_page_count = 100000")
    assert record(ledger, [big]).new == 1
    ledger.close()


def test_a_batch_that_breaks_off_leaves_nothing(path: Path) -> None:
    ledger = SqliteLedger(path)
    good, other = drafts(2)
    with pytest.raises(OverflowError):
        record(ledger, [good, structs.replace(other, version=2**70)])
    assert list(ledger.read("woc")) == []
    assert record(ledger, [good, other]).new == 2
    ledger.close()
