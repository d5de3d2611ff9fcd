"""What `/api/1` answers, as OpenAPI 3.1: one line for each operation here, the rest follows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from hub.public.api.schemas import (
    OBJECT,
    REASON,
    SCHEMAS,
    SCORE,
    TEXT,
    TRUTH,
    WHOLE,
    Schema,
    many,
    named,
    or_null,
    shape,
)

_T = "/api/1/tournaments/{tournament}"
_P = "/api/1/public/tournaments"
_WHERE: Schema = {"game": TEXT, "table": {**WHOLE, "description": "of the present round, instead of game"}}


@dataclass(frozen=True, slots=True)
class Operation:
    """`body`: the properties of its JSON object, of which `needs` must be there; None: any object.

    `told`: the name of what it answers, in `hub.public.api.schemas`; "" for an object that is described nowhere else.
    """

    method: str
    path: str
    summary: str
    body: Schema | None = None
    needs: tuple[str, ...] = ()
    any_body: bool = False
    status: int = 200
    stream: bool = False
    told: str = ""

    @property
    def public(self) -> bool:
        return self.path.startswith(_P) or self.path.endswith("openapi.json")


OPERATIONS: tuple[Operation, ...] = (
    Operation("GET", _P, "The tournaments of this hub", told="Tournaments"),
    Operation(
        "GET",
        f"{_P}/{{tournament}}",
        "A tournament in short, and the games at its tables as they are now",
        told="TournamentNow",
    ),
    Operation("GET", f"{_P}/{{tournament}}/players", "Who plays", told="Players"),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/standings",
        "Standings, as `rank --json` prints them",
        told="Standings",
    ),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/cross-table",
        "Every player's rounds, in the order of the standings",
        told="CrossTable",
    ),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/finals",
        "Final lists and matches, as `finals --json` prints them",
        told="Finals",
    ),
    Operation("GET", f"{_P}/{{tournament}}/games", "All games", told="Games"),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/games/{{game}}",
        "A game, move by move where it is over or broadcast",
        told="GameMoveByMove",
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
        {"device": TEXT, "seat": or_null(WHOLE), "again": TRUTH, "judge_pin": TEXT, "director_pin": TEXT},
        ("device",),
        status=201,
    ),
    Operation("DELETE", "/api/1/devices/{device}", "A lost device is heard no more"),
    Operation(
        "POST",
        "/api/1/enrolments",
        "A one-time code with which a device enrols itself, and the judge's PIN that it will have",
        {
            "device": TEXT,
            "seat": or_null(WHOLE),
            "again": TRUTH,
            "lifetime_s": or_null(WHOLE),
            "judge_pin": TEXT,
        },
        ("device",),
        status=201,
    ),
    Operation(
        "PUT",
        "/api/1/update",
        "The version that tables are to run: the wheel of this hash, which lies with the hub",
        {"sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
        ("sha256",),
    ),
    Operation("DELETE", "/api/1/update", "Tables are to stay as they are"),
    Operation("GET", "/api/1/tournaments", "The tournaments of this hub"),
    Operation("PUT", _T, "A tournament from a flagfall-tournament/1 object", any_body=True, status=201),
    Operation("GET", _T, "The round as the director sees it"),
    Operation("GET", f"{_T}/file", "The tournament file"),
    Operation("GET", f"{_T}/standings", "Standings, as `rank --json` prints them", told="Standings"),
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
        {
            "starts_at": or_null({**TEXT, "format": "date-time"}),
            "boards": or_null({"type": "array", "items": WHOLE}),
            "delay_s": WHOLE,
        },
    ),
    Operation(
        "POST",
        f"{_T}/pairings",
        "Pairs the next round and publishes it to the tables; a round that is published already stays",
        {
            "round": or_null(WHOLE),
            "minutes": or_null({"type": "number"}),
            "judged": TRUTH,
            "sensors": TRUTH,
            "broadcast": TRUTH,
            "stage": {"enum": ["qualifying", "playoff", "semi-final", "third-place", "final"]},
        },
    ),
    Operation(
        "GET", f"{_T}/finals", "What is due in playoffs and finals, with its choosers' options", told="Finals"
    ),
    Operation(
        "POST",
        f"{_T}/finals",
        "Publishes games of playoffs and finals to their tables, as their choosers want them",
        {
            "games": many(
                shape(
                    {
                        "title": TEXT,
                        "stage": TEXT,
                        "black": TEXT,
                        "white": TEXT,
                        "draw_win": or_null(TEXT),
                        "table": WHOLE,
                        "at_table": {
                            **TRUTH,
                            "description": "who chooses says so at the table: colours and draw_win do not count",
                        },
                    },
                    "draw_win",
                    "at_table",
                )
            ),
            "broadcast": TRUTH,
        },
        ("games",),
    ),
    Operation(
        "POST",
        f"{_T}/finals/walkover",
        "Settles a match whose player has withdrawn: its next game is forfeited",
        {"title": TEXT, "stage": TEXT, "black": TEXT, "white": TEXT},
        ("title", "stage", "black", "white"),
    ),
    Operation("POST", f"{_T}/start", "The director's signal to all tables of the round", {}),
    Operation(
        "POST",
        f"{_T}/rulings",
        "A ruling in the game file's words, to all tables or some",
        {
            "rule": TEXT,
            "tables": {"anyOf": [{"const": "all"}, {"type": "array", "items": WHOLE}]},
            "fields": OBJECT,
            "lifetime_s": or_null(WHOLE),
            "id": or_null(TEXT),
        },
        ("rule",),
    ),
    Operation(
        "POST",
        f"{_T}/results",
        "A score typed in by hand",
        {**_WHERE, "score": SCORE, "reason": REASON, "id": or_null(TEXT)},
        ("score",),
    ),
    Operation(
        "POST",
        f"{_T}/conflicts",
        "Which of two scores stands",
        {**_WHERE, "score": SCORE, "reason": REASON, "why": or_null(TEXT)},
        ("score",),
    ),
    Operation(
        "POST",
        f"{_T}/corrections",
        "A change of a round already paired, with its reason",
        {"change": OBJECT, "why": TEXT, "id": or_null(TEXT)},
        ("change", "why"),
    ),
    Operation("POST", f"{_T}/players", "One more player", any_body=True),
    Operation(
        "POST",
        f"{_T}/withdrawals",
        "A player leaves, or is expelled",
        {"player": TEXT, "after_round": or_null(WHOLE), "expelled": TRUTH, "why": or_null(TEXT)},
        ("player",),
    ),
    Operation(
        "POST",
        f"{_T}/absences",
        "A player misses a round",
        {"player": TEXT, "round": or_null(WHOLE)},
        ("player",),
    ),
    Operation(
        "POST",
        f"{_T}/seats",
        "Another device takes a seat",
        {"seat": WHOLE, "device": or_null(TEXT)},
        ("seat",),
    ),
    Operation(
        "POST",
        f"{_T}/undo",
        "Takes back an entry, by default the last that can be",
        {"entry": or_null(TEXT)},
    ),
    Operation("POST", f"{_T}/close", "Nothing more is expected", {}),
)


def description() -> dict[str, Any]:
    """The whole document; JSON-ready."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    return {
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
            "schemas": SCHEMAS,
        },
    }


