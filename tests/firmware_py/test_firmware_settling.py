"""The firmware's settling and touches: when a disc is told, and when a hand; here under CPython."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_py import frame
from firmware_py.classify import BLACK, EMPTY, UNKNOWN, WHITE
from firmware_py.settle import GONE_SETTLE_US, SETTLE_US, Settler
from firmware_py.touch import Discs, Hands

SCAN_US = 12_000


class Shown:
    """A settler that runs scan by scan; `reports` has (changed, settled to, value of the watched squares) of each
    report.
    """

    def __init__(self) -> None:
        self.now_us = 1_000_000
        self.values = bytearray(64)
        self.settler = Settler(self.now_us)
        self.reports: list[tuple[int, int, dict[int, int]]] = []
        self.run(60)
        self.reports.clear()

    def run(self, scans: int = 1, **squares: int) -> None:
        for name, value in squares.items():
            self.values[int(name[1:])] = value
        for _ in range(scans):
            self.now_us += SCAN_US
            self.settler.update(self.values, range(64), self.now_us, self.show)

    def show(self) -> None:
        settled = {square: value for square, value in enumerate(self.settler.settled) if value}
        self.reports.append((self.settler.changed_us, self.settler.settled_to_us, settled))


def test_a_placed_disc_is_told_once_after_it_has_lain_for_a_while() -> None:
    shown = Shown()
    last_empty_us = shown.now_us
    shown.run(1, s7=BLACK)
    shown.run(1)
    assert shown.reports == []
    assert shown.settler.settled_to_us == last_empty_us - 1
    shown.run(1)
    assert shown.reports == [(last_empty_us, last_empty_us, {7: BLACK})]
    assert shown.now_us - last_empty_us <= SETTLE_US + 2 * SCAN_US
    shown.run(10)
    assert len(shown.reports) == 1
    assert shown.settler.settled_to_us == shown.now_us


def test_a_disc_that_slides_over_a_square_changes_nothing() -> None:
    shown = Shown()
    for value in (UNKNOWN, BLACK, BLACK, UNKNOWN, EMPTY):
        shown.run(1, s7=value)
    shown.run(60)
    assert shown.reports == []


@pytest.mark.parametrize("in_the_air", [[UNKNOWN] * 2, [EMPTY] * 10, [UNKNOWN, EMPTY, EMPTY, UNKNOWN], []])
def test_a_flip_is_one_event_however_the_disc_is_turned(in_the_air: list[int]) -> None:
    shown = Shown()
    shown.run(10, s7=BLACK)
    shown.reports.clear()
    for value in in_the_air:
        shown.run(1, s7=value)
    lands_us = shown.now_us
    shown.run(10, s7=WHITE)
    assert shown.reports == [(lands_us, lands_us, {7: WHITE})]


def test_a_disc_taken_away_or_unreadable_is_told_after_longer() -> None:
    for value in (EMPTY, UNKNOWN):
        shown = Shown()
        shown.run(10, s7=BLACK)
        shown.reports.clear()
        gone_us = shown.now_us
        shown.run(GONE_SETTLE_US // SCAN_US, s7=value)
        assert shown.reports == []
        shown.run(3)
        assert shown.reports == [(gone_us, gone_us, {7: value} if value else {})]


def test_who_answers_fast_does_not_hide_the_move_before() -> None:
    # Black's disc at 0 ms, White's at 45 ms: two positions, each with its own instant.
    shown = Shown()
    first_us = shown.now_us
    shown.run(3, s7=BLACK)
    second_us = shown.now_us
    shown.run(10, s8=WHITE)
    assert shown.reports == [(first_us, first_us, {7: BLACK}), (second_us, second_us, {7: BLACK, 8: WHITE})]


def test_changes_are_told_in_their_order_though_an_earlier_one_settles_later() -> None:
    shown = Shown()
    first_us = shown.now_us
    for value in (BLACK, UNKNOWN, BLACK):
        shown.run(1, s7=value)
    second_us = shown.now_us - SCAN_US
    shown.run(0, s8=WHITE)
    shown.run(1, s7=UNKNOWN)
    shown.run(1, s7=BLACK)
    shown.run(10)
    assert [report[0] for report in shown.reports] == sorted(report[0] for report in shown.reports)
    assert shown.reports[0] == (first_us, first_us, {7: BLACK})
    assert shown.reports[-1][2] == {7: BLACK, 8: WHITE}
    assert shown.reports[-1][0] >= second_us


@given(st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=4), max_size=60))
def test_settling_keeps_its_promises(scans: list[list[tuple[int, int]]]) -> None:
    # Whatever is seen: instants never fall, nothing is told of what was declared told, and at last all is told.
    shown = Shown()
    declared_us = shown.settler.settled_to_us
    for changes in scans:
        before = len(shown.reports)
        shown.run(1, **{f"s{square}": value for square, value in changes})
        for changed_us, settled_to_us, _ in shown.reports[before:]:
            assert changed_us >= declared_us
            assert settled_to_us >= changed_us
        assert shown.settler.settled_to_us >= declared_us - 1
        declared_us = shown.settler.settled_to_us
        assert declared_us <= shown.now_us
    shown.run(40)
    assert shown.settler.settled == shown.values
    assert [report[0] for report in shown.reports] == sorted(report[0] for report in shown.reports)
    assert shown.settler.settled_to_us == shown.now_us


def test_a_disc_touches_once_and_a_flip_is_no_touch() -> None:
    discs, contacts = Discs(), []
    settled = bytearray(64)

    def report(square: int, by: int, ambiguous: bool, at_us: int) -> None:
        contacts.append((square, by, ambiguous, at_us))

    values = bytearray(64)
    script = [(0, EMPTY), (1, BLACK), (2, EMPTY), (3, UNKNOWN), (4, BLACK), (5, BLACK), (6, BLACK)]
    for scan, value in script:
        values[9] = value
        discs.update(values, [9], scan * SCAN_US, settled, report)
    assert contacts == [(9, frame.BY_DISC, False, 3 * SCAN_US)], "one scan alone is none"
    settled[9] = BLACK
    for scan, value in enumerate([EMPTY, EMPTY, WHITE, WHITE, WHITE], start=7):
        values[9] = value
        discs.update(values, [9], scan * SCAN_US, settled, report)
    assert len(contacts) == 1


def test_hands_are_told_once_and_two_at_once_are_ambiguous() -> None:
    hands, contacts = Hands(), []

    def run(rows: int, columns: int, scans: int = 3) -> None:
        for _ in range(scans):
            run.now_us += SCAN_US  # type: ignore[attr-defined]
            hands.update(rows, columns, run.now_us, report)  # type: ignore[attr-defined]

    def report(square: int, by: int, ambiguous: bool, at_us: int) -> None:
        contacts.append((square, by, ambiguous))

    run.now_us = 0  # type: ignore[attr-defined]
    run(1 << 4, 1 << 5)
    run(0, 0)
    assert contacts == [(37, frame.BY_HAND, False)]
    contacts.clear()
    run(1 << 4, 1 << 5)
    run(1 << 4 | 1 << 2, 1 << 5 | 1)
    assert contacts == [(37, frame.BY_HAND, False), (frame.NO_SQUARE, frame.BY_HAND, True)]
    contacts.clear()
    run(0, 0)
    run(1 << 3, 0)
    run(1 << 3, 3)
    assert contacts == [(frame.NO_SQUARE, frame.BY_HAND, True)]
    contacts.clear()
    run(0, 0)
    run(1 << 4, 1 << 5)
    run(1 << 4, 1 << 6)
    assert contacts == [(37, frame.BY_HAND, False), (38, frame.BY_HAND, True)], (
        "wandered on, or a second hand"
    )
    contacts.clear()
    run(0, 0)
    run(2, 2, scans=1)
    run(0, 0)
    assert contacts == [], "a single scan is noise"
