"""Only a program's assembler makes adapters; everything else receives what it needs, and no state is global."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.documented import walked
from helpers.rooms import files_of

pytestmark = pytest.mark.tree

ROOT = Path(__file__).resolve().parents[2]
ASSEMBLERS = {
    "table_app/run_command.py",  # the screen, before the rest is imported
    "table_app/service.py",
    "table_app/adapters.py",  # one part each; the service says which
    "table_app/tools/doctor.py",  # the check-up tries the real things, each for a moment
    "table_app/screen/child.py",  # the program that draws, with a `main` of its own
    "hub/service.py",  # imported by main only for `run`, so that file commands start without a web server
    "flagfall/ledger/opening.py",  # which store a configuration names
    "simulator/main.py",
}
# Classes that speak to a device, a disk, a screen or the network.
ADAPTERS = {
    "SerialBoard",
    "NoBoard",
    "SimulatedBoard",
    "PinButtons",
    "VirtualPins",
    "SyncedDisk",
    "StateDirectory",
    "Screen",
    "PictureScreen",
    "ScreenProcess",
    "LinkClient",
    "NoLink",
    "Outbox",
    "BrokerChild",
    "SqliteLedger",
    "RedisLedger",
    "PinLamps",
    "Watchdog",
    "CommandSpeech",
    "SpeechButton",
}
EXCEPTIONS = {
    # SQLite wants the thread that opens a database to be the one that uses it: the sender's own.
    ("table_app/hub_link/sender.py", "Outbox"),
    # So do its checks, with a link made as the program's own is.
    ("table_app/hub_link/sender.py", "LinkClient"),
    ("table_app/tools/checks.py", "SyncedDisk"),
}


def made(source: str) -> Iterator[str]:
    """Yield the names of adapters that the source calls into being."""
    for node in walked(source):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ADAPTERS:
                yield name


FORBIDDEN = ("global", "time", "datetime", "random", "secrets")


def rooms() -> Iterator[tuple[str, str]]:
    for room in ("othello", "ledger", "link", "table_app", "hub"):
        for path in files_of(room):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_only_assemblers_make_adapters() -> None:
    adapters = {(path, name) for path, source in rooms() for name in made(source) if path not in ASSEMBLERS}
    assert adapters == EXCEPTIONS


def test_every_adapter_named_here_exists() -> None:
    defined = {
        node.name for _, source in rooms() for node in walked(source) if isinstance(node, ast.ClassDef)
    }
    assert defined >= ADAPTERS


def test_no_rule_asks_the_time_and_no_room_uses_global_state() -> None:
    uses = []
    for path, source in rooms():
        for node in walked(source):
            names = ["global"] if isinstance(node, ast.Global) else []
            if "othello" in path.split("/") and isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
            uses += [(path, name) for name in names if name in FORBIDDEN]
    assert uses == []
