"""Cosignatures of witnesses under the head of a record (https://c2sp.org/tlog-cosignature, the type of Ed25519).

A witness signs the text of the head and a time of day. The time is a label: nothing here decides by it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from flagfall.base.errors import Invalid
from flagfall.link.keys import SIGNATURE_BYTES, is_signed, public_key, signature_of
from flagfall.link.signed_note import COSIGNS, NoteSignature, VerifierKey, split_note

_TIME_BYTES = 8
_LATEST_S = 2**63 - 1


def cosignature(text: str, name: str, key: bytes, time_s: int) -> str:
    """Return the line with which a witness cosigns the head that has this text, at this POSIX time."""
    witness = VerifierKey(name, public_key(key), COSIGNS)
    signature = signature_of(_message(text, time_s), key)
    return witness.line(time_s.to_bytes(_TIME_BYTES) + signature)


def cosigners(note: str, witnesses: Collection[VerifierKey]) -> tuple[VerifierKey, ...]:
    """Return those of the witnesses that have cosigned the head in `note`, in their order; other signatures are
    ignored. Invalid if a line of one of them is not its cosignature of this head."""
    text, signatures = split_note(note)
    return cosigners_of(text, signatures, witnesses)


def cosigners_of(
    text: str, signatures: Iterable[NoteSignature], witnesses: Collection[VerifierKey]
) -> tuple[VerifierKey, ...]:
    """Return those of the witnesses that have cosigned the head with this text, as `cosigners` does."""
    found = set()
    for signature in signatures:
        for witness in witnesses:
            if signature.is_of(witness):
                if not _is_cosigned(text, signature.content, witness):
                    raise Invalid(
                        "checkpoint", f"the cosignature of {witness.name}, this one is not of this head"
                    )
                found.add(witness)
    return tuple(witness for witness in witnesses if witness in found)


def _is_cosigned(text: str, content: bytes, witness: VerifierKey) -> bool:
    time_s = int.from_bytes(content[:_TIME_BYTES])
    if len(content) != _TIME_BYTES + SIGNATURE_BYTES or not 0 < time_s <= _LATEST_S:
        return False
    return is_signed(_message(text, time_s), content[_TIME_BYTES:], witness.public)


def _message(text: str, time_s: int) -> bytes:
    return f"cosignature/v1\ntime {time_s}\n{text}".encode()
