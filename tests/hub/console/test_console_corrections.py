"""Corrections and categories at the console: shown before they are made, with a reason, undone, on record."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_director import PLAYED, director_at
from helpers.hub_files import tournament_file

from hub.form.tournament import tournament_from_json
from hub.record.corrections import ResultChanged, apply_change, effects_of
from hub.role import Role


def test_a_change_tells_which_games_and_places_it_moves() -> None:
    before = tournament_from_json(tournament_file(4, rounds=PLAYED))
    effects = effects_of(before, apply_change(before, ResultChanged(round=1, player="p1", score=(20, 44))))
    (game,) = effects.games
    assert (game.round, game.before.score, game.after.score) == (1, (40, 24), (20, 44))
    moved = {place.after.player: (place.before.points, place.after.points) for place in effects.places}
    assert moved["p1"] == (2, 1) and moved["p2"] == (1, 2)
    assert [place.after.place for place in effects.places] == sorted(
        place.after.place for place in effects.places
    )
    none = effects_of(before, before)
    assert (none.games, none.places, none.finals) == ((), (), False)


async def test_lists_show_what_the_event_ranks_by(served: Any) -> None:
    async with director_at(
        served, tournament_file(4, rounds=PLAYED, tie_break="disc-difference")
    ) as director:
        look = {"game": director.game(1, 1).id, "change": "result", "black": "41", "white": "23"}
        for page in (await director.page("players"), await director.page("corrections", **look)):
            assert "difference of discs" in page and ">BQ<" not in page
        assert "<s>+40</s> <b>+42</b>" in page


@pytest.mark.clause("woc-2019 V.2.b")
async def test_a_game_of_any_round_is_corrected_after_a_look_at_what_it_changes(served: Any) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED)) as director:
        assert "Round 1" in await director.page("corrections")
        game = director.game(1, 1)
        look = {"game": game.id, "change": "penalty", "player": "black", "discs": "10"}
        head = director.served.store.head("open")
        page = await director.page("corrections", **look)
        assert "40–24" in page and "30–34" in page and "Effects of the correction" in page
        assert director.served.store.head("open") == head, "a look changes nothing"
        refused = await director.send("corrections", 400, **look)
        assert "Reason: expected something" in refused and 'value="10"' in refused
        late = await director.send("corrections", 409, **look, why="x", seen="1 p1 p2 64-0 board")
        assert "someone else has changed it" in late and director.game(1, 1).score == (40, 24)
        await director.send("corrections", **look, why="telephone <rang>")
        assert (
            director.game(1, 1).score == (30, 34)
            and director.state.tournament.rounds[0].games[0].reason == "ruled"
        )
        page = await director.page("corrections", round="1")
        assert "telephone <rang>" in page and "Take back" in page and "director," in page
        raw = (await director.client.get("/desk/t/open/corrections")).text
        assert "telephone &lt;rang&gt;" in raw
        entry = (await director.served.store.entries("open"))[-1].id
        await director.send("undo", entry=entry, to="corrections")
        assert director.game(1, 1).score == (40, 24) and "taken back" in await director.page("corrections")
        log = await director.page("audit")
        assert "telephone <rang>" in log and "Correction" in log


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"change": "result", "black": "64", "white": "0", "reason": "resigned"}, ("p1", "p2", (64, 0), 1)),
        ({"change": "award", "player": "white"}, ("p1", "p2", (0, 64), 1)),
        ({"change": "draw"}, ("p1", "p2", (32, 32), 1)),
        ({"change": "double-forfeit"}, ("p1", "p2", (0, 0), 1)),
        ({"change": "colours"}, ("p2", "p1", (24, 40), 1)),
        ({"change": "players", "player": "white", "other": "p4"}, ("p1", "p4", (40, 24), 1)),
        ({"change": "tables", "other": "p4"}, ("p1", "p2", (40, 24), 2)),
    ],
)
async def test_every_change_is_shown_before_and_done_as_it_was_shown(
    served: Any, form: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED)) as director:
        game = director.game(1, 1)
        page = await director.page("corrections", game=game.id, **form)
        assert "Effects of the correction" in page and 'role="alert"' not in page
        await director.send("corrections", game=game.id, why="seen", **form)
        now = director.state.games[game.id]
        assert (now.black, now.white, now.score, now.table) == expected


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"change": "result", "black": "40", "white": "20"}, "Score: expected 64 discs together"),
        (
            {"change": "result", "black": "x", "white": "20"},
            "Black: expected a whole number from 0 to 64, got x",
        ),
        ({"change": "penalty", "player": "black", "discs": "50"}, "Discs taken: expected 1 to 40"),
        ({"change": "players", "player": "black", "other": "p2"}, "To exchange colours, choose"),
        ({"change": "dance"}, "expected one of result"),
    ],
)
async def test_what_cannot_be_is_said_before_it_is_done(
    served: Any, form: dict[str, Any], reason: str
) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED)) as director:
        game = director.game(1, 1)
        for page in (
            await director.page("corrections", game=game.id, **form),
            await director.send("corrections", 400, game=game.id, why="x", **form),
        ):
            assert reason in page and "Effects of the correction" not in page
        assert director.game(1, 1) == game


async def test_a_final_is_corrected_with_who_wins_a_draw(served: Any) -> None:
    final = {"title": "open", "stage": "semi-final", "black": "p1", "white": "p4", "score": [40, 24]}

    async with director_at(served, _with_final(final)) as director:
        game = next(game for game in director.state.games.values() if game.final is not None)
        page = await director.page("corrections", round="finals")
        assert "Open Semi-final" in page
        form = {"game": game.id, "change": "result", "black": "30", "white": "34", "reason": "board"}
        await director.send("corrections", **form, draw_win="", why="misread")
        assert director.state.tournament.finals[0].score == (30, 34)
        refused = await director.send("corrections", 400, **{**form, "change": "colours"}, why="x")
        assert "expected one of result" in refused


async def test_a_correction_that_the_finals_forbid_says_the_way_out(served: Any) -> None:
    final = {"title": "open", "stage": "semi-final", "black": "p1", "white": "p4", "score": [40, 24]}

    async with director_at(served, _with_final(final)) as director:
        forfeited = {"game": director.game(1, 1).id, "change": "result", "black": "0", "white": "64"}
        page = await director.page("corrections", **forfeited, reason="forfeit")
        assert "some of their games would not have been due" in page and "Take them back under Log" in page


def _with_final(final: dict[str, Any]) -> Any:
    rounds = [
        {
            "games": [
                {"black": "p1", "white": "p2", "score": [40, 24]},
                {"black": "p3", "white": "p4", "score": [40, 24]},
            ]
        },
        {
            "games": [
                {"black": "p1", "white": "p3", "score": [44, 20]},
                {"black": "p2", "white": "p4", "score": [50, 14]},
            ]
        },
    ]
    return tournament_file(4, rounds=rounds, rounds_planned=2, finals=[final])


async def test_an_assistant_may_look_and_not_correct(served: Any) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED), Role.ASSISTANT) as director:
        game = director.game(1, 1)
        page = await director.page("corrections", game=game.id)
        assert "Preview the correction" not in page
        await director.send("corrections", 403, game=game.id, change="draw", why="x")


def carrying(categories: dict[str, list[str]]) -> Any:
    file = tournament_file(8, rulebook="cc-2024")
    for player in file["players"]:
        player["categories"] = categories.get(player["id"], [])
    return file


@pytest.mark.clause("cc-2024 II.6.1")
async def test_small_categories_are_merged_or_allowed_and_all_of_it_can_be_taken_back(served: Any) -> None:
    old = {f"p{n}": ["50+"] for n in range(1, 5)} | {f"p{n}": ["60+", "female"] for n in range(5, 8)}

    async with director_at(served, carrying(old)) as director:
        page = await director.page("categories")
        assert "only 4 players" in page and page.count("only 3 players") == 2
        assert "Categories" in await director.page("players") and "only" not in await director.page("finals")
        await director.send("categories", category="60+", do="merge", into="50+")
        page = await director.page("categories")
        assert "only 4 players" not in page and "60+</b> → <b>50+" in page
        assert director.state.tournament.merged_categories == {"60+": "50+"}
        await director.send("categories", category="female", do="allow")
        assert "small, allowed" in await director.page("categories")
        before = director.state
        await director.send("categories", category="female", do="allow")
        assert director.state == before, "allowed already"
        for form, reason in (
            ({"category": "nobody", "do": "allow"}, "expected a category of a player"),
            (
                {"category": "50+", "do": "merge", "into": "60+"},
                "expected another category, not merged itself",
            ),
            ({"category": "50+", "do": "merge", "into": "50+"}, "expected another category"),
            ({"category": "50+", "do": "dance"}, "expected one of merge"),
        ):
            assert reason in await director.send("categories", 400, **form)
        await director.send("categories", category="60+", do="part")
        assert director.state.tournament.merged_categories == {}
        await director.send("undo", to="categories")
        assert director.state.tournament.merged_categories == {"60+": "50+"}
        assert "Categories decided" in await director.page("audit")
        await director.send("categories", category="female", do="forbid")
        await director.send("player/p8", name="Player 8", categories="60+, youth , 60+")
        assert director.state.tournament.player("p8").categories == ("60+", "youth")


async def test_a_rulebook_without_categories_says_so(served: Any) -> None:
    async with director_at(served, tournament_file(4)) as director:
        assert "knows no categories" in await director.page("categories")
        assert "/categories" not in await director.page("players")
        await director.send("categories", 400, category="50+", do="allow")
