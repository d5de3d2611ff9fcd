"""Files on a stick are read or refused in one line, whatever their names lead to."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.no_files import NO_FILES

from flagfall.base.errors import FlagfallError
from hub.cli.backup import newest_backup, read_backup
from hub.cli.record import restore_command
from hub.tables.updates import ask_for


@pytest.mark.parametrize("kind", NO_FILES)
def test_a_wheel_a_backup_or_a_phrase_that_is_no_file_is_one_line(tmp_path: Path, kind: str) -> None:
    names = ("flagfall-1.whl", "flagfall-1.tar", "flagfall-1.tar.age", "phrase.txt")
    for name in names:
        NO_FILES[kind](tmp_path / name)
    wheel, plain, sealed, phrase = (tmp_path / name for name in names)
    state = ["--state-dir", str(tmp_path / "state")]
    for read in (
        lambda: ask_for(tmp_path, wheel),
        lambda: read_backup(plain),
        lambda: read_backup(sealed, "a long phrase"),
        lambda: newest_backup(tmp_path, "a long phrase"),
        lambda: restore_command(["--phrase", str(phrase), *state, str(tmp_path)]),
    ):
        with pytest.raises(FlagfallError) as fault:
            read()
        assert "\n" not in str(fault.value)
