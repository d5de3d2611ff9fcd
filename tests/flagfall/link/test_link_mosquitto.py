"""The same client on the venue's broker."""

from __future__ import annotations

import queue
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from helpers.waiting import PATIENCE_S

from flagfall.link.client.client import LinkClient, Will
from flagfall.link.topics import Arrival, Kind, Topic, device_filter, hub_filters
from simulator.program import free_port


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    program = shutil.which("mosquitto")
    assert program is not None
    number = free_port()
    configuration = tmp_path / "mosquitto.conf"
    configuration.write_text(f"listener {number} 127.0.0.1\nallow_anonymous true\npersistence false\n")
    process = subprocess.Popen([program, "-c", str(configuration)], stderr=subprocess.DEVNULL)
    yield number
    process.terminate()
    process.wait()


@pytest.mark.needs("mosquitto")
def test_the_client_speaks_to_mosquitto(port: int) -> None:
    heard: dict[str, queue.Queue[Arrival]] = {"hub": queue.Queue(), "t7": queue.Queue()}
    states: dict[str, queue.Queue[bool]] = {"hub": queue.Queue(), "t7": queue.Queue()}

    def enter(name: str, filters: tuple[str, ...], will: Will | None = None) -> LinkClient:
        link = LinkClient(
            "127.0.0.1",
            port,
            name,
            "token",
            filters,
            inbox=heard[name].put,
            on_state=states[name].put,
            random=Random(1),
            will=will,
        )
        link.start()
        assert states[name].get(timeout=PATIENCE_S) is True
        return link

    status = str(Topic("woc", "t7", Kind.STATUS))
    assignment = str(Topic("woc", "t7", Kind.ASSIGNMENT))
    hub = enter("hub", hub_filters())
    assert hub.publish(assignment, b"seat 3", 1, True)
    table = enter("t7", (device_filter("t7"),), Will(status, b"offline"))
    arrival = heard["t7"].get(timeout=PATIENCE_S)
    assert (arrival.topic, arrival.payload) == (assignment, b"seat 3")
    for number in range(300):
        assert table.publish(status, b"%d" % number, 1, False)
    numbers = [int(heard["hub"].get(timeout=PATIENCE_S).payload) for _ in range(300)]
    assert numbers == list(range(300))
    table.stop()
    hub.stop()
    assert heard["hub"].empty(), "a goodbye sends no will"
