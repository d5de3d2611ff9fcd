"""Tests of wrong passwords: a guesser waits, a user who knows their own never waits for a guesser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from hub.desk.accounts import Accounts
from hub.desk.guesses import FREE_GUESSES, LONGEST_S, MOST_IN_LINE, PAUSE_S, Guesses
from hub.limits import Abuse, Abuses
from hub.main import main
from hub.role import Role

SECOND_NS = 1_000_000_000
SIGNED_IN = "/desk/signed-in?back=%2Fdesk"


class Hours:
    """A clock that goes on when somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_ns = 0
        really = asyncio.sleep

        async def sleep(wait_s: float) -> None:
            self.now_ns += int(wait_s * SECOND_NS) + 1
            await really(0)

        monkeypatch.setattr("hub.desk.guesses.asyncio.sleep", sleep)

    def guesses(self) -> Guesses:
        return Guesses(lambda: self.now_ns, b"a secret", Abuses(lambda: self.now_ns))


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> Hours:
    return Hours(monkeypatch)


async def test_a_stranger_waits_after_some_tries_and_others_do_not(hours: Hours) -> None:
    guesses = hours.guesses()
    for _ in range(FREE_GUESSES):
        assert await guesses.wait_s("10.0.0.9", "Ada") == 0
    assert 0 < await guesses.wait_s("10.0.0.9", "Ada") <= PAUSE_S + 1
    assert await guesses.wait_s("10.0.0.9", "Bob") == 0, "another name at the same address"
    assert await guesses.wait_s("10.0.0.8", "Ada") == 0, "the same name at another address"
    hours.now_ns = (PAUSE_S + 1) * SECOND_NS
    assert await guesses.wait_s("10.0.0.9", "Ada") == 0


async def test_junk_names_do_not_wash_a_count_away(hours: Hours) -> None:
    guesses = hours.guesses()
    tried = sum([await guesses.wait_s("10.0.0.9", f"made up {n}") == 0 for n in range(20_000)])
    assert tried <= 25 and await guesses.wait_s("10.0.0.9", "Ada") > 0
    assert len(guesses._names._by_address) < 5_000


async def test_many_addresses_together_are_looked_at_a_few_times_a_second(hours: Hours) -> None:
    guesses = hours.guesses()
    tries = [guesses.wait_s(f"10.0.{n // 250}.{n % 250}", "Ada") for n in range(5_000)]
    looked_at = (await asyncio.gather(*tries)).count(0)
    assert MOST_IN_LINE <= looked_at <= 20 + 2 * hours.now_ns / SECOND_NS + 1
    assert hours.now_ns <= LONGEST_S * SECOND_NS


async def test_who_comes_first_waits_for_one_try_of_each_address_that_guesses(hours: Hours) -> None:
    guesses = hours.guesses()
    looked_at: list[str] = []

    async def guess(address: str) -> None:
        for n in range(10_000):
            if await guesses.wait_s(address, f"name {n}") == 0:
                looked_at.append(address)
            await asyncio.sleep(0)

    attack = [asyncio.create_task(guess(f"10.0.0.{n}")) for n in range(40)]
    while len(looked_at) < 100:
        await asyncio.sleep(0)
    before, since_ns = len(looked_at), hours.now_ns
    assert await guesses.wait_s("10.0.1.1", "Ada") == 0
    between = looked_at[before:]
    assert len(between) == len(set(between)) <= 40
    assert hours.now_ns - since_ns < 25 * SECOND_NS
    for task in attack:
        task.cancel()


async def test_one_try_of_an_address_waits_at_a_time(hours: Hours) -> None:
    guesses = hours.guesses()
    for n in range(20):
        assert await guesses.wait_s(f"10.0.0.{n}", "Ada") == 0
    waits = [asyncio.create_task(guesses.wait_s("10.0.1.1", "Ada")) for _ in range(3)]
    assert sorted([await wait for wait in waits]) == [0, 1, 1]


