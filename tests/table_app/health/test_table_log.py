"""A log that a faulty part cannot fill."""

from __future__ import annotations

from helpers.loop_table import S, Table

from table_app.events import BoardFault
from table_app.log import Seldom

MINUTE = 60 * S


def test_a_kind_is_let_through_once_a_minute() -> None:
    seldom = Seldom(MINUTE, most=3)
    assert [seldom.lets("a", at) for at in (0, 1, MINUTE - 1, MINUTE, MINUTE + 1)] == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert seldom.lets("b", 1)


def test_many_kinds_cost_no_more_than_a_few() -> None:
    seldom = Seldom(MINUTE, most=3)
    lines = sum(seldom.lets(f"kind {number}", number) for number in range(100_000))
    assert lines < 10


def test_a_noisy_cable_writes_one_line_a_minute(table: Table) -> None:
    table.with_board()
    for count in range(1, 1_000):
        table.turn(BoardFault(table.now_ns, "bytes that are no frame", count), after_ns=S // 10)
    lines = [line for line in table.log.getvalue().splitlines() if "no frame" in line]
    assert len(lines) == 2 and lines[0].endswith("count=1")
