"""The token of the operator's API: a file of the hub's folder, made at the first start, readable by its owner alone."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from hub.config import ConfigError


def api_token(file: Path) -> str:
    """The token in this file, or a new one. ConfigError where it cannot be written, or others can read it."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(file)
    except OSError as fault:
        raise ConfigError(f"{file}: expected a file to write the token to: {fault.strerror}") from None
    token = secrets.token_urlsafe(32)
    with os.fdopen(descriptor, "w", encoding="ascii") as written:
        written.write(f"{token}\n")
        written.flush()
        os.fsync(written.fileno())
    return token


def _read(file: Path) -> str:
    try:
        if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
            raise ConfigError(f"{file}: others can read this token, expected mode 0600 (chmod 600)")
        token = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"{file}: expected a readable token") from None
    if len(token) < 16:
        raise ConfigError(f"{file}: expected a token of 16 characters at least")
    return token
