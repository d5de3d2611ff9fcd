"""An evening at a table without a hub: each game is chosen on the screen, and nobody sees a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.loop_table import MS, S, Table
from helpers.touchscreen import named, texts

from flagfall.othello.game import Header, State
from flagfall.othello.inputs import Resign, Sign
from flagfall.othello.rulebook import AT_TABLES, parse_rulebook, rulebook
from flagfall.othello.side import Side
from table_app.events import ButtonEdge, Event, GameChosen, Place, ScreenInput, ScreenRequest
from table_app.judge_pin import Pins
from table_app.local_game import LOCAL_FILE, LONGEST_NAME, LocalKept, LocalSetup, read_local, setup_of
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import ScreenController
from table_app.screen.judge.page import Ask, Request
from table_app.screen.judge.panel import DialogPage, OpenPage
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.scene import Close, Enter, Hit, Key, Meaning
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.sheets.new_game import (
    AskName,
    ColoursExchanged,
    CountDown,
    Judged,
    Minutes,
    NameDone,
    NameIs,
    NameKey,
    PerMove,
    Play,
    Rules,
)

SIZE = (800, 480)
WOC = Header(rulebook("woc-2019"), 30, judged=False, sensors=False)


class Evening:
    """The table's loop, its screen, and a finger that counts."""

    # How long the loop takes to hear of a touch.
    heard_after_ns = 10 * MS

    def __init__(self, path: Path, usual: Header = WOC) -> None:
        self.table = Table(path, local_header=usual)
        self.touches = 0
        setup = ScreenSetup(
            Look(load_theme(), load_words(), 1.0), Layout(self_start=True, keys=True), Pins(alone=True)
        )
        self.events: list[Event] = []
        self.desk = ScreenController(setup, self.events.append, lambda: self.table.now_ns)
        self.look()

    def look(self) -> tuple[Hit, ...]:
        self.table.turn(*self.events, after_ns=self.heard_after_ns)
        self.events.clear()
        self.desk.see(self.table.view)
        return tuple(item for item in self.desk.scene(*SIZE) if isinstance(item, Hit))

    def touch(self, tap: Meaning) -> None:
        """Touch a place that has been there for a second."""
        self.look()
        self.table.turn(after_ns=S)
        hit = next(hit for hit in self.look() if hit.tap == tap)
        self.desk.down(hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2)
        self.desk.up()
        self.touches += 1
        self.look()

    def press(self, side: Side) -> None:
        self.table.press(side)
        self.look()

    def played(self) -> None:
        """Resign and sign the game."""
        self.press(Side.WHITE)
        self.events.append(ScreenInput(Resign(self.table.now_ns, Side.BLACK)))
        self.look()
        self.events += [ScreenInput(Sign(self.table.now_ns, side)) for side in Side]
        self.look()
        assert self.table.game.state is State.SIGNED

    @property
    def header(self) -> Header:
        return self.table.game.header

    def texts(self) -> tuple[str, ...]:
        self.look()
        return texts(self.desk.scene(*SIZE))


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(tmp_path / "s")
    yield evening
    evening.table.close()


def test_from_an_empty_table_to_a_running_club_game_in_six_touches(evening: Evening) -> None:
    evening.touch(Tap(Button.NEW_GAME))
    evening.touch(Rules("club"))
    evening.touch(Minutes(5))
    evening.touch(PerMove(3))
    evening.touch(Judged(True))
    evening.touch(Play())
    evening.press(Side.WHITE)
    assert evening.touches <= 6
    assert evening.table.game.state is State.RUNNING and evening.table.game.clock.running is Side.BLACK
    header = evening.header
    assert (header.rulebook.id, header.minutes, header.increment_s, header.judged) == ("club", 5, 3, True)


