"""The choice of the store for a ledger's address: a Redis server or cluster, or else a file."""

from __future__ import annotations

from pathlib import Path

from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import Ledger, StoreFailed

ADDRESSES = ("redis://", "rediss://", "unix://", "redis-cluster://")


def open_ledger(place: str | Path, read_only: bool = False) -> Ledger:
    """Return the ledger at `place`. Raise StoreFailed (one line) if it cannot be opened."""
    text = str(place)
    if not isinstance(place, str) or not text.startswith(ADDRESSES):
        return SqliteLedger(Path(place), read_only)
    try:
        from flagfall.ledger.redis import RedisLedger
    except ModuleNotFoundError:
        scheme = text.partition(":")[0]
        raise StoreFailed(f"ledger: {scheme}:// needs the package redis (the extra [redis])") from None
    return RedisLedger.at(text, read_only)
