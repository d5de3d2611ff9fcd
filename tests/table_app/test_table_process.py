"""A real table program: its own process, virtual pins, a virtual board on a pty, a real broker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest
from broker_thread import BrokerThread

from link import identity as identities
from link.client import Arrival, LinkClient
from link.messages import AnyMessage, Assignment, Receipt, Result, Ruling, Status, decode, encode
from link.packed_file import PackedFile, unpack
from link.signature import sign
from link.topics import Topic, hub_filters, parse
from othello.gamefile import parse_game
from othello.referee import judge, new_game
from othello.side import Side
from simulator.hands import Hands
from simulator.recorded import read_games, replayed
from simulator.table_socket import TableSocket
from simulator.virtual_board import VirtualBoard

GAMES = Path(__file__).parents[2] / "simulator" / "games" / "championship.txt.gz"
HEADER = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "judged": True}


def until(condition: Callable[[], bool], within_s: float = 15.0) -> None:
    deadline_s = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline_s, "nothing happened in time"
        time.sleep(0.02)


class Venue:
    """A broker, the hub's end of it, one device and its board."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.device, hub = identities.create("d1"), identities.create("hub")
        identities.save(self.device, path / "identity")
        digests = {one.device: identities.token_digest(one.token) for one in (self.device, hub)}
        self.broker = BrokerThread(digests.get, "hub")
        self.port = self.broker.start()
        self.heard: list[AnyMessage] = []
        self.hub = LinkClient(
            "127.0.0.1",
            self.port,
            "hub",
            hub.token,
            hub_filters(),
            self._arrived,
            lambda is_up: None,
            Random(1),
        )
        self.hub.start()
        until(lambda: self.hub.connected)
        self.board = VirtualBoard(path / "board")
        self.table = TableSocket(path / "s")
        self.program: subprocess.Popen[bytes] | None = None

    def _arrived(self, arrival: Arrival) -> None:
        topic = parse(arrival.topic)
        if topic is not None and arrival.payload:
            self.heard.append(decode(topic, arrival.payload))

    def of(self, kind: type[AnyMessage]) -> list[AnyMessage]:
        return [message for message in self.heard if isinstance(message, kind)]

    def start(self) -> None:
        command = [sys.executable, "-m", "table_app.main", "run", "--virtual-pins", "--screen", "none"]
        command += ["--board", str(self.path / "board"), "--state-dir", str(self.path / "s")]
        command += ["--broker-host", "127.0.0.1", "--broker-port", str(self.port)]
        command += ["--identity", str(self.path / "identity")]
        self.program = subprocess.Popen(command, stderr=(self.path / "log").open("ab"))
        until(self._answers)

    def _answers(self) -> bool:
        assert self.program is not None and self.program.poll() is None, (self.path / "log").read_text()
        try:
            self.table.see()
        except ConnectionError:
            return False
        return True

    def kill(self) -> None:
        assert self.program is not None
        self.program.kill()
        self.program.wait(5.0)
        self.table.close()

    def order(self, message: Assignment | Ruling | Receipt) -> None:
        topic = Topic("woc", "d1", message.kind)
        assert self.hub.publish(str(topic), encode(sign(message, self.device.key)), 1, topic.retained)

    def started(self) -> bool:
        """Sends the director's signal, again and again as a hub does, until it is answered."""
        if any(isinstance(one, Status) and one.answers.get("r1") == "applied" for one in self.heard):
            return True
        self.order(Ruling(id="r1", game="1-1-a", expires_s=60, rule="start"))
        return False

    def close(self) -> None:
        if self.program is not None and self.program.poll() is None:
            self.kill()
        self.table.close()
        self.board.close()
        self.hub.stop()
        self.broker.stop()


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[Venue]:
    one = Venue(tmp_path)
    yield one
    one.close()


def _reached(hands: Hands, plies: int) -> bool:
    return hands.played.plies >= plies


def test_a_whole_game_by_hands_with_two_kills_in_it(venue: Venue) -> None:
    recorded = read_games(GAMES)[0]
    game = replayed(recorded.squares)
    venue.start()
    venue.order(Assignment(seq=1, tournament="woc", game="1-1-a", seat=1, header=HEADER))
    until(lambda: venue.table.see().state == "waiting")
    until(venue.started)
    hands = Hands(venue.board, venue.table, game.plies, speed=1000.0, seed=2)
    played = threading.Thread(target=hands.play, daemon=True)
    played.start()
    for plies in (10, 35):
        until(partial(_reached, hands, plies), 60.0)
        venue.kill()
        venue.start()
    played.join(90.0)
    assert not played.is_alive()
    hands.sign()
    until(lambda: any(isinstance(r, Result) and r.signatures.white for r in venue.heard))
    result = next(r for r in venue.heard if isinstance(r, Result) and r.signatures.white)
    assert (result.score.black, result.score.white) == recorded.score
    types = {incident["type"] for incident in result.incidents}
    assert types <= {"power_lost", "ruling", "press_out_of_turn", "board_lost", "refused"}, result.incidents
    assert [i["type"] for i in result.incidents].count("power_lost") == 2
    header, inputs = parse_game(unpack(PackedFile(result.file, result.sha256)).decode())
    judged = new_game(header)
    for one in inputs:
        judged = judge(judged, one)
    assert {str(side): judged.clock.left_ns(side, judged.at_ns) for side in Side} == {
        "black": result.clocks_ns.black,
        "white": result.clocks_ns.white,
    }
    venue.order(Receipt(id=result.id, accepted=True, head="0" * 64))
    until(lambda: '"received"' in venue.table._ask("state"))


def test_sigterm_stops_it_cleanly_and_a_second_instance_refuses_to_start(venue: Venue) -> None:
    venue.start()
    second = subprocess.run(
        [sys.executable, "-m", "table_app.main", "run", "--buttons", "keys", "--screen", "none"],
        env=os.environ | {"FLAGFALL_STATE_DIR": str(venue.path / "s"), "FLAGFALL_BOARD": "none"},
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert second.returncode == 2
    assert second.stderr.decode().count("\n") == 1 and b"another flagfall-table already runs" in second.stderr
    assert venue.program is not None
    venue.program.send_signal(signal.SIGTERM)
    assert venue.program.wait(10.0) == 0
    assert not (venue.path / "s" / "pins.sock").exists()
    assert b"Traceback" not in (venue.path / "log").read_bytes()
