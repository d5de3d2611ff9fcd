"""The heads of the record, signed by the hub and kept outside the ledger file.

A chain shows a changed entry, but neither entries cut from its end nor a chain made anew. So the hub remembers, for
each tournament, how many entries the chain had and its last hash. At the start every remembered head must still be in
the chain (`missing`); otherwise the hub does not start. Tables remember heads too (`hub.tables.outbound`), backups name
them (`hub.cli.backup`), and a printed one can be looked up (`flagfall-hub verify --head`).
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from flagfall.base.errors import Failed
from flagfall.base.private_file import write_private
from flagfall.ledger.entry import canonical
from flagfall.ledger.store import Broken

HEADS = "heads.json"
KEY = "record-key"
_FORMAT = "flagfall-heads/1"
_DOMAIN = b"flagfall-heads/1\n"
_KEY_BYTES = 32
LARGEST_BYTES = 4 << 20


class Head(msgspec.Struct, frozen=True):
    """The last hash of a chain with this many entries."""

    entries: Annotated[int, msgspec.Meta(ge=1)]
    head: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class _File(msgspec.Struct, frozen=True):
    format: str
    heads: dict[str, Head]
    signature: str


class Gap(msgspec.Struct, frozen=True):
    """A remembered head that the chain does not contain."""

    tournament: str
    # The number of entries in the chain, 0 if there is no chain.
    entries: int
    remembered: Head

    def __str__(self) -> str:
        return (
            f"tournament {self.tournament}: {self.entries} entries, expected a record with the head"
            f" {self.remembered.head[:12]} at entry {self.remembered.entries}"
        )


WAY_ON = (
    "put the ledger back, or `flagfall-hub restore --aside FILE` with the newest backup, or go on with what is"
    " there: `flagfall-hub restore --as-it-is`"
)


RESTORE = (
    "restore the newest backup (`flagfall-hub restore --aside FILE`); the tables send again what it lacks"
)


def broken_chain(tournament: str, broken: Broken) -> str:
    """Return one line about a chain that does not hold together."""
    named = f" ({broken.id})" if broken.id else ""
    return f"ledger {tournament}: entry {broken.position}{named} {broken.why}: {RESTORE}"


class SignedHeads:
    """The file `heads.json` in `folder`, signed with the key in `record-key` beside it (both mode 0600)."""

    def __init__(self, folder: Path) -> None:
        """Raise Failed for a file that is damaged, missing though the key is there, or not signed with the key."""
        self._path, self._key_path = folder / HEADS, folder / KEY
        self._key, self.remembered = self._read()

    @classmethod
    def anew(cls, folder: Path) -> SignedHeads:
        """Return heads that were never signed, whatever lies in `folder`: the next ones get a new key."""
        signed = cls.__new__(cls)
        signed._path, signed._key_path = folder / HEADS, folder / KEY
        signed._key, signed.remembered = None, {}
        return signed

    @property
    def first_time(self) -> bool:
        """Return True if nothing was ever signed here: the hub is new."""
        return self._key is None

    def remember(self, heads: Mapping[str, Head]) -> None:
        """Sign these heads in place of the last ones; they are on disk when this returns. Raise OSError if that
        fails."""
        if self._key is not None and heads == self.remembered:
            return
        key = self._key or secrets.token_bytes(_KEY_BYTES)
        plain = {name: msgspec.to_builtins(head) for name, head in heads.items()}
        content = {"format": _FORMAT, "heads": plain, "signature": _signature(plain, key)}
        write_private(self._path, canonical(content))
        if self._key is None:
            # The key comes last: heads without a key are as good as none.
            write_private(self._key_path, key.hex().encode())
        self._key, self.remembered = key, dict(heads)

    def _read(self) -> tuple[bytes | None, dict[str, Head]]:
        try:
            key = bytes.fromhex(self._key_path.read_text("ascii").strip())
        except FileNotFoundError:
            return None, {}
        except (OSError, ValueError):
            key = b""
        if len(key) != _KEY_BYTES:
            raise Failed(f"{self._key_path}: expected {2 * _KEY_BYTES} hex digits: {WAY_ON}")
        try:
            if self._path.stat().st_size > LARGEST_BYTES:
                raise ValueError
            content = self._path.read_bytes()
            file = msgspec.json.decode(content, type=_File)
            plain = msgspec.json.decode(content, type=dict[str, Any])["heads"]
            signed = hmac.compare_digest(file.signature, _signature(plain, key))
        except FileNotFoundError:
            raise Failed(f"{self._path}: expected the heads that this hub signed: {WAY_ON}") from None
        except (OSError, ValueError, RecursionError):
            signed = False
        if not signed:
            raise Failed(f"{self._path}: expected heads signed with {self._key_path.name}: {WAY_ON}")
        return key, file.heads


def replace_heads(folder: Path, heads: Mapping[str, Head]) -> None:
    """Sign these heads in place of whatever is remembered there, trusted or not. Raise OSError if it cannot be.

    The file of the heads changes in one step. If the key was damaged too, the hub does not start between the two.
    """
    try:
        signed = SignedHeads(folder)
    except Failed:
        signed = SignedHeads.anew(folder)
    signed.remember(heads)


def expect_ledger(ledger: Path | str, devices: int, devices_told: bool, heads: SignedHeads) -> None:
    """Raise Failed if the ledger's file is missing or empty though the hub is not new.

    A hub is not new if it remembers a record, or has devices of an earlier start: `devices_told` says that one of them
    was ever sent something. Devices may be enrolled before the hub's first start, by `flagfall-hub cards` or `enrol`:
    there is no ledger yet.
    """
    known = devices and (devices_told or not heads.first_time)
    if isinstance(ledger, str) or not (known or heads.remembered):
        return
    if not ledger.exists() or ledger.stat().st_size == 0:
        raise Failed(
            f"{ledger}: expected the ledger of a hub with {devices} devices, there is none: {WAY_ON}"
        )


def missing(remembered: Mapping[str, Head], chains: Mapping[str, Mapping[str, int]]) -> Iterable[Gap]:
    """Yield a gap for each remembered head that no chain has at its place.

    `chains` has the position of each hash, by tournament.
    """
    for tournament, head in sorted(remembered.items()):
        chain = chains.get(tournament, {})
        if chain.get(head.head) != head.entries:
            yield Gap(tournament, len(chain), head)


def _signature(heads: Mapping[str, Any], key: bytes) -> str:
    return hmac.digest(key, _DOMAIN + canonical(heads), "sha256").hex()
