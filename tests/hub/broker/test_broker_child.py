"""The hub's own broker as its operator meets it: a child of the hub's process."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from helpers.waiting import PATIENCE_S, until

from flagfall.base.errors import Failed
from flagfall.link.topics import Kind
from hub.broker.child import BrokerChild
from hub.broker.mosquitto import can_enter, password_line
from hub.tables.devices import Devices
from hub.text import Refused

ROOT = Path(__file__).parents[3]
mosquitto = pytest.mark.needs("mosquitto")


def child_of(pid: int) -> int | None:
    """Return the mosquitto among the children of a process."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            if Path(f"/proc/{child}/comm").read_text().strip() == "mosquitto":
                return int(child)
    return None


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@mosquitto
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_broker_ends_with_its_hub_however_that_ends(
    tmp_path: Path, new_hub: Any, how: signal.Signals
) -> None:
    hub = new_hub(tmp_path / "state")
    hub.start()
    broker = child_of(hub.process.pid)
    assert broker is not None
    hub.process.send_signal(how)
    hub.process.wait(PATIENCE_S)
    until(lambda: not runs(broker))
    assert "broker ended" not in hub.lines()


@mosquitto
def test_its_files_and_its_process_are_nobody_elses(tmp_path: Path, new_hub: Any) -> None:
    hub = new_hub(tmp_path / "state")
    hub.start()
    hub.table("t1")
    folder = tmp_path / "state" / "broker"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    paths = {path.name: path for path in folder.iterdir()}
    assert set(paths) == {"mosquitto.conf", "acl", "passwords"}
    broker = child_of(hub.process.pid)
    owner = Path(f"/proc/{broker}").stat().st_uid
    for path in paths.values():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.stat().st_uid == owner
    if os.geteuid() == 0:
        assert pwd.getpwuid(owner).pw_name in ("mosquitto", "nobody")
    assert hub.tables[0].identity.token not in paths["passwords"].read_text()


@mosquitto
def test_who_is_revoked_is_out_and_the_others_stay(tmp_path: Path, new_hub: Any) -> None:
    hub = new_hub(tmp_path / "state")
    hub.start()
    lost, other = hub.table("t1", 1), hub.table("t2", 2)
    hub.call("DELETE", "devices/t1")
    until(lambda: not lost.up.is_set())
    assert other.up.is_set()
    back = hub.enrol("t1", 1)
    assert back.token != lost.identity.token
    assert "link down" not in hub.lines()


@mosquitto
def test_a_broker_that_is_killed_is_started_again_and_play_goes_on(tmp_path: Path, new_hub: Any) -> None:
    hub = new_hub(tmp_path / "state")
    hub.start()
    table = hub.table("t1", 1)
    hub.call("PUT", "tournaments/open", tournament_file(2))
    hub.call("POST", "tournaments/open/pairings", {})
    table.assignment(lambda assignment: assignment.game is not None)
    os.kill(child_of(hub.process.pid) or 0, signal.SIGKILL)
    until(lambda: not table.up.is_set())
    table.wait_up()
    until(lambda: hub.lines().count("link up") == 2)
    assert table.receipt(table.play("open", (40, 24)).id).accepted
    assert table.heard[Kind.RECEIPT]
    assert "broker ended status=-9" in hub.lines()


def run_hub(folder: Path, *arguments: str, without_mosquitto: bool = False) -> subprocess.Popen[str]:
    hide = "import hub.broker.mosquitto as m; m.shutil.which = lambda *_, **__: None; "
    hide *= without_mosquitto
    program = f"import sys; {hide}from hub.main import main; sys.exit(main(sys.argv[1:]))"
    command = [
        sys.executable,
        "-c",
        program,
        "run",
        "--state-dir",
        str(folder),
        "--web-port",
        "0",
        *arguments,
    ]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


@mosquitto
def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        hub = run_hub(tmp_path, "--broker-port", str(port))
        _, error = hub.communicate(timeout=PATIENCE_S)
    assert hub.returncode == 2
    assert error == f"flagfall-hub: broker: cannot listen on 127.0.0.1:{port}: Address already in use\n"


def test_without_mosquitto_the_console_runs_and_a_line_says_what_is_missing(tmp_path: Path) -> None:
    hub = run_hub(tmp_path, "--broker-port", "0", without_mosquitto=True)
    assert hub.stderr is not None
    try:
        lines = [hub.stderr.readline()]
        while "ready" not in lines[-1]:
            lines.append(hub.stderr.readline())
            assert lines[-1], lines
        assert (
            "no mosquitto on this machine: tables cannot connect (Debian: apt install mosquitto" in lines[0]
        )
        assert "broker=none" in lines[-1]
    finally:
        hub.terminate()
        hub.communicate(timeout=PATIENCE_S)
    assert hub.returncode == 0


@pytest.mark.parametrize("name", ["t:1", " t1", "t1 ", "hub"])
def test_a_name_that_the_password_file_cannot_hold_is_refused(tmp_path: Path, name: str) -> None:
    devices = Devices(tmp_path / "devices.json")
    with pytest.raises(Refused, match="expected no colon, no blank around it"):
        devices.enroll(name, bytes(32))
    assert name == "hub" or not can_enter(name)


def test_the_same_password_is_never_hashed_alike() -> None:
    first, second = password_line("t1", "secret"), password_line("t1", "secret")
    assert first != second
    assert first.startswith("t1:$6$") and "secret" not in first


def test_a_broker_that_cannot_be_started_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """End the broker as a sandbox does that forbids what it, or setpriv before it, has to do."""
    program = tmp_path / "mosquitto"
    program.write_text(
        "#!/bin/sh\necho 'setpriv: activate capabilities: Operation not permitted' >&2\nexit 127\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    child = BrokerChild(program, tmp_path / "broker", dict, str, log=lambda *_: None, random=Random(1))
    with pytest.raises(Failed, match="activate capabilities: Operation not permitted"):
        asyncio.run(child.start())
