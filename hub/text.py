"""The hub's refusals, and how they show a value of a file."""

from __future__ import annotations

import json

import msgspec
from msgspec import UNSET

from othello.errors import FlagfallError, Invalid, one_line
from othello.message import Message

PEOPLE = frozenset(("player", "players", "other", "black", "white", "high", "low"))
"""Places that hold ids of players: a page shows names there."""
_SHOWN = 60
"""Letters of a value of a file that an error line shows."""
NO_PAGE = Message("There is no such page.")


class Refused(FlagfallError, ValueError):
    """A request, or an entry of the ledger, makes no sense where it stands."""


def refused(fault: Invalid, whole: str = "") -> Refused:
    """Return the refusal of a field; `whole` is the name of what was sent, where it is at fault and no field of it."""
    return Refused(msgspec.structs.replace(fault.message, field=fault.message.field or whole or UNSET))


class UnknownGame(Refused):
    """There is no such tournament or game."""


class FormatError(Invalid, Refused):
    """A field, a line or a byte of a file is not as its format has it."""


def quoted(text: str) -> str:
    """Return a text of a list between quotation marks, in its own letters, on one line and of a readable length."""
    return f'"{one_line(text[:_SHOWN])}{"…" if len(text) > _SHOWN else ""}"'


def shown(value: object) -> str:
    """A value of a file for an error line: JSON, plain letters, cut to a readable length."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, bytes):
        value = value[:_SHOWN].decode("latin-1")
    if isinstance(value, str):
        value = value[: _SHOWN + 1]
    text = json.dumps(value, ensure_ascii=True, default=repr)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
