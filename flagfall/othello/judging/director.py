"""The director's penalties: score, a game lost, drawn or awarded (woc-2019 V.1, V.2; usoa 7.6, 9).

Nothing else penalises, and nobody innocent: discs that changed in nobody's move are on record without a culprit
(`errors/disturbance.py`), and doubtful ones are held against nobody until somebody speaks of them
(`errors/doubtful_discs.py`).
"""

from __future__ import annotations

from flagfall.othello.game import Awaits, Game
from flagfall.othello.inputs import Rule, Ruling
from flagfall.othello.judging.end import finish, lose
from flagfall.othello.judging.score import Score, against, warranted, winner_of
from flagfall.othello.judging.walkover import begun
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side


def rule_loses(game: Game, ruling: Ruling) -> Game:
    """End the game against a player who forfeits, or has disturbed the board beyond repair (usoa 7.6): 64-0, or as in
    a default (jof J17)."""
    loser, rules, reason = player_of(ruling), game.rules, Reason(ruling.rule)
    if rules.score.resigned == "as in a default":
        if game.over or game.awaits is Awaits.DEFAULT_CHOICE or game.self_play is not None:
            return finish(game, reason, against(loser, rules.flag.first_score))
        return lose(game, loser, reason)
    if ruling.rule is Rule.FORFEIT and rules.score.walkover is not None and not begun(game):
        return finish(game, Reason.WALKOVER, against(loser, rules.score.walkover))
    return finish(game, reason, against(loser, (64, 0)))


def rule_award(game: Game, ruling: Ruling) -> Game:
    """Award the game to a player (woc-2019 V.2.c), 64-0 unless the ruling has a score that they win by."""
    winner = player_of(ruling)
    score = ruling.score if ruling.score is not None else against(winner.other, (64, 0))
    _must_fit(game, score)
    if winner_of(score, None) is not winner:
        raise RefusedError("score_won", player=winner, black=score[0], white=score[1])
    return finish(game, Reason.AWARDED, score)


def rule_draw(game: Game, ruling: Ruling) -> Game:
    """Declare a draw for the director (woc-2019 V.2.c)."""
    return finish(game, Reason.RULED, (32, 32))


def rule_set_score(game: Game, ruling: Ruling) -> Game:
    """Change the score for the director (woc-2019 V.2.b), not below the guarantee of a default; both sign anew. A
    ruling that is taken back leaves the game ended as it was."""
    if ruling.score is None:
        raise RefusedError("needs_score")
    _must_fit(game, ruling.score)
    before = game.outcome_before
    if ruling.undoes is not None and before is not None and before.score == ruling.score:
        return finish(game, before.reason, before.score)
    least = warranted(game, ruling.score)
    if least != ruling.score:
        # Whoever won by default has at least this; a score changed in silence would not be what was ruled.
        raise RefusedError("below_guarantee", black=least[0], white=least[1])
    return finish(game, Reason.RULED, ruling.score)


def player_of(ruling: Ruling) -> Side:
    if ruling.player is None:
        raise RefusedError("needs_player")
    return ruling.player


def _must_fit(game: Game, score: Score) -> None:
    """Raise RefusedError unless the score has as many discs as the rules ask, empty squares counted or left out."""
    rules, discs = game.rules, sum(score)
    all_64 = rules.score.empties == "winner" and not rules.flag.self_play
    if discs > 64 or (all_64 and discs < 64):
        why = "score_of_64" if all_64 else "score_within_64"
        raise RefusedError(why, black=score[0], white=score[1])
