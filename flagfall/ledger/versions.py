"""The upgrade of old forms of an entry's body when reading; newer ones are refused, as a whole.

A program that finds an unknown type or version opens the ledger read-only and says so in one line: half a tournament
would be a wrong tournament. It stands apart from its one reader, the hub's codec, because it knows no kind of entry.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flagfall.ledger.entry import Entry
from flagfall.ledger.store import entry_error

# Makes the body of the next version from the body of one version.
Lift = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class SchemaVersions:
    """The versions that a program knows: the present one of each type, and an upgrade from each earlier one."""

    present: Mapping[str, int]
    # `lifts[(type, version)]` leads from `version` to `version + 1`.
    lifts: Mapping[tuple[str, int], Lift]

    def __post_init__(self) -> None:
        for kind, present in self.present.items():
            for version in range(1, present):
                if (kind, version) not in self.lifts:
                    raise ValueError(f"no way up from version {version} of {kind}")

    def body(self, entry: Entry) -> dict[str, Any]:
        """Return the body in its present form; LedgerError if it is newer than this program, or no JSON object."""
        self._check(entry)
        try:
            value = json.loads(entry.body)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise entry_error(entry.tournament, entry.id, "is not a JSON object")
        body: dict[str, Any] = value
        for version in range(entry.version, self.present[entry.type]):
            body = self.lifts[(entry.type, version)](body)
        return body

    def _check(self, entry: Entry) -> None:
        present = self.present.get(entry.type)
        if present is None:
            version, known = f"type {entry.type}", "does not know it"
        elif not 1 <= entry.version <= present:
            version, known = f"version {entry.version} of type {entry.type}", f"knows up to {present}"
        else:
            return
        why = f"is of {version}, this program {known}: opened read-only"
        raise entry_error(entry.tournament, entry.id, why)
