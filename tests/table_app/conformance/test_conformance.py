"""The conformance test in a time of its own: boards that keep the protocol pass, and each other one fails by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest
from helpers.conformance_bench import IDENTITY, TICK_NS, Body, broken, examined, plain

from eye.speaker import Speaker
from eye.watcher import Sight
from flagfall.link.board.frames import Decoder, Frame, encode, why_no_frame
from flagfall.link.board.messages import (
    TOUCH_DISC,
    AskHello,
    Hello,
    Message,
    Snapshot,
    Touched,
    UnknownMessage,
)
from flagfall.othello.board import START, Position, parse_square
from simulator.firmware_body import FirmwareBody
from simulator.plain_body import PlainBody
from simulator.virtual_board import laid
from table_app.conformance.acts import ACTS
from table_app.conformance.command import as_json, as_text


class Seeing:
    """An eye's speaker before a camera that sees the start position."""

    def __init__(self) -> None:
        self.speaker = Speaker("e7e0" + IDENTITY[4:], 0)
        self._saw_ns = 0

    def work(self, now_ns: int, received: bytes) -> bytes:
        if now_ns - self._saw_ns >= 100_000_000:
            self._saw_ns = now_ns
            self.speaker.saw(now_ns, Sight.CLEAR, START)
        return self.speaker.work(now_ns, received)


def firmware() -> FirmwareBody:
    body = FirmwareBody(IDENTITY, START)
    body.power_on(1_000_000_000)
    return body


@pytest.mark.parametrize("board", [plain, firmware, Seeing], ids=["plain", "firmware", "eye"])
def test_our_boards_keep_the_protocol(board: Callable[[], Body]) -> None:
    found = examined(board())
    assert broken(found) == {}
    assert [finding.rule for finding in found] == [
        *("bytes", "frames", "HELLO", "answers", "sequence", "time", "positions", "instants"),
        *("damage", "commands", "slow host", "port", "table"),
    ]


# Boards that break one rule each.


@dataclass
class Broken:
    """A good board whose frames are changed on their way, or its bytes, or what it hears."""

    frames: Callable[[Frame], Iterator[Frame] | list[Frame]] = lambda frame: [frame]
    cable: Callable[[bytes], bytes] = lambda data: data
    hears: Callable[[bytes], bytes] = lambda data: data
    body: PlainBody = field(default_factory=plain)

    def work(self, now_ns: int, received: bytes) -> bytes:
        decoder = Decoder()
        frames = decoder.feed(self.body.work(now_ns, self.hears(received)))
        return b"".join(self.cable(encode(later)) for frame in frames for later in self.frames(frame))


def of(kind: type, change: Callable[[Frame], Frame | None]) -> Callable[[Frame], list[Frame]]:
    """Return a change of the frames of one kind; the others stay. None leaves a frame out, its number stays used."""

    def changed(frame: Frame) -> list[Frame]:
        if not isinstance(frame.message, kind):
            return [frame]
        later = change(frame)
        return [] if later is None else [later]

    return changed


def message(**fields: object) -> Callable[[Frame], Frame]:
    return lambda frame: replace(frame, message=altered(frame.message, **fields))


def altered(of_frame: Message, **fields: object) -> Message:
    """Return the message with other fields, whatever they are."""
    other: Message = replace(of_frame, **fields)  # type: ignore[arg-type]
    return other


def every(
    count: int, change: Callable[[Frame], Frame], kind: type = object
) -> Callable[[Frame], list[Frame]]:
    """Change each frame of a kind whose turn it is: every second, every third."""
    seen = [0]

    def changed(frame: Frame) -> list[Frame]:
        if isinstance(frame.message, kind):
            seen[0] += 1
            return [change(frame)] if seen[0] % count == 0 else [frame]
        return [frame]

    return changed


def later_than_frame(frame: Frame) -> Frame:
    assert isinstance(frame.message, Snapshot)
    return replace(frame, message=replace(frame.message, settled_to_us=frame.board_us + 5000))


