"""The key with which a table claims a code: durable before the hub hears of it, so that a table which lost the answer,
or its power, asks again with the same key and gets the same answer."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from flagfall.base.errors import Failed, Invalid
from flagfall.base.private_file import write_private
from flagfall.link import identity as identities
from flagfall.link.enrolment import digest
from flagfall.link.identity import HexKey, Identity
from flagfall.link.keys import KEY_BYTES, new_key, public_key

FILE_NAME = "claim"


class _File(msgspec.Struct, kw_only=True):
    format: Literal["flagfall-claim/1"] = "flagfall-claim/1"
    # The private key; "" once it stands in the identity.
    key: Annotated[str, Meta(pattern=rf"^(?:[0-9a-f]{{{2 * KEY_BYTES}}})?\Z")]
    public: HexKey
    # The digest of the code that it was shown with last.
    code: str


@dataclass(slots=True)
class ClaimKey:
    """The private key of an enrolment, until it is part of the identity beside it."""

    path: Path
    key: bytes = field(repr=False)
    # The public key that was shown last, and the digest of the code that it was shown with; "" before the first.
    shown: str
    code: str
    # The table's identity; None without one.
    identity: Identity | None

    @property
    def is_enrolled(self) -> bool:
        """Tell whether a hub has enrolled this table."""
        return self.identity is not None and self.identity.device != identities.ALONE

    def has_claimed(self, code: str) -> bool:
        """Return True if the table's identity was made with this code."""
        if self.identity is None or not self.is_enrolled:
            return False
        return (self.identity.public.hex(), digest(code)) == (self.shown, self.code)

    def repeat(self) -> None:
        """Claim with the key of the identity again: the hub may not know it any more."""
        if self.identity is not None:
            self.key = self.identity.key

    def show(self, code: str) -> bytes:
        """Return the public key to be shown with this code, once it is durable. OSError if it cannot be kept."""
        self.shown, self.code = public_key(self.key).hex(), digest(code)
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._write(self.key.hex())
        return bytes.fromhex(self.shown)

    def installed(self) -> None:
        """Keep the private key here no longer: it stands in the identity."""
        self._write("")

    def _write(self, key: str) -> None:
        content = msgspec.json.encode(_File(key=key, public=self.shown, code=self.code))
        folder = self.path.parent.stat()
        # Root enrols, but another user runs the table, and may enrol it too.
        owner = (folder.st_uid, folder.st_gid) if os.geteuid() == 0 else None
        write_private(self.path, content, owner)


def claim_key(state_dir: Path) -> ClaimKey:
    """Return the key for this table's enrolment: that of a claim without an answer; else that which a table without a
    hub has made for itself; else a new one."""
    path = state_dir / FILE_NAME
    try:
        identity = identities.load(state_dir / "identity")
    except (Invalid, Failed):
        identity = None
    try:
        file = msgspec.json.decode(path.read_bytes(), type=_File)
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeError):
        file = _File(key="", public="0" * 2 * KEY_BYTES, code="")
    waits = bytes.fromhex(file.key)
    if identity is not None and identity.device == identities.ALONE:
        key = waits or identity.key
    else:
        # What the identity has already is no key of another enrolment.
        key = waits if identity is None or waits != identity.key else b""
    return ClaimKey(path, key or new_key(), file.public, file.code, identity)
