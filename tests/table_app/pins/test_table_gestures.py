"""Buttons held down, both at once, pressed too early or on swapped sides; and the request to hear the clocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.loop_table import MS, S, Table, hold, notes, play_on

from flagfall.othello.board import Position
from flagfall.othello.game import Awaits, State
from flagfall.othello.inputs import Note, Resign, Rule, Ruling, Stop
from flagfall.othello.side import Side
from table_app.events import ButtonEdge, Place, ScreenInput, ScreenRequest, place_of


def test_a_press_before_the_signal_is_told(table: Table) -> None:
    table.assign(sensors=False)
    table.press(Side.WHITE)
    assert table.view.pressed_too_early and table.game.clock.running is None
    table.start()
    assert not table.view.pressed_too_early


def test_swapped_sides_swap_the_buttons(table: Table) -> None:
    table.assign(sensors=False)
    table.turn(ScreenRequest(table.now_ns, "swap_sides"))
    assert table.view.swapped
    table.start()
    table.press(Side.BLACK)
    assert table.game.clock.running is Side.BLACK
    table.turn(ScreenRequest(table.now_ns, "swap_sides"))
    assert table.view.swapped


@pytest.mark.clause("woc-2019 IV.8")
def test_players_sign_by_holding_their_buttons(table: Table) -> None:
    play_on(table)
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    hold(table, Side.BLACK, 1 * S)
    assert not table.game.signed.black
    hold(table, Side.BLACK, 3 * S)
    assert table.game.signed.black and not table.game.signed.white
    hold(table, Side.WHITE, 3 * S)
    assert table.game.state is State.SIGNED


@pytest.mark.clause("jof J9")
def test_the_last_movers_opponent_accepts_the_end_by_holding_their_button(table: Table) -> None:
    play_on(table, rulebook="jof")
    full = Position(black=(1 << 40) - 1, white=((1 << 64) - 1) ^ ((1 << 40) - 1))
    for ruling in (Rule.STOP, Rule.SET_POSITION, Rule.RESUME):
        table.turn(ScreenInput(Ruling(table.now_ns, ruling, position=full, to_move=Side.BLACK)))
    table.shown(full)
    table.settle()
    table.press(Side.BLACK)
    assert table.game.awaits is Awaits.ACCEPT_END
    hold(table, Side.BLACK, 3 * S)
    assert table.game.awaits is Awaits.ACCEPT_END, "the last mover has nothing to accept"
    hold(table, Side.WHITE, 1 * S)
    assert table.game.awaits is Awaits.ACCEPT_END
    hold(table, Side.WHITE, 3 * S)
    assert table.game.state is State.FINISHED and not any(table.game.signed)


def test_sides_swapped_after_a_signed_game_stay_so_in_the_next(table: Table) -> None:
    table.assign(sensors=False)
    table.start()
    table.press(Side.WHITE)
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    table.turn(ScreenRequest(table.now_ns, "swap_sides"))
    assert not table.view.swapped, "who holds a button to sign has not changed places"
    hold(table, Side.BLACK, 4 * S)
    hold(table, Side.WHITE, 4 * S)
    assert table.game.state is State.SIGNED
    table.turn(ScreenRequest(table.now_ns, "swap_sides"))
    assert table.view.swapped
    table.assign(2, "2-1-a", sensors=False)
    assert table.view.game_id == "2-1-a" and table.view.swapped


def test_a_button_still_down_from_the_last_move_signs_nothing(table: Table) -> None:
    play_on(table)
    table.turn(ButtonEdge(table.now_ns, Place.RIGHT, True), after_ns=100 * MS)
    table.settle()
    table.turn(ScreenInput(Resign(table.now_ns, Side.BLACK)))
    table.settle()
    for _ in range(10):
        table.turn(after_ns=S)
    assert table.game.state is State.FINISHED and not table.game.signed.white


def test_after_a_stop_without_a_judge_both_hold_their_buttons_to_go_on(table: Table) -> None:
    table.assign(judged=False, sensors=False)
    table.start()
    table.press(Side.WHITE)
    table.turn(ScreenInput(Stop(table.now_ns, Side.BLACK)))
    table.settle()
    assert str(table.game.state) == "stopped"
    table.turn(*(ButtonEdge(table.now_ns, place, True) for place in Place), after_ns=100 * MS)
    for _ in range(5):
        table.turn(after_ns=S)
    assert table.game.state is State.RUNNING and table.game.clock.running is Side.BLACK


def test_both_buttons_held_start_a_game_without_a_judge(table: Table) -> None:
    table.assign(judged=False, sensors=False)
    table.turn(*(ButtonEdge(table.now_ns, place, True) for place in Place), after_ns=100 * MS)
    assert not table.game.armed
    for _ in range(5):
        table.turn(after_ns=S)
    table.turn(*(ButtonEdge(table.now_ns, place, False) for place in Place), after_ns=100 * MS)
    assert table.game.armed and notes(table) == [Note("started_by_both_buttons")]
    table.press(Side.WHITE)
    assert table.game.clock.running is Side.BLACK


@pytest.mark.parametrize(("held_ns", "says_yes"), [(2 * S, True), (2 * S - 1, False)])
def test_a_hold_is_as_long_as_its_edges_say_however_late_the_loop_turns(
    table: Table, held_ns: int, says_yes: bool
) -> None:
    table.assign(judged=False, sensors=False)
    down_ns = table.now_ns + 100 * MS
    edges = [
        ButtonEdge(at_ns, place_of(side, False), at_ns == down_ns)
        for at_ns in (down_ns, down_ns + held_ns)
        for side in Side
    ]
    table.turn(*edges, after_ns=10 * S)
    table.settle()
    assert table.game.armed == says_yes
    table.press(Side.WHITE)
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    assert table.game.over
    down_ns = table.now_ns + 100 * MS
    edges = [ButtonEdge(down_ns, Place.LEFT, True), ButtonEdge(down_ns + held_ns, Place.LEFT, False)]
    table.turn(*edges, after_ns=10 * S)
    table.settle()
    assert table.game.signed.black == says_yes


def test_at_a_judged_table_both_buttons_start_nothing(table: Table) -> None:
    table.assign(sensors=False)
    table.turn(*(ButtonEdge(table.now_ns, place, True) for place in Place), after_ns=100 * MS)
    for _ in range(5):
        table.turn(after_ns=S)
    assert not table.game.armed


@pytest.mark.clause("woc-2019 IV.10")
def test_the_time_is_spoken_for_whoever_asks(tmp_path: Path) -> None:
    heard: list[Side] = []
    table = Table(tmp_path / "s", spoken=lambda side, game, now_ns: heard.append(side))
    table.assign(sensors=False, hands_commit={"black": True, "white": False})
    table.turn(ScreenRequest(table.now_ns, "speak", "black"))
    table.turn(ScreenRequest(table.now_ns, "speak"))
    table.close()
    assert heard == [Side.BLACK, Side.WHITE]
