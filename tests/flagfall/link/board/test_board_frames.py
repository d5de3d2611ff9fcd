"""The cable's frames: every value comes through, and nothing that was not sent ever does."""

from __future__ import annotations

import json
import random
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.link.board.frames import LONGEST_FRAME, Decoder, Frame, decode, encode
from flagfall.link.board.messages import (
    AskHello,
    AskSnapshot,
    Calibrate,
    FaultReport,
    Hello,
    Message,
    PlaceCorners,
    Raw,
    RawStream,
    SelfTest,
    Snapshot,
    Touched,
    UnknownMessage,
    Walk,
)
from flagfall.othello.board import START, Position

U8, U16, U32 = st.integers(0, 255), st.integers(0, 0xFFFF), st.integers(0, 0xFFFF_FFFF)
SQUARES = st.none() | st.integers(0, 63)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    cells = draw(st.lists(st.integers(0, 3), min_size=64, max_size=64))
    sets = [sum(1 << square for square, cell in enumerate(cells) if cell == which) for which in range(4)]
    return Position(sets[1], sets[2], sets[3])


SHARE = U16.map(lambda share: share / 0xFFFF)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(Hello, st.binary(min_size=8, max_size=8).map(bytes.hex), st.tuples(U8, U8), st.booleans(), U32),
    st.builds(
        Hello,
        st.binary(min_size=8, max_size=8).map(bytes.hex),
        st.tuples(U8, U8),
        st.booleans(),
        U32,
        U8,
        U16,
        U16,
    ),
    st.builds(Snapshot, positions(), U32, U32),
    st.builds(Touched, SQUARES, st.integers(1, 3), st.booleans()),
    st.builds(Raw, st.lists(st.integers(-32768, 32767), min_size=64, max_size=64).map(tuple)),
    st.builds(FaultReport, U8, SQUARES, st.integers(-32768, 32767)),
    st.just(AskHello()),
    st.just(AskSnapshot()),
    st.builds(RawStream, st.booleans()),
    st.builds(Calibrate, U8),
    st.just(SelfTest()),
    st.just(PlaceCorners()),
    st.builds(PlaceCorners, st.tuples(*4 * [st.tuples(SHARE, SHARE)])),
    st.builds(Walk, U8),
    st.builds(UnknownMessage, st.integers(23, 255), st.binary(max_size=100)),
)
FRAMES = st.builds(Frame, U16, U32, MESSAGES)


@given(st.lists(FRAMES, max_size=6), st.randoms())
def test_frames_come_through_whatever_pieces_they_arrive_in(
    frames: list[Frame], chance: random.Random
) -> None:
    stream = b"".join(encode(frame) for frame in frames)
    decoder, got = Decoder(), []
    while stream:
        size = chance.randint(1, len(stream))
        got += decoder.feed(stream[:size])
        stream = stream[size:]
    assert got == frames
    assert decoder.bad == 0


@given(FRAMES)
def test_a_zero_ends_a_frame_and_stands_nowhere_else_in_it(frame: Frame) -> None:
    data = encode(frame)
    assert data.index(0) == len(data) - 1
    assert len(data) <= LONGEST_FRAME + 1


@given(st.lists(st.binary(max_size=400), max_size=10))
def test_any_bytes_are_survived_and_memory_stays_small(pieces: list[bytes]) -> None:
    decoder = Decoder()
    for piece in pieces:
        for frame in decoder.feed(piece):
            assert encode(frame).rstrip(b"\0") in b"".join(pieces)
        assert len(decoder._piece) <= LONGEST_FRAME
    decoder.feed(b"\0")
    good = Frame(7, 8, AskSnapshot())
    assert decoder.feed(encode(good)) == [good]


def test_what_was_heard_before_the_first_zero_is_not_held_against_the_cable() -> None:
    decoder = Decoder()
    frame = Frame(1, 2, Snapshot(START, 3, 4))
    assert decoder.feed(encode(frame)[5:] + encode(frame)) == [frame]
    assert decoder.bad == 0
    assert decoder.feed(encode(frame)[5:] + encode(frame)) == [frame]
    assert decoder.bad == 1


def test_an_endless_piece_is_counted_once() -> None:
    decoder = Decoder()
    decoder.feed(b"\0")
    for _ in range(1000):
        assert decoder.feed(b"\x55" * 64) == []
    frame = Frame(1, 2, AskHello())
    assert decoder.feed(b"\0" + encode(frame)) == [frame]
    assert decoder.bad == 1


@pytest.mark.parametrize(
    ("kind", "body"),
    [(2, b"\0" * 23), (2, b"\0" * 25), (3, b"\x40\x01\x00"), (3, b"\x01\x04\x00"), (1, b""), (18, b"")],
)
def test_a_body_impossible_for_its_type_is_no_frame(kind: int, body: bytes) -> None:
    payload = bytes([kind, 0, 0, 0, 0, 0, 0]) + body
    payload += zlib.crc32(payload).to_bytes(4, "little")
    stuffed = bytearray()
    for run in payload.split(b"\0"):
        stuffed += bytes([len(run) + 1]) + run
    assert decode(bytes(stuffed)) is None


def damaged(data: bytes, chance: random.Random, other: bytes) -> bytes:
    """Return one frame after an accident on its way."""
    hurt = bytearray(data)
    match chance.randrange(6):
        case 0:
            hurt[chance.randrange(len(hurt))] ^= 1 << chance.randrange(8)
        case 1:
            del hurt[chance.randrange(len(hurt))]
        case 2:
            hurt.insert(chance.randrange(len(hurt)), chance.randrange(256))
        case 3:
            del hurt[chance.randrange(len(hurt)) :]
        case 4:
            hurt = hurt[:-1] + bytearray(other)
        case _:
            start = chance.randrange(len(hurt))
            size = chance.randint(1, 8)
            hurt[start : start + size] = chance.randbytes(size)
    return bytes(hurt)


def test_damage_is_never_taken_for_a_frame_and_the_next_frame_is_heard() -> None:
    """Each damaged frame stands between sound ones; what comes out is sound ones only (`make bench` does a
    million).
    """
    chance = random.Random(5)
    decoder = Decoder()
    decoder.feed(b"\0")
    for sequence in range(0, 6000, 2):
        sound = Frame(sequence, chance.getrandbits(32), Snapshot(Position(chance.getrandbits(64), 0), 1, 2))
        hurt = Frame(
            sequence + 1, chance.getrandbits(32), Snapshot(Position(0, chance.getrandbits(64)), 3, 4)
        )
        other = encode(Frame(9, 9, AskHello()))
        bytes_hurt = damaged(encode(hurt), chance, other)
        # The zero that separates: a frame without its end swallows the next one, not the one after.
        got = decoder.feed(bytes_hurt + b"\0" + encode(sound))
        assert [frame for frame in got if frame not in (hurt, Frame(9, 9, AskHello()))] == [sound]


EXAMPLES = Path(__file__).parents[3] / "data" / "board_frames.json"


def test_the_bytes_on_the_cable_are_those_agreed_with_the_firmware() -> None:
    examples = json.loads(EXAMPLES.read_text("utf-8"))
    assert len(examples) >= 10
    for example in examples:
        data = bytes.fromhex(example["bytes"])
        frame = decode(data.rstrip(b"\0"))
        assert frame is not None, example["name"]
        assert encode(frame) == data
        assert type(frame.message).__name__ == example["message"]
        assert (frame.sequence, frame.board_us) == (example["sequence"], example["board_us"])
