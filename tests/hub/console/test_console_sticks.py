"""The page of sticks: what opens the backups of a hub's card, and a version for tables that a stick has brought."""

from __future__ import annotations

import base64
import hashlib
import hmac
import stat
from pathlib import Path

import pyrage
import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from helpers.hub_served import Served
from helpers.wheels import wheel_of

from flagfall.base.errors import Invalid
from hub.desk.backup_seal import FILE_NAME, kept_seal, open_backup, seal_backup
from hub.role import Role
from hub.tables.updates import ask_for, read_asked


async def test_a_director_gives_a_phrase_or_a_key_and_takes_it_back(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served:
        boss, csrf = await served.entered(Role.DIRECTOR)
        assert "A stick gets no backup yet" in (await boss.get("/desk/sticks")).text
        for wrong, why in (
            ("short", "expected a phrase of 12 to 200 characters"),
            ("age1qqqqqqqqqqqqqqqqq", "expected a whole public key of age"),
            ("AGE-SECRET-KEY-1QQQQQQQQQQQ", "keep the private one to yourself"),
        ):
            answer = await boss.post("/desk/sticks/seal", data={"csrf": csrf, "seal": wrong})
            assert answer.status_code == 400 and why in answer.text
            assert kept_seal(tmp_path) is None
        phrase = "  four words and\ta comma, "
        assert (await boss.post("/desk/sticks/seal", data={"csrf": csrf, "seal": phrase})).status_code == 303
        page = (await boss.get("/desk/sticks")).text
        assert "that your phrase opens" in page and "a comma" not in page
        assert kept_seal(tmp_path) == "four words and a comma,"
        assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600
        await boss.post("/desk/sticks/seal", data={"csrf": csrf, "seal": ""})
        assert kept_seal(tmp_path) is None
        for role in (Role.ASSISTANT, Role.VIEWER):
            other, _ = await served.entered(role)
            assert (await other.get("/desk/sticks")).status_code == 403


async def test_a_wheel_of_a_stick_is_offered_only_after_a_directors_word(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served:
        boss, csrf = await served.entered(Role.DIRECTOR)
        for number, act in enumerate(("refuse", "offer")):
            wheel = tmp_path / f"flagfall-9.9.{number}-py3-none-any.whl"
            wheel.write_bytes(wheel_of(f"9.9.{number}"))
            asked = ask_for(tmp_path, wheel)
            assert asked is not None and served.hub.updates.offered is None
            assert f"version 9.9.{number} for the tables" in (await boss.get("/desk")).text
            assert asked.sha256 in (await boss.get("/desk/sticks")).text
            await boss.post(f"/desk/sticks/{act}", data={"csrf": csrf, "sha256": asked.sha256})
            assert read_asked(tmp_path) is None
        offered = served.hub.updates.offered
        assert offered is not None and offered.version == "9.9.1"
        assert [file.stem for file in (tmp_path / "update").glob("*.whl")] == [offered.sha256]
        assert ask_for(tmp_path, wheel) is None, "tables are offered it already"
        await boss.post("/desk/sticks/withdraw", data={"csrf": csrf})
        assert served.hub.updates.offered is None


def test_a_sealed_backup_opens_with_its_key_alone() -> None:
    key = pyrage.x25519.Identity.generate()
    sealed = seal_backup(b"keys", str(key.to_public()))
    assert open_backup(sealed, f" {key}\r\n") == b"keys"
    for content, opener in (
        (sealed, str(pyrage.x25519.Identity.generate())),
        (sealed, "a phrase for tests"),
        (sealed, "AGE-SECRET-KEY-1"),
        (b"no age file", "a phrase"),
    ):
        with pytest.raises(Invalid, match="sealed backup that this phrase or key opens"):
            open_backup(content, opener)


def sealed_cheaply(content: bytes, phrase: str) -> bytes:
    """Return an age file (age-encryption.org/v1) whose phrase costs two rounds; `seal_backup` takes a second."""

    def text(data: bytes) -> bytes:
        return base64.b64encode(data).rstrip(b"=")

    def key(salt: bytes, use: bytes) -> bytes:
        return HKDF(SHA256(), 32, salt, use).derive(file_key)

    file_key, salt, nonce = (bytes([number]) * 16 for number in range(3))
    label = b"age-encryption.org/v1/scrypt"
    wrapping = hashlib.scrypt(phrase.encode(), salt=label + salt, n=2, r=8, p=1, dklen=32)
    wrapped = ChaCha20Poly1305(wrapping).encrypt(bytes(12), file_key, b"")
    header = b"\n".join((b"age-encryption.org/v1", b"-> scrypt %b 1" % text(salt), text(wrapped), b"---"))
    mac = hmac.digest(key(b"", b"header"), header, "sha256")
    body = ChaCha20Poly1305(key(nonce, b"payload")).encrypt(bytes(11) + b"\1", content, b"")
    return header + b" " + text(mac) + b"\n" + nonce + body


def test_a_sealed_backup_opens_with_its_phrase_alone() -> None:
    sealed = sealed_cheaply(b"keys", "a phrase for tests")
    assert open_backup(sealed, "a phrase  for tests\r\n") == b"keys"
    with pytest.raises(Invalid, match="sealed backup that this phrase or key opens"):
        open_backup(sealed, "another phrase")


@pytest.mark.long  # each phrase costs a second, which is meant; by day a real stick's backup is sealed (test_hub_stick)
def test_a_backup_is_sealed_by_a_phrase() -> None:
    assert open_backup(seal_backup(b"keys", "a phrase for tests"), "a phrase for tests") == b"keys"
