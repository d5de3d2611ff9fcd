"""A new version of the programs goes to a table while a tournament is on: not during a game, and back if it is bad.

Real programs: a hub with its own broker, and a table that is started again whenever it ends, as systemd does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from helpers.waiting import PATIENCE_S, until
from helpers.wheels import wheel_of

from flagfall.link import identity as identities
from flagfall.othello.side import Side
from simulator.program import free_port
from simulator.table_socket import TableSocket

ROOT = Path(__file__).parents[2]


TABLES_FOLDERS = ("flagfall", "table_app")


def wheel(folder: Path, version: str, spoilt: str = "") -> Path:
    """Return a wheel of a table's programs under another version. `spoilt` replaces the text of its log module."""
    # As it is written: the email package of Debian's Python refuses to write its long text again.
    installed = distribution("flagfall")
    metadata = installed.read_text("METADATA") or installed.read_text(
        "PKG-INFO"
    )  # the latter beside a checkout
    assert metadata is not None
    files = {
        file.relative_to(ROOT).as_posix(): file.read_bytes()
        for folder in TABLES_FOLDERS
        for file in sorted((ROOT / folder).rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }
    if spoilt:
        files["table_app/log.py"] = spoilt.encode()
    file = folder / f"flagfall-{version}-py3-none-any.whl"
    file.write_bytes(wheel_of(version, metadata.partition(f"Version: {installed.version}\n")[2], files))
    return file


class Supervised(threading.Thread):
    """A program that is started again whenever it ends."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path, folder: Path) -> None:
        super().__init__(daemon=True)
        self._command = command
        self._environment = environment
        self._log = log
        self._folder = folder
        self._ending = threading.Event()
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0

    def run(self) -> None:
        while not self._ending.is_set():
            with self._log.open("ab") as log:
                self.process = subprocess.Popen(
                    self._command, env=self._environment, stdout=log, stderr=log, cwd=self._folder
                )
            self.starts += 1
            self.process.wait()
            self._ending.wait(0.2)

    def end(self) -> None:
        self._ending.set()
        if self.process is not None:
            self.process.kill()
        self.join(PATIENCE_S)


class Room:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.web = free_port()
        self.hub_options = [f"--state-dir={folder / 'hub'}", f"--web-port={self.web}", "--broker-port=0"]
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith("FLAGFALL_")
        }
        with (folder / "hub.log").open("ab") as log:
            command = [sys.executable, "-m", "hub.main", "run", *self.hub_options]
            self.hub = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        until(lambda: self.ask("GET", "live")["link_up"], "the hub")
        made = identities.create("t1")
        enrolment = self.ask("POST", "devices", {"device": "t1", "seat": 1, "public_key": made.public.hex()})
        state = folder / "table"
        state.mkdir()
        identity = replace(made, token=enrolment["token"], hub=bytes.fromhex(enrolment["hub_key"]))
        identities.save(identity, state / "identity")
        port = json.loads((folder / "hub" / "addresses.json").read_text())["broker_port"]
        self.starter = [sys.executable, "-P", "-m", "table_app.starter", "run", "--buttons=virtual"]
        self.starter += ["--board=none", "--screen=none", "--broker-host=127.0.0.1", f"--broker-port={port}"]
        self.start_table()
        self.hands = TableSocket(state)

    def start_table(self) -> None:
        environment = self.environment | {"FLAGFALL_STATE_DIR": str(self.folder / "table")}
        self.table = Supervised(self.starter, environment, self.folder / "table.log", self.folder)
        self.table.start()

    def ask(self, method: str, path: str, body: object = None) -> Any:
        token = (self.folder / "hub" / "api-token").read_text().strip()
        data = None if body is None else json.dumps(body).encode()
        address = f"http://127.0.0.1:{self.web}/api/1/{path}"
        request = urllib.request.Request(address, data, {"Authorization": f"Bearer {token}"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    @property
    def status(self) -> Any:
        """The hub's present knowledge of the table."""
        return self.ask("GET", "live")["devices"]["t1"]

    def runs(self, version: str) -> bool:
        return bool(self.status["online"] and self.status["version"] == version)

    def offer(self, file: Path) -> None:
        command = [sys.executable, "-m", "hub.main", "update", str(file), *self.hub_options]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def close(self) -> None:
        self.table.end()
        self.hub.kill()
        self.hub.wait()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    room = Room(tmp_path)
    yield room
    room.close()


@pytest.mark.timeout(900)
@pytest.mark.long
def test_a_version_comes_between_rounds_and_a_bad_one_goes_again(room: Room, tmp_path: Path) -> None:
    first = until(lambda: room.status["online"] and room.status["version"], "the table")
    players = [{"id": "a"}, {"id": "b"}]
    file = {"format": "flagfall-tournament/1", "rulebook": "woc-2019", "system": "swiss", "players": players}
    room.ask("PUT", "tournaments/open", {**file, "rounds_planned": 1, "seed": 1, "rounds": []})
    room.ask("POST", "tournaments/open/pairings", {"sensors": False})
    room.ask("POST", "tournaments/open/start", {})
    until(lambda: json.loads(room.hands._ask("state")).get("start_told"), "the start at the table")

    # A game is on: the new version waits.
    room.offer(wheel(tmp_path, "7.1"))
    until(lambda: "7.1 waits" in room.status["update"], "the order at the table")
    for down in (True, False):
        room.hands.button(Side.WHITE, down=down)
    until(lambda: room.hands.see().state == "running", "running")
    assert room.hands.tap({"type": "ruling", "rule": "enter_score", "black": 40, "white": 24}) == ""
    until(lambda: room.hands.see().state == "finished", "the end")
    assert (room.table.starts, room.status["version"]) == (1, first)

    # Signed, and the hub has it: the table goes over.
    for side in Side:
        assert room.hands.tap({"type": "sign", "by": side.value}) == ""
    until(lambda: room.runs("7.1"), "the new version")
    assert room.ask("GET", "tournaments/open")["games"][0]["signed"]
    until(lambda: "version proved" in (tmp_path / "table.log").read_text(), "its proof")

    # One that cannot be loaded, one that is loaded and does not get far: the version before them comes back.
    for version, spoilt in (("7.2", "raise SystemExit('spoilt')\n"), ("7.3", "import os\nos._exit(9)\n")):
        room.offer(wheel(tmp_path, version, spoilt))
        until(lambda version=version: f"{version} did not come up" in room.status["update"], "given up")
        until(lambda: room.runs("7.1"), "the version before it")

    # What was not signed: the wheel of the offer is another one by the time that it is fetched.
    room.table.end()
    room.offer(wheel(tmp_path, "7.4"))
    (kept,) = (room.folder / "hub" / "update").glob("*.whl")
    kept.write_bytes(kept.read_bytes()[:-1] + b"x")
    room.start_table()
    until(lambda: "hub has signed" in room.status["update"], "the refusal")
    assert room.runs("7.1")
