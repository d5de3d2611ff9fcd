"""Cameras and files as sources of pictures: opened, read, pulled, and opened again."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import cv2
import numpy as np
import pytest
from helpers.waiting import until

from eye.sources import Folder, Latest, PiCamera, Video, VideoCamera
from flagfall.base.errors import Failed


def grey(level: int) -> np.ndarray:
    return np.full((480, 640, 3), level, np.uint8)


class FakeCapture:
    """A `cv2.VideoCapture` with as much as a V4L2 camera uses; pulled behind its last picture."""

    pictures: ClassVar[list[int]] = []
    opened: ClassVar[list[FakeCapture]] = []

    def __init__(self, name: int | str, api: int) -> None:
        self.name, self.api, self.released = name, api, False
        self.asked: dict[int, float] = {}
        self.at = -1
        FakeCapture.opened.append(self)

    def isOpened(self) -> bool:
        return bool(FakeCapture.pictures)

    def set(self, key: int, value: float) -> bool:
        self.asked[key] = value
        return True

    now_s = 0.0

    def grab(self) -> bool:
        FakeCapture.now_s += 1 / 30
        self.at += 1
        return self.at < len(FakeCapture.pictures)

    def retrieve(self) -> tuple[bool, np.ndarray]:
        return True, grey(FakeCapture.pictures[self.at])

    def release(self) -> None:
        self.released = True


@pytest.fixture
def capture(monkeypatch: pytest.MonkeyPatch) -> type[FakeCapture]:
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    monkeypatch.setattr(FakeCapture, "pictures", list(range(200)))
    monkeypatch.setattr(FakeCapture, "opened", [])
    return FakeCapture


def test_a_pulled_camera_is_let_go_and_few_of_its_pictures_are_decoded(
    capture: type[FakeCapture], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eye.sources.time", SimpleNamespace(monotonic=lambda: FakeCapture.now_s))
    levels = []
    with pytest.raises(Failed, match="/dev/video3 was pulled"):
        for picture in VideoCamera("/dev/video3").pictures():
            assert isinstance(picture, np.ndarray)
            levels.append(int(picture[0, 0, 0]))
    (camera,) = capture.opened
    assert (camera.name, camera.api, camera.released) == ("/dev/video3", cv2.CAP_V4L2, True)
    assert camera.asked[cv2.CAP_PROP_FRAME_WIDTH] == 1280
    assert levels[0] == 0
    assert levels == sorted(levels)
    # All 200, thirty a second, were taken off; each third is decoded.
    assert camera.at == 200
    assert len(levels) == 67


def test_a_camera_that_cannot_be_opened_is_tried_again(capture: type[FakeCapture]) -> None:
    kept, capture.pictures = capture.pictures, []
    latest = Latest(VideoCamera("0"), time.monotonic_ns, again_s=0.01)
    try:
        until(lambda: "cannot be opened" in latest.why)
        assert latest.take(0.01) is None
        capture.pictures = kept
        assert latest.take(10) is not None
        assert capture.opened[-1].name == 0
        assert all(camera.released for camera in capture.opened[:-1])
    finally:
        latest.close()


class FakePicamera2:
    """The documented calls of `picamera2.Picamera2` that are used."""

    fails = ""
    closed = 0
    asked: ClassVar[dict[str, Any]] = {}

    def __init__(self, camera_num: int = 0, tuning: object = None) -> None:
        self._started = self._configured = False
        self._left = 3
        if FakePicamera2.fails == "none":
            raise IndexError("list index out of range")

    def create_video_configuration(
        self,
        main: dict[str, Any] | None = None,
        *,
        lores: object = None,
        raw: object = None,
        transform: object = None,
        colour_space: object = None,
        buffer_count: int | None = None,
        controls: dict[str, Any] | None = None,
        display: str | None = None,
        encode: str | None = None,
    ) -> dict[str, Any]:
        return {"main": main or {}, "controls": controls or {}}

    def configure(self, camera_config: dict[str, Any]) -> None:
        FakePicamera2.asked = camera_config
        self._configured = True

    def start(self, config: object = None, show_preview: bool | None = None) -> None:
        if FakePicamera2.fails == "busy":
            raise RuntimeError("Failed to acquire camera: Device or resource busy")
        self._started = self._configured

    def capture_array(self, name: str = "main", wait: object = None) -> np.ndarray:
        assert self._started
        self._left -= 1
        if self._left < 0:
            raise RuntimeError("Camera frontend has timed out!")
        width, height = FakePicamera2.asked["main"]["size"]
        return np.zeros((height, width, 3), np.uint8)

    def close(self) -> None:
        FakePicamera2.closed += 1


@pytest.fixture
def pi_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[FakePicamera2]]:
    module = ModuleType("picamera2")
    module.Picamera2 = FakePicamera2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", module)
    monkeypatch.setattr(FakePicamera2, "fails", "")
    monkeypatch.setattr(FakePicamera2, "closed", 0)
    yield FakePicamera2


def test_the_pis_own_camera_gives_pictures_until_it_is_lost(pi_library: type[FakePicamera2]) -> None:
    shapes = []
    with pytest.raises(Failed, match="was lost: Camera frontend"):
        shapes += [
            picture.shape for picture in PiCamera().pictures() if isinstance(picture, np.ndarray)
        ] or shapes
    pictures = PiCamera().pictures()
    first = next(pictures)
    assert isinstance(first, np.ndarray)
    assert first.shape == (960, 1280, 3)
    assert pi_library.asked == {
        "main": {"size": (1280, 960), "format": "RGB888"},
        "controls": {"FrameRate": 10},
    }
    pictures.close()  # type: ignore[attr-defined]
    assert pi_library.closed == 2


@pytest.mark.parametrize(("fails", "message"), [("none", "cannot be opened"), ("busy", "resource busy")])
def test_a_pi_without_a_free_camera_says_so(
    pi_library: type[FakePicamera2], fails: str, message: str
) -> None:
    pi_library.fails = fails
    with pytest.raises(Failed, match=message):
        next(PiCamera().pictures())
    assert pi_library.closed == (fails == "busy")


def test_without_its_library_the_pis_camera_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(Failed, match="python3-picamera2"):
        next(PiCamera().pictures())


def test_a_video_file_is_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "game.avi"
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 100, (640, 480))
    assert writer.isOpened()
    for level in range(0, 200, 20):
        writer.write(grey(level))
    writer.release()
    levels = [int(picture.mean()) for picture in Video(file).pictures() if isinstance(picture, np.ndarray)]
    assert len(levels) == 10
    assert all(abs(level - 20 * number) < 4 for number, level in enumerate(levels))


def test_what_is_no_source_says_so(tmp_path: Path) -> None:
    (tmp_path / "text.avi").write_text("no video")
    with pytest.raises(Failed, match="expected a video"):
        next(Video(tmp_path / "text.avi").pictures())
    with pytest.raises(Failed, match="No such file"):
        next(Video(tmp_path / "nowhere").pictures())
    with pytest.raises(Failed, match="expected a folder of"):
        next(Folder(tmp_path).pictures())
