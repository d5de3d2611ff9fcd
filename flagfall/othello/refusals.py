"""Reasons for refusing an input, and warnings: each by its key, with its English text.

The catalogues translate them (`flagfall/base/words.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from flagfall.base.errors import FlagfallError
from flagfall.base.message import Message, Value
from flagfall.othello.rulebook import Rulebook

SIDES = {"black": "Black", "white": "White"}

# The words of sides and states in a line that is shown to people, by their keys.
WORDS: Mapping[str, str] = {
    **SIDES,
    "state_waiting": "waiting",
    "state_running": "running",
    "state_stopped": "stopped",
    "state_correcting": "being corrected",
    "state_finished": "finished",
    "state_signed": "signed",
    "state_choosing": "waiting for the choice of the winner by default",
    "state_accepting": "over, and waiting to be accepted",
    "state_alone": "played alone by the winner by default",
}

REFUSALS: Mapping[str, str] = {
    "not_in_state": "not while the game is {state}",
    # before the game
    "start_given": "the signal to start was given already",
    "start_not_given": "the signal to start has not been given",
    "has_begun": "the game has begun",
    "director_starts_clock": "the director starts the clock of a late player under {rulebook}",
    "no_hidden_disc": "colours are not drawn in this way under {rulebook}",
    "colours_drawn": "the colours have been drawn",
    "needs_choice": "expected what was chosen: black, white or draw_win",
    "needs_colour": "expected the colour that the other player takes: black or white",
    "plays_called_face": "{player} is the colour of the face that was called",
    # clocks and flags
    "judge_stops": "at a judged table the judge stops the clocks",
    "director_stops": "only the director stops the clocks",
    "judge_starts_again": "at a judged table the judge starts the clocks again",
    "director_starts_again": "only the director starts the clocks again",
    "half_of_time_left": "no more than half of the time left can be taken away: {left}",
    "all_of_time_left": "no more than the time left can be taken away: {left}",
    "flag_needs_no_word": "a flag need not be pointed out under {rulebook}",
    "flag_too_late": "the game has ended: a flag is pointed out before",
    "flag_not_fallen": "the flag of {player} has not fallen",
    "flag_claimed": "the flag of {player} has been claimed: the move in hand is completed first",
    "players_claim": "only players claim a flag under {rulebook}",
    "winner_chooses": "only {player}, who has won by default, chooses",
    "choice_made": "the choice has been made",
    "no_self_play": "nobody plays alone under {rulebook}",
    "default_needs_no_word": "a default needs no confirmation under {rulebook}",
    "no_default": "no default awaits confirmation",
    "no_flag": "no flag of {player} has fallen",
    "move_in_hand": "the move in hand is completed first",
    # errors
    "end_accepted": "the end has been accepted, and the last move with it",
    "end_needs_no_word": "the last press ends a game under {rulebook}",
    "opponent_accepts": "{player}, who did not make the last move, accepts the end",
    "has_accepted": "{player} has accepted the end already",
    "not_over": "the game is not over: moves are left",
    "no_error_here": "moving out of turn is no error to be put right under {rulebook}",
    "no_such_error": "no such error stands in the last move",
    "lies_right": "the disc on {square} lies right",
    "far_position": "too many discs are missing or added: the corrected position counts",
    "no_error_open": "no error in the last move is open",
    "error_accepted": "the next commitment has accepted that error",
    "position_accepted": "the next commitment has accepted the position",
    "only_last_move": "only the most recent move, that of {player}, can be challenged",
    "no_move": "no move stands that could be challenged",
    "name_error": "the demand must name the error",
    "name_legal_move": "the demand must name a legal move that was there",
    "no_offender": "nobody is named as the offender",
    "no_wrong_colour": "no disc of the wrong colour can be taken back",
    "correcting_already": "an error is being corrected already",
    "correcting": "an error is being corrected",
    "nothing_corrected": "nothing is being corrected",
    "ended_otherwise": "the game has ended otherwise: {reason}",
    "no_touch": "no touch binds anybody",
    # board and discs
    "no_board": "this table has no sensor board",
    "no_board_now": "this table has no sensor board now",
    "board_reads": "the sensor board reads the moves",
    "board_counts": "the sensor board counts the discs",
    "squares_unknown": "a position that is set has no unknown squares",
    "discs_left": "discs that {player} has left: {count}",
    # moves and scores entered
    "is_finished": "the game is finished",
    "can_move": "{player} has a legal move and cannot pass",
    "not_legal": "not a legal move of {player}",
    "judge_enters": "the judge enters the score at this table",
    "discs_together": "expected 1 to 64 discs together, got {black}-{white}",
    "score_of_64": "expected a score of 64 discs together, got {black}-{white}",
    "score_within_64": "expected a score of at most 64 discs together, got {black}-{white}",
    "below_guarantee": "the default guarantees at least {black}-{white}",
    "score_won": "expected a score that {player} wins by, got {black}-{white}",
    "has_lost": "{player} has lost already",
    "not_resigned": "no player has resigned",
    "resignation_stands": "a resignation can be taken back within ten seconds, and before any ruling",
    "taken_back_already": "{player} has taken the resignation back already",
    "has_signed": "{player} has signed already",
    # a ruling without what it needs
    "needs_player": "expected a player, black or white",
    "needs_time": "expected a player and seconds",
    "needs_position": "expected squares and to_move",
    "needs_discs_moved": "expected to and count",
    "needs_discs": "expected the discs of both colours",
    "needs_score": "expected a score",
    # a ruling of the hub
    "not_at_table": "this game is not at this table",
}

WARNINGS: Mapping[str, str] = {
    "time_too_short": "{minutes:g} minutes each are too few: {rulebook} requires at least {least:g}",
    "resigned_after_default": "{player} resigned, but had won on time: call the director",
}


# Refusals that follow from a clause: the key of it in each rulebook's `cites`. Where a rulebook has none, nothing is
# cited.
CITED: Mapping[str, str] = {
    "judge_stops": "judge_stops",
    "director_stops": "players_stop",
    "judge_starts_again": "judge_starts_again",
    "director_starts_again": "director_starts_again",
    "half_of_time_left": "most_time_removed",
    "flag_claimed": "move_in_hand",
    "move_in_hand": "move_in_hand",
    "error_accepted": "acceptance",
    "position_accepted": "acceptance",
    "only_last_move": "acceptance",
    "name_error": "demand_names_error",
    "name_legal_move": "demand_names_error",
    "below_guarantee": "guarantee",
}


def with_clause(why: Message, rules: Rulebook) -> Message:
    """Return a refusal with the clause of this rulebook's text that it follows from, if there is one."""
    clauses = rules.cites.get(CITED.get(why.key or "", ""), ())
    return replace(why, clause=", ".join(clauses)) if clauses else why


def refusal(key: str, /, **values: Value) -> Message:
    """Return the reason for a refusal."""
    return Message.keyed(REFUSALS, key, values)


def warning(key: str, /, **values: Value) -> Message:
    """Return a warning of a game."""
    return Message.keyed(WARNINGS, key, values)


class RefusedError(FlagfallError):
    """The law does not allow this input now. Only `referee.judge` sees it."""

    def __init__(self, key: str, **values: Value) -> None:
        super().__init__(refusal(key, **values))
