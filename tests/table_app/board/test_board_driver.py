"""The serial driver over a pty, and what every board port promises."""

from __future__ import annotations

import os
import select
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S, until

from flagfall.link.board.frames import Frame, encode
from flagfall.link.board.messages import TOUCH_HAND, Hello, Message, SelfTest, Snapshot, Touched
from flagfall.othello.board import START, parse_square
from flagfall.othello.inputs import Contact
from simulator.plain_body import SCAN_NS, PlainBody
from simulator.virtual_board import Cable, VirtualBoard
from table_app.board.driver import SerialBoard, plugged_boards
from table_app.board.port import BoardPort, NoBoard
from table_app.board.session import BURST_UNITS, FRAME_UNITS
from table_app.events import BoardFault, BoardPresence, BoardShown, BoardStream, BoardTouched, Event

F5, E5 = parse_square("f5"), parse_square("e5")
IDENTITY = "00000000000000b0"


class Inbox:
    """Collects events from the port's thread; waits for the one a test expects."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._came = threading.Condition()

    def put(self, event: Event) -> None:
        with self._came:
            self.events.append(event)
            self._came.notify_all()

    def wait(self, wanted: Callable[[Event], bool], after: int = 0) -> Event:
        with self._came:
            came = self._came.wait_for(lambda: any(map(wanted, self.events[after:])), timeout=PATIENCE_S)
            assert came, self.events
            return next(event for event in self.events[after:] if wanted(event))


@pytest.fixture
def board(tmp_path: Path) -> Iterator[VirtualBoard]:
    board = VirtualBoard(tmp_path / "board", body=PlainBody(IDENTITY, START, count_from_us=2**32 - 200_000))
    yield board
    board.close()


@pytest.fixture
def running(board: VirtualBoard) -> Iterator[tuple[SerialBoard, Inbox]]:
    inbox = Inbox()
    port = SerialBoard(str(board.path))
    port.start(inbox.put, time.monotonic_ns)
    inbox.wait(lambda event: isinstance(event, BoardShown))
    yield port, inbox
    port.close()


def shown(position: object) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, BoardShown) and event.position == position


def presence(ok: bool) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, BoardPresence) and event.ok is ok


def test_a_move_comes_over_the_cable_with_its_instants(
    board: VirtualBoard, running: tuple[SerialBoard, Inbox]
) -> None:
    _, inbox = running
    before_ns = time.monotonic_ns()
    board.place(F5, True)
    board.turn(E5)
    after_ns = time.monotonic_ns()
    change = inbox.wait(shown(START.played(True, F5)))
    touch = inbox.wait(lambda event: isinstance(event, BoardTouched))
    assert isinstance(change, BoardShown)
    assert isinstance(touch, BoardTouched)
    assert (touch.square, touch.contact) == (F5, Contact.DISC)
    assert before_ns - SCAN_NS <= touch.at_ns + 1_000
    # Which of the two is dated first is open: the mapping of the board's time may improve between them.
    latest_ns = max(touch.at_ns, change.at_ns)
    assert latest_ns <= after_ns, "never later than the hand, or a fast press is accused"
    passed = inbox.wait(lambda event: isinstance(event, BoardStream) and event.settled_to_ns > change.at_ns)
    assert inbox.events.index(change) < inbox.events.index(passed)


def test_a_pulled_board_is_told_lost_and_found_again(
    board: VirtualBoard, running: tuple[SerialBoard, Inbox]
) -> None:
    _, inbox = running
    board.pull()
    lost = inbox.wait(presence(False))
    assert isinstance(lost, BoardPresence)
    assert "pulled" in lost.why
    board.place(F5, True)
    board.turn(E5)
    heard = len(inbox.events)
    board.plug()
    inbox.wait(presence(True), after=heard)
    inbox.wait(shown(START.played(True, F5)), after=heard)


def test_it_can_be_turned_and_asked_while_it_runs(
    board: VirtualBoard, running: tuple[SerialBoard, Inbox]
) -> None:
    port, inbox = running
    heard = len(inbox.events)
    port.ask_snapshot()
    inbox.wait(shown(START), after=heard)
    board.place(0, True)
    inbox.wait(lambda event: isinstance(event, BoardShown) and event.position.black & 1 == 1)
    port.turn(True)
    inbox.wait(lambda event: isinstance(event, BoardShown) and event.position.black >> 63 == 1)


def test_commands_reach_the_board(running: tuple[SerialBoard, Inbox]) -> None:
    port, inbox = running
    port.say(SelfTest())
    inbox.wait(lambda event: isinstance(event, BoardFault) and "command not understood" in event.text)


def test_the_position_survives_a_bad_cable(board: VirtualBoard, running: tuple[SerialBoard, Inbox]) -> None:
    _, inbox = running
    board.cable = Cable(lost=0.3, damaged=0.3)
    position, black = START, True
    for _ in range(8):
        square = (position.legal(black) & -position.legal(black)).bit_length() - 1
        position, black = position.played(black, square), not black
        board.set_up(position)
        inbox.wait(shown(position))
    assert any(isinstance(event, BoardFault) for event in inbox.events)


def test_it_is_looked_for_at_every_port_that_may_be_one(board: VirtualBoard, tmp_path: Path) -> None:
    silent = VirtualBoard(tmp_path / "silent", cable=Cable(lost=1.0))
    inbox = Inbox()
    port = SerialBoard("auto", plugged=lambda: [str(tmp_path / "gone"), str(silent.path), str(board.path)])
    port.start(inbox.put, time.monotonic_ns)
    event = inbox.wait(presence(True))
    assert isinstance(event, BoardPresence)
    assert event.identity == IDENTITY
    port.close()
    silent.close()


def test_a_port_that_is_taken_or_is_no_port_is_told_in_one_line(tmp_path: Path, board: VirtualBoard) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no port")
    for path in (plain, tmp_path / "missing"):
        inbox = Inbox()
        port = SerialBoard(str(path))
        port.start(inbox.put, time.monotonic_ns)
        lost = inbox.wait(presence(False))
        port.close()
        assert isinstance(lost, BoardPresence)
        assert str(path) in lost.why
        assert "\n" not in lost.why
        assert len(inbox.events) == 1, "the same reason is told once"


def test_listing_ports_never_raises() -> None:
    assert isinstance(plugged_boards(), list)


def test_a_host_that_does_not_read_stops_nothing(board: VirtualBoard) -> None:
    """The pty fills; the board drops frames, goes on settling, and is understood once somebody listens."""
    deaf = os.open(board.path, os.O_RDWR | os.O_NOCTTY)
    for _ in range(400):
        board.touch(F5)
    board.place(F5, True)
    board.turn(E5)
    inbox = Inbox()
    port = SerialBoard(str(board.path))
    port.start(inbox.put, time.monotonic_ns)
    inbox.wait(shown(START.played(True, F5)))
    port.close()
    os.close(deaf)


class SilentPort:
    """A port whose every call fails in the given way once it is open."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.in_waiting = 0

    def read(self, size: int = 1, /) -> bytes:
        raise self.error

    def write(self, data: bytes, /) -> int | None:
        return len(data)

    def close(self) -> None:
        raise self.error


