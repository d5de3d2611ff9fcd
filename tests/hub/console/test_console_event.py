"""An event at the console, form by form: created, played, corrected, penalised, decided, closed."""

from __future__ import annotations

import html
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from console_director import PLAYED, Director, director_at, paired
from hub_files import clock_of

from hub.console.app import LANGUAGE_COOKIE
from hub.console.forms import Form
from hub.console.login.accounts import Role
from hub.console.player_lists import has_headings, read_tournament, typed_players
from hub.console.views.round import LATE_AFTER_S, project_round_end
from hub.ranking.finals_played import finals_of
from hub.ranking.standings import standings
from hub.record.events import ResultReceived
from hub.record.store import Command
from hub.text import Refused
from ledger.store import LedgerError
from link.messages import Call, ClockShown, Health, Status
from othello.game import State
from othello.refusals import Refusal


async def test_an_event_from_nothing_to_the_final_list(tmp_path: Path, new_served: Any) -> None:
    names = "\n".join(f"Name {n}; {'AAA' if n % 2 else 'BBB'}; {2000 - n}" for n in range(1, 9))
    form = {
        "name": "Open!",
        "rulebook": "woc-2019",
        "date": "2026-11-05",
        "system": "swiss",
        "rounds_planned": "2",
        "players": names,
    }

    async with director_at(new_served(tmp_path, paired)) as director:
        assert await director.send("/desk/new", **form) == "/desk/t/open/draft"
        tournament = director.state.tournament
        assert (len(tournament.players), tournament.rounds_planned) == (8, 2) and tournament.seed > 0
        for number in (1, 2):
            await director.send("draft/pair")
            draft = director.served.console.context.drafting.of("open")
            await director.send("draft/publish", revision=draft.revision, judged="1")
            assert "Start the round" in await director.page("round")
            await director.send("start")
            for game in director.state.present_games:
                await director.send("result", table=game.table, black=40 - game.table, white=24 + game.table)
            assert director.state.round == number and director.state.complete
        stages = []
        while finals_of(director.state.tournament).due:
            page = await director.page("finals")
            fields = dict(re.findall(r'name="(m\d-match)" value="([^"]+)"', page))
            choice = {}
            for name, value in fields.items():
                key = name.removesuffix("-match")
                table = int(key[1:]) + 1
                choice |= {name: value, f"{key}-play": "1", f"{key}-way": "0", f"{key}-table": table}
            await director.send("finals", **choice)
            stages += [game.final.stage for game in director.state.present_games]
            await director.send("start")
            for game in director.state.present_games:
                if game.score is None:
                    await director.send("result", table=game.table, black="34", white="30")
        assert {"semi-final", "third-place", "final"} <= set(stages)
        champion = finals_of(director.state.tournament).champions["open"]
        page = await director.page("finals")
        assert "Everything is decided" in page and director.state.tournament.player(champion).name in page
        await director.send("close")
        assert director.state.closed and "This event is closed" in await director.page("round")
        assert "Closed events: 1" in await director.page("/desk")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"name": ""}, "Name: expected something"),
        ({"rulebook": "chess"}, "Rulebook: expected one of"),
        ({"date": "tomorrow"}, "First day: expected a date YYYY-MM-DD"),
        ({"rounds_planned": "many"}, "Rounds: expected a whole number"),
        ({"players": "Only One"}, "Players: expected two at least, got 1"),
        ({"players": "A\nB; ???"}, "Players: line 2: expected a country"),
        ({"players": "A\n77"}, "Players: line 2: expected a number of the list"),
        ({"players": "3; A\n3; B"}, "Players: expected every number once, got 3 again"),
        ({"system": "guess"}, "System: expected one of"),
        (
            {"players": "\n".join("ABCDEFGHIJKLMN"), "rounds_planned": "9"},
            "Rounds: expected 13, as 14 players all meet",
        ),
    ],
)
async def test_a_refused_event_keeps_what_was_typed(served: Any, more: dict[str, str], said: str) -> None:
    form = {
        "name": "Spring <b>Open",
        "rulebook": "woc-2019",
        "players": "Ada; FRA\nBob <script>; JPN",
        **more,
    }

    async with director_at(served) as director:
        await director.send("/desk/new", 400, **form)
        page = director.sent
        assert said in page and 'role="alert"' in page
        (focused,) = re.findall("<[^>]+ autofocus[ >]", page)
        assert "aria-invalid" in focused, "the cursor is at the fault"
        assert "<script>" not in page and "<b>Open" not in page
        if "players" not in more:
            assert "Bob &lt;script&gt;; JPN" in page
        if "name" not in more:
            assert 'value="Spring &lt;b&gt;Open"' in page
        assert director.served.store.states == {}


