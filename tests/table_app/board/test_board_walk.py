"""The table's side of a walk: the square it asks for, lost answers, and what stands on the screen."""

from __future__ import annotations

import time
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest
from helpers.touchscreen import texts
from helpers.waiting import PATIENCE_S

from flagfall.link.board import faults, messages
from flagfall.link.board.faults import WALK_BEGUN, WALK_ELSEWHERE, WALK_FAILED, WALK_PASSED, WALK_SEEN
from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import WALK_BEGIN, WALK_VERDICT, FaultReport, Hello, Walk
from flagfall.othello.board import Position
from simulator.board_model import BoardModel, Wiring
from simulator.firmware_body import FirmwareBody, calibration
from simulator.virtual_board import VirtualBoard
from table_app.board.driver import SerialBoard
from table_app.board.port import NoBoard
from table_app.board.session import BoardSession
from table_app.board.setup import BoardSetup, Orientations
from table_app.board.walk import ASK_AGAIN_NS, SEES_NOTHING, BoardWalk, WalkVerdict
from table_app.events import BoardFault, BoardPresence, Event
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.scene import Rect
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.scenes.board_setup import setup_scene

IDENTITY = "e661385283774f2b"


class Port(NoBoard):
    def __init__(self) -> None:
        self.said: list[messages.Message] = []

    def say(self, message: messages.Message) -> None:
        self.said.append(message)


class Desk:
    """A set-up whose board is played by the test."""

    def __init__(self) -> None:
        self.port = Port()
        self.setup = BoardSetup(self.port, Orientations({IDENTITY: False}))
        self.setup.presence(BoardPresence(0, True, IDENTITY))
        self.now_ns = 0
        self.setup.apply_request("walk", 0)
        self.pass_ns(0)

    def pass_ns(self, later_ns: int) -> list[messages.Message]:
        """Let time pass; return what the table has said since the last look."""
        self.now_ns += later_ns
        self.setup.pass_time(self.now_ns, playing=False)
        messages_sent, self.port.said = self.port.said, []
        return messages_sent

    def hear(self, code: int, square: int | None = None, detail: int = 0) -> list[messages.Message]:
        self.setup.fault(BoardFault(self.now_ns, "", 1, code, square, detail), self.now_ns)
        return self.pass_ns(1)

    @property
    def walk(self) -> BoardWalk:
        assert self.setup.view is not None
        assert self.setup.view.walk is not None
        return self.setup.view.walk

    def shown(self) -> tuple[str, ...]:
        assert self.setup.view is not None
        look = Look(load_theme(), load_words("en"), 1.0)
        return texts(setup_scene(self.setup.view, Rect(0, 0, 800, 480), look))


def test_squares_are_asked_for_from_a1_to_h8_and_the_verdict_last() -> None:
    desk = Desk()
    assert desk.hear(WALK_BEGUN) == [Walk(0)]
    assert "A disc on a1, and no other disc" in desk.shown()
    for square in range(63):
        assert desk.hear(WALK_SEEN, square) == [Walk(square + 1)]
    assert desk.hear(WALK_SEEN, 63) == [Walk(WALK_VERDICT)]
    assert desk.hear(WALK_PASSED) == []
    assert desk.walk.verdict is WalkVerdict.PASSED
    assert "The board is wired right" in desk.shown()


