"""Results at the tablet: who has no telephone reports and confirms there."""

from __future__ import annotations

from typing import Any

from helpers.console_director import director_at
from helpers.people import club

from hub.people.acts import shown_game


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
