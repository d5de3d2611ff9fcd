"""Installed on real machines, under their own systemd: started, upgraded, updated from the hub, revoked, removed."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from deb.programs import make_wheel
from helpers.prepared import needs_machine
from helpers.service_machine import INSTALL, Machine, newer, until
from helpers.waiting import PATIENCE_S

from simulator.program import free_port

SERVICES = ("flagfall-hub", "flagfall-broker", "flagfall-table")
FLAGFALL = "su -s /bin/sh flagfall -c"


class Room(Machine):
    """Hub, broker and one table on one machine, its record on a partition of its own (`record`)."""

    def __init__(self, root: Path, suite: str, packages: dict[str, Path]) -> None:
        super().__init__(root, suite, packages)
        self.web, self.broker = free_port(), free_port()
        self.record = root.parent / f"{suite}-record"
        self.record.mkdir()
        settings = root / "etc/flagfall"
        settings.mkdir()
        places = 'state_dir = "/var/lib/flagfall"\n'
        (settings / "table.toml").write_text(
            f'{places}buttons = "virtual"\nboard = "none"\nscreen = "none"\nblack_pin = 17\nwhite_pin = 27\n'
        )
        (settings / "hub.toml").write_text(
            f'{places}venue = "/var/lib/flagfall/venue"\nweb_port = {self.web}\nbroker_port = {self.broker}\n'
            'web_host = "0.0.0.0"\n'
        )

    def boot(self, *options: str) -> None:
        super().boot(f"--bind={self.record}:/var/lib/flagfall", *options)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        token = (self.record / "api-token").read_text().strip()
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.web}/api/1/{path}",
            data,
            {"Authorization": f"Bearer {token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    @property
    def table(self) -> Any:
        return self.ask("GET", "live")["devices"]["table-01"]

    def property(self, service: str, name: str) -> str:
        return self.says(f"systemctl show {service} --property={name} --value")

    def runs(self, version: str) -> bool:
        return bool(self.table["online"] and self.table["fit"] and self.table["version"] == version)

    def wheel(self, version: str, spoilt: str = "") -> str:
        """Return where a wheel of the checkout lies, under another version; `spoilt`: a line that its table begins
        with."""
        place = self.root.parent / version
        place.mkdir()
        wheel = make_wheel(place, place, version=version)
        there = self.root / "root" / wheel.name
        with ZipFile(wheel) as old, ZipFile(there, "w") as new:
            for entry in old.infolist():
                content = old.read(entry)
                if entry.filename == "table_app/main.py":
                    first = b"from __future__ import annotations\n"
                    assert first in content
                    content = content.replace(first, first + f"{spoilt}\n".encode(), 1)
                new.writestr(entry, content)
        self.says(f"mv /root/{wheel.name} /tmp && chmod 644 /tmp/{wheel.name}")
        return f"/tmp/{wheel.name}"


@pytest.fixture(params=["bookworm", "trixie"])
def room(request: pytest.FixtureRequest, tmp_path: Path, packages: dict[str, Path]) -> Iterator[Room]:
    needs_machine("debootstrap and systemd-nspawn do")
    room = Room(tmp_path / request.param, request.param, packages)
    yield room
    # Shown where the test has failed.
    print(room.does("journalctl -u 'flagfall*' --no-pager | tail -n 80").stdout)
    room.remove()


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.needs("debootstrap", "systemd-nspawn")
def test_from_the_first_installation_to_the_last_trace(room: Room, packages: dict[str, Path]) -> None:
    room.boot()

    # Installed: first the hub with its venue, then the table.
    room.says(f"{INSTALL} /root/flagfall-hub.deb")
    port = f"--port {room.broker} --address 127.0.0.1"
    room.says(f"{FLAGFALL} 'flagfall-hub venue init /var/lib/flagfall/venue {port}'")
    room.says("systemctl restart flagfall-broker flagfall-hub")
    until(lambda: room.ask("GET", "live")["link_up"], "the hub's link")
    room.says(f"{INSTALL} /root/flagfall-table.deb")
    until(lambda: room.property("flagfall-table", "ActiveState") == "active", "the table")
    # A stick is plugged in (a file system in memory; udev does not run in a container), and the table is the hub's.
    stick = "/run/flagfall-stick"
    room.says(f"mkdir {stick} && mount -t tmpfs -o mode=777 tmpfs {stick} && rm /var/lib/flagfall/identity")
    room.says(f"{FLAGFALL} 'flagfall-hub venue stick {stick} --tables 1 --host 127.0.0.1'")
    room.says("systemctl start flagfall-enrol")
    assert room.says(f"find {stick} -type f") == "", "nobody finds a key on it"
    assert re.search(r'judge_pin = "\d{6}"', room.says("cat /etc/flagfall/table.toml"))
    first = until(lambda: room.table["online"] and room.table["fit"] and room.table["version"], "the table")
    assert room.says("systemctl --failed --no-legend") == ""
    for service in SERVICES:
        shown = room.says(f"systemd-analyze security --no-pager {service}.service")
        exposed = re.search(r"Overall exposure level .*: (\d+\.\d)", shown)
        assert exposed is not None and float(exposed[1]) < 2.5, shown[-300:]

    # Again: an upgrade in place, back to the version before it, and forth. The record stays.
    identity = (room.record / "identity").read_bytes()
    newer(packages["table"], room.root / "root/newer.deb", "0.9.0")
    for package, version in (("newer", "0.9.0"), ("flagfall-table", first), ("newer", "0.9.0")):
        room.says(f"{INSTALL} --allow-downgrades /root/{package}.deb")
        until(lambda version=version: room.runs(version), f"the table as {version}")
    assert (room.record / "identity").read_bytes() == identity

    # A loop that turns no more is ended by systemd, and begun again.
    before = room.property("flagfall-table", "MainPID")
    room.says(f"kill -STOP {before}")
    until(lambda: room.property("flagfall-table", "MainPID") not in (before, "0"), "the watchdog")
    until(lambda: room.runs("0.9.0"), "the table after the watchdog")

    # From the hub: a good version, then one that cannot even be loaded.
    room.says(f"{FLAGFALL} 'flagfall-hub update {room.wheel('0.9.1')}'")
    until(lambda: room.runs("0.9.1"), "the new version")
    bad = room.wheel("0.9.2", "raise SystemExit('spoilt')")
    room.says(f"{FLAGFALL} 'flagfall-hub update {bad}'")
    until(lambda: "0.9.2 did not come up" in room.table["update"], "the bad version given up")
    until(lambda: room.runs("0.9.1"), "the version before it")

    # Off and on again, now with a root that cannot be written: everything is there by itself, in the version that came
    # from the hub.
    room.shut_down()
    room.boot("--volatile=state")
    assert room.does("touch /usr/lib/flagfall-table/x").returncode != 0
    until(lambda: room.runs("0.9.1"), "the table after a restart of the machine")

    # And without any network: the table is there all the same.
    room.shut_down()
    room.boot("--private-network")
    until(lambda: room.property("flagfall-table", "ActiveState") == "active", "the table without a network")
    room.shut_down()
    room.boot()
    until(lambda: room.runs("0.9.1"), "the table after another restart")

    # A lost device: the broker starts again without it, at once.
    began = room.property("flagfall-broker", "ExecMainStartTimestampMonotonic")
    room.says(f"{FLAGFALL} 'flagfall-hub venue revoke table-01'")
    until(
        lambda: room.property("flagfall-broker", "ExecMainStartTimestampMonotonic") not in (began, "0"),
        "the broker without it",
    )
    until(
        lambda: "certificate verify failed" in room.says("journalctl -u flagfall-broker --no-pager"),
        "the lost device refused",
    )

    # Purged: nothing is left but the record.
    room.says("apt-get -qq purge -y flagfall-table flagfall-hub")
    assert room.says("systemctl list-unit-files --no-legend 'flagfall*' || true") == ""
    left = room.says(
        "find / -xdev -name '*flagfall*' -not -path '/root/*' -not -path '/tmp/*' -not -path '/proc/*'"
    )
    assert [path for path in left.split() if not path.startswith("/var/lib/")] == []
    assert (room.record / "identity").read_bytes() == identity
