"""Board time on the table's count: never after the arrival, wraps and drift followed, order kept."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_app.board.time_mapping import KNOWN_WELL_NS, WRAP_US, BoardTime


def test_nothing_is_mapped_before_anything_was_heard() -> None:
    with pytest.raises(ValueError, match="no frame observed"):
        BoardTime().at_ns(5)


@given(
    start_us=st.integers(0, WRAP_US - 1),
    drift_ppm=st.integers(-430, 430),
    delays_us=st.lists(st.integers(300, 30_000), min_size=50, max_size=300),
)
def test_an_event_is_placed_within_the_least_delay_and_the_drift(
    start_us: int, drift_ppm: int, delays_us: list[int]
) -> None:
    """A frame each 50 ms; once one in ten was fast, later ones are placed to better than two milliseconds."""
    mapping = BoardTime()
    for index, delay_us in enumerate(delays_us):
        true_us = 50_000 * index
        board_us = (start_us + true_us * (1_000_000 + drift_ppm) // 1_000_000) % WRAP_US
        if index % 10 == 0:
            delay_us = 300
        mapping.observe(board_us, 1000 * (true_us + delay_us))
        at_ns = mapping.at_ns(board_us)
        assert at_ns <= 1000 * (true_us + delay_us)
        assert abs(at_ns - 1000 * true_us) < 2_000_000


def test_time_runs_on_over_the_wrap() -> None:
    mapping = BoardTime()
    for index in range(100):
        mapping.observe((WRAP_US - 2_500_000 + 50_000 * index) % WRAP_US, 50_000_000 * index + 1_000_000)
    instants = [mapping.at_ns((WRAP_US - 2_500_000 + 50_000 * index) % WRAP_US) for index in range(90, 100)]
    assert [later - earlier for earlier, later in pairwise(instants)] == [50_000_000] * 9


def test_a_slow_quartz_is_followed_for_hours() -> None:
    """405 ppm, the worst seen, for two hours: the offset moves by 2.9 s, the mapping by none of it."""
    mapping = BoardTime()
    chance = random.Random(1)
    worst_ns = 0
    for second in range(7200):
        true_us = second * 1_000_000
        board_us = true_us * (1_000_000 - 405) // 1_000_000
        mapping.observe(board_us % WRAP_US, 1000 * (true_us + chance.randint(500, 4000)))
        worst_ns = max(worst_ns, abs(mapping.at_ns(board_us % WRAP_US) - 1000 * true_us))
    assert worst_ns < 5_000_000


@given(st.lists(st.tuples(st.integers(0, 60_000), st.integers(0, 50_000)), min_size=1, max_size=60))
def test_what_came_later_on_the_board_is_never_placed_earlier(steps: list[tuple[int, int]]) -> None:
    mapping = BoardTime()
    board_us, last_ns = 0, None
    for step_us, delay_us in steps:
        board_us += step_us
        mapping.observe(board_us, 1000 * (board_us + delay_us))
        at_ns = mapping.at_ns(board_us)
        assert last_ns is None or at_ns >= last_ns
        last_ns = at_ns


def test_a_board_that_started_again_is_noticed() -> None:
    mapping = BoardTime()
    mapping.observe(10_000_000, 10_000_000_000)
    assert mapping.precedes(5_000_000)
    assert not mapping.precedes(9_990_000), "a touch may be told after the snapshot made since"
    assert not mapping.precedes(10_050_000)


@given(
    start_us=st.integers(0, WRAP_US - 1),
    scan_us=st.integers(0, 12_000),
    rounds=st.lists(st.tuples(st.integers(0, 300_000), st.integers(0, 300_000)), min_size=1, max_size=20),
)
def test_an_answer_bounds_how_wrong_the_mapping_is(
    start_us: int, scan_us: int, rounds: list[tuple[int, int]]
) -> None:
    """Asked each second; the question and its answer each take their time, the frame bears its scan's instant."""
    mapping = BoardTime()
    for second, (there_us, back_us) in enumerate(rounds, 1):
        asked_us = 1_000_000 * second
        heard_us = asked_us + there_us
        board_us = (start_us + heard_us - scan_us) % WRAP_US
        mapping.observe(board_us, 1000 * (heard_us + back_us))
        mapping.observe_answer(board_us, 1000 * asked_us)
        uncertain_ns = mapping.uncertain_ns
        assert uncertain_ns is not None and uncertain_ns <= 1000 * (there_us + back_us + 12_000)
        late_ns = mapping.at_ns(board_us) - 1000 * (heard_us - scan_us)
        assert min(0, KNOWN_WELL_NS - uncertain_ns) <= late_ns <= min(uncertain_ns, KNOWN_WELL_NS)


def test_what_is_learned_of_the_time_moves_nothing_to_a_later_instant() -> None:
    """A touch is told while the time is known to 82 ms; a fast answer then makes it exact. A disc laid 10 ms after the
    touch must not seem to come after a press made since."""
    mapping = BoardTime()
    mapping.observe(1_000_000, 1_070_000_000)
    mapping.observe_answer(1_000_000, 1_000_000_000)
    assert mapping.uncertain_ns == 82_000_000
    touched_ns = mapping.at_ns(1_000_000)
    assert touched_ns == 1_018_000_000
    mapping.observe(1_020_000, 1_021_000_000)
    mapping.observe_answer(1_020_000, 1_019_000_000)
    assert mapping.uncertain_ns == 13_000_000
    assert mapping.at_ns(1_010_000) == touched_ns, "never earlier than what was told, and no later"
    assert mapping.at_ns(1_020_000) == 1_021_000_000


def test_an_answer_to_no_question_is_found_out() -> None:
    """The unasked greeting of the board lay in the buffer of the port before the question."""
    mapping = BoardTime()
    assert mapping.uncertain_ns is None
    mapping.observe(1_000_000, 5_000_000_000)
    mapping.observe_answer(1_000_000, 4_990_000_000)
    assert mapping.uncertain_ns == 22_000_000
    mapping.observe(5_000_000, 5_001_000_000)
    assert mapping.uncertain_ns is None
    mapping.observe_answer(5_000_000, 5_000_000_000)
    assert mapping.uncertain_ns == 13_000_000
