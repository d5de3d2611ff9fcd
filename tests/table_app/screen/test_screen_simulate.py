"""The board on the screen: what hands can do to it, told as a real board tells it."""

from __future__ import annotations

from collections.abc import Sequence

from helpers.touchscreen import texts
from hypothesis import given
from hypothesis import strategies as st
from samples.screens import new

from flagfall.othello.board import FULL, START, Position, parse_square
from flagfall.othello.game import SECOND_NS
from flagfall.othello.inputs import Contact, Press, Shown
from table_app.events import (
    BoardPresence,
    BoardShown,
    BoardStream,
    BoardTouched,
    ButtonEdge,
    Event,
    Place,
    player_at,
)
from table_app.game.board_view import SCAN_LATE_NS
from table_app.game.sequencer import Sequencer
from table_app.judge_pin import Pins
from table_app.screen.child import PRACTICE_SIZE, SIMULATED_SIZE
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import FOCUS_GRACE_NS, FRESH_FOR_NS, ScreenController
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.scene import Hit, Key, Meaning, Scene
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.simulated_board import Disc, SimulatedBoard, flipped

F5 = parse_square("f5")


class Room:
    """A simulated board behind a desk, with a clock that is set by hand."""

    def __init__(self, self_start: bool = True) -> None:
        self.events: list[Event] = []
        self.now_ns = 1_000
        self.board = SimulatedBoard()
        look = Look(load_theme(), load_words(), 1.0)
        setup = ScreenSetup(look, Layout(self_start=self_start, keys=True), Pins("1234"))
        self.desk = ScreenController(setup, self.events.append, lambda: self.now_ns, board=self.board)
        self.board.start(self.events.append, lambda: self.now_ns)

    def scene(self) -> Scene:
        return self.desk.scene(1264, 474)

    def click(self, tap: Meaning, remove: bool = False) -> None:
        hit = next(item for item in self.scene() if isinstance(item, Hit) and item.tap == tap)
        self.desk.down(hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2, remove)

    def stand(self) -> None:
        """Let the scene stand for a second."""
        self.scene()
        self.now_ns += FRESH_FOR_NS

    def taken(self) -> list[Event]:
        taken, self.events[:] = list(self.events), []
        return taken


def test_the_board_tells_that_it_is_there() -> None:
    assert Room().taken() == [
        BoardPresence(1_000, True),
        BoardShown(1_000, START),
        BoardStream(1_000 + SCAN_LATE_NS),
    ]


def test_a_click_is_a_touch_and_a_settled_position() -> None:
    room = Room()
    room.desk.see(new().start().view(game_id=""))
    room.taken()
    room.now_ns = 5_000
    room.click(Disc(F5))
    assert room.taken() == [
        BoardTouched(5_000, F5, Contact.DISC),
        BoardShown(5_000, START.played(True, F5)),
        BoardStream(5_000 + SCAN_LATE_NS),
    ]
    room.click(Disc(F5))
    assert room.taken()[0] == BoardShown(5_000, flipped(START.played(True, F5), F5))
    room.click(Disc(F5), remove=True)
    assert not room.board.position.occupied >> F5 & 1


def test_the_disc_is_of_the_colour_whose_clock_runs() -> None:
    room = Room()
    played = new().start().moves(1)
    room.desk.see(played.view(game_id=""))
    room.click(Disc(0))
    assert room.board.position.white & 1


def test_a_key_is_a_button_and_no_verdict_waits_for_the_board() -> None:
    room = Room()
    room.taken()
    room.now_ns = 7_000
    room.desk.key("f", True)
    room.desk.key("f", False)
    room.desk.key("right shift", True)
    pressed = [event for event in room.taken() if isinstance(event, ButtonEdge)]
    assert pressed == [
        ButtonEdge(7_000, Place.LEFT, True),
        ButtonEdge(7_000, Place.LEFT, False),
        ButtonEdge(7_000, Place.RIGHT, True),
    ]
    room.desk.key("j", True)
    assert BoardStream(7_000 + SCAN_LATE_NS) in room.taken()


def unseen_presses(events: Sequence[Event]) -> list[ButtonEdge]:
    """Return the presses that a table takes before the board has told all up to them, if the machine stands still for a
    second after each word."""
    sequencer, unseen, now_ns = Sequencer(board=True), [], 0
    for event in events:
        if isinstance(event, BoardStream):
            sequencer.board_settled(event.settled_to_ns, now_ns)
        elif isinstance(event, ButtonEdge) and event.pressed:
            sequencer.add(Press(event.at_ns, player_at(event.place, False)), now_ns)
            now_ns = max(now_ns, event.at_ns) + SECOND_NS
            unseen += [event for held in sequencer.take(now_ns) if held.unseen]
    return unseen


@given(st.lists(st.sampled_from(["f", "j", "m", "click"]), max_size=8))
def test_no_press_is_taken_before_the_board_has_told_all_however_busy_the_machine(acts: list[str]) -> None:
    room = Room()
    room.desk.see(new().start().view(game_id="local-1"))
    for act in acts:
        room.now_ns += SECOND_NS
        if act == "click":
            room.click(Disc(F5))
        else:
            room.desk.key(act, True)
            room.desk.key(act, False)
    events = room.taken()
    assert sum(isinstance(event, ButtonEdge) and event.pressed for event in events) == sum(
        act in "fj" for act in acts
    )
    assert unseen_presses(events) == []


