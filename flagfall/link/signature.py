"""HMAC-SHA256 with the device's key, over the canonical JSON of a message without its signature.

The payload is verified as it arrived, not as it was decoded: an older program ignores a newer program's field, but the
field was signed. The kind is signed too, so that a message cannot pass for one of another kind.
"""

from __future__ import annotations

import hmac
from typing import Any, TypeVar

import msgspec

from flagfall.link.messages import Assignment, Receipt, Result, RulingMessage, Status, Update
from flagfall.link.topics import Kind

Signed = TypeVar("Signed", bound=Assignment | Receipt | Result | RulingMessage | Status | Update)


def sign(message: Signed, key: bytes) -> Signed:
    """Return `message` with its `signature` (64 hex digits) filled in."""
    fields = msgspec.structs.asdict(message)
    del fields["signature"]
    return msgspec.structs.replace(message, signature=_seal(message.kind, fields, key))


def verify(kind: Kind, payload: bytes, key: bytes) -> bool:
    """Return True if `payload`, which `flagfall.link.messages.decode` has accepted, carries the signature of `key`."""
    try:
        fields = _FIELDS.decode(payload)
        claimed = fields.pop("signature", None)
        return isinstance(claimed, str) and hmac.compare_digest(
            claimed.encode(), _seal(kind, fields, key).encode()
        )
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return False


def _seal(kind: Kind, unsigned: dict[str, Any], key: bytes) -> str:
    canonical = _CANONICAL.encode(unsigned)
    return hmac.digest(key, b"flagfall/1/" + kind.encode() + b"\n" + canonical, "sha256").hex()


_FIELDS = msgspec.json.Decoder(dict[str, Any])
_CANONICAL = msgspec.json.Encoder(order="sorted")
