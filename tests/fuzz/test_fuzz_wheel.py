"""The wheel of another version, bent: read or refused in one line, and never outside its folder."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from link.wheel import WheelError, read_wheel, unpack

INFO = "flagfall-0.2.0.dist-info"


def wheel() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr(f"{INFO}/METADATA", "Metadata-Version: 2.4\nName: flagfall\nVersion: 0.2.0\n")
        opened.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        opened.writestr("othello/board.py", "X = 1\n" * 50)
    return made.getvalue()


@pytest.mark.parametrize(
    "examples", [60, pytest.param(2000, marks=[pytest.mark.long, pytest.mark.timeout(600)])]
)
def test_a_bent_wheel_is_refused_in_one_line(examples: int, bent: Any, tmp_path: Path) -> None:
    places = (tmp_path / "places" / str(number) for number in range(examples * 100))

    @settings(max_examples=examples, database=None, suppress_health_check=list(HealthCheck))
    @given(bent.bytes([wheel()]))
    def one(content: bytes) -> None:
        try:
            read_wheel(content)
            unpack(content, next(places))
        except WheelError as refused:
            assert len(str(refused).splitlines()) == 1
        except OSError as refused:
            assert refused.filename is not None, "of the disk, where a file and a folder have one name"

    one()
    assert {path.name for path in tmp_path.iterdir()} <= {"places"}
