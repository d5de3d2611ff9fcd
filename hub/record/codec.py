"""Entries of the ledger and what they hold: `draft` writes a happening as an entry, and `happening` reads it, in
whatever version it was written.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import fields as fields_of

from flagfall.ledger.entry import Entry, EntryDraft, canonical
from flagfall.ledger.store import entry_error
from flagfall.ledger.versions import Lift, SchemaVersions
from hub.record.acts.act import Act
from hub.record.acts.table import ACTS
from hub.record.events import GameFileReceived, PairingPublished, ResultJudged, ResultReceived
from hub.record.happening import Happening

ALL: tuple[type[Happening], ...] = (*ACTS, *(kind for kind in Happening.__subclasses__() if kind is not Act))
UNDOABLE = frozenset(kind.TYPE for kind in ALL if kind.CAN_BE_UNDONE)


_BY_TYPE = {kind.TYPE: kind for kind in ALL}
# The values of fields that came later (`Happening.LATER`) in a body that has none of them.
_DEFAULTS = {
    kind: [(field.name, field.default) for field in fields_of(kind) if field.name in kind.LATER]
    for kind in ALL
}
_DECODERS = {kind.TYPE: msgspec.json.Decoder(kind) for kind in ALL}


def _as_lines(name: str) -> Lift:
    """Return a lift of the field `name`: texts that older versions stored as plain English become `Text` objects."""

    def lift(body: dict[str, Any]) -> dict[str, Any]:
        texts = body.get(name)
        return {**body, name: [{"text": text} for text in texts]} if isinstance(texts, list) else body

    return lift


def _as_it_is(body: dict[str, Any]) -> dict[str, Any]:
    return body


_VERSIONS = SchemaVersions(
    present={kind.TYPE: kind.VERSION + bool(kind.MUST_KNOW) for kind in ALL},
    lifts={
        **{(kind.TYPE, kind.VERSION): _as_it_is for kind in ALL if kind.MUST_KNOW},
        (PairingPublished.TYPE, 1): _as_lines("warnings"),
        (ResultJudged.TYPE, 1): _as_lines("differences"),
        (ResultReceived.TYPE, 1): _as_it_is,
    },
)


def result_entry_id(result: str) -> str:
    """Return the id of the ledger's entry of a result, from the result's own id GAME.REVISION."""
    return f"result.{result}"


def file_entry_id(result: str) -> str:
    """Return the id of the ledger's entry of a result's game file."""
    return f"{result_entry_id(result)}.1"


def draft(happening: Happening, entry_id: str, tournament: str, who: str, at: str) -> EntryDraft:
    """Return the draft of a happening's entry. `at` is a label (ISO 8601), `who` the operator or the device."""
    if isinstance(happening, ResultReceived | GameFileReceived):
        # The same bytes as below, seven times as fast: the structs hold only texts and whole numbers.
        body = msgspec.json.encode(happening, order="sorted")
    else:
        fields = msgspec.to_builtins(happening, str_keys=True)
        absent = _DEFAULTS[type(happening)]
        body = canonical({name: value for name, value in fields.items() if (name, value) not in absent})
    version = happening.VERSION + any(_says(happening, path) for path in happening.MUST_KNOW)
    return EntryDraft(entry_id, happening.TYPE, version, at=at, who=who, tournament=tournament, body=body)


def _says(value: msgspec.Struct, path: str) -> bool:
    """Return True if the field of this path is there and is not its default."""
    name, _, rest = path.partition(".")
    default = {field.name: field.default for field in fields_of(value)}
    if rest:
        return _says(getattr(value, name), rest)
    return name in default and getattr(value, name) != default[name]


def happening(entry: Entry) -> Happening:
    """Return the happening in an entry. Raise LedgerError if it is of a newer version of the program or cannot be
    decoded."""
    try:
        kind = _BY_TYPE.get(entry.type)
        if kind is not None and kind.VERSION <= entry.version <= _VERSIONS.present[entry.type]:
            return _DECODERS[entry.type].decode(entry.body)
        body = _VERSIONS.body(entry)
        return msgspec.convert(body, _BY_TYPE[entry.type], strict=True, str_keys=True)
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        raise entry_error(entry.tournament, entry.id, f"({entry.type}): {fault}") from None
