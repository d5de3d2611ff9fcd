"""Leaving after so many wins, and a play-off of all level with the first, as a director sets them at the console."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers.console_director import Director, director_at, paired
from helpers.hub_served import Served

PLAYERS = "\n".join(f"Name {n}" for n in range(1, 9))
TYPED = {"name": "Open", "rulebook": "jof", "system": "swiss", "rounds_planned": "3", "players": PLAYERS}


async def play_round(director: Director) -> None:
    """Publish the next round; of each game the player with the lower id wins by 16."""
    await director.served.run("publish-round")
    for game in director.state.present_games:
        score = (40, 24) if game.black < game.white else (24, 40)
        await director.served.run("enter-result", game=game.id, score=score, black=game.black)


async def test_an_evening_of_two_wins_with_a_play_off(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, pair=paired)) as director:
        form = await director.page("/desk/new")
        assert "A player leaves after" in form and "Play-off of all level with the first" in form
        await director.send("/desk/new", **TYPED, leave_after_wins="2", level_playoff="4")
        tournament = director.state.tournament
        assert (tournament.leave_after_wins, tournament.level_playoff) == (2, 4)
        await play_round(director)
        await play_round(director)
        gone = [
            line for line in (await director.page("players")).split("<tr") if "left after round 2" in line
        ]
        assert len(gone) == 2
        public = await director.page(f"/t/{director.state.id}/standings")
        assert public.count("left after round 2") == 2
        await director.served.run("publish-round")
        assert len(director.state.present_games) == 3, "six players are left"
        for game in director.state.present_games:
            await director.served.run("enter-result", game=game.id, score=(40, 24), black=game.black)
        page = await director.page("finals")
        assert "Semi-final" in page and "The players draw the colours at the table." in page
        assert await director.page(f"/t/{director.state.id}/finals")


async def test_the_page_event_changes_both_and_gives_them_back_to_the_rulebook(served: Any) -> None:
    async with director_at(served) as director:
        await director.send("/desk/new", **TYPED)
        await director.send("event", leave_after_wins="5", level_playoff="2")
        now = director.state.tournament
        assert (now.leave_after_wins, now.level_playoff) == (5, 2)
        page = await director.page("event")
        assert '<option value="5" selected>5 wins' in page and "at most 2 players" in page
        log = await director.page("audit")
        assert "A player leaves after 5" in log
        await director.send("event", leave_after_wins="0", level_playoff="rulebook")
        now = director.state.tournament
        assert (now.leave_after_wins, now.level_playoff) == (0, None)
        assert "expected one of" in await director.send("event", 400, leave_after_wins="many")
        refused = await director.send("event", 400, system="round_robin", leave_after_wins="3")
        assert "A player leaves after" in refused and "Swiss" in refused
