"""A table finds its hub by name in a network without any server: two machines' networks, each with its own avahi."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from helpers.prepared import absent, needs_machine
from helpers.service_machine import until
from helpers.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
NSSWITCH = "hosts: files mdns4_minimal [NOTFOUND=return]\n"
ASKING = (
    "import json, sys, urllib.request as u; "
    "r = u.Request('http://127.0.0.1:8000/api/1/enrolments', b'{\"device\": \"t1\"}', "
    "{'Authorization': 'Bearer ' + sys.argv[1]}); print(json.load(u.urlopen(r))['code'])"
)


class Host:
    """A network namespace with an address, and avahi in it that answers to `name`.local."""

    def __init__(self, folder: Path, name: str, network: str) -> None:
        self.folder = folder / name
        self.folder.mkdir()
        (self.folder / "nsswitch.conf").write_text(NSSWITCH)
        (self.folder / "resolv.conf").touch()
        (self.folder / "avahi.conf").write_text(
            f"[server]\nhost-name={name}\nuse-ipv6=no\nenable-dbus=no\n[publish]\npublish-workstation=no\n"
        )
        self.network = network
        self.processes: list[subprocess.Popen[bytes]] = []
        # avahi's socket, which the C library asks, has one place only.
        mounts = "mount -t tmpfs none /run"
        for file in ("nsswitch.conf", "resolv.conf"):
            mounts += f" && mount --bind {self.folder}/{file} $(realpath /etc/{file})"
        avahi = f"mkdir /run/avahi-daemon; exec avahi-daemon -f {self.folder}/avahi.conf --no-drop-root --no-rlimits"
        self.avahi = self._start(["ip", "netns", "exec", network, "sh", "-c", f"{mounts} && {avahi}"])

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            self.processes.append(subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log))
        return self.processes[-1]

    def inside(self, *command: str) -> list[str]:
        return ["nsenter", "-t", str(self.avahi.pid), "-m", "-n", "--", *command]

    def begins(self, module: str, *arguments: str) -> None:
        self._start(self.inside(sys.executable, "-m", module, *arguments))

    def does(self, *command: str) -> str:
        done = subprocess.run(
            self.inside(*command), cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        if done.returncode != 0:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
        return done.stdout

    def code_for_table(self, token: str) -> str:
        """Return a code with which a table enrols; a hub on a busy machine may answer only after its ports are told."""
        ask = partial(self.does, sys.executable, "-c", ASKING, token)
        code: str = until(ask, "a code", meanwhile=(subprocess.CalledProcessError,))
        return code.strip()

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def networks(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Two network namespaces joined by a cable."""
    needs_machine("it makes networks of its own")
    try:
        ctypes.CDLL("libnss_mdns4_minimal.so.2")
    except OSError:
        absent("needs libnss-mdns: the C library's way to avahi")
    names = tuple(f"flagfall-{os.getpid()}-{end}" for end in "ab")
    with ExitStack() as stack:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
            stack.callback(subprocess.run, ["ip", "netns", "del", name], check=False)
        first, other = names
        cable = ["ip", "-n", first, "link", "add", "cable", "type", "veth", "peer", "cable", "netns", other]
        subprocess.run(cable, check=True)
        for number, name in enumerate(names, 1):
            for command in (
                f"addr add 10.77.0.{number}/24 dev cable",
                "link set cable up multicast on",
                "link set lo up",
                "route add default dev cable",
            ):
                subprocess.run(["ip", "-n", name, *command.split()], check=True)
        yield first, other


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.needs("avahi", "ip")
def test_a_table_enrols_and_enters_knowing_nothing_but_a_code(
    networks: tuple[str, str], tmp_path: Path
) -> None:
    with ExitStack() as stack:
        laptop, table = Host(tmp_path, "flagfall-hub", networks[0]), Host(tmp_path, "t1", networks[1])
        for machine in (laptop, table):
            stack.callback(machine.close)
        state = tmp_path / "hub"
        laptop.begins(
            "hub.main", "run", f"--state-dir={state}", "--web-host=0.0.0.0", "--broker-host=0.0.0.0"
        )
        until((state / "addresses.json").exists, "the hub")
        until(lambda: "10.77.0.1" in table.does("getent", "hosts", "flagfall-hub.local"), "the name")
        token = (state / "api-token").read_text().strip()
        code = laptop.code_for_table(token)
        places = (f"--state-dir={tmp_path / 'table'}", f"--config={tmp_path / 'table.toml'}")
        enrolled = table.does(sys.executable, "-m", "table_app.main", "enrol", code, *places)
        assert "this is t1 of the hub at flagfall-hub.local:1883" in enrolled
        parts = ("--buttons=virtual", "--board=none", "--screen=none", "--json")
        doctor = table.inside(sys.executable, "-m", "table_app.main", "doctor", *places, *parts)
        done = subprocess.run(doctor, cwd=ROOT, capture_output=True, timeout=PATIENCE_S, check=False)
        fit = json.loads(done.stdout)
        (link,) = (check for check in fit["checks"] if check["part"] == "link")
        assert link["ok"], fit
        assert "flagfall-hub.local:1883 as t1" in link["what"]


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.needs("avahi", "ip")
def test_a_table_enrolled_by_an_address_finds_its_hub_at_another_by_its_name(
    networks: tuple[str, str], tmp_path: Path
) -> None:
    name = socket.gethostname().partition(".")[0].lower()
    with ExitStack() as stack:
        laptop, table = Host(tmp_path, name, networks[0]), Host(tmp_path, "t1", networks[1])
        for host in (laptop, table):
            stack.callback(host.close)
        state = tmp_path / "hub"
        laptop.begins(
            "hub.main", "run", f"--state-dir={state}", "--web-host=0.0.0.0", "--broker-host=0.0.0.0"
        )
        until((state / "addresses.json").exists, "the hub")
        until(lambda: "10.77.0.1" in table.does("getent", "hosts", f"{name}.local"), "the name")
        token = (state / "api-token").read_text().strip()
        code = laptop.code_for_table(token)
        places = (f"--state-dir={tmp_path / 'table'}", f"--config={tmp_path / 'table.toml'}")
        hub = "--hub=http://10.77.0.1:8000"
        assert "10.77.0.1:1883" in table.does(
            sys.executable, "-m", "table_app.main", "enrol", code, hub, *places
        )
        assert f'broker_name = "{name}.local"' in (tmp_path / "table.toml").read_text()
        for command in ("addr del 10.77.0.1/24 dev cable", "addr add 10.77.0.9/24 dev cable"):
            subprocess.run(["ip", "-n", networks[0], *command.split()], check=True)
        until(lambda: "10.77.0.9" in table.does("getent", "hosts", f"{name}.local"), "the new address")
        parts = ("--buttons=virtual", "--board=none", "--screen=none")
        table.begins("table_app.main", "run", *places, *parts)
        log = table.folder / "log"
        until(lambda: "link connected=True" in log.read_text("utf-8"), "the connection")
