"""A disk that is full: what was asked for is not done and says so in one line, and is done once there is room."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.hub_files import tournament_file

import hub.desk.accounts
import hub.tables.devices
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import StoreFailed
from hub.desk.accounts import LoginSessions
from hub.record.store import TournamentStore
from hub.role import Role


def failing(fault: Exception) -> Any:
    def fail(*_: Any, **__: Any) -> None:
        raise fault

    return fail


FULL = OSError(errno.ENOSPC, "No space left on device")


async def test_what_cannot_be_kept_is_one_line_and_nothing_is_half_done(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served as client:

        async def ask() -> tuple[Any, Any]:
            event = await client.put("/api/1/tournaments/open", json=tournament_file(4))
            return event, await client.post(
                "/api/1/devices", json={"device": "t1", "seat": 1, "public_key": "ab" * 32}
            )

        with monkeypatch.context() as patched:
            patched.setattr(hub.tables.devices, "write_private", failing(FULL))
            for answer in await ask():
                assert (
                    answer.status_code in (400, 507) and "No space left on device" in answer.json()["error"]
                )
        with monkeypatch.context() as patched:
            patched.setattr(SqliteLedger, "append", failing(StoreFailed("ledger: disk is full")))
            event = await client.put("/api/1/tournaments/open", json=tournament_file(4))
        assert event.status_code in (409, 507) and event.json()["error"] == "ledger: disk is full"
        assert not served.store.states and not served.devices.all
        assert [answer.status_code for answer in await ask()] == [201, 201]


async def test_the_console_says_it_on_the_forms_own_page(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = {"name": "Typed name", "rulebook": "open", "players": "A\nB"}
    async with director_at(served, tournament_file(4)) as director:
        with monkeypatch.context() as patched:
            patched.setattr(hub.tables.devices, "write_private", failing(FULL))
            refused = await director.send("/desk/new", 507, **typed)
            assert "That did not work." in refused and "No space left on device" in refused
            assert 'value="Typed name"' in refused and 'action="/desk/new"' in refused
        with monkeypatch.context() as patched:
            patched.setattr(hub.desk.accounts, "write_private", failing(FULL))
            account = {"name": "Typed name", "role": "viewer", "password": "eight or more"}
            refused = await director.send("/desk/accounts", 507, **account)
            assert "cannot be written: No space left on device" in refused and 'value="Typed name"' in refused
        with monkeypatch.context() as patched:
            patched.setattr(TournamentStore, "entries", failing(FULL))
            page = await director.client.get("/desk/t/open/audit")
            assert page.status_code == 507 and "<h1>That did not work.</h1>" in page.text
        with monkeypatch.context() as patched:
            patched.setattr(LoginSessions, "begin", failing(FULL))
            with pytest.raises(AssertionError, match=r"(?s)<h1>Sign in.*No space left on device"):
                await served.entered(Role.DIRECTOR)
        await director.send("/desk/new", **typed)
        assert len(served.store.states) == 2


async def test_the_first_account_is_made_once_there_is_room(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served:
        code = served.setup.code
        browser, same_site = served.browser(), {"Origin": "http://hub"}
        typed = {"code": code, "name": "Ada", "password": "eight or more"}
        with monkeypatch.context() as patched:
            patched.setattr(hub.desk.accounts, "write_private", failing(FULL))
            refused = await browser.post("/desk/setup", data=typed, headers=same_site)
            assert refused.status_code == 507 and "No space left on device" in refused.text
        assert not served.accounts.all
        made = await browser.post("/desk/setup", data=typed, headers=same_site)
        assert made.status_code == 303 and served.accounts.role("Ada") is Role.DIRECTOR


async def test_a_stranger_makes_the_hub_write_nothing(tmp_path: Path, served: Any) -> None:
    async with served:
        await served.create("open", tournament_file(4))
        stranger = served.browser()
        before = {file: file.stat() for file in tmp_path.rglob("*")}
        pages = (
            "",
            "t/open",
            "desk",
            "desk/enter",
            "desk/setup",
            "print/open/sheets",
            "events",
            "api/1/live",
        )
        for path in pages:
            await stranger.get(f"/{path}")
        for number in range(20):
            for path in ("desk/enter", "desk/setup", "desk/language", "desk/leave", "enrol", "api/1/devices"):
                form = {"name": f"n{number}", "password": "x" * 20, "code": "AAAA-BBBB", "language": "fr"}
                await stranger.post(f"/{path}", data=form, headers={"Origin": "http://hub"})
                await stranger.post(f"/{path}", json={"digest": "0" * 64, "device": "t1"})
        assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == {
            file: status.st_mtime_ns for file, status in before.items()
        }


async def test_wherever_a_disk_is_full_the_answer_is_507_and_no_other_fault_is_called_that(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served as client:
        await client.put("/api/1/tournaments/open", json=tournament_file(4))
        path = "/api/1/tournaments/open/entries"
        monkeypatch.setattr(TournamentStore, "entries", failing(FULL))
        refused = await client.get(path)
        assert refused.status_code == 507
        assert refused.json() == {"error": "cannot be written: No space left on device"}
        monkeypatch.setattr(TournamentStore, "entries", failing(OSError(errno.EINVAL, "another")))
        with pytest.raises(OSError, match="another"):
            await client.get(path)