@pytest.mark.parametrize("error", [OSError("gone"), TimeoutError("slow")])
def test_whatever_a_port_raises_the_thread_lives(error: Exception) -> None:
    inbox = Inbox()
    port = SerialBoard("somewhere", opens=lambda path: SilentPort(error))
    port.start(inbox.put, time.monotonic_ns)
    lost = inbox.wait(presence(False))
    assert isinstance(lost, BoardPresence)
    assert lost.why == "somewhere was lost"
    port.close()


class FakeBoard:
    """The least that keeps a board port's promises, for tests of the loop."""

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        self._put, self._now_ns = put, now_ns
        put(BoardPresence(now_ns(), ok=True, identity="fake"))
        self.ask_snapshot()

    def turn(self, turned: bool) -> None:
        self.ask_snapshot()

    def say(self, message: Message) -> None:
        pass

    def ask_snapshot(self) -> None:
        now_ns = self._now_ns()
        self._put(BoardShown(now_ns, START))
        self._put(BoardStream(now_ns))

    def close(self) -> None:
        self._put = lambda event: None


@pytest.mark.parametrize("kind", ["serial", "none", "fake"])
def test_what_every_board_port_promises(kind: str, board: VirtualBoard) -> None:
    """It says whether a board is there; instants lie between start and now and in their order; close ends
    it.
    """
    ports: dict[str, BoardPort] = {
        "serial": SerialBoard(str(board.path)),
        "none": NoBoard(),
        "fake": FakeBoard(),
    }
    port = ports[kind]
    inbox = Inbox()
    started_ns = time.monotonic_ns()
    port.start(inbox.put, time.monotonic_ns)
    first = inbox.wait(lambda event: isinstance(event, BoardPresence))
    assert isinstance(first, BoardPresence)
    if first.ok:
        assert first.identity
        inbox.wait(shown(START))
        inbox.wait(lambda event: isinstance(event, BoardStream))
        heard = len(inbox.events)
        port.ask_snapshot()
        inbox.wait(shown(START), after=heard)
    else:
        assert first.why
        port.ask_snapshot()
    port.turn(True)
    port.close()
    port.close()
    count, now_ns = len(inbox.events), time.monotonic_ns()
    settled_ns = 0
    for event in inbox.events:
        assert not isinstance(event, BoardFault)
        if isinstance(event, BoardStream):
            assert settled_ns <= event.settled_to_ns <= now_ns
            settled_ns = event.settled_to_ns
        elif isinstance(event, BoardShown | BoardTouched | BoardPresence):
            assert max(started_ns, settled_ns) <= event.at_ns <= now_ns
    board.place(F5, True)
    port.ask_snapshot()
    assert len(inbox.events) == count


