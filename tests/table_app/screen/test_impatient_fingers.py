"""A finger that touches three times in a hurry: nothing happens but what its first touch meant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from helpers.touchscreen import LOOK, PINS, SIZE, named, texts
from samples.screens import SAMPLES, Sample, SampleGame, new

from flagfall.othello.game import SECOND_NS, State
from flagfall.othello.inputs import BoardState, Input, Note, Press, Resign, Sign, Stop, Tick
from flagfall.othello.referee import judge
from flagfall.othello.side import Both, Side
from table_app.events import Event, ScreenInput
from table_app.judge_pin import Pins
from table_app.screen import controller
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import FRESH_FOR_NS, ScreenController, StandingButtons
from table_app.screen.dialog import RESIGN_HOLD_NS, RESIGNING_FOR_NS, Dialog
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.scene import Fill, Hit, Meaning, Rect, Words, hit_at

STEP = 25
# So many of each screen, spread over it; a board has more places, all alike.
POINTS = (10, pytest.param(40, marks=pytest.mark.long))
HURRY_NS = 3 * SECOND_NS // 10


class Finger:
    """A screen, its game judged at once, and a finger; time of the test's own."""

    def __init__(self, sample: Sample, pins: Pins = PINS) -> None:
        self.now_ns = sample.now_ns
        self.inputs: list[Input] = []
        layout = Layout(sample.face_to_face, sample.self_start)
        setup = ScreenSetup(LOOK, layout, pins)
        self.desk = ScreenController(setup, self._put, lambda: self.now_ns, dialog=sample.dialog)
        self.view = sample.view
        self.desk.see(self.view)
        # It has lain there for a while.
        self.now_ns -= 2 * FRESH_FOR_NS
        self.scene = self.desk.scene(*SIZE)
        self.wait(2 * FRESH_FOR_NS)

    def _put(self, event: Event) -> None:
        if isinstance(event, ScreenInput):
            self.give(event.input)
            self.inputs.append(event.input)

    def give(self, input: Input) -> None:
        if self.view.game is not None:
            self.view = replace(self.view, game=judge(self.view.game, input))
            self.desk.see(self.view)

    def wait(self, ns: int) -> None:
        self.now_ns += ns
        self.scene = self.desk.scene(*SIZE)

    def at(self, tap: Meaning) -> tuple[int, int]:
        hit = next(item for item in self.scene if isinstance(item, Hit) and item.tap == tap)
        return hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2

    def tap(self, x: int, y: int) -> None:
        self.desk.down(x, y)
        self.desk.up()

    def touch(self, tap: Meaning) -> None:
        self.tap(*self.at(tap))
        self.scene = self.desk.scene(*SIZE)

    def hold(self, tap: Meaning, ns: int = RESIGN_HOLD_NS) -> None:
        self.desk.down(*self.at(tap))
        self.wait(ns)
        self.desk.hold()
        self.desk.up()
        self.scene = self.desk.scene(*SIZE)

    @property
    def taps(self) -> list[Meaning]:
        return [item.tap for item in self.scene if isinstance(item, Hit)]


def sampled(played: SampleGame, face_to_face: bool = False) -> Sample:
    return Sample(played.view(), played.now_ns, Dialog(), face_to_face)


def unjudged(**fields: Any) -> Finger:
    return Finger(sampled(new(judged=False, **fields).start().moves(6)))


