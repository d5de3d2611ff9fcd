"""Something is wrong: a player's words reach the director, and the answer reaches the player."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.people import club, link, my_page, sends

from hub.people.acts import FREE_ACTS, PAUSE_S
from hub.record.acts.event import PlayersPagesSet, TournamentClosed
from hub.record.fold import fold
from hub.record.objections import MOST_OBJECTIONS
from hub.text import Refused

WORDS = "We counted 36 <b>to</b> 28, not 40 to 24."


async def one_result(director: Director, **more: Any) -> str:
    """Play the first round of a club's event on paper; return the game's id."""
    await director.served.create("open", club(**more))
    await director.served.run("publish-round")
    await director.send("start")
    await director.send("result", table=1, black=40, white=24)
    return str(director.state.present_games[0].id)


def matters_of(page: str) -> list[str]:
    return re.findall(r'name="matter" value="([^"]+)"', page)


async def test_an_objection_is_answered_and_the_player_sees_the_answer(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_result(director)
        assert "Something is wrong" in await my_page(served, "p2")
        status, to = await sends(served, "wrong", "p2", game=game, words=WORDS)
        assert (status, to) == (303, link(served, "p2"))
        page = await my_page(served, "p2")
        assert "The director has been told." in page and "Tell the director" not in page
        assert html.escape(WORDS, quote=False) in page and WORDS not in page
        assert WORDS not in html.unescape(await my_page(served, "p1")), "the opponent does not read it"
        console = await director.page("round")
        assert "Player 2 says that the result 40–24 is wrong" in console.replace("\u2068", "").replace(
            "\u2069", ""
        )
        assert "Answer the player" in console and f"corrections?game={game}" in console
        (matter,) = matters_of(console)
        await director.send("settle", game=game, matter=matter, why="The sheet says 40 to 24.")
        assert "says that the result" not in await director.page("round")
        page = await my_page(served, "p2")
        assert "The director's answer: The sheet says 40 to 24." in html.unescape(page)
        assert director.state.games[game].score == (40, 24)
        assert "A player objects to a result" in await director.page("audit")
        # On the record: the same after a restart.
        entries = await served.store.entries("open")
        assert fold(entries).objections == director.state.objections
        assert {entry.who for entry in entries if entry.type == "result_objected"} == {"player p2"}


async def test_a_corrected_result_answers_the_objection(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_result(director)
        await sends(served, "wrong", game=game, words="It was 36 to 28.")
        await director.send(
            "corrections",
            game=game,
            change="result",
            black=36,
            white=28,
            reason="board",
            why="as on the sheet",
        )
        assert matters_of(await director.page("round")) == []
        page = await my_page(served)
        assert "Result: changed. as on the sheet" in page and "36–28" in page


async def test_it_ends_with_the_next_pairing_and_stays_for_the_director_until_it_is_answered(
    served: Any,
) -> None:
    async with director_at(served) as director:
        game = await one_result(director)
        await sends(served, "wrong", game=game, words=WORDS)
        await served.run("publish-round")
        assert "says that the result" in await director.page("round"), "it is not lost with the next round"
        status, page = await sends(served, "wrong", "p2", game=game, words=WORDS)
        assert status == 400 and "until the next pairing" in page
        assert "Something is wrong" not in await my_page(served, "p2")


async def test_nobody_objects_to_a_game_of_others_or_without_a_result_or_without_end(served: Any) -> None:
    async with director_at(served) as director:
        await served.create("open", club())
        await served.run("publish-round")
        game = director.state.present_games[0].id
        assert (await sends(served, "wrong", game=game, words="x"))[0] == 400, "no result yet"
        await director.send("start")
        await director.send("result", table=1, black=40, white=24)
        head = served.store.head("open")
        for form in (
            {"game": game, "words": " "},
            {"game": game, "words": "x" * 201},
            {"game": "none", "words": "x"},
            {"words": "x"},
            {},
        ):
            assert (await sends(served, "wrong", **form))[0] == 400, form
        assert (await sends(served, "wrong", "p3", game=game, words="x"))[0] == 400, "not their game"
        assert served.store.head("open") == head
        served.now_ns += 100 * PAUSE_S * 1_000_000_000
        for number in range(1, MOST_OBJECTIONS + 1):
            assert (await sends(served, "wrong", game=game, words=f"{number}"))[0] == 303
            assert (await sends(served, "wrong", game=game, words="again"))[0] == 400, "one at a time"
            (matter,) = matters_of(await director.page("round"))
            await director.send("settle", game=game, matter=matter, why="no")
        status, page = await sends(served, "wrong", game=game, words="once more")
        assert status == 400 and f"at most {MOST_OBJECTIONS}" in page


async def test_a_telephone_does_not_fill_the_record(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_result(director)
        for _ in range(FREE_ACTS):
            await sends(served, "wrong", "p3", game=game, words="x")
        status, page = await sends(served, "wrong", "p3", game=game, words="x")
        assert status == 400 and "Wait 20 seconds" in page
        assert (await sends(served, "wrong", "p1", game=game, words="x"))[0] == 303, "others go on"


async def test_a_wrong_link_writes_nothing(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_result(director)
        head = served.store.head("open")
        answer = await served.browser().post(f"/me/{'A' * 24}/wrong", data={"game": game, "words": "x"})
        assert answer.status_code == 404 and served.store.head("open") == head
        answer = await served.browser().get(f"{link(served)}/wrong")
        assert (answer.status_code, answer.headers["location"]) == (303, link(served))


async def test_what_is_undone_opens_the_objection_again_and_a_withdrawn_round_takes_it_along(
    served: Any,
) -> None:
    async with director_at(served) as director:
        game = await one_result(director)
        await sends(served, "wrong", game=game, words=WORDS)
        (matter,) = matters_of(await director.page("round"))
        await director.send("settle", game=game, matter=matter, why="no")
        await director.send("undo", to="round")
        assert matters_of(await director.page("round")) == [matter]
        entries = await served.store.entries("open")
        for kind in ("result_entered", "ruling_sent", "pairing_published"):
            entry = next((entry for entry in entries if entry.type == kind), None)
            if entry is not None and kind != "ruling_sent":
                await director.send("undo", entry=entry.id, to="round")
        assert director.state.round == 0 and director.state.objections == ()


async def test_an_event_does_not_close_over_an_open_objection(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_result(director, rounds_planned=1)
        for open_game in director.state.open_games:
            await director.send("result", table=open_game.table, black=40, white=24)
        await sends(served, "wrong", "p2", game=game, words=WORDS)
        refused = await director.send("close", 400)
        assert "Player 2 objects to the result. Answer it under Round" in plain(refused)
        assert 'href="/desk/t/open/round"' in director.sent.partition('id="refusal"')[2]
        assert "Close the event" not in await director.page("lists"), "the button comes with the answer"
        with pytest.raises(Refused, match="p2 objects to the result"):
            await served.act(TournamentClosed())
        assert not director.state.closed
        (matter,) = matters_of(await director.page("round"))
        await director.send("settle", game=game, matter=matter, why="The sheet says 40 to 24.")
        assert "Close the event" in await director.page("lists")
        await director.send("close")
        assert director.state.closed


async def test_an_event_does_not_close_over_games_at_the_tables(served: Any) -> None:
    """The console has no button then, and no other door closes it either."""
    async with director_at(served) as director:
        await served.create("open", club(rounds_planned=1))
        await served.run("publish-round")
        await director.send("start")
        assert "Close the event" not in await director.page("lists")
        assert "expected no game at the tables" in plain(await director.send("close", 400))
        with pytest.raises(Refused, match="expected no game at the tables"):
            await served.act(TournamentClosed())
        (game,) = director.state.open_games
        await director.send("result", table=game.table, black=40, white=24)
        await served.act(TournamentClosed())
        assert director.state.closed


async def test_an_event_does_not_close_over_a_report_that_nobody_has_confirmed(served: Any) -> None:
    async with director_at(served) as director:
        await served.create("open", club(rounds_planned=1))
        await served.act(PlayersPagesSet(pages=True, results=True))
        await served.run("publish-round")
        await director.send("start")
        first, *others = director.state.present_games
        for open_game in others:
            await director.send("result", table=open_game.table, black=40, white=24)
        status, _ = await sends(served, "score", first.white, game=first.id, mine="36", theirs="28", seen="0")
        assert status == 303
        assert "has reported a result that nobody has confirmed" in plain(await director.send("close", 400))
        await director.send("result", table=first.table, black=28, white=36)
        await director.send("close")
        assert director.state.closed


def plain(page: str) -> str:
    return page.replace("\u2068", "").replace("\u2069", "")
