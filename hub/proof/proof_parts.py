"""The parts of a proof as a checker reads them: the same values in the same JSON as `hub/web/static/verify.js`.

Both checkers read what others wrote, and must take and refuse the same. So numbers are read as JavaScript has them (a
double; `40.0` is 40), a text with half of a surrogate pair is refused, nothing is nested deeper than `DEEPEST`, and of
each object only the used fields are looked at, which must be there and of their type.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from flagfall.base.errors import Invalid
from flagfall.base.foreign_text import check_depth
from flagfall.link.identity import HexKey
from flagfall.link.messages import Discs
from flagfall.othello.side import Both

Of = TypeVar("Of")
# More than a record will ever have, and exact in a double.
MOST_ENTRIES = 10**15


class ProvenEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry (base64 of its leaf), its place in the tree from 0, and the hashes that lead to the root (base64)."""

    entry: str
    index: Annotated[int, Meta(ge=0, lt=MOST_ENTRIES)]
    path: tuple[str, ...]


class Proof(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a proof file. `file` is the text of the game file; UNSET without one."""

    format: Literal["flagfall-proof/1"]
    game: str
    result: ProvenEntry
    enrolment: ProvenEntry
    checkpoint: str
    file: str | UnsetType = UNSET


class Leaf(msgspec.Struct, frozen=True):
    """The used part of an entry. `body` is the text of its JSON."""

    type: str
    version: int
    tournament: str
    body: str


class RecordedResult(msgspec.Struct, frozen=True):
    """The used part of the body of an entry `result_received`."""

    device: str
    score: tuple[Discs, Discs]
    signature: str
    # What the table signed.
    message: str


class RecordedEnrolment(msgspec.Struct, frozen=True):
    """The used part of the body of an entry `device_enrolled`."""

    device: str
    public_key: HexKey
    by: Literal["device", "api"] | None = None


class SignedResult(msgspec.Struct, frozen=True):
    """The used part of a result's message, which the table has signed."""

    v: Literal[2]
    game: str
    device: str
    tournament: str
    hub: str
    players: Both[str]
    score: Both[Discs]
    winner: str | None
    reason: str
    transcript: str
    signatures: Both[bool]
    sha256: str


class NamedPlayer(msgspec.Struct, frozen=True):
    """A player in the header of a game file."""

    name: str = ""


def read_value(text: str) -> Any:
    """Return the value of a JSON text. Raise ValueError for anything that a browser reads otherwise, or not at all."""
    check_depth(text)
    value = json.loads(text, parse_int=_number, parse_float=_number, parse_constant=_refuse)
    json.dumps(value, ensure_ascii=False).encode()  # UnicodeEncodeError for half of a surrogate pair
    return value


def read_part(field: str, text: str, kind: type[Of]) -> Of:
    """Return the value of a JSON text as this kind; Invalid names the field."""
    try:
        return msgspec.convert(read_value(text), kind)
    except ValueError as bad:  # msgspec's and json's errors are ValueErrors
        raise Invalid(field, "the JSON of this part of a proof", str(bad)[:200]) from None


def _number(digits: str) -> int | float:
    number = float(digits)
    return int(number) if number.is_integer() else number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
