"""The enrolment of a new device with a one-time code, which a person types or a stick or a card carries.

The code is 80 random bits. The network carries a digest of it, the device's public key and the hub's package, both
sealed with the code (ChaCha20-Poly1305 under a key that HKDF derives from it, RFC 8439 and 5869): eavesdroppers learn
nothing, and nobody can put a key of their own in place of either. Each side names the version of its `SEAL`, and
refuses another with a line that says what to do.
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

from flagfall.base.convert import plain_figures
from flagfall.base.errors import Invalid
from flagfall.link.identity import HexKey, checked_device
from flagfall.link.keys import KEY_EXPECTED, is_public_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

CODE_EXPECTED = "16 letters and digits, as in K7QD-3MR9-0XTA-5WNE"
_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ALIKE = str.maketrans({"O": "0", "I": "1", "L": "1"})
_CODE_LENGTH = 16
_FORMAT: Literal["flagfall-enrolment/2"] = "flagfall-enrolment/2"
_STICK: Literal["flagfall-stick/1"] = "flagfall-stick/1"
SEAL = 3
# What a sealed text is: one cannot pass for the other.
_KEY, _PACKAGE = b"key", b"package"
OTHER_SEAL = "table and hub seal enrolments differently: install the same version on both"
_NONCE_BYTES = 12
LARGEST_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Package:
    """The contents for a device: its name, its password at the broker, the hub's public key, the broker's address, its
    certificate (`flagfall.link.tls` file name -> text; empty for the hub's own broker), and settings of its
    configuration."""

    device: str
    token: str = field(repr=False)
    hub: bytes
    broker_host: str
    broker_port: int
    tls: Mapping[str, str] = field(default_factory=dict, repr=False)
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)


def new_code(length: int = _CODE_LENGTH) -> str:
    """Return a code of five random bits a letter, in groups of four for typing."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(length))
    return "-".join(letters[at : at + 4] for at in range(0, length, 4))


def plain_code(text: str) -> str:
    """Return the letters of a code as typed. Small and full-width letters, blanks, hyphens, and letters that look like
    digits make no difference."""
    return "".join(plain_figures(text).upper().split()).replace("-", "").translate(_ALIKE)


def read_code(text: str) -> str:
    """Return the letters of an enrolment's code. Invalid if it is none."""
    code = plain_code(text)
    if len(code) != _CODE_LENGTH or any(letter not in _LETTERS for letter in code):
        raise Invalid("code", CODE_EXPECTED)
    return code


def digest(code: str) -> str:
    """Return the digest of a code that a device shows to get its package. It reveals nothing of the code."""
    return hmac.new(read_code(code).encode(), b"flagfall/1/enrolment/digest", hashlib.sha256).hexdigest()


def seal_key(code: str, public: bytes) -> bytes:
    """Return a device's public key, sealed with this code."""
    return _seal(code, public, _KEY)


def unseal_key(code: str, sealed: bytes) -> bytes:
    """Return the public key sealed with this code; Invalid if it was sealed otherwise."""
    public = _unseal(code, sealed, _KEY)
    if not is_public_key(public):
        raise Invalid("enrolment", KEY_EXPECTED)
    return public


def seal(code: str, package: Package) -> bytes:
    """Return the package, sealed with this code."""
    return _seal(code, encode(package), _PACKAGE)


def unseal(code: str, sealed: bytes) -> Package:
    """Return the package sealed with this code; Invalid if it was sealed otherwise."""
    return decode(_unseal(code, sealed, _PACKAGE))


def _seal(code: str, content: bytes, kind: bytes) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + _cipher(code).encrypt(nonce, content, kind)


def _unseal(code: str, sealed: bytes, kind: bytes) -> bytes:
    from cryptography.exceptions import InvalidTag

    try:
        return _cipher(code).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], kind)
    except (InvalidTag, ValueError):
        raise Invalid("enrolment", "an answer sealed with this code") from None


class Stick(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a stick, for one table: the code that makes it `device`, the address at which it finds the hub, and the
    wireless network in which it does, if there is one."""

    format: Literal["flagfall-stick/1"] = _STICK
    device: str
    code: str
    hub: Annotated[str, Meta(min_length=1, max_length=300)]
    network: Annotated[str, Meta(max_length=32)] = ""
    network_password: Annotated[str, Meta(max_length=63)] = ""


def read_stick(content: bytes) -> Stick:
    """Return the file of a stick; Invalid for anything else."""
    if len(content) > LARGEST_BYTES:
        raise Invalid("", f"{LARGEST_BYTES} bytes at most")
    try:
        file = msgspec.json.decode(content, type=Stick)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as bad:
        raise Invalid("", f"JSON of the format {_STICK}: {bad}") from None
    read_code(file.code)
    return file


class _File(msgspec.Struct, kw_only=True):
    format: Literal["flagfall-enrolment/2"]
    device: str
    token: Annotated[str, Meta(min_length=1)]
    hub: HexKey
    broker_host: Annotated[str, Meta(min_length=1)]
    broker_port: Annotated[int, Meta(ge=1, le=65_535)]
    tls: dict[str, str] = msgspec.field(default_factory=dict)
    settings: dict[str, str] = msgspec.field(default_factory=dict)


def encode(package: Package) -> bytes:
    """Return the package as JSON."""
    file = _File(
        format=_FORMAT,
        device=package.device,
        token=package.token,
        hub=package.hub.hex(),
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
        device = checked_device(file.device)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, Invalid) as bad:
        raise Invalid("", f"JSON of the format {_FORMAT}: {bad}") from None
    if not file.broker_host.isprintable():
        raise Invalid("broker_host", "a host name")
    hub = bytes.fromhex(file.hub)
    if not is_public_key(hub):
        raise Invalid("hub", KEY_EXPECTED)
    return Package(
        device, file.token, hub, file.broker_host, file.broker_port, tls=file.tls, settings=file.settings
    )


def _cipher(code: str) -> ChaCha20Poly1305:
    """Return the cipher of a code. Its library is imported only for an enrolment: it takes 8 MB."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    kdf = HKDF(SHA256(), 32, salt=None, info=b"flagfall/3/enrolment/seal")
    return ChaCha20Poly1305(kdf.derive(read_code(code).encode()))