def test_a_key_misflips_once() -> None:
    room = Room()
    room.desk.see(new().start().view(game_id=""))
    room.desk.key("m", True)
    room.click(Disc(F5))
    assert room.board.position == Position(START.black | 1 << F5, START.white)
    assert not room.board.misflip


def test_a_new_game_finds_the_board_set_up() -> None:
    room = Room()
    room.desk.see(new().start().view(game_id="local-1"))
    room.click(Disc(F5))
    room.desk.see(new().start().view(game_id="local-1"))
    assert room.board.position != START
    room.desk.see(new().view(game_id="local-2"))
    assert room.board.position == START


def test_the_judges_corner_must_be_held() -> None:
    room = Room()
    room.desk.see(new().start().view())
    room.stand()
    room.desk.down(20, 20)
    room.desk.hold()
    assert Key("1") not in _taps(room.scene())
    room.now_ns += 999_999_999
    room.desk.hold()
    assert Key("1") not in _taps(room.scene())
    room.now_ns += 1
    room.desk.hold()
    assert Key("1") in _taps(room.scene())


def test_a_finger_lifted_early_is_no_gesture() -> None:
    room = Room()
    room.desk.see(new().start().view())
    room.stand()
    room.desk.down(20, 20)
    room.desk.up()
    room.now_ns += 2_000_000_000
    room.desk.hold()
    assert Key("1") not in _taps(room.scene())


def test_a_gesture_counts_though_the_machine_was_too_busy_to_see_it_end() -> None:
    room = Room()
    room.desk.see(new().start().view())
    room.stand()
    room.desk.down(20, 20)
    room.now_ns += 1_000_000_000
    room.desk.up()
    assert Key("1") in _taps(room.scene())


def _taps(scene: Scene) -> list[Meaning]:
    return [item.tap for item in scene if isinstance(item, Hit)]


@given(
    black=st.integers(0, FULL),
    white=st.integers(0, FULL),
    square=st.integers(0, 63),
    is_black=st.booleans(),
    misflip=st.booleans(),
    by_hand=st.booleans(),
)
def test_hands_never_make_what_cannot_lie_there(
    *, black: int, white: int, square: int, is_black: bool, misflip: bool, by_hand: bool
) -> None:
    """No square ever holds two discs, and only placing adds one, only removing takes one."""
    white &= ~black
    board = SimulatedBoard()
    board.position = before = Position(black & ~(1 << square), white & ~(1 << square))
    board.misflip, board.by_hand = misflip, by_hand
    board.click(square, is_black, remove=False)
    after = board.position
    assert not after.black & after.white
    assert after.occupied == before.occupied | 1 << square
    board.click(square, is_black, remove=False)
    assert board.position.occupied == after.occupied and board.position != after
    board.click(square, is_black, remove=True)
    assert board.position.occupied == before.occupied


def test_a_new_game_finds_nothing_of_the_game_before() -> None:
    room = Room()
    room.desk.see(new().start().moves(7).view(game_id="local-1"))
    room.desk.key("m", True)
    # What lay there is told to the new game before its first picture.
    left = new().give(Shown(0, Position(START.occupied, 0)))
    room.desk.see(left.view(game_id="local-2"))
    assert room.board.position == START and not room.board.misflip


def test_it_is_said_whose_keys_they_are() -> None:
    room = Room()
    room.desk.see(new().start().view())
    assert "F, left Shift: Amina Okonkwo-Reyes (Black) · J, right Shift: 見本 花子 (White)" in texts(
        room.scene()
    )
    room.desk.see(new().start().view(swapped=True))
    assert "F, left Shift: 見本 花子 (White) · J, right Shift: Amina Okonkwo-Reyes (Black)" in texts(
        room.scene()
    )
    assert max(SIMULATED_SIZE[0], PRACTICE_SIZE[0]) <= 1280


def test_a_window_without_the_keyboard_says_so_after_a_second_until_it_is_back_and_the_clock_runs_on() -> (
    None
):
    room = Room()
    room.desk.see(new().start().view(game_id=""))
    lost = "The keyboard is in another window: click here"
    assert lost not in texts(room.scene())
    room.desk.focus(False)
    assert lost not in texts(room.scene()), "a desktop may give the keyboard a moment later"
    room.now_ns += FOCUS_GRACE_NS
    before = [text for text in texts(room.scene()) if ":" in text]
    assert lost in texts(room.scene())
    room.now_ns += 5 * 10**9
    after = [text for text in texts(room.scene()) if ":" in text]
    assert lost in after and before != after, "the figures run on"
    room.desk.focus(True)
    assert lost not in texts(room.scene())


def test_a_window_whose_buttons_are_on_pins_needs_no_keyboard() -> None:
    look = Look(load_theme(), load_words(), 1.0)
    desk = ScreenController(ScreenSetup(look, Layout(), Pins("1234")), lambda event: None, lambda: 10**12)
    desk.see(new().start().view(game_id=""))
    desk.focus(False)
    assert not any("Keys do not arrive" in text for text in texts(desk.scene(800, 480)))
