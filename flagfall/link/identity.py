"""The identity of a device: its name, its key pair, its password at the broker, and the hub that it obeys."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from flagfall.base.errors import Failed, Invalid
from flagfall.base.private_file import is_exposed, write_private
from flagfall.link.keys import KEY_BYTES, new_key, public_key
from flagfall.link.topics import ID_EXPECTED, is_id

_FORMAT: Literal["flagfall-identity/2"] = "flagfall-identity/2"
_BEFORE = b'"flagfall-identity/1"'
_TOKEN_BYTES = 32
# A public key in a file or a message.
HexKey = Annotated[str, Meta(pattern=rf"^[0-9a-f]{{{2 * KEY_BYTES}}}\Z")]


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a device (or the hub). Key and token never appear in a log, and the key never leaves the
    device."""

    device: str
    # The private key.
    key: bytes = field(repr=False)
    # The password at the broker.
    token: str = field(repr=False)
    # The public key of the hub that enrolled the device, b"" without one.
    hub: bytes = b""

    @property
    def public(self) -> bytes:
        return public_key(self.key)


class _File(msgspec.Struct, kw_only=True):
    format: Literal["flagfall-identity/2"]
    device: str
    key: HexKey
    token: Annotated[str, Meta(min_length=1)]
    # That of the hub, "" without one.
    hub: Annotated[str, Meta(pattern=rf"^(?:[0-9a-f]{{{2 * KEY_BYTES}}})?\Z")] = ""


# The name of a device that no hub has enrolled.
ALONE = "table"


def create(device: str, hub: bytes = b"") -> Identity:
    """Return a new identity with a random key and token."""
    return Identity(checked_device(device), new_key(), new_token(), hub)


def new_token() -> str:
    """Return a new password for the broker."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def checked_device(name: str) -> str:
    """Return the name; Invalid if no device can have it."""
    if not is_id(name):
        raise Invalid("device", ID_EXPECTED, f"{name!r:.80}")
    return name


def save(identity: Identity, path: Path) -> None:
    """Write `identity` durably to `path`, readable by its owner alone, in one step; Failed where it cannot be."""
    content = _File(
        format=_FORMAT,
        device=identity.device,
        key=identity.key.hex(),
        token=identity.token,
        hub=identity.hub.hex(),
    )
    try:
        write_private(path, msgspec.json.encode(content))
    except OSError as failure:
        raise Failed(f"{path}: cannot be written: {failure.strerror}") from failure


def load(path: Path) -> Identity:
    """Return the identity in `path`; Failed if it is missing, readable by others or of 0.2.0, Invalid if it is
    damaged."""
    content = b""
    try:
        if is_exposed(path):
            raise Failed(f"{path}: others can read this key, expected mode 0600 (chmod 600)")
        content = path.read_bytes()
        file = msgspec.json.decode(content, type=_File)
        return Identity(
            checked_device(file.device), bytes.fromhex(file.key), file.token, bytes.fromhex(file.hub)
        )
    except OSError as failure:
        raise Failed(f"{path}: cannot be read: {failure.strerror}") from failure
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as bad:
        if _BEFORE in content:
            again = "flagfall-table enrol CODE --again"
            raise Failed(f"{path}: made by 0.2.0: enrol this device again ({again})") from None
        raise Invalid("", f"JSON of the format {_FORMAT}: {bad}", source=str(path)) from None
    except Invalid as bad:
        raise bad.of(path) from None
