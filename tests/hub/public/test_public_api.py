"""The public facts as JSON, the feed, and a description that leaves nothing out."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from anyio import wait_all_tasks_blocked
from helpers.hub_files import tournament_file
from helpers.hub_served import Shown
from helpers.waiting import PATIENCE_S
from msgspec.structs import fields
from samples.exhibition import TOURNAMENT, Exhibition, Scene

from flagfall.link.messages import ClockShown
from flagfall.othello.board import parse_position
from flagfall.othello.game import State
from flagfall.othello.side import Both
from hub.api.app import Api
from hub.api.openapi import OPERATIONS, description
from hub.overview import PublicStates
from hub.public.api.operations import PublicApi
from hub.public.api.views import FeedFacts
from hub.ranking.reports import rank
from hub.web.stream import Stream

ROOT = "/api/1/public/tournaments"
SCENE = Scene(players=8, rounds_planned=4, rounds_played=1)
SECOND_NS = 1_000_000_000


async def test_the_description_names_every_address_of_the_api_and_no_other(served: Any) -> None:
    async with served as client:
        parts: tuple[Any, ...] = (PublicApi(served.site, description), Api(served.hub))
        answered = {
            (method, route.path)
            for part in parts
            for route in part.routes()
            for method in getattr(route, "methods", None) or ()
            if route.path.startswith("/api/") and method != "HEAD"
        }
        assert answered == {(operation.method, operation.path) for operation in OPERATIONS}
        answer = await client.get("/api/1/openapi.json")
        assert answer.json() == description() and answer.headers["access-control-allow-origin"] == "*"


def test_the_description_says_what_needs_the_token_and_every_name_once() -> None:
    document = description()
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names)) == len(OPERATIONS)
    for path, methods in document["paths"].items():
        for operation in methods.values():
            public = path.startswith(ROOT) or path.endswith("openapi.json")
            assert operation["security"] == ([] if public else [{"token": []}])
            assert [parameter["name"] for parameter in operation["parameters"]] == [
                part[1:-1] for part in path.split("/") if part.startswith("{")
            ]
    json.dumps(document)


async def test_a_wrong_body_is_refused_as_described_and_a_right_one_taken(served: Any) -> None:
    async with served as client:
        await client.put("/api/1/tournaments/open", json=tournament_file(4))
        path = "/api/1/tournaments/open/showing"
        set_ = {"starts_at": "2026-11-05T14:30+01:00", "boards": [1, 3], "delay_s": 600}
        answer = (await client.put(path, json=set_)).json()
        assert answer["starts_at"] == set_["starts_at"] and answer["boards"] == [1, 3]
        assert (await client.get(path)).json() == answer
        assert (await client.get(answer["hall"])).status_code == 200
        assert (await client.get(answer["print"])).status_code == 200
        for wrong in (
            {"starts_at": "14:30"},
            {"starts_at": "2026-11-05T14:30"},
            {"boards": ["1"]},
            {"boards": [True]},
            {"boards": 1},
            {"delay_s": -1},
            {"delay_s": 10**6},
        ):
            refused = await client.put(path, json=wrong)
            assert refused.status_code == 400 and next(iter(wrong)) in refused.json()["error"], wrong
        assert (await client.get(path)).json() == answer


WHAT_IS_NOT_EXPECTED = ("", "[]", "null", "{", "{}", '"x"', "\ud800", '{"x": [[1e999]]}', "[" * 5_000)
VALUES = (None, True, -1, 2**70, 1.5, "", "x", "\0", "9" * 400, [], [1, "1"], {}, {"x": None})


async def test_no_body_and_no_name_brings_the_api_down(served: Any) -> None:
    """The client raises whatever the application raises. The night asks a running hub far more."""
    chance = Random(5)
    async with served as client:
        await client.put("/api/1/tournaments/open", json=tournament_file(4))
        round_ = (await client.post("/api/1/tournaments/open/pairings", json={"broadcast": True})).json()
        known = {"tournament": ["open", "x"], "game": [round_["games"][0]["game"], "x"], "table": ["1", "99"]}
        asked = [operation for operation in OPERATIONS if not operation.stream]
        assert len(asked) > 30
        for operation in asked:
            names = re.findall(r"{(\w+)}", operation.path)
            taken = () if operation.body in (None, dict) else fields(operation.body)
            bodies = [*WHAT_IS_NOT_EXPECTED, json.dumps(tournament_file(4))]
            for value in VALUES:
                whole = {field.encode_name: chance.choice((value, *VALUES)) for field in taken}
                bodies.append(json.dumps(whole))
            for body in bodies if operation.method != "GET" else bodies[:3]:
                path = operation.path
                for name in names:
                    path = path.replace(
                        f"{{{name}}}", chance.choice(known.get(name, ["p1", "start", "x", "%00"]))
                    )
                content = body.encode("utf-8", "surrogatepass")
                answer = await client.request(operation.method, path, content=content)
                assert answer.status_code in (operation.status, 400, 404, 409), (operation, path, body[:99])
                assert answer.status_code == operation.status or answer.json()["error"]


async def test_the_facts_are_those_of_the_commands(tmp_path: Path) -> None:
    async with Shown(tmp_path, SCENE) as shown:
        base = f"{ROOT}/{TOURNAMENT}"

        async def get(path: str) -> Any:
            answer = await shown.get(path)
            assert answer.status_code == 200 and answer.headers["access-control-allow-origin"] == "*"
            return answer.json()

        state = shown.exhibition.state
        assert [tournament["id"] for tournament in (await get(ROOT))["tournaments"]] == [TOURNAMENT]
        assert await get(f"{base}/standings") == json.loads(rank(state.tournament, as_json=True))
        players = (await get(f"{base}/players"))["players"]
        assert players[0] == {"id": "100", "name": "Achernar", "country": "AQL"}
        games = {game["game"]: game for game in (await get(f"{base}/games"))["games"]}
        assert games.keys() == state.games.keys()
        cross = await get(f"{base}/cross-table")
        assert [len(row["rounds"]) for row in cross["rows"]] == [2] * 8
        assert (await get(f"{base}/finals"))["due"] == []
        game = await get(f"{base}/games/1-1-star")
        assert game["score"] == list(state.games["1-1-star"].score or ())
        assert len(game["moves"]) * 2 == len(game["transcript"]) and game["moves"][-1]["spent_ms"] >= 0
        tables = (await get(base))["tables"]
        assert {table["game"] for table in tables} == set(state.present)
        for table in tables:
            if table["score"] is None:
                position = parse_position(table["position"])
                assert position.occupied.bit_count() == table["moves"] + 4
                assert table["running"] in table["clocks_ms"]


def events(content: bytes) -> list[tuple[str, dict[str, Any]]]:
    events_ = []
    for block in content.decode().split("\n\n"):
        if block.startswith("event: "):
            name, _, data = block.partition("\n")
            events_.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events_


@pytest.fixture
def feed_events(tmp_path: Path) -> Any:
    """Return a function that makes changes to an exhibition and returns the feed's events after each."""

    def events_after(*changes: Any, scene: Scene = SCENE) -> list[list[tuple[str, dict[str, Any]]]]:
        async def story() -> list[list[tuple[str, dict[str, Any]]]]:
            exhibition = await Exhibition.opened(tmp_path, scene)
            now = [0]
            feed = Stream(FeedFacts(PublicStates(exhibition.store.states), exhibition.live, lambda: now[0]))
            listener = feed.listen(TOURNAMENT)
            got = [events(await anext(listener))]
            for change in changes:
                waiting = asyncio.ensure_future(anext(listener))
                await asyncio.sleep(0)
                await change(exhibition, now)
                feed.send_changes()
                await wait_all_tasks_blocked()
                if waiting.done():
                    got.append(events(waiting.result()))
                else:
                    got.append([])
                    waiting.cancel()
                    await asyncio.gather(waiting, return_exceptions=True)
                    listener = feed.listen(TOURNAMENT)
                    await anext(listener)
            feed.end()
            await exhibition.store.close()
            return got

        return asyncio.run(story())

    return events_after


