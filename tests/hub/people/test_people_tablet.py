"""Results at the tablet: who has no telephone reports and confirms there."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.people import club, my_page, sends

from hub.people.acts import shown_game
from hub.record.fold import fold


async def test_both_players_report_and_confirm_at_the_tablet(served: Any) -> None:
    async with director_at(served) as director:
        await served.create("open", club())
        await director.send("arrival")
        await served.run("publish-round")
        await director.send("start")
        door, tablet = served.hub.player_links.arrival_path(director.state), served.browser()
        (game,) = director.state.present_games
        form = {"game": game.id, "player": "p1", "shown": shown_game(game), "mine": "40", "theirs": "24"}
        assert f"?game={game.id}" not in (await tablet.get(door)).text, "off until the director turns it on"
        assert (await tablet.post(f"{door}/score", data=form)).status_code == 400
        await director.send("event/players-pages", pages="1", results="1")
        assert f"?game={game.id}" in (await tablet.get(door)).text
        answer = await tablet.post(f"{door}/score", data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, f"{door}?game={game.id}")
        page = (await tablet.get(answer.headers["location"])).text
        assert "You have reported 40–24" in page and page.count("Confirm 24–40") == 1
        assert director.state.games[game.id].score is None
        # The same player again is not the other one, and a page that is behind confirms nothing.
        stale = {**form, "player": "p2", "mine": "24", "theirs": "40"}
        assert (await tablet.post(f"{door}/score", data=stale)).status_code == 400
        assert (await tablet.post(f"{door}/score", data={**stale, "player": "p3"})).status_code == 400
        present = {**stale, "shown": shown_game(director.state.games[game.id])}
        assert (await tablet.post(f"{door}/score", data=present)).status_code == 303
        assert director.state.games[game.id].score == (40, 24)
        assert "✓" in (await tablet.get(door, params={"game": game.id})).text
        entries = await served.store.entries("open")
        assert [entry.who for entry in entries if entry.type == "result_claimed"] == ["tablet", "tablet"]


async def test_two_at_the_tablet_who_differ_are_told_that_the_director_knows(served: Any) -> None:
    async with director_at(served) as director:
        await served.create("open", club())
        await director.send("arrival")
        await director.send("event/players-pages", pages="1", results="1")
        await served.run("publish-round")
        await director.send("start")
        door, tablet = served.hub.player_links.arrival_path(director.state), served.browser()
        (game,) = director.state.present_games
        form = {"game": game.id, "player": "p1", "shown": shown_game(game), "mine": "40", "theirs": "24"}
        await tablet.post(f"{door}/score", data=form)
        present = {"player": "p2", "shown": shown_game(director.state.games[game.id])}
        await tablet.post(f"{door}/score", data={**form, **present, "mine": "30", "theirs": "34"})
        assert director.state.games[game.id].conflict
        assert "The two scores differ" in (await tablet.get(door, params={"game": game.id})).text


async def reported(director: Any, confirm: str, reports: list[str]) -> Any:
    """Report 40–24 for both players in a new event: "p1" on their page, "tablet p1" at the tablet. Return the game."""
    served = director.served
    await served.create("open", club())
    await director.send("arrival")
    await director.send("event/players-pages", pages="1", results="1", confirm=confirm)
    await served.run("publish-round")
    await director.send("start")
    door, tablet = served.hub.player_links.arrival_path(director.state), served.browser()
    (game,) = director.state.present_games
    for report in reports:
        player = report[-2:]
        mine, theirs = ("40", "24") if player == "p1" else ("24", "40")
        shown = shown_game(director.state.games[game.id])
        form = {"game": game.id, "shown": shown, "mine": mine, "theirs": theirs}
        if report.startswith("tablet"):
            answer = await tablet.post(f"{door}/score", data=form | {"player": player})
            assert answer.status_code == 303
        else:
            assert (await sends(served, "score", player, **form))[0] == 303
    return director.state.games[game.id]


@pytest.mark.parametrize(
    ("confirm", "reports", "counts", "marked"),
    [
        ("tablet", ["p1", "p2"], True, False),
        ("tablet", ["p1", "tablet p2"], True, True),
        ("tablet", ["tablet p2", "p1"], True, True),
        ("phones", ["p1", "p2"], True, False),
        ("phones", ["p1", "tablet p2"], False, False),
        ("phones", ["tablet p2", "p1"], False, False),
        ("phones", ["p1", "tablet p2", "p2"], True, False),
        ("phones", ["tablet p1", "tablet p2"], False, False),
        ("desk", ["p1", "p2"], False, False),
        ("desk", ["p1", "tablet p2"], False, False),
    ],
)
async def test_what_counts_is_the_directors_to_say_and_the_tablet_is_marked(
    served: Any, confirm: str, reports: list[str], counts: bool, marked: bool
) -> None:
    async with director_at(served) as director:
        game = await reported(director, confirm, reports)
        assert (game.score, game.confirmed_at_tablet) == ((40, 24) if counts else None, marked)
        round_, page = await director.page("round"), await director.page(f"game/{game.id}")
        assert ("players, tablet" in round_) == marked
        at_tablet = len(reports) == 2 and any(report.startswith("tablet") for report in reports)
        assert ("at the tablet at the door" in page) == at_tablet
        assert ("at the tablet at the door" in await director.page("audit")) == any(
            report.startswith("tablet") for report in reports
        )
        api = (await served.client.get("/api/1/tournaments/open")).json()["games"][0]
        assert api["at_tablet"] == marked
        if not counts:
            assert "reported by both" in round_ and "It counts when you enter it" in round_
            assert "40–24 counts" in page
            await director.send("result", table=1, black=40, white=24)
            entry = director.state.games[game.id]
            assert (entry.score, entry.conflict, entry.confirmed_at_tablet) == ((40, 24), False, False)
            assert "players and console" in await director.page("round")
        assert fold(await served.store.entries("open")) == director.state


async def test_a_setting_is_on_record_and_undone_without_a_change_of_what_counted(served: Any) -> None:
    async with director_at(served) as director:
        game = await reported(director, "phones", ["p1", "tablet p2"])
        assert "confirms it on their own page" in await my_page(served, "p1")
        page = await my_page(served, "p2")
        assert "Player 1" in page and "Confirm 24–40" in page, "the second telephone may still say it"
        assert "not at the tablet" in await director.page("audit")
        answer = await served.client.put(
            "/api/1/tournaments/open/players-pages", json={"pages": True, "results": True, "confirm": "desk"}
        )
        assert answer.status_code == 200 and director.state.confirm == "desk"
        assert "when the director has entered it" in await my_page(served, "p1")
        await director.send("undo")
        assert director.state.confirm == "phones" and director.state.games[game.id].score is None
        answer = await served.client.put("/api/1/tournaments/open/players-pages", json={"confirm": "nobody"})
        assert answer.status_code == 400 and "confirm" in answer.text


async def test_the_confirming_player_reads_the_report_from_their_own_side(served: Any) -> None:
    async with director_at(served) as director:
        game = await reported(director, "tablet", ["p1"])
        page = (await my_page(served, "p2")).replace("\u2068", "").replace("\u2069", "")
        assert "Player 1 reports: you 24, they 40." in page and "You lost." in page
        assert "40–24" not in page and "Confirm 24–40" in page
        door = served.hub.player_links.arrival_path(director.state)
        tablet = (await served.browser().get(door, params={"game": game.id})).text
        assert "reports: you 24, they 40." in tablet
        form = {"game": game.id, "mine": "25", "theirs": "60"}
        for player in ("p1", "p2"):
            _, page = await sends(served, "score", player, **form)
            assert "got 25-60" in page, "in the order in which it was typed"
