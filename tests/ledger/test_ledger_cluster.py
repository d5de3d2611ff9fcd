"""Six real nodes on loopback, several writers, a master killed in mid-round: nothing with a receipt is lost."""

from __future__ import annotations

import multiprocessing
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.crc import key_slot

from ledger.entry import Draft
from ledger.opening import open_ledger
from ledger.redis_cluster import RedisClusterLedger
from ledger.store import LedgerError, StaleHead, StoreFailed, record

pytestmark = [pytest.mark.long, pytest.mark.needs("redis"), pytest.mark.timeout(300)]
NODES, TOURNAMENTS, WRITERS = 6, 6, 2
PATIENCE_S = 90.0


def eventually(condition: Callable[[], Any], what: str) -> Any:
    deadline_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            if found := condition():
                return found
        except (redis.RedisError, OSError, LedgerError):
            pass
        assert time.monotonic() < deadline_s, what
        threading.Event().wait(0.05)


def free_ports(count: int) -> list[int]:
    """Ports whose cluster bus (10,000 above) is free too."""
    found: list[int] = []
    for port in range(21_000, 30_000):
        with socket.socket() as one, socket.socket() as bus:
            try:
                one.bind(("127.0.0.1", port))
                bus.bind(("127.0.0.1", port + 10_000))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise AssertionError("no free ports")


class Cluster:
    """Three masters and a copy of each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.nodes: dict[int, subprocess.Popen[bytes]] = {}
        ports = free_ports(NODES)
        for port in ports:
            (folder / str(port)).mkdir()
            self.start(port)
        for port in ports:
            eventually(lambda port=port: self.client(port).ping(), "a node")
        members = [f"127.0.0.1:{port}" for port in ports]
        command = ["redis-cli", "--cluster", "create", *members, "--cluster-replicas", "1", "--cluster-yes"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        self.url = f"redis-cluster://127.0.0.1:{ports[0]}"
        eventually(lambda: all(self.told(port)["cluster_state"] == "ok" for port in ports), "the cluster")
        eventually(
            lambda: sum("slave" in str(one["flags"]) for one in self.members(ports[0])) == NODES // 2,
            "copies",
        )

    def start(self, port: int) -> None:
        command = [
            "redis-server",
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--dir",
            str(self.folder / str(port)),
        ]
        command += ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--save", ""]
        command += ["--appendonly", "yes", "--appendfsync", "always"]
        self.nodes[port] = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @staticmethod
    def client(port: int) -> redis.Redis:
        return redis.Redis(port=port, socket_timeout=2)

    def told(self, port: int) -> dict[str, Any]:
        return dict(self.client(port).cluster("INFO"))  # type: ignore[no-untyped-call]

    def members(self, port: int) -> list[dict[str, Any]]:
        return list(self.client(port).cluster("NODES").values())  # type: ignore[no-untyped-call]

    def master_of(self, asked: int, tournament: str) -> int:
        """As the node at port `asked` knows it."""
        slot = key_slot(tournament.encode())
        slots = self.client(asked).execute_command("CLUSTER", "SLOTS")  # type: ignore[no-untyped-call]
        return next(int(master[1]) for first, last, master, *_ in slots if first <= slot <= last)

    def kill(self, port: int) -> None:
        self.nodes[port].kill()
        self.nodes[port].wait()

    def close(self) -> None:
        for node in self.nodes.values():
            node.kill()
            node.wait()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="flagfall-cluster-"))
    made = Cluster(folder)
    yield made
    made.close()
    shutil.rmtree(folder, ignore_errors=True)


def write(url: str, writer: int, told: Any, stop: Any) -> None:
    """A hub: results of all tournaments, one after the other; what has a receipt is told, with the instant."""
    ledger: Any = None
    number = 0
    while not stop.is_set():
        tournament, entry = f"t{number % TOURNAMENTS}", f"w{writer}.{number}"
        try:
            ledger = ledger or open_ledger(url)
            record(ledger, [Draft(entry, "result", 1, "", "t7", tournament, b'{"n":1}')])
        except StaleHead:
            continue  # the other hub was faster: tried again on what it has written
        except LedgerError:
            time.sleep(0.05)
            continue
        told.put((tournament, entry, time.monotonic()))
        number += 1
    told.put(None)
    told.close()
    told.join_thread()


def test_a_master_killed_in_mid_round_loses_nothing_with_a_receipt(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    spawn = multiprocessing.get_context("spawn")
    told, stop = spawn.Queue(), spawn.Event()
    writers = [
        spawn.Process(target=write, args=(cluster.url, n, told, stop), daemon=True) for n in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    promised: list[tuple[str, str, float]] = []

    def promise() -> bool:
        while not told.empty():
            promised.append(told.get())
        return True

    eventually(lambda: promise() and len(promised) > 300, "receipts")
    victim = cluster.master_of(next(iter(cluster.nodes)), "t0")
    witness = next(port for port in cluster.nodes if port != victim)
    cluster.kill(victim)
    killed_s = time.monotonic()
    eventually(lambda: cluster.master_of(witness, "t0") != victim, "another master")
    taken_over_s = time.monotonic()
    cluster.start(victim)  # comes back as the copy without which nothing more would be promised there
    eventually(
        lambda: promise() and any(one[0] == "t0" and one[2] > taken_over_s for one in promised),
        "receipts again",
    )
    first_s = min(one[2] for one in promised if one[0] == "t0" and one[2] > taken_over_s)
    before = len(promised)
    eventually(lambda: promise() and len(promised) > before + 300, "as before")
    stop.set()
    ended = 0
    while ended < WRITERS:
        one = told.get(timeout=PATIENCE_S)
        ended += one is None
        promised += [one] if one is not None else []
    for writer in writers:
        writer.join(PATIENCE_S)
    ledger = open_ledger(cluster.url, read_only=True)
    kept = {name: [entry.id for entry in ledger.read(name)] for name in ledger.tournaments()}
    assert sorted(kept) == [f"t{n}" for n in range(TOURNAMENTS)]
    for tournament, entry, _ in promised:
        assert kept[tournament].count(entry) == 1, f"{entry} of {tournament} has a receipt"
    assert all(ledger.verify(name) is None for name in kept)
    ledger.close()
    with capsys.disabled():
        print(
            f"\n{len(promised)} receipts, none lost; another master after {taken_over_s - killed_s:.1f} s, "
            f"receipts again {first_s - killed_s:.1f} s after the kill"
        )


def test_without_a_copy_there_is_no_receipt(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = RedisClusterLedger.at(cluster.url)
    record(ledger, [Draft("g1.1", "result", 1, "", "t7", "t0", b"{}")])
    monkeypatch.setattr("ledger.redis_cluster._PATIENCE_S", 2.0)
    master = cluster.master_of(next(iter(cluster.nodes)), "t0")
    node_id = next(one["node_id"] for one in cluster.members(master) if "myself" in str(one["flags"]))
    copies = [
        int(str(address).split("@")[0].rpartition(":")[2])
        for address, one in cluster.client(master).cluster("NODES").items()  # type: ignore[no-untyped-call]
        if one["master_id"] == node_id
    ]
    for copy in copies:
        cluster.kill(copy)
    draft = Draft("g2.1", "result", 1, "", "t7", "t0", b"{}")
    for _ in range(2):  # the second time it is there already, and still promised to nobody
        with pytest.raises(StoreFailed, match="not stored safely"):
            record(ledger, [draft])
    with pytest.raises(StoreFailed, match="not stored safely"):
        list(ledger.read("t0"))
    ledger.close()
