"""The page of sticks: what opens the backups of a hub's card, and a version for tables that a stick has brought."""

from __future__ import annotations

import stat
from pathlib import Path

import pyrage
import pytest
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


# Each phrase costs a second, which is meant.
@pytest.mark.parametrize(
    "opener", ["a phrase  for tests\r\n", pytest.param("another phrase", marks=pytest.mark.long)]
)
def test_a_sealed_backup_opens_with_its_phrase_alone(opener: str) -> None:
    sealed = seal_backup(b"keys", "a phrase for tests")
    if opener.startswith("a phrase"):
        assert open_backup(sealed, opener) == b"keys"
    else:
        with pytest.raises(Invalid, match="sealed backup that this phrase or key opens"):
            open_backup(sealed, opener)
