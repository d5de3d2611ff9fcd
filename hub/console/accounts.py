"""Who may use the console, with which role: one small file with mode 0600; of a password only its scrypt is kept."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import stat
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

from hub.line import Fault

_FORMAT = "flagfall-accounts/1"
_N, _R, _P = 1 << 14, 8, 1
_NOBODY = b"nobody's salt   "
SHORTEST_PASSWORD = 8
LONGEST_TEXT = 200


class AccountError(Fault):
    """The accounts cannot be read or written, or what is asked for makes no sense; one line."""


class Role(IntEnum):
    """What somebody may do; each may all that those before may.

    A viewer looks; an assistant runs the round; penalties, awards, corrections, publication of what was changed by
    hand, undoing and accounts are the director's (`woc-2019` V.1).
    """

    VIEWER = 1
    ASSISTANT = 2
    DIRECTOR = 3

    @property
    def word(self) -> str:
        return self.name.lower()


ROLES = {role.word: role for role in Role}


@dataclass(frozen=True, slots=True)
class Account:
    name: str
    role: Role
    salt: bytes = field(repr=False)
    scrypt: bytes = field(repr=False)


class Accounts:
    """The accounts in the file `path`; none where there is no file yet."""

    def __init__(self, path: Path) -> None:
        """AccountError for a broken file, or one that others than its owner can read."""
        self._path = path
        self._read_ns = 0
        self._accounts: dict[str, Account] = {}
        self._refresh()

    def _refresh(self) -> None:
        """The command line may have changed the file since."""
        try:
            changed_ns = self._path.stat().st_mtime_ns
        except OSError:
            changed_ns = 0
        if changed_ns != self._read_ns:
            self._accounts = _read(self._path)
            self._read_ns = changed_ns

    @property
    def all(self) -> tuple[Account, ...]:
        """By role, the directors first, then by name."""
        self._refresh()
        return tuple(sorted(self._accounts.values(), key=lambda one: (-one.role, one.name)))

    def role(self, name: str) -> Role | None:
        self._refresh()
        found = self._accounts.get(name)
        return found.role if found is not None else None

    def fits(self, name: str, password: str) -> bool:
        """Whether this is the password; takes as long for a name that nobody has. Slow: keep it out of the loop."""
        self._refresh()
        found = self._accounts.get(name)
        if found is None:
            _scrypt(password, _NOBODY)
            return False
        return hmac.compare_digest(_scrypt(password, found.salt), found.scrypt)

    def put(self, name: str, role: Role, password: str) -> None:
        """A new account, or another role and password for an old one."""
        if not name.strip() or name != name.strip() or not name.isprintable() or len(name) > 64:
            raise AccountError("name: expected a name of 1 to 64 letters, got {name!r}", name=name[:70])
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_TEXT:
            raise AccountError(
                "password: expected {shortest_password} letters at least", shortest_password=SHORTEST_PASSWORD
            )
        self._refresh()
        salt = secrets.token_bytes(16)
        self._keep({**self._accounts, name: Account(name, role, salt, _scrypt(password, salt))})

    def remove(self, name: str) -> None:
        self._refresh()
        if name not in self._accounts:
            raise AccountError("name: expected an account, got {name!r}", name=name[:70])
        self._keep({other: account for other, account in self._accounts.items() if other != name})

    def _keep(self, accounts: dict[str, Account]) -> None:
        if self._accounts and all(one.role is not Role.DIRECTOR for one in accounts.values()):
            raise AccountError("role: expected one director at least to remain")
        content = {
            "format": _FORMAT,
            "accounts": [
                {"name": a.name, "role": a.role.word, "salt": a.salt.hex(), "scrypt": a.scrypt.hex()}
                for a in accounts.values()
            ],
        }
        new = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}")
        try:
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(content, file, indent=1, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path)
        except OSError as failure:
            new.unlink(missing_ok=True)
            raise AccountError(
                "{path}: cannot be written: {strerror}", path=str(self._path), strerror=str(failure.strerror)
            ) from failure
        self._accounts = accounts
        self._read_ns = self._path.stat().st_mtime_ns


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "surrogatepass"), salt=salt, n=_N, r=_R, p=_P)


def _read(path: Path) -> dict[str, Account]:
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise AccountError(
                "{path}: others can read these accounts, expected mode 0600 (chmod 600)", path=str(path)
            )
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as failure:
        raise AccountError(
            "{path}: cannot be read: {strerror}", path=str(path), strerror=str(failure.strerror)
        ) from failure
    except AccountError:
        raise
    except (ValueError, RecursionError) as bad:
        raise AccountError("{path}: expected JSON", path=str(path)) from bad
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise AccountError("{path}: format: expected {format}", path=str(path), format=_FORMAT)
    try:
        accounts = [_account(item) for item in content["accounts"]]
    except (KeyError, TypeError, ValueError) as bad:
        raise AccountError(
            "{path}: accounts: expected name, role, salt and scrypt of each", path=str(path)
        ) from bad
    return {account.name: account for account in accounts}


def _account(item: Any) -> Account:
    if not isinstance(item["name"], str):
        raise TypeError(item)
    return Account(
        item["name"], ROLES[item["role"]], bytes.fromhex(item["salt"]), bytes.fromhex(item["scrypt"])
    )
