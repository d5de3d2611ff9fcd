"""Who is at the console now: sessions in memory, gone with the hub; and patience with those who guess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

LONGEST_NS = 24 * 3600 * 1_000_000_000
FREE_GUESSES = 5
PAUSE_NS = 30 * 1_000_000_000
_MOST_SESSIONS = 1_000


@dataclass(frozen=True, slots=True)
class Session:
    """`csrf` stands in every form of this session, where no other site can read it."""

    name: str
    csrf: str = field(repr=False)
    since_ns: int = 0


class Sessions:
    """`fresh_secret` makes what nobody can guess; instants are monotonic."""

    def __init__(self, fresh_secret: Callable[[], str], now_ns: Callable[[], int]) -> None:
        self._fresh_secret = fresh_secret
        self._now_ns = now_ns
        self._sessions: dict[str, Session] = {}

    def begin(self, name: str) -> str:
        """The secret of a new session."""
        while len(self._sessions) >= _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        secret = self._fresh_secret()
        self._sessions[secret] = Session(name, self._fresh_secret(), self._now_ns())
        return secret

    def of(self, secret: str) -> Session | None:
        found = self._sessions.get(secret)
        if found is not None and self._now_ns() - found.since_ns > LONGEST_NS:
            del self._sessions[secret]
            return None
        return found

    def end(self, secret: str) -> None:
        self._sessions.pop(secret, None)

    def end_all_of(self, name: str, but: str = "") -> None:
        """Lets everybody out who has entered under this name."""
        for secret in [s for s, one in self._sessions.items() if one.name == name and s != but]:
            del self._sessions[secret]


@dataclass(slots=True)
class Patience:
    """After some wrong passwords for a name, that name has to wait. Bounded, whatever names are tried."""

    now_ns: Callable[[], int]
    _wrong: dict[str, tuple[int, int]] = field(default_factory=dict)

    def wait_s(self, name: str) -> int:
        """How long this name still has to wait."""
        wrong, until_ns = self._wrong.get(name, (0, 0))
        return max(0, -((self.now_ns() - until_ns) // 1_000_000_000)) if wrong >= FREE_GUESSES else 0

    def wrong(self, name: str) -> None:
        while len(self._wrong) >= _MOST_SESSIONS:
            del self._wrong[next(iter(self._wrong))]
        self._wrong[name] = (self._wrong.pop(name, (0, 0))[0] + 1, self.now_ns() + PAUSE_NS)

    def right(self, name: str) -> None:
        self._wrong.pop(name, None)
