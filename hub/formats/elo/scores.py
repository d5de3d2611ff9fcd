"""A written result as the rulebook can give it: certain parts are kept, doubtful ones are noted.

The list rates by the sign alone: if sign and discs disagree the sign counts. A game without discs is entered as
33-31, or 32-32 if it is drawn, with `only` set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from flagfall.othello.message import N_
from hub.formats.elo.results import WrittenResult
from hub.formats.elo.rounds import RatedGame, Section
from hub.formats.reading import Notes
from hub.ranking.scores import half_points_of_games
from hub.rulebook import FormatRules

_UNKNOWN = {">": (33, 31), "<": (31, 33), "=": (32, 32)}
_FORFEIT = {">": (64, 0), "<": (0, 64), "=": (32, 32)}
_TURNED = {"<": ">", ">": "<", "=": "="}
_POINTS_NOT_DISCS = ((1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (0, 0))


def fit_result(
    result: WrittenResult, rules: FormatRules, notes: Notes, *, swapped: bool, added: bool
) -> RatedGame | None:
    """Return the game of a result, whose sign counts before its discs, or None if nobody can tell.

    `swapped`: the file's letter B is blanc. An `added` result is kept as it is: it counts in no standings.
    """
    assert result.second is not None
    number = result.line
    if result.first == result.second:
        notes.left_out(number, "player {id} against himself: left out", id=result.first)
        return None
    first_is_white = result.colour in ("W", "O", "○", "白") or (swapped and result.colour == "B")
    sign = result.sign or ("" if result.discs is None else _sign(*result.discs))
    if not sign:
        notes.left_out(number, "who won is not said: left out")
        return None
    if added and result.discs is not None:
        score, only = result.discs, False
    else:
        score, only = _score(result, sign, rules, notes)
    black, white = result.first, result.second
    if first_is_white:
        black, white, score, sign = white, black, (score[1], score[0]), _TURNED[sign]
    return RatedGame(
        number,
        black,
        white,
        score=score,
        sign=sign,
        only=only,
        forfeit=result.forfeit,
        paragraph=result.paragraph,
    )


def _sign(a: int, b: int) -> str:
    return ">" if a > b else "<" if a < b else "="


def _score(
    result: WrittenResult, sign: str, rules: FormatRules, notes: Notes
) -> tuple[tuple[int, int], bool]:
    """Return the discs, those of the player who is written first in front, and True if they are not the file's."""
    number, unknown = result.line, _UNKNOWN[sign]
    if result.forfeit:
        return _FORFEIT[sign], result.discs is None
    if result.discs is None or result.discs in _POINTS_NOT_DISCS:
        notes.changed(number, "a result without discs: entered as {a}-{b}", a=unknown[0], b=unknown[1])
        return unknown, True
    a, b = result.discs
    by_discs = _sign(a, b)
    if a == b == 32 and sign != "=":
        return (32, 32), False  # a draw that somebody won: `settle_won_draws` decides by the list's points
    if sign != by_discs and a != b and sign != "=":
        notes.changed(number, "the sign {sign} between {a} and {b}: entered as {b}-{a}", sign=sign, a=a, b=b)
        a, b = b, a
    elif sign != by_discs:
        notes.changed(number, "the sign {sign} between {a} and {b}: the sign holds", sign=sign, a=a, b=b)
        return unknown, True
    if a + b > 64:
        why = N_("{a}-{b} is more than 64 discs: entered as {c}-{d}")
        notes.changed(number, why, a=a, b=b, c=unknown[0], d=unknown[1])
        return unknown, True
    return ((a, b) if a + b == 64 else _short_score(number, (a, b), sign, rules, notes)), False


def _short_score(
    number: int, discs: tuple[int, int], sign: str, rules: FormatRules, notes: Notes
) -> tuple[int, int]:
    """Return the score of fewer than 64 discs: the winner gets the empty squares if the rulebook gives them."""
    a, b = score = discs
    if rules.empties_to_winner:
        score = {">": (64 - b, b), "<": (a, 64 - a), "=": (32, 32)}[sign]
    elif min(a, b) == 0 and max(a, b) != 64:
        score = (64, 0) if a > b else (0, 64)
    if score != discs:
        notes.changed(number, "{a}-{b} is not 64 discs: entered as {c}-{d}", a=a, b=b, c=score[0], d=score[1])
    return score


def settle_won_draws(sections: Sequence[Section], listed: Mapping[str, int], notes: Notes) -> None:
    """Settle draws that somebody won: a win if the list's points say so, else a draw. The line is noted."""
    counted = [section for section in sections if not section.added]
    earned = half_points_of_games(result for section in counted for result in section.results)
    for section in counted:
        for nth, result in enumerate(section.results):
            if result.score != (32, 32) or result.sign == "=":
                continue
            winner, loser = result.players[:: 1 if result.sign == ">" else -1]
            by_points = winner in listed and (listed[winner] - earned[winner]) % 2 == 1
            if by_points and loser in listed and listed[loser] < earned[loser]:
                earned[winner] += 1
                earned[loser] -= 1
                section.results[nth] = replace(result, score=_UNKNOWN[result.sign], only=True)
                why = N_("a draw that player {winner} won, by the list's points too: entered as 33-31")
            else:
                why = N_("a draw that player {winner} won: entered as a draw")
            notes.changed(result.line, why, winner=winner)
