"""A British tournament by the console: chosen for a new event, then its Grand Prix points on page, print and sheet."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers.console_director import Here, director_at
from helpers.finals_values import of_points, win
from helpers.hub_files import tournament_file

from hub.console.pages import event as event_pages

# Two thirds, and nobody level elsewhere.
POINTS = {"p1": 9, "p2": 8, "p3": 6, "p4": 6, "p5": 2}


async def test_a_director_chooses_the_preset_and_sees_what_it_lacks(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "_ASIDE", Here())
    async with director_at(served, tournament_file(4)) as director:
        page = (await director.client.get("/desk/new")).text
        assert re.search(
            r'<option value="bof">British tournament \(without the BOF(&#39;|\')s table rules\)', page
        )
        assert "text for the table is not at hand" in (await director.client.get("/desk/rules")).text
        players = "\n".join(f"Player {chr(65 + number)}; GBR" for number in range(12))
        form = {"csrf": director.csrf, "name": "Regional", "rulebook": "bof", "players": players}
        answer = await director.client.post("/desk/new", data=form)
        assert answer.status_code == 303, answer.text
        tournament = director.served.store.states["regional"].tournament
        assert (tournament.rulebook, tournament.system, tournament.rounds_planned) == ("bof", "swiss", 9)


@pytest.mark.parametrize("rulebook", ["bof", "woc-classic"])
async def test_the_final_list_shows_grand_prix_points(
    served: Any, monkeypatch: pytest.MonkeyPatch, rulebook: str
) -> None:
    monkeypatch.setattr(event_pages, "_ASIDE", Here())
    final = [win("open", "final", "p2", "p1")] if rulebook == "bof" else []
    data = json.dumps(of_points(POINTS, rulebook, name="Nationals", finals=final)).encode()
    async with director_at(served, tournament_file(4)) as director:
        get, post = director.client.get, director.client.post
        form = {"csrf": director.csrf, "name": "Nationals", "rulebook": rulebook, "go_on": "1"}
        answer = await post("/desk/new", data=form, files={"file": ("nationals.json", data)})
        assert answer.status_code == 303, answer.text
        page, paper = (await get("/t/nationals/finals")).text, (await get("/print/nationals/lists")).text
        entries = (await get("/api/1/public/tournaments/nationals/finals")).json()["lists"]["open"]
        if rulebook == "bof":
            assert re.findall(r"Grand Prix (\d+)", page) == ["200", "160", "110", "110", "80"]
            assert "Grand Prix</th>" in paper
            assert re.findall(r'<td class="n">(\d+)</td></tr>', paper) == ["200", "160", "110", "110", "80"]
            assert [entry["grand_prix"] for entry in entries] == [200, 160, 110, 110, 80]
            sheet = await get("/desk/t/nationals/file/lists")
            assert "open,1,p2,p2,8,200" in sheet.text, sheet.text
        else:
            assert "Grand Prix" not in page + paper and "grand_prix" not in str(entries)
