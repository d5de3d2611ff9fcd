"""The console's accounts and roles, and their sessions: two small files with mode 0600.

The file of accounts has the Argon2id hash of each password and its parameters. The file of sessions makes that a
restart of the hub signs nobody out; of a session's secret only the SHA-256 is stored.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flagfall.base.errors import Failed, Invalid
from flagfall.base.message import Message
from flagfall.base.private_file import is_exposed, write_private
from hub.ages import Ages, MachineClock
from hub.role import ROLES, Role
from hub.text import Refused

if TYPE_CHECKING:
    from argon2 import PasswordHasher

_FORMAT = "flagfall-accounts/2"
SHORTEST_PASSWORD = 8
LONGEST_TEXT = 200
# Longest life of a session.
LONGEST_NS = 24 * 3600 * 1_000_000_000
_MOST_SESSIONS = 1_000


@cache
def _hasher() -> PasswordHasher:
    """Return the hasher with OWASP's parameters: 19 MB and about 20 ms, which a small hub can afford for some guesses
    at once. It is loaded with the first login."""
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=2, memory_cost=19 << 10, parallelism=1)


@dataclass(frozen=True, slots=True)
class Account:
    name: str
    role: Role
    hash: str = field(repr=False)


class Accounts:
    """The accounts in the file `path`; none where there is no file yet."""

    def __init__(self, path: Path) -> None:
        """Read the accounts. Invalid for a broken file, Failed for one that others than its owner can read."""
        self._path = path
        self._read_ns = 0
        self._accounts: dict[str, Account] = {}
        self._keeping = threading.Lock()
        self._elsewhere: set[str] = set()
        self._refresh()
        self._elsewhere.clear()

    def _refresh(self) -> None:
        """Read the file again if it has changed: the command line may have written it."""
        try:
            changed_ns = self._path.stat().st_mtime_ns
        except OSError:
            changed_ns = 0
        if changed_ns != self._read_ns:
            before, self._accounts = self._accounts, _read_accounts(self._path)
            self._read_ns = changed_ns
            self._elsewhere |= {
                name for name in {*before, *self._accounts} if before.get(name) != self._accounts.get(name)
            }

    def changed_elsewhere(self) -> frozenset[str]:
        """Return the names whose account the command line has changed since the last call."""
        self._refresh()
        changed = frozenset(self._elsewhere)
        self._elsewhere.clear()
        return changed

    @property
    def all(self) -> tuple[Account, ...]:
        """Return the accounts by role, the directors first, then by name."""
        self._refresh()
        return tuple(sorted(self._accounts.values(), key=lambda account: (-account.role, account.name)))

    def spelled(self, name: str) -> str:
        """Return the name of the one account that differs by small and capital letters alone; `name` itself without
        one."""
        self._refresh()
        alike = [known for known in self._accounts if known.casefold() == name.casefold()]
        return alike[0] if len(alike) == 1 else name

    def role(self, name: str) -> Role | None:
        self._refresh()
        account = self._accounts.get(name)
        return account.role if account is not None else None

    def password_fits(self, name: str, password: str) -> bool:
        """Return whether this is the password; takes as long for an unknown name. Slow: not to be called in the
        loop."""
        self._refresh()
        account = self._accounts.get(name)
        if account is None:
            _hasher().hash(password)
            return False
        if not _hash_fits(account.hash, password):
            return False
        if _hasher().check_needs_rehash(account.hash):
            anew = replace(account, hash=_hasher().hash(password))
            with self._keeping:
                if self._accounts.get(name) == account:
                    self._write({**self._accounts, name: anew})
        return True

    def put(self, name: str, role: Role, password: str) -> None:
        """Make a new account, or give an old one another role and password."""
        if not name.strip() or name != name.strip() or not name.isprintable() or len(name) > 64:
            raise Refused("expected a name of 1 to 64 characters, got {name!r}", field="name", name=name[:70])
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_TEXT:
            raise Refused(
                "expected at least {shortest_password} characters",
                field="password",
                shortest_password=SHORTEST_PASSWORD,
            )
        name = self.spelled(name)
        made = Account(name, role, _hasher().hash(password))
        with self._keeping:
            self._write({**self._accounts, name: made})

    def remove(self, name: str) -> None:
        self._refresh()
        if name not in self._accounts:
            raise Refused("expected an account, got {name!r}", field="name", name=name[:70])
        with self._keeping:
            self._write({other: account for other, account in self._accounts.items() if other != name})

    def _write(self, accounts: dict[str, Account]) -> None:
        if self._accounts and all(account.role is not Role.DIRECTOR for account in accounts.values()):
            raise Refused("expected at least one director to remain", field="role")
        content = {
            "format": _FORMAT,
            "accounts": [{"name": a.name, "role": a.role.word, "hash": a.hash} for a in accounts.values()],
        }
        try:
            write_private(self._path, json.dumps(content, indent=1, ensure_ascii=False).encode())
        except OSError as failure:
            why = str(failure.strerror)
            text = Message.of("{path}: cannot be written: {strerror}", path=str(self._path), strerror=why)
            raise Failed(text) from failure
        self._accounts = accounts
        self._read_ns = self._path.stat().st_mtime_ns


def _hash_fits(kept: str, password: str) -> bool:
    """Return whether the password fits the hash; False also for an invalid hash."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return _hasher().verify(kept, password)
    except (VerificationError, InvalidHashError):
        return False


def _read_accounts(path: Path) -> dict[str, Account]:
    try:
        if is_exposed(path):
            raise Failed(f"{path}: others can read these accounts, expected mode 0600 (chmod 600)")
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as failure:
        raise Failed(f"{path}: cannot be read: {failure.strerror}") from failure
    except (ValueError, RecursionError) as bad:
        raise Invalid("", "JSON", source=str(path)) from bad
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise Invalid("format", _FORMAT, source=str(path))
    try:
        accounts = [_account(item) for item in content["accounts"]]
    except (KeyError, TypeError, ValueError) as bad:
        raise Invalid("accounts", "name, role and hash of each", source=str(path)) from bad
    return {account.name: account for account in accounts}


def _account(item: Any) -> Account:
    name, password_hash = item["name"], item["hash"]
    if not isinstance(name, str) or not isinstance(password_hash, str):
        raise TypeError(item)
    return Account(name, ROLES[item["role"]], password_hash)


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
