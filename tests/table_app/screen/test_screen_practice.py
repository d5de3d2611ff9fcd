"""The practice game: a judge who does what he is told comes through it, and whoever waits is waited for."""

from __future__ import annotations

import string

import pytest
from helpers.touchscreen import LOOK, texts
from samples.screens import header

from flagfall.base.words import STAFF, languages
from flagfall.othello.board import squares_of
from flagfall.othello.game import SECOND_NS, State
from flagfall.othello.inputs import Input, Press, Rule, Shown, Start, Touch
from flagfall.othello.referee import judge, new_game
from flagfall.othello.side import Side
from table_app.events import BoardShown, BoardStream, BoardTouched, ButtonEdge, Event, ScreenInput, player_at
from table_app.screen.child import PRACTICE_SIZE
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import ScreenController
from table_app.screen.judge.page import GiveRuling, PlayerIs
from table_app.screen.judge.pages.clock import MoreSeconds
from table_app.screen.judge.pages.table import JudgeLeaves
from table_app.screen.judge.panel import DialogPage, OpenPage, UndoRuling
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.scene import Close, Enter, Hit, Key, Meaning, Words, hit_at
from table_app.screen.practice import LESSONS, PINS, PracticeHands
from table_app.screen.simulated_board import Disc, SimulatedBoard
from table_app.table_view import TableView
from table_app.texts import TEXTS


