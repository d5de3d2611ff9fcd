"""The console's sessions, in a small file with mode 0600, so that a restart of the hub signs nobody out; of a session's
secret only the SHA-256 is stored."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hub.ages import Ages, MachineClock

LONGEST_NS = 24 * 3600 * 1_000_000_000
_MOST_SESSIONS = 1_000


@dataclass(frozen=True, slots=True)
class LoginSession:
    """A user's session."""

    name: str
    csrf: str = field(repr=False)  # stands in every form of this session, where no other site can read it


class LoginSessions:
    """The users' sessions. A session lasts a day at most, counted over restarts, and is deleted then; a wall clock that
    is set back does not make it longer.

    `fresh_secret` makes an unguessable text. `hub` is in the cookie's name: browsers do not distinguish ports, so
    another hub on this address would sign the users of this one out.
    """

    def __init__(
        self, file: Path, fresh_secret: Callable[[], str], clock: MachineClock, hub: str = ""
    ) -> None:
        self.hub = hub
        self.cookie = f"flagfall-console{hub}"
        self._fresh_secret = fresh_secret
        self._ages = Ages(file, clock, LONGEST_NS)

    def begin(self, name: str) -> str:
        """Begin a session and return its secret."""
        present = self._ages.notes
        if len(present) >= _MOST_SESSIONS:
            self._ages.forget(list(present)[: len(present) - _MOST_SESSIONS + 1])
        secret = self._fresh_secret()
        self._ages.begin(_digest(secret), name)
        return secret

    def session(self, secret: str) -> LoginSession | None:
        digest = _digest(secret)
        if self._ages.age_ns(digest) is None:
            return None
        csrf = hmac.new(secret.encode("utf-8", "replace"), b"csrf", hashlib.sha256).hexdigest()
        return LoginSession(self._ages.notes[digest], csrf)

    def end(self, secret: str) -> None:
        self._ages.forget([_digest(secret)])

    def end_sessions(self, name: str, but: str = "") -> None:
        """End all sessions of this name."""
        digests = [digest for digest, holder in self._ages.notes.items() if holder == name]
        self._ages.forget([digest for digest in digests if digest != _digest(but)])

    def keep_up(self) -> None:
        """Delete the sessions whose day is over."""
        self._ages.keep_up()


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
