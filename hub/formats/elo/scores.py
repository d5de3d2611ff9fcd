"""A written result as the rulebook can give it: what is certain is kept, what is not is noted.

The list rates by the sign alone: where sign and discs disagree the sign holds. A game without discs is entered as
33-31, or 32-32 where it is drawn, with `only` set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hub.formats.elo.results import WrittenResult
from hub.formats.elo.rounds import RatedGame, Section
from hub.formats.reading import Notes
from hub.ranking.scores import half_points_of_games
from hub.rulebook import FormatRules
from othello.message import N_

_UNKNOWN = {">": (33, 31), "<": (31, 33), "=": (32, 32)}
_FORFEIT = {">": (64, 0), "<": (0, 64), "=": (32, 32)}
_TURNED = {"<": ">", ">": "<", "=": "="}
_POINTS_NOT_DISCS = ((1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (0, 0))


def fitting(
    one: WrittenResult, rules: FormatRules, notes: Notes, *, swapped: bool, added: bool
) -> RatedGame | None:
    """Return the game of a result, whose sign counts before its discs, or None if nobody can tell.

    `swapped`: the file's letter B is blanc. An added one is kept as it stands: it counts in no standings.
    """
    assert one.two is not None
    number = one.line
    if one.one == one.two:
        notes.left_out(number, "player {id} against himself: left out", id=one.one)
        return None
    first_is_white = one.colour in ("W", "O", "○", "白") or (swapped and one.colour == "B")
    sign = one.sign or ("" if one.discs is None else _sign(*one.discs))
    if not sign:
        notes.left_out(number, "who won is not said: left out")
        return None
    if added and one.discs is not None:
        score, only = one.discs, False
    else:
        score, only = _score(one, sign, rules, notes)
    black, white = one.one, one.two
    if first_is_white:
        black, white, score, sign = white, black, (score[1], score[0]), _TURNED[sign]
    return RatedGame(
        number, black, white, score=score, sign=sign, only=only, forfeit=one.forfeit, paragraph=one.paragraph
    )


def _sign(a: int, b: int) -> str:
    return ">" if a > b else "<" if a < b else "="


def _score(one: WrittenResult, sign: str, rules: FormatRules, notes: Notes) -> tuple[tuple[int, int], bool]:
    """Return (discs, whether they are not the file's) of the player who is written first."""
    number, unknown = one.line, _UNKNOWN[sign]
    if one.forfeit:
        return _FORFEIT[sign], one.discs is None
    if one.discs is None or one.discs in _POINTS_NOT_DISCS:
        notes.changed(number, "a result without discs: entered as {a}-{b}", a=unknown[0], b=unknown[1])
        return unknown, True
    a, b = one.discs
    by_discs = _sign(a, b)
    if a == b == 32 and sign != "=":
        return (32, 32), False  # a draw that somebody won: decided with the list's points in `won_draws`
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
    """Fewer than 64 discs: empty squares are the winner's where the rulebook gives them to him."""
    a, b = score = discs
    if rules.empties_to_winner:
        score = {">": (64 - b, b), "<": (a, 64 - a), "=": (32, 32)}[sign]
    elif min(a, b) == 0 and max(a, b) != 64:
        score = (64, 0) if a > b else (0, 64)
    if score != discs:
        notes.changed(number, "{a}-{b} is not 64 discs: entered as {c}-{d}", a=a, b=b, c=score[0], d=score[1])
    return score


def won_draws(sections: Sequence[Section], told: Mapping[str, int], notes: Notes) -> None:
    """A draw that somebody won is his where the list's points say so, else a draw; the line is noted."""
    counted = [section for section in sections if not section.added]
    earned = half_points_of_games(result for section in counted for result in section.results)
    for section in counted:
        for nth, result in enumerate(section.results):
            if result.score != (32, 32) or result.sign == "=":
                continue
            winner, loser = result.players[:: 1 if result.sign == ">" else -1]
            by_points = winner in told and (told[winner] - earned[winner]) % 2 == 1
            if by_points and loser in told and told[loser] < earned[loser]:
                earned[winner] += 1
                earned[loser] -= 1
                section.results[nth] = replace(result, score=_UNKNOWN[result.sign], only=True)
                why = N_("a draw that player {winner} won, by the list's points too: entered as 33-31")
            else:
                why = N_("a draw that player {winner} won: entered as a draw")
            notes.changed(result.line, why, winner=winner)
