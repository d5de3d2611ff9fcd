"""A disk that is full: what is kept elsewhere, and what the screen says of what is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.loop_table import HEADER, MS, S, Table

from flagfall.othello.game import State
from flagfall.othello.inputs import Press
from flagfall.othello.side import Side
from table_app.record.journal import batch
from table_app.record.spare import AliveMark, Spare, spare_folder
from table_app.record.state_dir import StateDirectory

PLAYED_S = 127


def heard(table: Table) -> int:
    """Return the number of presses on record, as the program knows it."""
    play = table.appliance.table_game.play
    return sum(isinstance(input, Press) for input in play.inputs) if play is not None else 0


def filled(path: Path, spare: Path | None) -> tuple[int, int]:
    """Play a game whose disk is full for two minutes, then kill the program; return the presses heard, and when."""
    table = Table(path, spare=spare)
    table.assign(sensors=False)
    table.start()
    table.press(Side.WHITE)
    table.synced()
    table.disk.full = True
    for second in range(PLAYED_S):
        if second % 10 == 0:
            table.press(Side.BLACK if second % 20 == 0 else Side.WHITE, 0)
        table.turn(after_ns=S)
    presses, now_ns = heard(table), table.now_ns
    last = AliveMark(path / "alive")
    table.until(lambda: last.at_ns() > now_ns - 3 * S)
    table.close()
    return presses, now_ns


@pytest.fixture
def again(tmp_path: Path) -> Iterator[list[Table]]:
    tables: list[Table] = []
    yield tables
    for table in tables:
        table.close()


def test_a_table_killed_on_a_full_disk_goes_on_where_it_was(tmp_path: Path, again: list[Table]) -> None:
    presses, now_ns = filled(tmp_path / "s", tmp_path / "memory")
    assert presses > 10
    table = Table(tmp_path / "s", spare=tmp_path / "memory")
    again.append(table)
    assert heard(table) == presses and table.game.state is State.STOPPED
    assert table.view.uncertain_ns <= 3 * S
    assert table.now_ns >= now_ns - 3 * S
    # There is room now: all of it is on disk, and nothing in memory any more.
    table.until(lambda: not table.state.spare.names())
    table.synced()
    journal, damage = StateDirectory(tmp_path / "s").journal("1-1-a")
    assert damage is None and journal is not None and not journal.unwritten
    assert sum(isinstance(entry.input, Press) for entry in journal.entries) == presses


def test_after_a_power_cut_on_a_full_disk_the_screen_says_how_much_is_gone(
    tmp_path: Path, again: list[Table]
) -> None:
    presses, now_ns = filled(tmp_path / "s", None)
    table = Table(tmp_path / "s")
    again.append(table)
    assert heard(table) < presses and table.game.state is State.STOPPED
    assert PLAYED_S * S <= table.view.uncertain_ns <= (PLAYED_S + 15) * S
    assert table.now_ns >= now_ns - 3 * S


def test_a_game_begun_on_a_full_disk_is_kept_too(tmp_path: Path, again: list[Table]) -> None:
    table = Table(tmp_path / "s", spare=tmp_path / "memory")
    table.assign(sensors=False)
    table.synced()
    table.disk.full = True
    table.assign(2, "1-2-a", sensors=False)
    table.start()
    table.press(Side.WHITE)
    spare = Spare(tmp_path / "memory")
    table.until(lambda: b'"press"' in (spare.kept("1-2-a.jsonl") or (0, b""))[1])
    table.close()
    other = Table(tmp_path / "s", spare=tmp_path / "memory")
    again.append(other)
    # The hub says again what is played here.
    other.assign(2, "1-2-a", sensors=False)
    other.turn(after_ns=300 * MS)
    assert heard(other) == 1


@pytest.mark.parametrize(
    "kept",
    [
        b"",
        b"x\n",
        b"99999\n" + batch([], 5),
        b"0\nrubbish",
        b"3\n" + batch([], 9**18),
        b"-1\n" + batch([], 5),
    ],
)
def test_rubbish_in_memory_changes_nothing(kept: bytes, tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    memory.mkdir(mode=0o700)
    state = StateDirectory(tmp_path / "s", Spare(memory))
    state.open()
    first = batch([HEADER | {"game": "g", "tournament": ""}], 7)
    state.journal_path("g").write_bytes(first)
    (memory / "g.jsonl").write_bytes(kept)
    journal, damage = state.journal("g")
    state.close()
    assert damage is None and journal is not None and journal.last_ns == 7
    assert journal.good_bytes == len(first) and not journal.unwritten


def test_nothing_is_taken_from_a_folder_that_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "g.jsonl").write_bytes(b"0\nx")
    (tmp_path / "memory").symlink_to(tmp_path / "theirs")
    spare = Spare(tmp_path / "memory")
    spare.keep("h.jsonl", 0, b"x")
    assert spare.kept("g.jsonl") is None and spare.names() == []
    assert not (tmp_path / "theirs" / "h.jsonl").exists()


def test_each_state_folder_has_memory_of_its_own(tmp_path: Path) -> None:
    environment = {"RUNTIME_DIRECTORY": str(tmp_path)}
    first, second = (spare_folder(tmp_path / name, environment) for name in ("a", "b"))
    assert first is not None and second is not None and first != second and first.parent == tmp_path


@pytest.mark.parametrize("content", [b"", b"12", b"00000000000000000012 00000000\n", b"\xff" * 30])
def test_a_torn_mark_says_nothing(content: bytes, tmp_path: Path) -> None:
    mark = AliveMark(tmp_path / "alive")
    mark.make()
    mark.put(12)
    assert mark.at_ns() == 12
    (tmp_path / "alive").write_bytes(content)
    assert mark.at_ns() == 0
