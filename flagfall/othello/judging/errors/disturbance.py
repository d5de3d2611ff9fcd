"""Discs that changed in nobody's move: the innocent are not charged with them (woc-2019 IV.5.3, V.1; usoa 7.6)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, Incident, IncidentType
from flagfall.othello.judging.incidents import note
from flagfall.othello.reading.last_move import left_wrong


def note_disturbed(game: Game, squares: int) -> Game:
    """Record discs that changed in nobody's move, without a culprit; before the first move it is the start (woc-2019
    IV.5.3, usoa 7.6)."""
    squares &= ~game.start_to_mend
    begins = game.last is None and not game.has_moved and game.before == game.start
    kind = (
        IncidentType.WRONG_START if begins and not squares & ~game.start.occupied else IncidentType.DISTURBED
    )
    return note(game, Incident(game.at_ns, kind, None, squares)) if squares else game


def as_it_lies(game: Game) -> Game:
    """Accept squares that changed while the clocks stood as nobody's move (woc-2019 IV.5.3). Earlier changes may be
    flips of the move in hand; an error of the last move stays open in the squares that it left wrong."""
    turn = game.turn
    in_hand = turn.disc_down is not None and not turn.while_stopped >> turn.disc_down & 1
    if turn.lay is None or in_hand or turn.touched:
        return game
    changed = game.before.differences(turn.lay) & turn.while_stopped & ~left_wrong(game)
    return replace(note_disturbed(game, changed), before=game.before.with_squares(changed, turn.lay))
