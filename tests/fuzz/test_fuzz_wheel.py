"""The wheel of another version, bent: read or refused in one line, and never outside its folder."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from helpers.wheels import wheel_of
from hypothesis import HealthCheck, given, settings

from flagfall.base.errors import Failed, Invalid
from flagfall.link.wheel import read_wheel, unpack

WHEEL = wheel_of("0.2.0", files={"flagfall/othello/board.py": "X = 1\n" * 50}, how=zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize(
    "examples", [60, pytest.param(2000, marks=[pytest.mark.long, pytest.mark.timeout(600)])]
)
def test_a_bent_wheel_is_refused_in_one_line(examples: int, bent: Any, tmp_path: Path) -> None:
    places = (tmp_path / "places" / str(number) for number in range(examples * 100))

    @settings(max_examples=examples, database=None, suppress_health_check=list(HealthCheck))
    @given(bent.bytes([WHEEL]))
    def check(content: bytes) -> None:
        try:
            read_wheel(content)
            unpack(content, next(places))
        except (Invalid, Failed) as refused:
            assert len(str(refused).splitlines()) == 1
        except OSError as refused:
            assert refused.filename is not None, "of the disk, where a file and a folder have one name"

    check()
    assert {path.name for path in tmp_path.iterdir()} <= {"places"}
