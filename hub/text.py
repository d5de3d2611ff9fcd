"""The hub's refusals, and how they show a value of a file."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from flagfall.base.errors import LONGEST_SHOWN, FlagfallError, Invalid, one_line
from flagfall.base.message import Message

# Places that hold ids of players: a page shows names there.
PEOPLE = frozenset(("player", "players", "other", "black", "white", "high", "low"))
NO_PAGE = Message("There is no such page.")


class Refused(FlagfallError, ValueError):
    """A refusal: a request, or an entry of the ledger, makes no sense where it stands."""


def refused(fault: Invalid, whole: str = "") -> Refused:
    """Return the refusal of a field; `whole` is the name of what was sent, where it is at fault and no field of it."""
    return Refused(msgspec.structs.replace(fault.message, field=fault.message.field or whole or UNSET))


class Stale(Refused):
    """The shown state has changed: by somebody else, or by a result."""


class AlreadyDone(Refused):
    """A refusal because somebody has done the same: nothing is left to be recorded."""


class UnknownGame(Refused):
    """A refusal because there is no such tournament or game."""


class FormatError(Invalid, Refused):
    """A field, a line or a byte of a file is not as its format has it."""


def quoted(text: str) -> str:
    """Return a text of a list between quotation marks, in its own letters, on one line and of a readable length."""
    return f'"{one_line(text[:LONGEST_SHOWN])}{"…" if len(text) > LONGEST_SHOWN else ""}"'
