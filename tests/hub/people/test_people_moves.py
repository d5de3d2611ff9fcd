"""Moves that players tap on their pages after the game: whose, when, and what both of them see first."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.people import club, link, my_page, sends

from flagfall.othello.board import START, format_transcript
from hub.model.games import TappedMoves
from hub.pairing.round import PairedGame
from hub.record.fold import fold
from hub.record.typed_moves import discs_at_the_end
from hub.rounds.paired import Paired


def game_to_its_end(first: str = "") -> str:
    """Return a whole game that fills the board; of the legal moves always the first or the last one is made."""
    for choices in range(4096):
        position, black, moves = START, True, []
        while position.legal(True) | position.legal(False):
            if not position.legal(black):
                black = not black
            legal = [at for at in range(64) if position.legal(black) >> at & 1]
            moves.append(legal[0 if choices >> len(moves) % 12 & 1 else -1])
            position, black = position.played(black, moves[-1]), not black
        transcript = format_transcript(moves)
        if not position.empty and transcript.startswith(first):
            return transcript
    raise AssertionError("expected a game that fills the board")


WHOLE = game_to_its_end()
END = discs_at_the_end(WHOLE)
assert END is not None
BLACK, WHITE = END


async def played(director: Director, score: tuple[int, int] = END, **more: Any) -> str:
    """Play a round on paper and return the id of its game of Player 1 (Black) and Player 2, which has this result."""
    await director.served.create("open", club(**more))
    await director.send("event/players-pages", pages="1", results="1")
    await director.served.run("publish-round")
    await director.send("start")
    await director.send("result", table=1, black=score[0], white=score[1])
    return str(next(game.id for game in director.state.present_games if game.table == 1))


async def rounds(tournament: Any) -> Paired:
    """Return two tables: 1-2 and 3-4, then 3-1 and 4-2."""
    if not tournament.rounds:
        return Paired(1, (PairedGame(1, "p1", "p2"), PairedGame(2, "p3", "p4")), (), None, ())
    return Paired(2, (PairedGame(1, "p3", "p1"), PairedGame(2, "p4", "p2")), (), None, ())


@pytest.fixture(autouse=True)
def pairings(served: Any) -> None:
    served.pair = rounds


def plain(page: str) -> str:
    return re.sub(r"</?(?:bdi|b)>|[\u2068\u2069]", "", page)


def differs_in(page: str) -> bool:
    """Return whether a page says that moves end otherwise than the result."""
    return re.search(r"These moves end \d", page) is not None


def shown_in(page: str) -> str:
    """Return the key of the moves that a player's page shows."""
    key = re.search(r'action="[^"]*/moves[^"]*".*?name="shown" value="([^"]*)"', page, re.DOTALL)
    assert key is not None, "the page has no board to tap"
    return key[1]


async def keeps(served: Any, game: str, moves: str, player: str = "p1", shown: str = "") -> tuple[int, str]:
    """Keep moves from a player's page as it is now, or as it was when it had the key `shown`."""
    key = shown or shown_in(await my_page(served, player, moves=game))
    status, page = await sends(served, "moves", player, game=game, moves=moves, shown=key)
    return status, plain(page)


async def test_what_one_player_begins_the_other_ends_and_it_is_on_record_who_tapped(served: Any) -> None:
    async with director_at(served) as director:
        game = await played(director)
        assert (await keeps(served, game, WHOLE[:40]))[0] == 303
        assert director.state.games[game].typed_moves == WHOLE[:40]
        page = plain(await my_page(served, "p2"))
        assert "Player 1 has saved these moves." in page and WHOLE[:40] in page
        assert (await keeps(served, game, WHOLE, "p2"))[0] == 303
        entry = director.state.games[game]
        assert (entry.typed_moves, entry.typed_by, entry.tapped) == (WHOLE, "p2", None)
        assert entry.score == END and entry.transcript == WHOLE
        chain = await served.store.entries("open")
        assert [tapped.who for tapped in chain if tapped.type == "transcript_entered"] == [
            "player p1",
            "player p2",
        ]
        assert fold(chain).games[game].typed_by == "p2"
        assert WHOLE[:12] in (await served.browser().get(f"/t/open/games/{game}")).text
        # Sent again, it changes nothing: the answer had been lost.
        head = served.store.head("open")
        assert (await keeps(served, game, WHOLE, "p2"))[0] == 303
        assert served.store.head("open") == head
        console = plain(await director.page(f"game/{game}"))
        assert "Player 2 has saved these moves." in console
        assert "Player 2" in plain(await director.page("audit"))


