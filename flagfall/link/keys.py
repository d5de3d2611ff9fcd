"""Key pairs of devices and hubs (Ed25519, RFC 8032): each key is 32 bytes, the private one its seed.

Libraries and browsers differ in what they take: under a key of small order one signature fits nearly every message,
and a signature whose S is written otherwise is another one of the same message. Both our verifiers (this one and
`hub/web/static/verify.js`) refuse these before the library is asked: a key or an R that is not in its one encoding or
is of small order, and an S that is not below the order of the group. The library then compares R byte by byte, without
the cofactor, as those of browsers do.

The library is imported at the first use: a command that signs nothing does not wait for it.
"""

from __future__ import annotations

import hashlib
import secrets
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_BYTES, SIGNATURE_BYTES = 32, 64
KEY_EXPECTED = "an Ed25519 public key, in its one form and not of small order"
# The field's prime, and the order of the group that the base point generates (RFC 8032, 5.1).
_PRIME = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
# The y of the eight points of small order. The orders of its points are 4 (0), 1 (1), 2 (-1) and 8 (the others).
_OF_ORDER_8 = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
_SMALL_ORDER = frozenset((0, 1, _PRIME - 1, _OF_ORDER_8, _PRIME - _OF_ORDER_8))
# The letters of a fingerprint: Crockford's base32, without those that are read as another one.
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_GROUPS, _OF_GROUP = 3, 4


def fingerprint(public: bytes) -> str:
    """Return 60 bits of a public key's SHA-256 for people to compare, as 12 letters and digits: `7f3k-0mzq-8x2d`."""
    bits = int.from_bytes(hashlib.sha256(public).digest()[:8]) >> 4
    letters = "".join(_LETTERS[bits >> shift & 31] for shift in range(55, -1, -5))
    return "-".join(letters[at : at + _OF_GROUP] for at in range(0, _GROUPS * _OF_GROUP, _OF_GROUP))


def new_key() -> bytes:
    """Return a new private key."""
    return secrets.token_bytes(KEY_BYTES)


def public_key(key: bytes) -> bytes:
    """Return the public key of a private one."""
    return _private(key).public_key().public_bytes_raw()


def signature_of(message: bytes, key: bytes) -> bytes:
    """Return the signature of `message` by a private key."""
    return _private(key).sign(message)


def is_public_key(public: bytes) -> bool:
    """Return True if these bytes can be a public key: 32 bytes, in the one encoding of their point, which is not of
    small order. Whether there is such a point at all is left to the library: nobody can sign without one."""
    if len(public) != KEY_BYTES:
        return False
    y = int.from_bytes(public, "little") & ((1 << 255) - 1)  # the first bit is the sign of x
    return y < _PRIME and y not in _SMALL_ORDER


def is_signed(message: bytes, signature: bytes, public: bytes) -> bool:
    """Return whether the holder of `public` has signed `message`."""
    from cryptography.exceptions import InvalidSignature

    point, scalar = signature[:KEY_BYTES], int.from_bytes(signature[KEY_BYTES:], "little")
    if len(signature) != SIGNATURE_BYTES or scalar >= _ORDER:
        return False
    if not (is_public_key(public) and is_public_key(point)):
        return False
    try:
        _public(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=64)
def _private(key: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(key)


@lru_cache(maxsize=4096)
def _public(key: bytes) -> Ed25519PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(key)
