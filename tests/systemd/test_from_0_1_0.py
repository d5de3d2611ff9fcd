"""What 0.1.0's installer made, in the middle of an evening, taken over by today's installer and by today's packages."""

from __future__ import annotations

import copy
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from machine import ROOT, Machine, until
from prepared import absent, needs_machine
from test_real_package import INSTALL

from othello.side import Side
from simulator.director import Director
from simulator.program import free_port
from simulator.table_socket import TableSocket

COMMIT = "8d646a345c2f68a323f8b375416be02ec3c813a7"
"""0.1.0, as it was released."""
OLD = "/root/old"
STATE = "/var/lib/flagfall"
PASSWORD = "as of 0.1.0"
KEPT = (
    "find /var/lib/flagfall -name identity -o -name '*secret*' -o -name api-token -o -name accounts.json "
    "-o -path '*/games/1-*' | sort | xargs sha256sum"
)
TABLE = (
    'state_dir = "/var/lib/flagfall"\nbuttons = "virtual"\nboard = "none"\nscreen = "none"\nbroker_host = "127.0.0.1"\n'
    'judge_pin = "4711"\n'
)


class OldMachine(Machine):
    """Table and hub of 0.1.0, with a tournament of which round 2 is being played."""

    def __init__(self, root: Path, suite: str) -> None:
        super().__init__(root, suite)
        self.web, self.broker = free_port(), free_port()
        self.settings = {
            "table.toml": f"{TABLE}broker_port = {self.broker}\n",
            "hub.toml": f'state_dir = "{STATE}"\nweb_port = {self.web}\nbroker_port = {self.broker}\n',
        }
        folder = root / "etc/flagfall"
        folder.mkdir()
        for name, text in self.settings.items():
            (folder / name).write_text(text)
        (root / OLD[1:]).mkdir()
        packed = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, capture_output=True, check=False)
        if packed.returncode:
            absent(f"needs the repository's history: {packed.stderr.decode().strip()}")
        subprocess.run(["tar", "-x", "-C", root / OLD[1:]], input=packed.stdout, check=True)
        shutil.copy(Path(__file__).with_name("evening_of_0_1_0.py"), root / "root")

    def begin(self) -> None:
        self.boot()
        for role in ("hub", "table"):
            assert f"installed as a {role}" in self.says(f"cd {OLD} && sh systemd/install.sh {role}")
        hub = "/opt/flagfall/current/bin/flagfall-hub account put Chief --role director --config /etc/flagfall/hub.toml"
        self.says(f"echo '{PASSWORD}' | {hub} && chown -R flagfall: {STATE}")
        until(lambda: (self.root / STATE[1:] / "api-token").exists(), "the hub's token")
        self.says("systemctl stop flagfall-table")
        python = f"cd {OLD} && /opt/flagfall/current/bin/python /root/evening_of_0_1_0.py"
        self.says(f"{python} {self.web} {self.broker} && chown -R flagfall: {STATE}")
        self.says("systemctl start flagfall-table")

    @property
    def state(self) -> Path:
        return self.root / STATE[1:]

    @property
    def director(self) -> Director:
        token = (self.state / "api-token").read_text().strip()
        return Director(f"http://127.0.0.1:{self.web}", token, "evening")

    def table(self) -> dict[str, Any]:
        """What the hub says of table 1."""
        return dict((self.director.live() or {"devices": {}})["devices"]["table-01"])

    def signed_in(self) -> bool:
        """Whether the director of 0.1.0 comes in with his password."""
        form = urlencode({"name": "Chief", "password": PASSWORD}).encode()
        with build_opener(HTTPCookieProcessor()).open(
            f"http://127.0.0.1:{self.web}/desk/enter", form
        ) as page:
            return bool(page.url.endswith("/desk"))

    def twin(self, root: Path) -> OldMachine:
        """Another machine with a copy of this one's disk."""
        subprocess.run(["cp", "-a", "--reflink=auto", self.root, root], check=True)
        other = copy.copy(self)
        other.root = root
        return other


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OldMachine]:
    """Switched off in the middle of round 2."""
    needs_machine("debootstrap and systemd-nspawn do")
    one = OldMachine(tmp_path_factory.mktemp("old") / "old", "bookworm")
    try:
        one.begin()
        one.shut_down()
        yield one
    finally:
        one.remove()


def by_installer(machine: OldMachine) -> None:
    for role in ("hub", "table"):
        assert f"installed as a {role}" in machine.says(f"sh systemd/install.sh {role}")


def by_packages(machine: OldMachine) -> None:
    machine.says(f"{INSTALL} /root/flagfall-table.deb /root/flagfall-hub.deb")


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.needs("debootstrap", "systemd-nspawn")
@pytest.mark.parametrize("upgrade", [by_installer, by_packages])
def test_an_evening_begun_with_0_1_0_ends_with_today(
    old: OldMachine, packages: dict[str, Path], tmp_path: Path, upgrade: Callable[[OldMachine], None]
) -> None:
    machine = old.twin(tmp_path / "twin")
    for role, package in packages.items():
        shutil.copy(package, machine.root / f"root/flagfall-{role}.deb")
    try:
        machine.boot()
        until(
            lambda: machine.table()["version"] == "0.1.0" and machine.table()["online"], "0.1.0 at work again"
        )
        before, kept = machine.director.standings(), machine.says(KEPT)
        game = machine.table()["game"]
        assert game and [line["points"] for line in before] != [0] * 4

        upgrade(machine)
        until(
            lambda: machine.table()["version"] == version("flagfall") and machine.table()["online"],
            "today's table",
        )
        assert machine.says("systemctl is-active flagfall-hub flagfall-table").split() == ["active"] * 2
        assert machine.says("systemctl list-units --failed --no-legend 'flagfall*'") == ""
        assert {
            name: (machine.root / "etc/flagfall" / name).read_text() for name in machine.settings
        } == machine.settings
        assert machine.says(KEPT) == kept
        assert machine.signed_in()
        assert machine.director.standings() == before
        assert "the chain is whole" in machine.says(
            "su -s /bin/sh flagfall -c 'flagfall-hub verify --config /etc/flagfall/hub.toml'"
        )

        # The game that 0.1.0 began goes on to its end.
        assert machine.table()["game"] == game
        hands = TableSocket(machine.state)
        for side in Side:
            assert hands.tap({"type": "ready", "by": side}) == ""
        assert hands.tap({"type": "resign", "by": Side.WHITE}) == ""
        until(lambda: hands.see().state == "finished", "the end of the game")
        for side in Side:
            assert hands.tap({"type": "sign", "by": side}) == ""
        hands.close()
        (ended,) = until(
            lambda: [one for one in machine.director.games() or () if one.game == game and one.signed],
            "the result at the hub",
        )
        assert ended.score is not None and ended.score[0] > ended.score[1]
    finally:
        print(machine.does("journalctl -u 'flagfall*' --no-pager | tail -n 80").stdout)
        machine.remove()
