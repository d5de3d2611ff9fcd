"""One game at the console: what its table and judge have on record, rulings with reasons, what to take away."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.console_director import director_at, one_game
from helpers.hub_files import result_of, tournament_file

from flagfall.link.messages import encode
from flagfall.link.packed_file import MOST_INPUTS, pack
from flagfall.othello.gamefile import format_game, parse_header
from flagfall.othello.inputs import BoardState, Note, Press, Rule, Ruling, Sign, Start, Tick
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.side import Side
from hub.console.views.table_record import table_record
from hub.formats.registry import Audience, downloads_for
from hub.record.events import ResultReceived
from hub.record.store import Write

SECOND = 1_000_000_000
MINUTE = 60 * SECOND
PHONE = "phone rang <twice>"
HEADER = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019"}
INPUTS = (
    Start(5 * SECOND),
    Tick(6 * SECOND, Note("judge_takes", "director <7>")),
    Press(7 * SECOND, Side.WHITE),
    Ruling(65 * SECOND, Rule.ADJUST_TIME, player=Side.BLACK, seconds=-60, who="judge", reason=PHONE),
    BoardState(66 * SECOND, ok=False),
    Ruling(70 * SECOND, Rule.ENTER_SCORE, score=(40, 24)),
    Sign(80 * SECOND, Side.BLACK),
    Tick(90 * SECOND, Note("closed_unsigned", "director")),
)


async def played(served: Any) -> tuple[str, str]:
    """Play a game with a record at its table, closed by the director; return its id and the table's message."""
    identity = await served.enroll("t1", 1)
    await served.create("open", tournament_file(2))
    state = await served.run("publish-round")
    game = state.present_games[0].id
    header = parse_header(HEADER)
    at_table = new_game(header)
    for entered in INPUTS:
        at_table = judge(at_table, entered)
    packed = pack(format_game(header, list(INPUTS)).encode())
    sent = result_of(HEADER, game, identity, (40, 24))
    value = json.loads(encode(sent)) | {"file": packed.file, "sha256": packed.sha256, "closed": True}
    value["incidents"] = outcome(at_table)["incidents"]
    received = ResultReceived(
        game=game,
        revision=1,
        device="t1",
        score=(40, 24),
        reason="board",
        signed=(True, False),
        closed=True,
        transcript="f5d6c3",
        signature="s",
        message=json.dumps(value),
    )
    await served.store.record("open", [Write(f"result.{game}.1", received, "t1")])
    return game, received.message


async def test_what_the_judge_recorded_is_shown(served: Any) -> None:
    async with director_at(served) as director:
        client = director.client
        game, message = await played(served)
        lines = table_record(message).lines
        assert [(line.family, line.word, line.who, line.why) for line in lines] == [
            ("note", "judge_takes", "director <7>", ""),
            ("rule", "adjust_time", "judge", PHONE),
            ("incident", "board_lost", "", ""),
            ("rule", "enter_score", "", ""),
            ("note", "closed_unsigned", "director", ""),
        ]
        assert [line.at_ms for line in lines] == [1_000, 60_000, 61_000, 65_000, 85_000]
        assert (lines[1].by, lines[1].details) == ("black", "seconds -60")
        page = (await client.get(f"/desk/t/open/game/{game}")).text
        assert "phone rang &lt;twice&gt;" in page and "director &lt;7&gt;" in page
        assert "Judge takes the table" in page and "1:00" in page
        assert "closed by the director without both signatures" in page
        assert "table, closed by the director" in (await client.get("/desk/t/open/round")).text
        assert f"/t/open/games/{game}" in page and f"games/{game}.jsonl" in page


@pytest.mark.parametrize(
    "message",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"incidents": 3}',
        '{"incidents": [3, {}, {"type": 5}], "file": 1, "sha256": []}',
    ],
)
def test_a_record_that_is_none_is_empty(message: str) -> None:
    assert table_record(message).lines == ()