def renumbered(leaves_out: Callable[[Frame], bool]) -> Callable[[Frame], list[Frame]]:
    """Leave frames out, and number the others as they go out."""
    sequence = [0]

    def changed(frame: Frame) -> list[Frame]:
        if leaves_out(frame):
            return []
        sequence[0] += 1
        return [replace(frame, sequence=sequence[0] - 1 & 0xFFFF)]

    return changed


def seldom() -> Callable[[Frame], bool]:
    last_us = [0]

    def leaves_out(frame: Frame) -> bool:
        if isinstance(frame.message, Snapshot) and frame.board_us - last_us[0] < 1_500_000:
            return True
        last_us[0] = frame.board_us if isinstance(frame.message, Snapshot) else last_us[0]
        return False

    return leaves_out


def dead_after(command: Callable[[bytes], bool]) -> Broken:
    """Return a board that says nothing but positions once it has heard that."""
    dead = [False]

    def hears(data: bytes) -> bytes:
        dead[0] = dead[0] or command(data)
        return b"" if dead[0] else data

    return Broken(hears=hears)


def twice(frame: Frame) -> list[Frame]:
    return [frame, frame]


class Careless:
    """A board that does not look at the CRC of what it hears."""

    def __init__(self) -> None:
        self.body = plain()

    def work(self, now_ns: int, received: bytes) -> bytes:
        for piece in received.split(b"\0"):
            if why_no_frame(piece).startswith("its CRC"):
                received = encode(Frame(0, 0, AskHello()))
        return self.body.work(now_ns, received)