def test_what_is_not_answered_is_asked_again_and_old_answers_count_for_nothing() -> None:
    desk = Desk()
    # The answers of a walk before cannot be taken for this one's: it has not begun.
    assert desk.hear(WALK_SEEN, 0) == []
    assert desk.pass_ns(ASK_AGAIN_NS) == [Walk(WALK_BEGIN)]
    assert desk.hear(WALK_BEGUN) == [Walk(0)]
    assert desk.pass_ns(ASK_AGAIN_NS // 2) == []
    assert desk.pass_ns(ASK_AGAIN_NS) == [Walk(0)]
    assert desk.hear(WALK_SEEN, 0) == [Walk(1)]
    assert desk.hear(WALK_SEEN, 0) == []
    assert desk.hear(WALK_PASSED) == []
    assert desk.walk.verdict is WalkVerdict.NONE


def test_what_is_wrong_stands_on_the_screen_with_its_suspect() -> None:
    desk = Desk()
    desk.hear(WALK_BEGUN)
    assert desk.hear(WALK_ELSEWHERE, 0, 8) == [Walk(1)]
    assert "a1: a2 reacts" in desk.shown()
    desk.setup.apply_request("stop", desk.now_ns)
    assert desk.pass_ns(1) == [Walk(WALK_VERDICT)]
    desk.hear(faults.STRIPS_EXCHANGED, None, 1 << 8)
    desk.hear(WALK_FAILED, None, 64)
    assert {"The board is not right", "Cables of strips 1 and 2 exchanged?", "a1: a2 reacts"} <= set(
        desk.shown()
    )
    desk.setup.apply_request("walk", desk.now_ns)
    assert desk.pass_ns(1) == [Walk(WALK_BEGIN)]


def test_a_second_quick_touch_does_not_speak_for_the_next_square() -> None:
    desk = Desk()
    desk.setup.apply_request("nothing", desk.now_ns)
    desk.hear(WALK_BEGUN)
    desk.setup.apply_request("nothing", desk.now_ns)
    assert SEES_NOTHING not in desk.pass_ns(1)
    desk.pass_ns(ASK_AGAIN_NS)
    desk.setup.apply_request("nothing", desk.now_ns)
    assert SEES_NOTHING in desk.pass_ns(1)
    assert desk.hear(faults.WALK_NOTHING, 0) == [Walk(1)]


@pytest.mark.parametrize(
    ("event", "verdict"), [(faults.NOT_CALIBRATED, WalkVerdict.UNCALIBRATED), (None, WalkVerdict.LOST)]
)
def test_a_board_that_cannot_be_walked_says_why(event: int | None, verdict: WalkVerdict) -> None:
    desk = Desk()
    if event is None:
        desk.setup.presence(BoardPresence(1, False, IDENTITY))
    else:
        desk.hear(event)
    assert desk.walk.verdict is verdict
    assert desk.pass_ns(2 * ASK_AGAIN_NS) == []


def test_a_game_ends_the_walk() -> None:
    desk = Desk()
    desk.hear(WALK_BEGUN)
    desk.setup.pass_time(1, playing=True)
    assert desk.setup.view is None
    assert desk.port.said == [Walk(WALK_VERDICT)], "the next disc is no answer"


def test_a_board_that_lies_turned_is_asked_and_heard_by_the_tables_names() -> None:
    session = BoardSession(0, orientation={IDENTITY: True}.get)
    session.received(b"\0" + encode(Frame(0, 1, Hello(IDENTITY, (1, 0), True, 0))), 10)
    session.to_send(20)
    session.say(Walk(0))
    session.say(Walk(WALK_BEGIN))
    decoder = Decoder()
    decoder.feed(b"\0")
    sent = [frame.message for frame in decoder.feed(session.to_send(30))]
    assert sent == [Walk(63), Walk(WALK_BEGIN)]
    (event,) = session.received(encode(Frame(1, 2, FaultReport(WALK_ELSEWHERE, 63, 55))), 40)
    assert event == BoardFault(40, "walk: another square reacts at a1 (a2)", 1, WALK_ELSEWHERE, 0, 8)
    (event,) = session.received(encode(Frame(2, 3, FaultReport(faults.SHORTED, None, 55 | 63 << 8))), 50)
    assert isinstance(event, BoardFault)
    assert event.text == "suspect: outputs of a2 and a1 shorted"


def test_a_walk_over_the_cable_names_exchanged_strips(tmp_path: Path) -> None:
    model = BoardModel(seed=4, wiring=Wiring(strips=(1, 0, 2, 3, 4, 5, 6, 7), powered=False))
    body = FirmwareBody(IDENTITY, Position(0, 0), model=model, stored=calibration(model))
    board = VirtualBoard(tmp_path / "board", body=body)
    port = SerialBoard(str(board.path), orientation=lambda _: False)
    setup = BoardSetup(port, Orientations({IDENTITY: False}))
    events: SimpleQueue[Event] = SimpleQueue()
    port.start(events.put, time.monotonic_ns)
    present = False
    placed: int | None = None
    deadline_s = time.monotonic() + PATIENCE_S
    try:
        while True:
            assert time.monotonic() < deadline_s, setup.view
            try:
                event = events.get(timeout=0.02)
            except Empty:
                event = None
            match event:
                case BoardPresence():
                    setup.presence(event)
                    if event.ok and not present:
                        present = True
                        setup.apply_request("walk", time.monotonic_ns())
                case BoardFault():
                    setup.fault(event, time.monotonic_ns())
            setup.pass_time(time.monotonic_ns(), playing=False)
            walk = setup.view.walk if setup.view is not None else None
            if walk is None or walk.asked_ns is None:
                continue
            if walk.verdict is not WalkVerdict.NONE:
                break
            if walk.begun and walk.square == 3:
                setup.apply_request("stop", time.monotonic_ns())
            elif walk.begun and walk.square < 3 and placed != walk.square:
                placed = walk.square
                board.set_up(Position(0, 0))
                time.sleep(0.2)  # fixed: as long as a hand takes from square to square
                board.set_up(Position(1 << placed, 0))
    finally:
        port.close()
        board.close()
        body.power_off()
    assert walk.wrong == tuple((square, WALK_ELSEWHERE, 8 + square) for square in range(3))
    assert walk.suspects == ((faults.STRIPS_EXCHANGED, 1 << 8),)
