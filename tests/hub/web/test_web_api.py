"""The API answers whatever comes with an object and a status, never with a fault of its own."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from helpers.hub_files import tournament_file
from helpers.hub_served import Served
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub.api.operations import OPERATIONS

TOKEN = "a-token-of-this-hub"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


POSTS = (
    "devices",
    "tournaments/open/pairings",
    "tournaments/open/start",
    "tournaments/open/rulings",
    "tournaments/open/results",
    "tournaments/open/conflicts",
    "tournaments/open/corrections",
    "tournaments/open/players",
    "tournaments/open/withdrawals",
    "tournaments/open/absences",
    "tournaments/open/seats",
    "tournaments/open/undo",
    "tournaments/open/finals",
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
        "change",
        "kind",
        "expelled",
    ]
)
BODIES = st.dictionaries(NAMES, VALUES, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(POSTS), BODIES), min_size=1, max_size=12))
async def test_no_body_is_more_than_it_can_bear(tmp_path_factory: Any, asked: list[tuple[str, Any]]) -> None:
    served = Served(tmp_path_factory.mktemp("hub"))
    async with served as client:
        assert (await client.put("/api/1/tournaments/open", json=tournament_file(3))).status_code == 201
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=200)
    | st.sampled_from([b"[" * 100_000, b'{"a":NaN}', b'{"a":"\\ud800"}', b"{}", b"[]", b"7"])
)
async def test_no_bytes_are_more_than_it_can_bear(tmp_path_factory: Any, content: bytes) -> None:
    async with Served(tmp_path_factory.mktemp("hub")) as client:
        answer = await client.put("/api/1/tournaments/open", content=content)
        assert answer.status_code == 400 and "\n" not in answer.json()["error"]


async def test_every_address_wants_the_token(served: Any) -> None:
    async with served as client:
        for operation in OPERATIONS:
            path = operation.path.replace("{tournament}", "open")
            answer = await client.request(operation.method, path, headers={"Authorization": "Bearer wrong"})
            assert answer.status_code == 401, (operation.method, path)


@pytest.mark.parametrize("size", [9 << 20])
async def test_a_body_that_is_too_large_is_refused(served: Any, size: int) -> None:
    async with served as client:
        answer = await client.put("/api/1/tournaments/open", content=b" " * size)
        assert answer.status_code == 413 and "bytes at most" in answer.json()["error"]


async def test_corrections_expulsions_and_findings_over_the_api(served: Any) -> None:
    async with served as client:
        event = "/api/1/tournaments/open"
        await client.put(event, json=tournament_file(3))
        state = (await client.post(f"{event}/pairings", json={"round": 1})).json()
        black, white = state["games"][0]["black"], state["games"][0]["white"]
        change = {"kind": "award", "round": 1, "player": white}
        answer = await client.post(f"{event}/corrections", json={"change": change, "why": "no-show"})
        assert answer.json()["games"][0]["score"] == [0, 64]
        for more, place in (
            ({"kind": "result", "score": [40, 24], "reason": "weather"}, "reason"),
            ({"kind": "players", "other": "nobody"}, "other"),
        ):
            body = {"change": change | more, "why": "rain"}
            answer = await client.post(f"{event}/corrections", json=body)
            assert answer.status_code == 400 and answer.json()["error"].startswith(f"{place}: expected ")
        answer = await client.post(f"{event}/rulings", json={"rule": "stop", "tables": [9]})
        assert answer.status_code == 400 and answer.json()["error"].startswith("tables: expected ")
        gone = {"player": black, "expelled": True, "why": "left in anger"}
        assert (await client.post(f"{event}/withdrawals", json=gone)).status_code == 200
        file = (await client.get(f"{event}/file")).json()
        assert file["withdrawals"] == [gone | {"after_round": 1}]
        assert (await client.get(f"{event}/findings")).json()["findings"] == [], (
            "nobody has declared anything"
        )
        declared = {"federations": ["PRT", "ESP"], "contact_nations": ["FRA"]}
        assert (await client.put(f"{event}/declared", json=declared)).status_code == 200
        facts = {"players": {black: {"represents": "wof-flag"}}}
        assert (await client.put(f"{event}/declared/players", json=facts)).status_code == 200
        findings = (await client.get(f"{event}/findings")).json()["findings"]
        assert {"woc-2019 I.2.3.b"} <= {finding["clause"] for finding in findings}


@pytest.mark.parametrize(
    "sha256", ["", "\0" * 64, "../" * 21 + "x", "A" * 64, "0" * 63, "0" * 65, "0" * 64, None, 7]
)
async def test_a_version_that_does_not_lie_with_the_hub_is_refused(served: Any, sha256: Any) -> None:
    async with served as client:
        answer = await client.put("/api/1/update", json={"sha256": sha256})
        assert answer.status_code == 400 and answer.json()["error"]
