"""A hub process with its broker and its store, enrolled devices, and a published round: what the hub's benches load."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flagfall.link.identity import Identity, create, save
from simulator.director import Director, HubGame, swiss
from simulator.program import Program, free_port, wait_until

ROOT = Path(__file__).parents[2]
UP_WITHIN_S = 60.0
TOURNAMENT = "bench"


def until(condition: Callable[[], Any], event: str, within_s: float = UP_WITHIN_S) -> Any:
    """Return what the condition gives once it is true. Raise TimeoutError if it never is."""
    deadline_s = time.monotonic() + within_s
    while not (value := condition()):
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"{event}: not within {within_s:g} s")
        time.sleep(0.005)
    return value


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def installed(program: str) -> bool:
    return shutil.which(program) is not None


def more_files() -> None:
    """Raise the limit of open files: a thousand connections need as many."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@dataclass(slots=True)
class Used:
    """The resources that a process has used."""

    # So far.
    processor_s: float
    # Now.
    resident_mb: float


def used(pid: int) -> Used:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return Used(ticks / os.sysconf("SC_CLK_TCK"), resident * resource.getpagesize() / 1024**2)


def used_by_all(pid: int) -> Used:
    """Return the resources of a process and all that it has started, pages that they share counted for each."""
    children = " ".join(file.read_text("ascii") for file in Path(f"/proc/{pid}/task").glob("*/children"))
    every = [used(pid), *(used_by_all(int(child)) for child in children.split())]
    return Used(sum(process.processor_s for process in every), sum(process.resident_mb for process in every))


def mosquitto(folder: Path, port: int) -> list[str]:
    """Return the command. It is a venue's (hub/venue/folder.py) without certificates: the load is one of messages, not
    of ciphers.
    """
    settings = folder / "mosquitto.conf"
    settings.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n"
        "max_queued_messages 5000\nmax_inflight_messages 1000\nmax_connections -1\nset_tcp_nodelay true\n"
    )
    return ["mosquitto", "-c", str(settings)]


class Venue:
    """A hub under load, on loopback, in a temporary folder. `broker`: embedded or mosquitto; `store`: sqlite or
    redis. `program`: the hub's, or one that watches it.
    """

    def __init__(self, broker: str = "embedded", store: str = "sqlite", *, program: str = "hub.main") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="flagfall-bench-"))
        self.web_port, self.broker_port = free_port(), free_port()
        self.devices: list[Identity] = []
        self._servers: list[subprocess.Popen[bytes]] = []
        options = [f"--state-dir={self.folder}", f"--web-port={self.web_port}"]
        options += [f"--broker-port={self.broker_port}"]
        if broker == "mosquitto":
            self._serve(mosquitto(self.folder, self.broker_port), self.broker_port)
            save(create("hub"), self.folder / "hub-identity")
            options += ["--broker=external", f"--broker-identity={self.folder / 'hub-identity'}"]
        if store == "redis":
            options += [f"--ledger=redis://127.0.0.1:{self._start_redis()}/0"]
        self._hub = Program("hub", program, ["run", *options], self.folder, {"PYTHONPATH": str(ROOT)})
        self._hub.start()
        wait_until((self.folder / "addresses.json").exists, UP_WITHIN_S, "the hub", self._hub)
        token = (self.folder / "api-token").read_text("ascii").strip()
        self.director = Director(self.page, token, TOURNAMENT)

    @property
    def page(self) -> str:
        return f"http://127.0.0.1:{self.web_port}"

    @property
    def hub_pid(self) -> int:
        assert self._hub.pid is not None
        return self._hub.pid

    def round(self, tables: int) -> tuple[HubGame, ...]:
        """Enrol devices for so many tables, enter two players each, publish and start the first round."""
        self.devices += [self.director.enrol(f"table-{seat:04}", seat) for seat in range(1, tables + 1)]
        players = [f"p{number}" for number in range(1, 2 * tables + 1)]
        self.director.create(swiss("A bench", players, rounds=13))
        games = self.director.publish(1)
        self.director.start()
        return games

    def _start_redis(self) -> int:
        port = free_port()
        options = ["--save", "", "--appendonly", "yes", "--appendfsync", "always", "--bind", "127.0.0.1"]
        self._serve(["redis-server", "--port", str(port), "--dir", str(self.folder), *options], port)
        return port

    def _serve(self, command: list[str], port: int) -> None:
        with (self.folder / "servers.log").open("ab") as log:
            self._servers.append(subprocess.Popen(command, stdout=log, stderr=log))
        until(lambda: answers(port), command[0])

    def close(self) -> None:
        self._hub.stop()
        for process in self._servers:
            process.terminate()
            process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)
