"""Discs beside the board: a player who runs out, and discs handed across (woc-2019 IV.2, usoa 1.4)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, Incident, IncidentType
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.incidents import note
from flagfall.othello.reading.last_move import entry_side
from flagfall.othello.refusals import RefusedError


def tell_out_of_discs(game: Game) -> Game:
    """Record that the next move needs a disc more than the player has (woc-2019 IV.2, usoa 1.4)."""
    side = entry_side(game)
    if game.trays.of(side) > 0 or not game.legal(side):
        return game
    return note(game, Incident(game.at_ns, IncidentType.OUT_OF_DISCS, side))


def rule_discs_moved(game: Game, ruling: Ruling) -> Game:
    """Record discs handed across to a player who has run out (woc-2019 IV.2, usoa 1.4)."""
    side, moved = ruling.player, ruling.count
    if side is None or moved is None:
        raise RefusedError("needs_discs_moved")
    if moved > game.trays.of(side.other):
        raise RefusedError("discs_left", player=side.other, count=max(0, game.trays.of(side.other)))
    trays = game.trays.with_(side, game.trays.of(side) + moved)
    return replace(game, trays=trays.with_(side.other, trays.of(side.other) - moved))
