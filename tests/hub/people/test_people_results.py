"""Results by the players at tables without a device: reported, confirmed, in conflict, and counted only then."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.people import club, my_page, sends

from hub.model.games import Said
from hub.pairing.round import PairedGame
from hub.people.acts import shown_game
from hub.record.acts.devices import SeatAssigned
from hub.record.fold import fold
from hub.role import Role
from hub.rounds.paired import Paired


def plain(page: str) -> str:
    """Return a page's text without the signs that keep a name's direction."""
    return page.replace("\u2068", "").replace("\u2069", "")


async def begun(director: Director, results: bool = True, **more: Any) -> str:
    """Start a round on paper and return the id of its game of Player 1 (Black) and Player 2."""
    await director.served.create("open", club(**more))
    if results:
        await director.send("event/players-pages", pages="1", results="1")
    await director.served.run("publish-round")
    await director.send("start")
    return str(director.state.present_games[0].id)


async def test_a_report_counts_when_the_other_player_confirms_it(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        assert "Report the score" in await my_page(served)
        assert (await sends(served, "score", "p2", game=game, mine="24", theirs="40"))[0] == 303
        state = director.state
        assert state.games[game].score is None and not state.complete
        assert state.tournament.games[game].claim.score == (40, 24)
        console = plain(await director.page("round"))
        assert "reported by one player" in console and "<i>40–24</i>" in console
        assert "40–24" not in await my_page(served, "p3"), "nobody else sees it before it counts"
        assert "40–24" not in (await served.browser().get("/t/open/players/p1")).text
        assert "You have reported 24–40. It counts when" in await my_page(served, "p2")
        page = await my_page(served)
        assert "Confirm 40–24" in page
        assert (await sends(served, "score", game=game, mine="40", theirs="24"))[0] == 303
        entry = director.state.games[game]
        assert (entry.score, entry.reason, entry.confirmed, entry.signed) == ((40, 24), "board", True, False)
        assert director.state.complete
        assert "both players" in await director.page("round")
        assert "Report the score" not in await my_page(served)
        log = plain(await director.page("audit"))
        assert "Score reported by a player" in log and "<td><bdi>Player 2</bdi></td>" in log
        await director.send("draft/pair")


async def test_two_players_who_differ_are_a_conflict_for_the_director(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await sends(served, "score", game=game, mine="40", theirs="24")
        await sends(served, "score", "p2", game=game, mine="34", theirs="30")
        entry = director.state.games[game]
        assert (
            entry.conflict
            and entry.score is None
            and entry.results_in_conflict == (Said((40, 24)), Said((30, 34)))
        )
        console = plain(await director.page("round"))
        assert "Player 1 reports 40–24, Player 2 30–34. Which score counts?" in console
        detail = await director.page(f"game/{game}")
        assert "Player 1 says" in detail and "Player 2 says" in detail
        for player in ("p1", "p2"):
            page = await my_page(served, player)
            assert "The two scores differ" in page and "Report the score" not in page
        # A typed score does not choose between the two: only the director does.
        await director.send("result", table=1, black=30, white=34)
        assert director.state.games[game].conflict
        assert (await sends(served, "score", game=game, mine="30", theirs="34"))[0] == 400
        await director.send("decide", game=game, black=30, white=34)
        entry = director.state.games[game]
        assert (entry.score, entry.conflict, entry.decided) == ((30, 34), False, True)


@pytest.mark.parametrize("confirmed", [False, True])
async def test_a_typed_score_confirms_a_report_or_is_a_conflict_as_with_tables(
    served: Any, confirmed: bool
) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await sends(served, "score", game=game, mine="40", theirs="24")
        if confirmed:
            await sends(served, "score", "p2", game=game, mine="24", theirs="40")
        await director.send("result", table=1, black=36, white=28)
        entry = director.state.games[game]
        assert entry.conflict and entry.entered == (36, 28)
        assert entry.score == ((40, 24) if confirmed else None), "what counted stands"
        console = plain(await director.page("round"))
        assert "The players report 40–24, the console says 36–28. Which score counts?" in console
        await director.send("undo", to="round")
        assert not director.state.games[game].conflict
        await director.send("result", table=1, black=40, white=24)
        entry = director.state.games[game]
        assert (entry.score, entry.conflict, entry.confirmed) == ((40, 24), False, True)


async def test_who_corrects_their_own_report_makes_no_conflict_and_confirms_nothing(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await sends(served, "score", game=game, mine="40", theirs="24")
        before = shown_game(director.state.games[game])
        await sends(served, "score", game=game, mine="38", theirs="26")
        entry = director.state.games[game]
        assert entry.score is None and not entry.conflict and entry.claim.score == (38, 26)
        # The other one's page still showed the first report: nothing is confirmed unseen.
        form = {"game": game, "mine": "24", "theirs": "40"}
        status, page = await sends(served, "score", "p2", **form, shown=before)
        assert status == 400 and "has reported a score in the meantime" in page and "Confirm 26–38" in page
        assert director.state.games[game].score is None
        await sends(served, "score", game=game, mine="38", theirs="26")
        assert director.state.games[game].score is None, "twice the same player is not both"
        now = shown_game(director.state.games[game])
        await sends(served, "score", game=game, mine="38", theirs="26")
        form = {"game": game, "mine": "26", "theirs": "38"}
        assert (await sends(served, "score", "p2", **form, shown=now))[0] == 303, (
            "the same report changes nothing"
        )


async def test_it_is_off_until_the_director_turns_it_on(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director, results=False)
        assert "Report the score" not in await my_page(served)
        form = {"game": game, "mine": "40", "theirs": "24"}
        head = served.store.head("open")
        assert (await sends(served, "score", **form))[0] == 400
        assert served.store.head("open") == head
        assistant = Director(served, *await served.entered(Role.ASSISTANT))
        await assistant.send("event/players-pages", 403, pages="1", results="1")
        await director.send("event/players-pages", pages="1", results="1")
        assert (await sends(served, "score", **form))[0] == 303
        await director.send("event/players-pages", pages="1")
        assert (await sends(served, "score", "p2", game=game, mine="24", theirs="40"))[0] == 400


async def test_only_a_score_that_the_rulebook_can_give_of_a_game_of_theirs_is_taken(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        good = {"game": game, "mine": "40", "theirs": "24"}
        for player, wrong in (
            ("p1", {"theirs": "25"}),
            ("p1", {"mine": "-1"}),
            ("p1", {"mine": "65", "theirs": "0"}),
            ("p1", {"mine": "x"}),
            ("p1", {"shown": ""}),
            ("p1", {"game": "none"}),
            ("p3", {}),
        ):
            assert (await sends(served, "score", player, **good | wrong))[0] == 400, (player, wrong)
        assert director.state.games[game].claim is None
        await director.send("result", table=1, black=40, white=24)
        assert (await sends(served, "score", **good))[0] == 400, "there is a result"


async def test_no_player_reports_where_a_device_plays_or_before_the_start(served: Any) -> None:
    async with director_at(served) as director:
        await served.create("open", club())
        await director.send("event/players-pages", pages="1", results="1")
        await served.run("publish-round")
        game = director.state.present_games[0].id
        form = {"game": game, "mine": "40", "theirs": "24"}
        assert (await sends(served, "score", **form))[0] == 400, "not started"
        await director.send("start")
        await sends(served, "score", **form)
        # A device takes the seat over: from then on its result counts.
        await served.enroll("t1", 1)
        await served.act(SeatAssigned(seat=1, device="t1"))
        assert director.state.games[game].device == "t1"
        assert (await sends(served, "score", "p2", game=game, mine="24", theirs="40"))[0] == 400
        assert "Confirm" not in await my_page(served, "p2")


async def many(tournament: Any) -> Paired:
    ids = [player.id for player in tournament.players]
    games = tuple(PairedGame(n + 1, ids[2 * n], ids[2 * n + 1]) for n in range(len(ids) // 2))
    return Paired(len(tournament.rounds) + 1, games, (), None, ())


async def test_reports_survive_a_restart_and_a_withdrawn_round_takes_them_along(
    served: Any, tmp_path: Any
) -> None:
    served.pair = many
    async with director_at(served) as director:
        game = await begun(director)
        await sends(served, "score", game=game, mine="40", theirs="24")
        claim = director.state.games[game].claim
        assert fold(await served.store.entries("open")).games[game].claim == claim
        await director.send("withdraw-round", sure="1")
        assert director.state.round == 0


@pytest.mark.clause("jof J1")
async def test_a_draw_that_somebody_wins_is_the_directors_to_enter(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director, rulebook="jof")
        status, page = await sends(served, "score", game=game, mine="32", theirs="32")
        assert status == 400 and "tell the director who" in page
        assert director.state.games[game].claim is None