class Course:
    """A practice game whose inputs are judged at once, in time of the test's own."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.settled_ns = 0
        self.game = judge(new_game(header()), Start(0))
        self.board = SimulatedBoard()
        self.coach = PracticeHands(self.board, self.put)
        setup = ScreenSetup(LOOK, Layout(keys=True), PINS)
        self.desk = ScreenController(setup, self.put, lambda: self.now_ns, board=self.board, coach=self.coach)
        self.board.start(self.put, lambda: self.now_ns)
        self._see()

    def put(self, event: Event) -> None:
        match event:
            case BoardStream(settled_to_ns):
                self.settled_ns = settled_to_ns
            case ButtonEdge(at_ns, place, True):
                assert at_ns <= self.settled_ns, (
                    "a busy machine may wait here until the table waits no longer"
                )
                self._judge(Press(at_ns, player_at(place, False)))
            case BoardShown(at_ns, position):
                self._judge(Shown(at_ns, position))
            case BoardTouched(at_ns, square, contact):
                self._judge(Touch(at_ns, square, contact))
            case ScreenInput(input):
                self._judge(input)

    def _judge(self, input: Input) -> None:
        self.game = judge(self.game, input)
        self._see()

    def _see(self) -> None:
        if hasattr(self, "desk"):
            self.desk.see(TableView(game=self.game, game_id="local-1", board_present=True))

    @property
    def lesson(self) -> str:
        return self.coach.practice.current.name

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds * 4)):
            self.now_ns += SECOND_NS // 4
            self.desk.scene(*PRACTICE_SIZE)

    def touch(self, *taps: Meaning) -> None:
        for tap in taps:
            self.wait(1.25)
            scene = self.desk.scene(*PRACTICE_SIZE)
            hit = next(item for item in scene if isinstance(item, Hit) and item.tap == tap)
            x, y = hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2
            topmost = hit_at(scene, x, y)
            assert topmost is not None and topmost.tap == tap
            self.desk.down(x, y)
            self.wait(hit.hold_ns / SECOND_NS)
            self.desk.hold()
            self.desk.up()

    def rule(self, rule: Rule, times: int = 2) -> None:
        self.touch(*[GiveRuling(rule)] * times)

    def pin(self, digits: str) -> None:
        self.touch(Tap(Button.JUDGE), *[Key(digit) for digit in digits], Enter())

    def page(self, page: DialogPage) -> None:
        self.touch(OpenPage(page))


def test_a_judge_who_does_what_he_is_told_comes_through() -> None:
    course = Course()
    seen = []

    def at(name: str) -> None:
        seen.append(course.lesson)
        assert course.lesson == name

    course.wait(1)
    at("take")
    scene = course.desk.scene(*PRACTICE_SIZE)
    assert [item.hold_ns for item in scene if isinstance(item, Hit) and item.tap == Tap(Button.JUDGE)] == [0]
    assert "Touch the three bars" in " ".join(texts(scene)), "only in play the corner is held"
    course.pin(PINS.judge)
    course.wait(1)
    at("close")
    course.touch(Close())
    course.wait(1)
    at("watch")
    course.wait(30)
    at("misflip")
    course.touch(Tap(Button.FINDING))
    course.rule(Rule.CORRECT_ERROR, times=1)
    course.wait(1)
    at("corrected")
    last = course.game.last
    assert last is not None
    wrong = next(squares_of(last.right.differences(course.game.shown)))
    course.touch(Disc(wrong))
    course.rule(Rule.CORRECTED)
    course.wait(20)
    at("touch")
    course.touch(Tap(Button.FINDING))
    course.rule(Rule.UNINTENTIONAL_TOUCH)
    course.touch(Close())
    course.wait(40)
    at("stop")
    course.touch(Tap(Button.JUDGE))
    course.rule(Rule.STOP)
    course.wait(1)
    at("resume")
    course.rule(Rule.RESUME)
    course.touch(Close())
    course.wait(12)
    at("illegal")
    course.touch(Tap(Button.FINDING))
    course.rule(Rule.CORRECT_ERROR, times=1)
    error = next(
        incident for incident in reversed(course.game.incidents) if incident.type.value == "illegal_move"
    )
    course.board.click(next(squares_of(error.squares)), True, remove=True)
    course.rule(Rule.CORRECTED)
    course.wait(12)
    at("director")
    course.touch(Tap(Button.JUDGE))
    course.page(DialogPage.TABLE)
    course.touch(JudgeLeaves())
    course.pin(PINS.director)
    course.wait(1)
    at("time")
    course.page(DialogPage.CLOCK)
    course.touch(PlayerIs(Side.WHITE), MoreSeconds(60))
    course.rule(Rule.ADJUST_TIME)
    course.wait(1)
    at("undo")
    course.touch(UndoRuling(), UndoRuling())
    course.wait(1)
    at("resign")
    course.page(DialogPage.RESULT)
    course.touch(PlayerIs(Side.WHITE))
    course.rule(Rule.RESIGN)
    course.wait(1)
    at("sign")
    course.touch(Close())
    course.wait(5)
    at("end")
    assert course.game.state is State.SIGNED
    assert set(seen) | {"late"} == {lesson.name for lesson in LESSONS}
    assert course.now_ns < 600 * SECOND_NS


def watching() -> Course:
    """Return the course after the judge has taken the table and closed the panel; the first error was made."""
    course = Course()
    course.wait(1)
    course.pin(PINS.judge)
    course.touch(Close())
    course.wait(40)
    return course


def test_players_wait_while_the_judge_thinks() -> None:
    course = watching()
    before = course.game.moves
    course.wait(300)
    assert course.lesson == "misflip" and course.game.moves == before


def test_whoever_dismisses_an_error_goes_on_too() -> None:
    course = watching()
    course.touch(Tap(Button.FINDING))
    course.rule(Rule.DISMISS_ERROR)
    course.wait(2)
    assert course.lesson == "touch"


@pytest.mark.parametrize("language", languages(domain=STAFF))
def test_every_lesson_names_the_buttons_as_they_are(language: str) -> None:
    words = load_words(language)
    named = {
        "misflip": ("rule_correct_error",),
        "corrected": ("rule_corrected",),
        "touch": ("rule_unintentional_touch",),
        "stop": ("rule_stop",),
        "resume": ("rule_resume",),
        "illegal": ("rule_corrected",),
        "director": ("page_table", "judge_leaves"),
        "time": ("page_clock", "white"),
        "resign": ("page_result", "white"),
    }
    for lesson, keys in named.items():
        text = words(TEXTS[f"practice_{lesson}"], judge="1234", director="4321")
        assert [key for key in keys if words(TEXTS[key]).rstrip(string.punctuation) not in text] == [], lesson
    resigns = words(TEXTS["player_resign"], who=words(TEXTS["white"]))
    assert resigns in words(TEXTS["practice_resign"])


@pytest.mark.parametrize("language", languages())
def test_the_guide_fits(language: str) -> None:
    """Three lines of small words at most, beside the number of the lesson."""
    words = load_words(language)
    for lesson in LESSONS:
        text = words(TEXTS[f"practice_{lesson.name}"], judge="1234", director="4321")
        assert len(text) <= 200 and "{" not in text


def test_the_guide_lies_below_and_covers_nothing() -> None:
    course = Course()
    course.wait(1)
    scene = course.desk.scene(*PRACTICE_SIZE)
    texts = [item.text for item in scene if isinstance(item, Words)]
    assert "Practice 1/16" in texts
    guide = round(PRACTICE_SIZE[1] * 0.16)
    assert all(item.rect.bottom <= PRACTICE_SIZE[1] - guide for item in scene if isinstance(item, Hit))
