"""Signatures of messages: Ed25519 over the kind and the canonical JSON of a message without its signature.

A result is signed without its file too, whose SHA-256 it names: so it can be checked without the file. The payload is
verified as it arrived, not as it was decoded: an older program ignores a newer program's field, but the field was
signed. The kind is signed too, so that a message cannot pass for one of another kind.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, TypeVar

import msgspec

from flagfall.link.keys import is_signed, signature_of
from flagfall.link.messages import SignedMessage
from flagfall.link.topics import Kind

Signed = TypeVar("Signed", bound=SignedMessage)


def sign(message: Signed, key: bytes) -> Signed:
    """Return `message` with its `signature` (base64) by the private `key`."""
    text = _canonical(message.kind, msgspec.structs.asdict(message))
    signature = signature_of(_signed(message.kind, text), key)
    return msgspec.structs.replace(message, signature=base64.b64encode(signature).decode())


def verify(kind: Kind, payload: bytes, public: bytes) -> bool:
    """Return True if `payload`, which `flagfall.link.messages.decode` has accepted, is signed by the holder of
    `public`."""
    try:
        fields = _FIELDS.decode(payload)
        signature, text = fields.get("signature"), _canonical(kind, fields)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return False
    return isinstance(signature, str) and verify_text(kind, text, signature, public)


def signed_text(kind: Kind, payload: bytes) -> bytes:
    """Return what is signed of `payload`, whose signature `verify` has accepted: its canonical JSON."""
    return _canonical(kind, _FIELDS.decode(payload))


def verify_text(kind: Kind, text: bytes, signature: str, public: bytes) -> bool:
    """Return True if the holder of `public` has signed the canonical JSON `text` of a message of this kind."""
    try:
        decoded = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return False
    if base64.b64encode(decoded).decode() != signature:
        return False  # base64 has other forms of the same bytes
    return is_signed(_signed(kind, text), decoded, public)


def _canonical(kind: Kind, fields: dict[str, Any]) -> bytes:
    unsigned = ("signature", "file") if kind is Kind.RESULT else ("signature",)
    return _CANONICAL.encode({name: value for name, value in fields.items() if name not in unsigned})


def _signed(kind: Kind, text: bytes) -> bytes:
    return b"flagfall/2/" + kind.encode() + b"\n" + text


_FIELDS = msgspec.json.Decoder(dict[str, Any])
_CANONICAL = msgspec.json.Encoder(order="sorted")
