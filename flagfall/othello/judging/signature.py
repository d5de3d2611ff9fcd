"""The signatures of both players (woc-2019 IV.8)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, State
from flagfall.othello.inputs import Sign
from flagfall.othello.judging.errors.states import with_errors_settled
from flagfall.othello.refusals import RefusedError


def sign(game: Game, entry: Sign) -> Game:
    """Record a player's signature; with both signatures every open error is accepted (woc-2019 IV.8)."""
    if game.signed.of(entry.by):
        raise RefusedError("has_signed", player=entry.by)
    game = replace(game, signed=game.signed.with_(entry.by, True))
    return replace(with_errors_settled(game), state=State.SIGNED) if all(game.signed) else game