@pytest.mark.parametrize("count", POINTS)
@pytest.mark.parametrize("name", SAMPLES)
def test_three_touches_in_a_hurry_do_what_the_first_one_does(name: str, count: int) -> None:
    """Points all over every screen are touched; the game never ends by it."""
    sample = SAMPLES[name]()
    over = sample.view.game is not None and sample.view.game.over
    first = Finger(sample)
    points = [
        (x, y)
        for y in range(STEP // 2, SIZE[1], STEP)
        for x in range(STEP // 2, SIZE[0], STEP)
        if hit_at(first.scene, x, y) is not None
    ]
    assert points
    for x, y in points[:: 1 + len(points) // count]:
        finger = Finger(sample)
        finger.tap(x, y)
        meant = list(finger.inputs)
        for _ in range(2):
            finger.wait(HURRY_NS)
            finger.tap(x, y)
        assert finger.inputs == meant, (x, y)
        game = finger.view.game
        assert game is None or game.over == over, (x, y)


def test_the_touch_that_ends_a_pending_resignation_is_no_other() -> None:
    """Not a point on the way, from the first finger on *Resign* to the referee's word, hears a hurried one."""
    finger = unjudged()
    for _ in range(9):
        finger.tap(*finger.at(Tap(Button.RESIGN, Side.WHITE)))
        finger.wait(HURRY_NS)
    assert finger.inputs == []


@pytest.mark.parametrize("tap", [Tap(Button.STOP, Side.BLACK), Tap(Button.ERROR, Side.BLACK)])
def test_an_impatient_finger_never_resigns(tap: Meaning) -> None:
    finger = unjudged()
    x, y = finger.at(tap)
    for _ in range(20):
        finger.tap(x, y)
        finger.wait(HURRY_NS)
    assert not any(isinstance(input, Resign) for input in finger.inputs)
    assert Tap(Button.READY, Side.BLACK) in finger.taps or named(tap) == "error"


@pytest.mark.parametrize("face_to_face", [False, True])
def test_no_button_of_a_row_comes_where_another_was(face_to_face: bool) -> None:
    """Through stop, correction and a pulled cable each button keeps its place for the whole game."""
    played = new(judged=False).start().moves(6)
    running = _places(Finger(sampled(played, face_to_face)))
    lost = _places(Finger(sampled(played.give(BoardState(played.now_ns, False)), face_to_face)))
    stopped = _places(Finger(sampled(played.give(Stop(played.now_ns, Side.BLACK)), face_to_face)))
    for row, other in ((running, lost), (running, stopped), (lost, stopped)):
        for tap, rect in row.items():
            for another, place in other.items():
                assert tap == another or not rect.meets(place), (tap, another)
        assert all(other.get(tap, rect) == rect for tap, rect in row.items())


def _places(finger: Finger) -> dict[Meaning, Rect]:
    return {
        item.tap: item.rect
        for item in finger.scene
        if isinstance(item, Hit) and isinstance(item.tap, Tap) and item.tap.side is not None
    }


def test_resigning_is_held_with_both_names_and_counts_after_ten_seconds() -> None:
    finger = unjudged()
    finger.tap(*finger.at(Tap(Button.RESIGN, Side.WHITE)))
    finger.wait(1)
    names = _names(finger)
    shown = " ".join(texts(finger.scene))
    assert all(name in shown for name in names) and "Hold" in shown
    finger.wait(2 * SECOND_NS)
    finger.hold(Tap(Button.RESIGN, Side.WHITE))
    assert finger.inputs == [Tick(finger.now_ns, Note("resigning", "white"))]
    assert all(name in " ".join(texts(finger.scene)) for name in names)
    finger.wait(RESIGNING_FOR_NS - 1)
    assert not finger.view.game.over  # type: ignore[union-attr]
    finger.wait(1)
    assert finger.inputs[-1] == Resign(finger.now_ns, Side.WHITE)
    assert finger.view.game.outcome.score == (64, 0)  # type: ignore[union-attr]


def _names(finger: Finger) -> list[str]:
    assert finger.view.game is not None
    header = finger.view.game.header
    return [header.black.name, header.white.name]


@pytest.mark.parametrize("by", Side)
@pytest.mark.parametrize("face_to_face", [False, True])
def test_both_players_can_take_a_resignation_back(by: Side, face_to_face: bool) -> None:
    finger = Finger(sampled(new(judged=False).start().moves(6), face_to_face))
    finger.hold(Tap(Button.RESIGN, Side.WHITE))
    finger.wait(FRESH_FOR_NS)
    finger.touch(Tap(Button.RESIGN_UNDO, by))
    assert finger.inputs[-1] == Tick(finger.now_ns, Note("resignation_taken_back", by.value))
    finger.wait(2 * RESIGNING_FOR_NS)
    assert finger.view.game is not None and finger.view.game.state is State.RUNNING
    assert not any(isinstance(input, Resign) for input in finger.inputs)


def test_a_clock_runs_while_a_resignation_waits_and_another_game_forgets_it() -> None:
    finger = unjudged()
    finger.hold(Tap(Button.RESIGN, Side.WHITE))
    assert finger.view.game is not None
    before = finger.view.game.clock.running
    assert before is not None
    finger.give(Press(finger.now_ns, before))
    assert finger.view.game.clock.running is before.other
    finger.view = replace(finger.view, game_id="another")
    finger.desk.see(finger.view)
    finger.wait(2 * RESIGNING_FOR_NS)
    assert not any(isinstance(input, Resign) for input in finger.inputs)


def test_a_finger_lifted_early_or_a_button_gone_resigns_nothing() -> None:
    finger = unjudged()
    finger.hold(Tap(Button.RESIGN, Side.WHITE), RESIGN_HOLD_NS - 1)
    finger.desk.down(*finger.at(Tap(Button.RESIGN, Side.WHITE)))
    finger.view = replace(finger.view, game=None)
    finger.desk.see(finger.view)
    finger.wait(RESIGN_HOLD_NS)
    finger.desk.hold()
    assert finger.inputs == []


def test_a_finger_that_slides_off_resigns_nothing() -> None:
    finger = unjudged()
    x, y = finger.at(Tap(Button.RESIGN, Side.WHITE))
    for across, resigns in ((300, False), (1, True)):
        finger.desk.down(x, y)
        assert finger.desk.dragging
        finger.desk.moved(x - across, y)
        finger.wait(RESIGN_HOLD_NS)
        finger.desk.up()
        assert not finger.desk.dragging
        assert bool(finger.inputs) == resigns


def test_what_waits_for_its_second_touch_is_pale_until_it_reacts() -> None:
    finger = Finger(SAMPLES["finished"]())
    finger.touch(Tap(Button.SIGN, Side.BLACK))
    place = next(item for item in finger.scene if isinstance(item, Hit) and item.again).rect
    filled = Fill(place, "alert", LOOK.px(8))
    assert filled not in finger.scene
    finger.wait(FRESH_FOR_NS)
    assert filled in finger.scene


def test_two_players_who_sign_at_once_do_not_hinder_each_other() -> None:
    finger = Finger(SAMPLES["finished"]())
    for side in Side:
        finger.touch(Tap(Button.SIGN, side))
    finger.wait(FRESH_FOR_NS)
    for side in Side:
        finger.touch(Tap(Button.SIGN, side))
    assert [input.by for input in finger.inputs if isinstance(input, Sign)] == list(Side)
    assert finger.view.game is not None and finger.view.game.state is State.SIGNED


HERE, THERE = Rect(0, 0, 10, 10), Rect(20, 0, 10, 10)


def test_what_is_new_at_its_place_is_deaf_for_a_second() -> None:
    standing = StandingButtons()
    old, other = Hit(HERE, Tap(Button.STOP)), Hit(HERE, Tap(Button.RESIGN))
    standing.record((old,), 0)
    assert (
        standing.button_at(5, 5, FRESH_FOR_NS - 1) is None and standing.button_at(5, 5, FRESH_FOR_NS) == old
    )
    standing.record((other, Hit(THERE, Tap(Button.SIGN))), 2 * FRESH_FOR_NS)
    assert standing.fresh(2 * FRESH_FOR_NS) == {Tap(Button.RESIGN), Tap(Button.SIGN)}
    assert standing.changes_ns(2 * FRESH_FOR_NS) == 3 * FRESH_FOR_NS
    assert standing.button_at(5, 5, 3 * FRESH_FOR_NS - 1) is None
    assert standing.button_at(5, 5, 3 * FRESH_FOR_NS) == other and not standing.fresh(3 * FRESH_FOR_NS)


def test_what_lay_beneath_a_button_that_went_is_deaf_too() -> None:
    standing = StandingButtons()
    beneath, button = Hit(Rect(0, 0, 50, 50), Tap(Button.SPEAK)), Hit(HERE, Tap(Button.SIGN))
    standing.record((beneath, button), 0)
    standing.record((beneath,), 5 * FRESH_FOR_NS)
    assert standing.button_at(5, 5, 5 * FRESH_FOR_NS) is None
    assert standing.button_at(40, 40, 5 * FRESH_FOR_NS) == beneath


def test_first_touches_are_forgotten_for_each_player_alone() -> None:
    finger = Finger(SAMPLES["finished"]())
    finger.touch(Tap(Button.SIGN, Side.BLACK))
    finger.wait(4 * SECOND_NS)
    finger.touch(Tap(Button.SIGN, Side.WHITE))
    finger.wait(3 * SECOND_NS)
    finger.touch(Tap(Button.SIGN, Side.WHITE))
    assert [input.by for input in finger.inputs if isinstance(input, Sign)] == [Side.WHITE]
    assert finger.desk.dialog.signing == Both(None, None)


def test_a_scene_is_composed_once_unless_another_button_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    finger = Finger(SAMPLES["play-no-judge"]())
    composed = []
    compose = controller.compose
    monkeypatch.setattr(
        controller, "compose", lambda *args, **named: composed.append(1) or compose(*args, **named)
    )
    finger.touch(Tap(Button.ERROR, Side.BLACK))
    composed.clear()
    for _ in range(3):
        finger.wait(FRESH_FOR_NS // 4)
        assert any(item.colour == "muted" for item in finger.scene if isinstance(item, Words)), (
            "fresh, and pale"
        )
    assert len(composed) == 3
