"""Arrival: the tablet at the door, who is missing, and who comes late."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.people import club

from hub.people.acts import UNDO_S
from hub.people.private import FREE_TRIES
from hub.record.acts.players import PlayerAbsent
from hub.record.fold import fold
from hub.role import Role
from hub.text import Refused


def door(served: Any, event: str = "open") -> str:
    """Return the address for the tablet, "" without one."""
    return str(served.hub.player_links.arrival_path(served.store.states[event]))


async def opened(director: Director, players: int = 4, **more: Any) -> Any:
    """Open a list of arrivals and return the tablet's browser."""
    await director.served.create("open", club(players, **more))
    await director.send("arrival")
    return director.served.browser()


async def arrives(served: Any, tablet: Any, player: str) -> Any:
    return await tablet.post(f"{door(served)}/here", data={"player": player})


def missing_of(page: str) -> int:
    return int(re.findall(r'id="missing-title">Missing: (\d+)', page)[0])


async def test_a_tap_and_a_confirmation_with_the_name_note_that_a_player_is_here(served: Any) -> None:
    async with director_at(served) as director:
        tablet = await opened(director)
        page = (await tablet.get(door(served))).text
        assert "✓ 0 / 4" in page and f'{door(served)}?player=p2"' in page
        asked = (await tablet.get(door(served), params={"player": "p2"})).text
        assert "Yes, I am here" in asked and "Player 2" in asked and "Player 1" not in asked
        assert director.state.arrival.here == {}, "nothing is noted by a tap alone"
        answer = await arrives(served, tablet, "p2")
        assert (answer.status_code, answer.headers["location"]) == (303, f"{door(served)}?done=p2")
        page = (await tablet.get(answer.headers["location"])).text
        assert "✓ 1 / 4" in page and "Undo" in page and f'{door(served)}?player=p2"' not in page
        console = await director.page("arrival")
        assert missing_of(console) == 3 and "Player 2" in console
        entries = await served.store.entries("open")
        assert entries[-1].who == "tablet" and fold(entries).arrival == director.state.arrival
        assert (await arrives(served, tablet, "p2")).status_code == 303, "twice is once"
        assert len(await served.store.entries("open")) == len(entries)


async def test_no_list_is_opened_for_a_round_after_the_last_one(served: Any) -> None:
    async with director_at(served) as director:
        await served.create("open", club(rounds_planned=1))
        await served.run("publish-round")
        assert "Open a list for round 1" in await director.page("arrival")
        await director.send("arrival")
        assert director.state.arrival.round == 1
        page = await director.page("arrival")
        assert "New list for round 1" in page and "as absent" not in page
        with pytest.raises(Refused, match="expected a whole number from 1 to 1, got 2"):
            await served.act(PlayerAbsent(player="p1"))


async def test_the_tablet_is_sent_where_other_devices_find_the_hub(served: Any) -> None:
    async with director_at(served) as director:
        await opened(director)
        served.hub.site.public_page = "http://hall.example:8000"
        assert f'href="http://hall.example:8000{door(served)}"' in await director.page("arrival")


async def test_an_arrival_can_be_undone_for_a_minute(served: Any) -> None:
    async with director_at(served) as director:
        tablet = await opened(director)
        await arrives(served, tablet, "p1")
        await arrives(served, tablet, "p2")
        served.now_ns += (UNDO_S - 1) * 1_000_000_000
        undone = await tablet.post(f"{door(served)}/undo", data={"player": "p1"})
        assert undone.status_code == 303 and set(director.state.arrival.here) == {"p2"}
        served.now_ns += 1_000_000_000
        late = await tablet.post(f"{door(served)}/undo", data={"player": "p2"})
        assert late.status_code == 400 and "Ask the director" in late.text
        assert "Undo" not in (await tablet.get(door(served), params={"done": "p2"})).text
        await director.send("arrival/here", player="p2")
        assert director.state.arrival.here == {}, "the console can at any time"


