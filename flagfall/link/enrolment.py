"""The enrolment package of a new device: in a file on a stick, or sealed with a one-time code.

The code is 80 random bits, told to a person. The network carries a digest of it, and the package sealed with it
(ChaCha20-Poly1305 under a key that HKDF derives from the code, RFC 8439 and 5869), so eavesdroppers learn nothing. Each
side names the version of its `SEAL`, and refuses another with a line that says what to do.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from flagfall.link.identity import Identity, IdentityFields
from flagfall.othello.errors import Invalid

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

CODE_EXPECTED = "16 letters and digits, as in K7QD-3MR9-0XTA-5WNE"
_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ALIKE = str.maketrans({"O": "0", "I": "1", "L": "1"})
_CODE_LENGTH = 16
_FORMAT: Literal["flagfall-enrolment/1"] = "flagfall-enrolment/1"
SEAL = 2
OTHER_SEAL = "table and hub seal enrolments differently: install the same version on both"
_NONCE_BYTES = 12
LARGEST_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Package:
    """The contents for a device: its identity, the broker's address, its certificate (`flagfall.link.tls` file name
    -> text; empty for the hub's own broker), and settings of its configuration."""

    identity: Identity
    broker_host: str
    broker_port: int
    tls: Mapping[str, str] = field(default_factory=dict, repr=False)
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)


def new_code(length: int = _CODE_LENGTH) -> str:
    """Return a code of five random bits a letter, in groups of four for typing."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(length))
    return "-".join(letters[at : at + 4] for at in range(0, length, 4))


def plain_code(text: str) -> str:
    """Return the letters of a code as typed. Small letters, blanks, hyphens, and letters that look like
    digits make no difference."""
    return "".join(text.upper().split()).replace("-", "").translate(_ALIKE)


def read_code(text: str) -> str:
    """Return the letters of an enrolment's code. Invalid if it is none."""
    code = plain_code(text)
    if len(code) != _CODE_LENGTH or any(letter not in _LETTERS for letter in code):
        raise Invalid("code", CODE_EXPECTED)
    return code


def digest(code: str) -> str:
    """Return the digest of a code that a device shows to get its package. It reveals nothing of the code."""
    return hmac.new(read_code(code).encode(), b"flagfall/1/enrolment/digest", hashlib.sha256).hexdigest()


def seal(code: str, content: bytes) -> bytes:
    """Return `content`, sealed with this code."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + _cipher(code).encrypt(nonce, content, None)


def unseal(code: str, sealed: bytes) -> bytes:
    """Return the content sealed with this code; Invalid if it was sealed otherwise."""
    from cryptography.exceptions import InvalidTag

    try:
        return _cipher(code).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None)
    except (InvalidTag, ValueError):
        raise Invalid("enrolment", "an answer sealed with this code") from None


class _File(IdentityFields, kw_only=True):
    format: Literal["flagfall-enrolment/1"]
    broker_host: Annotated[str, Meta(min_length=1)]
    broker_port: Annotated[int, Meta(ge=1, le=65_535)]
    tls: dict[str, str] = msgspec.field(default_factory=dict)
    settings: dict[str, str] = msgspec.field(default_factory=dict)


def encode(package: Package) -> bytes:
    """Return the package as JSON."""
    file = _File(
        format=_FORMAT,
        device=package.identity.device,
        key=package.identity.key.hex(),
        token=package.identity.token,
        broker_host=package.broker_host,
        broker_port=package.broker_port,
        tls=dict(package.tls),
        settings=dict(package.settings),
    )
    return msgspec.json.format(msgspec.json.encode(file), indent=1)


def decode(content: bytes) -> Package:
    """Return the package in `content`; Invalid for anything else."""
    if len(content) > LARGEST_BYTES:
        raise Invalid("", f"{LARGEST_BYTES} bytes at most")
    try:
        file = msgspec.json.decode(content, type=_File)
        identity = file.identity
    except (msgspec.MsgspecError, UnicodeError, RecursionError, Invalid) as bad:
        raise Invalid("", f"JSON of the format {_FORMAT}: {bad}") from None
    if not file.broker_host.isprintable():
        raise Invalid("broker_host", "a host name")
    return Package(identity, file.broker_host, file.broker_port, file.tls, file.settings)


def _cipher(code: str) -> ChaCha20Poly1305:
    """Return the cipher of a code. Its library is imported only for an enrolment: it takes 8 MB."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    kdf = HKDF(SHA256(), 32, salt=None, info=b"flagfall/2/enrolment/seal")
    return ChaCha20Poly1305(kdf.derive(read_code(code).encode()))
