"""The touches: two for whatever cannot be taken back, PINs, and a judge who is quick."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.touchscreen import LOOK, PINS, Touchscreen, misflipped, rule, rulings, scene_of, texts
from hypothesis import given
from hypothesis import strategies as st
from samples.screens import SAMPLES, Sample, SampleGame, new, sample_scene

from flagfall.base.trouble import TROUBLES, trouble
from flagfall.base.words import languages
from flagfall.othello.board import parse_square
from flagfall.othello.colour_choice import DRAW_WIN
from flagfall.othello.game import SECOND_NS, ErrorState, Player, State
from flagfall.othello.inputs import (
    Agree,
    Called,
    Chosen,
    ColourDraw,
    ErrorKind,
    Late,
    Ready,
    Rule,
    Ruling,
    Shown,
    Sign,
    Signal,
    Start,
    Stop,
)
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import WARNINGS
from flagfall.othello.side import Side
from table_app.events import Event, ScreenInput, ScreenRequest
from table_app.screen.dialog import Dialog, Judge, faded
from table_app.screen.figures import Figures
from table_app.screen.judge.actions import DIRECTORS
from table_app.screen.judge.choices import Choices, EnterMove
from table_app.screen.judge.page import OfReason, OnSquare, PlayerIs
from table_app.screen.judge.pages.board import EditPosition, UndoMove
from table_app.screen.judge.pages.clock import MoreSeconds
from table_app.screen.judge.pages.judging import ErrorKinds, Report
from table_app.screen.judge.panel import UNDO_FOR_NS, DialogPage, OpenPage, Panel
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.face_buttons import Button, Choose, Tap
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import Close, Erase, Fill, Hit, Meaning, Words
from table_app.screen.sheets.named_error import ErrorSquare, Names
from table_app.screen.sheets.pin_pad import PinPad
from table_app.screen.touches import PIN_REASON, touched


@pytest.mark.clause("woc-2019 IV.5.1")
def test_a_practised_judge_corrects_with_four_touches() -> None:
    table = Touchscreen(misflipped(), dialog=Dialog(judge=Judge("3-4-1")))
    first = len(table.events)
    table.touch(Tap(Button.FINDING))
    table.touch(rule(Rule.CORRECT_ERROR))
    assert table.game.state is State.CORRECTING
    assert table.game.clock.running is Side.BLACK
    last = table.game.last
    assert last is not None
    table.played.give(Shown(table.now_ns, last.right))
    table.twice(rule(Rule.CORRECTED))
    assert rulings(table.events[first:]) == [Rule.CORRECT_ERROR, Rule.CORRECTED]
    assert table.game.state is State.RUNNING and table.game.clock.running is Side.WHITE
    assert table.dialog.sheet is None


@pytest.mark.parametrize(("sample", "marks"), [("panel-passed", 0), ("panel-finding", 1)])
def test_only_a_square_that_is_not_as_it_should_be_shows_what_should_lie_there(
    sample: str, marks: int
) -> None:
    """The squares of an illegal pass are right as they are: empty."""
    scene = sample_scene(SAMPLES[sample](), LOOK, 800, 480)
    wrong = [item for item in scene if isinstance(item, Fill) and item.colour == "wrong" and item.rect.w < 20]
    assert len(wrong) == marks
    assert not [item for item in scene if isinstance(item, Words) and item.text == "–"]


def test_the_mark_goes_when_the_error_is_accepted() -> None:
    table = Touchscreen(misflipped(), dialog=Dialog(judge=Judge("3-4-1")))
    table.played.move()
    assert ErrorState.ACCEPTED in [incident.state for incident in table.game.incidents]
    assert not table.offers(Tap(Button.FINDING))


def test_without_a_judge_nothing_is_marked() -> None:
    table = Touchscreen(misflipped(judged=False), dialog=Dialog(judge=Judge("3-4-1")))
    assert not table.offers(Tap(Button.FINDING))


@pytest.mark.clause("woc-2019 IV.8")
def test_both_sign_with_two_touches_each() -> None:
    table = Touchscreen(new().start().moves(80))
    for side in Side:
        table.touch(Tap(Button.SIGN, side))
        table.touch(Tap(Button.SIGN, side))
    assert [e.input for e in table.events if isinstance(e, ScreenInput) and isinstance(e.input, Sign)]
    assert table.game.state is State.SIGNED


@pytest.mark.clause("woc-2019 IV.2")
def test_players_stop_and_go_on_together() -> None:
    table = Touchscreen(new(judged=False).start().moves(3))
    assert isinstance(table.touch(Tap(Button.STOP, Side.BLACK))[0], ScreenInput)
    assert table.game.state is State.STOPPED
    table.touch(Tap(Button.READY, Side.BLACK))
    assert table.game.state is State.STOPPED
    table.touch(Tap(Button.READY, Side.WHITE))
    assert table.game.state is State.RUNNING
    kinds = [type(e.input) for e in table.events if isinstance(e, ScreenInput)]
    assert kinds == [Stop, Ready, Ready]


@pytest.mark.clause("woc-2019 IV.5.1")
def test_without_a_judge_a_player_signals_with_one_touch() -> None:
    table = Touchscreen(misflipped(judged=False))
    assert table.touch(Tap(Button.ERROR, Side.WHITE)) == (ScreenInput(Signal(table.now_ns, Side.WHITE)),)
    assert table.game.state is State.CORRECTING


@pytest.mark.clause("usoa 7.5")
def test_a_demand_names_the_error_and_for_an_illegal_pass_a_move() -> None:
    table = Touchscreen(new("usoa", judged=False).start().moves(4))
    table.touch(Tap(Button.ERROR, Side.WHITE))
    assert table.touch(Names(ErrorKind.ILLEGAL_PASS)) == ()
    square = parse_square("c4")
    events = table.touch(ErrorSquare(square))
    assert events == (ScreenInput(Signal(table.now_ns, Side.WHITE, "illegal_pass", square)),)
    table.touch(Tap(Button.ERROR, Side.BLACK))
    events = table.touch(Names(ErrorKind.MISFLIP))
    assert events == (ScreenInput(Signal(table.now_ns, Side.BLACK, "misflip")),)


@pytest.mark.clause("jof J11", "jof J12")
def test_the_player_who_is_there_starts_the_late_players_clock_and_that_one_may_take_the_walkover() -> None:
    table = Touchscreen(new("jof", judged=False).give(Start(0)))
    late, walkover = Tap(Button.LATE, Side.WHITE), Tap(Button.WALKOVER, Side.WHITE)
    assert table.touch(late) == () and table.game.state is State.WAITING
    assert table.touch(late) == (ScreenInput(Late(table.now_ns, Side.BLACK)),)
    assert table.game.clock.running is Side.WHITE
    table.touch(Tap(Button.STOP, Side.BLACK))
    assert table.game.state is State.WAITING and table.game.late is Side.WHITE
    table.touch(walkover)
    table.touch(walkover)
    assert table.game.outcome is not None and table.game.outcome.reason is Reason.WALKOVER


@pytest.mark.clause("jof J3", "jof J11")
@pytest.mark.parametrize("late", [False, True])
def test_who_was_there_picks_the_side_of_the_clock_whatever_colours_are_drawn(late: bool) -> None:
    played = new("jof", judged=False, black=Player("1", "Ann"), white=Player("2", "Bo")).give(Start(0))
    if late:
        played.give(Late(0, Side.WHITE), Stop(0, Side.WHITE))
    played.give(ColourDraw(0, Side.BLACK, Called.BLACK, Side.BLACK, Chosen.WHITE))
    lines = texts(sample_scene(Sample(played.view(), 0, Dialog()), LOOK, 800, 480))
    (line,) = [text for text in lines if "picks the side of the clock" in text]
    assert ("Bo" if late else "Ann") in line


@pytest.mark.parametrize(("book", "armed"), [("woc-2019", True), ("club", True), ("jof", False)])
def test_no_player_starts_a_late_clock_where_the_director_does_or_before_the_signal(
    book: str, armed: bool
) -> None:
    played = new(book, judged=False)
    face = face_of((played.give(Start(0)) if armed else played).view(), 0)
    assert not any({"late", "walkover"} & set(player.buttons) for player in face.players)


def test_a_choice_of_colour_is_touched_twice() -> None:
    sample = SAMPLES["choice"]()
    dialog, taken = Dialog(), Choose(DRAW_WIN)
    assert taken in {item.tap for item in sample_scene(sample, LOOK, 800, 480) if isinstance(item, Hit)}
    dialog, events = touched(dialog, taken, sample.view, 1, PINS)
    assert events == () and dialog.armed == taken
    dialog, events = touched(dialog, Choose("black"), sample.view, 2, PINS)
    assert events == ()
    dialog, events = touched(dialog, Choose("black"), sample.view, 3, PINS)
    assert events == (ScreenRequest(3, "choose", "black"),) and dialog.armed is None


def test_players_state_the_score_of_a_clock_game() -> None:
    table = Touchscreen(new(judged=False, sensors=False).start())
    table.touch(Tap(Button.SCORE, Side.BLACK))
    table.keys("3728")
    ok = next(item for item in table.scene() if isinstance(item, Words) and item.text == "OK")
    assert ok.colour == "muted", "65 discs"
    table.touch(Erase(), Erase())
    assert table.keys("24") == (ScreenInput(Agree(table.now_ns, Side.BLACK, 37, 24)),)
    table.touch(Tap(Button.SCORE, Side.WHITE))
    assert table.keys("3727") and "The two scores differ" in texts(table.scene())
    table.touch(Tap(Button.SCORE, Side.BLACK))
    table.keys("3727")
    assert table.game.outcome is not None and table.game.outcome.score == (37, 27)


def test_a_stated_score_is_seen_while_the_clocks_are_stopped_too() -> None:
    played = new(judged=False, sensors=False).start()
    table = Touchscreen(played.give(Stop(played.now_ns, Side.BLACK)))
    table.touch(Tap(Button.SCORE, Side.BLACK))
    table.keys("3727")
    assert "37–27" in table.text() and table.offers(Tap(Button.READY, Side.BLACK))
    table.touch(Tap(Button.SCORE, Side.WHITE))
    table.keys("2737")
    assert "The two scores differ" in table.text()
    assert "Interrupted" in " / ".join(texts(scene_of(table.played.view(uncertain_ns=10**9))))


@pytest.mark.parametrize("page", [DialogPage.JUDGE, DialogPage.BOARD, DialogPage.TABLE])
def test_a_clock_alone_misses_neither_board_nor_hub_nor_director(page: DialogPage) -> None:
    alone = new("club", sensors=False).give(Start(0))
    view, dialog = alone.view(tournament="", seat=0), Dialog(Panel(page), judge=Judge(alone.view().game_id))
    shown = " / ".join(texts(scene_of(view, dialog)))
    assert not any(word in shown for word in ("Board:", "Hub:", "director", "The board reads"))
    shown = " / ".join(texts(scene_of(new("club").view(), dialog)))
    assert any(word in shown for word in ("Board:", "director", "The board reads"))


@pytest.mark.parametrize(
    ("keys", "score"),
    [("", None), ("3", None), ("64<0<0", (6, 0)), ("0500", (5, 0)), ("4040", None), ("0000", None)],
)
def test_counts_that_cannot_lie_on_a_board_are_not_taken(keys: str, score: tuple[int, int] | None) -> None:
    figures = Figures()
    for key in keys:
        figures = figures.erase() if key == "<" else figures.key(key)
    if score == (6, 0):
        figures = Figures("6", "0")
    assert figures.score() == score


def test_moves_are_entered_with_one_touch_each_and_can_be_undone() -> None:
    table = Touchscreen(
        new(sensors=False).start(), dialog=Dialog(Panel(DialogPage.BOARD), judge=Judge("3-4-1"))
    )
    assert table.touch(EnterMove(parse_square("f5"))) == ()
    assert rulings(table.touch(EnterMove(parse_square("d6")))) == [Rule.ENTER_MOVE]
    table.touch(UndoMove())
    assert table.later(10) == ()
    table.touch(EnterMove(parse_square("f6")))
    assert rulings(table.later(UNDO_FOR_NS / SECOND_NS)) == [Rule.ENTER_MOVE]
    assert [parse_square("f5"), parse_square("f6")] == list(table.game.moves)


def test_the_last_entered_move_is_not_lost_when_the_panel_closes() -> None:
    table = Touchscreen(
        new(sensors=False).start(), dialog=Dialog(Panel(DialogPage.BOARD), judge=Judge("3-4-1"))
    )
    table.touch(EnterMove(parse_square("f5")))
    assert rulings(table.touch(Close())) == [Rule.ENTER_MOVE]


@pytest.mark.clause("woc-2019 V.2.a")
def test_the_director_changes_time() -> None:
    table = Touchscreen(new().start().moves(4), dialog=Dialog(Panel(), judge=Judge("3-4-1", director=True)))
    left_ns = table.game.clock.left_ns(Side.WHITE, table.now_ns)
    table.touch(OpenPage(DialogPage.CLOCK))
    table.touch(PlayerIs(Side.WHITE))
    table.touch(MoreSeconds(60))
    table.touch(MoreSeconds(-10))
    table.twice(rule(Rule.ADJUST_TIME))
    assert table.game.clock.left_ns(Side.WHITE, table.now_ns) == left_ns + 50 * SECOND_NS
    assert table.chosen.seconds == 0


@pytest.mark.clause("woc-2019 IV.4")
def test_the_judge_holds_a_touch_unintentional() -> None:
    played = new().start().moves(4).move(press=False)
    table = Touchscreen(played, dialog=Dialog(Panel(), judge=Judge("3-4-1")))
    table.twice(rule(Rule.UNINTENTIONAL_TOUCH))
    assert table.game.turn.commit is None


@pytest.mark.clause("woc-2019 IV.5.3")
def test_the_judge_sets_the_position() -> None:
    table = Touchscreen(new().start().moves(4), dialog=Dialog(Panel(), judge=Judge("3-4-1")))
    table.touch(OpenPage(DialogPage.BOARD))
    table.touch(EditPosition())
    table.touch(OnSquare(0))
    table.touch(PlayerIs(Side.WHITE))
    table.twice(rule(Rule.SET_POSITION))
    assert table.game.before.black & 1 and table.game.to_move is Side.WHITE


def test_an_error_no_sensor_saw_is_reported() -> None:
    table = Touchscreen(new().start().moves(5), dialog=Dialog(Panel(), judge=Judge("3-4-1")))
    table.touch(ErrorKinds())
    table.touch(OnSquare(parse_square("d4")))
    tap = Report(Side.BLACK, ErrorKind.MISFLIP)
    table.touch(tap)
    table.touch(tap)
    assert table.game.state is State.CORRECTING
    assert table.game.incidents[-1].squares == 1 << parse_square("d4")


def test_the_start_is_one_touch_where_no_hub_gives_it() -> None:
    view = new().view()
    _, events = touched(Dialog(), Tap(Button.START), view, 5, PINS)
    assert events == (ScreenInput(Start(5)),)


def for_pin(event: Event) -> bool:
    input = event.input if isinstance(event, ScreenInput) else None
    return isinstance(input, Ruling) and input.reason == PIN_REASON


ONE_TOUCH = frozenset({Rule.CORRECT_ERROR, Rule.ENTER_MOVE})


@given(st.data(), st.sampled_from(sorted(SAMPLES)), st.sampled_from(["", "1234", "998877"]))
def test_wherever_fingers_go_nothing_breaks_and_no_ruling_takes_one_touch(
    data: st.DataObject, name: str, pin: str
) -> None:
    """Any touches on what is on the screen: never an error, never a director's ruling without his PIN, and every
    ruling but two is touched twice, with nothing but its reason between. What stops the clocks for the PIN is none."""
    sample = SAMPLES[name]()
    if sample.view.game is None:
        return
    table = Touchscreen(SampleGame(sample.view.game, sample.now_ns))
    if pin and table.game.state is not State.SIGNED:
        table.pin(pin)
    before: Meaning | None = None
    given_rulings: set[Rule] = set()
    at_once: set[Rule] = set()
    for _ in range(data.draw(st.integers(1, 25))):
        hits = table.hits()
        if not hits:
            break
        tap = data.draw(st.sampled_from(hits)).tap
        # A finger that stays on one place is likelier than chance would have it.
        if before is not None and before in [hit.tap for hit in hits] and data.draw(st.booleans()):
            tap = before
        ruled = set(rulings([event for event in table.touch(tap) if not for_pin(event)]))
        given_rulings |= ruled
        at_once |= ruled if tap != before else set()
        if not isinstance(tap, OfReason):
            before = tap
    assert at_once <= ONE_TOUCH
    assert pin == "998877" or not given_rulings & DIRECTORS
    assert pin or given_rulings <= {Rule.ENTER_MOVE}


def test_faded_changes_nothing_else() -> None:
    dialog = Dialog(Panel(DialogPage.CLOCK, Choices(seconds=60)))
    assert faded(dialog, 10**15) == dialog


@pytest.mark.parametrize("judged", [True, False])
def test_a_trouble_of_the_device_is_marked_and_leads_to_its_words(judged: bool) -> None:
    table = Touchscreen(new(judged=judged).start().moves(2), dialog=Dialog(judge=Judge("3-4-1")))
    assert not table.offers(Tap(Button.TROUBLE))
    view = table.played.view(
        messages=(trouble("disk_full", file="j.jsonl", why="No space left on device"),), storage_ok=False
    )
    scene = scene_of(view, table.dialog)
    assert Tap(Button.TROUBLE) in [item.tap for item in scene if isinstance(item, Hit)]
    assert "The disk is full: j.jsonl" not in " ".join(texts(scene))
    opened, _ = touched(table.dialog, Tap(Button.TROUBLE), view, 0, PINS)
    assert "The disk is full: j.jsonl" in " ".join(texts(scene_of(view, opened)))
    strange, _ = touched(Dialog(), Tap(Button.TROUBLE), view, 0, PINS)
    assert isinstance(strange.sheet, PinPad)


@pytest.mark.parametrize("language", languages())
def test_troubles_and_warnings_stand_on_the_panel_in_its_language(language: str) -> None:
    look = replace(LOOK, words=load_words(language))
    slowed = trouble("slowed", why=(trouble("under_voltage"), trouble("too_warm")))
    view = new(minutes=5).view(messages=(slowed,))
    assert view.game is not None and len(view.game.warnings) == 1
    dialog = Dialog(Panel(DialogPage.TABLE))
    shown = " ".join(texts(scene_of(view, dialog, look=look)))
    for key in ("under_voltage", "too_warm"):
        assert look.words(TROUBLES[key]) in shown
    assert look.words(WARNINGS["time_too_short"], minutes=5, rulebook="woc-2019", least=25) in shown


@pytest.mark.parametrize("judged", [True, False])
def test_an_unplugged_board_is_marked_also_where_no_judge_sits(judged: bool) -> None:
    played = new(judged=judged).start().moves(3)

    def marked(**fields: bool) -> bool:
        scene = scene_of(played.view(**fields), now_ns=played.now_ns)
        return any(isinstance(item, Hit) and item.tap == Tap(Button.TROUBLE) for item in scene)

    assert marked(board_missing=True) and not marked(board_missing=False)


def test_who_called_the_director_in_a_running_game_sees_that_it_was_heard() -> None:
    played = new(judged=False).start().moves(4)
    assert "Director called" not in texts(scene_of(played.view()))
    assert texts(scene_of(played.view(call_wanted=True))).count("Director called") == 2