async def test_the_missing_become_absent_by_one_press_with_the_list_that_was_shown(served: Any) -> None:
    async with director_at(served) as director:
        tablet = await opened(director)
        for player in ("p1", "p2"):
            await arrives(served, tablet, player)
        page = await director.page("arrival")
        assert "Note 2 players as absent in round 1" in page
        shown = re.findall(r'action="[^"]*/arrival/missing"[^>]*>.*?name="shown" value="(\w+)"', page, re.S)[
            0
        ]
        await arrives(served, tablet, "p3")
        refused = await director.send("arrival/missing", 409, shown=shown)
        assert "someone else has changed this" in refused, "the list is another one by now"
        page = await director.page("arrival")
        shown = re.findall(r'action="[^"]*/arrival/missing"[^>]*>.*?name="shown" value="(\w+)"', page, re.S)[
            0
        ]
        await director.send("arrival/missing", shown=shown)
        assert [(gone.player, gone.round) for gone in director.state.tournament.absences] == [("p4", 1)]
        assert missing_of(await director.page("arrival")) == 0
        await director.send("draft/pair")
        await served.run("publish-round")


async def test_who_comes_late_is_shown_to_the_director(served: Any) -> None:
    async with director_at(served) as director:
        tablet = await opened(director)
        for player in ("p1", "p2"):
            await arrives(served, tablet, player)
        await served.act(PlayerAbsent(player="p4"))
        await arrives(served, tablet, "p4")
        console = await director.page("round")
        assert "is noted as absent in round 1" in console
        await director.send("player/p4/present", round="1")
        assert "is noted as absent" not in await director.page("round")
        await served.act(PlayerAbsent(player="p3"))
        await served.run("publish-round")  # p1 against p2; the pairing of this test leaves the others out
        await arrives(served, tablet, "p3")
        console = await director.page("round")
        assert "has arrived after the pairing of round 1, and has no game in it." in console
        assert "late" in await director.page("arrival")
        (matter,) = set(re.findall(r'name="matter" value="(arrived-[^"]+)"', console))
        await director.send("settle", matter=matter, why="plays from round 2")
        assert "has arrived after the pairing" not in await director.page("round")


async def test_each_list_has_a_link_of_its_own_and_a_closed_one_none(served: Any) -> None:
    async with director_at(served) as director:
        tablet = await opened(director)
        first = door(served)
        await arrives(served, tablet, "p1")
        await director.send("arrival", keep="1", boxes="keep")
        second = door(served)
        assert second != first and (await tablet.get(first)).status_code == 404
        assert set(director.state.arrival.here) == {"p1"}, "who is here is kept"
        await director.send("arrival")
        assert director.state.arrival.here == {} and door(served) not in (first, second)
        third = door(served)
        await director.send("arrival/close")
        assert door(served) == "" and (await tablet.get(third)).status_code == 404
        assert (await tablet.post(f"{third}/here", data={"player": "p1"})).status_code == 404
        assert "/arrival/" not in await director.page("audit")


async def test_only_the_director_opens_the_list_and_sees_its_address(served: Any) -> None:
    async with director_at(served) as director:
        await opened(director)
        assert door(served) in await director.page("arrival")
        assistant = Director(served, *await served.entered(Role.ASSISTANT))
        assert door(served) not in await assistant.page("arrival")
        await assistant.send("arrival", 403)
        await assistant.send("arrival/here", player="p1", here="1")
        assert set(director.state.arrival.here) == {"p1"}


async def test_the_tablets_link_opens_arrivals_of_one_event_alone(served: Any) -> None:
    async with director_at(served) as director:
        tablet = await opened(director)
        await served.create("other", club(2))
        page = await tablet.get(door(served))
        assert page.headers["cache-control"] == "private, no-store"
        assert page.headers["referrer-policy"] == "no-referrer" and "noindex" in page.text
        token = door(served).removeprefix("/arrival/")
        assert (await tablet.get(f"/me/{token}")).status_code == 404
        players_own = served.hub.player_links.path(director.state, "p1").removeprefix("/me/")
        assert (await tablet.get(f"/arrival/{players_own}")).status_code == 404
        assert (await tablet.get("/desk/t/open/round")).status_code == 303
        for player in ("nobody", "", "x" * 3_000):
            assert (await arrives(served, tablet, player)).status_code == 400
        for _ in range(FREE_TRIES):
            await tablet.get("/arrival/" + "A" * 24)
        assert (await tablet.get("/arrival/" + "A" * 24)).status_code == 429


async def test_it_works_for_300_players(served: Any) -> None:
    async with director_at(served) as director:
        tablet = await opened(director, 300)
        for number in range(1, 300):
            assert (await arrives(served, tablet, f"p{number}")).status_code == 303
        assert [player.id for player in director.state.missing] == ["p300"]
        page = (await tablet.get(door(served), params={"q": "player 300"})).text
        assert page.count("<li data-name") == 1
