"""A photograph of the final board is a report: read, mended, counted by the rulebook, confirmed, and held against the
moves.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.people import link, my_page, sends

from eye.photograph import Photograph
from flagfall.othello.board import format_position, parse_transcript, stages
from flagfall.othello.rulebook import rulebook
from hub.model.games import BoardSeen
from hub.people.acts import shown_game
from hub.record.fold import fold
from hub.record.seen_boards import counted, expect_end
from hub.role import Role
from tests.hub.people.test_people_results import begun, plain

PHOTO = Path(__file__).parents[2] / "data" / "photos" / "dim-from-aside.jpg"
# 40 black discs in the upper rows and 24 white ones below; and a board with one empty square, from which black discs go
# to each edge: nobody can move there.
FULL = "X" * 40 + "O" * 24
WITH_EMPTY = "-XXXXXXX" + "".join("X" + "O" * (row - 1) + "X" + "O" * (7 - row) for row in range(1, 8))
IN_PLAY = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27
CORNERS = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))


@pytest.fixture
def seen(served: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[Any]]:
    """Let the eye see this board in every picture. Return what it was asked."""

    def see(squares: str) -> list[Any]:
        asked: list[Any] = []

        async def read(data: bytes, corners: Any = None) -> Photograph:
            asked.append((data, corners))
            return Photograph(squares, CORNERS if squares else (), b"small")

        monkeypatch.setattr(served.hub.photographs, "read", read)
        return asked

    return see


async def photographs(
    served: Any, player: str = "p1", data: bytes = b"jpeg", **fields: str
) -> tuple[int, str]:
    """Send a picture from a player's own page; return the status and the page."""
    files = {"taken": ("", b""), "chosen": ("board.jpg", data)}
    answer = await served.browser().post(f"{link(served, player)}/photo", data=fields, files=files)
    return answer.status_code, answer.text


