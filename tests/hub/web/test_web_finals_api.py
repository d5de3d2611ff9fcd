"""Playoffs and finals over the API: what is due, published as its choosers want it, else refused with its field."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.hub_files import tournament_file
from helpers.hub_served import Served

PATH = "/api/1/tournaments/open/finals"


@pytest.fixture
def with_finals(tmp_path: Path) -> Any:
    """Return an opener of a client with the token, and of the hub of an event whose rounds are over."""

    @asynccontextmanager
    async def at_finals() -> AsyncIterator[tuple[httpx.AsyncClient, Any]]:
        file = tournament_file(8, rounds_planned=1)
        pairs = [
            ("p1", "p2", [40, 24]),
            ("p3", "p4", [38, 26]),
            ("p5", "p6", [36, 28]),
            ("p7", "p8", [34, 30]),
        ]
        file["rounds"] = [{"games": [{"black": b, "white": w, "score": score} for b, w, score in pairs]}]

        served = Served(tmp_path)
        async with served as client:
            assert (await client.put("/api/1/tournaments/open", json=file)).status_code == 201
            yield client, served

    return at_finals


def first_way(due: dict[str, Any], table: int) -> dict[str, Any]:
    way = due["options"][0]
    wanted = {name: way[name] for name in ("black", "white", "draw_win")}
    return {"title": due["title"], "stage": due["stage"], "table": table, **wanted}


@pytest.mark.clause("woc-2019 IV.9")
async def test_what_is_due_is_published_as_its_chooser_wants_it(with_finals: Any) -> None:
    async with with_finals() as (client, served):
        finals = (await client.get(PATH)).json()
        assert finals["due"] and finals["champions"]["open"] is None
        for due in finals["due"]:
            assert {way["black"] for way in due["options"]} == set(due["players"])
        games = [first_way(due, table) for table, due in enumerate(finals["due"], 1)]
        answer = await client.post(PATH, json={"games": games, "broadcast": True})
        assert answer.status_code == 200, answer.text
        at_tables = answer.json()["games"]
        assert [(game["black"], game["white"], game["table"]) for game in at_tables] == [
            (game["black"], game["white"], game["table"]) for game in games
        ]
        state = served.store.states["open"]
        assert all(state.games[game["game"]].conditions.broadcast for game in at_tables)
        assert all(due["options"] == [] for due in (await client.get(PATH)).json()["due"]), "being played"
        again = await client.post(PATH, json={"games": games})
        assert again.status_code == 400 and "due" in again.json()["error"]


async def test_the_choice_can_be_left_to_the_table(with_finals: Any) -> None:
    async with with_finals() as (client, _):
        due = (await client.get(PATH)).json()["due"][0]
        player, other = due["players"]
        game = {"title": due["title"], "stage": due["stage"], "black": other, "white": player, "table": 3}
        answer = await client.post(PATH, json={"games": [game | {"at_table": True}]})
        assert answer.status_code == 200, answer.text
        (at_table,) = answer.json()["games"]
        assert at_table["black"] == due["chooses"], "the player who chooses is Black until they have chosen"


async def test_a_final_is_not_broadcast_unless_it_is_said(with_finals: Any) -> None:
    async with with_finals() as (client, served):
        due = (await client.get(PATH)).json()["due"][0]
        answer = await client.post(PATH, json={"games": [first_way(due, 1)]})
        (game,) = answer.json()["games"]
        assert not served.store.states["open"].games[game["game"]].conditions.broadcast


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"games": None}, "games"),
        ({"games": []}, "games"),
        ({"games": [1]}, "games[0]"),
        ({"games": [{}] * 101}, "games"),
        ({"title": 1}, "games[0].title"),
        ({"black": "p1", "white": "p1"}, "game"),
        ({"table": -1}, "games[0].table"),
        ({"table": True}, "games[0].table"),
        ({"draw_win": "nobody"}, "draw-win"),
        ({"broadcast": "yes"}, "broadcast"),
    ],
)
async def test_whatever_is_not_as_expected_is_refused_with_its_field(
    with_finals: Any, change: dict[str, Any], named: str
) -> None:
    async with with_finals() as (client, served):
        due = (await client.get(PATH)).json()["due"][0]
        body: dict[str, Any] = {"games": [first_way(due, 1)]}
        of_game = {"title", "black", "white", "table", "draw_win"}
        body |= {name: value for name, value in change.items() if name not in of_game}
        if of_game & change.keys():
            body["games"] = [body["games"][0] | change]
        answer = await client.post(PATH, json=body)
        assert answer.status_code == 400 and named in answer.json()["error"], answer.text
        assert len(served.store.states["open"].tournament.finals) == 0


async def test_finals_of_nothing_and_without_the_token_are_refused(with_finals: Any) -> None:
    async with with_finals() as (client, _):
        for method in (client.get, client.post):
            assert (await method("/api/1/tournaments/none/finals")).status_code in (400, 404)
            assert (await method(PATH, headers={"Authorization": "Bearer x"})).status_code == 401
