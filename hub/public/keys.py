"""The keys of the tables as the public sees them: short fingerprints, to compare with those of a proof."""

from __future__ import annotations

import msgspec

from flagfall.link.keys import fingerprint
from hub.record.state import TournamentState


class TableKey(msgspec.Struct, frozen=True):
    """A table's device and the fingerprint of the key with which it signs results."""

    table: int
    device: str
    key: str


def key_of_table(state: TournamentState, device: str | None) -> str:
    """Return the fingerprint of a device's key, "" for none whose key is in the event's record."""
    public = state.enrolled.get(device or "")
    return fingerprint(bytes.fromhex(public)) if public is not None else ""


def keys_of_tables(state: TournamentState) -> tuple[TableKey, ...]:
    """Return the keys of the tables whose devices have one in the event's record, by table."""
    seats = sorted(state.seats.items())
    return tuple(
        TableKey(seat, device, key) for seat, device in seats if (key := key_of_table(state, device))
    )