@pytest.mark.parametrize("keyboard", [False, True])
def test_three_minutes_and_two_seconds_a_move_take_five_touches(evening: Evening, keyboard: bool) -> None:
    """Or its minutes are typed, as any others, on the keyboard of a laptop."""
    evening.touch(Tap(Button.NEW_GAME))
    evening.touch(Rules("club"))
    evening.touch(Minutes(None if keyboard else 3))
    if keyboard:
        evening.desk.text("x37")
        for name in ("backspace", "return"):
            evening.desk.key(name, True)
        evening.look()
    evening.touch(PerMove(2))
    evening.touch(Play())
    assert (evening.header.minutes, evening.header.increment_s) == (3, 2)
    assert evening.touches == 5


def test_escape_closes_a_sheet_and_touches_nothing_else(evening: Evening) -> None:
    evening.touch(Tap(Button.NEW_GAME))
    for _ in range(3):
        evening.desk.key("escape", True)
        for name in ("return", "backspace"):
            evening.desk.key(name, True)
        evening.desk.text("5")
        assert Play() not in [hit.tap for hit in evening.look()]
    assert evening.header == WOC


def test_the_next_game_of_the_same_two_takes_two_touches_and_three_with_colours_exchanged(
    evening: Evening,
) -> None:
    evening.touch(Tap(Button.NEW_GAME))
    for place, name in (("left", "ann"), ("right", "bo-bo")):
        evening.touch(AskName(place))
        evening.desk.text(name) if place == "left" else [evening.touch(NameKey(key)) for key in name]
        evening.touch(NameDone())
        if place == "left":
            assert evening.table.view.names == ()
    evening.touch(Play())
    assert (evening.header.black.name, evening.header.white.name) == ("Ann", "Bo-Bo")
    assert evening.table.view.names == ("Ann", "Bo-Bo")
    evening.played()
    before = evening.touches
    evening.touch(Tap(Button.NEW_GAME))
    evening.touch(ColoursExchanged())
    evening.touch(Play())
    assert evening.touches - before == 3
    assert (evening.header.black.name, evening.header.white.name) == ("Bo-Bo", "Ann")
    # Each stays on his chair: the colours went to the other side.
    assert evening.table.view.swapped


def test_a_new_name_is_typed_where_recent_ones_are_offered(evening: Evening) -> None:
    evening.touch(Tap(Button.NEW_GAME))
    for name in ("Anm", "Ann van der Ley", "Fay"):  # F and J are the clock's buttons at any other time
        evening.touch(AskName("left"))
        evening.desk.text(name)
        evening.desk.key(name[0].lower(), True)
        evening.look()
        evening.desk.key("return", True)
        evening.look()
        evening.touch(Play())
        assert evening.header.black.name == name
        if name != "Anm":
            evening.played()
        evening.touch(Tap(Button.NEW_GAME))
    assert evening.table.view.names == ("Fay", "Ann van der Ley"), "what was corrected in time is forgotten"


def test_names_are_offered_again_also_after_a_restart(evening: Evening, tmp_path: Path) -> None:
    chosen = LocalSetup("usoa", 12, 0, False, "Ann", "Bo", False)
    evening.touch(Tap(Button.NEW_GAME))
    evening.touch(Rules("usoa"))
    evening.touch(Minutes(None))
    for key in "12":
        evening.touch(Key(key))
    evening.touch(Enter())
    for place, name in (("left", "Ann"), ("right", "Bo")):
        evening.touch(AskName(place))
        evening.desk.text(name)
        evening.touch(NameDone())
    evening.touch(ColoursExchanged())
    evening.touch(Play())
    assert evening.header == chosen.header(WOC)
    evening.table.synced()
    evening.table.close()
    again = Evening(tmp_path / "s")
    try:
        assert again.header == chosen.header(WOC) and again.table.view.swapped
        again.touch(Tap(Button.NEW_GAME))
        again.touch(AskName("left"))
        again.touch(NameIs("Bo"))
        again.touch(Play())
        # Who sat there changed places with him.
        assert (again.header.black.name, again.header.white.name) == ("Ann", "Bo")
        assert again.table.view.names[:2] == ("Bo", "Ann")
    finally:
        again.table.close()


