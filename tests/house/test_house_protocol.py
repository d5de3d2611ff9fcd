"""The page of the board's protocol says what the table's decoder does: its examples, figures and codes."""

from __future__ import annotations

import re
import sys

import pytest
from helpers.documented import ROOT

from flagfall.link.board.faults import FAULT_TEXTS
from flagfall.link.board.frames import (
    LONGEST_FRAME,
    LONGEST_PAYLOAD,
    NO_SQUARE,
    Decoder,
    Frame,
    decode,
    encode,
    why_no_frame,
)
from flagfall.link.board.messages import (
    AskHello,
    AskSnapshot,
    FaultReport,
    Hello,
    PlaceCorners,
    Snapshot,
    Touched,
    UnknownMessage,
    Walk,
)
from flagfall.othello.board import square_name, square_names
from table_app.board import driver, session, time_mapping
from table_app.conformance import rules

pytestmark = pytest.mark.tree

PAGE = (ROOT / "docs" / "board-protocol.md").read_text("utf-8")
CONTACTS = {1: "disc", 2: "hand", 3: "dropped"}


def in_words(frame: Frame) -> str:
    """Return a frame as the page writes it."""
    at = f", sequence {frame.sequence}" + (f", at {frame.board_us} us: " if frame.board_us else "")
    match frame.message:
        case AskHello():
            return f"ASK HELLO{at}"
        case AskSnapshot():
            return f"ASK POSITION{at}"
        case Hello(identity, (major, minor), calibrated, uptime_s):
            ready = "calibrated" if calibrated else "not calibrated"
            return f"HELLO{at}{identity}, version {major}.{minor}, {ready}, up for {uptime_s} s"
        case Snapshot(position, changed_us, settled_to_us):
            black, white = (
                " ".join(sorted(square_names(discs))) for discs in (position.black, position.white)
            )
            instants = f"changed at {changed_us} us, settled to {settled_to_us} us"
            return f"POSITION{at}black {black}, white {white}, {instants}"
        case Touched(square, contact):
            assert square is not None
            return f"TOUCH{at}{square_name(square)}, {CONTACTS[contact]}"
        case FaultReport(code, square, detail):
            assert square is not None
            return f"FAULT{at}code {code}, {square_name(square)}, detail {detail}"
    raise AssertionError(f"not on the page: {frame}")


def test_each_example_decodes_to_what_stands_beside_it() -> None:
    examples = re.findall(r"^\| `((?:[0-9a-f]{2} )+00)` \| (.*) \|$", PAGE, re.M)
    assert len(examples) == 6
    for written, words in examples:
        data = bytes.fromhex(written)
        (frame,) = Decoder().feed(data)
        assert in_words(frame) == words
        assert encode(frame) == data


def test_the_figures_are_the_tables() -> None:
    places = encode(Frame(0, 0, PlaceCorners(((0.1, 0.2),) * 4)))
    for figures in (
        f"| {LONGEST_PAYLOAD} and {LONGEST_FRAME + 1} bytes |",
        f"given up after | {session.SILENCE_NS // 10**9} s |",
        f"shown a position is given up after | {session.PATIENCE_NS // 10**9} s |",
        f"asked again every | {session.ASK_AGAIN_NS // 10**6} ms |",
        f"| {session.UNITS_PER_S:,} units a second, {session.BURST_UNITS:,} at once: a byte is 1, a frame "
        f"{session.FRAME_UNITS}, a frame that is recorded (a touch, a change, a fault) {session.EVENT_UNITS} more |",
        f"left alone for {driver._SHUT_NS // 10**9} s",
        f"With an error above {session.MOST_UNCERTAIN_NS // 10**6} ms",
        f"{time_mapping.FORGET_PPM} millionths",
        f"back by more than {time_mapping.DISORDER_US // 1000} ms",
        f"has {len(places)} bytes, its zero included ({len(encode(Frame(0, 0, Walk(3))))} without type 21)",
        f"Square {NO_SQUARE} says",
        f"Types from {rules.OWN_TYPES} on are yours",
        f"number ({driver.BOARD_VENDOR:04x})",
    ):
        assert figures in " ".join(PAGE.split()), figures
    assert rules.OLDEST_US == 2**30
    assert "2^30 us before their frame" in PAGE


def test_the_codes_are_those_that_the_table_knows() -> None:
    table = PAGE.partition("## Codes of faults")[2]
    assert {
        int(code): text for code, text in re.findall(r"^\| (\d+) \| (.+) \|$", table, re.M)
    } == FAULT_TEXTS


def test_the_sizes_of_bodies_are_those_that_are_taken() -> None:
    # Each row's bytes, as they are counted there.
    table = PAGE.partition("## What a board sends")[2].partition("Types 6")[0]
    sizes = {}
    for kind, body in re.findall(r"^\| (\d+) \| [A-Z]+ \| (.*) \|$", table, re.M):
        counted = [int(number) for number in re.findall(r"(\d+) bytes?", body)]
        sizes[int(kind)] = 64 * counted[0] if kind == "4" else sum(counted)
    assert sorted(sizes) == [1, 2, 3, 4, 5]
    for kind, size in sizes.items():
        assert why_no_frame(encoded(kind, bytes(size - 1))).startswith(
            f"type {kind} with a body of {size - 1} bytes"
        )
        assert decode(encoded(kind, b"\1" * size)) is not None


def encoded(kind: int, body: bytes) -> bytes:
    return encode(Frame(0, 0, UnknownMessage(kind, body)))[:-1]


def test_the_example_board_needs_nothing_of_ours() -> None:
    source = (ROOT / "docs" / "examples" / "board.py").read_text("utf-8")
    modules = set(re.findall(r"^(?:import|from) (\w+)", source, re.M))
    assert modules <= set(sys.stdlib_module_names)
    lines = [line for line in source.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert len(lines) <= 80
