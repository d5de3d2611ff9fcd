"""The public set of photographs: its labels, what the eye reads in it, and how a photograph is added."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from helpers.documented import ROOT
from helpers.waiting import PATIENCE_S

from tests.eye.test_eye_reading import PHOTO, PHOTO_SHOWS

ADD = ["--licence", "CC0-1.0", "--holder", "somebody", "--source", "sent", "--shows", "one"]


def photographs(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "photographs.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)


def test_no_square_of_the_public_set_is_read_wrong() -> None:
    answer = photographs("check")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "dim-from-aside: wrong none" in answer.stdout


def test_a_photograph_is_kept_without_its_camera_data_and_with_a_label_to_be_corrected(
    tmp_path: Path,
) -> None:
    exif = b"\xff\xe1\x00\x0eExif\0\0secret"
    taken = tmp_path / "taken.jpg"
    data = PHOTO.read_bytes()
    taken.write_bytes(data[:2] + exif + data[2:])
    kept = tmp_path / "kept"
    kept.mkdir()
    answer = photographs("--folder", kept, "add", taken, "--name", "one", *ADD)
    assert answer.returncode == 0, answer.stderr
    assert b"secret" not in (kept / "one.jpg").read_bytes()
    label = tomllib.loads((kept / "one.toml").read_text("utf-8"))
    assert "".join(label["position"]) == PHOTO_SHOWS
    assert photographs("--folder", kept, "check").returncode == 0
    assert "there already" in photographs("--folder", kept, "add", taken, "--name", "one", *ADD).stderr
    # A label that says otherwise than the photograph: the square is named.
    text = (kept / "one.toml").read_text("utf-8")
    (kept / "one.toml").write_text(text.replace('"-XXXXXXX"', '"-OXXXXXX"'), "utf-8")
    wrong = photographs("--folder", kept, "check")
    assert (wrong.returncode, "one: wrong b1;" in wrong.stdout) == (1, True)


@pytest.mark.parametrize(
    ("line", "other", "message"),
    [
        ('licence = "MIT"', 'licence = "mine"', "licence: expected one of CC0-1.0"),
        ('    "--XOOXOO",\n', "", "position: expected 8 rows"),
        ('    "--XOOXOO",\n', '    "--XOOXOZ",\n', "position: "),
        ("holder = ", "owner = ", "expected the fields licence, holder"),
        ("corners = [[", "corners = [[1, 2], [", "corners: expected four points"),
        ("corners = [[", 'corners = [["a", 2], [', "corners: expected four points"),
        ('notice = """', 'notice = "" # """', "label.toml: "),
    ],
)
def test_a_label_with_a_fault_is_refused_in_one_line(
    tmp_path: Path, line: str, other: str, message: str
) -> None:
    (tmp_path / "label.jpg").write_bytes(PHOTO.read_bytes())
    text = PHOTO.with_suffix(".toml").read_text("utf-8")
    assert line in text
    (tmp_path / "label.toml").write_text(text.replace(line, other), "utf-8")
    answer = photographs("--folder", tmp_path, "check")
    assert answer.returncode == 2
    assert message in answer.stderr
    assert len(answer.stderr.splitlines()) == 1
