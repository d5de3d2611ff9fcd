"""The end of a game, its score, and changes of its result afterwards (woc-2019 IV.6, IV.8; usoa 4, 6.8)."""

from __future__ import annotations

from flagfall.othello.board import Position
from flagfall.othello.game import Awaits, ErrorState, Game, Incident, IncidentType, Outcome, State
from flagfall.othello.inputs import Rule, Ruling, Sign
from flagfall.othello.judging.record import with_error
from flagfall.othello.judging.starting import as_started_right
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError
from flagfall.othello.rulebook import Rulebook
from flagfall.othello.side import Both, Side
from flagfall.othello.value import Growing, replace


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


def finish(game: Game, reason: Reason, score: Score) -> Game:
    """Stop the clocks with this score, which both players sign (woc-2019 IV.8). An error being corrected is left
    open."""
    if game.correction is not None:
        game = with_error(game, game.correction.incident, ErrorState.OPEN)
    winner = None if reason is Reason.BOTH_FLAGS else winner_of(score, draw_winner(game))
    return replace(
        game,
        clock=game.clock_running(None),
        state=State.FINISHED,
        outcome=Outcome(reason, winner, score),
        outcome_before=game.outcome,
        signed=Both(False, False),
        correction=None,
        awaits=None,
        claimed=None,
    )


def lose(game: Game, side: Side, reason: Reason) -> Game:
    """End the game against this player; where the rulebook lets the winner choose, once they have chosen."""
    rule, walkover = game.rules.flag, game.rules.score.walkover
    there = reason in (Reason.SECOND_FLAG, Reason.BEYOND_REPAIR) and game.absent is not side
    if walkover is not None and not there and not begun(game):
        return finish(game, Reason.WALKOVER, against(side, walkover))
    game = replace(game, defaulter=side, lost_by=reason)
    if not rule.self_play:
        return finish(game, reason, against(side, rule.first_score))
    return replace(
        game,
        state=State.STOPPED,
        clock=game.clock_running(None),
        awaits=Awaits.DEFAULT_CHOICE,
        claimed=None,
        outcome=None,
        signed=Both(False, False),
        ready=Both(False, False),
        correction=None,
    )


def warranted(game: Game, score: Score) -> Score:
    """Return the score with the discs that a default guarantees the other player."""
    return score if game.in_default is None else guaranteed(score, game.in_default, game.rules)


def finish_self_play(game: Game) -> Game:
    """End what the winner by default has played alone; without a board the discs are still to be counted. Who has time
    and moves left has stopped."""
    winner = game.self_play
    if winner is None or (game.counted is None and (not game.reads_board or game.owed > 0)):
        return replace(game, state=State.STOPPED, clock=game.clock_running(None))
    had_time = game.clock.left_ns(winner, game.at_ns) > 0
    stopped = game.counted is None and had_time and not game.before.over()
    score = alone(discs_of(game), winner, game.rules, stopped=stopped)
    reason = Reason.DEFAULT if game.lost_by in (None, Reason.SECOND_FLAG) else game.lost_by
    ended = finish(game, reason, score)
    return replace(ended, outcome=ended.outcome and replace(ended.outcome, played_alone=True))


def finish_by_board(game: Game) -> Game:
    """End the game by the discs on the board, or as counted, within the guarantee of a default."""
    if game.self_play is not None:
        return finish_self_play(game)
    score = warranted(game, settled(discs_of(game), game.rules))
    return finish(game, Reason.DEFAULT if any(game.flags) else Reason.BOARD, score)


def settle_again(game: Game) -> Game:
    """Score a game anew that the board had ended; one that ended otherwise keeps its score."""
    return finish_by_board(game) if game.ended_by_board else game


# No game that started right can end before.
_FEWEST_MOVES = 9


def board_ends(game: Game) -> Game:
    """End a game in which nobody can move: at once, or when the last mover's opponent accepts it (jof J9)."""
    if game.rules.ended_by == "press" or game.self_play is not None:
        return finish_by_board(game)
    if game.end_accepted.of(game.last_mover.other):
        return finish_by_board(with_errors_settled(game))
    return replace(game, awaits=Awaits.ACCEPT_END)


def late_end(game: Game) -> Game:
    """End a game whose last moves are known late, as of its last press."""
    if game.rules.ended_by == "press":
        return board_ends(at_last_press(game))
    last = game.last_press
    return board_ends(game if last is None else replace(game, unclaimed=last.unclaimed))


