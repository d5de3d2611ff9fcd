"""The API answers whatever comes with an object and a status, never with a fault of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette

from hub.book import Book
from hub.desk import Desk, Paired
from hub.dispatch import Dispatch
from hub.live import Live
from hub.registry import Registry
from hub.tournament import Tournament
from hub.web.api import Api
from ledger.sqlite import SqliteLedger

TOKEN = "a-token-of-this-hub"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


async def pair(tournament: Tournament) -> Paired:
    ids = [player.id for player in tournament.players]
    return Paired(len(tournament.rounds) + 1, ((1, ids[0], ids[1]),), tuple(ids[2:]), None, ())


class Served:
    """The API of a hub without sockets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def __aenter__(self) -> httpx.AsyncClient:
        self.book = await Book.opened(lambda: SqliteLedger(self.folder / "ledger.sqlite"), lambda: "")
        registry = Registry(self.folder / "devices.json")
        live = Live(lambda: None)
        dispatch = Dispatch(self.book.states, registry, live, lambda topic, payload: True, lambda: 0)
        numbers = iter(range(1_000_000))
        desk = Desk(self.book, registry, dispatch, pair, lambda: f"id{next(numbers)}", lambda: None)
        api = Api(desk, self.book, registry, live, dispatch, TOKEN)
        self.routes = api.routes()
        transport = httpx.ASGITransport(Starlette(routes=self.routes), raise_app_exceptions=True)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://hub", headers=HEADERS)
        return self.client

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()
        await self.book.close()


POSTS = (
    "devices",
    "tournaments/open/pairings",
    "tournaments/open/start",
    "tournaments/open/rulings",
    "tournaments/open/results",
    "tournaments/open/conflicts",
    "tournaments/open/players",
    "tournaments/open/withdrawals",
    "tournaments/open/absences",
    "tournaments/open/seats",
    "tournaments/open/undo",
)
TELLING = st.sampled_from(
    ["p1", "p9", "t1", "stop", "start", "adjust_time", "set_score", "black", "all", "board", ""]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 70)
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | TELLING,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | TELLING, inner, max_size=3)
    ),
    max_leaves=6,
)
BAD_BYTES = st.sampled_from([b"[" * 100_000, b'{"a":NaN}', b'{"a":"\\ud800"}', b"{}", b"[]", b"7"])
NAMES = st.sampled_from(
    [
        "id",
        "name",
        "device",
        "seat",
        "round",
        "minutes",
        "judged",
        "stage",
        "rule",
        "tables",
        "fields",
        "lifetime_s",
        "game",
        "table",
        "score",
        "reason",
        "why",
        "player",
        "after_round",
        "entry",
        "from_round",
        "country",
        "black",
        "white",
        "seconds",
    ]
)
BODIES = st.dictionaries(NAMES, VALUES, max_size=6)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(POSTS), BODIES), min_size=1, max_size=12))
def test_no_body_is_more_than_it_can_bear(
    tmp_path_factory: Any, new_file: Any, asked: list[tuple[str, Any]]
) -> None:
    async def story() -> None:
        served = Served(tmp_path_factory.mktemp("hub"))
        async with served as client:
            assert (await client.put("/api/1/tournaments/open", json=new_file(3))).status_code == 201
            for path, body in asked:
                try:
                    content = httpx.Request("POST", "http://hub", json=body).content
                except ValueError:
                    content = repr(body).encode(errors="replace")
                answer = await client.post(f"/api/1/{path}", content=content)
                assert answer.status_code in (200, 201, 400, 404), (path, body, answer.text)
                if answer.status_code >= 400:
                    assert "\n" not in answer.json()["error"]
            for path in ("", "/file", "/standings", "/entries"):
                assert (await client.get(f"/api/1/tournaments/open{path}")).status_code == 200

    asyncio.run(story())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=200)
    | st.sampled_from([b"[" * 100_000, b'{"a":NaN}', b'{"a":"\\ud800"}', b"{}", b"[]", b"7"])
)
def test_no_bytes_are_more_than_it_can_bear(tmp_path_factory: Any, content: bytes) -> None:
    async def story() -> None:
        async with Served(tmp_path_factory.mktemp("hub")) as client:
            answer = await client.put("/api/1/tournaments/open", content=content)
            assert answer.status_code == 400 and "\n" not in answer.json()["error"]

    asyncio.run(story())


def test_every_address_wants_the_token(tmp_path: Path) -> None:
    async def story() -> None:
        served = Served(tmp_path)
        async with served as client:
            for route in served.routes:
                for method in route.methods or ():
                    path = route.path.replace("{tournament}", "open")
                    answer = await client.request(method, path, headers={"Authorization": "Bearer wrong"})
                    assert answer.status_code == 401, (method, path)

    asyncio.run(story())


@pytest.mark.parametrize("size", [9 << 20])
def test_a_body_that_is_too_large_is_refused(tmp_path: Path, size: int) -> None:
    async def story() -> None:
        async with Served(tmp_path) as client:
            answer = await client.put("/api/1/tournaments/open", content=b" " * size)
            assert answer.status_code == 400 and "bytes at most" in answer.json()["error"]

    asyncio.run(story())