def clock(exhibition: Exhibition, moves: int, left_s: int, running: Any = "black") -> ClockShown:
    return ClockShown(
        game="2-1-star",
        state=State.RUNNING,
        running=running,
        clocks_ns=Both(left_s * SECOND_NS, 900 * SECOND_NS),
        flags=Both(0, 0),
        to_move=running,
        moves=moves,
        position="-" * 64,
        transcript="f5d6c3"[: 2 * moves],
    )


def test_the_feed_tells_every_game_then_what_changes(feed_events: Any) -> None:
    async def pressed(exhibition: Exhibition, now: list[int]) -> None:
        exhibition.live.hear_clock("t01", clock(exhibition, 1, 800), now[0])

    async def time_passed(exhibition: Exhibition, now: list[int]) -> None:
        now[0] += SECOND_NS
        exhibition.live.hear_clock("t01", clock(exhibition, 1, 799), now[0])

    async def moved(exhibition: Exhibition, now: list[int]) -> None:
        now[0] += SECOND_NS
        exhibition.live.hear_clock("t01", clock(exhibition, 2, 798, "white"), now[0])

    first, *changes = feed_events(pressed, time_passed, moved)
    assert {facts["game"] for _, facts in first} == {f"2-{table}-star" for table in range(1, 5)}
    assert [[facts["transcript"] for _, facts in change] for change in changes] == [["f5"], [], ["f5d6"]]
    (_, last), *_ = changes[-1]
    assert last["clocks_ms"] == {"black": 798_000, "white": 900_000} and last["running"] == "white"


def test_the_feed_tells_nothing_of_a_game_that_is_not_broadcast(feed_events: Any) -> None:
    async def moved(exhibition: Exhibition, now: list[int]) -> None:
        exhibition.live.hear_clock("t01", clock(exhibition, 2, 798), now[0])

    hidden = Scene(players=8, rounds_planned=4, rounds_played=1, broadcast=False)
    first, change = feed_events(moved, scene=hidden)
    assert change == []
    for _, facts in first:
        assert (facts["transcript"] is None) == (facts["score"] is None)


async def test_an_ended_feed_lets_its_listeners_go(tmp_path: Path) -> None:
    exhibition = await Exhibition.opened(tmp_path, SCENE)
    feed = Stream(FeedFacts(PublicStates(exhibition.store.states), exhibition.live, lambda: 0))
    running = asyncio.create_task(feed.run())
    listener = feed.listen(TOURNAMENT)
    await anext(listener)
    waiting = asyncio.ensure_future(anext(listener))
    await asyncio.sleep(0)
    feed.end()
    with pytest.raises(StopAsyncIteration):
        await asyncio.wait_for(waiting, PATIENCE_S)
    running.cancel()
    await exhibition.store.close()
