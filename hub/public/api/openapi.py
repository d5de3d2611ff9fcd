"""The OpenAPI 3.1 description of `/api/1`: one entry per operation here; schemas come from the structs that are read
and sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, cast

import msgspec
from msgspec.structs import fields

from hub.public.api.views import (
    CrossTableTold,
    GameAtTableTold,
    GameMoveByMoveTold,
    GamesTold,
    PlayersTold,
    RefusalTold,
    TournamentNowTold,
    TournamentsTold,
)
from hub.ranking.finals_report import FinalsTold
from hub.ranking.rank_report import StandingsTold
from hub.web.api import bodies

_T = "/api/1/tournaments/{tournament}"
_P = "/api/1/public/tournaments"
_OBJECT = {"type": "object"}


@dataclass(frozen=True, slots=True)
class Operation:
    """`body`: the request (dict: any object). `told`: the answer; None: an object without a schema."""

    method: str
    path: str
    summary: str
    body: type | None = None
    status: int = 200
    stream: bool = False
    told: type | None = None

    @property
    def public(self) -> bool:
        return self.path.startswith(_P) or self.path.endswith("openapi.json")


OPERATIONS: tuple[Operation, ...] = (
    Operation("GET", _P, "The tournaments of this hub", told=TournamentsTold),
    Operation(
        "GET",
        f"{_P}/{{tournament}}",
        "A tournament in short, and the games at its tables as they are now",
        told=TournamentNowTold,
    ),
    Operation("GET", f"{_P}/{{tournament}}/players", "Who plays", told=PlayersTold),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/standings",
        "Standings, as `rank --json` prints them",
        told=StandingsTold,
    ),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/cross-table",
        "Every player's rounds, in the order of the standings",
        told=CrossTableTold,
    ),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/finals",
        "Final lists and matches, as `finals --json` prints them",
        told=FinalsTold,
    ),
    Operation("GET", f"{_P}/{{tournament}}/games", "All games", told=GamesTold),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/games/{{game}}",
        "A game, move by move where it is over or broadcast",
        told=GameMoveByMoveTold,
    ),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/feed",
        "The tables as they go on (server-sent events): `game` tells a GameAtTable, `gone` the id of one",
        stream=True,
    ),
    Operation("GET", "/api/1/openapi.json", "This description"),
    Operation("GET", "/api/1/live", "Devices, clocks, calls, rulings that wait, what was dropped"),
    Operation("GET", "/api/1/devices", "Enrolled devices"),
    Operation(
        "POST",
        "/api/1/devices",
        "Enrols a device; key and token are told this once, and its PINs",
        bodies.EnrolledDevice,
        status=201,
    ),
    Operation("DELETE", "/api/1/devices/{device}", "A lost device is heard no more"),
    Operation(
        "POST",
        "/api/1/enrolments",
        "A one-time code with which a device enrols itself, and the judge's PIN that it will have",
        bodies.OfferedCode,
        status=201,
    ),
    Operation(
        "PUT",
        "/api/1/update",
        "The version that tables are to run: the wheel of this hash, which lies with the hub",
        bodies.OfferedUpdate,
    ),
    Operation("DELETE", "/api/1/update", "Tables are to stay as they are"),
    Operation("GET", "/api/1/tournaments", "The tournaments of this hub"),
    Operation("PUT", _T, "A tournament from a flagfall-tournament/1 object", dict, status=201),
    Operation("GET", _T, "The round as the director sees it"),
    Operation("GET", f"{_T}/file", "The tournament file"),
    Operation("GET", f"{_T}/standings", "Standings, as `rank --json` prints them", told=StandingsTold),
    Operation("GET", f"{_T}/entries", "The chain of entries, for audits"),
    Operation("GET", f"{_T}/findings", "What the rulebook has to say of the entries"),
    Operation(
        "GET",
        f"{_T}/showing",
        "What is shown in the hall and outside; the projector's address",
    ),
    Operation(
        "PUT",
        f"{_T}/showing",
        "Sets it: the next start, the boards on the projector, how much later the world outside sees it",
        bodies.SetShowing,
    ),
    Operation(
        "POST",
        f"{_T}/pairings",
        "Pairs the next round and publishes it to the tables; a round that is published already stays",
        bodies.Pairings,
    ),
    Operation(
        "GET",
        f"{_T}/finals",
        "What is due in playoffs and finals, with its choosers' options",
        told=FinalsTold,
    ),
    Operation(
        "POST",
        f"{_T}/finals",
        "Publishes games of playoffs and finals to their tables, as their choosers want them",
        bodies.FinalGames,
    ),
    Operation(
        "POST",
        f"{_T}/finals/walkover",
        "Settles a match whose player has withdrawn: its next game is forfeited",
        bodies.Walkover,
    ),
    Operation("POST", f"{_T}/start", "The director's signal to all tables of the round", bodies.Nothing),
    Operation(
        "POST", f"{_T}/rulings", "A ruling in the game file's words, to all tables or some", bodies.Ruling
    ),
    Operation("POST", f"{_T}/results", "A score typed in by hand", bodies.TypedResult),
    Operation("POST", f"{_T}/conflicts", "Which of two scores stands", bodies.Decision),
    Operation(
        "POST", f"{_T}/corrections", "A change of a round already paired, with its reason", bodies.Correction
    ),
    Operation("POST", f"{_T}/players", "One more player", dict),
    Operation("POST", f"{_T}/withdrawals", "A player leaves, or is expelled", bodies.Withdrawal),
    Operation("POST", f"{_T}/absences", "A player misses a round", bodies.Absence),
    Operation("POST", f"{_T}/seats", "Another device takes a seat", bodies.Seat),
    Operation("POST", f"{_T}/undo", "Takes back an entry, by default the last that can be", bodies.Undo),
    Operation("POST", f"{_T}/close", "Nothing more is expected", bodies.Nothing),
)


def description() -> dict[str, Any]:
    """The whole document; JSON-ready."""
    kinds = {one for operation in OPERATIONS for one in (operation.body, operation.told) if one is not None}
    asked = [RefusalTold, GameAtTableTold, *sorted(kinds - {dict}, key=lambda kind: kind.__name__)]
    shapes, components = msgspec.json.schema_components(asked, ref_template="#/components/schemas/{name}")
    shape_of = dict(zip(asked, shapes, strict=True)) | {dict: _OBJECT}
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation, shape_of)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Flagfall hub",
            "version": version("flagfall"),
            "description": "Fields may be added; the meaning of one never changes.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "the file api-token of the hub"}
            },
            "schemas": components,
        },
    }
    # A struct is called `GameTold` to distinguish it from the hub's own game; in the API it is a Game.
    return cast(dict[str, Any], msgspec.json.decode(msgspec.json.encode(document).replace(b'Told"', b'"')))


def _described(operation: Operation, shape_of: Mapping[Any, Any]) -> dict[str, Any]:
    refusal = {
        "content": {"application/json": {"schema": shape_of[RefusalTold]}},
        "description": "refused: one line says why",
    }
    media, schema = "application/json", shape_of.get(operation.told, _OBJECT)
    if operation.stream:
        media, schema = "text/event-stream", {"type": "string"}
    refusals = ("404",) if operation.public else ("400", "401", "404", "409")
    names = re.findall(r"{(\w+)}", operation.path)
    name = {"type": "string", "minLength": 1, "maxLength": 500}
    value: dict[str, Any] = {
        "operationId": re.sub(r"\W+", "_", f"{operation.method.lower()}{operation.path}").strip("_"),
        "summary": operation.summary,
        "tags": ["public" if operation.public else "operator"],
        "security": [] if operation.public else [{"token": []}],
        "parameters": [{"name": one, "in": "path", "required": True, "schema": name} for one in names],
        "responses": {
            str(operation.status): {"description": "done", "content": {media: {"schema": schema}}},
            **(dict.fromkeys(refusals, refusal) if names or not operation.public else {}),
        },
    }
    if operation.body is not None:
        value["requestBody"] = {
            "required": operation.body is dict or any(one.required for one in fields(operation.body)),
            "content": {"application/json": {"schema": shape_of[operation.body]}},
        }
    return value
