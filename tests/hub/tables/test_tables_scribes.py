"""A scribe's moves go into the record when the game has its result, once, and never in place of somebody else's."""

from __future__ import annotations

from typing import Any

from helpers.console_director import Director, director_at
from helpers.scribes import LINE, begun, scribes_link, tap

from flagfall.othello.board import parse_transcript, square_name, squares_of, stages
from hub.record.codec import happening
from hub.record.events import TranscriptEntered
from hub.record.fold import fold
from hub.role import Role
from hub.tables.scribes import SETTLED_S

SECOND_NS = 1_000_000_000


def whole_game(start: str = "") -> tuple[str, tuple[int, int]]:
    """Return the moves and discs of a game to the end: always the first legal square after `start`."""
    squares = list(parse_transcript(start))
    while (last := stages(squares)[-1]).black_to_move is not None:
        squares.append(next(squares_of(last.position.legal(last.black_to_move))))
    position = stages(squares)[-1].position
    return "".join(map(square_name, squares)), (position.black.bit_count(), position.white.bit_count())


async def entered(served: Any) -> list[tuple[str, str]]:
    """Return the writer and the moves of each transcript on record."""
    entries = await served.store.entries("open")
    found = [(entry.who, happening(entry)) for entry in entries]
    return [(who, said.transcript) for who, said in found if isinstance(said, TranscriptEntered)]


async def result(director: Director, black: int, white: int) -> None:
    await director.send("result", table=1, black=black, white=white)


async def test_a_whole_game_goes_into_the_record_with_its_result(served: Any) -> None:
    moves, (black, white) = whole_game()
    async with director_at(served) as director:
        game = await begun(director)
        for end in range(2, len(moves) + 1, 2):
            assert (await tap(served, game, moves[:end], moves[: end - 2]))[0] in (200, 429)
            served.now_ns += 20 * SECOND_NS
            await served.hub.scribes.record_due()
        assert await entered(served) == [], "nothing of sixty taps is in the record"
        await result(director, black, white)
        await served.hub.scribes.record_due()
        await served.hub.scribes.record_due()
        assert await entered(served) == [("scribe", moves)]
        played = director.state.games[game]
        assert played.finished_moves == moves
        assert fold(await served.store.entries("open")).games[game].finished_moves == moves
        assert moves in (await served.browser().get(f"/t/open/games/{game}")).text
        assert "scribe" in await director.page("audit")
        # Kept until the next games are at the tables, then dropped.
        await served.run("publish-round")
        assert scribes_link(served, game) == ""
        await served.hub.scribes.record_due()
        assert not served.live.lines and (served.folder / "scribes.json").read_bytes() == b"{}"


async def test_a_line_rests_before_it_is_recorded_and_later_moves_follow(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
        await result(director, 40, 24)
        await served.hub.scribes.record_due()
        assert await entered(served) == [], "a telephone without a network may still send the last moves"
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert await entered(served) == [("scribe", LINE)]
        more = f"{LINE}{whole_game(LINE)[0][len(LINE) :][:4]}"
        assert (await tap(served, game, more, LINE))[0] == 200
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert await entered(served) == [("scribe", LINE), ("scribe", more)]
        assert director.state.games[game].known_moves == more


async def test_moves_that_end_otherwise_are_told_and_wait_for_who_is_right(served: Any) -> None:
    moves, (black, white) = whole_game()
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, moves)
        await result(director, black - 2, white + 2)
        await served.hub.scribes.record_due()
        assert await entered(served) == []
        for page in (
            await director.page(f"game/{game}"),
            (await served.browser().get(scribes_link(served, game))).text,
        ):
            assert f"These moves end {black}–{white}, the result is {black - 2}–{white + 2}." in page
            assert moves in page, "who decides sees which moves"
        await director.send("corrections", game=game, change="result", black=black, white=white, why="slip")
        await served.hub.scribes.record_due()
        assert await entered(served) == [("scribe", moves)]


async def test_what_others_have_typed_stays_and_what_was_taken_back_does_not_come_again(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
        await director.send(f"game/{game}", transcript="f5d6")
        await result(director, 40, 24)
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert director.state.games[game].known_moves == "f5d6"
        await director.send(f"game/{game}", transcript="")
        await served.hub.scribes.record_due()
        assert director.state.games[game].known_moves == LINE
        await director.send(f"game/{game}", transcript="")
        await served.hub.scribes.record_due()
        assert director.state.games[game].known_moves == "", "an operator has taken the scribe's moves out"


async def test_the_moves_of_a_revoked_link_go_nowhere(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
        await director.send(f"game/{game}/unscribe")
        await result(director, 40, 24)
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert await entered(served) == []
        page = (await served.browser().get(f"/t/open/games/{game}")).text
        assert LINE not in page


async def test_what_was_tapped_before_somebody_did_not_come_makes_no_game_of_it(served: Any) -> None:
    """The scribe has tried the board; moves on record would say that the two have played."""
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE[:4])
        await director.send("result", table=1, black=64, white=0, reason="forfeit")
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert await entered(served) == [] and director.state.games[game].is_no_show


async def test_a_killed_hub_records_a_line_once(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
        await result(director, 40, 24)
    async with served:
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert await entered(served) == [("scribe", LINE)]
    # It was killed after the record had the line, and before the file said so.
    file = served.folder / "scribes.json"
    file.write_bytes(file.read_bytes().replace(f'"recorded":"{LINE}"'.encode(), b'"recorded":""'))
    async with served:
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert await entered(served) == [("scribe", LINE)]
        # What a director takes out does not come again, and later moves of the scribe follow.
        director = Director(served, *await served.entered(Role.DIRECTOR))
        await director.send(f"game/{game}", transcript="")
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert director.state.games[game].known_moves == ""
        await tap(served, game, f"{LINE}c6", LINE)
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert director.state.games[game].known_moves == f"{LINE}c6"


async def test_a_game_that_is_taken_back_while_its_line_is_recorded_stops_nothing(
    served: Any, monkeypatch: Any
) -> None:
    """A press of *Undo* stands in the queue before the scribe's line."""
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
        await result(director, 40, 24)
        served.now_ns += SETTLED_S * SECOND_NS
        record, taken_back = served.store.record, ("pairing_published", "result_entered")

        async def late(event: str, writes: Any) -> Any:
            monkeypatch.undo()
            entries = [entry.id for entry in await served.store.entries("open") if entry.type in taken_back]
            for entry in reversed(entries):
                await director.send("undo", entry=entry)
            assert game not in director.state.games
            return await record(event, writes)

        monkeypatch.setattr(served.store, "record", late)
        await served.hub.scribes.record_due()
        assert await entered(served) == []


async def test_undoing_the_last_entry_takes_back_no_moves_of_a_scribe(served: Any) -> None:
    """They came by themselves between the result that an operator typed and the press of the button."""
    moves, (black, white) = whole_game()
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, moves)
        await result(director, black, white)
        await served.hub.scribes.record_due()
        await director.send("undo", to="round")
        played = director.state.games[game]
        assert played.score is None and played.typed_moves == moves


async def test_moves_that_players_have_saved_stay(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
        await result(director, 40, 24)
        await served.record(TranscriptEntered(game=game, transcript=LINE[:20], player="p1"))
        served.now_ns += SETTLED_S * SECOND_NS
        await served.hub.scribes.record_due()
        assert director.state.games[game].known_moves == LINE[:20]
