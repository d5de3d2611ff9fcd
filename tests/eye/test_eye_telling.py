"""The instant at which a position is reported, and what goes over the cable."""

from __future__ import annotations

import random

import cv2
import numpy as np
import pytest

from benchmarks.boards.simulated_desk import SimulatedDesk
from eye.sources import MOST_BYTES, Splitter, decode_picture
from eye.speaker import BLIND_NS, LATE_MS, PATIENCE_MS, Settling, Speaker
from eye.watcher import Sight
from flagfall.link.board.faults import EYE_DARK
from flagfall.link.board.messages import BoardKind
from flagfall.othello.board import START, Position
from flagfall.othello.game import IncidentType
from flagfall.othello.gamefile import parse_header
from flagfall.othello.inputs import Start
from flagfall.othello.side import Side
from table_app.board.session import BoardSession
from table_app.events import BoardFault, BoardPresence, BoardShown, ButtonEdge, Event, ScreenInput, place_of

MS = 1_000_000
MOVED = Position(START.black | 1 << 19 | 1 << 27, START.white & ~(1 << 27))
EMPTY = Position(0, 0)


def test_a_position_is_told_at_the_instant_of_its_first_clear_picture() -> None:
    settling = Settling()
    for at_ms, position, free in (
        (0, START, True),
        (100, START, True),
        (200, EMPTY, False),
        (300, MOVED, True),
    ):
        settling.saw(at_ms * MS, position, free)
    assert (settling.settled, settling.changed_ns) == (START, 0)
    settling.saw(400 * MS, MOVED, True)
    assert (settling.settled, settling.changed_ns, settling.settled_to_ns) == (MOVED, 300 * MS, 400 * MS)


def test_nothing_is_told_of_what_was_seen_once_or_under_a_hand() -> None:
    settling = Settling()
    for at_ms, position, free in (
        (0, START, True),
        (100, MOVED, True),
        (200, EMPTY, False),
        (300, MOVED, True),
    ):
        settling.saw(at_ms * MS, position, free)
    assert settling.settled is None


def test_a_square_that_can_no_longer_be_read_is_given_a_second() -> None:
    settling = Settling()
    doubted = Position(START.black, START.white & ~(1 << 27), 1 << 27)
    for at_ms in (0, 100):
        settling.saw(at_ms * MS, START, True)
    for at_ms in range(200, 1_200, 100):
        settling.saw(at_ms * MS, doubted, True)
        assert settling.settled == START
    settling.saw(1_200 * MS, doubted, True)
    assert settling.settled == doubted


def test_a_hand_that_rests_longer_than_patience_is_told_around() -> None:
    settling = Settling()
    for at_ms in (0, 100):
        settling.saw(at_ms * MS, START, True)
    around = Position(START.black, 0, START.white)
    settling.saw(200 * MS, around, False)
    settling.saw((200 + PATIENCE_MS) * MS, around, False)
    assert settling.settled == START
    settling.saw((201 + PATIENCE_MS) * MS, around, False)
    assert settling.settled == around


def test_what_a_resting_hand_changes_is_not_known_whatever_it_looks_like() -> None:
    settling = Settling()
    for at_ms in (0, 100):
        settling.saw(at_ms * MS, START, True)
    # Fingers that look like a black disc on c4 (18), and hide the white ones.
    seen = Position(START.black | 1 << 18, 0, START.white)
    for at_ms in (200, 201 + PATIENCE_MS):
        settling.saw(at_ms * MS, seen, False)
    assert settling.settled == Position(START.black, 0, START.white | 1 << 18)


def conversed(speaker: Speaker, dialogue: BoardSession, at_ns: int) -> list[Event]:
    return dialogue.received(speaker.work(at_ns, dialogue.to_send(at_ns)), at_ns)


def test_the_table_takes_an_eye_for_a_board_that_says_what_it_is() -> None:
    speaker, dialogue = Speaker("e7e0000000000001", 0), BoardSession(0)
    events: list[Event] = []
    for at_ms in range(0, 1_000, 50):
        speaker.saw(at_ms * MS, Sight.CLEAR, START if at_ms < 500 else MOVED)
        events += conversed(speaker, dialogue, at_ms * MS)
    (came,) = [event for event in events if isinstance(event, BoardPresence)]
    assert (came.kind, came.late_ns, came.patience_ns) == (BoardKind.EYE, LATE_MS * MS, PATIENCE_MS * MS)
    shown = [event for event in events if isinstance(event, BoardShown)]
    assert [event.position for event in shown] == [START, MOVED]
    assert shown[1].at_ns == 500 * MS
    assert shown[1].hidden_since_ns is not None and shown[1].hidden_since_ns <= 500 * MS


