"""The shapes of what the API tells, as JSON Schema: what `hub.public.api.openapi` refers to by name."""

from __future__ import annotations

from typing import Any

from hub.ranking.cross_table import BYE, UNPLAYED
from othello.game import Reason, State
from othello.rulebook import Stage

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "minLength": 1, "maxLength": 500}
SAID: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
TRUTH: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}
SCORE: Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0, "maximum": 64},
    "minItems": 2,
    "maxItems": 2,
    "description": "discs, black first",
}
REASON: Schema = {"enum": [str(reason) for reason in Reason], "default": "board"}
SIDE: Schema = {"enum": ["black", "white"]}
POSITION: Schema = {
    "type": "string",
    "pattern": "^[XO?-]{64}$",
    "description": "a1 b1 ... h8: X black, O white, - empty, ? not known",
}
TRANSCRIPT: Schema = {"type": "string", "pattern": "^([a-h][1-8])*$"}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def shape(properties: Schema, *optional: str, description: str = "") -> Schema:
    """An object that has all of these properties but the optional ones; others may be added to it."""
    value = {
        **OBJECT,
        "properties": properties,
        "required": [name for name in properties if name not in optional],
    }
    return value | ({"description": description} if description else {})


def many(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _by_side(schema: Schema) -> Schema:
    return shape({"black": schema, "white": schema})


_FINAL_NAME: Schema = {"type": "string", "description": "open, women, young or division:NAME"}
_STAGE: Schema = {"enum": [str(stage) for stage in Stage]}
_PLACES = many(
    shape({"place": WHOLE, "player": TEXT, "team": TEXT, "points": NUMBER}, "player", "team", "points")
)
_TOURNAMENT: Schema = {
    "id": TEXT,
    "name": SAID,
    "date": or_null({**SAID, "format": "date"}),
    "rulebook": TEXT,
    "system": TEXT,
    "round": WHOLE,
    "rounds_planned": WHOLE,
    "held_back": or_null({**WHOLE, "description": "a round that hangs in the hall, told here at its start"}),
    "closed": TRUTH,
    "players": WHOLE,
}
_STANDING: Schema = {
    "place": WHOLE,
    "player": TEXT,
    "points": NUMBER,
    "bq": NUMBER,
    "discs": NUMBER,
    "by_lot": TRUTH,
    "difference": {**NUMBER, "description": "where the tournament breaks ties by it"},
}
_GAME: Schema = {
    "game": TEXT,
    "round": or_null(WHOLE),
    "title": or_null(_FINAL_NAME),
    "stage": _STAGE,
    "table": WHOLE,
    "black": named("Player"),
    "white": named("Player"),
    "score": or_null(SCORE),
    "reason": or_null(REASON),
    "signed": TRUTH,
    "in_question": {**TRUTH, "description": "two scores differ, and the director has not decided"},
    "open": {**TRUTH, "description": "board, moves and clocks are told: the game is over or broadcast"},
}
_AT_TABLE: Schema = _GAME | {
    "state": or_null({"enum": [str(state) for state in State]}),
    "running": or_null(SIDE),
    "transcript": or_null(TRANSCRIPT),
    "position": or_null(POSITION),
    "moves": {**WHOLE, "description": "how many"},
    "clocks_ms": or_null(_by_side(WHOLE)),
    "flags": _by_side(WHOLE),
}
_MOVE = shape(
    {
        "number": {"type": "integer", "minimum": 1},
        "by": SIDE,
        "square": {"type": "string", "pattern": "^[a-h][1-8]$"},
        "spent_ms": or_null(WHOLE),
        "after_pass": TRUTH,
        "position": POSITION,
    }
)
_INCIDENT = shape(
    {
        "after_move": WHOLE,
        "type": TEXT,
        "by": or_null(SIDE),
        "squares": many(SAID),
        "state": or_null(SAID),
        "rule": or_null(SAID),
    }
)
_CELL = shape(
    {
        "kind": {"enum": ["game", BYE, UNPLAYED]},
        "opponent": or_null(TEXT),
        "colour": or_null(SIDE),
        "discs": or_null(SCORE),
    }
)
_DUE = shape(
    {
        "title": _FINAL_NAME,
        "stage": _STAGE,
        "players": many(TEXT),
        "games": WHOLE,
        "wins": {**OBJECT, "additionalProperties": NUMBER},
        "minutes": or_null(NUMBER),
        "chooses": or_null(TEXT),
        "may": {"enum": ["colour", "colour-or-draw-win", "colour-and-draw-win"]},
        "options": many(shape({"black": TEXT, "white": TEXT, "draw_win": or_null(TEXT), "chosen": TEXT})),
        "gap": shape({"withdrawn": many(TEXT), "allows": TEXT}),
    },
    *("options", "gap"),
)
_MATCH = shape({"title": _FINAL_NAME, "stage": _STAGE, "players": many(TEXT), "winner": or_null(TEXT)})

SCHEMAS: dict[str, Schema] = {
    "Refusal": shape({"error": {**SAID, "description": "one line: field and what was expected"}}),
    "Player": shape({"id": TEXT, "name": TEXT, "country": SAID}),
    "Players": shape({"players": many(named("Player"))}),
    "Tournament": shape(_TOURNAMENT),
    "Tournaments": shape({"tournaments": many(named("Tournament"))}),
    "TournamentNow": shape(_TOURNAMENT | {"tables": many(named("GameAtTable"))}),
    "Standings": shape({"standings": many(shape(_STANDING, "difference"))}, description="as `rank --json`"),
    "CrossTable": shape({"rows": many(shape(_STANDING | {"rounds": many(_CELL)}, "difference"))}),
    "Finals": shape(
        {
            "provisional": many(TEXT),
            "lists": {**OBJECT, "additionalProperties": _PLACES},
            "due": many(_DUE),
            "matches": many(_MATCH),
            "champions": {**OBJECT, "additionalProperties": or_null(TEXT)},
        },
        description="as `finals --json`",
    ),
    "Game": shape(_GAME),
    "Games": shape({"games": many(named("Game"))}),
    "GameAtTable": shape(_AT_TABLE, "moves", "flags", description="what an event of the feed tells, too"),
    "GameMoveByMove": shape(
        _AT_TABLE | {"moves": many(_MOVE), "incidents": many(_INCIDENT)},
        *("moves", "incidents", "flags"),
        description="moves and incidents where `open` is true",
    ),
}
