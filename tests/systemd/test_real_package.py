"""The packages of `make deb` on real machines: from nothing, upgraded, removed, purged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.prepared import needs_machine
from helpers.service_machine import INSTALL, Machine, newer, until

TABLE = (
    'state_dir = "/var/lib/flagfall"\nbuttons = "virtual"\nboard = "none"\nscreen = "none"\n'
    'black_pin = 17\nwhite_pin = 27\njudge_pin = "4711"\n'
)
KEPT = "find /var/lib/flagfall -name identity -o -name '*secret*' -o -name api-token | sort | xargs sha256sum"
STATE_OF_SYSTEMD = "/var/lib/systemd/deb-systemd-helper-enabled"


@pytest.fixture(params=["bookworm", "trixie"])
def machine(request: pytest.FixtureRequest, tmp_path: Path, packages: dict[str, Path]) -> Iterator[Machine]:
    needs_machine("debootstrap and systemd-nspawn do")
    machine = Machine(tmp_path / request.param, request.param, packages)
    yield machine
    print(machine.does("journalctl -u 'flagfall*' -u mosquitto --no-pager | tail -n 80").stdout)
    machine.remove()


def settled(machine: Machine, service: str) -> str:
    """Return the command of the service's main process, once it runs."""

    def program() -> str:
        assert machine.says(f"systemctl is-active {service}") == "active"
        return machine.says(f"tr '\\0' ' ' </proc/$(systemctl show {service} -P MainPID)/cmdline")

    return str(until(program, f"{service} at work"))


def linked(machine: Machine, port: int) -> bool:
    """Return whether the hub has its broker."""
    ask = (
        "import json, urllib.request as web; token = open('/var/lib/flagfall/api-token').read().strip();"
        f"asked = web.Request('http://127.0.0.1:{port}/api/1/live', headers={{'Authorization': 'Bearer ' + token}});"
        "print(json.load(web.urlopen(asked))['link_up'])"
    )
    return machine.says(f'python3 -c "{ask}"') == "True"


def answered_by(machine: Machine) -> str:
    """Return what says that it serves the first page."""
    ask = "import urllib.request as web; print(web.urlopen('http://127.0.0.1:8000/').headers['server'])"
    return machine.says(f'python3 -c "{ask}"')


def fit(machine: Machine, port: int = 8000) -> None:
    """Table, hub and broker run, each from its package."""
    assert "/usr/lib/flagfall-table/" in settled(machine, "flagfall-table")
    assert "/usr/lib/flagfall-hub/" in settled(machine, "flagfall-hub")
    until(lambda: linked(machine, port), "the hub's broker")
    assert machine.says("systemctl is-active mosquitto || true") == "inactive"
    for role in ("table", "hub"):
        unit = f"/lib/systemd/system/flagfall-{role}.service"  # bookworm leaves /usr out
        assert machine.says(f"systemctl show flagfall-{role} -P FragmentPath").endswith(unit)
        assert "usage: " in machine.says(f"flagfall-{role} --help")


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.needs("debootstrap", "systemd-nspawn")
def test_from_nothing_to_purged(machine: Machine, packages: dict[str, Path]) -> None:
    for service in ("mosquitto", "nginx"):
        (machine.root / f"etc/systemd/system/{service}.service").unlink()
    settings = machine.root / "etc/flagfall"
    settings.mkdir()
    (settings / "table.toml").write_text(TABLE)
    machine.boot("--private-network")
    for service in ("mosquitto", "nginx"):
        assert machine.says(f"systemctl is-active {service}") == "active", "Debian's own"
    for role in packages:
        machine.says(f"{INSTALL} /root/flagfall-{role}.deb")
    fit(machine)
    assert (settings / "table.toml").read_text() == TABLE
    assert machine.says("id -gn flagfall") == "flagfall"
    assert len(machine.says("getent group gpio dialout video render input audio").splitlines()) == 6
    assert machine.says("systemctl list-units --failed --no-legend 'flagfall*'") == ""
    # nginx meets the browsers where the hub is told so.
    assert machine.says("systemctl is-active nginx flagfall-web || true").split() == ["inactive"] * 2
    machine.says("echo 'web_socket = \"/run/flagfall-hub/web.sock\"' >>/etc/flagfall/hub.toml")
    machine.says("systemctl restart flagfall-hub")
    until(lambda: answered_by(machine) == "nginx", "the page through nginx")

    # Off and on: all is there by itself. An upgrade keeps record, settings, and off what its owner has switched off.
    machine.shut_down()
    machine.boot("--private-network")
    fit(machine)
    assert answered_by(machine) == "nginx"
    kept = machine.says(KEPT)
    machine.says("systemctl disable --now flagfall-revoked.path")
    for role, package in packages.items():
        newer(package, machine.root / f"root/newer-{role}.deb")
        machine.says(f"{INSTALL} /root/newer-{role}.deb")
    fit(machine)
    assert machine.says("systemctl is-enabled flagfall-revoked.path || true") == "disabled"
    assert machine.says("systemctl is-enabled flagfall-table flagfall-hub").split() == ["enabled"] * 2
    assert machine.says(KEPT) == kept and (settings / "table.toml").read_text() == TABLE

    # Without nginx the page is the hub's own again, once the hub is told.
    assert "take web_socket out" in machine.says("apt-get -q remove -y flagfall-venue")
    machine.says("sed -i /web_socket/d /etc/flagfall/hub.toml && systemctl restart flagfall-hub")
    until(lambda: answered_by(machine) != "nginx", "the hub's own page")

    # Removed, the settings stay; purged, only the record.
    machine.says("apt-get -qq remove -y flagfall-table flagfall-hub")
    assert machine.says("pgrep -u flagfall || true") == ""
    assert machine.says("find /usr -name '*flagfall*'") == ""
    assert (settings / "table.toml").read_text() == TABLE
    output = machine.says("apt-get -q purge -y flagfall-venue flagfall-table flagfall-hub")
    assert "/var/lib/flagfall stays" in output
    assert machine.says(f"find /etc /usr /opt {STATE_OF_SYSTEMD} -name '*flagfall*'") == ""
    assert machine.says(KEPT) == kept
