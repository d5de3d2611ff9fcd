"""The screen and the law: nothing that helps players, a judge's questions, and the words for both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.touchscreen import LOOK, Touchscreen, misflipped, rule, rulings, scene_of, texts
from msgspec import structs
from samples.screens import SampleGame, new

from flagfall.base.value import Growing
from flagfall.othello.board import START, Position, parse_square, squares_of
from flagfall.othello.game import SECOND_NS, ErrorState, IncidentType, State
from flagfall.othello.inputs import Contact, ErrorKind, Press, Rule, Ruling, Shown, Signal, Tick, Touch
from flagfall.othello.referee import judge
from flagfall.othello.rulebook import BUILT_IN, rulebook
from flagfall.othello.side import Side
from table_app.events import ScreenInput
from table_app.screen.controller import FRESH_FOR_NS
from table_app.screen.dialog import PIN_SHEET_FOR_NS, Dialog, Judge
from table_app.screen.figures import Figures
from table_app.screen.judge.choices import Choices
from table_app.screen.judge.page import GiveRuling, square_to_play
from table_app.screen.judge.pages.result import FlagBefore, FlagUnasked
from table_app.screen.judge.panel import DialogPage, Panel
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.scene import Close, Fill, Hit, Key, Rect, Scene
from table_app.screen.kit.widgets import ButtonChoice, button
from table_app.screen.sheets.pin_pad import PinPad
from table_app.screen.touches import PIN_REASON
from table_app.table_view import Phase

AT_TABLE = Dialog(judge=Judge("3-4-1"))
# Where the judge may speak of an error, and where only a player may.
JUDGES = [book for book in BUILT_IN if rulebook(book).corrected_by == "judge"]
PLAYERS = [book for book in BUILT_IN if rulebook(book).corrected_by == "offender"]


def erring(book: str, judged: bool = True, kind: ErrorKind = ErrorKind.MISFLIP) -> SampleGame:
    """Black errs in the ninth move, and presses."""
    played = new(book, judged=judged).start().moves(8)
    side, before = played.game.to_move, played.game.before
    black = played.game.plays_black(side)
    first, *others = squares_of(before.legal(black))
    if kind is ErrorKind.MISFLIP:
        flipped = before.flips(black, first)
        return played.move(first, wrong=flipped & -flipped)
    if kind is ErrorKind.ILLEGAL_PASS:
        return played.wait(2).give(Press(played.now_ns, side))
    if kind is ErrorKind.TOUCHED_ELSEWHERE:
        played.wait(2).give(Touch(played.now_ns, first, Contact.DISC))
        return played.move(others[0])
    square = next(square for square in range(64) if not (before.occupied | before.legal(black)) >> square & 1)
    lies = Position(before.black | 1 << square, before.white)
    played.wait(2).give(Shown(played.now_ns, lies)).wait(2)
    return played.give(Press(played.now_ns, side))


def rings(scene: Scene) -> int:
    return sum(isinstance(item, Fill) and item.colour == "wrong" and item.rect.w > 20 for item in scene)


KINDS = [ErrorKind.MISFLIP, ErrorKind.ILLEGAL_PASS, ErrorKind.ILLEGAL_MOVE, ErrorKind.TOUCHED_ELSEWHERE]


@pytest.mark.clause("usoa 7.1", "usoa 7.5", "jof J5", "jof J24")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("judged", [True, False])
@pytest.mark.parametrize("book", PLAYERS)
def test_where_players_name_errors_nothing_tells_of_one_before_they_have(
    book: str, kind: ErrorKind, judged: bool
) -> None:
    """Whatever is on the screen, and whatever page the judge has opened: the same as without the error."""
    played = erring(book, judged, kind)
    assert [incident.type for incident in played.game.unsettled] == [IncidentType(kind)]
    unseen = replace(
        played.game,
        incidents=Growing.of(
            [
                replace(incident, state=ErrorState.DISMISSED)
                if incident.state is ErrorState.OPEN
                else incident
                for incident in played.game.incidents
            ]
        ),
    )
    quiet = SampleGame(unseen, played.now_ns)
    for dialog in (Dialog(), AT_TABLE, *(replace(AT_TABLE, sheet=Panel(page)) for page in DialogPage)):
        assert scene_of(played.view(), dialog) == scene_of(quiet.view(), dialog)
    assert Tap(Button.FINDING) not in [item.tap for item in scene_of(played.view()) if isinstance(item, Hit)]


@pytest.mark.clause("usoa 7.4", "usoa 7.5")
def test_under_the_usoa_the_judge_helps_with_a_correction_that_a_player_has_demanded() -> None:
    played = erring("usoa")
    table = Touchscreen(played, replace(AT_TABLE, sheet=Panel()))
    assert "Only a player may name an error, before moving" in texts(table.scene())
    played.give(Signal(played.now_ns, Side.WHITE, "misflip"))
    assert played.game.state is State.CORRECTING
    assert any("Misflip" in text for text in texts(table.scene()))


@pytest.mark.parametrize("book", JUDGES)
def test_where_the_judge_corrects_the_mark_calls_him_at_a_judged_table_only(book: str) -> None:
    for judged in (True, False):
        taps = [item.tap for item in scene_of(erring(book, judged).view()) if isinstance(item, Hit)]
        assert (Tap(Button.FINDING) in taps) is judged


@pytest.mark.clause("woc-2019 IV.4")
def test_a_broken_touch_move_names_both_squares_and_the_one_to_play_stays_ringed() -> None:
    played = erring("woc-2019", kind=ErrorKind.TOUCHED_ELSEWHERE)
    assert played.game.last is not None
    touched, before = played.game.last.touched[0], played.game.last.before
    table = Touchscreen(played, AT_TABLE)
    table.touch(Tap(Button.FINDING))
    line = next(text for text in texts(table.scene()) if "touched" in text)
    squares = [parse_square(word.strip(",")) for word in line.split()[2::2]]
    assert line.startswith("Black touched ") and squares == [touched, played.game.last.square]
    table.touch(rule(Rule.CORRECT_ERROR))
    assert square_to_play(played.game) == 1 << touched
    played.give(Shown(played.now_ns, before))
    assert rings(table.scene()) == 1, "the square that must be played, and no other"
    table.twice(rule(Rule.CORRECTED))
    assert played.game.clock.running is Side.BLACK and square_to_play(played.game) == 1 << touched
    table.dialog = replace(table.dialog, sheet=Panel())
    assert rings(table.scene()) == 1
    table.dialog = replace(table.dialog, sheet=None)
    assert rings(table.scene()) == 0, "players see no square"


@pytest.mark.clause("woc-2019 IV.5.1")
def test_the_panel_says_when_a_disc_of_the_wrong_colour_is_put_right_as_the_referee_takes_it() -> None:
    played = new().start().moves(8)
    before = played.game.before
    square = next(squares_of(before.legal(True)))
    played.wait(2).give(Shown(played.now_ns, Position(before.black, before.white | 1 << square)))
    played.wait(2).give(Press(played.now_ns, Side.BLACK))
    table = Touchscreen(played, AT_TABLE)
    table.touch(Tap(Button.FINDING), rule(Rule.CORRECT_ERROR))
    assert "Put the board right, then confirm:" in texts(table.scene())
    # Turned by the judge, with its flips: right if the referee takes it for the move; taken away: right in any case.
    played.give(Shown(played.now_ns, before.played(True, square)))
    taken = judge(played.game, Ruling(played.now_ns, Rule.CORRECTED))
    made = taken.clock.running is Side.WHITE
    assert ("The board is right. Confirm:" in texts(table.scene())) is made
    played.give(Shown(played.now_ns, before))
    assert "The board is right. Confirm:" in texts(table.scene())
    table.twice(rule(Rule.CORRECTED))
    assert played.game.state is State.RUNNING and played.game.clock.running is Side.BLACK


@pytest.mark.parametrize("kind", [ErrorKind.MISFLIP, ErrorKind.ILLEGAL_PASS])
def test_no_square_is_ringed_where_a_player_may_play_any(kind: ErrorKind) -> None:
    played = erring("woc-2019", kind=kind)
    played.give(Ruling(played.now_ns, Rule.CORRECT_ERROR))
    assert square_to_play(played.game) == 0


@pytest.mark.clause("woc-2019 IV.2")
@pytest.mark.parametrize("book", [book for book in BUILT_IN if rulebook(book).players_stop])
def test_in_a_correction_without_a_judge_stop_and_the_call_stay(book: str) -> None:
    played = erring(book, judged=False)
    table = Touchscreen(played)
    before = {hit.tap: hit.rect for hit in table.hits()}
    table.touch(Tap(Button.ERROR, Side.WHITE))
    assert played.game.state is State.CORRECTING
    after = {hit.tap: hit.rect for hit in table.hits()}
    for tap in (Tap(action, side) for action in (Button.STOP, Button.DIRECTOR) for side in Side):
        assert after[tap] == before[tap], "at its old place"
    assert isinstance(table.touch(Tap(Button.STOP, Side.BLACK))[0], ScreenInput)
    assert played.game.state is State.STOPPED
    for tap in (Tap(action, side) for action in (Button.READY, Button.DIRECTOR) for side in Side):
        assert table.offers(tap)
    table.touch(Tap(Button.READY, Side.BLACK), Tap(Button.READY, Side.WHITE))
    assert played.game.state is State.CORRECTING


@pytest.mark.clause("woc-2019 IV.5.1", "woc-2019 IV.2")
def test_while_the_pin_is_typed_the_clock_of_the_innocent_stands() -> None:
    played = misflipped()
    table = Touchscreen(played)
    (stop,) = table.touch(Tap(Button.FINDING))
    assert isinstance(stop, ScreenInput) and isinstance(stop.input, Ruling)
    assert (stop.input.rule, stop.input.reason) == (Rule.STOP, PIN_REASON)
    left_ns = played.game.clock.left_ns(Side.WHITE, played.now_ns)
    table.keys("1234")
    assert played.game.clock.left_ns(Side.WHITE, played.now_ns) == left_ns
    assert played.game.state is State.STOPPED
    table.touch(rule(Rule.CORRECT_ERROR))
    assert played.game.state is State.CORRECTING and played.game.clock.running is Side.BLACK


def test_a_finding_that_is_dismissed_lets_the_clock_run_again() -> None:
    played = misflipped()
    table = Touchscreen(played)
    table.touch(Tap(Button.FINDING))
    table.keys("1234")
    assert rulings(table.twice(rule(Rule.DISMISS_ERROR))) == [Rule.DISMISS_ERROR, Rule.RESUME]
    assert played.game.state is State.RUNNING and played.game.clock.running is Side.WHITE


@pytest.mark.parametrize("leaves", ["cross", "time", "typing"])
def test_without_a_pin_the_clock_runs_again_and_the_same_turn_stops_it_once_only(leaves: str) -> None:
    """A player who touches the mark gains half a minute at most, and that is on record."""
    played = misflipped()
    table = Touchscreen(played)
    table.touch(Tap(Button.FINDING))
    assert played.game.state is State.STOPPED
    if leaves == "cross":
        table.touch(Close())
    for _ in range(40 if leaves == "typing" else 0):
        table.later(0)
        if played.game.state is State.STOPPED:
            table.touch(Key("1"))
    table.later(PIN_SHEET_FOR_NS / SECOND_NS if leaves == "time" else 0)
    assert played.game.state is State.RUNNING and played.game.clock.running is Side.WHITE
    table.dialog = replace(table.dialog, sheet=None)
    assert table.touch(Tap(Button.FINDING)) == ()
    assert isinstance(table.dialog.sheet, PinPad) and played.game.state is State.RUNNING


def test_clocks_that_somebody_else_stopped_are_not_started() -> None:
    played = misflipped()
    played.give(Ruling(played.now_ns, Rule.STOP))
    table = Touchscreen(played)
    assert table.touch(Tap(Button.FINDING)) == ()
    table.touch(Close())
    assert table.later(60) == () and played.game.state is State.STOPPED


@pytest.mark.clause("usoa 5.10")
@pytest.mark.parametrize("book", ["usoa", "woc-2019"])
def test_without_an_error_or_where_only_the_director_stops_the_pin_stops_nothing(book: str) -> None:
    table = Touchscreen(erring(book) if book == "usoa" else new(book).start().moves(5))
    assert table.touch(Tap(Button.JUDGE)) == ()
    assert table.game.state is State.RUNNING


@pytest.mark.clause("woc-2019 I.4.5")
def test_before_the_start_the_judge_too_sees_which_squares_differ_and_no_player_is_named() -> None:
    played = new()
    played.give(Shown(played.now_ns, Position(START.black | 1, START.white & ~(1 << 27))))
    view = played.view(wrong_start_squares=1 | 1 << 27, phase=Phase.ASSIGNED)
    scene = scene_of(view, replace(AT_TABLE, sheet=Panel()))
    assert "Not the start position: a1 d4" in texts(scene)
    assert rings(scene) == 2
    assert not played.game.unsettled and Tap(Button.FINDING) not in [
        item.tap for item in scene_of(view) if isinstance(item, Hit)
    ]
    right = scene_of(replace(view, wrong_start_squares=0), replace(AT_TABLE, sheet=Panel()))
    assert rings(right) == 0 and not any("Differs" in text for text in texts(right))


def late_count(judged: bool = True) -> Touchscreen:
    """Return a clock game in which White's flag has fallen since the last press, and the judge has typed the count."""
    played = new(judged=judged, sensors=False).start()
    for _ in range(9):
        played.wait(2).give(Press(played.now_ns, played.game.to_move))
    left_ns = played.game.clock.left_ns(Side.WHITE, played.now_ns)
    played.wait(left_ns / SECOND_NS + 1).give(Press(played.now_ns, Side.BLACK))
    sheet = Panel(DialogPage.RESULT, Choices(figures=Figures("24", "40")))
    return Touchscreen(played, replace(AT_TABLE, sheet=sheet))


