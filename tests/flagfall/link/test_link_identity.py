"""Identities: random, kept to their owner, never shown."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from flagfall.base.errors import Failed, Invalid
from flagfall.link.identity import Identity, create, load, save


def test_a_saved_identity_is_loaded_again(tmp_path: Path) -> None:
    identity = create("t7", hub=bytes(range(32)))
    path = tmp_path / "identity.json"
    save(identity, path)
    assert load(path) == identity
    assert [file.name for file in tmp_path.iterdir()] == ["identity.json"]


def test_no_two_are_alike_and_nothing_secret_is_shown() -> None:
    first, second = create("t7"), create("t7")
    assert first.key != second.key
    assert first.token != second.token
    assert len(first.key) == 32
    assert repr(first) == "Identity(device='t7', hub=b'')"


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "identity.json"
    old_mask = os.umask(0)
    try:
        save(create("t7"), path)
    finally:
        os.umask(old_mask)
    assert path.stat().st_mode & 0o777 == 0o600
    for mode in (0o640, 0o604, 0o644):
        path.chmod(mode)
        with pytest.raises(Failed, match="0600") as refused:
            load(path)
        assert "\n" not in str(refused.value)


GOOD = {"format": "flagfall-identity/2", "device": "t7", "key": "00" * 32, "token": "secret"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "JSON"),
        ("[" * 100_000, "JSON"),
        ("[]", "format"),
        (json.dumps({**GOOD, "format": "x"}), "format"),
        (json.dumps({**GOOD, "device": "a/b"}), "device"),
        (json.dumps({**GOOD, "device": 7}), "device"),
        (json.dumps({**GOOD, "key": "zz"}), "key"),
        (json.dumps({**GOOD, "key": "00"}), "key"),
        (json.dumps({**GOOD, "key": None}), "key"),
        (json.dumps({**GOOD, "token": ""}), "token"),
        (json.dumps({**GOOD, "hub": "00"}), "hub"),
    ],
)
def test_a_broken_file_is_named_in_one_line(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "identity.json"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(Invalid, match=words) as refused:
        load(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_missing_file_and_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="cannot be read"):
        load(tmp_path / "none.json")
    with pytest.raises(Failed, match="cannot be written"):
        save(Identity("t7", b"0" * 32, "t"), tmp_path / "none" / "identity.json")
    with pytest.raises(Invalid, match="device"):
        create("a/b")


def test_a_device_of_the_version_before_is_told_to_enrol_again(tmp_path: Path) -> None:
    path = tmp_path / "identity.json"
    path.write_text(json.dumps({**GOOD, "format": "flagfall-identity/1"}))
    path.chmod(0o600)
    with pytest.raises(Failed, match=r"made by 0\.2\.0: enrol this device again"):
        load(path)