class Flooding:
    """A device on a pty that sends valid frames as fast as they are read."""

    def __init__(self, path: Path) -> None:
        self._master, slave = os.openpty()
        tty.setraw(slave)
        path.symlink_to(os.ttyname(slave))
        self._slave = slave
        self._closing = threading.Event()
        self.sent = 0
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def _send(self) -> None:
        os.set_blocking(self._master, False)
        sequence = 0
        while not self._closing.is_set():
            board_us = time.monotonic_ns() // 1000 & 0xFFFF_FFFF
            messages: list[Message] = [Hello(IDENTITY, (1, 0), True, 1), Snapshot(START, board_us, board_us)]
            messages += [Touched(square, TOUCH_HAND, False) for square in range(64)]
            data = b""
            for message in messages:
                data += encode(Frame(sequence & 0xFFFF, board_us, message))
                sequence += 1
            while data and not self._closing.is_set():
                if select.select([], [self._master], [], 0.05)[1]:
                    count = os.write(self._master, data)
                    self.sent, data = self.sent + count, data[count:]

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)


def test_a_device_that_sends_valid_frames_at_full_speed_is_shut_out_and_told(tmp_path: Path) -> None:
    device = Flooding(tmp_path / "board")
    inbox = Inbox()
    port = SerialBoard(str(tmp_path / "board"))
    port.start(inbox.put, time.monotonic_ns)
    try:
        gone = inbox.wait(lambda event: isinstance(event, BoardPresence) and event.floods)
        assert isinstance(gone, BoardPresence)
        assert not gone.ok and "sends more than a board can" in gone.why
        at_most, sent = len(inbox.events), device.sent
        assert at_most <= BURST_UNITS // FRAME_UNITS + 10
        # Looked for again several times meanwhile: nothing of it is read, or told again.
        until(lambda: time.monotonic_ns() - gone.at_ns > 1_000_000_000)
        assert len(inbox.events) == at_most
        assert device.sent - sent <= 65_536, "the port is closed: no more than its buffers are filled"
    finally:
        port.close()
        device.close()


class Cold:
    """A serial port in memory that always has the same bytes to read."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @property
    def in_waiting(self) -> int:
        return 1 << 20

    def read(self, size: int = 1) -> bytes:
        assert size <= 4096, "no more is read at once than may be parsed"
        return (self.data * size)[:size]

    def write(self, data: bytes) -> int:
        return len(data)

    def close(self) -> None:
        return None


def test_a_flooding_device_is_left_alone_twice_as_long_each_time_and_another_port_is_still_tried() -> None:
    clock_ns, opened = [0], list[tuple[str, int]]()

    def opens(path: str) -> Cold:
        clock_ns[0] += 100_000_000
        opened.append((path, clock_ns[0] // 1_000_000_000))
        if path == "/dev/other":
            raise OSError("busy")
        return Cold(b"x")

    port = SerialBoard("auto", opens=opens, plugged=lambda: ["/dev/flood", "/dev/other"])
    events = list[Event]()

    def put(event: Event) -> None:
        events.append(event)

    def now_ns() -> int:
        clock_ns[0] += 1_000_000
        return clock_ns[0]

    port.start(put, now_ns)
    until(lambda: sum(path == "/dev/other" for path, _ in opened) >= 3)
    port.close()
    assert sum(path == "/dev/flood" for path, _ in opened) == 1
    assert [event.floods for event in events if isinstance(event, BoardPresence)] == [True]