async def test_a_board_is_read_counted_reported_and_confirmed(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        seen(FULL)
        page = await my_page(served)
        assert 'capture="environment"' in page and page.count('type="file"') == 2
        status, page = await photographs(served, game=game)
        assert status == 200 and "<b data-black>40</b>" in page and "<b data-white>24</b>" in page
        assert 'src="data:image/jpeg;base64,' in page
        # Nothing is on record yet; the report is the players' own act.
        assert director.state.games[game].claim is None
        assert (await sends(served, "score", game=game, board=FULL, ended="board", black_sat=""))[0] == 303
        claim = director.state.games[game].claim
        assert (claim.score, claim.board) == ((40, 24), BoardSeen(FULL))
        page = plain(await my_page(served, "p2"))
        assert "The board as Player 1 has photographed it" in page and "Confirm 24–40" in page
        assert "40 black discs, 24 white discs" in page
        assert (await sends(served, "score", "p2", game=game, mine="24", theirs="40"))[0] == 303
        entry = director.state.games[game]
        assert (entry.score, entry.reason, entry.confirmed) == ((40, 24), "board", True)
        assert entry.claim.board == BoardSeen(FULL)
        detail = plain(await director.page(f"game/{game}"))
        assert "Photographed boards" in detail and "it is not known where a1 lies" in detail
        assert "with the board photographed" in plain(await director.page("audit"))
        assert fold(await served.store.entries("open")) == director.state


async def test_a_real_picture_is_read_in_the_limited_child(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        status, page = await photographs(served, game=game, data=PHOTO.read_bytes())
        assert status == 200 and page.count('class="x"') == 33 and page.count('class="o"') == 17
        # The board of the picture is one in play: it is counted for nobody.
        assert "Somebody can still move on this board" in page and "<b data-black></b>" in page
        status, page = await photographs(served, game=game, data=b"GIF89a" + bytes(500))
        assert status == 400 and "This is no photograph." in page


@pytest.mark.clause("woc-2019 IV.8")
async def test_empty_squares_count_by_the_rulebook(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director, rulebook="woc-2019")
        seen(WITH_EMPTY)
        _, page = await photographs(served, game=game)
        assert "<b data-black>21</b>" in page and "<b data-white>43</b>" in page
        await sends(served, "score", game=game, board=WITH_EMPTY)
        assert director.state.games[game].claim.score == (21, 43)
    assert counted(expect_end(WITH_EMPTY), rulebook("usoa")) == (21, 42)


async def test_a_square_that_nobody_read_is_tapped_and_not_reported_before(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        unsure = FULL[:63] + "?"
        seen(unsure)
        _, page = await photographs(served, game=game)
        assert 'class="u" aria-label="row 8, column 8: not known"' in plain(page)
        assert "Tap each ? until it shows what lies there." in page and "<b data-black></b>" in page
        status, page = await sends(served, "score", game=game, board=unsure)
        assert status == 400 and "Tap each ?" in page
        # Without a script a tap asks the hub for the next kind: black, white, empty.
        for board, now in ((unsure, "X"), (FULL[:63] + "X", "O"), (FULL, "-")):
            status, page = await sends(served, "board", game=game, board=board, tap="63")
            assert status == 200 and f'name="board" value="{FULL[:63] + now}"' in page
        assert (await sends(served, "board", game=game, board="X" * 63))[0] == 400
        assert (await sends(served, "board", game=game, board=FULL, tap="64"))[0] == 400
        assert director.state.games[game].claim is None


async def test_a_board_in_play_is_counted_for_nobody(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        seen(IN_PLAY)
        _, page = await photographs(served, game=game)
        assert "<b data-black></b>" in page
        status, page = await sends(served, "score", game=game, board=IN_PLAY)
        assert status == 400 and "Somebody can still move" in page
        # Who lost on time says so, with the score: the board stays beside it.
        status, _ = await sends(
            served, "score", game=game, board=IN_PLAY, ended="default", mine="64", theirs="0"
        )
        assert status == 303
        page = plain(await my_page(served, "p2"))
        assert "How the game ended: time was lost" in page
        await sends(served, "score", "p2", game=game, mine="0", theirs="64")
        entry = director.state.games[game]
        assert (entry.score, entry.reason) == ((64, 0), "default")


@pytest.mark.parametrize("had", ["black", "white"])
async def test_who_had_black_is_asked_where_colours_are_drawn(served: Any, seen: Any, had: str) -> None:
    async with director_at(served) as director:
        game = await begun(director, rulebook="jof")
        seen(FULL)
        _, page = await photographs(served, game=game)
        assert page.count('name="had"') >= 2
        assert (await sends(served, "score", game=game, board=FULL))[0] == 400
        assert (await sends(served, "score", game=game, board=FULL, had=had))[0] == 303
        mine = "40" if had == "black" else "24"
        theirs = str(64 - int(mine))
        other = "white" if had == "black" else "black"
        assert f"Confirm {theirs}–{mine}" in await my_page(served, "p2")
        await sends(served, "score", "p2", game=game, mine=theirs, theirs=mine, had=other)
        entry = director.state.games[game]
        assert entry.score == (40, 24) and entry.black == ("p1" if had == "black" else "p2")
        # The discs of the board are those of whoever had Black: nothing turns.
        assert entry.claim.board == BoardSeen(FULL)


async def test_two_photographs_that_differ_are_a_conflict_with_two_boards(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        seen(FULL)
        other = "X" * 30 + "O" * 34
        await sends(served, "score", game=game, board=FULL)
        await sends(served, "score", "p2", game=game, board=other)
        entry = director.state.games[game]
        assert entry.conflict and (entry.claim.board, entry.claim.other_board) == (
            BoardSeen(FULL),
            BoardSeen(other),
        )
        for player in ("p1", "p2"):
            page = await my_page(served, player)
            assert "The two scores differ" in page and page.count('<figure class="seen">') == 2
            assert 'type="file"' not in page
        assert (await director.page(f"game/{game}")).count('<figure class="seen">') == 2


@pytest.mark.parametrize(("sat", "agrees"), [("below", True), ("above", False), ("", True)])
async def test_the_board_must_agree_with_moves_on_record_or_both_are_told(
    served: Any, seen: Any, sat: str, agrees: bool
) -> None:
    moves = "f5f6e6f4g5e7e3g6f3"
    end = format_position(stages(parse_transcript(moves))[-1].position)
    async with director_at(served) as director:
        game = await begun(director)
        await director.send(f"game/{game}", transcript=moves)
        await sends(
            served, "score", game=game, board=end, ended="resigned", black_sat=sat, mine="64", theirs="0"
        )
        claim = director.state.games[game].claim
        assert claim.board.from_a1 == bool(sat)
        if sat == "below":
            assert claim.board.squares == end
        for player in ("p1", "p2"):
            assert ("The moves on record end otherwise on" in await my_page(served, player)) != agrees
        assert ("The moves on record end otherwise on" in await director.page(f"game/{game}")) != agrees


async def test_an_exchange_of_colours_leaves_the_board_as_it_lay_and_one_of_players_takes_it(
    served: Any,
) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await sends(served, "score", game=game, board=FULL)
        await director.send("corrections", game=game, change="colours", why="sat so")
        claim = director.state.games[game].claim
        assert (claim.score, claim.board) == ((24, 40), BoardSeen(FULL))
        await director.send(
            "corrections", game=game, change="players", player="black", other="p3", why="sat there"
        )
        assert director.state.games[game].claim is None


async def test_photographs_can_be_turned_off(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        asked = seen(FULL)
        await director.send("event/players-pages", pages="1", results="1", no_photographs="1")
        assert not director.state.photographs
        assert 'type="file"' not in await my_page(served)
        assert 'type="file"' not in await director.page(f"game/{game}")
        status, page = await photographs(served, game=game)
        assert status == 400 and "turned photographs off" in page and not asked
        assert (await sends(served, "score", game=game, board=FULL))[0] == 400
        assert "without photographs" in plain(await director.page("audit"))
        await director.send("event/players-pages", pages="1", results="1")
        assert (await photographs(served, game=game))[0] == 200


async def test_a_hub_without_an_eye_shows_no_buttons_and_says_how_to_get_it(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        monkeypatch.setattr(served.hub.photographs, "available", False)
        assert 'type="file"' not in await my_page(served)
        assert 'id="photograph"' not in await director.page(f"game/{game}")
        assert "flagfall[hub,eye]" in await director.page("event")
        # The address takes no more than any other.
        assert (await photographs(served, game=game, data=bytes(10_000)))[0] == 413


async def test_a_picture_is_let_in_for_a_valid_link_alone(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        seen(FULL)
        assert (await photographs(served, game=game, data=bytes(2 << 20)))[0] == 200
        # The page says so, when all has come: a browser that still sends reads no answer.
        for size in ((3 << 20) + 9_000, 12 << 20):
            status, page = await photographs(served, game=game, data=bytes(size))
            assert status == 400 and "A picture may have at most 3 MB." in page
        assert (await photographs(served, game=game, data=bytes(33 << 20)))[0] == 400
        wrong = link(served)[:-1] + ("A" if link(served)[-1] != "A" else "B")
        answer = await served.browser().post(f"{wrong}/photo", files={"chosen": ("a.jpg", bytes(10_000))})
        assert answer.status_code == 413
        answer = await served.browser().post(
            f"{link(served)}/score", files={"chosen": ("a.jpg", bytes(10_000))}
        )
        assert answer.status_code == 413


async def test_each_player_has_one_picture_at_a_time_and_a_budget(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        seen(FULL)
        with served.hub.photographs.turn("open p1"):
            status, page = await photographs(served, game=game)
            assert status == 429 and "Another picture of yours is being read" in page
            assert (await served.browser().get(f"{link(served)}/place")).json() == {"place": 1}
            assert (await photographs(served, "p2", game=game))[0] == 200
        assert (await served.browser().get(f"{link(served)}/place")).json() == {"place": 0}
        for _ in range(9):
            assert (await photographs(served, game=game))[0] == 200
        status, page = await photographs(served, game=game)
        assert status == 429 and "Wait 20 seconds" in page
        served.now_ns += 21 * 10**9
        assert (await photographs(served, game=game))[0] == 200


async def test_the_console_enters_what_a_photograph_counts(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        assistant = Director(served, *await served.entered(Role.ASSISTANT))
        asked = seen(FULL)
        path = f"/desk/t/open/game/{game}/photo"
        files = {"chosen": ("board.jpg", b"jpeg")}
        answer = await assistant.client.post(path, data={"game": game}, files=files)
        assert answer.status_code == 400 and not asked, "a form of another site"
        answer = await assistant.client.post(path, data={"game": game, "csrf": assistant.csrf}, files=files)
        assert answer.status_code == 200 and "<b data-black>40</b>" in answer.text
        await assistant.send("result", table=1, board=FULL, reason="board", black_sat="above")
        entry = director.state.games[game]
        assert (entry.score, entry.entered_board) == ((40, 24), BoardSeen(FULL[::-1], from_a1=True))
        assert 'id="photograph"' not in await assistant.page(f"game/{game}")


async def test_a_tablet_at_the_door_reads_a_board_too(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        seen(FULL)
        await director.send("arrival")
        door = served.hub.player_links.arrival_path(director.state)
        client = served.browser()
        page = (await client.get(f"{door}?game={game}")).text
        assert 'capture="environment"' in page
        files = {"chosen": ("board.jpg", b"jpeg")}
        page = (await client.post(f"{door}/photo?game={game}", data={"game": game}, files=files)).text
        assert "<b data-black>40</b>" in page and "Who reports?" in page
        shown = shown_game(director.state.games[game])
        form = {"game": game, "shown": shown, "player": "p2", "board": FULL}
        assert (await client.post(f"{door}/score", data=form)).status_code == 303
        claim = director.state.games[game].claim
        assert (claim.score, claim.by, claim.at_tablet) == ((40, 24), (False, True), (False, True))


async def test_a_form_brings_one_picture(served: Any, seen: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        seen(FULL)
        browser, path = served.browser(), f"{link(served)}/photo"
        for files in ({}, {"taken": ("a.jpg", b"a"), "chosen": ("b.jpg", b"b")}):
            answer = await browser.post(path, data={"game": game}, files=files or None)
            assert answer.status_code == 400 and "Send one picture at a time." in answer.text
        asked = seen("")
        answer = await browser.post(
            path,
            data={"game": game, "corners": "0.1,0.1 0.9,0.1 0.9,0.9 0.1,0.95"},
            files={"chosen": ("b.jpg", b"b")},
        )
        assert "No board was found in this picture." in answer.text
        assert asked[-1][1] == ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.95))
        for corners in ("nan,0 0,0 0,0 0,0", "1,1", "99,0 0,0 0,0 0,0"):
            answer = await browser.post(
                path, data={"game": game, "corners": corners}, files={"chosen": ("b.jpg", b"b")}
            )
            assert answer.status_code == 400 and "Drag the four corners" in answer.text
