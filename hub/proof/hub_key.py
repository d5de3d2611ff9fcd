"""The hub's key pair, in `hub-key` of the state directory (mode 0600), and the heads of the record that it signs."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from flagfall.base.errors import Failed, Invalid
from flagfall.base.private_file import is_exposed, write_private
from flagfall.ledger.entry import leaf
from flagfall.ledger.merkle import Tree, leaf_hash
from flagfall.ledger.store import Ledger
from flagfall.link.keys import KEY_BYTES, new_key, public_key
from flagfall.link.signed_note import Checkpoint, VerifierKey, is_name, sign_note

FILE_NAME = "hub-key"
_FORMAT: Literal["flagfall-hub-key/1"] = "flagfall-hub-key/1"
_FAMILY = "flagfall/"


@dataclass(frozen=True, slots=True)
class HubKey:
    """The hub's name among others, and its private key."""

    name: str
    key: bytes = field(repr=False)

    @property
    def public(self) -> bytes:
        return public_key(self.key)

    @property
    def verifier(self) -> VerifierKey:
        """The public key as others check notes with it."""
        return VerifierKey(_FAMILY + self.name, self.public)

    def verifier_of(self, tournament: str) -> VerifierKey:
        """Return the same key under the name of an event's record, by which witnesses and policies know it."""
        return VerifierKey(self.origin(tournament), self.public)

    def origin(self, tournament: str) -> str:
        """Return the name of an event's record."""
        return f"{_FAMILY}{self.name}/{tournament}"

    def checkpoint(self, tournament: str, tree: Tree, *, short: bool = False) -> str:
        """Return the signed head of an event's record: signed under the hub's name, and under the record's if it is not
        to be `short`."""
        head = Checkpoint(self.origin(tournament), len(tree.hashes), tree.root)
        other_names = (head.origin,) if is_name(head.origin) and not short else ()
        return sign_note(head.text, _FAMILY + self.name, self.key, *other_names)


class _File(msgspec.Struct, kw_only=True):
    format: Literal["flagfall-hub-key/1"]
    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,64}\Z")]
    key: Annotated[str, Meta(pattern=rf"^[0-9a-f]{{{2 * KEY_BYTES}}}\Z")]


def hub_key(folder: Path) -> HubKey:
    """Return the key in `folder`, made now if there is none. Failed if it cannot be read or written, Invalid if it is
    damaged."""
    file = folder / FILE_NAME
    try:
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            new = _File(format=_FORMAT, name=_machine(), key=new_key().hex())
            write_private(file, msgspec.json.encode(new))
        if is_exposed(file):
            raise Failed(f"{file}: others can read this key, expected mode 0600 (chmod 600)")
        kept = msgspec.json.decode(file.read_bytes(), type=_File)
    except OSError as failure:
        raise Failed(f"{file}: {failure.strerror}") from failure
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as bad:
        raise Invalid("", f"{_FORMAT}: {bad}", source=str(file)) from None
    return HubKey(kept.name, bytes.fromhex(kept.key))


def tree_of(ledger: Ledger, event: str) -> Tree:
    """Return the Merkle tree over an event's entries, which has no leaves where there is no such event."""
    tree = Tree()
    for entry in ledger.read(event):
        tree.add(leaf_hash(leaf(entry)))
    return tree


def _machine() -> str:
    """Return this machine's name as far as a note can hold it."""
    return re.sub(r"[^A-Za-z0-9._-]", "", socket.gethostname())[:64] or "hub"
