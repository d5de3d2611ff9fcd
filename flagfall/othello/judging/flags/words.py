"""Words about a flag: a player's claim or admission, and the director's, each for the way in which it takes effect."""

from __future__ import annotations

from flagfall.othello.game import Game
from flagfall.othello.inputs import AdmitFlag, ClaimFlag, Ruling
from flagfall.othello.judging.flags.ways import way_of
from flagfall.othello.side import Side


def point_out_flag(game: Game, side: Side) -> Game:
    """Take a player's word that this player's flag has fallen (usoa 6.4, jof J15)."""
    return way_of(game.rules).point_out(game, side)


def claim_flag(game: Game, entry: ClaimFlag) -> Game:
    """Record a player's claim that the opponent's flag has fallen (jof J15)."""
    return point_out_flag(game, entry.by.other)


def admit_flag(game: Game, entry: AdmitFlag) -> Game:
    """Record a player's word that their own flag has fallen (jof J15)."""
    return point_out_flag(game, entry.by)


def rule_confirm_default(game: Game, ruling: Ruling) -> Game:
    """Confirm a default for the director (usoa 6.5); where players claim flags, that both are down (jof J16)."""
    return way_of(game.rules).confirm_default(game, ruling)
