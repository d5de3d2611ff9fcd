"""The parts that tests with real processes share: a venue of one table (broker, hub's end, device, board),
and a display."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from mmap import PROT_READ, mmap
from pathlib import Path
from random import Random
from typing import Any

from msgspec import structs

from flagfall.link import identity as identities
from flagfall.link.client.client import LinkClient
from flagfall.link.messages import AnyMessage, Assignment, Receipt, RulingMessage, Status, decode, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Topic, hub_filters, parse
from flagfall.othello.side import Side
from helpers.broker_thread import BrokerThread
from helpers.waiting import PATIENCE_S, until
from simulator.table_socket import TableSocket
from simulator.virtual_board import VirtualBoard
from table_app.pins.buttons import LOCK_OUT_NS

HEADER = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "judged": True}


class Venue:
    """A broker, the hub's end of it, one device and its board."""

    def __init__(self, path: Path) -> None:
        self.path = path
        hub = identities.create("hub")
        self.device, self.hub_key = identities.create("d1", hub.public), hub.key
        identities.save(self.device, path / "identity")
        self.broker = BrokerThread({identity.device: identity.token for identity in (self.device, hub)})
        self.port = self.broker.start()
        self.heard: list[AnyMessage] = []
        self.hub = LinkClient(
            "127.0.0.1",
            self.port,
            "hub",
            hub.token,
            hub_filters(),
            inbox=self._arrived,
            on_state=lambda is_up: None,
            random=Random(1),
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

    def start(self, screen: str = "none", **environment: str) -> None:
        command = [sys.executable, "-m", "table_app.main", "run", "--virtual-pins", "--screen", screen]
        command += ["--board", str(self.path / "board"), "--state-dir", str(self.path / "s")]
        command += ["--broker-host", "127.0.0.1", "--broker-port", str(self.port)]
        command += ["--identity", str(self.path / "identity")]
        with (self.path / "log").open("ab") as log:
            self.program = subprocess.Popen(command, env=os.environ | environment, stderr=log)
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
        self.program.wait(PATIENCE_S)
        self.table.close()

    def kill_drawing(self) -> None:
        """Kill the program that draws, if there is one now."""
        assert self.program is not None
        for children in Path(f"/proc/{self.program.pid}/task").glob("*/children"):
            for pid in children.read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)

    def order(self, message: Assignment | RulingMessage | Receipt) -> None:
        topic = Topic("woc", "d1", message.kind)
        assert self.hub.publish(
            str(topic), encode(sign(structs.replace(message, device="d1"), self.hub_key)), 1, topic.retained
        )

    def started(self) -> bool:
        """Send the director's signal, again and again as a hub does, until it is answered."""
        if any(
            isinstance(message, Status) and message.answers.get("r1") == "applied" for message in self.heard
        ):
            return True
        self.order(RulingMessage(id="r1", game="1-1-a", expires_s=60, rule="start"))
        return False

    def close(self) -> None:
        if self.program is not None and self.program.poll() is None:
            self.kill()
        self.table.close()
        self.board.close()
        self.hub.stop()
        self.broker.stop()

    def assigned(self, **header: Any) -> None:
        """Lay a game on the table and let it begin."""
        self.order(Assignment(seq=1, tournament="woc", game="1-1-a", seat=1, header=HEADER | header))
        until(lambda: self.table.see().state == "waiting")
        until(self.started)

    def press(self, side: Side) -> None:
        """And the clock turns, and has run for so long that the button is heard again."""
        for down in (True, False):
            self.table.button(side, down=down)
        until(lambda: self.table.see().running is side.other)
        left_ns = self.left_ns()
        until(lambda: left_ns - self.left_ns() > LOCK_OUT_NS)

    def left_ns(self) -> int:
        """Return the time left on both clocks together."""
        return sum(self.table.look()["clocks_ns"].values())


class XServer:
    """An X server that comes and goes."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self.name = ""
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server: the first time on any number, then on the same again."""
        reading, writing = os.pipe()
        number = [self.name] if self.name else []
        options = ["-displayfd", str(writing), "-screen", "0", "1400x700x24", "-nolisten", "tcp", "-noreset"]
        options += ["-fbdir", str(self._log.parent), "-nocursor"]
        with self._log.open("ab") as log:
            self._server = subprocess.Popen(["Xvfb", *number, *options], pass_fds=(writing,), stderr=log)
        os.close(writing)
        with os.fdopen(reading) as answer:
            self.name = f":{answer.readline().strip()}"

    def kill(self) -> None:
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server = None

    def hang(self, yes: bool) -> None:
        assert self._server is not None
        self._server.send_signal(signal.SIGSTOP if yes else signal.SIGCONT)

    def pixels(self, x: int, y: int, width: int, height: int) -> bytes:
        """Return what is shown there, line after line: blue, green, red and nothing of each point."""
        file = self._log.parent / "Xvfb_screen0"
        with file.open("rb") as opened, mmap(opened.fileno(), 0, prot=PROT_READ) as dump:
            header = struct.unpack(">25I", dump[:100])  # of the format xwd
            begin, line_bytes = header[0] + 12 * header[19], header[12]
            lines = (begin + (y + line) * line_bytes + 4 * x for line in range(height))
            return b"".join(dump[line : line + 4 * width] for line in lines)

    def windows(self, title: str) -> list[str]:
        """Return the windows of that name. Without a window manager windows are not found by their names,
        only by being there."""
        there = self.xdotool("search", "--onlyvisible", "--class", ".*", check=False).split()
        return [
            window for window in there if self.xdotool("getwindowname", window, check=False).strip() == title
        ]

    def xdotool(self, *words: object, check: bool = True) -> str:
        command, environment = ["xdotool", *map(str, words)], os.environ | {"DISPLAY": self.name}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=check)
        return run.stdout