async def test_a_fault_of_the_disk_names_its_file_as_it_is_called(served: Any, monkeypatch: Any) -> None:
    async def failing(*_: Any, **__: Any) -> None:
        raise LedgerError("tmp/a/ledger.sqlite: database or disk is full")

    async with director_at(served) as director:
        monkeypatch.setattr(type(served.operations), "create", failing)
        await director.send("/desk/new", 409, name="Open", rulebook="woc-2019", players="Ada\nBob")
        assert "</b> tmp/a/ledger.sqlite: database or disk is full" in director.sent


def test_players_come_from_files() -> None:
    csv = b"id,name,country\n7,Ada,FRA\n9,Bob,JPN\n"
    assert [p.id for p in read_tournament("a.csv", csv).tournament.players] == ["7", "9"]
    papp = "pays = ARG\n5083 SNEEK, Marcel %_<1720>\n".encode("latin-1")
    (player,) = read_tournament("joueurs.txt", papp).tournament.players
    assert (player.country, player.rating) == ("ARG", 1720)
    with pytest.raises(Refused, match=r"file: bad\.csv: line 1: expected columns"):
        read_tournament("bad.csv", b"nothing,here\n")
    known = {one.id: one for one in read_tournament("a.csv", csv).tournament.players}
    typed = typed_players("9\nCid, ita, f, 1500\n12; Dot", known)
    assert [(p.id, p.name, p.country) for p in typed] == [
        ("9", "Bob", "JPN"),
        ("900001", "Cid", "ITA"),
        ("12", "Dot", ""),
    ]
    assert (typed[1].gender, typed[1].rating) == ("f", 1500)
    assert typed_players("Cid; -200", {})[0].rating == -200, "the world list goes from -1,400"
    with pytest.raises(Refused, match=r"line 1: .* got '39757'"):
        typed_players("Cid; 39757", {})
    for line in ("NOBODY, Ann", "NOBODY, Ann, GBR, f", "5, NOBODY, Ann, 1500", "NOBODY, Ann; GBR"):
        assert typed_players(line, {})[0].name == "NOBODY, Ann"
    assert has_headings("id;name\n4;Eve") and not has_headings("9\nCid")


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("1\n3", ["Adéle", "Cid"]),
        ("Dot\n12", ["Adéle", "Bob", "Cid", "Dot", "Listed"]),
        ("3\nDot", ["Cid", "Dot"]),
        ("", ["Adéle", "Bob", "Cid"]),
    ],
)
async def test_players_of_a_file_and_typed_ones_both_enter(served: Any, typed: str, names: list[str]) -> None:
    async with director_at(served) as director:
        list_form = {"list": ("joueurs.txt", b"pays = ARG\n12 Listed\n", "text/plain")}
        await director.client.post("/desk/new/list", data={"csrf": director.csrf}, files=list_form)
        files = {"file": ("list.csv", b"id,name\n1,Ad\xc3\xa9le\n2,Bob\n3,Cid\n", "text/csv")}
        data = {"csrf": director.csrf, "name": "Open", "rulebook": "cc-2024", "players": typed}
        answer = await director.client.post("/desk/new", data=data, files=files)
        assert answer.status_code == 303, answer.text
        assert [player.name for player in director.state.tournament.players] == names


async def one_game(director: Director, new_file: Any, device: bool = True) -> Any:
    """A published round of one game at table 1, with a device or without."""
    if device:
        await director.served.operations.enroll("t1", 1, "o")
    await director.served.operations.create("open", new_file(2), "o")
    await director.served.operations.of("open", "o").publish()
    return director.state.present_games[0]