def test_of_a_file_that_is_longer_than_a_game_no_note_is_shown() -> None:
    """A page of 300,000 would keep the hub busy for seconds."""
    note = b'{"at_ns":1,"type":"tick","note":"judge_takes","who":"judge"}\n'
    for count, shown in ((10, 10), (MOST_INPUTS + 1, 0)):
        packed = pack(format_game(parse_header(HEADER), []).encode() + note * count)
        record = {"file": packed.file, "sha256": packed.sha256}
        assert len(table_record(json.dumps(record)).lines) == shown


def test_what_is_odd_in_a_record_is_left_out() -> None:
    odd = {"type": "ruling", "rule": 3, "at_ns": "x", "squares": 5, "fields": [], "by": {}, "state": []}
    (line,) = table_record(json.dumps({"incidents": [odd], "clocks_ns": {"black": "x"}})).lines
    assert (line.family, line.word, line.by, line.details, line.at_ms) == ("incident", "ruling", "", "", None)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"uncertain_ns": 1_000_000_000}, "± 1 s"),
        ({"uncertain_ns": 250_000_000}, "± 0.25 s"),
        ({"uncertain_ns": "x"}, "uncertain_ns x"),
        ({"seconds": 30, "player": "black"}, "seconds 30"),
    ],
)
def test_a_figure_of_an_incident_is_shown_with_its_unit(fields: dict[str, object], shown: str) -> None:
    incident = {"type": "power_lost", "at_ns": 1, "fields": fields}
    (line,) = table_record(json.dumps({"incidents": [incident]})).lines
    assert line.details == shown


async def test_a_desk_ruling_carries_its_reason(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director)
        form = {"rule": "adjust_time", "tables": "all", "player": "white", "seconds": "30"}
        await director.send("ruling", **form, why="slow <b>board")
        (sent,) = director.state.rulings
        assert dict(sent.fields) == {"player": "white", "seconds": 30, "reason": "slow <b>board"}
        for where in ("round", f"game/{game.id}"):
            await director.page(where)
            assert "slow &lt;b&gt;board" in director.sent and "seconds 30" in director.sent, where


async def test_paper_and_files_are_at_hand(served: Any) -> None:
    async with director_at(served, tournament_file(4)) as director:
        client = director.client
        await served.run("publish-round")
        key = served.site.key
        page = (await client.get("/desk/t/open/round")).text
        for kind in ("by-table", "by-name", "slips", "sheets", "standings", "cross-table"):
            address = f"/print/open/{kind}?key={key}&amp;lang=en"
            assert address in page
            printed = await client.get(address.replace("&amp;", "&"))
            assert printed.status_code == 200
        assert "Player 1" in (await client.get(f"/print/open/by-table?key={key}")).text, "before the start"
        assert "Player 1" not in (await client.get("/print/open/by-table")).text
        lines = await client.get("/desk/t/open/file/flip-the-disc-lines")
        assert lines.status_code == 409 and "games with a result" in lines.text, "nothing to type yet"
        for kind in downloads_for(Audience.OPERATOR):
            if kind == "flip-the-disc-lines":
                continue
            file = await client.get(f"/desk/t/open/file/{kind}")
            assert file.status_code == 200 and "attachment" in file.headers["content-disposition"]
            assert b"p1" in file.content or kind in ("elo", "prizes")
        assert (await client.get("/desk/t/open/file/nothing")).status_code == 404
        assert (await client.get("/desk/t/none/file/elo")).status_code == 404
        assert (await served.browser().get("/desk/t/open/file/elo")).status_code == 303


async def test_a_tables_file_is_read_in_a_child_and_a_costly_one_is_named(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_here(text: str) -> object:
        raise AssertionError("a table's game file was parsed in the hub's own process")

    monkeypatch.setattr("hub.console.views.table_record.parse_game", read_here)
    async with director_at(served) as director:
        game, _ = await played(served)
        page = (await director.client.get(f"/desk/t/open/game/{game}")).text
        assert "director &lt;7&gt;" in page
        monkeypatch.setattr("hub.console.pages.game._READING_S", 0.0)
        page = (await director.client.get(f"/desk/t/open/game/{game}")).text
        assert "expected an answer within 0 s, got none" in page
        assert "director &lt;7&gt;" not in page
