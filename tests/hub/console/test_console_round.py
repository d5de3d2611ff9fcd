"""The round's page: what tables say and lack, scores, rulings, when it will be over."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers.console_director import Director, director_at, one_game, paired
from helpers.hub_files import clock_of, tournament_file
from helpers.hub_served import Served
from helpers.people import club, sends

from flagfall.link.messages import Call, ClockShown, Health, Status
from flagfall.othello.game import State
from flagfall.othello.refusals import refusal
from hub.console.app import LANGUAGE_COOKIE
from hub.console.views.round import (
    LATE_AFTER_S,
    RulingAnswer,
    RulingShown,
    minutes_of_games,
    project_round_end,
)
from hub.record.events import ResultReceived
from hub.record.store import Write
from hub.role import Role


async def report(director: Director, game: Any, score: tuple[int, int], **more: Any) -> None:
    received = ResultReceived(
        game=game.id,
        revision=1,
        device="t1",
        score=score,
        reason="board",
        signature="s",
        **{"message": "{}", **more},
    )
    await director.served.store.record("open", [Write(f"result.{game.id}.1", received, "t1")])


def shown(game: str, state: State, running: Any = None, transcript: str = "") -> ClockShown:
    return clock_of(game, running, state=state, moves=len(transcript) // 2, transcript=transcript)


async def test_the_round_at_a_glance(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path)) as director:
        served = director.served
        game = await one_game(director)
        page = await director.page("round")
        assert "No connection to the tables" in page and "offline" in page
        served.live.hear_link(True)
        served.live.hear_status("t1", "open", Status(online=True, fit=True, game=game.id, seat=1))
        await director.send("start")
        assert "not yet answered" in await director.page("round")
        served.live.hear_status("t1", "open", Status(online=False))
        assert "offline; sent when it is back" in await director.page("round")
        ruling = director.state.rulings[-1].ruling
        answered = Status(online=True, fit=True, game=game.id, seat=1, answers={ruling: "applied"})
        served.live.hear_status("t1", "open", answered)
        page = await director.page("round?live=1")
        assert "done at 1 of 1" in page and "<html" not in page and "late " not in page.replace("latest", "")
        # Of a table that is lost after its answer the console goes on telling it.
        served.live.hear_status("t1", "open", Status(online=False))
        page = await director.page("round?live=1")
        assert "done at 1 of 1" in page and "offline; sent when" not in page
        served.live.hear_status("t1", "open", answered)
        served.now_ns += (LATE_AFTER_S + 1) * 10**9
        page = await director.page("round")
        assert "1 min late" in page and "has not begun 1 min after the start" in page
        served.live.hear_clock("t1", shown(game.id, State.RUNNING, "black"), served.now_ns)
        served.live.hear_call("t1", Call(wanted=True, why="misflip <disputed>", game=game.id))
        page = await director.page("round")
        assert "has not begun" not in page and 'data-ends-ms="815000"' in page and ">15:00<" in page
        assert "calls the director: misflip &lt;disputed&gt;" in director.sent
        assert "The round ends by" in page
        await director.send("answer", device="t1")
        page = await director.page("round")
        assert "director is on the way: misflip <disputed>" in page and "I am on my way" not in page
        served.live.hear_call("t1", Call(wanted=True, why="misflip <disputed>", game=game.id))
        assert "on the way" in await director.page("round"), "the same call, heard again"
        served.live.hear_call("t1", Call(wanted=False))
        served.live.hear_call("t1", Call(wanted=True, why="again", game=game.id))
        assert "calls the director: again" in await director.page("round")
        assert "Device: expected a device that calls the director" in await director.send(
            "answer", 400, device="t7"
        )
        served.now_ns += 10 * 10**9
        page = await director.page("round")
        assert ">12:24<" in page and 'data-ends-ms="815000"' in page
        served.live.drop("bad message", "flagfall/1/x: expected <JSON>")
        assert "expected <JSON>" in await director.page("round")
        director.client.cookies.set(LANGUAGE_COOKIE, "fr")
        assert "message illisible 1" in await director.page("round")


@pytest.mark.parametrize(
    ("keys", "answer", "why", "undone"),
    [
        (True, "pas quand la partie est terminée", "Noir a déjà signé", "annule\u00a0: Arrêter les pendules"),
        (False, "not while the game is finished", "black has signed already", "undo stop"),
    ],
    ids=["refusals known here", "refusals unknown here"],
)
async def test_what_tables_answer_is_in_the_readers_language(
    served: Any, *, keys: bool, answer: str, why: str, undone: str
) -> None:
    """A refusal that this hub has no text for is shown in the English of the table."""
    async with director_at(served) as director:
        game, live = await one_game(director), director.served.live
        await director.send("ruling", rule="stop", tables="all")
        finished, signed = (refusal("not_in_state", state="finished"), refusal("has_signed", player="black"))
        ruling = director.state.rulings[-1].ruling
        status = Status(
            online=True,
            fit=True,
            game=game.id,
            seat=1,
            answers={ruling: f"refused: {finished}"},
            refusals={ruling: finished.as_object()} if keys else {},
        )
        live.hear_status("t1", "open", status)
        live.hear_call("t1", Call(wanted=True, why="black", game=game.id))
        director.client.headers["accept-language"] = "fr"
        page = await director.page("round")
        assert f"refusé – {answer}" in page
        assert page.count("Noir appelle l’arbitre principal<") == 2, "beside the table, and above them all"
        await director.send("answer", device="t1")
        assert "director y va\u00a0: Noir" in await director.page("round")
        incident: dict[str, Any] = {"at_ns": 1, "type": "refused", "why": str(signed)}
        ruled: dict[str, Any] = {
            "at_ns": 2,
            "type": "ruling",
            "rule": "resume",
            "fields": {"reason": "undo stop"},
        }
        if keys:
            incident["refusal"] = signed.as_object()
            ruled["fields"] |= {"undoes": "stop"}
        await report(director, game, (40, 24), message=json.dumps({"incidents": [incident, ruled]}))
        page = await director.page(f"game/{game.id}")
        assert f"<q>{why}</q>" in page and f"<q>{undone}</q>" in page


async def test_many_that_are_late_are_one_line(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, paired)) as director:
        served = director.served
        await served.create("open", tournament_file(8))
        for seat in range(1, 5):
            await served.enroll(f"t{seat}", seat)
        await director.send("draft/pair")
        draft = served.hub.drafting.of("open")
        await director.send("draft/publish", revision=draft.revision)
        served.live.hear_link(True)
        for seat in range(1, 5):
            served.live.hear_status(f"t{seat}", "open", Status(online=True, fit=True))
        await director.send("start")
        served.now_ns += (2 * LATE_AFTER_S + 1) * 10**9
        page = await director.page("round")
        assert "Not begun 2 min after the start of the round: tables 1, 2, 3, 4." in page
        assert "has not begun" not in page


@pytest.mark.parametrize("step", [timedelta(minutes=8371), timedelta(days=-4000), timedelta(hours=-1)])
async def test_a_wall_clock_that_is_set_makes_nobody_late(tmp_path: Path, step: timedelta) -> None:
    async with director_at(Served(tmp_path)) as director:
        served = director.served
        game = await one_game(director)
        served.live.hear_link(True)
        served.live.hear_status("t1", "open", Status(online=True, fit=True, game=game.id, seat=1))
        await director.send("start")
        served.wall += step
        page = await director.page("round")
        assert "has not begun" not in page and "late 0" not in page
        served.now_ns += 130 * 10**9
        assert "has not begun 2 min after the start" in await director.page("round")
        set_to, now_ns = served.wall, served.now_ns
    # The hub starts again: the machine has counted on meanwhile.
    again = Served(tmp_path)
    again.wall, again.now_ns = set_to + step, now_ns + 60 * 10**9
    async with director_at(again) as director:
        director.served.live.hear_status("t1", "open", Status(online=True, fit=True, game=game.id, seat=1))
        assert "has not begun 3 min after the start" in await director.page("round")


@pytest.mark.parametrize(("after", "late"), [(timedelta(minutes=5), "5 min"), (timedelta(days=5), None)])
async def test_without_what_the_hub_counted_a_label_counts_if_it_can_be_true(
    tmp_path: Path, after: timedelta, late: str | None
) -> None:
    async with director_at(Served(tmp_path)) as director:
        game = await one_game(director)
        await director.send("start")
    (tmp_path / "waits.json").unlink()
    again = Served(tmp_path)
    again.wall += after
    async with director_at(again) as director:
        director.served.live.hear_status("t1", "open", Status(online=True, fit=True, game=game.id, seat=1))
        page = await director.page("round")
        assert (f"{late} late" in page) if late else (" min late" not in page)


@pytest.mark.clause("woc-2019 I.3", "woc-2019 V.1")
async def test_rulings_go_to_the_tables_that_were_chosen(served: Any) -> None:
    async with director_at(served) as director:
        await one_game(director)
        await director.send("ruling", rule="stop", tables="all")
        await director.send(
            "ruling", rule="adjust_time", tables="picked", pick="1", player="white", seconds="-60"
        )
        stop, time = director.state.rulings
        assert (stop.rule, stop.who) == ("stop", "director")
        assert dict(time.fields) == {"player": "white", "seconds": -60}
        for bad, reason in (
            ({"rule": "dance"}, "Ruling: expected one of"),
            ({"rule": "stop", "tables": "picked"}, "Tables: expected at least one table"),
            ({"rule": "stop", "tables": "picked", "pick": "9"}, "Tables: expected at least one table"),
            ({"rule": "adjust_time", "tables": "all", "player": "red"}, "Player: expected one of"),
            (
                {"rule": "adjust_time", "tables": "all", "player": "black", "seconds": "x"},
                "Seconds: expected",
            ),
        ):
            assert reason in await director.send("ruling", 400, **bad)
        helper = Director(director.served, *await director.served.entered(Role.ASSISTANT))
        assert "only a director" in await helper.send(
            "ruling", 400, rule="award", tables="all", player="black"
        )
        await helper.send("ruling", rule="resume", tables="all")
        assert director.state.rulings[-1].who == "assistant"


async def test_a_conflict_is_shown_side_by_side_and_decided(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director)
        incident = {"at_ns": 1, "type": "misflip", "by": "white", "squares": ["d4"], "state": "corrected"}
        message = json.dumps({"incidents": [incident, "x", {}], "clocks_ns": {"black": 1, "white": 2}})
        await report(director, game, (40, 24), transcript="f5d6", signed=(True, False), message=message)
        page = await director.page("round")
        assert 'Not signed yet at table <a href="#row-1">1</a>' in page and "Round 1 is complete" in page
        await director.send("result", table=1, black=24, white=40)
        page = await director.page("round")
        assert "The table says 40–24, the console 24–40" in page and "Two scores are in conflict" in page
        page = await director.page(f"game/{game.id}")
        assert "misflip" in page and "d4" in page and "f5d6" in page and "Black yes, White no" in page
        assert f'href="/desk/t/open/game/{game.id}"' in await director.page("draft")
        assert "Pair the round" not in await director.page("draft")
        page = await director.page("finals")
        assert "Two scores are in conflict" in page and "Close the event" not in page
        assert "Decide under Round" in await director.send("close", 400)
        await director.send("decide", game=game.id, black=24, white=40, why="score sheet seen")
        record = director.state.games[game.id]
        assert record.score == (24, 40) and not record.conflict
        assert "score sheet seen" in await director.page(f"game/{game.id}")


async def test_a_table_that_dies_or_loses_its_board_in_play_needs_the_operator(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director)
        silent, live = "lost its connection during the game", director.served.live
        live.hear_link(True)
        gone = Status(online=False, fit=True, seat=1, game=game.id)
        live.hear_status("t1", "open", gone)
        assert silent not in await director.page("round"), "nobody plays there yet"
        await director.send("start")
        assert silent in await director.page("round")
        there = Status(online=True, fit=True, seat=1, game=game.id)
        live.hear_status("t1", "open", there)
        page, without = await director.page("round"), "plays without its board"
        assert silent not in page and without not in page
        pulled = msgspec.structs.replace(
            there, fit=False, health=Health(board="no sensor board is connected")
        )
        live.hear_status("t1", "open", pulled)
        assert without in await director.page("round")


async def test_a_hub_from_an_older_backup_says_which_games_it_lacks_and_what_to_do(served: Any) -> None:
    """Tables play, or keep results of, a round that was published after the backup."""
    async with director_at(served) as director:
        game = await one_game(director)
        live, lacks = director.served.live, "missing in this hub"
        known = Status(online=True, game=game.id, receipts={f"{game.id}.1": ""})
        live.hear_status("t1", "open", known)
        assert lacks not in await director.page("round")
        live.hear_status("t1", "open", msgspec.structs.replace(known, game="2-1-later"))
        live.hear_status("t2", "open", Status(online=True, receipts={"2-2-later.1": "", "2-2-later.2": ""}))
        page = await director.page("round")
        assert f"The tables have 2 games that are {lacks}" in page and "publish their round again" in page
        live.hear_status("t1", "open", known)
        live.hear_status("t2", "open", None)
        assert lacks not in await director.page("round")


async def test_a_spare_in_mid_game_is_told_how_the_game_stood(served: Any) -> None:
    """The moves lie on the device that was lost: until the new one has them, the desk shows them."""
    async with director_at(served) as director:
        game = await one_game(director)
        live = director.served.live
        await director.served.enroll("t2", None)

        def hear(device: str, moves: int) -> None:
            clock = shown(game.id, State.RUNNING, "black", "f5d6c3"[: 2 * moves])
            live.hear_clock(device, clock, 0)

        hear("t1", 3)
        left = "without the 3 moves made at t1"
        assert left not in await director.page("round")
        await director.send("seat", seat=1, device="t2")
        hear("t2", 2)
        assert left in await director.page("round")
        page = await director.page(f"game/{game.id}")
        assert "Position when t1 was replaced" in page and "12:34 · 15:00" in page and "f5d6c3" in page
        hear("t2", 3)
        assert left not in await director.page("round")


async def test_a_game_whose_player_has_withdrawn_needs_the_operator_until_it_has_a_score(served: Any) -> None:
    async with director_at(served) as director:
        await one_game(director, device=False)
        gone = "Player 2 has withdrawn, and this game has no result"
        assert gone not in await director.page("round")
        await director.send("player/p2/withdraw")
        assert gone in await director.page("round")
        await director.send("result", table=1, black=40, white=24)
        assert gone not in await director.page("round")


async def test_another_score_for_the_same_table_is_asked_about(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director, device=False)
        await director.send("result", table=1, black=40, white=24)
        await director.send("result", table=1, black=40, white=24)
        page = await director.send("result", 400, table=1, black=30, white=34)
        assert "has the result 40–24 already" in page and "Replace it by 30–34" in page
        assert director.state.games[game.id].score == (40, 24)
        (old,) = re.findall(r'name="instead" value="([^"]+)"', page)
        await director.send("result", 400, table=1, black=30, white=34, instead="what was never there")
        await director.send("result", table=1, black=30, white=34, instead=old)
        assert director.state.games[game.id].score == (30, 34)
        page = await director.send("result", 400, table=1, black=20, white=44, instead=old)
        assert "has the result 30–34 already" in page, "what was confirmed was another one"


async def test_the_end_of_round_and_day_are_foreseen(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path)) as director:
        served = director.served
        await one_game(director, device=False)
        state, minute = director.state, timedelta(minutes=1)
        projected = project_round_end(state, minutes_of_games(state), served.live, 0, served.wall)
        assert projected.round_end == served.wall + 60 * minute, "30 minutes each, not begun"
        assert (projected.day_end, projected.rounds_left) == (served.wall + 60 * minute + 2 * 70 * minute, 2)
        fewer = project_round_end(state, minutes_of_games(state), served.live, 0, served.wall, rounds_left=1)
        assert fewer.day_end == served.wall + 130 * minute
        assert "today: 1, the last" in await director.page("round?rounds=1")
        await director.send("result", table=1, black=40, white=24)
        over = project_round_end(
            director.state, minutes_of_games(director.state), served.live, 0, served.wall, rounds_left=0
        )
        assert (over.round_end, over.day_end) == (None, None)


def test_a_ruling_of_a_round_that_is_over_does_not_say_that_no_table_had_a_device() -> None:
    """Show the round as a second hub does that was restored while one table played by hand."""
    answers = (RulingAnswer(1, "past"), RulingAnswer(2, "no device"))
    shown = RulingShown("1-1", "start", "director", "", "", "", "", answers)
    assert shown.device_count == 0 and shown.past


async def test_after_the_last_result_one_press_pairs_the_next_round(served: Any) -> None:
    async with director_at(served, club(4, rounds_planned=3)) as director:
        await served.run("publish-round")
        await director.send("start")
        for game in director.state.present_games:
            await director.send("result", table=game.table, black=40, white=24)
        page = await director.page("round")
        step = page[page.index('id="step"') : page.index('id="matters"')]
        assert "Round 1 is complete" in step and ">Pair round 2<" in step and "data-sure" not in step
        assert step.count('class="main big"') == 1
        (shown,) = re.findall(r'draft/pair".*?name="shown" value="([^"]+)"', director.sent, re.DOTALL)

        # What waits for the director's answer is named, and asks for a second press.
        objection = director.state.present_games[0]
        await sends(served, "wrong", objection.black, game=objection.id, words="It was 36 to 28.")
        page = await director.page("round")
        step = page[page.index('id="step"') : page.index('id="matters"')]
        assert "objects to the result" in step and 'data-sure="Pair all the same? Press again"' in step

        assert await director.send("draft/pair", shown=shown) == "/desk/t/open/draft"
        assert "Publish round 2" in await director.page("draft")
        page = await director.page("round")
        assert ">Pairing of round 2</a>" in page and ">Pair round 2<" not in page
        # A colleague who still has the older page is told instead of pairing again.
        assert "changed this in the meantime" in await director.send("draft/pair", 409, shown=shown)
