"""Key pairs of devices and hubs (Ed25519, RFC 8032): each key is 32 bytes, the private one its seed.

The library is imported at the first use: a command that signs nothing does not wait for it.
"""

from __future__ import annotations

import secrets
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_BYTES, SIGNATURE_BYTES = 32, 64


def new_key() -> bytes:
    """Return a new private key."""
    return secrets.token_bytes(KEY_BYTES)


def public_key(key: bytes) -> bytes:
    """Return the public key of a private one."""
    return _private(key).public_key().public_bytes_raw()


def signature_of(message: bytes, key: bytes) -> bytes:
    """Return the signature of `message` by a private key."""
    return _private(key).sign(message)


def is_signed(message: bytes, signature: bytes, public: bytes) -> bool:
    """Return whether the holder of `public` has signed `message`."""
    from cryptography.exceptions import InvalidSignature

    if len(signature) != SIGNATURE_BYTES or len(public) != KEY_BYTES:
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
