"""Who guesses passwords waits; who knows his own never waits for those who guess."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx

from hub.console.login.accounts import Accounts, Role
from hub.console.login.guesses import FREE_GUESSES, PAUSE_S, Guesses
from hub.limits.abuses import Abuse, Abuses
from hub.main import main

SECOND_NS = 1_000_000_000


def guesses_at(now: list[int]) -> Guesses:
    return Guesses(lambda: now[0], b"a secret", Abuses(lambda: now[0]))


def test_a_stranger_waits_after_some_tries_and_others_do_not() -> None:
    now = [0]
    guesses = guesses_at(now)
    for _ in range(FREE_GUESSES):
        assert guesses.wait_s("10.0.0.9", "Ada") == 0
    assert 0 < guesses.wait_s("10.0.0.9", "Ada") <= PAUSE_S + 1
    assert guesses.wait_s("10.0.0.9", "Bob") == 0, "another name at the same address"
    assert guesses.wait_s("10.0.0.8", "Ada") == 0, "the same name at another address"
    now[0] = (PAUSE_S + 1) * SECOND_NS
    assert guesses.wait_s("10.0.0.9", "Ada") == 0


def test_junk_names_do_not_wash_a_count_away() -> None:
    now = [0]
    guesses = guesses_at(now)
    tried = sum(guesses.wait_s("10.0.0.9", f"made up {n}") == 0 for n in range(20_000))
    assert tried <= 25 and guesses.wait_s("10.0.0.9", "Ada") > 0
    assert len(guesses._buckets) < 5_000


def test_many_addresses_together_are_looked_at_a_few_times_a_second() -> None:
    now = [0]
    guesses = guesses_at(now)
    assert sum(guesses.wait_s(f"10.0.{n // 250}.{n % 250}", "Ada") == 0 for n in range(5_000)) <= 20
    now[0] = 10 * SECOND_NS
    assert sum(guesses.wait_s(f"10.1.{n // 250}.{n % 250}", "Ada") == 0 for n in range(5_000)) <= 20


def test_a_known_browser_is_not_delayed_by_strangers_and_counts_for_its_own_name_alone() -> None:
    guesses = guesses_at([0])
    cookie = guesses.cookie("Ada", "fresh")
    for n in range(1_000):
        guesses.wait_s(f"10.0.0.{n % 250}", "Ada")
    assert guesses.wait_s("10.0.0.9", "Ada") > 0
    assert guesses.wait_s("10.0.0.9", "Ada", cookie) == 0
    assert guesses.wait_s("10.0.0.9", "Bob", cookie) > 0
    assert guesses.wait_s("10.0.0.9", "Ada", cookie[:-1] + "0") > 0 or cookie.endswith("0")
    for bad in ("", ".", "..", "é", "x" * 10_000):
        assert guesses.wait_s("10.0.0.9", "Ada", bad) > 0


async def _enter(client: httpx.AsyncClient, name: str, password: str) -> httpx.Response:
    return await client.post("/desk/enter", data={"name": name, "password": password})


def test_tries_at_the_same_time_count_each_before_any_password_is_looked_at(
    tmp_path: Path, new_served: Any, monkeypatch: Any
) -> None:
    looked_at = []

    async def story() -> None:
        served = new_served(tmp_path)
        async with served:
            served.accounts.put("Ada", Role.DIRECTOR, served.PASSWORD)
            fits = Accounts.fits
            monkeypatch.setattr(
                Accounts, "fits", lambda self, *said: looked_at.append(said) or fits(self, *said)
            )
            client = served.browser()
            answers = await asyncio.gather(*(_enter(client, "Ada", f"wrong {n}") for n in range(60)))
            assert {answer.status_code for answer in answers} == {403}

    asyncio.run(story())
    assert len(looked_at) == FREE_GUESSES


def test_the_director_enters_in_his_own_browser_while_a_stranger_guesses(
    tmp_path: Path, new_served: Any
) -> None:
    async def story() -> None:
        served = new_served(tmp_path)
        async with served:
            own, _ = await served.entered(Role.DIRECTOR)
            stranger = served.browser()
            for n in range(2 * FREE_GUESSES):
                await _enter(stranger, "director", f"wrong {n}")
            assert (await _enter(stranger, "director", served.PASSWORD)).status_code == 403
            own.cookies.delete("flagfall-console")
            assert (await _enter(own, "director", served.PASSWORD)).status_code == 303
            assert [one.abuse for one in served.abuses.present] == [Abuse.GUESSES]

    asyncio.run(story())


def test_the_command_line_resets_at_once_and_says_so(
    tmp_path: Path, new_served: Any, monkeypatch: Any, capsys: Any
) -> None:
    async def story() -> None:
        served = new_served(tmp_path)
        async with served:
            signed_in, _ = await served.entered(Role.DIRECTOR)
            stranger = served.browser()
            for n in range(2 * FREE_GUESSES):
                await _enter(stranger, "director", f"wrong {n}")
            monkeypatch.setattr("hub.commands.accounts._password", lambda: "a new password")
            command = ["account", "put", "director", "--role", "director", "--state-dir", str(tmp_path)]
            assert main(command) == 0
            assert (await signed_in.get("/desk")).headers["location"] == "/desk/enter", "old sessions end"
            assert (await _enter(stranger, "director", "a new password")).status_code == 303

    asyncio.run(story())
    assert "at once" in capsys.readouterr().out


def test_the_setup_code_is_counted_by_address_and_makes_one_director(tmp_path: Path, new_served: Any) -> None:
    async def story() -> None:
        served = new_served(tmp_path)
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
            assert sorted(answer.status_code for answer in answers) == [303, 403]
            assert [one.name for one in served.accounts.all] == ["Ada"]

    asyncio.run(story())
