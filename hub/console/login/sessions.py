"""The console's sessions, in a small file with mode 0600, so that a restart of the hub signs nobody out; of a session's
secret only the SHA-256 is stored."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from link.private_file import read_json, write_private

LONGEST_NS = 24 * 3600 * 1_000_000_000
_MOST_SESSIONS = 1_000


@dataclass(frozen=True, slots=True)
class LoginSession:
    """`csrf` is in every form of this session, where no other site can read it."""

    name: str
    csrf: str = field(repr=False)


class _Kept(msgspec.Struct, frozen=True):
    name: str
    since_ns: int


class LoginSessions:
    """`fresh_secret` makes an unguessable text; instants are monotonic. A session lasts a day at most, counted anew
    when the hub restarts.

    `hub` is in the cookie's name: browsers do not distinguish ports, so another hub on this address would sign the
    users of this one out.
    """

    def __init__(
        self, file: Path, fresh_secret: Callable[[], str], now_ns: Callable[[], int], hub: str = ""
    ) -> None:
        self.cookie = f"flagfall-console{hub}"
        self._file = file
        self._fresh_secret = fresh_secret
        self._now_ns = now_ns
        self._kept = {
            digest: _Kept(name, now_ns()) for digest, name in read_json(file, dict[str, str]).items()
        }

    def begin(self, name: str) -> str:
        """The secret of a new session."""
        while len(self._kept) >= _MOST_SESSIONS:
            del self._kept[next(iter(self._kept))]
        secret = self._fresh_secret()
        self._kept[_digest(secret)] = _Kept(name, self._now_ns())
        self._write()
        return secret

    def session(self, secret: str) -> LoginSession | None:
        found = self._kept.get(_digest(secret))
        if found is None or self._now_ns() - found.since_ns > LONGEST_NS:
            return None
        return LoginSession(found.name, hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest())

    def end(self, secret: str) -> None:
        if self._kept.pop(_digest(secret), None) is not None:
            self._write()

    def end_sessions(self, name: str, but: str = "") -> None:
        """Ends all sessions of this name."""
        for digest in [d for d, one in self._kept.items() if one.name == name and d != _digest(but)]:
            del self._kept[digest]
        self._write()

    def _write(self) -> None:
        """If the disk fails, users must sign in again after the next start, no more."""
        content = {digest: one.name for digest, one in self._kept.items()}
        with contextlib.suppress(OSError):
            write_private(self._file, json.dumps(content).encode())


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
