"""A draw that somebody wins (jof J1), typed at the console: the winner is asked for and never guessed."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.console_operator import Operator
from helpers.hub_files import tournament_file
from helpers.waiting import until

from hub.ranking.finals import finals_of
from hub.ranking.standings import standings
from hub.record.corrections import FinalResultChanged
from hub.rounds.publish import FinalChoice

JOF = {"rulebook": "jof", "rounds_planned": 2}


async def at_the_round(director: Director, **more: Any) -> Any:
    await director.served.create("open", tournament_file(2, **(JOF | more)))
    await director.served.run("publish-round")
    return director.state.present_games[0]


def points(director: Director) -> dict[str, float]:
    return {line.player: line.points for line in standings(director.state.tournament)}


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize("side", ["black", "white", "nobody"])
async def test_the_form_asks_who_wins_the_draw(served: Any, side: str) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        typed = {"table": "1", "black": "32", "white": "32", "in_order": "1", "had_black": "first"}
        page = await director.send("result", 400, **typed)
        assert "Who wins the draw?" in page and director.state.games[game.id].score is None
        for value in ("black", "white", "nobody"):
            assert f'<button name="draw_win" value="{value}">' in page
        await director.send("result", **typed, draw_win=side)
        entered = director.state.games[game.id]
        winner = {"black": game.black, "white": game.white}.get(side)
        assert (entered.score, entered.draw_win) == ((32, 32), winner)
        assert points(director) == {
            player: 0.5 if winner is None else float(player == winner) for player in game.players
        }
        if winner is not None:
            assert "wins a draw" in await director.page("audit")


async def test_another_winner_replaces_the_first_only_when_asked(served: Any) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        typed = {"table": "1", "black": "32", "white": "32", "in_order": "1", "had_black": "first"}
        await director.send("result", **typed, draw_win="black")
        await director.send("result", **typed)
        assert director.state.games[game.id].draw_win == game.black, "typed again: the record knows"
        assert "Replace it" in await director.send("result", 400, **typed, draw_win="white")
        assert director.state.games[game.id].draw_win == game.black


async def test_nobody_is_asked_where_no_draw_is_won_or_the_score_is_none(served: Any) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director, rulebook="open", system="swiss")
        await director.send("result", table="1", black="32", white="32")
        assert director.state.games[game.id].score == (32, 32)
        assert 'id="draw-win"' not in await director.page("round")


async def test_both_flags_and_a_won_game_need_no_winner_of_a_draw(served: Any) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        await director.send(
            "result", table="1", black="31", white="31", reason="both_flags", had_black="first"
        )
        assert director.state.games[game.id].score == (31, 31)


async def test_the_command_of_the_api_names_the_field(served: Any) -> None:
    async with director_at(served) as director:
        game = await at_the_round(director)
        with pytest.raises(ValueError, match=r"draw_win: .*Who wins the draw"):
            await director.served.run("enter-result", game=game.id, score=(32, 32), black=game.black)
        await director.served.run(
            "enter-result", game=game.id, score=(32, 32), black=game.black, draw_win="white"
        )
        assert director.state.games[game.id].draw_win == game.white


async def test_a_drawn_final_has_a_winner(served: Any) -> None:
    async with director_at(served) as director:
        await at_the_round(director, rounds_planned=1, level_playoff=2)
        drawn = {"table": "1", "black": "32", "white": "32", "had_black": "first"}
        await director.send("result", **drawn, draw_win="nobody")
        match = await director.page("finals")
        assert "Final" in match
        better, other = finals_of(director.state.tournament).due[0].players
        await director.served.run("publish-finals", games=[FinalChoice("open", "final", better, other, 1)])
        page = await director.send("result", 400, **drawn, draw_win="nobody")
        assert 'value="nobody">Nobody' not in page.split("question")[1].split("</form>")[0]
        await director.send("result", **drawn, draw_win="white")
        assert finals_of(director.state.tournament).champions["open"] == other
        await director.served.run(
            "correct-game",
            change=FinalResultChanged(game=1, score=(32, 32), reason="board", draw_win=better),
            why="the other way",
        )
        assert finals_of(director.state.tournament).champions["open"] == better


@pytest.mark.needs("chromium", "mosquitto")
def test_a_draw_win_is_typed_by_keyboard_alone(hub: Any, browser: Any) -> None:
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

    def recorded() -> dict[int, tuple[Any, Any]]:
        games = hub.call("GET", "tournaments/open")["games"]
        return {game["table"]: (game["score"], game.get("draw_win")) for game in games}

    page.locator("#result-form [name=table]").focus()
    assert not page.locator("#draw-win").is_visible()
    press("1", "Tab", "4", "0", "Enter", "1", "Enter", "2", "Tab", "3", "2")
    page.locator("#draw-win").wait_for()
    press("Enter")
    assert page.evaluate("document.activeElement.name") == "had_black"
    press("1", "Enter")
    assert page.evaluate("document.activeElement.name") == "draw_win"
    press("ArrowDown", "ArrowDown", "Enter")
    assert page.evaluate("document.activeElement.name") == "table"
    assert not page.locator("#draw-win").is_visible()
    page.locator("#typed-stored li", has_text="2: 32–32").wait_for()
    assert recorded()[1][0] == [40, 24] and recorded()[2][0] == [32, 32]
    # Whoever passes over the choice is asked, and what is typed next waits for nothing.
    press("3", "Tab", "3", "2", "Enter", "2", "Enter", "Enter")
    line = page.locator("#typed-open li", has_text="Who wins the draw?")
    line.wait_for()
    assert recorded()[3][0] is None
    line.get_by_role("button", name="Nobody").click()
    until(lambda: recorded()[3][0] == [32, 32])
    page.locator("#row-2 .seat.wins").wait_for()
    assert page.locator("#row-2 .seat.wins").count() == 1 and page.locator("#row-3 .seat.wins").count() == 0
    assert operator.faults == []
