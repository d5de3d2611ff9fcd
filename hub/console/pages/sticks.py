"""The page of sticks at a hub's card: what opens the backups there, and a version for tables that one has brought."""

from __future__ import annotations

from hub.console.context import Values, Visit
from hub.desk.backup_seal import SHORTEST_PHRASE, is_key, kept_seal
from hub.tables.updates import read_asked


async def sticks_page(visit: Visit) -> Values:
    seal = kept_seal(visit.hub.config.state_dir)
    return {
        "sealed_by": "" if seal is None else "key" if is_key(seal) else "phrase",
        "least": SHORTEST_PHRASE,
        "asked": read_asked(visit.hub.config.state_dir),
        "offered": visit.hub.updates.offered,
    }
