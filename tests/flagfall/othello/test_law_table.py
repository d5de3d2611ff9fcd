"""The referee's table is one table, and the page drawn from it is current."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flagfall.othello import inputs as i
from flagfall.othello.referee import PHASES, ROWS

ROOT = Path(__file__).parents[3]


def test_no_state_has_two_rows_for_one_input() -> None:
    cells = [(state, row.on) for row in ROWS for state in row.states]
    assert len(cells) == len(set(cells))


def test_every_input_and_every_ruling_has_a_row() -> None:
    rows = {row.on for row in ROWS}
    assert rows == (
        {"(time)"} | (set(i.TYPE_NAMES.values()) - {"ruling"}) | {f"ruling {rule}" for rule in i.Rule}
    )


@pytest.mark.parametrize("on", ["press", "touch", "position", "board", "power", "tick"])
def test_what_happens_at_the_table_has_a_row_in_every_state(on: str) -> None:
    assert {state for row in ROWS if row.on == on for state in row.states} == set(PHASES)


def test_the_page_is_current() -> None:
    result = subprocess.run(
        [sys.executable, "tools/law.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
