"""A version of the programs as it travels: read, and unpacked where nothing can get out."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from helpers.wheels import zipped

from flagfall.base.errors import Failed, Invalid
from flagfall.link.wheel import lacking, read_wheel, unpack

METADATA = "Metadata-Version: 2.4\nName: flagfall\nVersion: 0.2.0\nRequires-Python: >=3.11\n"
METADATA += 'Requires-Dist: msgspec>=0.19\nRequires-Dist: pyserial>=3; extra == "table"\n'
METADATA += 'Requires-Dist: gpiod>=2; sys_platform == "linux" and extra == "table"\n'
METADATA += 'Requires-Dist: numpy>=2; extra == "hub"\n\nA text.\n'
WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
INFO = "flagfall-0.2.0.dist-info"


def wheel(**files: str) -> bytes:
    """Return a wheel with these files beside its own; `__` in a name stands for `/`."""
    content = {f"{INFO}/METADATA": METADATA, f"{INFO}/WHEEL": WHEEL, "flagfall/othello/board.py": "X = 1\n"}
    content |= {name.replace("__", "/"): text for name, text in files.items()}
    return zipped(content, zipfile.ZIP_DEFLATED)


def test_a_wheel_says_what_it_is_and_needs(tmp_path: Path) -> None:
    read = read_wheel(wheel())
    assert read.version == "0.2.0"
    table = {"msgspec>=0.19", "pyserial>=3", 'gpiod>=2; sys_platform == "linux"', "Python >=3.11"}
    assert read.needs == table, "what a hub needs does not count"
    unpack(wheel(), tmp_path / "place")
    assert (tmp_path / "place" / "flagfall" / "othello" / "board.py").read_text() == "X = 1\n"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"..__outside.py": ""}, "below the wheel's own folder"),
        ({"__etc__passwd": ""}, "below the wheel's own folder"),
        ({"othello__..__..__x.py": ""}, "below the wheel's own folder"),
        ({"othello__a\\b.py": ""}, "below the wheel's own folder"),
        ({"sitecustomize.py": ""}, "nothing but packages"),
        ({"x.pth": ""}, "nothing but packages"),
        ({"other-1.dist-info__METADATA": METADATA}, "METADATA: expected one, got 2"),
        ({f"{INFO}__METADATA": METADATA.replace("flagfall", "other")}, "a wheel of flagfall, got 'other'"),
        ({f"{INFO}__METADATA": METADATA.replace("0.2.0", "../x")}, "a wheel of flagfall"),
        ({f"{INFO}__WHEEL": WHEEL.replace("true", "false")}, "nothing compiled"),
    ],
)
def test_what_could_do_harm_is_refused_in_one_line(files: dict[str, str], says: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_wheel(wheel(**files))
    assert says in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", wheel()[:-30], wheel()[:200], zipped({"a/b": "x"}), zipped({})]
)
def test_what_is_no_wheel_is_refused_in_one_line(content: bytes) -> None:
    with pytest.raises(Invalid) as refused:
        read_wheel(content)
    assert "\n" not in str(refused.value)


def test_a_small_file_that_becomes_a_large_one_is_refused() -> None:
    with pytest.raises(Invalid, match="at most"):
        read_wheel(wheel(othello__large="0" * (129 << 20)))


def test_a_damaged_file_is_found_when_it_is_unpacked(tmp_path: Path) -> None:
    made = bytearray(zipped({f"{INFO}/METADATA": METADATA, f"{INFO}/WHEEL": WHEEL, "othello/b.py": "y" * 9}))
    with zipfile.ZipFile(io.BytesIO(made)) as opened:
        start = opened.getinfo("othello/b.py").header_offset + 30 + len("othello/b.py")
    made[start] ^= 0xFF
    read_wheel(bytes(made))
    with pytest.raises(Failed, match="damaged"):
        unpack(bytes(made), tmp_path / "place")


def test_what_is_installed_is_compared_not_the_text_of_what_is_wanted() -> None:
    assert (
        lacking(
            ["msgspec>=0.0.1", "Msgspec", "Python >=3.11", "pyserial<99,>=1", 'x; sys_platform == "plan9"']
        )
        == []
    )
    wanted = ["msgspec>=999", "no-such-part", "Python >=3.99", "not a part at all !"]
    assert lacking(wanted) == sorted(wanted)
