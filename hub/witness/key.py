"""The key pair of a witness, in `witness-key` of its state directory (mode 0600)."""

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
from flagfall.link.cosignature import cosignature
from flagfall.link.keys import KEY_BYTES, new_key, public_key
from flagfall.link.signed_note import COSIGNS, VerifierKey

FILE_NAME = "witness-key"
_FORMAT: Literal["flagfall-witness-key/1"] = "flagfall-witness-key/1"
_FAMILY = "flagfall-witness/"
# Characters of a name in a note: no blank and no plus.
_NAME = r"^[!-*,-~]{1,100}\Z"


@dataclass(frozen=True, slots=True)
class WitnessKey:
    """The name of a witness, and its private key."""

    name: str
    key: bytes = field(repr=False)

    @property
    def verifier(self) -> VerifierKey:
        """The public key as others check cosignatures with it."""
        return VerifierKey(self.name, public_key(self.key), COSIGNS)

    def cosign(self, text: str, time_s: int) -> str:
        """Return the line of the cosignature under the head with this text."""
        return cosignature(text, self.name, self.key, time_s)


class _File(msgspec.Struct, kw_only=True):
    format: Literal["flagfall-witness-key/1"]
    name: Annotated[str, Meta(pattern=_NAME)]
    key: Annotated[str, Meta(pattern=rf"^[0-9a-f]{{{2 * KEY_BYTES}}}\Z")]


def witness_key(folder: Path, name: str | None = None) -> WitnessKey:
    """Return the key in `folder`, made now with this name if there is none. Invalid if it is damaged or has another
    name, Failed if it cannot be read or written."""
    if name is not None and not re.match(_NAME, name):
        raise Invalid(
            "--name", "a name without blanks and plus, such as witness.example.org", repr(name[:80])
        )
    file = folder / FILE_NAME
    try:
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            new = _File(format=_FORMAT, name=name or _FAMILY + _machine(), key=new_key().hex())
            write_private(file, msgspec.json.encode(new))
        if is_exposed(file):
            raise Failed(f"{file}: others can read this key, expected mode 0600 (chmod 600)")
        kept = msgspec.json.decode(file.read_bytes(), type=_File)
    except OSError as failure:
        raise Failed(f"{file}: {failure.strerror}") from failure
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as bad:
        raise Invalid("", f"{_FORMAT}: {bad}", source=str(file)) from None
    if name not in (None, kept.name):
        raise Invalid("--name", f"{kept.name}, which this witness already has", repr(name))
    return WitnessKey(kept.name, bytes.fromhex(kept.key))


def _machine() -> str:
    """Return this machine's name as far as a note can hold it."""
    return re.sub(r"[^A-Za-z0-9._-]", "", socket.gethostname())[:64] or "witness"
