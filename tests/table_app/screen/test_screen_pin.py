"""The judge's PIN on the screen: asked for, chosen first, typed wrongly, forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from helpers.touchscreen import PINS, Touchscreen, misflipped, rule, rulings
from samples.screens import SampleGame, new

from flagfall.base.trouble import trouble
from flagfall.othello.game import SECOND_NS
from flagfall.othello.inputs import Note, Power, Rule, Sign
from flagfall.othello.side import Side
from table_app.events import Event, PinChosen
from table_app.judge_pin import Pins
from table_app.local_game import between_games
from table_app.screen.dialog import Dialog, Judge, to_record
from table_app.screen.judge.actions import DIRECTORS
from table_app.screen.judge.page import GiveRuling
from table_app.screen.judge.panel import DialogPage, OpenPage, Panel
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.scene import Close, Enter, Erase, FilledCircle, Key
from table_app.screen.sheets.first_pin import FirstPin
from table_app.screen.sheets.pin_news import NoPin, PinNews
from table_app.screen.sheets.pin_pad import LOCKED_FOR_NS, PinPad
from table_app.screen.touches import touched


def test_the_mark_is_there_before_the_judge_has_shown_his_pin_and_leads_to_it() -> None:
    table = Touchscreen(misflipped())
    assert table.offers(Tap(Button.FINDING))
    table.touch(Tap(Button.FINDING))
    assert isinstance(table.dialog.sheet, PinPad)
    discs = sum(isinstance(item, FilledCircle) for item in table.scene())
    table.touch(Key("1"))
    assert sum(isinstance(item, FilledCircle) for item in table.scene()) == discs + 1
    table.touch(Erase())
    table.keys("1234")
    assert table.dialog.sheet == Panel(DialogPage.JUDGE)
    assert [entry.note for entry in table.game.notes] == [Note("judge_takes", "judge")]


def test_another_game_asks_for_the_pin_again() -> None:
    table = Touchscreen(misflipped(), dialog=Dialog(judge=Judge("2-4-9", director=True)))
    table.touch(Tap(Button.JUDGE))
    assert isinstance(table.dialog.sheet, PinPad) and not table.dialog.director


@pytest.mark.clause("woc-2019 V.1", "woc-2017 V.1", "woc-classic VI.1", "cc-2024 VI.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_what_only_the_director_may_do_needs_his_pin(rulebook: str) -> None:
    table = Touchscreen(new(rulebook).start().moves(6))
    table.pin("1234")
    assert table.dialog.judge == Judge("3-4-1")
    table.touch(OpenPage(DialogPage.RESULT))
    offered = {hit.tap.rule for hit in table.hits() if isinstance(hit.tap, GiveRuling)}
    assert Rule.RESIGN in offered and not offered & DIRECTORS
    for name in DIRECTORS:
        for _ in range(2):
            assert table.touch_unseen(rule(name)) == ()
    table.touch(Close())
    table.dialog = Dialog()
    table.pin("998877")
    table.touch(OpenPage(DialogPage.RESULT))
    table.touch(rule(Rule.DRAW))
    assert rulings(table.touch(rule(Rule.DRAW))) == [Rule.DRAW]


def test_wrong_pins_lock_for_half_a_minute() -> None:
    table = Touchscreen(new().start().moves(2))
    table.touch(Tap(Button.JUDGE))
    for _ in range(3):
        table.keys("0000")
    assert table.dialog.sheet == PinPad()
    assert not table.offers(Key("1"))
    table.touch_unseen(Key("1"))
    assert table.dialog.sheet == PinPad()
    table.played.wait(LOCKED_FOR_NS / SECOND_NS)
    table.dialog = Dialog(locked_until_ns=table.dialog.locked_until_ns)
    table.pin("1234")
    assert isinstance(table.dialog.sheet, Panel)


def test_the_mark_of_a_trouble_leads_through_the_pin_to_its_page() -> None:
    view = new().view(messages=(trouble("button_held", side=Side.BLACK),))
    dialog, _ = touched(Dialog(), Tap(Button.TROUBLE), view, 1, PINS)
    for key in "1234":
        dialog, _ = touched(dialog, Key(key), view, 2, PINS)
    dialog, _ = touched(dialog, Enter(), view, 3, PINS)
    assert dialog.sheet == Panel(DialogPage.TABLE)


def test_a_half_typed_pin_is_forgotten() -> None:
    table = Touchscreen(new().start())
    table.touch(Tap(Button.JUDGE))
    table.touch(Key("1"))
    table.later(31)
    assert replace(table.dialog, touched_ns=0) == Dialog()


def test_without_a_pin_the_corner_is_closed() -> None:
    """At a table of a hub, whose hub gives the PIN, and in the middle of a game at one of its own."""
    for pins, sheet in ((Pins(), PinNews(NoPin.NONE)), (Pins(alone=True), PinNews(NoPin.LATER))):
        for button in (Button.JUDGE, Button.TROUBLE):
            table = Touchscreen(new(judged=False).start(), pins=pins)
            assert table.touch_unseen(Tap(button)) == ()
            assert (table.dialog.sheet, table.dialog.judge) == (sheet, None)
            assert {hit.tap for hit in table.hits()} == {Close()}
            assert table.touch_unseen(Key("1")) == () and table.dialog.sheet == sheet
            table.touch(Close())
            assert replace(table.dialog, touched_ns=0) == Dialog()


def first_pin(table: Touchscreen) -> FirstPin:
    assert isinstance(table.dialog.sheet, FirstPin)
    return table.dialog.sheet


def choose(table: Touchscreen, *typed: str) -> tuple[Event, ...]:
    events: tuple[Event, ...] = ()
    for digits in typed:
        events = table.keys(digits)
    return events


@pytest.mark.parametrize("played", [new, lambda: new().start(), lambda: stopped(), lambda: signed()])
def test_a_table_of_its_own_chooses_its_first_pin_unless_players_alone_play(
    played: Callable[[], SampleGame],
) -> None:
    table = Touchscreen(played(), pins=Pins(alone=True))
    table.touch(Tap(Button.JUDGE))
    table.played.wait(1)
    assert table.touch(Enter()) == () and not first_pin(table).first, "nothing is entered yet"
    assert choose(table, "2718", "2719") == ()
    assert not first_pin(table).first
    chosen = choose(table, "2718", "2718")
    assert chosen == (PinChosen(table.now_ns, "2718"), *to_record(table.now_ns, "judge_takes", "judge"))
    secret = PinChosen(1, "2718"), Dialog(FirstPin("2718", "2718")), Dialog(PinPad(typed="2718"))
    assert "2718" not in repr(secret)
    page = DialogPage.SETTINGS if between_games(table.game) else DialogPage.JUDGE
    assert table.dialog.sheet == Panel(page) and table.dialog.who == "judge"
    assert table.dialog.director, "nobody else comes to a table of its own"


def stopped() -> SampleGame:
    played = new("usoa", judged=False).start()
    return played.give(Power(played.now_ns, SECOND_NS))


def signed() -> SampleGame:
    played = new().start().moves(80)
    return played.give(Sign(played.now_ns, Side.BLACK)).give(Sign(played.now_ns, Side.WHITE))


@pytest.mark.parametrize("typed", ["", "1", "123"])
def test_a_first_pin_has_four_digits_at_least_and_eight_at_most(typed: str) -> None:
    table = Touchscreen(new(), pins=Pins(alone=True))
    table.touch(Tap(Button.JUDGE))
    table.played.wait(1)
    for digit in typed:
        table.touch(Key(digit))
    assert table.touch_unseen(Enter()) == () and not first_pin(table).first
    for _ in range(9):
        table.touch(Key("5"))
    assert len(first_pin(table).typed) == 8
    table.touch(Erase())
    assert len(first_pin(table).typed) == 7


def test_a_game_that_has_begun_takes_no_first_pin() -> None:
    table = Touchscreen(new(judged=False), pins=Pins(alone=True))
    table.touch(Tap(Button.JUDGE))
    table.touch(Key("5"))
    assert first_pin(table).typed == "5"
    table.played.start()
    table.touch(Key("5"))
    assert table.dialog.sheet == PinNews(NoPin.LATER)
    table.later(31)
    assert replace(table.dialog, touched_ns=0) == Dialog()