def test_what_is_configured_anew_goes_before_a_game_that_nobody_began(tmp_path: Path) -> None:
    for usual, minutes in ((WOC, 30), (Header(rulebook("club"), 7, judged=False, sensors=False), 7)):
        evening = Evening(tmp_path / "s", usual)
        assert evening.header.minutes == minutes
        evening.table.synced()
        evening.table.close()
    evening = Evening(tmp_path / "s", Header(rulebook("club"), 7, judged=False, sensors=False))
    evening.press(Side.WHITE)
    evening.table.synced()
    evening.table.close()
    begun = Evening(tmp_path / "s", WOC)
    assert begun.header.minutes == 7 and begun.table.game.state is not State.WAITING
    begun.table.close()


def test_the_first_press_of_the_clock_takes_the_sheet_away(evening: Evening) -> None:
    evening.touch(Tap(Button.NEW_GAME))
    evening.press(Side.WHITE)
    assert Play() not in [hit.tap for hit in evening.look()]
    evening.events.append(ScreenInput(Resign(evening.table.now_ns, Side.BLACK)))
    evening.look()
    assert Play() not in [hit.tap for hit in evening.look()]


def test_letters_of_a_name_press_no_clock(evening: Evening) -> None:
    evening.touch(Tap(Button.NEW_GAME))
    evening.touch(AskName("right"))
    for name in ("j", "f"):
        evening.desk.key(name, True)
        evening.desk.text(name)
        evening.desk.key(name, False)
    assert [event for event in evening.events if isinstance(event, ButtonEdge) and event.pressed] == []
    assert "Jf" in evening.texts()
    evening.desk.key("backspace", True)
    evening.desk.key("return", True)
    assert "J" in evening.texts()
    evening.touch(Close())
    evening.desk.key("j", True)
    assert [event.place for event in evening.events if isinstance(event, ButtonEdge)] == [Place.RIGHT]


def test_no_game_is_begun_while_one_is_played(evening: Evening) -> None:
    evening.press(Side.WHITE)
    assert Tap(Button.NEW_GAME) not in [hit.tap for hit in evening.look()]
    before = evening.table.view.game_id
    evening.table.turn(GameChosen(evening.table.now_ns, LocalSetup("club", 5)))
    assert evening.table.view.game_id == before and evening.table.game.state is State.RUNNING


def test_a_stopped_game_ends_without_a_result_once_both_say_so(evening: Evening) -> None:
    evening.press(Side.WHITE)
    assert not any(named(hit.tap) == "drop" for hit in evening.look()), "only while the clocks are stopped"
    evening.touch(Tap(Button.STOP, Side.BLACK))
    dropped = evening.table.view.game_id
    for _ in range(2):
        evening.touch(Tap(Button.DROP, Side.BLACK))
    assert "Agree: drop it" in evening.texts() and evening.table.view.game_id == dropped
    evening.heard_after_ns = MS
    evening.touch(Tap(Button.DROP, Side.WHITE))
    assert evening.table.view.game_id != dropped and evening.table.game.state is State.WAITING
    assert evening.header == WOC and "Rules, time, names" in evening.texts()
    evening.table.synced()
    record = (evening.table.state.path / "games" / f"{dropped}.jsonl").read_text()
    assert '"note":"dropped","who":"both"' in record and '"sign"' not in record


def test_who_sits_there_alone_drops_a_stopped_game_on_the_judges_page(evening: Evening) -> None:
    evening.table.turn(ScreenRequest(evening.table.now_ns, "drop_game", "judge"))
    assert evening.table.view.game_id == "local-1", "nothing was played"
    evening.touch(Tap(Button.JUDGE))
    for key in ("4", "7", "1", "1", "enter") * 2:
        evening.touch(Enter() if key == "enter" else Key(key))
    evening.touch(Close())
    evening.press(Side.WHITE)
    evening.touch(Tap(Button.STOP, Side.WHITE))
    evening.desk.touch(Tap(Button.JUDGE))
    evening.touch(OpenPage(DialogPage.TABLE))
    for _ in range(2):
        evening.touch(Ask(Request.DROP_GAME))
    assert evening.table.view.game_id == "local-2"