@pytest.mark.clause("woc-2019 IV.6")
@pytest.mark.parametrize(("side", "score"), [(Side.WHITE, (33, 31)), (None, (24, 40))])
def test_a_flag_after_the_last_press_is_asked_about_before_the_count_is_entered(
    side: Side | None, score: tuple[int, int]
) -> None:
    table = late_count()
    assert table.touch(rule(Rule.ENTER_SCORE)) == ()
    assert any("White's flag fell after the last press" in text for text in texts(table.scene()))
    assert not table.offers(FlagBefore(Side.BLACK))
    assert table.touch(FlagBefore(side)) == ()
    (event,) = table.touch(FlagBefore(side))
    assert isinstance(event, ScreenInput) and isinstance(event.input, Ruling)
    assert (event.input.rule, event.input.flag_before, event.input.score) == (
        Rule.ENTER_SCORE,
        side,
        (24, 40),
    )
    assert table.game.outcome is not None and table.game.outcome.score == score


def test_the_question_about_the_flag_can_be_left_and_keeps_the_count() -> None:
    table = late_count()
    table.touch(rule(Rule.ENTER_SCORE), FlagUnasked())
    assert table.chosen.figures == Figures("24", "40")
    assert table.offers(rule(Rule.ENTER_SCORE)) and not table.offers(FlagBefore(Side.WHITE))


