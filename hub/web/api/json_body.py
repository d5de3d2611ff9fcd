"""The JSON object of a request, read field by field; `Refused` names the field and what was expected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request

from hub.record.events import Conditions
from hub.record.state import Refused
from othello.rulebook import Stage

LARGEST_BODY_BYTES = 8 << 20


class JsonBody:
    """The JSON object of a request, field by field; Refused names the field."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields

    def text(self, name: str) -> str:
        value = self.fields.get(name)
        if not isinstance(value, str) or not value or len(value) > 500:
            raise Refused(f"{name}: expected a text, got {short(value)}")
        return value

    def text_or_none(self, name: str) -> str | None:
        return None if self.fields.get(name) is None else self.text(name)

    def whole_or_none(self, name: str) -> int | None:
        value = self.fields.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise Refused(f"{name}: expected a whole number from 0, got {short(value)}")
        return value

    def whole(self, name: str) -> int:
        value = self.whole_or_none(name)
        if value is None:
            raise Refused(f"{name}: expected a whole number from 0, got nothing")
        return value

    def truth(self, name: str, default: bool) -> bool:
        value = self.fields.get(name, default)
        if not isinstance(value, bool):
            raise Refused(f"{name}: expected true or false, got {short(value)}")
        return value

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        value = self.fields.get(name, default)
        if not isinstance(value, str) or value not in choices:
            raise Refused(f"{name}: expected one of {', '.join(choices)}, got {short(value)}")
        return value

    def object(self, name: str) -> dict[str, Any]:
        value = self.fields.get(name)
        if not isinstance(value, dict):
            raise Refused(f"{name}: expected an object, got {short(value)}")
        return value

    def score(self) -> tuple[int, int]:
        value = self.fields.get("score")
        if (
            not isinstance(value, list)
            or len(value) != 2
            or not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 64 for n in value)
        ):
            raise Refused(f"score: expected [black, white] in discs, got {short(value)}")
        return value[0], value[1]

    def conditions(self) -> Conditions:
        minutes = self.fields.get("minutes")
        if minutes is not None and (isinstance(minutes, bool) or not isinstance(minutes, int | float)):
            raise Refused(f"minutes: expected a number, got {short(minutes)}")
        return Conditions(
            stage=self.choice("stage", tuple(Stage), Stage.QUALIFYING),
            minutes=minutes,
            judged=self.truth("judged", True),
            sensors=self.truth("sensors", True),
            broadcast=self.truth("broadcast", False),
        )


async def body_of(request: Request) -> JsonBody:
    """The request's JSON object; no body is an empty one."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > LARGEST_BODY_BYTES:
            raise Refused(f"body: expected {LARGEST_BODY_BYTES} bytes at most")
    if not data:
        return JsonBody({})
    try:
        # Unlike json it takes neither NaN nor half of a surrogate pair, which no ledger could hold.
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise Refused("body: expected a JSON object") from None
    if not isinstance(value, dict):
        raise Refused("body: expected a JSON object")
    return JsonBody(value)


def short(value: object) -> str:
    """A value as it may stand in an error line."""
    text = "nothing" if value is None else json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:59]}…"
