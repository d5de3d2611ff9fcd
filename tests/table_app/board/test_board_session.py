"""The dialogue with a board, without cable or thread: what frames mean to the table."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import (
    TOUCH_HAND,
    AskHello,
    AskSnapshot,
    FaultReport,
    Hello,
    Message,
    Raw,
    Snapshot,
    Touched,
)
from flagfall.othello.board import START, Position, parse_square
from flagfall.othello.inputs import Contact
from table_app.board.session import BURST_UNITS, EVENT_UNITS, BoardSession, turned_round
from table_app.events import BoardFault, BoardPresence, BoardShown, BoardStream, BoardTouched, Event

MS = 1_000_000
IDENTITY = "00112233445566aa"
F5 = parse_square("f5")


class Board:
    """Says frames to a dialogue with one millisecond's delay."""

    def __init__(self, dialogue: BoardSession, count_from_us: int = 500) -> None:
        self.dialogue = dialogue
        self.sequence = 0
        self.count_from_us = count_from_us

    def says(
        self, message: Message, at_ms: int, sequence: int | None = None, late_ms: int = 1
    ) -> list[Event]:
        if sequence is not None:
            self.sequence = sequence
        frame = Frame(self.sequence & 0xFFFF, self.us(at_ms), message)
        self.sequence += 1
        return self.dialogue.received(encode(frame), (at_ms + late_ms) * MS)

    def us(self, at_ms: int) -> int:
        return (self.count_from_us + 1000 * at_ms) & 0xFFFF_FFFF

    def snapshot(self, position: Position, changed_ms: int, settled_to_ms: int) -> Snapshot:
        return Snapshot(position, self.us(changed_ms), self.us(settled_to_ms))

    def hello(self, at_ms: int) -> list[Event]:
        return self.says(Hello(IDENTITY, (1, 0), True, at_ms // 1000), at_ms)


def asked(dialogue: BoardSession, now_ms: int = 0) -> list[Message]:
    return [frame.message for frame in Decoder().feed(dialogue.to_send(now_ms * MS))]


def present(turned: bool = False, count_from_us: int = 500) -> Board:
    board = Board(BoardSession(0, turned), count_from_us)
    board.hello(5)
    board.says(board.snapshot(START, 0, 6), 6)
    board.dialogue.to_send(7 * MS)
    return board


def test_a_board_is_there_once_it_has_said_who_it_is_and_shown_its_position() -> None:
    dialogue = BoardSession(0)
    board = Board(dialogue)
    assert asked(dialogue) == [AskHello()]
    assert board.says(board.snapshot(START, 0, 3), 3) == []
    assert board.hello(5) == []
    assert asked(dialogue) == [AskSnapshot()]
    assert board.says(board.snapshot(START, 0, 6), 6) == [
        BoardPresence(7 * MS, ok=True, identity=IDENTITY),
        BoardShown(7 * MS, START),
        BoardStream(7 * MS),
    ]
    assert board.says(board.snapshot(START, 0, 56), 56) == [BoardStream(57 * MS)]


def test_an_unanswered_question_is_asked_again_and_silence_ends_it() -> None:
    dialogue = BoardSession(0)
    assert asked(dialogue) == [AskHello()]
    assert asked(dialogue, 100) == []
    assert asked(dialogue, 400) == [AskHello()]
    assert not dialogue.given_up(900 * MS)
    assert dialogue.given_up(1100 * MS)


def test_after_a_lost_answer_the_time_is_asked_when_no_late_one_can_be_taken_for_it() -> None:
    dialogue = BoardSession(0)
    board = Board(dialogue)
    assert asked(dialogue) == [AskHello()]  # whose answer is lost
    assert asked(dialogue, 400) == [AskHello()]
    board.hello(405)
    assert asked(dialogue, 600) == [AskSnapshot()]
    assert asked(dialogue, 3300) == [AskSnapshot()]
    assert asked(dialogue, 3400) == [AskHello()]
    board.hello(3405)
    assert BoardPresence(3407 * MS, ok=True, identity=IDENTITY) in board.says(
        board.snapshot(START, 0, 3406), 3406
    )


def test_an_answer_to_the_session_before_is_taken_for_none_of_a_later_question() -> None:
    questions_ns: deque[int] = deque()
    BoardSession(0, questions_ns=questions_ns)
    board = Board(BoardSession(2000 * MS, questions_ns=questions_ns))
    board.says(Hello(IDENTITY, (1, 0), True, 0), 5, late_ms=1996)
    assert board.says(board.snapshot(START, 0, 6), 6, late_ms=1996) == []


def test_while_the_boards_time_proves_wrong_nothing_that_it_says_is_judged() -> None:
    """It greets when it gets power: that was taken for the answer to a question asked later."""
    board = Board(BoardSession(2000 * MS))
    board.says(Hello(IDENTITY, (1, 0), True, 0), 5, late_ms=1996)
    assert BoardStream(2002 * MS) in board.says(board.snapshot(START, 0, 6), 6, late_ms=1996)
    moved = START.played(True, F5)
    assert board.says(Touched(F5, 1), 2080) == []
    assert board.says(board.snapshot(moved, 2080, 2120), 2120) == []
    assert asked(board.dialogue, 2122)[-1] == AskHello()
    board.hello(2125)
    events = board.says(board.snapshot(moved, 2080, 2130), 2130)
    assert events == [BoardShown(2081 * MS, moved, unknown_since_ns=2002 * MS), BoardStream(2131 * MS)]
    for at_ms in range(2140, 3300, 50):
        board.dialogue._time._least_ns = None
        assert board.says(board.snapshot(START, 2140, at_ms), at_ms) == []
    assert board.dialogue.given_up(3300 * MS), "one whose time stays unknown is looked for again"


def test_a_board_that_never_says_who_it_is_is_given_up() -> None:
    dialogue = BoardSession(0)
    board = Board(dialogue)
    for at_ms in range(50, 3100, 50):
        assert board.says(board.snapshot(START, 0, at_ms), at_ms) == []
    assert dialogue.given_up(3100 * MS)


def test_a_settled_change_bears_the_instant_of_the_change_not_of_the_telling() -> None:
    board = present()
    after = START.played(True, F5)
    pending = board.says(board.snapshot(START, 0, 199), 250)
    assert pending == [BoardStream(200 * MS)]
    events = board.says(board.snapshot(after, 230, 290), 290)
    assert events == [BoardShown(231 * MS, after), BoardStream(291 * MS)]
    assert board.says(board.snapshot(after, 230, 340), 340) == [BoardStream(341 * MS)]


def test_a_touch_is_told_at_once_an_ambiguous_one_commits_nobody() -> None:
    board = present()
    assert board.says(Touched(F5, 1), 70) == [BoardTouched(71 * MS, F5, Contact.DISC)]
    assert board.says(Touched(F5, 2), 80) == [BoardTouched(81 * MS, F5, Contact.HAND)]
    assert board.says(Touched(F5, 3), 90) == [BoardTouched(91 * MS, F5, Contact.DROPPED)]
    for ambiguous in (Touched(F5, 2, ambiguous=True), Touched(None, 2)):
        (fault,) = board.says(ambiguous, 95)
        assert isinstance(fault, BoardFault)


def test_a_gap_in_the_sequence_asks_for_the_position() -> None:
    board = present()
    events = board.says(board.snapshot(START, 0, 60), 60, sequence=board.sequence + 3)
    assert events == [BoardFault(61 * MS, "frames lost", 3), BoardStream(61 * MS)]
    assert asked(board.dialogue) == [AskSnapshot()]
    board.sequence = 0xFFFF
    board.says(board.snapshot(START, 0, 90), 90)
    assert BoardFault in {type(event) for event in board.says(board.snapshot(START, 0, 110), 110, sequence=5)}
    board = present()
    board.dialogue._next_sequence = 0xFFFF
    assert board.says(board.snapshot(START, 0, 120), 120, sequence=0xFFFF) == [BoardStream(121 * MS)]
    assert board.says(board.snapshot(START, 0, 170), 170) == [BoardStream(171 * MS)], "0 follows 65535"


def test_damage_is_counted_and_told() -> None:
    board = present()
    assert board.dialogue.received(b"\x03abc\0", 70 * MS) == [
        BoardFault(70 * MS, "bytes that are no frame", 1)
    ]
    assert board.dialogue.received(b"xyz\0\x44\0", 80 * MS) == [
        BoardFault(80 * MS, "bytes that are no frame", 3)
    ]


def test_a_board_that_starts_again_is_lost_and_found() -> None:
    board = present()
    board.says(board.snapshot(START, 0, 5000), 5000)
    board.count_from_us = -4_999_000
    board.sequence = 0
    events = board.says(board.snapshot(START, 5000, 5050), 5050)
    assert events[0] == BoardPresence(
        5051 * MS, ok=False, identity=IDENTITY, why="the board has started again"
    )
    assert asked(board.dialogue) == [AskHello()]
    board.hello(5060)
    events = board.says(board.snapshot(START, 5040, 5070), 5070)
    assert [type(event) for event in events] == [BoardPresence, BoardShown, BoardStream]


def test_the_position_is_told_again_on_request_and_when_the_board_is_turned() -> None:
    after = START.played(True, F5)
    board = present()
    board.says(board.snapshot(after, 50, 100), 100)
    board.dialogue.tell_again()
    assert asked(board.dialogue) == [AskSnapshot()]
    again = board.says(board.snapshot(after, 50, 150), 150)
    assert again == [BoardShown(101 * MS, after), BoardStream(151 * MS)]
    board.dialogue.turn(True)
    turned = board.says(board.snapshot(after, 50, 200), 200)
    assert turned == [BoardShown(151 * MS, turned_round(after)), BoardStream(201 * MS)]
    assert board.says(Touched(0, 1), 210) == [BoardTouched(211 * MS, 63, Contact.DISC)]
    board.dialogue.turn(True)
    assert asked(board.dialogue) == [AskSnapshot()], "nothing asked but for the one turn"


def test_turned_round() -> None:
    assert turned_round(START) == START
    assert turned_round(Position(1, 1 << 8, 1 << 63)) == Position(1 << 63, 1 << 55, 1)


def test_the_boards_own_faults_and_raw_readings_are_handed_on() -> None:
    heard: list[Raw] = []
    dialogue = BoardSession(0, on_raw=heard.append)
    board = Board(dialogue)
    board.hello(5)
    assert board.says(FaultReport(2, F5, 7), 6) == [BoardFault(7 * MS, "sensor stuck at f5 (7)", 1, 2, F5, 7)]
    assert board.says(FaultReport(99, None), 7) == [BoardFault(8 * MS, "fault 99", 1, 99)]
    raw = Raw((5,) * 64)
    assert board.says(raw, 8) == []
    assert heard == [raw]


def test_a_board_that_speaks_of_the_future_is_not_believed() -> None:
    board = present()
    events = board.says(Snapshot(Position(1, 2), board.us(900_000), board.us(900_000)), 60)
    assert events == [BoardShown(61 * MS, Position(1, 2)), BoardStream(61 * MS)]


@given(
    st.lists(
        st.tuples(st.integers(1, 80), st.integers(0, 2000), st.integers(0, 200), st.integers(0, 3)),
        min_size=1,
    )
)
def test_nothing_is_told_of_an_instant_that_was_declared_settled(
    steps: list[tuple[int, int, int, int]],
) -> None:
    """Whatever a board says, in whatever delays: instants of changes and touches lie at or after what was
    settled.
    """
    board = present(count_from_us=2**32 - 1_000_000)
    at_ms, settled_ns = 10, 0
    for step_ms, changed_before_ms, settled_before_ms, kind in steps:
        at_ms += step_ms
        message: Message = Touched(F5, 1)
        if kind:
            message = board.snapshot(
                Position(kind, 0), max(0, at_ms - changed_before_ms), max(0, at_ms - settled_before_ms)
            )
        events = board.says(message, at_ms)
        assert not any(isinstance(event, BoardPresence) for event in events)
        for event in events:
            if isinstance(event, BoardStream):
                assert event.settled_to_ns >= settled_ns
                settled_ns = event.settled_to_ns
            else:
                assert event.at_ns >= settled_ns
                assert event.at_ns <= (at_ms + 1) * MS


@given(st.lists(st.binary(max_size=60)))
def test_no_bytes_raise(pieces: list[bytes]) -> None:
    dialogue = BoardSession(0)
    for index, piece in enumerate(pieces):
        dialogue.received(piece + b"\0", index * MS)


def test_a_board_that_was_never_calibrated_says_so_until_it_is() -> None:
    board = Board(BoardSession(0))
    board.says(Hello(IDENTITY, (1, 0), False, 0), 5)
    (came, *_) = board.says(board.snapshot(Position(0, 0, (1 << 64) - 1), 0, 6), 6)
    assert isinstance(came, BoardPresence) and came.ok and not came.calibrated
    assert board.says(Hello(IDENTITY, (1, 0), False, 1), 1000) == []
    asked(board.dialogue)
    (again,) = board.says(Hello(IDENTITY, (1, 0), True, 2), 2000)
    assert again == BoardPresence(2001 * MS, True, IDENTITY)
    assert asked(board.dialogue) == [AskSnapshot()]


def test_what_changed_while_frames_were_lost_is_not_known_at_any_instant_before() -> None:
    board = present()
    board.says(board.snapshot(START, 0, 60), 60)
    after = START.played(True, F5)
    events = board.says(board.snapshot(after, 90, 110), 110, sequence=board.sequence + 1)
    assert events[1:] == [BoardShown(91 * MS, after, unknown_since_ns=61 * MS), BoardStream(111 * MS)]
    further = after.played(False, parse_square("d6"))
    assert board.says(board.snapshot(further, 190, 210), 210)[0] == BoardShown(191 * MS, further)


def test_a_board_that_answers_slowly_is_asked_again_until_its_time_is_known() -> None:
    dialogue = BoardSession(0)
    board = Board(dialogue)
    assert asked(dialogue) == [AskHello()]
    assert board.hello(150) == []
    assert board.says(board.snapshot(START, 0, 160), 160) == [], "its time is known to 163 ms only"
    assert asked(dialogue, 170) == [AskSnapshot(), AskHello()]
    assert asked(dialogue, 200) == []
    assert board.hello(240) == []
    events = board.says(board.snapshot(START, 0, 250), 250)
    assert [type(event) for event in events] == [BoardPresence, BoardShown, BoardStream]
    # Known to 83 ms: what it tells may have happened 53 ms earlier than the 30 ms that are always allowed for.
    moved = START.played(True, F5)
    changes = board.says(board.snapshot(moved, 400, 440), 440)
    assert isinstance(changes[0], BoardShown) and 401 * MS - changes[0].at_ns == pytest.approx(
        53 * MS, abs=MS
    )
    assert asked(dialogue, 500)[-1] == AskHello()
    board.hello(505)
    assert board.says(board.snapshot(moved, 400, 550), 550) == [BoardStream(551 * MS)]
    assert asked(dialogue, 700) == []


def test_a_board_that_sends_more_than_its_cable_carries_is_read_no_further() -> None:
    board = present()
    events = []
    for number in range(2_000):
        events += board.says(Touched(number % 64, TOUCH_HAND, False), 10)
        if board.dialogue.floods:
            break
    assert board.dialogue.floods
    contacts = len(events)
    assert 100 <= contacts <= BURST_UNITS // EVENT_UNITS
    assert board.says(Touched(1, TOUCH_HAND, False), 11) == []


@pytest.mark.parametrize("piece", [b"\0", b"\x01\0", b"\xff" * 64, b"\x01\x01\0"])
def test_bytes_that_are_no_frame_are_charged_too(piece: bytes) -> None:
    dialogue = BoardSession(0)
    fed = 0
    while not dialogue.floods:
        dialogue.received(piece * 64, 10 * MS)
        fed += 64 * len(piece)
    assert fed <= BURST_UNITS + 64 * 64


def test_a_genuine_board_at_its_busiest_stays_within_its_budget() -> None:
    """Ten minutes of snapshots and raw readings at twenty a second, a contact and a changed position at each: more than
    hands can do, and with what a builder streams beside it."""
    board = present()
    for ms in range(50, 600_000, 50):
        lying = START if ms % 100 else Position(START.black | 1, START.white)
        board.says(board.snapshot(lying, ms - 10, ms), ms)
        board.says(Raw((100,) * 64), ms)
        board.says(Touched(ms // 50 % 64, TOUCH_HAND, False), ms)
        assert not board.dialogue.floods
