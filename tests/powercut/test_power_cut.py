"""The power goes at every write: what was acknowledged is there when the files are opened again.

SIGKILL shows nothing of this, the system keeps what a killed program wrote. So what a program does to its files is
written down, and the files are built again as they may be found after a cut behind each step: without what was not
synced, with some of it, with torn pieces of it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from flagfall.ledger.entry import START, EntryDraft, chain
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import StoreFailed
from hub.tables.devices import Devices
from table_app.hub_link.outbox import Outbox

pytestmark = pytest.mark.needs("gcc")

ACKNOWLEDGED = "acknowledged"
SHARES = (0.0, 0.5, 0.5, 1.0)
"""Of what is not sure, how much is there: nothing, some (twice), everything."""

LEDGER = """
import os, sys
from pathlib import Path
from flagfall.ledger.entry import START, EntryDraft, chain
from flagfall.ledger.sqlite import SqliteLedger
folder = Path(sys.argv[1])
acknowledged = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT, 0o600)
number, head = 0, START
for batches in ((1, 1, 3), (1, 5, 1), (2, 1)):
    ledger = SqliteLedger(folder / "ledger.sqlite")
    for size in batches:
        numbers = range(number + 1, number + size + 1)
        drafts = [EntryDraft(f"g{n}", "result", 1, "", "t7", "woc", b"x" * 3000) for n in numbers]
        head = ledger.append(chain(drafts, head), head).head
        number += size
        os.write(acknowledged, b"." * size)
    ledger.close()
"""

OUTBOX = """
import os, sys
from pathlib import Path
from random import Random
from table_app.hub_link.outbox import Outbox
folder = Path(sys.argv[1])
acknowledged = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT, 0o600)
for first in (0, 4):
    outbox = Outbox(folder / "outbox.sqlite", Random(1))
    for number in range(first + 1, first + 5):
        outbox.put(f"g{number}", "topic", b"x" * 3000)
        os.write(acknowledged, b".")
        if number % 2 == 0:
            outbox.receipt(f"g{number}", "head")
    outbox.close()
"""

REGISTRY = """
import os, sys
from pathlib import Path
from hub.tables.devices import Devices
folder = Path(sys.argv[1])
acknowledged = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT, 0o600)
devices = Devices(folder / "devices.json")
for _ in range(8):
    devices.reserve_seq()
    os.write(acknowledged, b".")
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder for the files, in memory if there is such a place: they are written a thousand times."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name) / "found"


def after_each_step(doings: list[Any], disk: Any, check: Callable[[dict[str, bytes], int], None]) -> int:
    """Cuts the power behind every step; returns how often."""
    acknowledged = cuts = 0
    random = Random(8)
    for doing in doings:
        if doing.name.endswith(("-shm", ".lock")):
            continue  # what SQLite keeps only while programs run
        if doing.name == ACKNOWLEDGED:
            acknowledged += len(doing.data)
        else:
            disk.do(doing)
        for share in SHARES:
            check(disk.after_a_cut(random, share), acknowledged)
            cuts += 1
    return cuts


def written(folder: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)


def test_the_ledger_after_a_power_cut_at_every_write(recorded: Any, new_disk: Any, folder: Path) -> None:
    drafts = [EntryDraft(f"g{n}", "result", 1, "", "t7", "woc", b"x" * 3000) for n in range(1, 16)]
    expected = chain(drafts, START)

    def check(files: dict[str, bytes], acknowledged: int) -> None:
        written(folder, files)
        ledger = SqliteLedger(folder / "ledger.sqlite")
        entries = tuple(ledger.read("woc"))
        assert len(entries) >= acknowledged
        assert entries == expected[: len(entries)]
        assert ledger.verify("woc") is None
        ledger.close()

    doings = recorded(LEDGER)
    assert sum(len(doing.data) for doing in doings if doing.name == ACKNOWLEDGED) == 15
    assert after_each_step(doings, new_disk(), check) > 300


def test_the_outbox_after_a_power_cut_at_every_write(recorded: Any, new_disk: Any, folder: Path) -> None:

    def check(files: dict[str, bytes], acknowledged: int) -> None:
        written(folder, files)
        outbox = Outbox(folder / "outbox.sqlite", Random(1))
        pending = {item.id for item in outbox.pending()}
        kept = set(outbox.kept("topic"))
        assert {f"g{number}" for number in range(1, acknowledged + 1)} <= pending | kept
        assert not pending & kept
        assert all(item.payload == b"x" * 3000 for item in outbox.pending())
        outbox.close()

    assert after_each_step(recorded(OUTBOX), new_disk(), check) > 200


def test_the_registrys_numbers_never_go_back(recorded: Any, new_disk: Any, folder: Path) -> None:

    def check(files: dict[str, bytes], acknowledged: int) -> None:
        written(folder, files)
        assert Devices(folder / "devices.json").reserve_seq() > acknowledged

    assert after_each_step(recorded(REGISTRY), new_disk(), check) > 50


def test_the_cuts_would_show_a_store_that_does_not_sync(recorded: Any, new_disk: Any, folder: Path) -> None:
    """The check itself: the same ledger with `synchronous = OFF` loses what it has acknowledged."""
    careless = LEDGER.replace("import os, sys", "import os, sys, sqlite3").replace(
        "    for size in batches:",
        "    ledger._connection.execute('PRAGMA synchronous = OFF')\n    for size in batches:",
    )
    lost = []

    def check(files: dict[str, bytes], acknowledged: int) -> None:
        written(folder, files)
        try:
            ledger = SqliteLedger(folder / "ledger.sqlite")
        except StoreFailed:
            lost.append(acknowledged)
            return
        if ledger.verify("woc") is not None or len(list(ledger.read("woc"))) < acknowledged:
            lost.append(acknowledged)
        with suppress(StoreFailed):
            ledger.close()

    after_each_step(recorded(careless), new_disk(), check)
    assert lost
