"""A game without a hub: rules, players and seats as chosen on the screen, and what is proposed for the next game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from flagfall.base.private_file import read_json
from flagfall.othello.game import Game, Header, Player, State
from flagfall.othello.rulebook import AT_TABLES, rulebook

# In the state directory (`LocalKept`).
LOCAL_FILE = "local.json"
MOST_NAMES = 40
LONGEST_NAME = 40
# The range of minutes that can be typed.
MINUTES = range(1, 601)


@dataclass(frozen=True, slots=True)
class LocalSetup:
    """The choice of rules and players for a game of a table without a hub."""

    rulebook: str  # its id
    minutes: float
    increment_s: float = 0
    judged: bool = False
    left: str = ""  # a name or ""; the nearer player if the players sit opposite each other
    right: str = ""
    black_left: bool = True
    byoyomi_s: float = 0

    def header(self, usual: Header) -> Header:
        """Return the header for this choice; `usual` has what cannot be chosen, such as whether a board is read."""
        black, white = (self.left, self.right) if self.black_left else (self.right, self.left)
        return replace(
            usual,
            rulebook=rulebook(self.rulebook),
            minutes=self.minutes,
            increment_s=self.increment_s,
            byoyomi_s=self.byoyomi_s,
            judged=self.judged,
            black=Player("", black),
            white=Player("", white),
        )

    def by_rulebook(self, name: str) -> LocalSetup:
        """Return the same players with another rulebook, and its own time if it has one."""
        rules = rulebook(name)
        minutes = rules.minutes.get(Header.stage, self.minutes)
        increment_s = self.increment_s if rules.per_move != "nothing" else 0
        byoyomi_s = self.byoyomi_s if rules.byoyomi else 0
        return replace(self, rulebook=name, minutes=minutes, increment_s=increment_s, byoyomi_s=byoyomi_s)

    def named(self, place: str, name: str) -> LocalSetup:
        """Return the set-up with a name at `place` ("left" or "right"). A name that sat on the other side
        changes places."""
        left, right = (name, self.right) if place == "left" else (self.left, name)
        if name and left == right:
            left, right = self.right, self.left
        return replace(self, left=left, right=right)

    def seats_changed(self) -> LocalSetup:
        """Return the set-up after both players have changed chairs and kept their colours."""
        return replace(self, left=self.right, right=self.left, black_left=not self.black_left)


def between_games(game: Game | None) -> bool:
    """No clock has run yet, or the result is signed."""
    return (
        game is None
        or game.state is State.SIGNED
        or (game.state is State.WAITING and game.clock.running is None)
    )


def sides_may_swap(game: Game | None) -> bool:
    """No clock runs, and no signature is awaited."""
    return between_games(game) or (game is not None and game.state in (State.WAITING, State.STOPPED))


def setup_of(header: Header, swapped: bool) -> LocalSetup:
    """Return the set-up of this game, to be proposed for the next one."""
    names = header.black.name, header.white.name
    left, right = names[::-1] if swapped else names
    # A director's own rulebook exists only in the games that bring it, and a table offers no tournament's form.
    name = header.rulebook.id if header.rulebook.id in AT_TABLES else header.rulebook.family
    rules = rulebook(name)
    return LocalSetup(
        name,
        header.minutes,
        header.increment_s if rules.per_move != "nothing" else 0,
        judged=header.judged,
        left=left,
        right=right,
        black_left=not swapped,
        byoyomi_s=header.byoyomi_s if rules.byoyomi else 0,
    )


def with_names(known: tuple[str, ...], setup: LocalSetup) -> tuple[str, ...]:
    """Return the names to propose after this game, the last first."""
    played = tuple(name for name in (setup.left, setup.right) if name)
    return tuple(dict.fromkeys((*played, *known)))[:MOST_NAMES]


@dataclass(frozen=True, slots=True)
class LocalKept:
    """The names to propose on the next evening, and the usual header by the configuration."""

    names: tuple[str, ...] = ()
    usual: Mapping[str, Any] | None = None

    def content(self) -> bytes:
        return msgspec.json.encode(self) + b"\n"


def read_local(path: Path) -> LocalKept:
    """Return the kept names, none if the file is missing or damaged: names are then typed again."""
    kept = read_json(path, LocalKept)
    names = (name[:LONGEST_NAME] for name in kept.names if name.isprintable() and name)
    return replace(kept, names=tuple(names)[:MOST_NAMES])
