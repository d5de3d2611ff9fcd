"""The hub's queue of photographs, and the child that reads each within limits of time and memory."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import hub.photographs as module
from hub.child_process import Aside, AsideFailed, within_processor_s
from hub.photographs import MOST_WAITING, Photographs, TryAgain, how_slow
from hub.text import Refused

PHOTO = Path(__file__).parents[1] / "data" / "photos" / "dim-from-aside.jpg"


def spins(*_: Any) -> None:
    while True:
        pass


def takes_memory(*_: Any) -> None:
    import numpy as np

    np.ones(500 << 20, np.uint8)


def limited(what: str, cpu_s: float) -> Any:
    """Read in the child with `what` in place of the eye."""
    import eye.photograph

    eye.photograph.read_photograph = globals()[what]
    return module.read_limited(b"", None, cpu_s)


async def test_a_picture_that_takes_too_long_ends_its_child_once_and_the_next_one_is_read() -> None:
    aside = Aside()
    with pytest.raises(AsideFailed, match="child process failed"):
        await aside.run(60, limited, "spins", 0.7)
    photographs = Photographs(lambda: 0)
    assert (await photographs.read(PHOTO.read_bytes())).squares.count("X") == 33


async def test_a_picture_ends_a_child_that_has_judged_a_game_before() -> None:
    """All work shares the children: a game's limit, left in one, let a picture run for its longest wall time."""
    aside = Aside()
    assert await aside.run(60, within_processor_s, 5.0, int, 3) == 3
    with pytest.raises(AsideFailed, match="child process failed"):
        await aside.run(60, limited, "spins", 0.7)


async def test_the_child_has_four_hundred_megabytes() -> None:
    with pytest.raises(AsideFailed):
        await Aside().run(60, limited, "takes_memory", 10.0)


async def test_a_refused_picture_says_why_and_pictures_are_read_in_their_order() -> None:
    photographs = Photographs(lambda: 0)
    with pytest.raises(Refused, match="This is no photograph"):
        await photographs.read(b"GIF89a")
    with pytest.raises(Refused, match="at most 3 MB"):
        await photographs.read(bytes((3 << 20) + 1))
    with photographs.turn("a"), photographs.turn("b"):
        assert (photographs.place("a"), photographs.place("b"), photographs.place("c")) == (1, 2, 0)
        with pytest.raises(TryAgain, match="being read"), photographs.turn("a"):
            pass
    assert photographs.place("b") == 0
    with pytest.raises(TryAgain, match="Too many"):
        many(photographs, MOST_WAITING + 1)


def many(photographs: Photographs, number: int) -> None:
    with photographs.turn(f"player {number}"):
        if number:
            many(photographs, number - 1)


def test_a_slow_machine_has_more_time_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert how_slow() >= 1
    instants = iter((0.0, 100.0, 0.0, 0.001))
    monkeypatch.setattr("time.thread_time", lambda: next(instants))
    assert how_slow() == 12
    assert how_slow() == 1


async def test_the_machine_is_measured_for_the_first_picture_and_not_at_the_hubs_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured = []
    monkeypatch.setattr(module, "how_slow", lambda: measured.append(1) or 2.0)
    photographs = Photographs(lambda: 0)
    assert not measured
    for _ in range(2):
        with pytest.raises(Refused, match="This is no photograph"):
            await photographs.read(b"GIF89a")
    assert len(measured) == 1


@pytest.mark.parametrize(("numpy", "fits"), [("2.2.4", True), ("1.24.2", False), (None, False)])
def test_debians_parts_are_taken_if_they_are_made_for_the_hubs_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, numpy: str | None, fits: bool
) -> None:
    assert version("numpy").startswith("2.")
    monkeypatch.setattr(module, "_DEBIANS", str(tmp_path))
    monkeypatch.setattr(module, "_missing", lambda: ["cv2", "PIL"])
    assert not Photographs(lambda: 0).available
    for part in ("cv2", "PIL"):
        (tmp_path / f"{part}.py").touch()
    if numpy is not None:
        information = tmp_path / f"numpy-{numpy}.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: numpy\nVersion: {numpy}\n")
    assert Photographs(lambda: 0).available == fits


def test_the_hub_itself_never_loads_opencv() -> None:
    program = f"""
import anyio, pathlib, sys
from hub.photographs import Photographs
picture = pathlib.Path({str(PHOTO)!r}).read_bytes()
seen = anyio.run(Photographs(lambda: 0).read, picture)
print(seen.squares.count("X"), "cv2" in sys.modules, "numpy" in sys.modules)
"""
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "33 False False\n"
