"""A bad network between tables and broker: MQTT packets come twice, out of order, torn in the middle, or not at all.

proxy.py PORT BROKER_PORT SEED COUNTS: forwards 127.0.0.1:PORT; COUNTS gets how often what was done, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from random import Random

PUBLISH = 3
TWICE, SWAPPED, TORN, HELD = 0.05, 0.05, 0.004, 0.02
"""Shares of published messages."""
HELD_S = 0.4


class Network:
    def __init__(self, broker_port: int, seed: int, counts: Path) -> None:
        self.broker_port = broker_port
        self.random = Random(seed)
        self.counts: Counter[str] = Counter(json.loads(counts.read_text()) if counts.exists() else {})
        self.file = counts

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, to_broker = await asyncio.open_connection("127.0.0.1", self.broker_port)
        except OSError:
            writer.close()
            return
        self.counts["connections"] += 1
        ways = [asyncio.create_task(self.carry(*way)) for way in ((reader, to_broker), (there, writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for end in (writer, to_broker):
            end.transport.abort()

    async def carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        waiting: bytes | None = None
        try:
            while True:
                packet = await packet_of(source)
                if packet[0] >> 4 != PUBLISH:
                    target.write(packet)
                    continue
                self.counts["messages"] += 1
                chance = self.random.random()
                if chance < TORN:
                    self.counts["torn"] += 1
                    target.write(packet[: self.random.randrange(1, len(packet))])
                    await target.drain()
                    return
                if chance < TORN + HELD:
                    self.counts["held"] += 1
                    await asyncio.sleep(HELD_S)  # fixed: what a bad network does
                if chance > 1 - TWICE:
                    self.counts["twice"] += 1
                    target.write(packet)
                elif chance > 1 - TWICE - SWAPPED and waiting is None:
                    self.counts["swapped"] += 1
                    waiting = packet
                    continue
                target.write(packet)
                if waiting is not None:
                    target.write(waiting)
                    waiting = None
                await target.drain()
        except (OSError, asyncio.IncompleteReadError, ValueError):
            return

    async def write_counts(self) -> None:
        while True:
            await asyncio.sleep(0.3)  # fixed: how often it is written down
            new = self.file.with_suffix(".new")
            new.write_text(json.dumps(self.counts))
            new.replace(self.file)


async def packet_of(source: asyncio.StreamReader) -> bytes:
    """Return one MQTT packet: its type, its length in up to four bytes of seven bits, the rest."""
    head = await source.readexactly(1)
    length = shift = 0
    while True:
        byte = await source.readexactly(1)
        head += byte
        length |= (byte[0] & 0x7F) << shift
        shift += 7
        if not byte[0] & 0x80:
            return head + await source.readexactly(length)
        if shift > 21:
            raise ValueError("no MQTT")


async def main() -> None:
    port, broker_port, seed = (int(argument) for argument in sys.argv[1:4])
    network = Network(broker_port, seed, Path(sys.argv[4]))
    server = await asyncio.start_server(network.connected, "127.0.0.1", port)
    async with server:
        await asyncio.gather(server.serve_forever(), network.write_counts())


if __name__ == "__main__":
    asyncio.run(main())
