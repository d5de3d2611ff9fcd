"""A board's set-up: its corner, its calibration, what is kept, and what stands on the screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers import touchscreen
from helpers.touchscreen import texts
from samples.screens import new

from flagfall.base.trouble import TROUBLES, trouble
from flagfall.base.words import languages
from flagfall.link.board import messages
from flagfall.link.board.faults import (
    EYE_BLURRED,
    EYE_COVERED,
    EYE_DARK,
    EYE_FAULTS,
    EYE_LOST,
    EYE_NO_BOARD,
    NO_DISC,
    NOT_KEPT,
    REVERSED,
    SENSOR_STUCK,
    STEP_DONE,
    STEP_REFUSED,
    STRIP_SILENT,
)
from flagfall.link.board.frames import Frame, encode
from flagfall.link.board.messages import (
    BoardKind,
    Calibrate,
    Hello,
    PlaceCorners,
    RawStream,
    Snapshot,
    Touched,
)
from flagfall.othello.board import START
from flagfall.othello.gamefile import parse_header
from flagfall.othello.inputs import Contact
from table_app.board.port import NoBoard
from table_app.board.session import BoardSession
from table_app.board.setup import (
    EVERYWHERE,
    PATIENCE_NS,
    BoardSetup,
    Calibration,
    CalibrationStep,
    CalibrationTrouble,
    EyeShown,
    Orientations,
    SetupTouch,
    SetupView,
    read_orientations,
)
from table_app.events import BoardFault, BoardPresence, BoardTouched, ScreenRequest
from table_app.judge_pin import Pins
from table_app.screen.compose import Layout, compose
from table_app.screen.dialog import Dialog, Judge
from table_app.screen.judge.panel import DialogPage, Panel
from table_app.screen.kit.catalogue import load_words, message_text
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import Hit, Meaning, Rect, Scene, Words, bounds
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.scenes.board_setup import SetUp, setup_scene
from table_app.screen.touches import touched
from table_app.table_view import TableView

BOARD = "e661385283774f2b"
CORNERS = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))
HEADER = parse_header({"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "minutes": 30})


class Port(NoBoard):
    def __init__(self) -> None:
        self.steps: list[int] = []
        self.said: list[messages.Message] = []

    def say(self, message: messages.Message) -> None:
        if isinstance(message, Calibrate):
            self.steps.append(message.step)
        else:
            self.said.append(message)


def here(places: Orientations | None = None) -> tuple[BoardSetup, Port]:
    port = Port()
    setup = BoardSetup(port, places or Orientations({}))
    setup.presence(BoardPresence(0, True, BOARD))
    return setup, port


def fault(code: int, square: int | None = None, detail: int = 0) -> BoardFault:
    return BoardFault(0, "", 1, code, square, detail)


def test_only_a_board_that_nobody_has_placed_is_asked_about() -> None:
    assert here()[0].asks
    assert not here(Orientations({BOARD: False}))[0].asks
    setup, _ = here()
    setup.presence(BoardPresence(1, False, why="pulled"))
    assert not setup.asks


@pytest.mark.parametrize(
    ("lay", "square", "lies"), [(False, 0, False), (False, 63, True), (True, 0, True), (True, 63, False)]
)
def test_the_corner_is_told_by_the_name_it_has_now(lay: bool, square: int, lies: bool) -> None:
    setup, _ = here(Orientations({BOARD: lay}))
    setup.touched(BoardTouched(0, square, Contact.HAND))
    setup.apply_request("corner", 0)
    setup.touched(BoardTouched(0, 27, Contact.HAND))
    assert setup.view == SetupView()
    setup.touched(BoardTouched(0, square, Contact.HAND))
    assert setup.view == SetupView(turned=lies)
    assert setup.with_orientation(HEADER) == replace(HEADER, board_turned=lies)


def test_without_electrodes_the_screen_is_answered() -> None:
    setup, _ = here()
    assert setup.with_orientation(HEADER) is HEADER
    setup.apply_request("turned", 0)
    assert setup.with_orientation(HEADER).board_turned
    setup.apply_request("close", 0)
    assert setup.view is None


def test_what_was_said_of_boards_is_kept_and_damage_is_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "boards.json"
    assert read_orientations(file) == {}
    Orientations({"other": False}, file.write_bytes).keep(BOARD, True)
    assert read_orientations(file) == {"other": False, BOARD: True}
    for damaged in (b"[]", b'{"x": 1}', b"\xff", b"[" * 100_000):
        file.write_bytes(damaged)
        assert read_orientations(file) == {}


def test_a_board_known_to_lie_turned_is_named_so_from_its_first_position() -> None:
    """Also a spare put in during a game, before anyone could tell its driver."""
    dialogue = BoardSession(0, turned=False, orientation={BOARD: True}.get)
    dialogue.received(b"\0" + encode(Frame(0, 1, Hello(BOARD, (1, 0), True, 0))), 10)
    dialogue.received(encode(Frame(1, 2, Snapshot(START, 1, 2))), 20)
    events = dialogue.received(encode(Frame(2, 3, Touched(0, 2))), 30)
    assert events == [BoardTouched(events[0].at_ns, 63, Contact.HAND)]  # type: ignore[union-attr]


def test_each_step_is_asked_for_and_the_last_keeps_itself() -> None:
    setup, port = here()
    setup.apply_request("calibrate", 0)
    for step in (CalibrationStep.EMPTY, CalibrationStep.BLACK, CalibrationStep.WHITE):
        assert setup.view == SetupView(Calibration(step))
        setup.apply_request("measure", 5)
        setup.apply_request("measure", 6)
        setup.fault(fault(STEP_DONE, detail=step), 7)
    assert port.steps == [0, 1, 2, 3]
    setup.fault(fault(STEP_DONE, detail=3), 8)
    assert setup.view == SetupView(Calibration(CalibrationStep.DONE))


def measuring(step: CalibrationStep) -> Calibration:
    return Calibration(step).start_measuring(10)


def test_what_is_wrong_is_named_and_the_step_is_tried_again() -> None:
    tried = measuring(CalibrationStep.BLACK)
    for square in (3, 9):
        tried = tried.apply_report(fault(REVERSED, square, -800))
    assert tried.apply_report(fault(STEP_REFUSED, detail=CalibrationStep.WHITE)) == tried
    assert tried.apply_report(fault(STEP_REFUSED, detail=CalibrationStep.BLACK)) == Calibration(
        CalibrationStep.BLACK, wrong=((3, REVERSED), (9, REVERSED))
    )
    for square in range(EVERYWHERE):
        tried = tried.apply_report(fault(REVERSED, square, -800))
    assert tried.apply_report(fault(STEP_REFUSED, detail=CalibrationStep.BLACK)).wrong == ((None, REVERSED),)


def test_a_silent_strip_is_named_as_it_is_printed_before_its_squares() -> None:
    calibration = Calibration().start_measuring(0)
    for square, code, detail in ((None, STRIP_SILENT, 2), (16, SENSOR_STUCK, 0), (None, STEP_REFUSED, 0)):
        fault = BoardFault(0, "", 1, code=code, square=square, detail=detail)
        calibration = calibration.apply_report(fault)
    assert (calibration.silent, calibration.wrong) == ((2,), ((16, SENSOR_STUCK),))
    words = texts(scene_of(SetupView(calibration), "en", 800, 480))
    silent = words.index("Strip 3 silent: its plug, its switch?")
    assert silent < words.index("a3: sensor does not work")


def test_steps_that_do_not_fit_together_begin_anew() -> None:
    tried = (
        measuring(CalibrationStep.KEEP)
        .apply_report(fault(NO_DISC, 5))
        .apply_report(fault(STEP_REFUSED, detail=CalibrationStep.KEEP))
    )
    assert tried == Calibration(CalibrationStep.EMPTY, wrong=((5, NO_DISC),))
    assert (
        measuring(CalibrationStep.KEEP).apply_report(fault(NOT_KEPT)).trouble is CalibrationTrouble.NOT_KEPT
    )


def test_silence_and_a_pulled_cable_end_a_step() -> None:
    assert measuring(CalibrationStep.BLACK).after_wait(10 + PATIENCE_NS) == Calibration(
        CalibrationStep.BLACK, trouble=CalibrationTrouble.SILENT
    )
    assert measuring(CalibrationStep.BLACK).after_wait(9 + PATIENCE_NS).asked_ns == 10
    setup, _ = here()
    setup.apply_request("calibrate", 0)
    setup.apply_request("measure", 0)
    setup.presence(BoardPresence(1, False, why="pulled"))
    assert setup.view == SetupView(Calibration(trouble=CalibrationTrouble.LOST))


def test_a_game_that_begins_has_the_screen() -> None:
    setup, _ = here()
    setup.apply_request("calibrate", 0)
    setup.pass_time(1, playing=False)
    assert setup.view is not None
    setup.pass_time(2, playing=True)
    assert setup.view is None


MANY = tuple((square, code) for square, code in zip(range(9), (2, 13, 14, 15, 16, 17) * 2, strict=False))
VIEWS = {
    "corner": SetupView(),
    "lies turned": SetupView(turned=True),
    "empty": SetupView(Calibration()),
    "black, wrong": SetupView(Calibration(CalibrationStep.BLACK, wrong=MANY)),
    "strips, wrong": SetupView(Calibration(CalibrationStep.BLACK, wrong=MANY, silent=(2, 3))),
    "white, everywhere": SetupView(Calibration(CalibrationStep.WHITE, wrong=((None, NO_DISC),))),
    "measuring": SetupView(measuring(CalibrationStep.WHITE)),
    "silent": SetupView(Calibration(CalibrationStep.BLACK, trouble=CalibrationTrouble.SILENT)),
    "done": SetupView(Calibration(CalibrationStep.DONE)),
}


def scene_of(setup: SetupView, language: str, width: int, height: int) -> Scene:
    view = TableView(board_present=True, board_setup=setup)
    look = Look(load_theme("light"), load_words(language), 1.0)
    return compose(
        view, face_of(view, 0), Dialog(), Rect(0, 0, width, height), look, layout=Layout(), now_ns=0
    )


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("size", [(800, 480), (480, 800), (1024, 600)])
@pytest.mark.parametrize("name", VIEWS)
def test_every_page_fits_and_its_buttons_are_apart(name: str, size: tuple[int, int], language: str) -> None:
    scene = scene_of(VIEWS[name], language, *size)
    screen = Rect(0, 0, *size)
    hits = [item.rect for item in scene if isinstance(item, Hit)]
    lines = [item.rect for item in scene if isinstance(item, Words) and item.rect.w > 100]
    assert scene
    for item in scene:
        place = bounds(item)
        assert screen.x <= place.x and place.right <= screen.right, item
        assert screen.y <= place.y and place.bottom <= screen.bottom, item
    for index, hit in enumerate(hits):
        assert hit.h >= 40
        assert not any(hit.meets(other) for other in hits[index + 1 :])
    for index, line in enumerate(lines):
        others = [other for other in lines[index + 1 :] if other != line]
        assert not any(line.meets(other) for other in others), name


def test_the_few_words_name_the_square() -> None:
    words = texts(
        scene_of(SetupView(Calibration(CalibrationStep.BLACK, wrong=((18, REVERSED),))), "en", 800, 480)
    )
    assert "c3: disc or magnet the other way up" in words
    assert "Again" in words


def test_the_way_in_is_a_question_on_the_first_screen_or_the_directors_panel() -> None:
    look = Look(load_theme("light"), load_words("en"), 1.0)

    def taps(view: TableView, dialog: Dialog) -> list[object]:
        scene = touchscreen.scene_of(view, dialog, look=look)
        return [item.tap for item in scene if isinstance(item, Hit)]

    new = TableView(board_present=True, board_asks=True)
    assert SetUp(SetupTouch.CORNER) in taps(new, Dialog())
    known = TableView(board_present=True)
    assert SetUp(SetupTouch.CORNER) not in taps(known, Dialog())
    panel = Dialog(Panel(DialogPage.TABLE), judge=Judge("", director=True))
    assert SetUp(SetupTouch.CORNER) in taps(known, panel)
    assert SetUp(SetupTouch.CORNER) not in taps(known, replace(panel, judge=Judge("")))
    stepped, events = touched(panel, SetUp(SetupTouch.CORNER), known, 7, Pins())
    assert stepped.sheet is None
    assert events == (ScreenRequest(7, "board_setup", "corner"),)


def test_scenes_are_plain_values() -> None:
    look = Look(load_theme("light"), load_words("en"), 1.0)
    assert setup_scene(SetupView(), Rect(0, 0, 800, 480), look) == setup_scene(
        SetupView(), Rect(0, 0, 800, 480), look
    )


def test_a_board_that_is_not_calibrated_is_told_to_all_and_offered_to_the_judge() -> None:
    table, _ = here(Orientations({BOARD: False}))
    table.presence(BoardPresence(0, True, BOARD, calibrated=False))
    assert table.uncalibrated and table.trouble == trouble("not_calibrated")
    look = Look(load_theme("light"), load_words("en"), 1.0)
    view = new().view(board_uncalibrated=True, wrong_start_squares=(1 << 64) - 1)

    def scene(view: TableView, dialog: Dialog) -> Scene:
        return touchscreen.scene_of(view, dialog, look=look)

    def taps(view: TableView, dialog: Dialog) -> list[Meaning]:
        return [item.tap for item in scene(view, dialog) if isinstance(item, Hit)]

    assert "The board is not calibrated: call the director" in texts(scene(view, Dialog()))
    assert Tap(Button.TROUBLE) in taps(view, Dialog()) and SetUp(SetupTouch.CALIBRATE) not in taps(
        view, Dialog()
    )
    judge = Dialog(Panel(DialogPage.TABLE), judge=Judge(view.game_id))
    assert SetUp(SetupTouch.CALIBRATE) in taps(view, judge)
    assert SetUp(SetupTouch.CALIBRATE) not in taps(replace(view, game=new().start().game), judge)
    idle = TableView(board_present=True, board_uncalibrated=True)
    assert SetUp(SetupTouch.CALIBRATE) in taps(idle, replace(judge, judge=Judge("")))
    table.presence(BoardPresence(0, True, BOARD))
    assert not table.uncalibrated and table.trouble is None


def test_the_hub_is_told_what_kind_of_board_there_is() -> None:
    setup, _ = here()
    assert setup.kind == "sensors"
    setup.presence(BoardPresence(1, False, why="pulled"))
    assert setup.kind == ""
    setup.presence(BoardPresence(2, True, "e7e0000000000001", kind=BoardKind.EYE, late_ns=400_000_000))
    assert setup.kind == "eye"


def an_eye() -> tuple[BoardSetup, Port]:
    port = Port()
    setup = BoardSetup(port, Orientations({}))
    setup.presence(BoardPresence(0, True, BOARD, kind=BoardKind.EYE))
    return setup, port


def test_an_eye_is_set_up_by_what_it_sees_and_never_calibrated() -> None:
    setup, port = an_eye()
    assert (setup.asks, setup.kind, setup.uncalibrated) == (True, "eye", False)
    for asked in ("corner", "calibrate"):
        setup.apply_request(asked, 0)
        assert setup.view == SetupView(eye=EyeShown())
    setup.apply_request("turned", 0)
    assert setup.view == SetupView(turned=True, eye=EyeShown())
    setup.apply_request("measure", 0)
    assert port.steps == [] and port.said == []
    setup.apply_request("find", 0)
    setup.place_corners(CORNERS)
    assert port.said == [PlaceCorners(), PlaceCorners(CORNERS)]


def test_an_eye_shows_its_pictures_only_while_somebody_looks() -> None:
    setup, port = an_eye()
    setup.pass_time(0, playing=False)
    assert port.said == []
    setup.apply_request("corner", 0)
    for at_ms in range(0, 2_500, 100):
        setup.pass_time(at_ms * 1_000_000, playing=False)
    assert port.said == [RawStream(True)] * 3
    setup.apply_request("close", 0)
    for at_ms in range(2_500, 4_000, 100):
        setup.pass_time(at_ms * 1_000_000, playing=False)
    assert port.said == [RawStream(True)] * 3 + [RawStream(False)]
    setup.apply_request("corner", 0)
    setup.pass_time(4_000_000_000, playing=True)
    assert setup.view is None
    assert port.said == [RawStream(True)] * 3 + [RawStream(False)]


@pytest.mark.parametrize("code", [EYE_NO_BOARD, EYE_LOST, EYE_DARK, EYE_BLURRED, EYE_COVERED])
def test_an_eye_that_does_not_see_its_board_says_why_to_the_judge(code: int) -> None:
    setup, _ = an_eye()
    assert setup.blind is None
    setup.presence(BoardPresence(1, False, why="silent"))
    setup.fault(fault(code), 2)
    assert setup.blind is not None
    assert (setup.kind, str(setup.trouble)) == ("eye", TROUBLES[EYE_FAULTS[code]])
    assert message_text(setup.blind, load_words())
    setup.apply_request("corner", 3)
    assert setup.view == SetupView(eye=EyeShown())
    setup.presence(BoardPresence(4, True, BOARD, kind=BoardKind.EYE))
    assert (setup.blind, setup.trouble) == (None, None)
    # In sight of the board a moment of darkness is nothing yet.
    setup.fault(fault(code), 5)
    assert setup.blind is None
    setup.presence(BoardPresence(6, False, why="pulled"))
    assert (setup.blind, setup.kind, setup.trouble) == (None, "", trouble("no_board"))
