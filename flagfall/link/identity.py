"""The identity of a device: its name, its signing key, and its token for the broker."""

from __future__ import annotations

import base64
import hmac
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from flagfall.link.private_file import is_exposed, write_private
from flagfall.link.topics import ID_EXPECTED, is_id
from flagfall.othello.errors import Failed, Invalid

KEY_BYTES = 32
_FORMAT: Literal["flagfall-identity/1"] = "flagfall-identity/1"


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a device (or the hub), made at its enrolment. Key and token never appear in a log.

    A device's token is derived from its key; one enrolled by 0.1.0, or at another program's broker, has any token.
    """

    device: str
    key: bytes = field(repr=False)
    token: str = field(repr=False)


class IdentityFields(msgspec.Struct, kw_only=True):
    """An identity in a file or a package; `key` in hex digits."""

    device: str
    key: Annotated[str, Meta(pattern=rf"^[0-9a-fA-F]{{{2 * KEY_BYTES}}}\Z")]
    token: Annotated[str, Meta(min_length=1)]

    @property
    def identity(self) -> Identity:
        """Return the identity; Invalid for a name that no device can have."""
        return Identity(_device(self.device), bytes.fromhex(self.key), self.token)


class _File(IdentityFields, kw_only=True):
    format: Literal["flagfall-identity/1"]


# The name of a device that no hub has enrolled.
ALONE = "table"


def create(device: str) -> Identity:
    """Return a new identity with a random key."""
    key = secrets.token_bytes(KEY_BYTES)
    return Identity(_device(device), key, broker_token(key))


def _device(name: str) -> str:
    if not is_id(name):
        raise Invalid("device", ID_EXPECTED, f"{name!r:.80}")
    return name


def broker_token(key: bytes) -> str:
    """Return the token of the device with this key: hub and device can each derive it, and it reveals nothing of the
    key."""
    digest = hmac.digest(key, b"flagfall/1/broker/token", "sha256")
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def save(identity: Identity, path: Path) -> None:
    """Write `identity` durably to `path`, readable by its owner alone, in one step; Failed where it cannot be."""
    content = _File(format=_FORMAT, device=identity.device, key=identity.key.hex(), token=identity.token)
    try:
        write_private(path, msgspec.json.encode(content))
    except OSError as failure:
        raise Failed(f"{path}: cannot be written: {failure.strerror}") from failure


def load(path: Path) -> Identity:
    """Return the identity in `path`; Failed if it is missing or readable by others, Invalid if it is damaged."""
    try:
        if is_exposed(path):
            raise Failed(f"{path}: others can read this key, expected mode 0600 (chmod 600)")
        return msgspec.json.decode(path.read_bytes(), type=_File).identity
    except OSError as failure:
        raise Failed(f"{path}: cannot be read: {failure.strerror}") from failure
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as bad:
        raise Invalid("", f"JSON of the format {_FORMAT}: {bad}", source=str(path)) from None
    except Invalid as bad:
        raise bad.of(path) from None
