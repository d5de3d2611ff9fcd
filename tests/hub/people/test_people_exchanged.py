"""A director who exchanges colours and players under players' reports, and pages that still show what was before."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.people import club, my_page, sends

from hub.pairing.round import PairedGame
from hub.people.acts import shown_game
from hub.rounds.paired import Paired


async def two_tables(tournament: Any) -> Paired:
    return Paired(1, (PairedGame(1, "p1", "p2"), PairedGame(2, "p3", "p4")), (), None, ())


async def begun(director: Director) -> str:
    """Start a round on paper with p1 (Black) and p2 at table 1, and return the id of their game."""
    director.served.pair = two_tables
    await director.served.create("open", club())
    await director.send("event/players-pages", pages="1", results="1")
    await director.served.run("publish-round")
    await director.send("start")
    return str(next(game.id for game in director.state.present_games if game.table == 1))


async def exchange(director: Director, game: str, change: str = "colours", **more: str) -> None:
    await director.send("corrections", game=game, change=change, why="as they sat", **more)


def plain(page: str) -> str:
    return page.replace("\u2068", "").replace("\u2069", "")


async def test_a_waiting_report_turns_with_the_colours(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await sends(served, "score", game=game, mine="40", theirs="24")
        old = shown_game(director.state.games[game])
        await exchange(director, game)
        assert "You have reported 40–24" in await my_page(served)
        page = plain(await my_page(served, "p2"))
        assert "Confirm 24–40" in page and "You have reported" not in page
        status, page = await sends(served, "score", "p2", game=game, mine="24", theirs="40", shown=old)
        assert (
            status == 400
            and "This game has changed in the meantime" in page
            and "Confirm 24–40" in plain(page)
        )
        assert director.state.games[game].score is None
        assert (await sends(served, "score", "p2", game=game, mine="24", theirs="40"))[0] == 303
        entry = director.state.games[game]
        assert (entry.players, entry.score, entry.confirmed) == (("p2", "p1"), (24, 40), True)
        assert "both players" in await director.page("round")


async def test_a_report_goes_with_the_player_who_made_it_and_with_the_one_it_was_about(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        old = shown_game(director.state.games[game])
        await sends(served, "score", game=game, mine="40", theirs="24")
        await exchange(director, game, "players", player="black", other="p3")
        for player in ("p1", "p2", "p3"):
            page = await my_page(served, player)
            assert "You have reported" not in page and "Confirm" not in page, player
            form = {"game": game, "mine": "24", "theirs": "40", "shown": old}
            assert (await sends(served, "score", player, **form))[0] == 400, player
        # The one who stays says it of the new opponent, who confirms it.
        assert (await sends(served, "score", "p2", game=game, mine="24", theirs="40"))[0] == 303
        assert director.state.games[game].score is None
        await sends(served, "score", "p3", game=game, mine="40", theirs="24")
        assert director.state.games[game].score == (40, 24)


async def test_an_exchange_is_not_taken_back_under_a_later_report(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await exchange(director, game)
        made = (await served.store.entries("open"))[-1].id
        await sends(served, "score", game=game, mine="40", theirs="24")
        refused = await director.send("undo", 400, entry=made, to="round")
        assert "given for the players as they sit now. Exchange them again instead" in refused
        await exchange(director, game)
        await sends(served, "score", "p2", game=game, mine="24", theirs="40")
        entry = director.state.games[game]
        assert (entry.players, entry.score) == (("p1", "p2"), (40, 24))
        # Without a later word it is taken back, and what was said before is as it was.
        await exchange(director, game)
        assert director.state.games[game].score == (24, 40)
        await director.send("undo", to="round")
        assert director.state.games[game].score == (40, 24)
        assert "both players" in await director.page("round")


async def test_an_objection_carries_the_result_that_it_is_about(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await director.send("result", table=1, black=40, white=24)
        old = shown_game(director.state.games[game])
        await director.send(
            "corrections",
            game=game,
            change="result",
            black=36,
            white=28,
            reason="board",
            why="as on the sheet",
        )
        status, page = await sends(served, "wrong", game=game, words="It was 36 to 28.", shown=old)
        assert status == 400 and "has changed in the meantime" in page and "36–28" in page
        assert "It was 36 to 28." in page, "the words are not lost"
        assert director.state.objections == ()
        assert (await sends(served, "wrong", game=game, words="No, 34 to 30."))[0] == 303


async def test_the_tablets_page_is_refused_as_a_players_own(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await director.send("arrival")
        door, tablet = served.hub.player_links.arrival_path(director.state), served.browser()
        form = {"game": game, "player": "p1", "mine": "40", "theirs": "24"}
        form["shown"] = shown_game(director.state.games[game])
        await exchange(director, game, "players", player="white", other="p4")
        answer = await tablet.post(f"{door}/score", data=form)
        assert answer.status_code == 400 and "has changed in the meantime" in answer.text
        assert director.state.games[game].claim is None


@pytest.mark.parametrize(
    "change", [{"change": "colours"}, {"change": "players", "player": "black", "other": "p3"}]
)
async def test_a_result_typed_on_an_older_page_is_not_the_other_players(
    served: Any, change: dict[str, str]
) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await director.page("round")
        shown = director.sent.split('name="shown" value="')[1].split('"')[0]
        assert f'data-game="{game}" data-seats="p1 p2"' in director.sent
        await exchange(director, game, **change)
        form = {"table": 1, "black": 40, "white": 24}
        await director.send("result", 409, **form, shown=shown)
        queued = {"csrf": director.csrf, "key": "0" * 16, "game": game, **form}
        answer = await director.client.post("/desk/t/open/result/typed", data=queued | {"seats": "p1 p2"})
        assert answer.json()["outcome"] == "refused" and "another game by now" in answer.json()["line"]
        assert director.state.games[game].score is None
        seats = " ".join(director.state.games[game].seats)
        answer = await director.client.post("/desk/t/open/result/typed", data=queued | {"seats": seats})
        assert answer.json()["outcome"] == "stored" and director.state.games[game].score == (40, 24)


async def test_a_conflict_stays_the_directors_to_decide(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await sends(served, "score", game=game, mine="40", theirs="24")
        await director.send("result", table=1, black=36, white=28)
        await exchange(director, game)
        assert "The players report 24–40, the console says 28–36." in plain(await director.page("round"))
        assert "in conflict" in await director.send("close", 400)
        await exchange(director, game, "players", player="white", other="p3")
        page = plain(await director.page("round"))
        assert "The players have been exchanged, and their reports are gone. The console says 28–36." in page
        await director.page(f"game/{game}")
        await director.send("decide", game=game, black=28, white=36)
        entry = director.state.games[game]
        assert (entry.players, entry.score, entry.decided) == (("p2", "p3"), (28, 36), True)
