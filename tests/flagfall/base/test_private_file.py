"""A small file of JSON that may be damaged or huge: it is read as an empty one, with one line about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from flagfall.base.private_file import read_json


def test_a_file_is_read_and_a_missing_one_is_empty_without_a_word(tmp_path: Path) -> None:
    faults: list[str] = []
    file = tmp_path / "kept.json"
    assert read_json(file, dict[str, int], report=faults.append) == {}
    file.write_bytes(b'{"a": 1}')
    assert read_json(file, dict[str, int], 8, faults.append) == {"a": 1}
    assert faults == []


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"a": "x"}', b'{"a": 1} ', b"\xff", b"[" * 100_000, b'{"a": 1' + b"0" * 400],
)
def test_a_damaged_or_too_large_file_is_empty_and_one_line_says_so(tmp_path: Path, content: bytes) -> None:
    faults: list[str] = []
    file = tmp_path / "kept.json"
    file.write_bytes(content)
    assert read_json(file, dict[str, int], 8 if content.endswith(b" ") else 1 << 20, faults.append) == {}
    (fault,) = faults
    assert fault.startswith("kept.json: expected") and "\n" not in fault and len(fault) < 300


def test_no_more_of_a_huge_file_is_read_than_is_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)  # more than any memory
    faults: list[str] = []
    assert read_json(file, dict[str, int], 1 << 20, faults.append) == {}
    assert faults == ["kept.json: expected 1048576 bytes at most"]


def test_what_is_no_file_is_empty_and_told(tmp_path: Path) -> None:
    faults: list[str] = []
    assert read_json(tmp_path, dict[str, int], report=faults.append) == {}
    assert len(faults) == 1