def test_a_laptop_says_which_key_is_whose_and_misses_no_board(evening: Evening) -> None:
    evening.touch(Tap(Button.NEW_GAME))
    evening.touch(ColoursExchanged())
    evening.touch(Play())
    shown = evening.texts()
    assert shown.index("White") < shown.index("Key F") < shown.index("Black") < shown.index("Key J")
    evening.press(Side.WHITE)  # the key J, where Black sits now
    assert "White presses first" in evening.texts() and "Key J" not in evening.texts()
    evening.table.turn(after_ns=6 * S)
    assert "White presses first" not in evening.texts() and "Key J" in evening.texts()
    evening.played()
    assert "The board was not read" not in evening.texts()


@pytest.mark.clause("jof J2", "jof J19")
def test_a_count_down_stands_only_where_the_rulebook_knows_one(evening: Evening) -> None:
    evening.touch(Tap(Button.NEW_GAME))
    for name in AT_TABLES:
        if evening.header.rulebook.id != name:
            evening.touch(Rules(name))
        offered = any(isinstance(hit.tap, CountDown) for hit in evening.look())
        assert offered == rulebook(name).byoyomi
    evening.touch(Rules("jof"))
    evening.touch(CountDown(30))
    evening.touch(Minutes(15))
    evening.touch(Play())
    assert (evening.header.rulebook.id, evening.header.minutes, evening.header.byoyomi_s) == ("jof", 15, 30)
    assert any("then 30 s a move" in text for text in evening.texts())
    # The next game is proposed with it, and another rulebook has none.
    evening.touch(Tap(Button.NEW_GAME))
    evening.touch(Rules("woc-2019"))
    evening.touch(Play())
    assert evening.header.byoyomi_s == 0


@pytest.mark.parametrize("field", ["increment_s", "byoyomi_s"])
def test_a_directors_own_time_is_not_proposed_under_a_text_without_it(field: str) -> None:
    switch = 'per_move = "increment"' if field == "increment_s" else "byoyomi = true"
    own = parse_rulebook(f'based_on = "woc-2019"\nid = "own"\ntitle = "Own"\n{switch}\n')
    times: dict[str, Any] = {field: 5}
    proposed = setup_of(Header(own, 20, **times), swapped=False)
    assert proposed.rulebook == "woc-2019" and getattr(proposed, field) == 0


def test_seconds_a_move_stand_only_where_the_rulebook_has_them(evening: Evening) -> None:
    evening.touch(Tap(Button.NEW_GAME))
    for name in AT_TABLES:
        if evening.header.rulebook.id != name:
            evening.touch(Rules(name))
        offered = any(isinstance(hit.tap, PerMove) for hit in evening.look())
        assert offered == (rulebook(name).per_move != "nothing")
    evening.touch(Rules("club"))
    evening.touch(PerMove(5))
    evening.touch(Rules("woc-2019"))
    evening.touch(Play())
    assert evening.header.increment_s == 0 and evening.header.minutes == 30


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"names": 3, "usual": 4}', b'{"names": [1, "", null], "usual": {}}', b"\xff" * 99],
)
def test_whatever_lies_where_names_are_kept_the_table_starts(content: bytes, tmp_path: Path) -> None:
    (tmp_path / LOCAL_FILE).write_bytes(content)
    assert read_local(tmp_path / LOCAL_FILE).names == ()
    (tmp_path / LOCAL_FILE).write_bytes(LocalKept(("a" * 100, "b\nc"), None).content())
    assert read_local(tmp_path / LOCAL_FILE).names == ("a" * LONGEST_NAME,)
