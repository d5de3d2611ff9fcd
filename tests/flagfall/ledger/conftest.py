"""Real servers of the tests' own: one redis-server, or a cluster of them (`redis_nodes`)."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from helpers.waiting import until


class Server:
    """redis-server on a unix socket in a folder of its own; can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "s"
        self.url = f"unix://{self.socket}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *settings: str) -> None:
        program = shutil.which("redis-server")
        assert program is not None
        command = [program, "--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder)]
        command += ["--save", "", "--appendonly", "yes", "--appendfsync", "always", *settings]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        answers = redis.Redis.from_url(self.url).ping
        until(
            lambda: self.process.poll() is not None or answers(),
            "redis-server",
            meanwhile=(redis.RedisError,),
        )
        assert self.process.poll() is None, "redis-server"

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Yield the address of a server that all tests of a worker share; each empties it."""
    # Not tmp_path: the path of a unix socket is at most 107 characters long.
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        server = Server(Path(folder))
        server.start()
        yield server.url
        server.kill()


@pytest.fixture
def redis_server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        server = Server(Path(folder))
        yield server
        server.kill()


def _new_cluster() -> Iterator[Any]:
    from helpers.redis_nodes import Cluster

    folder = Path(tempfile.mkdtemp(prefix="flagfall-cluster-"))
    made = Cluster(folder)
    yield made
    made.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Yield six nodes that a test may kill."""
    yield from _new_cluster()


@pytest.fixture(scope="session")
def lasting_cluster() -> Iterator[Any]:
    """Yield six nodes that all tests of a worker share; each empties them."""
    yield from _new_cluster()