async def report(director: Director, game: Any, score: tuple[int, int], **more: Any) -> None:
    said = ResultReceived(
        game=game.game,
        revision=1,
        device="t1",
        score=score,
        reason="board",
        signature="s",
        **{"message": "{}", **more},
    )
    await director.served.store.record("open", [Command(f"result.{game.game}.1", said, "t1")])


def shown(game: str, state: State, running: Any = None, transcript: str = "") -> ClockShown:
    return clock_of(game, running, state=state, moves=len(transcript) // 2, transcript=transcript)


async def test_the_round_at_a_glance(tmp_path: Path, new_served: Any, new_file: Any) -> None:
    async with director_at(new_served(tmp_path)) as director:
        served = director.served
        game = await one_game(director, new_file)
        page = await director.page("round")
        assert "No connection to the tables" in page and "offline" in page
        served.live.hear_link(True)
        served.live.hear_status("t1", "open", Status(online=True, fit=True, game=game.game, seat=1))
        await director.send("start")
        assert "not yet answered" in await director.page("round")
        served.live.hear_status("t1", "open", Status(online=False))
        assert "offline: it is told when it is back" in await director.page("round")
        ruling = director.state.rulings[-1].ruling
        answered = Status(online=True, fit=True, game=game.game, seat=1, answers={ruling: "applied"})
        served.live.hear_status("t1", "open", answered)
        page = await director.page("round?live=1")
        assert "done at 1 of 1" in page and "<html" not in page and "late " not in page.replace("latest", "")
        served.wall += timedelta(seconds=LATE_AFTER_S + 1)
        page = await director.page("round")
        assert "late 1 min" in page and "has not begun, 1 min after the start" in page
        served.live.hear_clock("t1", shown(game.game, State.RUNNING, "black"), 0)
        served.live.hear_call("t1", Call(wanted=True, why="misflip <disputed>", game=game.game))
        page = await director.page("round")
        assert "has not begun" not in page and 'data-left-ms="754000"' in page and ">15:00<" in page
        assert "calls the director: misflip &lt;disputed&gt;" in director.sent
        assert "Round over by" in page
        await director.send("answer", device="t1")
        page = await director.page("round")
        assert "director is on the way: misflip <disputed>" in page and "I am going" not in page
        served.live.hear_call("t1", Call(wanted=True, why="misflip <disputed>", game=game.game))
        assert "on the way" in await director.page("round"), "the same call, heard again"
        served.live.hear_call("t1", Call(wanted=False))
        served.live.hear_call("t1", Call(wanted=True, why="again", game=game.game))
        assert "calls the director: again" in await director.page("round")
        assert "Device: expected one that calls" in await director.send("answer", 400, device="t7")
        served.now_ns = 10 * 10**9
        assert 'data-left-ms="744000"' in await director.page("round")
        served.live.drop("bad message", "flagfall/1/x: expected <JSON>")
        assert "expected <JSON>" in await director.page("round")
        director.client.cookies.set(LANGUAGE_COOKIE, "fr")
        assert "message illisible 1" in await director.page("round")


@pytest.mark.parametrize(
    ("keys", "answer", "why", "undone"),
    [
        (True, "pas quand la partie est terminée", "Noir a déjà signé", "annule : Arrêter les pendules"),
        (False, "not while the game is finished", "black has signed already", "undo stop"),
    ],
    ids=["table of 0.2.0", "table of 0.1.0"],
)
async def test_what_tables_answer_is_in_the_readers_language(
    served: Any, new_file: Any, *, keys: bool, answer: str, why: str, undone: str
) -> None:
    """A table of 0.1.0 says only in English why it refuses."""
    async with director_at(served) as director:
        game, live = await one_game(director, new_file), director.served.live
        await director.send("ruling", rule="stop", tables="all")
        finished, signed = (
            Refusal.of("not_in_state", state="finished"),
            Refusal.of("has_signed", player="black"),
        )
        ruling = director.state.rulings[-1].ruling
        status = Status(
            online=True,
            fit=True,
            game=game.game,
            seat=1,
            answers={ruling: f"refused: {finished}"},
            refusals={ruling: finished.as_object()} if keys else {},
        )
        live.hear_status("t1", "open", status)
        live.hear_call("t1", Call(wanted=True, why="black", game=game.game))
        director.client.headers["accept-language"] = "fr"
        page = await director.page("round")
        assert f"refusé – {answer}" in page
        assert page.count("Noir appelle le directeur<") == 2, "beside the table, and above them all"
        await director.send("answer", device="t1")
        assert "director y va : Noir" in await director.page("round")
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
        page = await director.page(f"game/{game.game}")
        assert f"<q>{why}</q>" in page and f"<q>{undone}</q>" in page


@pytest.mark.parametrize(
    ("rulebook", "kinds", "judges", "boards"),
    [
        ("club", ("", ""), False, False),
        ("club", ("", "eye"), False, True),
        ("woc-2019", ("sensors",), True, True),
        ("woc-2019", (), False, False),
    ],
)
async def test_a_first_round_is_proposed_as_the_room_is(
    tmp_path: Path,
    new_served: Any,
    new_file: Any,
    *,
    rulebook: str,
    kinds: tuple[str, ...],
    judges: bool,
    boards: bool,
) -> None:
    """A club's clocks alone miss neither judge nor board; later rounds are proposed as the last one was published."""
    async with director_at(new_served(tmp_path, paired)) as director:
        served = director.served
        await served.operations.create("open", new_file(4) | {"rulebook": rulebook}, "o")
        for seat, kind in enumerate(kinds, 1):
            await served.operations.enroll(f"t{seat}", seat, "o")
            served.live.hear_status(
                f"t{seat}", "", Status(online=True, fit=True, health=Health(board_kind=kind))
            )
        await director.send("draft/pair")
        page = await director.page("draft")
        for name, proposed in (("judged", judges), ("sensors", boards)):
            tick = re.search(rf'<input[^>]*name="{name}"[^>]*>', page)
            assert tick is not None and ("checked" in tick[0]) == proposed


async def test_many_that_are_late_are_one_line(tmp_path: Path, new_served: Any, new_file: Any) -> None:
    async with director_at(new_served(tmp_path, paired)) as director:
        served = director.served
        await served.operations.create("open", new_file(8), "o")
        for seat in range(1, 5):
            await served.operations.enroll(f"t{seat}", seat, "o")
        await director.send("draft/pair")
        draft = served.console.context.drafting.of("open")
        await director.send("draft/publish", revision=draft.revision)
        served.live.hear_link(True)
        for seat in range(1, 5):
            served.live.hear_status(f"t{seat}", "open", Status(online=True, fit=True))
        await director.send("start")
        served.wall += timedelta(seconds=2 * LATE_AFTER_S + 1)
        page = await director.page("round")
        assert "Not begun 2 min after the start: tables 1, 2, 3, 4." in page
        assert "has not begun" not in page


@pytest.mark.clause("woc-2019 I.3", "woc-2019 V.1")
async def test_rulings_go_to_the_tables_that_were_chosen(served: Any, new_file: Any) -> None:
    async with director_at(served) as director:
        await one_game(director, new_file)
        await director.send("ruling", rule="stop", tables="all")
        await director.send(
            "ruling", rule="adjust_time", tables="picked", pick="1", player="white", seconds="-60"
        )
        stop, time = director.state.rulings
        assert (stop.rule, stop.who) == ("stop", "director")
        assert dict(time.fields) == {"player": "white", "seconds": -60}
        for bad, said in (
            ({"rule": "dance"}, "Ruling: expected one of"),
            ({"rule": "stop", "tables": "picked"}, "Tables: expected at least one table"),
            ({"rule": "stop", "tables": "picked", "pick": "9"}, "Tables: expected at least one table"),
            ({"rule": "adjust_time", "tables": "all", "player": "red"}, "Player: expected one of"),
            (
                {"rule": "adjust_time", "tables": "all", "player": "black", "seconds": "x"},
                "Seconds: expected",
            ),
        ):
            assert said in await director.send("ruling", 400, **bad)
        helper = Director(director.served, *await director.served.entered(Role.ASSISTANT))
        assert "is the director" in await helper.send(
            "ruling", 400, rule="award", tables="all", player="black"
        )
        await helper.send("ruling", rule="resume", tables="all")
        assert director.state.rulings[-1].who == "assistant"


async def test_a_conflict_is_shown_side_by_side_and_decided(served: Any, new_file: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director, new_file)
        incident = {"at_ns": 1, "type": "misflip", "by": "white", "squares": ["d4"], "state": "corrected"}
        message = json.dumps({"incidents": [incident, "x", {}], "clocks_ns": {"black": 1, "white": 2}})
        await report(director, game, (40, 24), transcript="f5d6", signed=(True, False), message=message)
        page = await director.page("round")
        assert 'Not signed yet at table <a href="#row-1">1</a>' in page and "can be paired" in page
        await director.send("result", table=1, black=24, white=40)
        page = await director.page("round")
        assert "The table says 40–24, the console 24–40" in page and "Two scores are in conflict" in page
        page = await director.page(f"game/{game.game}")
        assert "misflip" in page and "d4" in page and "f5d6" in page and "Black yes, White no" in page
        assert f'href="/desk/t/open/game/{game.game}"' in await director.page("draft")
        assert "Pair the round" not in await director.page("draft")
        page = await director.page("finals")
        assert "Two scores are in conflict" in page and "Close the event" not in page
        assert "decide under Round" in await director.send("close", 400)
        await director.send("decide", game=game.game, black=24, white=40, why="score sheet seen")
        record = director.state.games[game.game]
        assert record.score == (24, 40) and not record.conflict
        assert "score sheet seen" in await director.page(f"game/{game.game}")


async def test_a_table_that_dies_or_loses_its_board_in_play_needs_the_operator(
    served: Any, new_file: Any
) -> None:
    async with director_at(served) as director:
        game = await one_game(director, new_file)
        silent, live = "was lost during its game", director.served.live
        live.hear_link(True)
        gone = Status(online=False, fit=True, seat=1, game=game.game)
        live.hear_status("t1", "open", gone)
        assert silent not in await director.page("round"), "nobody plays there yet"
        await director.send("start")
        assert silent in await director.page("round")
        there = Status(online=True, fit=True, seat=1, game=game.game)
        live.hear_status("t1", "open", there)
        page, without = await director.page("round"), "plays without its board"
        assert silent not in page and without not in page
        pulled = msgspec.structs.replace(
            there, fit=False, health=Health(board="no sensor board is connected")
        )
        live.hear_status("t1", "open", pulled)
        assert without in await director.page("round")


async def test_a_hub_from_an_older_backup_says_which_games_it_lacks_and_what_to_do(
    served: Any, new_file: Any
) -> None:
    """Tables play, or keep results of, a round that was published after the backup."""
    async with director_at(served) as director:
        game = await one_game(director, new_file)
        live, lacks = director.served.live, "that this record lacks"
        known = Status(online=True, game=game.game, receipts={f"{game.game}.1": ""})
        live.hear_status("t1", "open", known)
        assert lacks not in await director.page("round")
        live.hear_status("t1", "open", msgspec.structs.replace(known, game="2-1-later"))
        live.hear_status("t2", "open", Status(online=True, receipts={"2-2-later.1": "", "2-2-later.2": ""}))
        page = await director.page("round")
        assert f"The tables have 2 games {lacks}" in page and "publish their round again" in page
        live.hear_status("t1", "open", known)
        live.hear_status("t2", "open", None)
        assert lacks not in await director.page("round")


async def test_a_spare_in_mid_game_is_told_how_the_game_stood(served: Any, new_file: Any) -> None:
    """The moves lie on the device that was lost: until the new one has them, the desk shows them."""
    async with director_at(served) as director:
        game = await one_game(director, new_file)
        live = director.served.live
        await director.served.operations.enroll("t2", None, "o")

        def hear(device: str, moves: int) -> None:
            clock = shown(game.game, State.RUNNING, "black", "f5d6c3"[: 2 * moves])
            live.hear_clock(device, clock, 0)

        hear("t1", 3)
        left = "without the 3 moves made at t1"
        assert left not in await director.page("round")
        await director.send("seat", seat=1, device="t2")
        hear("t2", 2)
        assert left in await director.page("round")
        page = await director.page(f"game/{game.game}")
        assert "How it stood at t1" in page and "12:34 · 15:00" in page and "f5d6c3" in page
        hear("t2", 3)
        assert left not in await director.page("round")


async def test_a_game_whose_player_has_withdrawn_needs_the_operator_until_it_has_a_score(
    served: Any, new_file: Any
) -> None:
    async with director_at(served) as director:
        await one_game(director, new_file, device=False)
        gone = "Player 2 has withdrawn, and this game has no score"
        assert gone not in await director.page("round")
        await director.send("player/p2/withdraw")
        assert gone in await director.page("round")
        await director.send("result", table=1, black=40, white=24)
        assert gone not in await director.page("round")


async def test_another_score_for_the_same_table_is_asked_about(served: Any, new_file: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director, new_file, device=False)
        await director.send("result", table=1, black=40, white=24)
        await director.send("result", table=1, black=40, white=24)
        page = await director.send("result", 400, table=1, black=30, white=34)
        assert "40–24 is on record" in page and "Does 30–34 stand instead" in page
        assert director.state.games[game.game].score == (40, 24)
        (old,) = re.findall(r'name="instead" value="([^"]+)"', page)
        await director.send("result", 400, table=1, black=30, white=34, instead="what was never there")
        await director.send("result", table=1, black=30, white=34, instead=old)
        assert director.state.games[game.game].score == (30, 34)
        page = await director.send("result", 400, table=1, black=20, white=44, instead=old)
        assert "30–34 is on record" in page, "what was confirmed was another one"


async def test_players_enter_late_miss_leave_and_are_put_right(served: Any, new_file: Any) -> None:
    async with director_at(served) as director:
        await one_game(director, new_file, device=False)
        refused = await director.send("players", 400, name="Late <i>Comer", country="AAA")
        assert "Admitted because: expected" in refused and "Late &lt;i&gt;Comer" in director.sent
        await director.send("players", name="Late Comer", country="AAA", admitted_because="train was late")
        late = director.state.tournament.players[-1]
        assert (late.id, late.from_round, late.country) == ("900001", 2, "AAA")
        await director.send("player/p1", name="Renamed", country="DDD", gender="f", rating="1500")
        renamed = director.state.tournament.player("p1")
        assert (renamed.name, renamed.team, renamed.rating) == ("Renamed", "DDD", 1500)
        refused = await director.send("player/p1", 400, name="Renamed", rating="high")
        assert "Rating: expected" in refused and 'value="high"' in refused
        await director.send("player/p2/absent", round="2")
        assert "misses the next round" in await director.page("players")
        assert "Round: expected a whole number" in await director.send("player/p2/absent", 400, round="99")
        page = await director.page("player/p2")
        assert "Plays in round 2 after all" in page and "Misses this round" in page
        await director.send("player/p2/present", round="2")
        assert director.state.tournament.absences == ()
        assert "after all" not in await director.page("player/p2")
        await director.send("player/p2/absent", round="2")
        await director.send("result", table=1, black=40, white=24)
        await director.send("player/p2/withdraw")
        assert director.state.tournament.withdrawn_after("p2") == 1
        await director.send("player/p1/expel", 400)
        await director.send("player/p1/expel", why="hit the clock")
        assert "expelled" in await director.page("player/p1")


async def test_a_mistaken_entry_is_removed_until_it_is_paired(
    tmp_path: Path, new_served: Any, new_file: Any
) -> None:
    async with director_at(new_served(tmp_path, paired), new_file(7)) as director:
        for name, number in (("Mistake", "900001"), ("Another", "900002")):
            await director.send("players", name=name)
            await director.send(f"player/{number}/remove")
        log = await director.page("audit")
        assert log.count("Mistake") == log.count("Another") == 2, "no removed player's number is another's"
        await director.send("draft/ban", one="p1", other="p5")
        await director.send("player/p5/absent", round=1)
        await director.send("player/p6/withdraw")
        await director.send("draft/pair")
        for player in ("p5", "p6"):
            assert "Remove the player" in await director.page(f"player/{player}")
            await director.send(f"player/{player}/remove")
        tournament = director.state.tournament
        assert [one.id for one in tournament.players] == ["p1", "p2", "p3", "p4", "p7"]
        assert not (tournament.bans or tournament.absences or tournament.withdrawals)
        assert "Player removed" in await director.page("audit")
        await director.send("draft/pair")
        await director.send(
            "draft/publish", revision=director.served.console.context.drafting.of("open").revision
        )
        for table in (1, 2):
            await director.send("result", table=table, black=0, white=0, reason="forfeit")
        listed = {line.player for line in standings(director.state.tournament)}
        assert listed == {"p1", "p2", "p3", "p4", "p7"}
        assert "5 players" in await director.page("players") and "forfeit · " in await director.page("round")
        for player in listed:
            assert "Remove the player" not in await director.page(f"player/{player}"), "nor who had the bye"
        assert "never been paired" in await director.send("player/p1/remove", 400)


async def test_boxes_of_a_refused_form_stay_as_they_were(served: Any, new_file: Any) -> None:
    box = re.compile(r'<input type="checkbox" name="(\w+)" value="1"( checked)?>')

    async with director_at(served) as director:
        await one_game(director, new_file, device=False)
        form = {
            "name": "Player 1",
            "rating": "high",
            "boxes": ["past_semifinalist", "additional"],
            "additional": "1",
        }
        refused = dict(box.findall(await director.send("player/p1", 400, **form)))
        assert (refused["additional"], refused["past_semifinalist"]) == (" checked", "")
        await director.send("player/p1", name="Player 1", past_semifinalist="1")
        page = dict(box.findall(await director.page("player/p1")))
        assert (page["additional"], page["past_semifinalist"]) == ("", " checked")
        other = dict(box.findall(await director.send("player/p1/absent", 400, round="x")))
        assert other["past_semifinalist"] == " checked", "another form was refused"


async def test_the_room_in_the_morning(tmp_path: Path, new_served: Any, new_file: Any) -> None:
    async with director_at(new_served(tmp_path)) as director:
        served = director.served
        for device, seat in (("t1", 1), ("t2", 2), ("spare", None)):
            await served.operations.enroll(device, seat, "o")
        await served.operations.create("open", new_file(6), "o")
        served.live.hear_link(True)
        served.live.hear_status("t1", "", Status(online=True, fit=True))
        served.live.hear_status(
            "t2", "", Status(online=True, health=Health(board="<b>no board", board_kind="eye"))
        )
        troubles = {"board": [{"key": "eye_lost", "places": {}}], "clock": [{"key": "new", "places": {}}]}
        health = Health(board="the camera gives no picture", clock="a new fault")
        served.live.hear_status("spare", "", Status(online=True, fit=True, health=health, troubles=troubles))
        director.client.headers["Accept-Language"] = "fr"
        page = await director.page("room")
        assert "Othellier : La caméra ne donne pas d'image, Pendule : a new fault" in page
        director.client.headers["Accept-Language"] = "en"
        page = await director.page("room")
        assert (
            "1 of 3 seats fit for play" in page
            and "Board: &lt;b&gt;no board" in director.sent
            and "camera" in page
        )
        await director.send("seat", seat=2, device="spare")
        assert director.state.seats == {1: "t1", 2: "spare"}
        assert "2 of 3 seats fit" in await director.page("room")
        assert "Device: expected an enrolled one" in await director.send("seat", 400, seat=3, device="t9")
        await director.send("judges", **{"judge-1": "Jo", "judge-2": "Kim"})
        await director.send("judges", **{"judge-1": ""})
        assert director.state.judges == {2: "Kim"}
        assert "expected a change" in await director.send("judges", 400, **{"judge-2": "Kim"})


async def test_a_new_event_asks_before_it_takes_the_tables_of_another(served: Any, new_file: Any) -> None:
    async with director_at(served) as director:
        served, client = director.served, director.client
        await served.operations.enroll("t1", 1, "o")
        asks = "Take the tables away from"
        assert asks not in (await client.get("/desk/new")).text
        await served.operations.create("open", new_file(4, name="Spring Open"), "o")
        new = (await client.get("/desk/new")).text
        assert f"{asks} Spring Open" in new and re.search('name="take_devices"[^>]* checked', new)
        form = {"csrf": director.csrf, "rulebook": "club", "players": "Ann\nBo"}
        await client.post("/desk/new", data={**form, "name": "Left"})
        assert served.store.states["left"].seats == {} and director.state.seats == {1: "t1"}
        room = html.unescape((await client.get("/desk/t/left/room")).text)
        assert "t1: at another event – Spring Open" in room
        assert ">Final list<" in room and "Finals and lists" not in room, "a club evening knows no finals"
        for event, finals in (("left", False), ("open", True)):
            assert (">Finals<" in (await client.get(f"/t/{event}")).text) is finals
        await client.post("/desk/new", data={**form, "name": "Takes", "take_devices": "1"})
        assert served.store.states["takes"].seats == {1: "t1"} and director.state.seats == {}


async def test_what_the_projector_shows(served: Any, new_file: Any) -> None:
    async with director_at(served) as director:
        await one_game(director, new_file)
        new = (await director.client.get("/desk/new")).text
        assert re.search('name="take_devices"[^>]*>', new)
        assert not re.search('name="take_devices"[^>]* checked', new), "a game is being played there"
        await director.send("show", starts="10:30", boards="1, 3", delay_min="15")
        showing = director.state.showing
        assert (showing.starts_at, showing.boards, showing.delay_s) == (
            "2026-11-05T10:30:00+00:00",
            (1, 3),
            900,
        )
        assert 'value="10:30"' in await director.page("show") and "/hall/open?key=" in await director.page(
            "show"
        )
        for bad, said in (
            ({"starts": "noon"}, "The next round starts at: expected a time"),
            ({"boards": "a"}, "Boards of tables: expected"),
        ):
            assert said in await director.send("show", 400, **bad)
        await director.send("show", starts="08:00")
        assert director.state.showing.starts_at == "2026-11-06T08:00:00+00:00", "the next time it is eight"


async def test_two_directors_at_once_cannot_publish_two_rounds(
    tmp_path: Path, new_served: Any, new_file: Any
) -> None:
    async with director_at(new_served(tmp_path, paired)) as director:
        await director.served.operations.create("open", new_file(4), "o")
        other = Director(director.served, *await director.served.entered(Role.DIRECTOR))
        await director.send("draft/pair")
        draft = director.served.console.context.drafting.of("open")
        await director.send("draft/publish", revision=draft.revision)
        refused = await other.send("draft/publish", 409, revision=draft.revision)
        assert "has somebody published the round?" in refused
        assert director.state.round == 1


def test_a_form_reads_its_fields() -> None:
    form = Form({"a": ["x"], "n": ["12"], "neg": ["-5"], "odd": ["٤"], "many": ["1", "2"]})
    assert (form.text("a"), form.integer("n"), form.integer("neg", -9), form.all("many")) == (
        "x",
        12,
        -5,
        ("1", "2"),
    )
    for read in (
        lambda: form.text("none"),
        lambda: form.integer("odd"),
        lambda: form.integer("neg"),
        lambda: form.integer("n", 13),
        lambda: form.choice("a", ("y",)),
        lambda: form.text("a", 0),
    ):
        with pytest.raises(Refused, match="expected"):
            read()


async def test_the_end_of_round_and_day_are_foreseen(tmp_path: Path, new_served: Any, new_file: Any) -> None:
    async with director_at(new_served(tmp_path)) as director:
        served = director.served
        await one_game(director, new_file, device=False)
        state, minute = director.state, timedelta(minutes=1)
        found = project_round_end(state, served.live, 0, served.wall)
        assert found.round_end == served.wall + 60 * minute, "30 minutes each, not begun"
        assert (found.day_end, found.rounds_left) == (served.wall + 60 * minute + 2 * 70 * minute, 2)
        fewer = project_round_end(state, served.live, 0, served.wall, rounds_left=1)
        assert fewer.day_end == served.wall + 130 * minute
        assert "today: 1, the last" in await director.page("round?rounds=1")
        await director.send("result", table=1, black=40, white=24)
        over = project_round_end(director.state, served.live, 0, served.wall, rounds_left=0)
        assert (over.round_end, over.day_end) == (None, None)


@pytest.mark.parametrize(("planned", "offered"), [(3, True), (2, False)])
async def test_nobody_misses_a_round_after_the_last(
    served: Any, new_file: Any, planned: int, offered: bool
) -> None:
    async with director_at(served, {**new_file(4, rounds=PLAYED), "rounds_planned": planned}) as director:
        assert ("Misses this round" in await director.page("player/p1")) is offered
