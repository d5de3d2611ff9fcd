"""Discs counted by people at the end of a clock game, by the judge or by both players."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, State
from flagfall.othello.inputs import Agree, Ruling
from flagfall.othello.judging.end import finish_by_board
from flagfall.othello.judging.flags.ways import way_of
from flagfall.othello.judging.last_press import at_last_press
from flagfall.othello.judging.score import Score
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side


def rule_enter_score(game: Game, ruling: Ruling) -> Game:
    """Enter the discs counted at the end of a clock game, which ended at its last press, unless the judge says that a
    flag fell since and before the last move was complete (usoa 4.1, 6.2)."""
    if ruling.score is None:
        raise RefusedError("needs_discs")
    return _score_counted(game, ruling.score, ruling.flag_before)


def agree(game: Game, entry: Agree) -> Game:
    """Record the score that a player states at a table without a judge; when both have stated the same it is final
    (woc-2019 IV.8)."""
    if game.header.judged:
        raise RefusedError("judge_enters")
    stated = game.stated.with_(entry.by, (entry.black, entry.white))
    _must_be_countable(game)
    _must_be_discs((entry.black, entry.white))
    game = replace(game, stated=stated)
    if stated.black != stated.white:
        return game
    return replace(_score_counted(game, (entry.black, entry.white)), end_accepted=Both(True, True))


def flags_in_question(game: Game) -> tuple[Side, ...]:
    """Return the players whose flag has fallen since the last press of a game that can be counted. Before its count
    is entered the judge is asked whether that flag fell before the move was complete (`flag_before`)."""
    return tuple(side for side in Side if countable(game) and game.at_flag.of(side) is not None)


def countable(game: Game) -> bool:
    """Tell whether the discs can be counted in now, or again."""
    try:
        _must_be_countable(game)
    except RefusedError:
        return False
    return game.state is not State.WAITING


def _must_be_countable(game: Game) -> None:
    """Raise RefusedError unless this is a clock game that has not ended otherwise. A count can be entered again until
    somebody has signed; a game lost on time may have been over before."""
    if game.counted is None and game.reads_board:
        raise RefusedError("board_counts")
    if game.over and game.counted is None and not game.ended_by(Reason.SECOND_FLAG):
        raise RefusedError("is_finished")
    last, lost = game.last_press, game.defaulter
    if game.over and last is not None and lost is not None and last.flags.of(lost).untold:
        # Claimed in time: the flag was down when the last press was made.
        raise RefusedError("is_finished")
    for side in Side:
        if game.over and game.signed.of(side):
            raise RefusedError("has_signed", player=side)
    if game.over and game.ended_by(Reason.RULED):
        raise RefusedError("is_finished")


def _must_be_discs(discs: Score) -> None:
    if not 1 <= sum(discs) <= 64:
        raise RefusedError("discs_together", black=discs[0], white=discs[1])


def _score_counted(game: Game, discs: Score, flag_before: Side | None = None) -> Game:
    _must_be_countable(game)
    _must_be_discs(discs)
    if flag_before is None and game.self_play is not None:
        # It goes on after the last press: the default stands, and the time that it took is used.
        return finish_by_board(replace(game, counted=discs))
    if flag_before is None:
        return finish_by_board(replace(at_last_press(game), counted=discs))
    return way_of(game.rules).count_before(replace(game, counted=discs), flag_before)
