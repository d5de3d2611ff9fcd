"""The scores that a rulebook can give (`woc-2019` IV.8, `usoa` 4.3, 4.4, 6.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from flagfall.othello.message import Message
from hub.rulebook import FormatRules

DOUBLE_FORFEIT = (0, 0)


def half_points_of(score: tuple[int, int]) -> tuple[int, int]:
    """Return the half points of (black, white): 2 for a win, 1 for a draw. 0-0 is a game that both have lost."""
    black, white = score
    if black == white:
        return (1, 1) if black else (0, 0)
    return (2, 0) if black > white else (0, 2)


class GameOfTwo(Protocol):
    """A game with `players` (ids, Black's first) and a `score`, None while it is being played."""

    @property
    def players(self) -> tuple[str, str]: ...

    @property
    def score(self) -> tuple[int, int] | None: ...


def half_points_of_games(games: Iterable[GameOfTwo]) -> Counter[str]:
    """Return half points per player with at least one scored game."""
    earned: Counter[str] = Counter()
    for game in games:
        if game.score is not None:
            for player, half_points in zip(game.players, half_points_of(game.score), strict=True):
                earned[player] += half_points
    return earned


def score_fault(rules: FormatRules, score: tuple[int, int], reason: str) -> Message | None:
    """Return what was expected in place of a score that the rulebook cannot give, or None if it can.

    0-0 is a game that both have forfeited: no point and no disc for either.
    """
    black, white = score
    if score == DOUBLE_FORFEIT:
        return None if reason == "forfeit" else Message("a score above 0-0 unless both forfeit")
    if not 0 <= black <= 64 or not 0 <= white <= 64 or black + white > 64:
        return Message("at most 64 discs together")
    if rules.empties_to_winner:
        if black + white == 64:
            return None
        return Message.of("64 discs together under {rulebook}", rulebook=rules.rulebook)
    if min(black, white) == 0 and max(black, white) != 64:
        return Message.of("64-0 for a wipe-out under {rulebook}", rulebook=rules.rulebook)
    return None
