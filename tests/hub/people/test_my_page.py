"""My page: where a player sits, their games, and nothing that helps them play."""

from __future__ import annotations

import datetime
from typing import Any

from helpers.console_director import director_at
from helpers.hub_files import clock_of, tournament_file
from helpers.people import link, my_page

from hub.record.acts.event import ShowingSet


async def test_it_shows_table_colour_opponent_and_the_time_of_the_next_round(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="club", time_zone="Europe/Paris")) as director:
        page = await my_page(served)
        assert "No game yet" in page and "place" not in page
        starts = served.wall + datetime.timedelta(hours=1)
        await served.act(ShowingSet(starts_at=starts.isoformat()))
        assert "Round 1 starts at 12:00." in await my_page(served)
        await served.run("publish-round")
        page = await my_page(served)
        assert 'class="huge">1<' in page and "You have Black against" in page and "Player 2" in page
        assert "Round 1 starts at 12:00." in page
        assert "You have White against" in await my_page(served, "p2")
        assert "You have a bye in round 1" in await my_page(served, "p3")
        await director.send("start")
        served.wall = starts
        assert "starts at" not in await my_page(served)
        await director.send("result", table=1, black=40, white=24)
        page = await my_page(served)
        assert "You had Black against" in page and "40–24" in page and "place 1 · 1 point" in page
        assert "24–40" in await my_page(served, "p2")


async def test_where_telephones_are_forbidden_it_shows_a_round_from_its_start_on(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="open")) as director:
        await served.run("publish-round")
        page = await my_page(served)
        assert "Player 2" not in page and "posted in the room" in page
        await director.send("start")
        assert "Player 2" in await my_page(served)


async def test_it_shows_no_clock_board_or_move_of_a_game_in_play(served: Any) -> None:
    async with director_at(served) as director:
        await served.enroll("t1", 1)
        await served.create("open", tournament_file(4, rulebook="club"))
        await served.run("publish-round")
        await director.send("start")
        (game,) = director.state.present_games
        clock = clock_of(game.id)
        served.live.hear_clock("t1", clock, 0)
        assert "12:34" in await director.page("round"), "the console shows it"
        page = await my_page(served)
        assert "Player 2" in page and "12:34" not in page
        assert 'class="board' not in page and f"/games/{game.id}" not in page and "clock.js" not in page


async def test_it_speaks_the_readers_language(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="club")):
        page = await my_page(served, lang="fr")
        assert '<html lang="fr"' in page and "Ma table" in page
        assert "/t/open?lang=fr" in page
        answer = await served.browser().get(link(served), headers={"accept-language": "ja"})
        assert '<html lang="ja"' in answer.text


async def test_it_takes_the_place_apart_in_words(served: Any) -> None:
    games = [
        {"black": "p1", "white": "p2", "score": [40, 24]},
        {"black": "p3", "white": "p4", "score": [34, 30]},
    ]
    file = tournament_file(5, rulebook="club", rounds=[{"games": games, "byes": ["p5"]}], bq_constant=6)
    async with director_at(served, file | {"tie_break": "bq"}):
        page = await my_page(served)
        assert "more points" not in page
        assert "3 players have 1 point." in page
        assert "Brightwell quotient" in page and "6 × 0" in page, "the opponent has no points"
        page = await my_page(served, "p5")
        assert "6 × 1" in page and '<td class="n">38</td>' in page, "a bye: 32 and 6 times one's own points"
        assert "3 players have more points." in await my_page(served, "p2")


async def test_under_jof_the_differences_of_discs_are_taken_apart(served: Any) -> None:
    games = [{"black": "p1", "white": "p2", "score": [40, 24]}]
    file = tournament_file(3, rulebook="jof", rounds=[{"games": games, "byes": ["p3"]}])
    async with director_at(served, file) as director:
        await director.send("event/players-pages", pages="1")
        page = await my_page(served)
        assert "difference of discs" in page and "+16" in page and "Brightwell" not in page
        assert "-16" in await my_page(served, "p2")
