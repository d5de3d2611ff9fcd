"""The cost of a stranger's request for the hub: processor time of its loop, with a hundred tables in play.

    python -m benchmarks.hub.stranger_requests [--short]

Each page is asked for again and again over one connection, where its bytes are there already; and the page that lives
with always another query, so that it must be made.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.hub.pages import show_clocks
from benchmarks.load.venue import TOURNAMENT, Venue, more_files
from benchmarks.report.figures import RUNS, Figure, Found, run

PAGES = (
    ("the page that lives", "/"),
    ("standings", f"/t/{TOURNAMENT}/standings"),
    ("a search for players", f"/t/{TOURNAMENT}/players?q=a"),
    ("a page that is missing", f"/t/{TOURNAMENT}/nothing"),
)


def loop_s(pid: int) -> float:
    """Return the processor time of the main thread so far."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9


def ask(port: int, paths: list[str], address: str) -> None:
    with socket.create_connection(("127.0.0.1", port), source_address=(address, 0)) as connection:
        stream = connection.makefile("rb")
        for path in paths:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: hub\r\n\r\n".encode())
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            stream.read(length)


def cost_us(venue: Venue, paths: list[str], address: str) -> float:
    before_s = loop_s(venue.hub_pid)
    ask(venue.web_port, paths, address)
    return 1e6 * (loop_s(venue.hub_pid) - before_s) / len(paths)


def measure(short: bool) -> Iterator[Found]:
    more_files()
    tables, count, runs = (4, 5, 1) if short else (100, 100, RUNS)
    with closing(Venue()) as venue:
        venue.round(tables)
        asyncio.run(show_clocks(venue))
        for number, (title, path) in enumerate(PAGES):
            costs = []
            for nth in range(runs):
                address = f"127.0.{number + 1}.{nth + 1}"  # nobody has to wait for what another has asked
                ask(venue.web_port, [path], address)
                costs.append(cost_us(venue, [path] * count, address))
            yield Figure(f"{title}, {tables} tables", "us", tuple(costs))
        made = [
            cost_us(venue, [f"/?{nth}.{number}" for number in range(10)], f"127.0.9.{nth + 1}")
            for nth in range(runs)
        ]
        yield Figure(f"the page that lives, made for one asker, {tables} tables", "us", tuple(made))


if __name__ == "__main__":
    run(measure, __doc__)
