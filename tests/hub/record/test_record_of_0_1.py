"""State folders that 0.1.0 wrote: today's hub and table go on from them, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prepared import unpacked
from waiting import until

from hub.console.login.accounts import Accounts, Role
from hub.main import main
from hub.tables.devices import Devices
from link.identity import broker_token, load

pytestmark = pytest.mark.needs("mosquitto")
ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "tests" / "data" / "state-0.1.0.tar.gz"
PASSWORD = "a password of 0.1"


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """The folders of a hub and a table that 0.1.0 left."""
    unpacked(SAMPLE, tmp_path)
    return tmp_path


@pytest.fixture
def table(before: Path) -> Iterator[Any]:
    """Starts today's program in the table's folder."""
    started: list[subprocess.Popen[bytes]] = []

    def start(port: int) -> None:
        options = [
            "--virtual-pins",
            "--screen",
            "none",
            "--board",
            "none",
            "--state-dir",
            str(before / "table-01"),
        ]
        options += ["--broker-host", "127.0.0.1", "--broker-port", str(port)]
        command = [sys.executable, "-m", "table_app.main", "run", *options]
        with (before / "table.log").open("wb") as log:
            started.append(subprocess.Popen(command, cwd=ROOT, stderr=log, env=os.environ))

    yield start
    for one in started:
        one.terminate()
        one.wait(30)


def test_hub_and_table_go_on_and_the_table_enters_without_a_new_code(
    before: Path, new_hub: Any, table: Any
) -> None:
    enrolled = Devices(before / "hub" / "devices.json").all
    identity = load(before / "table-01" / "identity")
    assert identity.token != broker_token(identity.key), "0.1 drew it by lot"
    settings = before / "hub.toml"
    settings.write_text(settings.read_text().replace("STATE", str(before / "hub")))
    hub = new_hub(before / "hub")
    hub.start("--config", str(settings))
    assert "enrolled by 0.1, enter once they run 0.2 (systemd/install.sh table): table-01" in hub.lines()
    table(hub.ports["broker_port"])
    until(lambda: hub.told("GET", "live")["devices"]["table-01"]["online"])
    told = hub.told("GET", "tournaments/demo")
    assert told["complete"] and told["round"] == 2
    assert hub.stop() == 0
    assert Devices(before / "hub" / "devices.json").all == enrolled
    assert main(["verify", "--state-dir", str(before / "hub")]) == 0


def test_accounts_of_0_1_enter_with_their_passwords(before: Path) -> None:
    accounts = Accounts(before / "hub" / "accounts.json")
    assert [(one.name, one.role) for one in accounts.all] == [("Vega", Role.DIRECTOR), ("Deneb", Role.VIEWER)]
    assert accounts.password_fits("Vega", PASSWORD) and not accounts.password_fits("Deneb", PASSWORD)
    assert Accounts(before / "hub" / "accounts.json").password_fits("Deneb", "another of 0.1")


def test_a_backup_of_0_1_is_restored(before: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = ["--state-dir", str(before / "restored")]
    assert main(["restore", str(before / "backup.tar"), *state]) == 0
    assert main(["verify", "--json", *state]) == 0
    verified = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert verified
    assert Devices(before / "restored" / "devices.json").key("table-01") is not None
    shutil.rmtree(before / "restored")