class Cutting:
    """A board that writes what fits into a full port, also half a frame, and whose own time goes on."""

    def __init__(self) -> None:
        self.body = plain()
        self.heard = 0

    def work(self, now_ns: int, received: bytes) -> bytes:
        self.heard += len(received)
        out = self.body.work(now_ns, received)
        return out[: len(out) // 2] if len(received) > 3000 else out


class Waiting:
    """A board whose loop stands still until the host reads."""

    def __init__(self) -> None:
        self.body = plain()
        self.stands_ns = self.until_ns = 0

    def work(self, now_ns: int, received: bytes) -> bytes:
        if len(received) > 3000:
            self.until_ns = now_ns + 2_000_000_000
        if now_ns < self.until_ns:
            self.stands_ns += TICK_NS
            return b""
        return self.body.work(now_ns - self.stands_ns, received)


class Slow:
    """A board that answers what it heard 400 ms ago, and dates the answer with the time of writing."""

    def __init__(self) -> None:
        self.body = plain()
        self.waiting: list[tuple[int, bytes]] = []

    def work(self, now_ns: int, received: bytes) -> bytes:
        if received:
            self.waiting.append((now_ns, received))
        due = b"".join(data for at_ns, data in self.waiting if now_ns - at_ns >= 400_000_000)
        self.waiting = [(at_ns, data) for at_ns, data in self.waiting if now_ns - at_ns < 400_000_000]
        return self.body.work(now_ns, due)


class Jumping:
    """A board whose time begins again every three seconds."""

    def __init__(self) -> None:
        self.body = Broken(lambda frame: [replace(frame, board_us=frame.board_us % 3_000_000)])

    def work(self, now_ns: int, received: bytes) -> bytes:
        return self.body.work(now_ns, received)


def with_bad_crc(data: bytes) -> bytes:
    """Return the frame with its CRC in the other order of bytes."""
    (frame,) = Decoder().feed(b"\0" + data)
    payload = bytearray(_payload(encode(frame)))
    payload[-4:] = payload[-4:][::-1]
    return _stuffed(bytes(payload))


def _payload(data: bytes) -> bytes:
    payload, at = bytearray(), 0
    piece = data[:-1]
    while at < len(piece):
        distance = piece[at]
        payload += piece[at + 1 : at + distance]
        at += distance
        if distance < 255 and at < len(piece):
            payload.append(0)
    return bytes(payload)


def _stuffed(payload: bytes) -> bytes:
    runs = payload.split(b"\0")
    assert all(len(run) < 254 for run in runs)
    return b"".join(bytes([len(run) + 1]) + run for run in runs) + b"\0"


MISTAKES: dict[str, tuple[Callable[[], Body], str, str]] = {
    "silent": (lambda: Broken(lambda frame: []), "bytes", "nothing came"),
    "lines of text": (
        lambda: Broken(cable=lambda data: b'{"a1": "black"}\n'),
        "bytes",
        "without a zero among them",
    ),
    "not stuffed": (
        lambda: Broken(cable=lambda data: b"\x01" + _payload(data) + b"\0"),
        "bytes",
        "no frame came",
    ),
    "CRC the other way round": (lambda: Broken(cable=with_bad_crc), "bytes", "its CRC-32 is"),
    "floods": (lambda: Broken(cable=lambda data: data * 60), "bytes", "more than the table takes"),
    "never says who it is": (
        lambda: Broken(of(Hello, lambda frame: None)),
        "HELLO",
        "no HELLO (type 1) came",
    ),
    "some frames damaged": (
        lambda: Broken(
            cable=lambda data: data[:-2] + bytes([data[-2] ^ 4]) + b"\0" if data[1] == 2 else data
        ),
        "frames",
        "pieces between two zeros are no frame",
    ),
    "a body too short": (
        lambda: Broken(every(5, lambda frame: replace(frame, message=UnknownMessage(2, b"1234")), Snapshot)),
        "frames",
        "type 2 with a body of 4 bytes, expected 24",
    ),
    "a host's command": (
        lambda: Broken(every(5, lambda frame: replace(frame, message=AskHello()), Snapshot)),
        "frames",
        "type 16 came",
    ),
    "an identity of zeros": (
        lambda: Broken(of(Hello, message(identity="0" * 16))),
        "HELLO",
        "its identity is 0000000000000000",
    ),
    "an identity that changes": (
        lambda: Broken(every(2, message(identity="1" * 16), Hello)),
        "HELLO",
        "its identity changes",
    ),
    "a kind of its own": (lambda: Broken(of(Hello, message(kind=7))), "HELLO", "its kind is 7"),
    "an eye without patience": (
        lambda: Broken(of(Hello, message(kind=1))),
        "HELLO",
        "an eye without a patience",
    ),
    "one number for all": (
        lambda: Broken(lambda frame: [replace(frame, sequence=7)]),
        "sequence",
        "expected 8",
    ),
    "a clock in milliseconds": (
        lambda: Broken(
            lambda frame: [replace(frame, board_us=frame.board_us // 1000, message=_in_ms(frame.message))]
        ),
        "time",
        "counts 1,000: expected microseconds",
    ),
    "positions seldom": (lambda: Broken(renumbered(seldom())), "positions", "1.5 s went by"),
    "no positions": (
        lambda: Broken(renumbered(lambda frame: isinstance(frame.message, Snapshot))),
        "positions",
        "0 positions (type 2) came",
    ),
    "settled in the future": (
        lambda: Broken(of(Snapshot, later_than_frame)),
        "instants",
        "settled-to lies 5000 us after the frame",
    ),
    "settled never moves": (
        lambda: Broken(of(Snapshot, message(settled_to_us=0, changed_us=0))),
        "instants",
        "a press waits 1 s for it at most",
    ),
    "each position is new": (
        lambda: Broken(
            of(
                Snapshot,
                lambda frame: replace(frame, message=altered(frame.message, changed_us=frame.board_us)),
            )
        ),
        "instants",
        "its position did not change",
    ),
    "damaged commands obeyed": (Careless, "damage", "whose CRC-32 is wrong"),
    "dies of noise": (
        lambda: dead_after(lambda data: len(data) > 1000 and data[0] == 0),
        "damage",
        "not answered after noise",
    ),
    "dies of an unknown command": (
        lambda: dead_after(lambda data: b"\x63" in data[:3]),
        "commands",
        "not answered after a command of type 99",
    ),
    "cuts frames": (Cutting, "slow host", "it cut a frame while the host did not read"),
    "waits for the host": (Waiting, "slow host", "its time stood still"),
    "answers twice": (lambda: Broken(renumbered_twice()), "answers", "3 times ASK HELLO, 6 times HELLO"),
    "answers late": (Slow, "answers", "expected 100 ms at most"),
    "its time goes back": (Jumping, "time", "the board's time went back"),
}


def _in_ms(of_frame: Message) -> Message:
    if isinstance(of_frame, Snapshot):
        return replace(
            of_frame, changed_us=of_frame.changed_us // 1000, settled_to_us=of_frame.settled_to_us // 1000
        )
    return of_frame


def renumbered_twice() -> Callable[[Frame], list[Frame]]:
    sequence = [0]

    def changed(frame: Frame) -> list[Frame]:
        frames = twice(frame) if isinstance(frame.message, Hello) else [frame]
        sequence[0] += len(frames)
        return [
            replace(each, sequence=sequence[0] - len(frames) + index & 0xFFFF)
            for index, each in enumerate(frames)
        ]

    return changed


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_told_in_its_own_line(mistake: str) -> None:
    board, rule, text = MISTAKES[mistake]
    wrong = broken(examined(board()))
    assert list(wrong) == [rule]
    assert text in wrong[rule]
    assert "\n" not in wrong[rule]


# By hand.


def act_on(body: PlainBody, change: Callable[[Position], Position]) -> Callable[[str, int], None]:
    """Return people who do what they are told, before a board that shows `change` of it."""

    def acts(text: str, now_ns: int) -> None:
        for act in ACTS:
            if act.text == text:
                if act.square is not None:
                    body.touch(act.square, TOUCH_DISC, now_ns)
                body.change(change(act.expected), now_ns)

    return acts


def test_people_find_squares_and_colours_right() -> None:
    body = plain()
    found = examined(body, True, act_on(body, lambda position: position))
    assert broken(found) == {}
    assert sum(finding.rule == "by hand" for finding in found) == len(ACTS)


def test_people_find_colours_that_are_exchanged() -> None:
    body = plain()
    found = examined(body, True, act_on(body, lambda position: Position(position.white, position.black)))
    assert broken(found) == {"by hand": "Lay a disc on a1, black up: the board shows a1 white"}


def test_people_find_rows_that_run_the_other_way() -> None:
    body = plain()

    def mirrored(position: Position) -> Position:
        turned = Position(0, 0)
        for square in range(64):
            bit = 1 << square
            if (position.black | position.white) & bit:
                turned = laid(turned, square ^ 7, bool(position.black & bit))
        return turned

    found = examined(body, True, act_on(body, mirrored))
    assert broken(found) == {"by hand": "Lay a disc on a1, black up: the board shows h1 black"}


def test_people_find_a_touch_of_another_square() -> None:
    body = plain()
    acts = act_on(body, lambda position: position)

    def elsewhere(text: str, now_ns: int) -> None:
        acts(text, now_ns)
        if body._touches:
            body._touches = [(at_ns, Touched(parse_square("h8"), TOUCH_DISC)) for at_ns, _ in body._touches]

    found = examined(body, True, elsewhere)
    assert broken(found) == {"by hand": "Lay a disc on a1, black up: the board told a touch of h8"}


def test_nobody_acts_and_the_test_ends() -> None:
    found = examined(plain(), True)
    assert broken(found) == {
        "by hand": "Take every disc off the board: the board shows e4, d5 black; d4, e5 white"
    }


def test_the_answer_as_text_and_as_json() -> None:
    found = examined(Broken(of(Hello, message(kind=7))))
    assert as_text(found).splitlines()[-1] == "not a board yet: 1 of 13 rules broken (docs/board-protocol.md)"
    assert as_text(examined(plain())).splitlines()[-1] == "a board (docs/board-protocol.md)"
    told = json.loads(as_json(found))
    assert told["board"] is False
    assert {"rule": "sequence", "ok": True, "text": "each frame has the next number"} in told["findings"]
