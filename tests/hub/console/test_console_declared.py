"""Facts of the entries: silent until somebody declares them, declared at the console and by the API, taken back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.hub_files import tournament_file

from hub.event_words import clauses_at
from hub.record.acts.event import PlayersPagesSet
from hub.role import Role

OPEN_LINES = ("declared a citizen", "whether a citizen", "sent its results", "sent their results")


def championship(**more: Any) -> dict[str, Any]:
    players = [{"id": f"p{n}", "name": f"Player {n}", "country": ("FRA", "ITA")[n % 2]} for n in range(1, 5)]
    return tournament_file(4, rulebook="woc-2019", date="2026-11-05", **more) | {"players": players}


@pytest.mark.clause("woc-2019 I.2.3", "woc-2019 I.2.3.a", "woc-2017 I.2.3.a", "cc-2024 I.2.3")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "cc-2024"])
async def test_an_event_that_declares_nothing_is_told_of_nothing_undeclared(
    served: Any, rulebook: str
) -> None:
    async with director_at(served, championship() | {"rulebook": rulebook}) as director:
        page = await director.page("players")
        assert not any(line in page for line in OPEN_LINES)
        assert 'href="/desk/t/open/declared"' in director.sent


@pytest.mark.clause("woc-2019 I.2.3.a", "woc-2019 I.2.3.b", "woc-2019 I.2.1")
async def test_declared_facts_are_checked_logged_and_taken_back(served: Any) -> None:
    async with director_at(served, championship()) as director:
        page = await director.page("declared")
        assert 'name="represents-p1"' in director.sent and 'name="federations"' in director.sent
        assert 'name="confederation"' not in director.sent, "this text knows none"
        await director.send("declared/players", **{"represents-p1": "citizen", "represents-p2": ""})
        assert director.state.tournament.player("p1").represents == "citizen"
        page = await director.page("players")
        assert page.count("not declared whether a citizen") == 3, "now the others are looked at"
        everybody = {f"represents-p{n}": "resident" for n in range(2, 5)}
        await director.send(
            "declared/players", **everybody, **{"needs-p2": "wheelchair", "extra_minutes-p2": "5"}
        )
        player = director.state.tournament.player("p2")
        assert (player.needs, player.extra_minutes, player.country) == ("wheelchair", 5, "FRA")
        await director.send("declared", federations="FRA", federations_reporting="FRA, ITA", host=" FRA ")
        tournament = director.state.tournament
        assert (tournament.federations, tournament.federations_reporting) == (("FRA",), ("FRA", "ITA"))
        assert tournament.host == "FRA"
        page = await director.page("declared")
        assert "is neither a federation nor a nation with a contact person" in page
        await director.send("declared", federations="FRA；ITA", federations_reporting="FRA")
        page = await director.page("players")
        assert "has not sent its results" in page and "is neither a federation" not in page
        # In the log, and taken back as every entry.
        assert "Federations" in await director.page("audit")
        await director.send("undo")
        assert director.state.tournament.federations == ("FRA",)
        # What is emptied is declared no more.
        await director.send("declared", federations="", federations_reporting="", host="")
        assert director.state.tournament.federations is None
        await director.send("declared/players", **{f"represents-p{n}": "" for n in range(1, 5)})
        page = await director.page("players")
        assert not any(line in page for line in OPEN_LINES)


async def test_what_is_no_fact_is_refused_by_its_field_and_roles_hold(served: Any) -> None:
    async with director_at(served, championship()) as director:
        for where, form in (
            ("declared/players", {"represents-p1": "tourist"}),
            ("declared/players", {"registered-p1": "yesterday"}),
            ("declared/players", {"extra_minutes-p1": "many"}),
            ("declared/players", {"extra_minutes-p1": "-1"}),
            ("declared", {"results_sent": "1926-01-01"}),
        ):
            await director.send(where, 400, **form)
        entries = len(await served.store.entries("open"))
        await director.send("declared", host="")
        assert len(await served.store.entries("open")) == entries, "an unchanged save is no entry"
        client, csrf = await served.entered(Role.ASSISTANT)
        page = (await client.get("/desk/t/open/declared")).text
        assert re.search(r'name="host"[^>]* disabled', page) and not re.search(
            r'name="needs-p1"[^>]* disabled', page
        )
        answer = await client.post("/desk/t/open/declared", data={"csrf": csrf, "host": "FRA"})
        assert answer.status_code == 403
        answer = await client.post(
            "/desk/t/open/declared/players", data={"csrf": csrf, "represents-p1": "citizen"}
        )
        assert answer.status_code == 303


async def test_two_secretaries_do_not_overwrite_each_other(served: Any) -> None:
    async with director_at(served, championship()) as director:
        await director.page("declared")
        shown = re.findall(r'name="shown" value="(\w+)"', director.sent)[0]
        await director.send("declared/players", **{"represents-p1": "citizen", "shown": shown})
        refused = await director.send("declared/players", 409, **{"represents-p1": "", "shown": shown})
        assert "someone else has changed this" in refused


async def test_the_api_declares_them(served: Any) -> None:
    async with served as client:
        await client.put("/api/1/tournaments/open", json=championship())
        answer = await client.put(
            "/api/1/tournaments/open/declared", json={"federations": ["FRA"], "host": "FRA"}
        )
        assert answer.status_code == 200
        players = {"players": {"p1": {"represents": "citizen", "hands_commit": False}}}
        assert (await client.put("/api/1/tournaments/open/declared/players", json=players)).status_code == 200
        file = (await client.get("/api/1/tournaments/open/file")).json()
        assert file["federations"] == ["FRA"] and file["players"][0]["represents"] == "citizen"
        assert file["players"][0]["hands_commit"] is False
        for body in ({"players": {"zz": {"needs": "x"}}}, {"players": {"p1": {"represents": "tourist"}}}):
            answer = await client.put("/api/1/tournaments/open/declared/players", json=body)
            assert answer.status_code in (400, 404, 422)


@pytest.mark.clause("woc-2019 I.4.2", "woc-2019 I.4.4")
async def test_nobody_announces_that_there_are_no_devices_beside_players_pages(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="club")) as director:
        page = await director.page("draft")
        assert "no devices" not in page and "players' own pages are allowed" in page.replace("&#39;", "'")
        await served.act(PlayersPagesSet(pages=False))
        assert "No notes, no devices, no advice" in await director.page("draft")
        assert ("I.4.2", "consultation") in clauses_at(director.state, "pairing")
