"""Real programs from the first code to the standings, over a venue's own broker; then the hub's laptop is lost."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.waiting import PATIENCE_S, until

from flagfall.othello.side import Side
from simulator.program import free_port
from simulator.table_socket import TableSocket

ROOT = Path(__file__).parents[2]


def run(module: str, *arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


class Venue:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.web_port, self.broker_port = free_port(), free_port()
        self.venue = folder / "venue"
        run(
            "hub.main", "venue", "init", self.venue, "--port", str(self.broker_port), "--address", "127.0.0.1"
        )
        settings = self.venue / "broker" / "mosquitto.conf"
        text = settings.read_text().replace("/var/lib/flagfall-broker/", f"{folder}/")
        settings.write_text(text + ("user root\n" if os.geteuid() == 0 else ""))
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.state = folder / "hub"

    def start(self, name: str, command: list[str], where: Path = ROOT) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(command, cwd=where, stdout=log, stderr=log)

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def broker(self) -> None:
        self.start("broker", ["mosquitto", "-c", "mosquitto.conf"], self.venue / "broker")
        until(
            lambda: socket.create_connection(("127.0.0.1", self.broker_port), 1).close() or True, "the broker"
        )

    @property
    def hub_options(self) -> list[str]:
        ports = ["--web-port", str(self.web_port), "--broker-port", str(self.broker_port)]
        return ["--state-dir", str(self.state), "--venue", str(self.venue), *ports]

    def hub(self) -> None:
        self.start("hub", [sys.executable, "-m", "hub.main", "run", *self.hub_options])
        until(lambda: self.ask("GET", "live")["link_up"], "the hub and its link")

    def table(self, name: str) -> TableSocket:
        state = self.folder / name
        command = [sys.executable, "-m", "table_app.main", "run", "--config", str(state / "table.toml")]
        command += ["--state-dir", str(state), "--virtual-pins", "--board", "none", "--screen", "none"]
        self.start(name, command)
        table = TableSocket(state)
        until(lambda: table.see(), f"{name}: {(self.folder / f'{name}.log').read_text()}")
        return table

    def ask(self, method: str, path: str, body: object = None) -> Any:
        token = (self.state / "api-token").read_text().strip()
        data = None if body is None else json.dumps(body).encode()
        address = f"http://127.0.0.1:{self.web_port}/api/1/{path}"
        request = urllib.request.Request(address, data, {"Authorization": f"Bearer {token}"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    def games(self) -> list[Any]:
        games: list[Any] = self.ask("GET", "tournaments/open")["games"]
        return games

    def close(self) -> None:
        for name in list(self.processes):
            self.kill(name)


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[Venue]:
    venue = Venue(tmp_path)
    yield venue
    venue.close()


def played(table: TableSocket, black: int, white: int) -> None:
    """Play a game without a sensor board as its players and judge do, up to both signatures."""

    def may_begin() -> bool:
        seen = json.loads(table._ask("state"))
        return seen.get("state") == "waiting" and bool(seen.get("start_told"))

    until(may_begin, "the start at the table")
    table.button(Side.WHITE, down=True)
    table.button(Side.WHITE, down=False)
    until(lambda: table.see().state == "running", "running")
    assert table.tap({"type": "ruling", "rule": "enter_score", "black": black, "white": white}) == ""
    until(lambda: table.see().state == "finished", "the end")
    for side in Side:
        assert table.tap({"type": "sign", "by": side.value}) == ""
    until(lambda: table.see().state == "signed", "both signatures")


@pytest.mark.needs("mosquitto")
@pytest.mark.timeout(900)
@pytest.mark.long
def test_from_the_first_code_to_a_second_laptop(venue: Venue, tmp_path: Path) -> None:
    venue.broker()
    venue.hub()
    # One table by a code, the other from the stick.
    code = venue.ask("POST", "enrolments", {"device": "table-01", "seat": 1})["code"]
    address = f"http://127.0.0.1:{venue.web_port}"
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    where = ["--state-dir", str(tmp_path / "one"), "--config", str(tmp_path / "one" / "table.toml")]
    assert "table-01" in run("table_app.main", "enrol", code, "--hub", address, *where)
    (tmp_path / "stick").mkdir()
    stick = ["stick", str(tmp_path / "stick"), "--tables", "1", "--first", "2", "--host", "127.0.0.1"]
    (tmp_path / "pin").write_text("1234\n")
    (tmp_path / "pin").chmod(0o600)
    run("hub.main", "venue", *stick, "--judge-pin-file", str(tmp_path / "pin"), *venue.hub_options)
    where = ["--state-dir", str(tmp_path / "two"), "--config", str(tmp_path / "two" / "table.toml")]
    assert "table-02" in run("table_app.main", "enrol", str(tmp_path / "stick"), *where)
    used = subprocess.run(
        [sys.executable, "-m", "table_app.main", "enrol", code, "--hub", address, "--again", *where],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert used.returncode == 2 and "used" in used.stderr, "a code works once"

    first, second = venue.table("one"), venue.table("two")
    file = {
        "format": "flagfall-tournament/1",
        "name": "Open",
        "rulebook": "woc-2019",
        "system": "swiss",
        "rounds_planned": 3,
        "seed": 5,
        "players": [{"id": f"p{number}"} for number in range(1, 5)],
        "rounds": [],
    }
    venue.ask("PUT", "tournaments/open", file)
    venue.ask("POST", "tournaments/open/pairings", {"sensors": False})
    venue.ask("POST", "tournaments/open/start", {})
    played(first, 40, 24)
    until(lambda: venue.games()[0]["signed"], "the first result")
    backup, *_heads = run("hub.main", "backup", tmp_path, *venue.hub_options).splitlines()
    played(second, 10, 54)
    until(lambda: all(game["signed"] for game in venue.games()), "both results")
    until(lambda: json.loads(first._ask("state"))["phase"] == "received", "the receipt at the table")
    venue.ask("POST", "tournaments/open/pairings", {"sensors": False})
    venue.ask("POST", "tournaments/open/start", {})
    played(second, 33, 31)
    venue.kill("two")  # its result may be on its way
    games = [game["game"] for game in venue.games()]
    second.close()

    # The laptop is gone, with a result and a round that no backup has.
    venue.kill("hub")
    venue.state = tmp_path / "two"
    venue.venue = tmp_path / "two" / "venue"
    run("hub.main", "restore", backup, *venue.hub_options)
    venue.hub()
    second = venue.table("two")
    until(lambda: all(game["signed"] for game in venue.games()), "the lost result of the first round")
    assert [game["score"] for game in venue.games()] == [[40, 24], [10, 54]]
    venue.ask("POST", "tournaments/open/pairings", {"sensors": False})
    assert [game["game"] for game in venue.games()] == games, "the same round again"
    until(lambda: venue.games()[1]["signed"], "the result of a round that the backup did not know")
    assert venue.games()[1]["score"] == [33, 31]
    venue.ask("POST", "tournaments/open/start", {})
    played(first, 20, 44)
    until(lambda: venue.ask("GET", "tournaments/open")["complete"], "the round")
    verify = [sys.executable, "-m", "hub.main", "verify", *venue.hub_options]
    until(
        lambda: subprocess.run(verify, cwd=ROOT, timeout=PATIENCE_S).returncode == 0,
        "every receipt of the tables",
    )

    # A lost table is heard no more.
    run("hub.main", "venue", "revoke", "table-02", *venue.hub_options)
    assert list(venue.ask("GET", "live")["devices"]) == ["table-01"]
    first.close()
    second.close()