async def test_no_player_has_the_board_of_a_game_in_play(served: Any) -> None:
    async with director_at(served) as director:
        game = await played(director)
        other = next(entry.id for entry in director.state.present_games if entry.id != game)
        third = director.state.games[other].black
        assert "data-tap" in await my_page(served)
        assert "data-tap" not in await my_page(served, third)
        status, page = await sends(served, "moves", third, game=other, moves="f5d6")
        assert status == 400 and "You can tap the moves when your game is over." in page
        # A report of one's own opens nothing; the opponent's does.
        await sends(served, "score", third, game=other, mine="40", theirs="24")
        assert "data-tap" not in await my_page(served, third)
        fourth = director.state.games[other].white
        assert "data-tap" in await my_page(served, fourth)
        assert (await keeps(served, other, "f5d6c3", fourth))[0] == 303
        assert "data-tap" not in (await my_page(served, third))
        # Nobody taps a game of others.
        assert (await sends(served, "moves", "p1", game=other, moves="f5d6"))[0] == 400
        # While the next game is played, the board of the last one is away too; what was kept on a phone still comes.
        await director.send("result", table=2, black=40, white=24)
        shown = shown_in(await my_page(served))
        await director.served.run("publish-round")
        assert "data-tap" in await my_page(served, moves=game)
        await director.send("start")
        page = await my_page(served, moves=game)
        assert "data-tap" not in page and "#moves" not in page
        assert (await keeps(served, game, WHOLE[:20], shown=shown))[0] == 303
        assert director.state.games[game].typed_moves == WHOLE[:20]


async def test_moves_that_end_otherwise_are_shown_to_both_before_they_count(served: Any) -> None:
    async with director_at(served) as director:
        wrong = (BLACK - 2, WHITE + 2)
        game = await played(director, wrong)
        unseen = shown_in(await my_page(served, "p2"))
        assert (await keeps(served, game, WHOLE))[0] == 303
        entry = director.state.games[game]
        assert (entry.typed_moves, entry.tapped) == ("", TappedMoves(WHOLE, "p1"))
        assert entry.score == wrong and not entry.transcript
        mine = f"These moves end {BLACK}–{WHITE}, the result is {wrong[0]}–{wrong[1]}."
        theirs = f"These moves end {WHITE}–{BLACK}, the result is {wrong[1]}–{wrong[0]}."
        assert mine in plain(await my_page(served)) and theirs in plain(await my_page(served, "p2"))
        assert "They count when both of you have saved them." in await my_page(served, "p2")
        assert mine in plain(await director.page(f"game/{game}"))
        # Neither oneself twice nor somebody who has not seen it makes them count.
        head = served.store.head("open")
        assert (await keeps(served, game, WHOLE))[0] == 303
        assert served.store.head("open") == head
        status, page = await keeps(served, game, WHOLE, "p2", shown=unseen)
        assert status == 400 and "has changed in the meantime" in page and theirs in page
        assert (await keeps(served, game, WHOLE, "p2"))[0] == 303
        entry = director.state.games[game]
        assert (entry.typed_moves, entry.typed_by, entry.tapped) == (WHOLE, "p1", None)
        assert entry.score == wrong, "moves never change a result"
        assert theirs in plain(await my_page(served, "p2")) and "both of you" not in await my_page(served)
        assert "The typed moves end" in await director.page("round")


async def test_moves_that_lay_beside_a_wrong_result_count_once_it_is_put_right(served: Any) -> None:
    async with director_at(served) as director:
        game = await played(director, (BLACK - 2, WHITE + 2))
        await keeps(served, game, WHOLE)
        await director.send("undo", to="round")
        assert "data-tap" not in await my_page(served)
        await director.send("result", table=1, black=BLACK, white=WHITE)
        assert not differs_in(await my_page(served)) and WHOLE in await my_page(served)
        assert (await keeps(served, game, WHOLE))[0] == 303
        entry = director.state.games[game]
        assert (entry.typed_moves, entry.typed_by, entry.tapped) == (WHOLE, "p1", None)


