"""Ledgers that releases have written, and what this program makes of them."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from flagfall.ledger.entry import Entry
from hub.record.codec import draft, happening
from hub.record.fold import states, undone

DATA = Path(__file__).parents[1] / "data"
RELEASES = ("0.2.0", "0.3.1")
# Fields that came since, by their class, with what they are where no entry says anything of them.
SINCE: Mapping[str, Mapping[str, Any]] = {
    "TournamentState": {"photographs": True},
    "Game": {"entered_board": None, "typed_by": "", "tapped": None, "scribe": None},
    "Claim": {"reason": "board", "board": None, "other_board": None},
}
# Fields that came since, by their class, which entries of those releases fill too.
FILLED_SINCE: Mapping[str, frozenset[str]] = {"Game": frozenset({"left_devices"})}


def text_of(name: str) -> str:
    """Return a kept file as a text, which may be packed."""
    packed = DATA / f"{name}.gz"
    return (
        gzip.decompress(packed.read_bytes()).decode() if packed.exists() else (DATA / name).read_text("utf-8")
    )


def chains(release: str) -> dict[str, list[Entry]]:
    """Return the chain of each tournament in the ledger that a release has written."""
    by_tournament: dict[str, list[Entry]] = {}
    for line in text_of(f"ledger-{release}.jsonl").splitlines():
        fields = json.loads(line)
        entry = Entry(**{**fields, "body": fields["body"].encode()})
        by_tournament.setdefault(entry.tournament, []).append(entry)
    return by_tournament


def present_version(kind: str, version: int, body: bytes) -> int:
    """Return the version under which the present hub records what a release has recorded so."""
    entry = Entry("x", kind, version, "", "", "open", body, previous="", hash="")
    return draft(happening(entry), "x", "open", "", "").version


def digests(chain: list[Entry]) -> Iterator[str]:
    """Yield a digest of the state after each entry, without those that were undone."""
    for _, _, state in states(chain, undone(chain)):
        yield hashlib.sha256(json.dumps(plain(state), sort_keys=True).encode()).hexdigest()[:12]


def plain(value: Any) -> Any:
    """Return a value as JSON has it, each set in order, without fields of `SINCE` that say nothing and those of
    `FILLED_SINCE`. Names of classes do not count otherwise."""
    if dataclasses.is_dataclass(value):
        since = SINCE.get(type(value).__name__, {})
        filled = FILLED_SINCE.get(type(value).__name__, frozenset())
        names = [field.name for field in dataclasses.fields(value) if field.name not in filled]
        fields = {name: getattr(value, name) for name in names}
        return {
            name: plain(item) for name, item in fields.items() if name not in since or item != since[name]
        }
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(json.dumps(plain(item)) for item in value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)


if __name__ == "__main__":  # digests of a release that has just been recorded, for `ledger-states.json`
    kept = {r: {event: [*digests(chain)] for event, chain in chains(r).items()} for r in RELEASES}
    print(json.dumps(kept, indent=1))
