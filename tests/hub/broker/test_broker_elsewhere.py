"""The hub with a broker that is not its own."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from helpers.hub_process import Table
from helpers.waiting import PATIENCE_S, until

from flagfall.link.identity import create, save
from flagfall.link.messages import Assignment, Receipt
from flagfall.link.topics import Kind
from simulator.program import free_port

pytestmark = pytest.mark.needs("mosquitto")


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[int]:
    port = free_port()
    config = tmp_path / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
    broker = subprocess.Popen(["mosquitto", "-c", str(config)], stderr=subprocess.DEVNULL)

    def listens() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    try:
        until(listens)
        yield port
    finally:
        broker.terminate()
        broker.wait(PATIENCE_S)


def test_assignment_result_and_receipt_go_through_mosquitto(
    tmp_path: Path, new_hub: Any, mosquitto: int
) -> None:
    save(create("hub"), tmp_path / "hub-identity")
    hub = new_hub(tmp_path / "state")
    hub.ports["broker_port"] = mosquitto
    hub.start("--broker", "external", "--broker-identity", str(tmp_path / "hub-identity"))
    table = Table(hub.enrol("t1", 1), mosquitto)
    hub.tables.append(table)
    table.wait_up()
    hub.call("PUT", "tournaments/open", tournament_file(2))
    hub.call("POST", "tournaments/open/pairings", {})
    assigned: Assignment = table.assignment(lambda assignment: assignment.game is not None)
    assert assigned.seat == 1
    result = table.play("open", (40, 24))
    receipt: Receipt = table.receipt(result.id)
    assert receipt.accepted and table.heard[Kind.RECEIPT]
    assert hub.call("GET", "tournaments/open")["complete"]
