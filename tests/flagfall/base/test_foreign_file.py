"""A name on a stick that leads to something else than a file is neither waited for nor read without end."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from helpers.no_files import NO_FILES

from flagfall.base.foreign_file import open_foreign, read_foreign, read_up_to


@pytest.mark.parametrize("kind", NO_FILES)
def test_what_is_no_file_is_one_error_and_not_waited_for(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "file"
    NO_FILES[kind](place)
    with pytest.raises(OSError):
        read_foreign(place, 10)


def test_a_file_is_read_up_to_one_byte_above_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with file.open("wb") as opened:
        opened.truncate(1 << 40)
    assert read_foreign(file, 10) == bytes(11)
    file.write_bytes(b"short")
    assert read_foreign(file, 10) == b"short"


def test_a_small_file_takes_no_memory_for_its_limit(tmp_path: Path) -> None:
    """A hub's card has 1 GB, and a backup may have 4."""
    file = tmp_path / "file"
    file.write_bytes(b"small")
    tracemalloc.start()
    try:
        assert read_foreign(file, 4 << 30) == b"small"
        with open_foreign(file) as opened:
            assert read_up_to(opened, 4 << 30) == b"small"
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
