"""A fallen flag that counts only when a player says so: claimed by the opponent or admitted (jof J15, J16).

Until then nothing tells of it: neither a mark nor an incident. A flag that is down on both sides loses for both.
"""

from __future__ import annotations

from flagfall.othello.game import ErrorState, Game, Incident, IncidentType, State
from flagfall.othello.inputs import AdmitFlag, ClaimFlag, Ruling
from flagfall.othello.judging.corrected import right_position, take_back
from flagfall.othello.judging.ending import finish, lose
from flagfall.othello.judging.flags import (
    confirm_default,
    counts_after_the_last_move,
    move_in_hand,
    point_out,
)
from flagfall.othello.judging.plies import count_ply
from flagfall.othello.judging.reading import read, see_disc
from flagfall.othello.judging.record import MOVES_AGAIN, note, with_error
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side
from flagfall.othello.value import replace


def claim_flag(game: Game, entry: ClaimFlag) -> Game:
    """Record a player's claim that the opponent's flag has fallen."""
    return claim(game, entry.by.other)


def admit_flag(game: Game, entry: AdmitFlag) -> Game:
    """Record a player's word that their own flag has fallen."""
    return claim(game, entry.by)


def claim(game: Game, side: Side) -> Game:
    """Let this player's fallen flag count from now on; with a move in hand, once that is completed (jof J15)."""
    if game.rules.flag.takes_effect != "claimed":
        return point_out(game, side)
    late = game.over and not _can_be_claimed_after_the_end(game, side)
    if late or not counts_after_the_last_move(game, side):
        raise RefusedError("flag_too_late")
    if game.unclaimed.of(side) is None:
        raise RefusedError("flag_not_fallen", player=side)
    if game.claimed is not None:
        raise RefusedError("flag_claimed", player=game.claimed)
    return settle_claim(replace(game, claimed=side))


def count_flag_before(game: Game, side: Side) -> Game:
    """Let a flag count that players have claimed at a table without a board, as the judge who enters the discs says."""
    if game.unclaimed.of(side) is None:
        raise RefusedError("no_flag", player=side)
    return _loses(game, side)


def lose_by_error(game: Game, side: Side) -> Game:
    """Let an error that is pointed out to a player in the count-down cost the flag, where the rulebook says so."""
    in_byoyomi = game.in_byoyomi.of(side) and game.self_play is None
    if game.rules.flag.byoyomi_error == "corrected" or not in_byoyomi:
        return game
    return _loses(replace(game, unclaimed=game.unclaimed.with_(side, game.at_ns)), side)


def rule_confirm_default(game: Game, ruling: Ruling) -> Game:
    """Confirm a default for the director (usoa 6.5); where players claim flags, that both are down (jof J16)."""
    rule, down = game.rules.flag, [side for side in Side if game.unclaimed.of(side) is not None]
    if rule.takes_effect != "claimed":
        return confirm_default(game, ruling)
    if rule.both_score is None or len(down) < len(Side) or game.over:
        raise RefusedError("players_claim", rulebook=game.rules.id)
    return _loses(game, game.to_move)


def _can_be_claimed_after_the_end(game: Game, side: Side) -> bool:
    """Tell whether the board ended the game by a move of this player, whose flag may have been down before."""
    agreed = all(game.signed.of(player) or game.end_accepted.of(player) for player in Side)
    return game.ended_by(Reason.BOARD) and side is game.last_mover and not agreed


def settle_claim(game: Game) -> Game:
    """Let a claimed flag take effect as soon as no move is in its player's hand."""
    side = game.claimed
    if side is None or (game.to_move is side and move_in_hand(game)):
        return game
    return _loses(game, side)


def _loses(game: Game, side: Side) -> Game:
    """Count the flag, and the other's where it is down too; the game is over."""
    rule, before = game.rules.flag, game
    game = replace(_with_move_made(_without_correction(game), side), claimed=None)
    down = [player for player in Side if game.unclaimed.of(player) is not None]
    if rule.both_score is None or len(down) < len(Side):
        down = [side]
    for player in down:
        fell_ns = game.unclaimed.of(player)
        game = note(game, Incident(game.at_ns if fell_ns is None else fell_ns, IncidentType.FLAG, player))
        game = replace(game, flags=game.flags.with_(player, game.flags.of(player) + 1))
    game = replace(game, unclaimed=Both(None, None), outcome=None, default_from=before)
    if rule.both_score is not None and len(down) > 1:
        return finish(game, Reason.BOTH_FLAGS, rule.both_score)
    return lose(game, side, Reason.SECOND_FLAG)


def _with_move_made(game: Game, side: Side) -> Game:
    """Count this player's move that lies whole on the board, though nobody has pressed."""
    if game.state is not State.RUNNING or game.to_move is not side or not game.reads_board or game.owed:
        return game
    reading = read(game)
    return count_ply(game, reading) if reading.whole(game.plays_black(side)) else game


def _without_correction(game: Game) -> Game:
    """End the correction that a claim interrupts: the move stands as it should be, or is taken back."""
    correction = game.correction
    if correction is None:
        return game
    if correction.kind in MOVES_AGAIN:
        return replace(take_back(game, correction), correction=None)
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    right = right_position(game)
    return see_disc(replace(game, correction=None, before=right, shown=right))
