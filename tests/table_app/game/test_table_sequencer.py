"""The order of inputs is that of their instants, however they arrive; and nobody is accused because he is
fast.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.board import START, Position, parse_square
from flagfall.othello.game import Header, IncidentType
from flagfall.othello.inputs import Input, Press, Shown, Start
from flagfall.othello.referee import judge, new_game
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Side
from table_app.game.sequencer import EDGE_LAG_NS, SILENCE_NS, UNSETTLED_NS, Sequencer

MS = 1_000_000


def positions(count: int) -> list[Position]:
    return [Position(START.black | 1 << number, START.white) for number in range(count)]


@given(
    changes=st.lists(st.integers(0, 900 * MS), max_size=8, unique=True),
    presses=st.lists(st.tuples(st.integers(0, 900 * MS), st.sampled_from(Side)), max_size=8, unique=True),
    chance=st.randoms(use_true_random=False),
)
def test_any_order_of_arrival_gives_the_same_order(
    changes: list[int], presses: list[tuple[int, Side]], chance: random.Random
) -> None:
    shown = [Shown(at_ns, position) for at_ns, position in zip(sorted(changes), positions(8), strict=False)]
    pressed = [Press(at_ns, side) for at_ns, side in presses]
    sequencer = Sequencer()
    sequencer.board_came(0)
    # Arrivals: an edge within its lag, a position once it has settled; the board's word at least as often as
    # it must.
    arrivals: list[tuple[int, Input | int]] = [
        *((input.at_ns + chance.randrange(EDGE_LAG_NS), input) for input in pressed),
        *((input.at_ns + 60 * MS + chance.randrange(40 * MS), input) for input in shown),
        *((settled_ns + 110 * MS, settled_ns) for settled_ns in range(0, 1200 * MS, 50 * MS)),
    ]
    # The board's frames do not overtake each other.
    taken: list[Input] = []
    now_ns = 0
    for arrived_ns, arrival in sorted(arrivals, key=lambda arrival: arrival[0]):
        now_ns = arrived_ns
        if isinstance(arrival, int):
            sequencer.board_settled(arrival, now_ns)
        else:
            sequencer.add(arrival, now_ns)
        taken += [held.input for held in sequencer.take(now_ns)]
    taken += [held.input for held in sequencer.take(now_ns + UNSETTLED_NS)]
    everything: list[Shown | Press] = [*shown, *pressed]
    assert taken == sorted(everything, key=lambda input: (input.at_ns, isinstance(input, Press), repr(input)))


@given(settled_ms=st.integers(0, 100), press_ms=st.integers(0, 100), delay_ms=st.integers(60, 180))
def test_a_press_within_100_ms_of_the_last_flip_is_never_accused(
    settled_ms: int, press_ms: int, delay_ms: int
) -> None:
    moved = START.played(True, parse_square("f5"))
    flip_ns = 1_000 * MS
    press_ns = flip_ns + press_ms * MS
    sequencer = Sequencer()
    sequencer.board_came(0)
    sequencer.add(Start(0), 0)
    sequencer.add(Press(10 * MS, Side.WHITE), 10 * MS)
    sequencer.board_settled(flip_ns - 1, flip_ns)
    sequencer.add(Press(press_ns, Side.BLACK), press_ns)
    taken = sequencer.take(max(press_ns, flip_ns))
    now_ns = flip_ns + delay_ms * MS
    for word_ns in range(press_ns, now_ns, 50 * MS):
        sequencer.board_settled(flip_ns - 1, word_ns)
        taken += sequencer.take(word_ns)
    sequencer.add(Shown(flip_ns, moved), now_ns)
    taken += sequencer.take(now_ns)
    sequencer.board_settled(press_ns + settled_ms * MS, now_ns + 50 * MS)
    taken += sequencer.take(max(now_ns, press_ns) + 60 * MS)
    game = new_game(Header(rulebook("woc-2019"), 30))
    for held in taken:
        game = judge(game, held.input)
    assert game.moves == (parse_square("f5"),)
    assert not [i for i in game.incidents if i.type is not IncidentType.PRESS_OUT_OF_TURN]
    assert game.clock.remaining_ns.black == 30 * 60_000 * MS - (press_ns - 10 * MS)


def test_without_a_board_only_the_edges_lag_is_waited_for() -> None:
    sequencer = Sequencer()
    sequencer.add(Press(100, Side.BLACK), 200, "a")
    assert sequencer.take(100 + EDGE_LAG_NS - 1) == []
    assert sequencer.next_ns(200) == 100 + EDGE_LAG_NS
    assert [held.tag for held in sequencer.take(100 + EDGE_LAG_NS)] == ["a"]
    assert sequencer.next_ns(300) is None


def test_a_silent_board_is_not_waited_for_and_a_lost_one_not_at_all() -> None:
    sequencer = Sequencer()
    sequencer.board_came(0)
    sequencer.board_settled(50 * MS, 100 * MS)
    sequencer.add(Press(90 * MS, Side.BLACK), 91 * MS)
    assert sequencer.take(99 * MS + SILENCE_NS) == []
    assert sequencer.next_ns(91 * MS) == 100 * MS + SILENCE_NS
    assert len(sequencer.take(100 * MS + SILENCE_NS)) == 1
    sequencer.board_settled(400 * MS, 500 * MS)
    sequencer.add(Press(501 * MS, Side.WHITE), 502 * MS)
    assert sequencer.take(520 * MS) == []
    sequencer.board_went()
    assert len(sequencer.take(521 * MS)) == 1


def test_a_board_that_never_settles_is_waited_for_so_long_and_no_longer() -> None:
    sequencer = Sequencer()
    sequencer.board_came(0)
    sequencer.add(Press(10 * MS, Side.BLACK), 11 * MS)
    for now_ns in range(20 * MS, UNSETTLED_NS, 50 * MS):
        sequencer.board_settled(5 * MS, now_ns)
        assert sequencer.take(now_ns) == []
    assert len(sequencer.take(11 * MS + UNSETTLED_NS)) == 1


def test_what_comes_too_late_gets_the_last_instant() -> None:
    sequencer = Sequencer()
    sequencer.add(Press(500 * MS, Side.BLACK), 500 * MS)
    sequencer.take(600 * MS)
    sequencer.add(Shown(400 * MS, START), 600 * MS)
    assert [held.input.at_ns for held in sequencer.take(600 * MS)] == [500 * MS]


@pytest.mark.parametrize("first", [0, 1])
def test_at_the_same_instant_the_board_comes_before_the_press(first: int) -> None:
    both: list[Input] = [Press(7, Side.BLACK), Shown(7, START)]
    sequencer = Sequencer()
    for input in (both[first], both[1 - first]):
        sequencer.add(input, 10)
    assert [type(held.input) for held in sequencer.take(UNSETTLED_NS)] == [Shown, Press]