def test_an_eye_that_sees_nothing_says_why_and_falls_silent_until_it_sees_again() -> None:
    speaker, dialogue = Speaker("e7e0000000000001", 0), BoardSession(0)
    events: list[Event] = []
    end_ms = 1_000 + BLIND_NS // MS + 200
    for at_ms in range(0, end_ms, 50):
        speaker.saw(at_ms * MS, Sight.CLEAR if at_ms < 1_000 else Sight.DARK, START)
        events += conversed(speaker, dialogue, at_ms * MS)
    assert [event.code for event in events if isinstance(event, BoardFault)][-1] == EYE_DARK
    assert not dialogue.given_up((end_ms - 300) * MS)
    assert dialogue.given_up((end_ms + 1_300) * MS)
    again = BoardSession(end_ms * MS)
    for at_ms in range(end_ms, end_ms + 600, 50):
        speaker.saw(at_ms * MS, Sight.CLEAR, MOVED)
        events += conversed(speaker, again, at_ms * MS)
    assert again.present
    assert [event.position for event in events if isinstance(event, BoardShown)][-1] == MOVED


def test_nobody_is_judged_by_a_board_that_an_eye_has_never_seen() -> None:
    speaker, session = Speaker("e7e0000000000001", 0), BoardSession(0)
    header = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "minutes": 30}
    desk = SimulatedDesk(parse_header(header))
    presses = {2_000: Side.WHITE, 4_000: Side.BLACK, 6_000: Side.WHITE}
    for at_ms in range(0, 8_000, 25):
        if at_ms == 1_000:
            desk.take(ScreenInput(Start(at_ms * MS)), at_ms * MS)
        side = presses.get(at_ms) or presses.get(at_ms - 100)
        if side is not None:
            desk.take(ButtonEdge(at_ms * MS, place_of(side, False), at_ms in presses), at_ms * MS)
        speaker.saw(at_ms * MS, Sight.HIDDEN, START)
        for event in session.received(speaker.work(at_ms * MS, session.to_send(at_ms * MS)), at_ms * MS):
            desk.take(event, at_ms * MS)
        desk.turn(at_ms * MS)
    assert desk.game.clock.running is Side.BLACK
    assert [incident.type for incident in desk.game.incidents] == [IncidentType.BOARD_LOST]


def test_pictures_come_out_of_a_stream_in_whatever_pieces() -> None:
    chance = random.Random(3)
    pictures = [
        b"\xff\xd8\xff" + chance.randbytes(200).replace(b"\xff", b"") + b"\xff\xd9" for _ in range(40)
    ]
    stream = b"".join(chance.randbytes(9).replace(b"\xff", b"") + picture for picture in pictures)
    splitter, split = Splitter(), []
    while stream:
        size = chance.randrange(1, 90)
        split += splitter.feed(stream[:size])
        stream = stream[size:]
    assert split == pictures


def test_a_stream_without_end_holds_one_pictures_bytes_at_most() -> None:
    splitter = Splitter()
    for _ in range(2 * MOST_BYTES // (1 << 20)):
        assert splitter.feed(b"\xff\xd8\xff" + bytes(1 << 20)) == []
        assert len(splitter._held) <= MOST_BYTES + (1 << 20) + 3


def test_a_picture_of_too_many_pixels_is_refused_by_its_header(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PNG of 64 megapixels has 62 kB; decoding and reading it took 14 s and 1.2 GB."""
    decoded: list[int] = []
    monkeypatch.setattr(cv2, "imdecode", lambda data, scale: decoded.append(scale))
    for kind in (".png", ".webp", ".bmp", ".ppm"):
        small = cv2.imencode(kind, np.zeros((70, 70, 3), np.uint8))[1].tobytes()
        assert decode_picture(small) is None and decoded.pop() == cv2.IMREAD_COLOR
    flat = np.zeros((8192, 2049), np.uint8)
    for kind in (".png", ".bmp", ".pgm"):
        data = cv2.imencode(kind, flat)[1].tobytes()
        assert decode_picture(data) is None
    assert decoded == []


def test_a_large_photograph_is_decoded_at_a_reduced_scale() -> None:
    """Telephones take pictures of 50 megapixels."""
    for shape, width in (((4096, 4096), 4096), ((4096, 4100), 2050), ((8000, 8380), 4190)):
        picture = decode_picture(cv2.imencode(".jpg", np.zeros(shape, np.uint8))[1].tobytes())
        assert picture is not None and picture.shape[1] == width
    assert decode_picture(cv2.imencode(".jpg", np.zeros((8200, 8200), np.uint8))[1].tobytes()) is None


def test_what_is_no_picture_is_none_without_another_word(capfd: pytest.CaptureFixture[str]) -> None:
    assert decode_picture(b"") is None
    assert decode_picture(b"no picture") is None
    assert decode_picture(bytes(MOST_BYTES + 1)) is None
    grain = np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)
    png = cv2.imencode(".png", grain)[1].tobytes()
    assert decode_picture(png) is not None
    for at in (9, len(png) // 2, len(png) - 3):
        assert decode_picture(png[:at]) is None
        assert decode_picture(png[:at] + bytes([png[at] ^ 255]) + png[at + 1 :]) is None
    assert capfd.readouterr().err == ""