def _described(operation: Operation) -> dict[str, Any]:
    refusal = {
        "content": {"application/json": {"schema": named("Refusal")}},
        "description": "refused: one line says why",
    }
    media = "text/event-stream" if operation.stream else "application/json"
    schema: Schema = (
        {"type": "string"} if operation.stream else named(operation.told) if operation.told else OBJECT
    )
    refusals = ("404",) if operation.public else ("400", "401", "404", "409")
    names = re.findall(r"{(\w+)}", operation.path)
    value: dict[str, Any] = {
        "operationId": re.sub(r"\W+", "_", f"{operation.method.lower()}{operation.path}").strip("_"),
        "summary": operation.summary,
        "tags": ["public" if operation.public else "operator"],
        "security": [] if operation.public else [{"token": []}],
        "parameters": [{"name": name, "in": "path", "required": True, "schema": TEXT} for name in names],
        "responses": {
            str(operation.status): {"description": "done", "content": {media: {"schema": schema}}},
            **(dict.fromkeys(refusals, refusal) if names or not operation.public else {}),
        },
    }
    if operation.any_body or operation.body is not None:
        properties = operation.body or {}
        schema = (
            OBJECT
            if operation.any_body
            else {**OBJECT, "properties": properties, "required": list(operation.needs)}
        )
        value["requestBody"] = {
            "required": bool(operation.needs) or operation.any_body,
            "content": {"application/json": {"schema": schema}},
        }
    return value