def test_a_count_without_a_flag_in_question_takes_two_touches_as_before() -> None:
    played = new(sensors=False).start()
    for _ in range(4):
        played.wait(2).give(Press(played.now_ns, played.game.to_move))
    sheet = Panel(DialogPage.RESULT, Choices(figures=Figures("24", "40")))
    table = Touchscreen(played, replace(AT_TABLE, sheet=sheet))
    assert rulings(table.twice(rule(Rule.ENTER_SCORE))) == [Rule.ENTER_SCORE]
    assert table.game.over


@pytest.mark.clause("usoa 6.8")
def test_the_mark_of_a_flag_counts_those_of_its_player() -> None:
    played = new("usoa").start().moves(4)
    left_ns = played.game.clock.left_ns(Side.BLACK, played.now_ns)
    played.wait(left_ns / SECOND_NS + 1).give(Tick(played.now_ns))
    assert "1" in texts(scene_of(played.view(), now_ns=played.now_ns))
    flag = played.game.flags.black.fall()
    twice = SampleGame(played.game.with_flag(Side.BLACK, flag), played.now_ns)
    shown = texts(scene_of(twice.view(), now_ns=played.now_ns))
    assert "2" in shown and any(text.startswith("Second flag") for text in shown)
    strip = texts(scene_of(twice.view(), replace(AT_TABLE, sheet=Panel()), now_ns=played.now_ns))
    assert (strip.count("1"), strip.count("2")) == (1, 2), "each is the number of a row too"


def test_a_button_that_waits_for_its_second_touch_looks_disabled_until_it_reacts() -> None:
    choice = ButtonChoice(GiveRuling(Rule.CORRECTED), "Touch again: Corrected", armed=True, strong=True)
    rect = Rect(10, 10, 200, 60)
    new_one = button(rect, choice, replace(LOOK, fresh=frozenset({choice.tap})))
    reacts = button(rect, choice, LOOK)
    disabled = button(
        rect, structs.replace(choice, armed=False), replace(LOOK, fresh=frozenset({choice.tap}))
    )
    assert new_one[:-1] == disabled[:-1] != reacts[:-1]
    assert FRESH_FOR_NS >= SECOND_NS
