"""The topics of MQTT version 1: `flagfall/1/<tournament>/table/<device>/<kind>`.

`-` in the place of the tournament means that the device is assigned to none.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

LONGEST_ID = 64
_NO_TOURNAMENT = "-"


class Arrival(NamedTuple):
    """A message as it arrived: untrusted bytes. `retained`: the broker had kept it, it may be old."""

    topic: str
    payload: bytes
    retained: bool = False


class Kind(StrEnum):
    """The kinds of topics; `flagfall.link.messages` has one message for each."""

    STATUS = "status"
    ASSIGNMENT = "assignment"
    CLOCK = "clock"
    MOVE = "move"
    CALL = "call"
    RESULT = "result"
    RECEIPT = "receipt"
    RULING = "ruling"
    UPDATE = "update"


FROM_TABLE = frozenset({Kind.STATUS, Kind.CLOCK, Kind.MOVE, Kind.CALL, Kind.RESULT})
FROM_HUB = frozenset({Kind.ASSIGNMENT, Kind.RECEIPT, Kind.RULING, Kind.UPDATE})
RETAINED = frozenset({Kind.STATUS, Kind.ASSIGNMENT, Kind.CLOCK, Kind.CALL, Kind.UPDATE})
QOS_0 = frozenset({Kind.CLOCK})


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of the contract. `tournament` is None for `-`. ValueError for an id that cannot be part of a topic."""

    tournament: str | None
    device: str
    kind: Kind

    def __post_init__(self) -> None:
        for name, value in (("tournament", self.tournament), ("device", self.device)):
            if value is not None and not is_id(value):
                raise ValueError(f"{name}: expected {ID_EXPECTED}, got {value!r:.80}")

    def __str__(self) -> str:
        return f"flagfall/1/{self.tournament or _NO_TOURNAMENT}/table/{self.device}/{self.kind}"

    @property
    def retained(self) -> bool:
        return self.kind in RETAINED

    @property
    def qos(self) -> int:
        return 0 if self.kind in QOS_0 else 1


_SEPARATORS = frozenset("/+#")
ID_EXPECTED = f"1 to {LONGEST_ID} printable characters without / + #, and not - . or .."


def is_id(text: str) -> bool:
    """Return True if `text` can name a device or a tournament (and so a part of a topic)."""
    return (
        0 < len(text) <= LONGEST_ID
        and text not in (_NO_TOURNAMENT, ".", "..")
        and text.isprintable()
        and _SEPARATORS.isdisjoint(text)
    )


def parse(text: str) -> Topic | None:
    """Return the topic in `text`, or None if it is not one of the contract."""
    return _parsed(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=16_384)  # the same few topics of each table come again and again
def _parsed(text: str) -> Topic | None:
    match text.split("/"):
        case ["flagfall", "1", tournament, "table", device, kind] if kind in _KINDS and is_id(device):
            if tournament == _NO_TOURNAMENT:
                return Topic(None, device, Kind(kind))
            if is_id(tournament):
                return Topic(tournament, device, Kind(kind))
    return None


_KINDS = frozenset(kind.value for kind in Kind)
_LONGEST = len("flagfall/1//table//") + 2 * LONGEST_ID + max(map(len, _KINDS))


def device_filter(device: str) -> str:
    """Return a device's subscription: all of its own topics, in any tournament."""
    if not is_id(device):
        raise ValueError(f"device: expected {ID_EXPECTED}, got {device!r:.80}")
    return f"flagfall/1/+/table/{device}/#"


def hub_filters() -> tuple[str, ...]:
    """Return the hub's subscriptions: everything that tables send."""
    return tuple(f"flagfall/1/+/table/+/{kind}" for kind in sorted(FROM_TABLE))
