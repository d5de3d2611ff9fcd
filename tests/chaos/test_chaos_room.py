"""A tournament while everything around it fails: nothing lost, nothing twice, no standing wrong.

Hub, broker, store, network and tables are processes that are killed without warning at random instants; the network
between tables and broker repeats, reorders, tears and holds back; the hub's wall clock jumps. The seed is fixed, the
instants are the machine's. Figures are printed (`pytest -s`).
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers.waiting import PATIENCE_S, until

from flagfall.base.errors import Failed
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.store import StoreFailed
from flagfall.link import identity as identities
from simulator.director import Director
from simulator.expected import PlayedGame, difference, expected_standings
from simulator.program import Program, free_port, wait_until

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


class Process(Program):
    """Any command as a program of the room."""

    def __init__(
        self, name: str, command: list[str], folder: Path, environment: dict[str, str] | None = None
    ) -> None:
        super().__init__(name, "", (), folder, environment)
        self._command = command


@dataclass
class Room:
    """`seed` chooses what is killed when, and what the network does."""

    folder: Path
    tables: int
    rounds: int
    seed: int
    mosquitto: bool = False
    redis: bool = False
    kills: dict[str, int] = field(default_factory=dict)
    waiting_s: float = 0.0

    def __post_init__(self) -> None:
        self.web_port, self.broker_port, self.network_port = free_port(), free_port(), free_port()
        self.hub_folder, self.crowd_folder = self.folder / "hub", self.folder / "crowd"
        for folder in (self.hub_folder, self.crowd_folder):
            folder.mkdir(parents=True)
        arguments = [f"--state-dir={self.hub_folder}", f"--web-port={self.web_port}"]
        arguments.append(f"--broker-port={self.broker_port}")
        self.programs: dict[str, Program] = {}
        if self.mosquitto:
            identities.save(identities.create("hub"), self.hub_folder / "broker-identity")
            arguments += ["--broker=external", f"--broker-identity={self.hub_folder / 'broker-identity'}"]
            settings = self.folder / "mosquitto.conf"
            settings.write_text(
                f"listener {self.broker_port} 127.0.0.1\nallow_anonymous true\n"
                "persistence false\nmax_queued_messages 0\n"
            )
            self.programs["broker"] = Process("broker", ["mosquitto", "-c", str(settings)], self.folder)
        self.ledger: str | Path = self.hub_folder / "ledger.sqlite"
        if self.redis:
            # Not in the test's folder: the path of a unix socket is at most 107 characters long.
            self.socket_folder = tempfile.mkdtemp(prefix="flagfall-")
            self.ledger = f"unix://{self.socket_folder}/s"
            arguments.append(f"--ledger={self.ledger}")
            store = ["redis-server", "--port", "0", "--unixsocket", f"{self.socket_folder}/s", "--save", ""]
            store += ["--appendonly", "yes", "--appendfsync", "always", "--dir", str(self.folder)]
            self.programs["store"] = Process("store", store, self.folder)
        jumping = {"PYTHONPATH": os.pathsep.join((str(HERE / "wrong_clock"), str(ROOT)))}
        self.programs["hub"] = Program("hub", "hub.main", ["run", *arguments], self.folder, jumping)
        crowd = [
            sys.executable,
            str(HERE / "crowd.py"),
            str(self.crowd_folder),
            "127.0.0.1",
            str(self.network_port),
        ]
        environment = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}
        self.programs["tables"] = Process("tables", crowd, self.folder, environment)
        self.counts_file = self.folder / "network.json"
        network = [str(HERE / "proxy.py"), str(self.network_port), str(self.broker_port), str(self.seed)]
        self.programs["network"] = Process(
            "network", [sys.executable, *network, str(self.counts_file)], self.folder
        )
        self.random = Random(self.seed)

    @property
    def director(self) -> Director:
        token = (self.hub_folder / "api-token").read_text("ascii").strip()
        return Director(f"http://127.0.0.1:{self.web_port}", token, "open")

    def open(self) -> None:
        for name in ("network", "broker", "store"):
            if name in self.programs:
                self.programs[name].start()
        if self.redis:
            wait_until(self._store_answers, PATIENCE_S, "the store", self.programs["store"])
        self.programs["hub"].start()
        wait_until(
            (self.hub_folder / "addresses.json").exists, PATIENCE_S, "the hub's start", self.programs["hub"]
        )
        for number in range(1, self.tables + 1):
            identity = self.director.enrol(f"t{number:03}", number)
            identities.save(identity, self.crowd_folder / f"{identity.device}.identity")
        self.programs["tables"].start()
        self.director.create(
            {
                "format": "flagfall-tournament/1",
                "name": "Chaos",
                "rulebook": "woc-2019",
                "system": "swiss",
                "rounds_planned": self.rounds,
                "seed": self.seed,
                "players": [{"id": f"P{number:03}"} for number in range(1, 2 * self.tables + 1)],
                "rounds": [],
            }
        )

    def play(self, within_s: float) -> None:
        """All rounds, whatever happens meanwhile; the trouble is made from a thread of its own."""
        ending = threading.Event()
        trouble = threading.Thread(target=self._trouble, args=(ending,), daemon=True)
        trouble.start()
        try:
            for round_ in range(1, self.rounds + 1):
                if round_ == self.rounds:
                    wait_until(lambda: set(self.kills) == set(self.programs), PATIENCE_S, "each killed once")
                until(
                    lambda n=round_: self._published(n), f"round {round_} cannot be published", within_s, ()
                )
                until(self._all_in, self._missing, within_s, ())
        finally:
            ending.set()
            trouble.join(PATIENCE_S)

    def _store_answers(self) -> bool:
        try:
            open_ledger(self.ledger).close()
        except StoreFailed:
            return False
        return True

    def _published(self, round_: int) -> bool:
        try:
            self.director.publish(round_)
        except Failed as refused:
            if any(word in str(refused) for word in ("ledger", "unix://", "no answer")):
                return False  # the store or the hub is away: a director tries again
            raise
        return True

    def _trouble(self, ending: threading.Event) -> None:
        names = sorted(self.programs)
        first = self.random.sample(names, len(names))  # each once, then whichever
        while not ending.wait(self.random.uniform(0.3, 2.5)):
            name = first.pop() if first else self.random.choice(names)
            self.programs[name].kill()
            self.kills[name] = self.kills.get(name, 0) + 1
            if self.random.random() < 0.3:
                ending.wait(self.random.uniform(0.1, 2.0))  # and is away for a while
            whole = self.random.random() < 0.7  # or the next kill may come while they still start
            while True:
                for program in self.programs.values():
                    program.start()  # as systemd does, also where one has ended because another was away
                if not whole or self.director.games() is not None or ending.wait(0.1):
                    break

    def _all_in(self) -> bool:
        games = self.director.games()
        return bool(games) and all(game.score is not None and game.signed for game in games or ())

    def _missing(self) -> str:
        waiting = [game.game for game in self.director.games() or () if game.score is None or not game.signed]
        dropped = self.director.live()["last_dropped"]
        return f"no signed result of {len(waiting)} games: {waiting[:5]}, dropped {dropped}"

    def all_acknowledged(self) -> bool:
        """Every table knows that every result of its has arrived."""
        for file in self.crowd_folder.glob("*.outbox"):
            with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as outbox:
                (waiting,) = outbox.execute("SELECT count(*) FROM letter").fetchone()
            outbox.close()
            if waiting:
                return False
        return True

    def close(self) -> None:
        for program in self.programs.values():
            program.kill()
        if self.redis:
            shutil.rmtree(self.socket_folder, ignore_errors=True)


def checked(room: Room) -> dict[str, Any]:
    """Everything that must hold at the end; the figures."""
    spec = importlib.util.spec_from_file_location("crowd", HERE / "crowd.py")
    assert spec is not None and spec.loader is not None
    crowd = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(crowd)

    wait_until(room.all_acknowledged, PATIENCE_S, "receipts for everything")
    verified = subprocess.run(
        [
            *(sys.executable, "-m", "hub.main", "verify", "--json"),
            *(f"--state-dir={room.hub_folder}", f"--ledger={room.ledger}"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    standings = room.director.standings()
    live = room.director.live()
    room.programs["hub"].stop()
    ledger = open_ledger(room.ledger, read_only=True)
    entries = list(ledger.read("open"))
    assert ledger.verify("open") is None
    ledger.close()

    labels = [entry.at for entry in entries]
    assert labels != sorted(labels), "the wall clock was to jump"

    games = [
        (game["game"], game["black"], game["white"])
        for entry in entries
        if entry.type == "pairing_published"
        for game in json.loads(entry.body)["games"]
    ]
    assert len(games) == room.tables * room.rounds
    results = [entry.id for entry in entries if entry.type == "result_received"]
    assert all(entry.type != "result_judged" for entry in entries), "the hub's referee found the same"
    expected_results = [f"result.{game}.{revision}" for game, _, _ in games for revision in (1, 2)]
    assert sorted(results) == sorted(expected_results), "nothing lost, nothing twice, nothing else"
    for entry in entries:
        if entry.type == "result_received":
            body = json.loads(entry.body)
            assert tuple(body["score"]) == crowd.score_of(body["game"])
    expected = expected_standings(
        PlayedGame(black, white, crowd.score_of(game)) for game, black, white in games
    )
    stored = [
        (line["player"], float(line["points"]), float(line["bq"]), int(line["discs"])) for line in standings
    ]
    assert difference(stored, expected) is None
    assert "result put aside" not in live["dropped"], live["last_dropped"]
    assert verified.returncode == 0, verified.stdout + verified.stderr
    receipts = json.loads(verified.stdout)["receipts"]
    assert receipts > 0
    return {
        "games": len(games),
        "results": len(results),
        "entries": len(entries),
        "receipts verified": receipts,
        "kills": dict(sorted(room.kills.items())),
        "network": json.loads(room.counts_file.read_text()),
    }


@pytest.fixture
def new_room(tmp_path: Path) -> Iterator[Any]:
    rooms: list[Room] = []

    def make(**how: Any) -> Room:
        rooms.append(Room(tmp_path / f"room{len(rooms)}", **how))
        return rooms[-1]

    yield make
    for room in rooms:
        room.close()


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_short_tournament_with_the_hubs_own_broker(new_room: Any) -> None:
    """Hub and broker die together."""
    room = new_room(tables=5, rounds=3, seed=1)
    _run(room, 480)


@pytest.mark.timeout(600)
@pytest.mark.needs("mosquitto")
@pytest.mark.long
def test_a_short_tournament_with_a_broker_that_forgets(new_room: Any) -> None:
    room = new_room(tables=6, rounds=3, seed=2, mosquitto=True)
    _run(room, 480)


@pytest.mark.timeout(600)
@pytest.mark.needs("redis")
@pytest.mark.long
def test_a_short_tournament_with_a_store_that_goes_away(new_room: Any) -> None:
    room = new_room(tables=4, rounds=2, seed=5, redis=True)
    _run(room, 480)


@pytest.mark.long
@pytest.mark.timeout(1500)
@pytest.mark.needs("mosquitto")
@pytest.mark.parametrize("seed", [3, 4])
def test_a_thousand_games_at_a_hundred_tables(new_room: Any, seed: int) -> None:
    room = new_room(tables=100, rounds=10, seed=seed, mosquitto=True)
    figures = _run(room, 1300)
    assert figures["games"] == 1000


def _run(room: Room, within_s: float) -> dict[str, Any]:
    begun_s = time.monotonic()
    room.open()
    room.play(within_s)
    figures = checked(room)
    print(f"\n{time.monotonic() - begun_s:.0f} s, seed {room.seed}: {figures}")
    assert len(figures["kills"]) == len(room.programs)
    shutil.rmtree(room.folder, ignore_errors=True)
    return figures
