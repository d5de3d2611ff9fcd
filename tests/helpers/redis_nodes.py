"""A Redis Cluster of six real nodes on loopback, for the tests of this room."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from typing import Any

import redis
from redis.crc import key_slot

from helpers.waiting import PATIENCE_S, until
from simulator.program import reserve

NODES = 6


def free_ports(count: int) -> list[int]:
    """Return ports whose cluster bus (10,000 above) is free too."""
    ports: list[int] = []
    # Below the ports that the system gives to outgoing connections, the bus too.
    for port in range(21_000, 22_700):
        with socket.socket() as node, socket.socket() as bus:
            try:
                node.bind(("127.0.0.1", port))
                bus.bind(("127.0.0.1", port + 10_000))
            except OSError:
                continue
            if not (reserve(port) and reserve(port + 10_000)):
                continue
        ports.append(port)
        if len(ports) == count:
            return ports
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
            until(lambda port=port: self.client(port).ping(), "a node", meanwhile=(redis.RedisError,))
        members = [f"127.0.0.1:{port}" for port in ports]
        command = ["redis-cli", "--cluster", "create", *members, "--cluster-replicas", "1", "--cluster-yes"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        self.url = f"redis-cluster://127.0.0.1:{ports[0]}"
        until(lambda: all(self.info(port)["cluster_state"] == "ok" for port in ports), "the cluster")
        until(
            lambda: sum("slave" in str(member["flags"]) for member in self.members(ports[0])) == NODES // 2,
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

    def info(self, port: int) -> dict[str, Any]:
        return dict(self.client(port).cluster("INFO"))  # type: ignore[no-untyped-call]

    def members(self, port: int) -> list[dict[str, Any]]:
        return list(self.client(port).cluster("NODES").values())  # type: ignore[no-untyped-call]

    def master_of(self, node_port: int, tournament: str) -> int:
        """Return the port of a tournament's master, as the node at `node_port` knows it."""
        slot = key_slot(tournament.encode())
        slots = self.client(node_port).execute_command("CLUSTER", "SLOTS")  # type: ignore[no-untyped-call]
        return next(int(master[1]) for first, last, master, *_ in slots if first <= slot <= last)

    def kill(self, port: int) -> None:
        self.nodes[port].kill()
        self.nodes[port].wait()

    def close(self) -> None:
        for node in self.nodes.values():
            node.kill()
            node.wait()

    def empty(self) -> None:
        """Remove all keys; copies follow their masters."""
        for port in self.nodes:
            if self.client(port).role()[0] == b"master":  # type: ignore[no-untyped-call]
                self.client(port).flushall()
