"""What `/api/1` answers, as OpenAPI 3.1: one line for each operation here, the rest follows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

_T = "/api/1/tournaments/{tournament}"
_P = "/api/1/public/tournaments"
_Schema = dict[str, Any]

TEXT: _Schema = {"type": "string", "minLength": 1, "maxLength": 500}
WHOLE: _Schema = {"type": "integer", "minimum": 0}
TRUTH: _Schema = {"type": "boolean"}
OBJECT: _Schema = {"type": "object"}
SCORE: _Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0, "maximum": 64},
    "minItems": 2,
    "maxItems": 2,
    "description": "discs, black first",
}
REASON: _Schema = {
    "enum": ["board", "default", "second_flag", "resigned", "forfeit", "beyond_repair", "awarded", "ruled"],
    "default": "board",
}
_WHERE: _Schema = {"game": TEXT, "table": {**WHOLE, "description": "of the present round, instead of game"}}


def _or_null(schema: _Schema) -> _Schema:
    return {"anyOf": [schema, {"type": "null"}]}


@dataclass(frozen=True, slots=True)
class Operation:
    """`body`: the properties of its JSON object, of which `needs` must be there; None: any object."""

    method: str
    path: str
    summary: str
    body: _Schema | None = None
    needs: tuple[str, ...] = ()
    any_body: bool = False
    status: int = 200
    stream: bool = False

    @property
    def public(self) -> bool:
        return self.path.startswith(_P) or self.path.endswith("openapi.json")


OPERATIONS: tuple[Operation, ...] = (
    Operation("GET", _P, "The tournaments of this hub"),
    Operation(
        "GET", f"{_P}/{{tournament}}", "A tournament in short, and the games at its tables as they are now"
    ),
    Operation("GET", f"{_P}/{{tournament}}/players", "Who plays"),
    Operation("GET", f"{_P}/{{tournament}}/standings", "Standings, as `rank --json` prints them"),
    Operation(
        "GET", f"{_P}/{{tournament}}/cross-table", "Every player's rounds, in the order of the standings"
    ),
    Operation(
        "GET", f"{_P}/{{tournament}}/finals", "Final lists and matches, as `finals --json` prints them"
    ),
    Operation("GET", f"{_P}/{{tournament}}/games", "All games"),
    Operation(
        "GET", f"{_P}/{{tournament}}/games/{{game}}", "A game, move by move where it is over or broadcast"
    ),
    Operation(
        "GET",
        f"{_P}/{{tournament}}/feed",
        "The tables as they go on (server-sent events)",
        stream=True,
    ),
    Operation("GET", "/api/1/openapi.json", "This description"),
    Operation("GET", "/api/1/live", "Devices, clocks, calls, rulings that wait, what was dropped"),
    Operation("GET", "/api/1/devices", "Enrolled devices"),
    Operation(
        "POST",
        "/api/1/devices",
        "Enrols a device; key and token are told this once",
        {"device": TEXT, "seat": _or_null(WHOLE), "again": TRUTH},
        ("device",),
        status=201,
    ),
    Operation("DELETE", "/api/1/devices/{device}", "A lost device is heard no more"),
    Operation(
        "POST",
        "/api/1/enrolments",
        "A one-time code with which a device enrols itself",
        {"device": TEXT, "seat": _or_null(WHOLE), "again": TRUTH, "lifetime_s": _or_null(WHOLE)},
        ("device",),
        status=201,
    ),
    Operation("GET", "/api/1/tournaments", "The tournaments of this hub"),
    Operation("PUT", _T, "A tournament from a flagfall-tournament/1 object", any_body=True, status=201),
    Operation("GET", _T, "The round as the director sees it"),
    Operation("GET", f"{_T}/file", "The tournament file"),
    Operation("GET", f"{_T}/standings", "Standings, as `rank --json` prints them"),
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
            "starts_at": _or_null({**TEXT, "format": "date-time"}),
            "boards": _or_null({"type": "array", "items": WHOLE}),
            "delay_s": WHOLE,
        },
    ),
    Operation(
        "POST",
        f"{_T}/pairings",
        "Pairs the next round and publishes it to the tables; a round that is published already stays",
        {
            "round": _or_null(WHOLE),
            "minutes": _or_null({"type": "number"}),
            "judged": TRUTH,
            "sensors": TRUTH,
            "broadcast": TRUTH,
            "stage": {"enum": ["qualifying", "playoff", "semi-final", "third-place", "final"]},
        },
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
            "lifetime_s": _or_null(WHOLE),
            "id": _or_null(TEXT),
        },
        ("rule",),
    ),
    Operation(
        "POST",
        f"{_T}/results",
        "A score typed in by hand",
        {**_WHERE, "score": SCORE, "reason": REASON, "id": _or_null(TEXT)},
        ("score",),
    ),
    Operation(
        "POST",
        f"{_T}/conflicts",
        "Which of two scores stands",
        {**_WHERE, "score": SCORE, "reason": REASON, "why": _or_null(TEXT)},
        ("score",),
    ),
    Operation(
        "POST",
        f"{_T}/corrections",
        "A change of a round already paired, with its reason",
        {"change": OBJECT, "why": TEXT, "id": _or_null(TEXT)},
        ("change", "why"),
    ),
    Operation("POST", f"{_T}/players", "One more player", any_body=True),
    Operation(
        "POST",
        f"{_T}/withdrawals",
        "A player leaves, or is expelled",
        {"player": TEXT, "after_round": _or_null(WHOLE), "expelled": TRUTH, "why": _or_null(TEXT)},
        ("player",),
    ),
    Operation(
        "POST",
        f"{_T}/absences",
        "A player misses a round",
        {"player": TEXT, "round": _or_null(WHOLE)},
        ("player",),
    ),
    Operation(
        "POST",
        f"{_T}/seats",
        "Another device takes a seat",
        {"seat": WHOLE, "device": _or_null(TEXT)},
        ("seat",),
    ),
    Operation(
        "POST",
        f"{_T}/undo",
        "Takes back an entry, by default the last that can be",
        {"entry": _or_null(TEXT)},
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
            "schemas": {
                "Refusal": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {
                        "error": {"type": "string", "description": "one line: field and what was expected"}
                    },
                }
            },
        },
    }


def _described(operation: Operation) -> dict[str, Any]:
    refusal = {
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}},
        "description": "refused: one line says why",
    }
    media = "text/event-stream" if operation.stream else "application/json"
    schema: _Schema = {"type": "string"} if operation.stream else OBJECT
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
