"""Prizes: typed at the console, printed, in the files, and refused with a reason."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from typing import Any

import pytest
from helpers.browsing import barriers, chromium
from helpers.console_director import director_at
from helpers.hub_files import tournament_file

from hub.model.lists import ListPrizes, PrizeFund
from hub.role import Role
from hub.text import Refused


def evening() -> dict[str, Any]:
    """Return a club's evening with a clear winner and two who share the second place."""
    games = [
        {"black": "p1", "white": "p2", "score": [40, 24]},
        {"black": "p3", "white": "p4", "score": [40, 24]},
    ]
    second = [
        {"black": "p1", "white": "p3", "score": [40, 24]},
        {"black": "p2", "white": "p4", "score": [40, 24]},
    ]
    return tournament_file(
        4, rounds_planned=2, date="2026-11-05", rounds=[{"games": games}, {"games": second}]
    )


FORM: dict[str, Any] = {
    "list": ["open"],
    "currency": "EUR",
    "round_to_cents": "1",
    "prizes-open-money": "300, 200.5 100",
    "prizes-open-points": "10 7 5",
}


async def test_typed_prizes_are_kept_printed_and_in_all_files(served: Any) -> None:
    async with director_at(served, evening()) as director:
        page = await director.page("lists")
        assert 'name="prizes-open-money"' in page and "/prizes?" not in page
        await director.send("lists/prizes", **FORM)
        assert director.state.tournament.prizes == PrizeFund(
            {"open": ListPrizes((30_000, 20_050, 10_000), (10, 7, 5))}, "EUR"
        )
        page = await director.page("lists")
        assert 'value="300 200.50 100"' in page and 'value="10 7 5"' in page
        printed = await director.page("/print/open/prizes")
        assert "Prize list" in printed and "300\u00a0EUR" in printed and "Received" in printed
        assert "rounded down to 0.01\u00a0EUR" in printed and "Provisional" in printed
        html = await director.page("file/final-list-html")
        assert "300\u00a0EUR" in html and "Received" not in html
        text = (await director.page("file/prizes")).removeprefix("\ufeff")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert (
            rows[0]["money"] == "300"
            and rows[0]["currency"] == "EUR"
            and rows[0]["name"].startswith("Player")
        )
        assert all(re.fullmatch(r"\d+(\.\d+)?", row["money"]) for row in rows)
        assert sum(float(row["money"]) for row in rows) <= 600.5
        assert "Prizes" in await director.page("audit")
        await director.send("lists/prizes", **(FORM | {"prizes-open-money": "", "prizes-open-points": ""}))
        assert director.state.tournament.prizes is None
        assert "Nothing to show yet" in await director.page("/print/open/prizes")


@pytest.mark.long
@pytest.mark.needs("chromium")
async def test_the_printed_list_has_no_barrier(served: Any, axe: str) -> None:
    async with director_at(served, evening()) as director:
        await director.send("lists/prizes", **FORM)
        await director.page("/print/open/prizes")
        sent = director.sent

    def faults() -> Any:
        with chromium() as browser:
            context = browser.new_context(bypass_csp=True)
            page = context.new_page()
            page.set_content(sent)
            assert page.locator("table.prizes tbody tr").count() > 1
            barred = barriers(page, axe)
            context.close()
        return barred

    assert not await asyncio.to_thread(faults)


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("money", "300,200,100"),
        ("money", "-5"),
        ("money", "300,200"),
        ("money", "500 600"),
        ("money", "0.500"),
        ("money", "100 200"),
        ("money", "1e9"),
        ("points", "7.5"),
        ("points", "5 7"),
        ("points", "7 x"),
    ],
)
async def test_what_is_no_prize_is_refused_and_what_was_typed_stays(
    served: Any, field: str, typed: str
) -> None:
    async with director_at(served, evening()) as director:
        page = await director.send("lists/prizes", 400, **(FORM | {f"prizes-open-{field}": typed}))
        assert f'value="{typed}"' in page and director.state.tournament.prizes is None


async def test_what_was_understood_is_shown_and_a_wrong_order_is_told_as_it_was_typed(served: Any) -> None:
    async with director_at(served, evening()) as director:
        await director.send("lists/prizes", **(FORM | {"prizes-open-money": "1 000 500,50 250"}))
        page = await director.page("lists")
        assert "3 prizes: 1000\u00a0EUR · 500.50\u00a0EUR · 250\u00a0EUR" in page
        assert 'value="1000 500.50 250"' in page
        fund = PrizeFund({"open": ListPrizes((1000, 2050))}, "EUR")
        with pytest.raises(Refused, match=r"got '10 20\.50'"):
            await served.run("set-prizes", fund=fund)


async def test_only_a_director_sets_prizes(served: Any) -> None:
    async with director_at(served, evening()) as director:
        client, csrf = await served.entered(Role.ASSISTANT)
        assert "prizes-open-money" not in (await client.get("/desk/t/open/lists")).text
        answer = await client.post("/desk/t/open/lists/prizes", data={"csrf": csrf, **FORM})
        assert answer.status_code == 403 and director.state.tournament.prizes is None
