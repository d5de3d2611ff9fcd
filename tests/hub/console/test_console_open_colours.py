"""Results of games whose colours are drawn at the table: what a slip says, typed as it says, through each door."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.console_operator import Operator
from helpers.hub_files import clock_of, result_of, tournament_file
from helpers.hub_in_one import Room, first_round
from helpers.night import by_night
from helpers.people import my_page, sends
from helpers.waiting import until

from flagfall.othello.inputs import Called, Chosen, ColourDraw
from flagfall.othello.side import Side
from hub.overview import as_drawn
from hub.people.acts import shown_game
from hub.ranking.standings import standings
from hub.record.corrections import ColoursExchanged, GameAwarded, ResultChanged
from hub.record.fold import fold
from hub.text import Refused

JOF = {"rulebook": "jof", "rounds_planned": 2}
KEY = "0123456789abcdef"
# What is marked on the slip of p1, who stands first, and p2: the discs of each, and who had Black.
Slip = tuple[int, int, str]
SLIPS: tuple[Slip, ...] = ((40, 24, "p1"), (40, 24, "p2"), (24, 40, "p1"), (24, 40, "p2"))


async def at_the_round(director: Director, **more: Any) -> Any:
    await director.served.create("open", tournament_file(2, **(JOF | more)))
    await director.served.run("publish-round")
    await director.send("event/players-pages", pages="1", results="1")
    await director.send("start")
    return director.state.present_games[0]


def place(player: str) -> str:
    return "first" if player == "p1" else "second"


async def by_form(director: Director, game: str, slip: Slip) -> None:
    first, second, black = slip
    await director.send("result", table=1, black=first, white=second, in_order="1", had_black=place(black))


async def by_queue(director: Director, game: str, slip: Slip) -> None:
    first, second, black = slip
    typed = {"table": "1", "black": str(first), "white": str(second), "in_order": "1", "first": "p1"}
    form = {"csrf": director.csrf, "key": KEY, "game": game, **typed, "had_black": place(black)}
    answer = (await director.client.post("/desk/t/open/result/typed", data=form)).json()
    assert answer["outcome"] == "stored", answer


async def by_queue_asked(director: Director, game: str, slip: Slip) -> None:
    """Type the score alone, and press the button of the question that follows."""
    first, second, black = slip
    form = {"csrf": director.csrf, "key": KEY, "table": "1", "black": str(first), "white": str(second)}
    form |= {"in_order": "1", "first": "p1"}
    answer = (await director.client.post("/desk/t/open/result/typed", data=form)).json()
    assert (answer["outcome"], answer["ask"]) == ("asked", "had_black") and director.state.games[
        game
    ].score is None
    choices = dict(answer["choices"])
    assert choices == {"first": "Player 1", "second": "Player 2"}
    form[answer["ask"]] = next(key for key, name in choices.items() if name.endswith(black[-1]))
    answer = (await director.client.post("/desk/t/open/result/typed", data=form | {"key": KEY[::-1]})).json()
    assert answer["outcome"] == "stored", answer


async def by_api(director: Director, game: str, slip: Slip) -> None:
    first, second, black = slip
    score = [first, second] if black == "p1" else [second, first]
    answer = await director.served.client.post(
        "/api/1/tournaments/open/results", json={"table": 1, "score": score, "black": black}
    )
    assert answer.status_code == 200, answer.text


async def by_phones(director: Director, game: str, slip: Slip) -> None:
    first, second, black = slip
    had = "black" if black == "p1" else "white"
    form = {"game": game, "mine": str(first), "theirs": str(second), "had": had}
    assert (await sends(director.served, "score", "p1", **form))[0] == 303
    page = await my_page(director.served, "p2")
    opposite = "White" if had == "black" else "Black"
    outcome = "You won." if second > first else "You lost."
    said = re.sub(r"<[^>]*>|[\u2068\u2069]", "", page)
    assert f"Player 1 reports: you {second}, they {first}. {outcome} I had:  {opposite}" in said
    fields = dict(re.findall(r'name="(\w+)" value="([\w-]*)"', page.split("Confirm")[0].split("/score")[-1]))
    assert (await sends(director.served, "score", "p2", **fields))[0] == 303


async def by_tablet(director: Director, game: str, slip: Slip) -> None:
    first, second, black = slip
    await director.send("arrival")
    door, tablet = director.served.hub.player_links.arrival_path(director.state), director.served.browser()
    shown = shown_game(director.state.games[game])
    form = {"game": game, "player": "p2", "shown": shown, "mine": str(second), "theirs": str(first)}
    form["had"] = "black" if black == "p2" else "white"
    assert (await tablet.post(f"{door}/score", data=form)).status_code == 303
    page = (await tablet.get(door, params={"game": game})).text
    fields = dict(re.findall(r'name="(\w+)" value="([\w-]*)"', page.split("Confirm")[0].split("/score")[-1]))
    assert fields["player"] == "p1"
    assert (await tablet.post(f"{door}/score", data=fields)).status_code == 303


async def by_correction(director: Director, game: str, slip: Slip) -> None:
    first, second, black = slip
    page = await director.page("corrections", game=game)
    assert "Who had Black?" in page and "Exchange the colours" not in page
    form = {
        "game": game,
        "change": "result",
        "black": first,
        "white": second,
        "in_order": "1",
        "why": "the slip",
    }
    preview = await director.page("corrections", **form, had_black=place(black))
    assert 'name="had_black"' in preview.split("Effects of the correction")[1]
    await director.send("corrections", **form, had_black=place(black))


# By day the player on the left has White; the night has either as Black, and turns the discs round.
@pytest.mark.clause("jof J1")
@pytest.mark.parametrize("slip", [SLIPS[1], *by_night(SLIPS[0], *SLIPS[2:])])
@pytest.mark.parametrize(
    "door", [by_form, by_queue, by_queue_asked, by_api, by_phones, by_tablet, by_correction]
)
async def test_what_the_slip_says_typed_as_it_says_counts(
    served: Any, door: Callable[[Director, str, Slip], Awaitable[None]], slip: Slip
) -> None:
    first, second, black = slip
    async with director_at(served) as director:
        game = await at_the_round(director)
        assert game.players == ("p1", "p2") and game.colours_open
        await door(director, game.id, slip)
        state = director.state
        entry = state.games[game.id]
        discs = dict(zip(entry.players, entry.score, strict=True))
        assert discs == {"p1": first, "p2": second} and entry.black == black and not entry.colours_open
        assert standings(state.tournament)[0].player == ("p1" if first > second else "p2")
        assert fold(await served.store.entries("open")).games[game.id] == entry
        log = await director.page("audit")
        assert f"{entry.score[0]}–{entry.score[1]}" in log
        # From now on the colours are shown as usual, and an undo opens them again.
        colour = "Black" if black == "p1" else "White"
        assert f"You had {colour} against" in await my_page(served, "p1")
        assert 'class="drawn"' not in await director.page(f"/print/open/slips?key={served.site.key}")
        if door not in (by_phones, by_tablet):  # a player's report is never taken back
            await served.run("undo-entry")
            entry = director.state.games[game.id]
            assert (entry.players, entry.score, entry.colours_open) == (("p1", "p2"), None, True)
            assert "You play against" in await my_page(served, "p1")


@pytest.mark.clause("jof J1")
async def test_no_door_takes_a_result_without_the_draw(served: Any) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        page = await director.send("result", 400, table=1, black=40, white=24, in_order="1")
        assert "Who had Black?" in page and '<button name="had_black" value="second">' in page
        with pytest.raises(Refused, match="Who had Black"):
            await served.run("enter-result", game=game.id, score=(40, 24))
        with pytest.raises(Refused, match="black: expected one of the two players"):
            await served.run("enter-result", game=game.id, score=(40, 24), black="p9")
        status, page = await sends(served, "score", game=game.id, mine="40", theirs="24")
        assert status == 400 and "who had Black" in page
        for change in (
            ResultChanged(round=1, player="p1", score=(40, 24)),
            ColoursExchanged(round=1, player="p1"),
        ):
            with pytest.raises(Refused, match=r"Who had Black|the colours are open"):
                await served.run("correct-game", change=change, why="for the test")
        assert director.state.games[game.id].score is None and director.state.games[game.id].claim is None


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize("first", [True, False])
async def test_who_never_met_drew_no_colours(served: Any, first: bool) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        score = (40, 24) if first else (24, 40)
        await director.send(
            "result", table=1, black=score[0], white=score[1], in_order="1", reason="walkover"
        )
        entry = director.state.games[game.id]
        assert (entry.score, entry.colours_open) == (score, True)
        assert standings(director.state.tournament)[0].player == ("p1" if first else "p2")
        page = await my_page(served, "p1")
        assert "Opponent <b>" in page and "You had" not in page
        public = (await served.client.get("/api/1/public/tournaments/open/games")).json()["games"][0]
        assert (public["colours"], tuple(public["score"])) == ("open", score)
        # He came after all.
        await director.send("undo")
        await by_form(director, game.id, (24, 40, "p2"))
        assert not director.state.games[game.id].colours_open


async def test_an_award_before_the_draw_needs_no_colours(served: Any) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        await served.run("correct-game", change=GameAwarded(round=1, player="p2"), why="a telephone")
        entry = director.state.games[game.id]
        assert (entry.players, entry.score, entry.colours_open) == (("p1", "p2"), (0, 64), True)


@pytest.mark.clause("jof J1")
async def test_players_who_differ_in_the_colours_alone_are_a_conflict(served: Any) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        await sends(served, "score", "p1", game=game.id, mine="40", theirs="24", had="black")
        await sends(served, "score", "p2", game=game.id, mine="24", theirs="40", had="black")
        entry = director.state.games[game.id]
        assert entry.conflict and entry.score is None and entry.colours_open
        page = re.sub("[\u2068\u2069]", "", await director.page("round"))
        assert "Player 1 reports 40–24 (Black: Player 1), Player 2 40–24 (Black: Player 2)." in page
        detail = await director.page(f"game/{game.id}")
        assert detail.count('name="had_black" value="second"') == 1
        await director.send("decide", game=game.id, black=24, white=40, had_black="second")
        entry = director.state.games[game.id]
        assert (entry.players, entry.score, entry.conflict) == (("p2", "p1"), (24, 40), False)


@pytest.mark.clause("jof J1")
async def test_a_typed_result_with_other_colours_than_the_players_is_a_conflict(served: Any) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        await by_phones(director, game.id, (40, 24, "p2"))
        await by_form(director, game.id, (40, 24, "p1"))
        entry = director.state.games[game.id]
        assert entry.conflict and entry.black == "p2" and entry.entered == (24, 40)
        await director.send("decide", game=game.id, black=40, white=24, had_black="first")
        entry = director.state.games[game.id]
        assert (entry.players, entry.score) == (("p1", "p2"), (40, 24))


async def test_the_same_slip_typed_again_asks_nothing_and_another_one_asks(served: Any) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        await by_form(director, game.id, (40, 24, "p2"))
        await by_form(director, game.id, (40, 24, "p2"))
        page = await director.send(
            "result", 400, table=1, black=40, white=24, in_order="1", had_black="first"
        )
        assert "Replace it" in page and director.state.games[game.id].black == "p2"
        fault = await director.send("result", 400, table=1, black=60, white=24, in_order="1")
        assert "got 60-24" in fault, "in the order in which it was typed"


# White of the assignment calls black, which it is, and takes black.
EXCHANGED = ColourDraw(500, Side.BLACK, Called.BLACK, Side.BLACK, Chosen.BLACK)


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize("differs", [False, True])
async def test_a_table_that_drew_other_colours_than_were_typed_turns_no_score(
    room: Room, differs: bool
) -> None:
    identity, assigned = await first_round(room, rulebook="jof")
    first, second = (assigned.header[side]["id"] for side in ("black", "white"))
    score = (24, 40) if not differs else (40, 24)  # of `first` and `second`
    await room.run("enter-result", game=assigned.game, score=score, black=first)
    await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24), draw=EXCHANGED))
    game = room.store.states["open"].games[assigned.game]
    assert (game.players, game.reported.score) == ((second, first), (40, 24))
    assert (game.conflict, game.entered) == (differs, (24, 40) if differs else (40, 24))


@pytest.mark.clause("jof J1")
async def test_a_broadcast_game_has_its_tables_colours(room: Room) -> None:
    _, assigned = await first_round(room, rulebook="jof")
    game = room.store.states["open"].games[assigned.game]
    clock = clock_of(assigned.game, black=game.white)
    assert as_drawn(game, None).colours_open and not as_drawn(game, clock).colours_open
    assert as_drawn(game, clock).players == game.players[::-1]


@pytest.mark.needs("chromium", "mosquitto")
def test_a_slip_is_typed_by_keyboard_alone(hub: Any, browser: Any) -> None:
    hub.call("PUT", "tournaments/open", tournament_file(6, **JOF))
    hub.call("POST", "tournaments/open/pairings", {"round": 1})
    hub.call("POST", "tournaments/open/start")
    operator = Operator(browser, hub)
    operator.set_up()
    operator.go("round")
    page = operator.page

    def press(*keys: str) -> None:
        for key in keys:
            page.keyboard.press(key)

    def games() -> dict[int, Any]:
        return {game["table"]: game for game in hub.call("GET", "tournaments/open")["games"]}

    before = games()
    page.locator("#result-form [name=table]").focus()
    # Table 1: 40 for the first, who had White; table 2: 24 for the first, who had Black.
    press("1", "Enter", "4", "0", "Enter", "2", "Enter")
    press("2", "Enter", "2", "4", "Enter", "1", "Enter")
    assert page.evaluate("document.activeElement.name") == "table"
    page.locator("#typed-stored li").nth(1).wait_for()
    until(lambda: all(games()[table]["score"] for table in (1, 2)))
    after = games()
    assert (after[1]["black"], after[1]["score"]) == (before[1]["white"], [24, 40])
    assert (after[2]["black"], after[2]["score"]) == (before[2]["black"], [24, 40])
    # Typed again: the names stand as on the slip, whatever colours are known by now.
    page.locator("#row-1 b", has_text="24–40").wait_for()
    names = {player["id"]: player["name"] for player in hub.call("GET", "tournaments/open/file")["players"]}
    press("1")
    expected = f"{names[before[1]['black']]} – {names[before[1]['white']]}"
    until(lambda: page.locator("#whose").inner_text() == expected)
    assert operator.faults == []
