"""The operator's page: who gets in, what it shows, and that every form does what its button says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hub.book import Wish
from hub.events import ResultReceived
from link.messages import Call, Health, Status

ACTIONS = ("publish", "start", "result", "decide", "undo", "nothing")


def told(served: Any, story: Callable[[Any, Any], Awaitable[None]]) -> None:
    """The story of a client that has entered."""

    async def run() -> None:
        async with served as client:
            answer = await client.post("/desk/enter", data={"token": served.TOKEN})
            assert answer.status_code == 303 and "HttpOnly" in answer.headers["set-cookie"]
            assert "SameSite=strict" in answer.headers["set-cookie"]
            await story(served, client)

    asyncio.run(run())


async def report(served: Any, score: tuple[int, int], **more: Any) -> str:
    """A table's result, as the reception records it; the game's id."""
    (game,) = served.book.states["open"].games
    said = ResultReceived(
        game=game, revision=1, device="t1", score=score, reason="board", signature="s", message="{}", **more
    )
    await served.book.record("open", [Wish(f"result.{game}.1", said, "t1")])
    return str(game)


def test_only_who_has_the_token_gets_in(tmp_path: Path, new_served: Any, new_file: Any) -> None:
    async def run() -> None:
        served = new_served(tmp_path)
        async with served as client:
            await served.desk.create("open", new_file(2), "operator")
            assert "Token of this hub" in (await client.get("/desk")).text
            assert (await client.get("/desk/live")).status_code == 403
            wrong = await client.post("/desk/enter", data={"token": "guessed"})
            assert wrong.status_code == 403 and "not the token" in wrong.text and "guessed" not in wrong.text
            for action in ACTIONS:
                assert (await client.post(f"/desk/{action}")).status_code == 303
            assert served.book.states["open"].round == 0

    asyncio.run(run())


def test_another_site_cannot_send_the_forms(tmp_path: Path, new_served: Any, new_file: Any) -> None:
    async def story(served: Any, client: Any) -> None:
        await served.desk.create("open", new_file(2), "operator")
        for origin in ("http://elsewhere", "null"):
            await client.post("/desk/publish", headers={"Origin": origin})
            assert served.book.states["open"].round == 0
        await client.post("/desk/publish", headers={"Origin": "http://hub"})
        assert served.book.states["open"].round == 1

    told(new_served(tmp_path), story)


def test_a_round_from_pairing_to_a_decided_conflict_and_back(
    tmp_path: Path, new_served: Any, new_file: Any
) -> None:
    async def story(served: Any, client: Any) -> None:
        await served.desk.create("open", new_file(2), "operator")
        assert "Pair and publish round 1" in (await client.get("/desk")).text
        await client.post("/desk/publish")
        assert "Start round 1 at all tables" in (await client.get("/desk")).text
        await client.post("/desk/start")
        assert "Start round 1" not in (await client.get("/desk")).text
        game = await report(served, (40, 24))
        await client.post("/desk/result", data={"table": "1", "black": "24", "white": "40"})
        page = (await client.get("/desk")).text
        assert "which one stands?" in page and "40–24 stands" in page and "24–40 stands" in page
        refused = await client.post("/desk/publish")
        assert refused.status_code == 400 and "two scores are in conflict" in refused.text
        await client.post("/desk/decide", data={"game": game, "black": "24", "white": "40"})
        assert served.book.states["open"].games[game].score == (24, 40)
        assert "which one stands?" not in (await client.get("/desk")).text
        await client.post("/desk/undo")
        assert served.book.states["open"].games[game].conflict
        await client.post("/desk/leave")
        assert "Token of this hub" in (await client.get("/desk")).text

    told(new_served(tmp_path), story)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"table": "7", "black": "40", "white": "24"}, "table: expected one of round 1, got 7"),
        ({"table": "1", "black": "40", "white": "20"}, "score: expected 64 discs together"),
        ({"table": "1", "black": "\"><script>", "white": "24"}, "black: expected a number"),
        ({"table": "1", "black": "٤٠", "white": "24"}, "black: expected a number"),
        ({"table": "1"}, "black: expected a number"),
    ],
)
def test_a_refusal_names_the_field_and_keeps_what_was_typed(
    tmp_path: Path, new_served: Any, new_file: Any, typed: dict[str, str], said: str
) -> None:
    async def story(served: Any, client: Any) -> None:
        await served.desk.create("open", new_file(2), "operator")
        await client.post("/desk/publish")
        answer = await client.post("/desk/result", data=typed)
        assert answer.status_code == 400 and said in answer.text
        assert "<script" not in answer.text.replace('<script src="/static', "")
        if typed.get("white"):
            assert f'value="{typed["white"]}"' in answer.text

    told(new_served(tmp_path), story)


def test_what_needs_the_operator_is_on_it(tmp_path: Path, new_served: Any, new_file: Any) -> None:
    async def story(served: Any, client: Any) -> None:
        assert "No open tournament" in (await client.get("/desk")).text
        await served.desk.enroll("t1", 1, "operator")
        await served.desk.create("open", new_file(2), "operator")
        await client.post("/desk/publish")
        page = (await client.get("/desk/live")).text
        assert "no connection: tables play on" in page and "not heard of yet" in page
        served.live.hear_link(True)
        served.live.hear_status("t1", "open", Status(online=True, health=Health(board="<i>no board</i>")))
        served.live.hear_call("t1", Call(wanted=True, why="misflip disputed"))
        served.live.drop("bad message", "flagfall/1/x: expected <JSON>")
        await report(
            served, (40, 24), differences=("score: the table says 40-24, its game file gives 44-20",)
        )
        page = (await client.get("/desk/live")).text
        assert "no connection" not in page
        assert "not fit for play" in page and "board: &lt;i&gt;no board" in page
        assert "table 1</b> calls the director: misflip disputed" in page
        assert "judged again: score: the table says 40-24" in page
        assert "bad message: <b>1</b>" in page and "expected &lt;JSON&gt;" in page

    told(new_served(tmp_path), story)
