"""The scores that a rulebook can give (`woc-2019` IV.8, `usoa` 4.3, 4.4, 6.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from flagfall.base.message import Message
from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import Rulebook
from hub.rulebook import FormatRules

DOUBLE_FORFEIT = (0, 0)
ALL_DISCS = 64


class GameOfTwo(Protocol):
    """A game with `players` (ids, Black's first) and a `score`, None while it is being played."""

    @property
    def players(self) -> tuple[str, str]: ...

    @property
    def score(self) -> tuple[int, int] | None: ...

    @property
    def reason(self) -> str: ...

    # The player who wins a draw.
    @property
    def draw_win(self) -> str | None: ...


class Recorded(NamedTuple):
    """A game as one of its players records it."""

    half_points: int
    discs: int
    against: int


def half_points_of(score: tuple[int, int]) -> tuple[int, int]:
    """Return the half points of (black, white): 2 for a win, 1 for a draw. 0-0 is a game that both have lost."""
    black, white = score
    if black == white:
        return (1, 1) if black else (0, 0)
    return (2, 0) if black > white else (0, 2)


def half_points_of_game(game: GameOfTwo) -> tuple[int, int]:
    """Return the half points of (black, white) in a scored game. A draw is that of the player with draw-win; both have
    lost a game in which both flags were down (jof J1, J16)."""
    assert game.score is not None
    if game.reason == Reason.BOTH_FLAGS:
        return 0, 0
    half = half_points_of(game.score)
    if game.draw_win is None or half != (1, 1):
        return half
    return (2, 0) if game.draw_win == game.players[0] else (0, 2)


def may_be_won(score: tuple[int, int], reason: str) -> bool:
    """Return True if this is a draw: one that a player may win, unlike a game that both have lost."""
    return score[0] == score[1] and score != DOUBLE_FORFEIT and reason != Reason.BOTH_FLAGS


def has_draw_wins(law: Rulebook) -> bool:
    """Return True if players may draw for the right to win a drawn game (jof J1)."""
    return law.hidden_disc in ("draw_win", "either")


def recorded(game: GameOfTwo, law: Rulebook) -> tuple[Recorded, Recorded]:
    """Return what Black and White record of a scored game. Each has their own discs of a walkover, and both lose discs
    by two flags, where the law says so (jof J16, J18)."""
    assert game.score is not None
    black, white = game.score
    half_black, half_white = half_points_of_game(game)
    if game.reason == Reason.BOTH_FLAGS and black == white:
        more = black + law.flag.first_score[0] - law.flag.first_score[1]
        return Recorded(half_black, black, more), Recorded(half_white, white, more)
    of_black, of_white = Recorded(half_black, black, white), Recorded(half_white, white, black)
    if game.score == DOUBLE_FORFEIT and law.score.walkover_absent is not None:
        more, less = law.score.walkover_absent
        return Recorded(0, less, more), Recorded(0, less, more)
    if game.reason == Reason.WALKOVER and law.score.walkover_absent is not None:
        present, absent = law.score.walkover_absent
        if black > white:
            return of_black, Recorded(half_white, absent, present)
        if white > black:
            return Recorded(half_black, absent, present), of_white
    return of_black, of_white


def half_points_of_games(games: Iterable[GameOfTwo]) -> Counter[str]:
    """Return half points per player with at least one scored game."""
    earned: Counter[str] = Counter()
    for game in games:
        if game.score is not None:
            for player, half_points in zip(game.players, half_points_of_game(game), strict=True):
                earned[player] += half_points
    return earned


def score_fault(rules: FormatRules, score: tuple[int, int], reason: str) -> Message | None:
    """Return what was expected in place of a score that the rulebook cannot give, or None if it can.

    0-0 is a game that both have forfeited: no point and no disc for either.
    """
    black, white = score
    law = rules.law
    if reason == Reason.WALKOVER and law.score.walkover is not None:
        more, less = law.score.walkover
        if score in ((more, less), (less, more)):
            return None
        return Message.of(
            "{more}-{less} for a walkover under {rulebook}", more=more, less=less, rulebook=law.id
        )
    if reason == Reason.BOTH_FLAGS and (both := law.flag.both_score) is not None:
        if score == both:
            return None
        return Message.of("{black}-{white} if both flags are down", black=both[0], white=both[1])
    won_alone = law.flag.self_play and reason in (Reason.DEFAULT, Reason.RESIGNED)
    if won_alone and black != white and min(score) >= 0 and black + white <= ALL_DISCS:
        return None  # the winner may have stopped playing alone: empty squares are nobody's
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
