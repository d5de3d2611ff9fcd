"""The draw of the colours by a hidden disc on the table's screen (jof J1), and the seats after it (jof J3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.loop_table import S, Table
from helpers.touchscreen import LOOK, Touchscreen, scene_of
from samples.screens import SampleGame, new

from flagfall.link import messages
from flagfall.othello.inputs import Called, Chosen, ColourDraw
from flagfall.othello.rulebook import BUILT_IN, parse_rulebook, rulebook
from flagfall.othello.side import Side
from table_app.events import ScreenInput, ScreenRequest
from table_app.screen.dialog import Dialog
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.scene import Hit, Meaning, Words
from table_app.screen.sheets.hidden_disc import Calls, Drawn, HiddenDisc, Hides, Shows, Takes

PLAYERS = {"black": {"id": "7", "name": "Ann"}, "white": {"id": "9", "name": "Bo"}}


def call(value: str) -> Meaning:
    return Calls(Called(value))


def takes(value: str) -> Meaning:
    return Takes(Chosen(value))


@pytest.mark.clause("jof J1")
def test_a_right_call_takes_the_draw_win_and_the_other_player_a_colour() -> None:
    played = new("jof")
    before = played.game.header
    table = Touchscreen(played)
    table.touch(Tap(Button.DRAW_COLOURS), Hides(Side.BLACK), call("black"), Shows(Side.BLACK))
    assert "Guessed right" in table.text()
    assert table.touch(takes("draw_win")) == () and table.game.colour_draw is None
    assert table.touch(takes("draw_win")) == () and "chooses a colour" in table.text()
    assert not table.offers(takes("draw_win"))
    assert table.touch(takes("white")) == () and table.game.colour_draw is None
    (event,) = table.touch(takes("white"))
    assert isinstance(event, ScreenInput)
    draw = ColourDraw(table.now_ns, Side.BLACK, Called.BLACK, Side.BLACK, Chosen.DRAW_WIN, Side.WHITE)
    assert event.input == draw
    assert table.game.header.draw_win is Side.BLACK and table.game.header.white == before.black
    assert not table.offers(Tap(Button.DRAW_COLOURS))


@pytest.mark.clause("jof J1")
def test_a_wrong_call_leaves_the_choice_to_who_has_hidden_the_disc() -> None:
    played = new("jof")
    before = played.game.header
    table = Touchscreen(played)
    table.touch(Tap(Button.DRAW_COLOURS), Hides(Side.BLACK), call("white"), Shows(Side.BLACK))
    assert "Guessed wrong" in table.text()
    table.twice(takes("white"))
    assert table.game.header.white == before.black and table.game.header.draw_win is Side.BLACK


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize(("called", "exchanged"), [("bottom", False), ("top", True)])
def test_where_draws_stand_the_call_is_the_colour(called: str, exchanged: bool) -> None:
    played = new("jof")
    before = played.game.header
    table = Touchscreen(played)
    table.touch(Tap(Button.DRAW_COLOURS), Hides(Side.BLACK), call(called), Shows(Side.BLACK))
    assert not table.offers(takes("draw_win"))
    table.touch(Drawn())
    after = table.game.header
    assert (
        (after.black, after.white) == (before.white, before.black)
    ) is exchanged and after.draw_win is None


@pytest.mark.parametrize("book", BUILT_IN)
def test_the_draw_is_offered_where_the_rulebook_has_it_and_before_the_game_only(book: str) -> None:
    offered = [item.tap for item in scene_of(new(book).view()) if isinstance(item, Hit)]
    assert (Tap(Button.DRAW_COLOURS) in offered) is (rulebook(book).hidden_disc != "no")
    begun = [item.tap for item in scene_of(new(book).start().view()) if isinstance(item, Hit)]
    assert Tap(Button.DRAW_COLOURS) not in begun


@pytest.mark.parametrize(("form", "calls"), [("draw_win", {"black", "white"}), ("draws", {"top", "bottom"})])
def test_a_directors_rulebook_can_have_one_form_only(form: str, calls: set[str]) -> None:
    own = parse_rulebook(f'based_on = "jof"\nid = "own"\ntitle = "Own"\nhidden_disc = "{form}"')
    game = new("jof").game
    table = Touchscreen(SampleGame(replace(game, header=replace(game.header, rulebook=own))))
    table.touch(Tap(Button.DRAW_COLOURS), Hides(Side.WHITE))
    assert {hit.tap.call.value for hit in table.hits() if isinstance(hit.tap, Calls)} == calls


@pytest.mark.clause("jof J1")
def test_players_have_no_colours_until_they_are_drawn_or_the_game_is_started() -> None:
    played = new("jof")
    table = Touchscreen(played)
    assert "Colour not drawn yet" in table.text() and "Black" not in table.text()
    table.touch(Tap(Button.DRAW_COLOURS), Hides(Side.BLACK), call("top"), Shows(Side.BLACK))
    table.touch(Drawn())
    assert "Colour not drawn yet" not in table.text() and "Black" in table.text()
    started = new("jof").start()
    assert "Colour not drawn yet" not in Touchscreen(started).text()


def test_the_proposed_player_is_named_and_either_can_be_touched() -> None:
    for hides in Side:
        view = new("jof").view(hides=hides)
        scene = scene_of(view, Dialog(HiddenDisc()), look=LOOK)
        assert view.game is not None
        name = view.game.header.player(hides).name
        assert any(
            "older player" in item.text and name in item.text for item in scene if isinstance(item, Words)
        )
        assert {
            item.tap.side for item in scene if isinstance(item, Hit) and isinstance(item.tap, Hides)
        } == set(Side)


@pytest.mark.clause("jof J1", "jof J3")
def test_after_an_exchange_of_colours_everybody_keeps_seat_and_button_and_a_restart_keeps_both(
    table: Table, tmp_path: Path
) -> None:
    order = messages.Assignment(
        seq=1,
        tournament="woc",
        game="1-1-a",
        seat=4,
        hides="9",
        header={
            "type": "game",
            "format": "flagfall-game/1",
            "rulebook": "jof",
            "minutes": 20,
            "sensors": False,
        }
        | PLAYERS,
    )
    table.order(order)
    assert table.view.hides is Side.WHITE and not table.view.swapped
    draw = ColourDraw(table.now_ns, Side.WHITE, Called.BOTTOM, Side.BLACK)
    table.turn(ScreenInput(draw), after_ns=S)
    table.settle()
    assert table.game.header.black.id == "9" and table.view.swapped, (
        "Bo still sits at the right, now with Black"
    )
    table.start()
    table.press(Side.BLACK)  # the left button, which is Ann's and so White's now
    assert table.game.clock.running is Side.BLACK


@pytest.mark.clause("jof J3")
def test_black_picks_the_side_of_the_clock_by_an_exchange_of_seats() -> None:
    played = new("jof").give(ColourDraw(0, Side.BLACK, Called.BLACK, Side.BLACK, Chosen.BLACK))
    table = Touchscreen(played)
    assert "picks the side of the clock" in table.text()
    assert table.touch(Tap(Button.SWAP_SIDES)) == ()
    assert table.touch(Tap(Button.SWAP_SIDES)) == (ScreenRequest(table.now_ns, "swap_sides", "players"),)