def end_if_over(game: Game) -> Game:
    """End the game at the press after which neither player can move (usoa 4.1), but not by a wrong start alone."""
    over = game.before.over() and not (game.astray and len(game.moves) < _FEWEST_MOVES)
    return board_ends(game) if over else game


def no_show(game: Game) -> bool:
    """Tell whether the game was forfeited or lost on time before anybody moved, as far as is known (rulebooks.md,
    reading 33)."""
    return not begun(game) and game.ended_by(Reason.FORFEIT, Reason.SECOND_FLAG, Reason.WALKOVER)


def begun(game: Game) -> bool:
    """Tell whether anybody has moved, as far as is known."""
    if game.has_moved or game.last is not None or game.owed:
        return True
    return as_started_right(game).occupied != game.start.occupied


def remember_press(game: Game) -> Game:
    """Keep the game at this press: a clock game may turn out to have ended here."""
    return replace(game, last_press=_halted(game), at_flag=Both(None, None))


def remember_flag(game: Game, side: Side) -> Game:
    """Keep what this player's flag has made of the game: the judge may say later that the move was not complete.

    A later flag since the same press is not kept: no count would be entered if that had fallen in time.
    """
    return game if game.at_flag.of(side) else replace(game, at_flag=game.at_flag.with_(side, _halted(game)))


def _halted(game: Game) -> Game:
    return replace(game, clock=game.clock_running(None), last_press=None, at_flag=Both(None, None))


def at_last_press(game: Game) -> Game:
    """Return a clock game as over at its last press: time charged since is given back, and a flag that fell since
    stays on record without effect."""
    return game if game.last_press is None else _clocks_of(game, game.last_press)


def at_flag_before(game: Game, side: Side) -> Game:
    """Return a clock game whose last move was not complete when this player's flag fell: the flag counts, noticed and
    confirmed, and time charged since is given back. The outcome is that of the flag alone."""
    was = game.at_flag.of(side)
    if was is not None:
        game = replace(_clocks_of(game, was), outcome=was.outcome)
    elif game.flags.of(side):
        game = replace(at_last_press(game), outcome=None)
    else:
        raise RefusedError("no_flag", player=side)
    return replace(
        game, unconfirmed=game.unconfirmed.with_(side, False), noticed=game.noticed.with_(side, True)
    )


def _clocks_of(game: Game, was: Game) -> Game:
    """Return the game with the time and the flags of an earlier instant."""
    return replace(
        game,
        clock=replace(was.clock, since_ns=game.at_ns),
        flags=was.flags,
        defaulter=was.defaulter,
        unconfirmed=was.unconfirmed,
        unclaimed=was.unclaimed,
        in_byoyomi=was.in_byoyomi,
        noticed=was.noticed,
    )


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


def sign(game: Game, entry: Sign) -> Game:
    """Record a player's signature; with both signatures every open error is accepted."""
    if game.signed.of(entry.by):
        raise RefusedError("has_signed", player=entry.by)
    game = replace(game, signed=game.signed.with_(entry.by, True))
    return replace(with_errors_settled(game), state=State.SIGNED) if all(game.signed) else game


def with_errors_settled(game: Game) -> Game:
    """Accept every open error, except those that were put right by hand before."""
    lies = game.shown if game.turn.disc_down is None else game.lies
    mended = game.last is not None and not game.last.right.differences(lies)
    incidents = Growing.of(
        replace(incident, state=_signed_as(incident, mended))
        if incident.state is ErrorState.OPEN
        else incident
        for incident in game.incidents
    )
    return replace(game, incidents=incidents)


def _signed_as(error: Incident, mended: bool) -> ErrorState:
    """Return the state of an error after both signatures: a misflip put right by hand is corrected, others are
    accepted."""
    right = mended and error.type is IncidentType.MISFLIP
    return ErrorState.CORRECTED if right else ErrorState.ACCEPTED


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


# Discs of (Black, White): the players, by the names of the header.
Score = tuple[int, int]


def count(position: Position) -> Score:
    """Return the discs lying on the board, (black discs, white discs)."""
    return position.black.bit_count(), position.white.bit_count()


def settled(discs: Score, rules: Rulebook) -> Score:
    """Return the score of a board that ended the game with these discs: empties, wipe-out, draw."""
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