async def test_a_known_browser_is_not_delayed_by_strangers_and_counts_for_its_own_name_alone(
    hours: Hours,
) -> None:
    guesses = hours.guesses()
    cookie = guesses.cookie("Ada", "fresh")
    for n in range(1_000):
        await guesses.wait_s(f"10.0.0.{n % 50}", "Ada")
    hours.now_ns = 0
    assert await guesses.wait_s("10.0.0.9", "Ada") > 0
    assert await guesses.wait_s("10.0.0.9", "Ada", cookie) == 0
    counted = len(guesses._names._by_address)
    await guesses.wait_s("10.0.0.9", "Bob", cookie)
    assert len(guesses._names._by_address) == counted + 1, "under another name he is a stranger"
    assert await guesses.wait_s("10.0.0.9", "Ada", cookie[:-1] + "0") > 0 or cookie.endswith("0")
    for bad in ("", ".", "..", "é", "x" * 10_000):
        assert await guesses.wait_s("10.0.0.9", "Ada", bad) > 0


async def _enter(client: httpx.AsyncClient, name: str, password: str) -> httpx.Response:
    return await client.post("/desk/enter", data={"name": name, "password": password})


def test_tries_at_the_same_time_count_each_before_any_password_is_looked_at(
    served: Any, monkeypatch: Any
) -> None:
    looked_at = []

    async def story() -> None:
        async with served:
            served.accounts.put("Ada", Role.DIRECTOR, served.PASSWORD)
            fits = Accounts.password_fits
            monkeypatch.setattr(
                Accounts, "password_fits", lambda self, *typed: looked_at.append(typed) or fits(self, *typed)
            )
            client = served.browser()
            answers = await asyncio.gather(*(_enter(client, "Ada", f"wrong {n}") for n in range(60)))
            assert {answer.status_code for answer in answers} == {403}

    asyncio.run(story())
    assert len(looked_at) == FREE_GUESSES


async def test_the_director_enters_in_his_own_browser_while_a_stranger_guesses(served: Any) -> None:
    async with served:
        known, _ = await served.entered(Role.DIRECTOR)
        stranger = served.browser()
        for n in range(2 * FREE_GUESSES):
            await _enter(stranger, "director", f"wrong {n}")
        assert (await _enter(stranger, "director", served.PASSWORD)).status_code == 403
        known.cookies.delete(served.hub.sessions.cookie)
        assert (await _enter(known, "director", served.PASSWORD)).status_code == 303
        assert [counted.abuse for counted in served.abuses.present] == [Abuse.GUESSES]


def test_the_command_line_resets_at_once_and_says_so(
    tmp_path: Path, served: Any, monkeypatch: Any, capsys: Any
) -> None:
    async def story() -> None:
        async with served:
            signed_in, _ = await served.entered(Role.DIRECTOR)
            served.accounts.put("Ada", Role.DIRECTOR, served.PASSWORD)
            stranger = served.browser()
            for n in range(2 * FREE_GUESSES):
                await _enter(stranger, "director", f"wrong {n}")
                await _enter(stranger, "Ada", f"wrong {n}")
            monkeypatch.setattr("hub.cli.accounts._password", lambda: "a new password")
            command = ["account", "put", "director", "--role", "director", "--state-dir", str(tmp_path)]
            assert main(command) == 0
            assert (await signed_in.get("/desk")).headers["location"] == "/desk/enter", "old sessions end"
            assert (await _enter(stranger, "director", "a new password")).status_code == 303
            assert (await _enter(stranger, "Ada", served.PASSWORD)).status_code == 403, (
                "Ada's was not changed"
            )

    asyncio.run(story())
    assert "at once" in capsys.readouterr().out


async def test_the_setup_code_is_counted_by_address_and_makes_one_director(served: Any) -> None:
    async with served:
        client = served.browser()
        for _ in range(2 * FREE_GUESSES):
            await client.post("/desk/setup", data={"code": "AAAA-AAAA", "name": "x", "password": "y" * 9})
        right = {"code": "ABCD-EFGH", "name": "Ada", "password": served.PASSWORD}
        assert (await client.post("/desk/setup", data=right)).status_code == 403, "must wait"
        other = httpx.AsyncClient(
            transport=httpx.ASGITransport(served.app, client=("10.0.0.7", 1)), base_url="http://hub"
        )
        answers = await asyncio.gather(
            *(other.post("/desk/setup", data=right | {"name": name}) for name in ("Ada", "Eve"))
        )
        led = sorted(answer.headers.get("location", "") for answer in answers)
        assert led in (["", SIGNED_IN], ["/desk/enter", SIGNED_IN]), "at once, or one after the other"
        assert [account.name for account in served.accounts.all] == ["Ada"]
