"""Tests of abuses on the operator's page: by address or device, with their number, and a device can go."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.hub_files import tournament_file

from hub.console.views.alerts import WORTH_TELLING
from hub.limits import OF_DEVICES, SHOWN_NS, Abuse
from hub.role import Role
from hub.web.bounds import KNOWN_BYTES


@pytest.mark.parametrize("language", ("en", "fr", "ja"))
async def test_each_attack_is_named_with_who_it_was_and_how_often(served: Any, language: str) -> None:
    async with director_at(served, tournament_file(4)) as director:
        director.client.cookies.set("flagfall-language", language)
        calm = await director.page("round")
        for number, abuse in enumerate(Abuse, 1):
            who = f"table-{number}" if abuse in OF_DEVICES else f"10.0.7.{number}"
            served.abuses.note(abuse, who, 100 + number)
        page = await director.page("round")
        for number, abuse in enumerate(Abuse, 1):
            who = f"table-{number}" if abuse in OF_DEVICES else f"10.0.7.{number}"
            assert who in page and who not in calm, abuse
            assert str(100 + number) in page, abuse
        assert page.count('value="table-') >= len(OF_DEVICES) and 'value="10.0.7.' not in page
        served.now_ns += SHOWN_NS + 1
        client, _ = await served.entered(Role.DIRECTOR)
        assert "10.0.7." not in (await client.get("/desk/t/open/round")).text


async def test_a_message_or_two_that_nobody_can_read_are_no_attack(served: Any) -> None:
    async with director_at(served, tournament_file(4)) as director:
        served.abuses.note(Abuse.FAULTS, "table-1", WORTH_TELLING - 1)
        assert "table-1" not in await director.page("round")
        served.abuses.note(Abuse.FAULTS, "table-1")
        assert "table-1" in await director.page("round")


async def test_a_device_that_is_set_aside_is_enrolled_no_more_and_named_no_more(served: Any) -> None:
    async with director_at(served, tournament_file(4)) as director:
        await served.enroll("table-1", 1)
        served.abuses.note(Abuse.MESSAGES, "table-1", 500)
        await director.send("set-aside", device="table-1")
        assert served.devices.key("table-1") is None and not served.abuses.present


async def test_a_file_that_is_too_large_is_refused_on_the_forms_own_page(served: Any) -> None:
    async with served:
        client, csrf = await served.entered(Role.DIRECTOR)
        answer = await client.post(
            "/desk/new", data={"csrf": csrf}, files={"file": ("players.csv", bytes(KNOWN_BYTES))}
        )
        assert answer.status_code == 413 and answer.headers["connection"] == "close"
        assert "File: expected at most 8 MB" in answer.text and "Create the event" in answer.text
