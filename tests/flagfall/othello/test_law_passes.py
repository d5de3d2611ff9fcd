"""Passing by a press, whatever else stands open at the table."""

from __future__ import annotations

from random import Random

import pytest
from helpers.many_values import many, tried
from hypothesis import strategies as st

from flagfall.othello.board import square_name, squares_of
from flagfall.othello.game import State
from flagfall.othello.side import Side

from .conftest import BLACK, BOOKS, ENDED_BY_PRESS, JUDGED, WHITE, Table

BEFORE_A3 = "c4c3f5b4a4a5b2"


@pytest.mark.clause("woc-2019 IV.4", "usoa 3.7", "usoa 5.8")
@JUDGED
@BOOKS
@pytest.mark.parametrize("contact", ["disc", "hand"])
@pytest.mark.parametrize("signals", [False, True])
def test_who_can_only_pass_demands_nothing_though_the_opponent_had_touched_another_square(
    table, book, judged, contact, signals
):
    """White brushed d2 and played a3; Black has no move: his press is the pass that every text asks for."""
    t = (
        table(book, judged=judged, minutes=30)
        .begin()
        .moves(BEFORE_A3)
        .wait(2)
        .touch("d2", contact)
        .move("a3")
    )
    if signals and judged and book != "usoa":
        t.line("signal", by="black", error="touched_elsewhere")
    assert not t.game.legal(BLACK)
    t.pass_()
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, WHITE, WHITE)
    assert {state for *_, state in t.errors} <= {"accepted"}
    t.move("f4")
    assert t.report["transcript"] == BEFORE_A3 + "a3f4"


@pytest.mark.clause("usoa 5.8", "usoa 6.5", "usoa 3.7")
@JUDGED
@pytest.mark.parametrize("defaulter", [BLACK, WHITE])
def test_usoa_a_pass_counts_while_a_default_waits_to_be_confirmed_and_so_does_all_that_follows(
    table, judged, defaulter
):
    t = table("usoa", judged=judged, minutes=30).begin()
    if defaulter is WHITE:
        t.moves(BEFORE_A3).wait(1790).move("a3")
        t.tick(1)
    else:
        t.moves(BEFORE_A3 + "a3").tick(1800)
    t.pass_().move("f4").move("g3")
    assert (t.report["transcript"], t.errors) == (BEFORE_A3 + "a3f4g3", [])
    assert t.report["flags"][defaulter] == 1


@pytest.mark.clause("usoa 6.5")
def test_usoa_with_a_legal_move_the_press_changes_the_clocks_still(table):
    t = table("usoa", minutes=30).begin().moves("f5d6").tick(1801).press(BLACK)
    assert (t.game.to_move, t.game.clock.running, t.errors) == (BLACK, WHITE, [])


@pytest.mark.clause("woc-2019 IV.5.1", "usoa 7.1")
@BOOKS
@pytest.mark.parametrize("flips", ["c1", "a3"])
def test_a_misflip_whose_correction_gives_a_move_is_demanded_and_not_passed_on(table, book, flips):
    """a3 turned over takes White's only move, c3; c1 forgotten leaves him another one, or none, as it was."""
    t = table(book, minutes=30).begin().rule("stop")
    t.rule(
        "set_position",
        squares="XOO-----" + "-" * 8 + "OX------" + "-" * 8 + "XO------" + "-" * 24,
        to_move="black",
    )
    t.rule("resume")
    t.shown = t.game.shown
    t.move("d1", wrong=flips)
    assert bool(t.game.before.legal(False)) == (flips == "c1") and t.game.last.right.legal(False)
    t.pass_()
    assert (t.state, t.game.clock.running) == (State.CORRECTING, BLACK)


@pytest.mark.clause("woc-2019 IV.4", "usoa 3.7", "usoa 5.8")
@many(40)
def test_a_press_of_whoever_has_no_move_is_a_pass_in_every_state(examples: int) -> None:
    values = st.tuples(st.sampled_from(ENDED_BY_PRESS), st.booleans(), st.booleans(), st.integers(0, 2**32))
    tried(examples, values, lambda drawn: play(*drawn))


def play(name: str, judged: bool, flagged: bool, seed: int) -> None:
    """Play legal moves, with squares brushed before them; a flag has fallen, which `usoa` has to confirm."""
    chance = Random(seed)
    t = Table(name, judged=judged, minutes=600).begin()
    if flagged:
        t.tick(36_001)
    moves: list[str] = []
    while not t.game.over:
        t.wait(0.1)
        mover = t.game.to_move
        legal = list(squares_of(t.shown.legal(t.game.plays_black(mover))))
        if not legal:
            t.press(mover)
            assert awaits(t, mover.other), (t.report["transcript"], t.errors)
            continue
        if chance.random() < 0.5:
            t.touch(square_name(chance.choice(legal)), chance.choice(["disc", "hand"]))
        square = square_name(chance.choice(legal))
        t.place(square).press(mover)
        moves.append(square)
        assert awaits(t, mover.other), (t.report["transcript"], t.errors)
    assert t.report["transcript"] == "".join(moves)


def awaits(t: Table, side: Side) -> bool:
    return t.game.over or (t.state is State.RUNNING and t.game.to_move is t.game.clock.running is side)
