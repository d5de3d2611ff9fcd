"""A release in one folder: archives with the same bytes again, checksums, a page; none without addresses."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from release import build as release


def test_an_archive_of_the_same_files_has_the_same_bytes(tmp_path: Path) -> None:
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text("a")
    other.write_text("b")
    first = release.pack(tmp_path / "first.zip", ((one, "one.txt"), (other, "other.txt"))).read_bytes()
    os.utime(one, (0, 0))
    assert (
        release.pack(tmp_path / "again.zip", ((one, "one.txt"), (other, "other.txt"))).read_bytes() == first
    )
    assert zipfile.ZipFile(tmp_path / "first.zip").namelist() == ["one.txt", "other.txt"]


def test_a_folder_has_a_page_and_checksums_that_a_person_can_check(tmp_path: Path) -> None:
    chosen = [download for download in release.DOWNLOADS if download.name in ("boards", "samples")]
    page = release.build(chosen, tmp_path).read_text("utf-8")
    files = sorted(path.name for path in tmp_path.glob("*.zip"))
    assert len(files) == 3 and all(f'href="{name}"' in page for name in files)
    assert " kB" in page and "0.0 MB" not in page
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("*.zip")} == {0o644}
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.count(": OK") == len(files)


def test_without_addresses_nothing_is_released(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert release.main(["--only", "samples", "--to", str(tmp_path / "new")]) == 2
    assert "project.urls.Security: expected an address" in capfd.readouterr().err
    assert not (tmp_path / "new").exists()


def test_the_cards_are_found_under_the_names_that_their_builder_gives_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_card(module: str, *arguments: str | Path) -> None:
        assert module == "image.build"
        for name in (image := f"flagfall-1.2.3-{arguments[1]}.img", f"{image}.gz"):
            (tmp_path / name).touch()

    monkeypatch.setattr(release, "_own_program", make_card)
    (cards,) = (download for download in release.DOWNLOADS if download.name == "cards")
    made = [path.name for path in cards.make(tmp_path, "1.2.3")]
    assert made == ["flagfall-1.2.3-arm64.img.gz", "flagfall-1.2.3-amd64.img.gz"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(made)


def test_a_program_that_is_missing_is_named_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    to = tmp_path / "new"
    assert release.main(["--rehearsal", "--only", "samples", "--only", "prints", "--to", str(to)]) == 2
    assert "apt install openscad" in capfd.readouterr().err
    assert not to.exists()
