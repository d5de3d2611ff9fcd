"""The identity of a device: its name, its signing key, and its token for the broker."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

from link.private_file import write_private
from link.topics import ID_EXPECTED, is_id

KEY_BYTES = 32
_FORMAT = "flagfall-identity/1"


class IdentityError(ValueError):
    """The identity cannot be made, read or written; one line that names file and field."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a device (or the hub), made at its enrolment. Key and token never appear in a log.

    A device's token is derived from its key; one enrolled by 0.1.0, or at another program's broker, has any token.
    """

    device: str
    key: bytes = field(repr=False)
    token: str = field(repr=False)


def create(device: str) -> Identity:
    """A new identity with a random key."""
    if not is_id(device):
        raise IdentityError(f"device: expected {ID_EXPECTED}, got {device!r:.80}")
    key = secrets.token_bytes(KEY_BYTES)
    return Identity(device, key, broker_token(key))


def broker_token(key: bytes) -> str:
    """The token of the device with this key: hub and device can each derive it, and it reveals nothing of the key."""
    digest = hmac.digest(key, b"flagfall/1/broker/token", "sha256")
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def token_digest(token: str) -> str:
    """SHA-256 (hex) of a token, which a hub of 0.1.0 compares."""
    return hashlib.sha256(token.encode()).hexdigest()


def save(identity: Identity, path: Path) -> None:
    """Writes `identity` durably to `path`, readable by its owner alone, in one step."""
    content = {
        "format": _FORMAT,
        "device": identity.device,
        "key": identity.key.hex(),
        "token": identity.token,
    }
    try:
        write_private(path, json.dumps(content).encode())
    except OSError as failure:
        raise IdentityError(f"{path}: cannot be written: {failure.strerror}") from failure


def load(path: Path) -> Identity:
    """The identity in `path`; IdentityError if it is missing, damaged, or readable by others."""
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise IdentityError(f"{path}: others can read this key, expected mode 0600 (chmod 600)")
        content = json.loads(path.read_bytes())
    except OSError as failure:
        raise IdentityError(f"{path}: cannot be read: {failure.strerror}") from failure
    except (ValueError, RecursionError) as bad:
        if isinstance(bad, IdentityError):
            raise
        raise IdentityError(f"{path}: expected JSON") from bad
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise IdentityError(f"{path}: format: expected {_FORMAT}")
    device, key, token = (content.get(name) for name in ("device", "key", "token"))
    if not isinstance(device, str) or not is_id(device):
        raise IdentityError(f"{path}: device: expected {ID_EXPECTED}")
    if not isinstance(token, str) or not token:
        raise IdentityError(f"{path}: token: expected a text")
    try:
        key_bytes = bytes.fromhex(key) if isinstance(key, str) else b""
    except ValueError:
        key_bytes = b""
    if len(key_bytes) != KEY_BYTES:
        raise IdentityError(f"{path}: key: expected {2 * KEY_BYTES} hex digits")
    return Identity(device, key_bytes, token)
