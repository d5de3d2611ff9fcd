"""Words about a flag: a player's claim or admission, and the director's, each for the way in which it takes effect."""

from __future__ import annotations

from flagfall.othello.game import Game
from flagfall.othello.inputs import AdmitFlag, ClaimFlag, Ruling
from flagfall.othello.judging.flags import at_once, claimed, confirmed, pointed_out
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side

# By the way in which a flag takes effect (`FlagRule.takes_effect`).
_POINT_OUT = {
    "at_once": at_once.needs_no_word,
    "confirmed": confirmed.notice,
    "pointed_out": pointed_out.point_out,
    "claimed": claimed.claim,
}


def point_out_flag(game: Game, side: Side) -> Game:
    """Take a player's word that this player's flag has fallen (usoa 6.4, jof J15)."""
    return _POINT_OUT[game.rules.flag.takes_effect](game, side)


def claim_flag(game: Game, entry: ClaimFlag) -> Game:
    """Record a player's claim that the opponent's flag has fallen (jof J15)."""
    return point_out_flag(game, entry.by.other)


def admit_flag(game: Game, entry: AdmitFlag) -> Game:
    """Record a player's word that their own flag has fallen (jof J15)."""
    return point_out_flag(game, entry.by)


def rule_confirm_default(game: Game, ruling: Ruling) -> Game:
    """Confirm a default for the director (usoa 6.5); where players claim flags, that both are down (jof J16)."""
    match game.rules.flag.takes_effect:
        case "confirmed":
            return confirmed.confirm_default(game, ruling)
        case "claimed":
            return claimed.confirm_both(game)
    raise RefusedError("default_needs_no_word", rulebook=game.rules.id)