async def test_both_tap_at_once_and_the_later_one_sees_what_stands(served: Any) -> None:
    async with director_at(served) as director:
        game = await played(director)
        shown = shown_in(await my_page(served, "p2"))
        other = "f5f4f3"
        assert not WHOLE.startswith(other)
        await keeps(served, game, WHOLE[:40])
        status, page = await keeps(served, game, other, "p2", shown=shown)
        assert status == 400 and "has changed in the meantime" in page
        assert "Player 1 has saved these moves." in page
        assert director.state.games[game].typed_moves == WHOLE[:40]
        # Moves that only go on, or stop earlier, take nothing away.
        assert (await keeps(served, game, WHOLE[:20], "p2", shown=shown))[0] == 303
        assert director.state.games[game].typed_moves == WHOLE[:40]
        assert (await keeps(served, game, WHOLE[:44], "p2", shown=shown))[0] == 303
        assert director.state.games[game].typed_moves == WHOLE[:44]
        # Who has seen them may put others in their place.
        assert (await keeps(served, game, other, "p2"))[0] == 303
        assert director.state.games[game].typed_moves == other


async def test_what_a_table_an_operator_or_a_closed_event_has_is_not_tapped_over(served: Any) -> None:
    async with director_at(served) as director:
        game = await played(director)
        shown = shown_in(await my_page(served))
        await director.send(f"game/{game}", game=game, transcript=WHOLE)
        assert "data-tap" not in await my_page(served)
        status, page = await keeps(served, game, WHOLE[:20], shown=shown)
        assert status == 303 and director.state.games[game].typed_moves == WHOLE
        status, page = await keeps(served, game, "f5f4f3", shown=shown)
        assert status == 400 and "has changed in the meantime" in page
        await director.send(f"game/{game}", game=game, transcript="")
        assert "data-tap" in await my_page(served)
        await director.send("result", table=2, black=40, white=24)
        await director.send("close")
        assert "data-tap" not in await my_page(served)
        # Without players' pages nobody taps.
        path = link(served)
        await director.send("event/players-pages", results="1")
        answer = await served.browser().post(f"{path}/moves", data={"game": game, "moves": WHOLE})
        assert answer.status_code == 404


async def test_half_a_game_of_an_operator_or_a_scribe_is_gone_on_with(served: Any) -> None:
    async with director_at(served) as director:
        game = await played(director)
        await director.send(f"game/{game}", game=game, transcript=WHOLE[:40])
        page = await my_page(served)
        assert "data-tap" in page and WHOLE[:40] in page
        status, _ = await keeps(served, game, WHOLE, shown=shown_in(page))
        entry = director.state.games[game]
        assert (status, entry.typed_moves, entry.typed_by) == (303, WHOLE, "p1")
        # A game that ended on time is whole wherever its moves end.
        await director.send("result", table=2, black=40, white=24, reason="default")
        other = director.state.present_games[1].id
        await director.send(f"game/{other}", game=other, transcript=WHOLE[:40])
        assert director.state.games[other].typed_moves == WHOLE[:40]
        assert "data-tap" not in await my_page(served, "p3")


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ("f5 a1", "Move 2 cannot be played: a1."),
        ("f5 hello", "Move 2 cannot be played: hello."),
        ("", "Move 1 cannot be played: –."),
        ("f5" * 1500, "cannot be played"),
        ("\x00", "cannot be played"),
    ],
)
async def test_moves_that_cannot_be_read_are_named_with_their_place(
    served: Any, moves: str, said: str
) -> None:
    async with director_at(served) as director:
        game = await played(director)
        status, page = await keeps(served, game, moves)
        assert status == 400 and said in page
        assert not director.state.games[game].typed_moves


async def test_an_exchange_of_colours_or_players_keeps_what_was_tapped(served: Any) -> None:
    async with director_at(served) as director:
        game = await played(director, (WHITE, BLACK))
        await keeps(served, game, WHOLE)
        assert director.state.games[game].tapped == TappedMoves(WHOLE, "p1")
        await director.send("corrections", game=game, change="colours", why="as played")
        entry = director.state.games[game]
        assert (entry.white, entry.score, entry.tapped) == ("p1", END, TappedMoves(WHOLE, "p1"))
        assert not differs_in(await my_page(served)), "each has kept their discs: now they agree"
        await director.send(
            "corrections", game=game, change="players", player="white", other="p3", why="as played"
        )
        assert director.state.games[game].tapped == TappedMoves(WHOLE, "")
        assert fold(await served.store.entries("open")).games[game].tapped == TappedMoves(WHOLE, "")
