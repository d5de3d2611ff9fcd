"""The score: empty squares, wipe-out, draw, the guarantee after a default (woc-2019 IV.6, IV.8, IV.9; usoa 4, 6.8)."""

from __future__ import annotations

from flagfall.othello.board import Position
from flagfall.othello.game import Game
from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import Rulebook
from flagfall.othello.side import Both, Side

# Discs of (Black, White): the players, by the names of the header.
Score = tuple[int, int]


def discs_of(game: Game) -> Score:
    """Return the discs of (Black, White), the players, in the position as it stands, or as they were counted."""
    if game.counted is not None:
        return game.counted
    discs = count(game.shown.known_through(game.before))
    return discs[::-1] if game.colours_reversed else discs


def draw_winner(game: Game) -> Side | None:
    """Return the player who wins a draw (woc-2019 IV.9): by the header, else by the rulebook."""
    if game.header.draw_win is not None:
        return game.header.draw_win
    rules_say = game.rules.score.draw_win
    return None if rules_say == "nobody" else Side(rules_say)


def count(position: Position) -> Score:
    """Return the discs lying on the board, (black discs, white discs)."""
    return position.black.bit_count(), position.white.bit_count()


def settled(discs: Score, rules: Rulebook) -> Score:
    """Return the score of a board that ended the game with these discs: empties, wipe-out, draw (woc-2019 IV.8; usoa
    4.2, 4.3, 4.4)."""
    black, white = discs
    if black == white:
        return rules.score.draw or discs
    if rules.score.wipe_out is not None and 0 in discs:
        return rules.score.wipe_out if black else rules.score.wipe_out[::-1]
    if rules.score.empties == "winner":
        return (64 - white, white) if black > white else (black, 64 - black)
    return discs


def guaranteed(score: Score, defaulter: Side, rules: Rulebook) -> Score:
    """Return the score after a time default: the other player has at least the text's guarantee.

    A player who won on the board keeps their score; a majority is enough (woc-2019 IV.6, usoa 6.8).
    """
    black, white = score
    if (white > black) if defaulter is Side.BLACK else (black > white):
        return score
    return against(defaulter, rules.flag.guarantee)


def warranted(game: Game, score: Score) -> Score:
    """Return the score with the discs that a default guarantees the other player (woc-2019 IV.6, usoa 6.8)."""
    return score if game.in_default is None else guaranteed(score, game.in_default, game.rules)


def alone(discs: Score, winner: Side, rules: Rulebook, *, stopped: bool) -> Score:
    """Return the score of a board on which the winner by default has played alone (jof J14, J15).

    It counts as it lies; if they stopped before the end the empty squares may be the defaulter's. They have won: a
    difference that is not theirs is the score of a default.
    """
    winner_discs, loser_discs = discs if winner is Side.BLACK else discs[::-1]
    if loser_discs == 0 and winner_discs and rules.score.wipe_out is not None:
        return against(winner.other, rules.score.wipe_out)
    if stopped and rules.flag.stop_empties == "defaulter":
        loser_discs = 64 - winner_discs
    return against(
        winner.other, (winner_discs, loser_discs) if winner_discs > loser_discs else rules.flag.first_score
    )


def against(loser: Side, score: Score) -> Score:
    """Return a (winner, loser) score as (Black, White)."""
    return score if loser is Side.WHITE else score[::-1]


def differences(reason: Reason, winner: Side | None, score: Score, rules: Rulebook) -> Both[int]:
    """Return the difference of discs that each player records: after a walkover the absent player loses more than the
    other wins, and after two flags both lose as in a default (jof J16, J18)."""
    black, white = score
    difference = Both(black - white, white - black)
    if reason is Reason.WALKOVER and winner is not None and rules.score.walkover_absent is not None:
        present, absent = rules.score.walkover_absent
        return difference.with_(winner.other, absent - present)
    if reason is Reason.BOTH_FLAGS:
        more, less = rules.flag.first_score
        return Both(less - more, less - more)
    return difference


def winner_of(score: Score, draw_win: Side | None) -> Side | None:
    """Return the player with more discs; a draw is nobody's, or that of the player with draw-win (woc-2019 IV.9)."""
    black, white = score
    if black == white:
        return draw_win
    return Side.BLACK if black > white else Side.WHITE
