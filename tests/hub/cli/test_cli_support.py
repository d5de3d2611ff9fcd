"""`flagfall-hub support` beside a running hub, after its end, and where no hub can start."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from pathlib import Path
from typing import Any

from helpers.hub_commands import flagfall_hub
from helpers.hub_files import tournament_file


def texts_of(file: Path) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def test_the_log_of_a_running_hub_is_in_the_file_and_its_setup_code_is_not(hub: Any, tmp_path: Path) -> None:
    hub.table("t1", 1)
    hub.call("PUT", "tournaments/open", tournament_file(4))
    code = (hub.folder / "setup-code").read_text().strip()
    file = tmp_path / "support.zip"
    done = flagfall_hub("support", file, "--state-dir", hub.folder)
    assert done.returncode == 0 and str(file) in done.stdout, done.stderr
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    texts = texts_of(file)
    assert "hub ready page=" in texts["log.txt"] and "setup code=[removed]" in texts["log.txt"]
    assert not any(code in text for text in texts.values())
    assert "ok  the hub answers" in texts["doctor.txt"]
    assert json.loads(texts["tables.json"])["devices"]["t1"]["enrolled"]
    again = flagfall_hub("support", file, "--state-dir", hub.folder)
    assert again.returncode == 2 and "expected a new file" in again.stderr
    assert hub.stop() == 0
    stopped = tmp_path / "stopped.zip"
    assert flagfall_hub("support", stopped, "--state-dir", hub.folder).returncode == 0
    texts = texts_of(stopped)
    assert "log.txt" not in texts and "NOT the hub answers" in texts["doctor.txt"]
    assert json.loads(texts["record.json"])["open"]["players"] == 4


def test_settings_that_cannot_be_read_are_named_in_the_file(tmp_path: Path) -> None:
    settings = tmp_path / "hub.toml"
    settings.write_text('web_port = "many"\n')
    file = tmp_path / "support.zip"
    done = flagfall_hub("support", file, "--config", settings, "--state-dir", tmp_path / "none")
    assert done.returncode == 0, done.stderr
    assert "web_port" in texts_of(file)["doctor.txt"]
    assert not (tmp_path / "none").exists(), "nothing is made where there is no hub"
    nowhere = flagfall_hub("support", tmp_path / "no" / "folder.zip", "--state-dir", tmp_path / "none")
    assert nowhere.returncode == 2 and "\n" not in nowhere.stderr.strip()
