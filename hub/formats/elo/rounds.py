"""The rounds of a `.ELO` file: its results divided into rounds and settled, and its missed rounds.

Results are divided by the file's marks, by its paragraphs, or at a player who comes again. The list rates by the sign
alone: if sign and discs disagree the sign counts. A game without discs is entered as 33-31, or 32-32 if it is drawn,
with `only` set. The reasons why a player has no game in a round are inferred from their points: more points than the
player's games gave mean byes. Otherwise rounds were missed: before the first game a late entry, after the last one a
withdrawal, between them absences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from flagfall.base.message import N_
from flagfall.othello.reason import Reason
from hub.form.tournament import MOST_ROUNDS
from hub.formats.elo.lines import WrittenResult
from hub.formats.free_rounds import FreeRounds
from hub.formats.reading import Notes
from hub.model.games import OfTwo, Round
from hub.ranking.scores import half_points_of_games
from hub.rulebook import FormatRules


@dataclass(frozen=True, slots=True)
class RatedGame(OfTwo):
    """One game, black first."""

    line: int
    black: str
    white: str
    score: tuple[int, int]
    # Black's.
    sign: str
    # The discs are not the file's.
    only: bool = False
    forfeit: bool = False
    paragraph: int = 0
    # The player who wins a draw.
    draw_win: str | None = None
    # Both flags fell, and both have lost (jof J16).
    both_lost: bool = False

    @property
    def reason(self) -> Reason:
        if self.both_lost:
            return Reason.BOTH_FLAGS
        return Reason.FORFEIT if self.forfeit else Reason.BOARD


@dataclass(slots=True)
class Section:
    """Results under one mark, or under none."""

    marked: bool = False
    # That of the mark.
    number: str = ""
    # The results belong to no round.
    added: bool = False
    # Results on lines of their own.
    written: list[WrittenResult] = field(default_factory=list)
    in_comments: list[WrittenResult] = field(default_factory=list)
    # Results that count, when the whole file is known.
    results: list[RatedGame] = field(default_factory=list)
    byes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Divided:
    """Results divided into rounds."""

    # Results and byes of each.
    rounds: tuple[tuple[tuple[RatedGame, ...], tuple[str, ...]], ...]
    # The number of rounds at the end for results that had no room in their own.
    added_rounds: int
    # Results in these rounds, as one of their players had a game in the round already.
    twice: tuple[RatedGame, ...]
    # The same game once more, left out.
    again: tuple[RatedGame, ...]
    # The rounds are the file's own, by its marks or paragraphs.
    certain: bool = True


def beside(sections: Sequence[Section], notes: Notes) -> list[Section]:
    """Return the sections, those of another division merged into those of the first with the same number.

    Numbers of rounds that begin again with other players are another division: its rounds were played beside those of
    the same numbers. With the same players they are later rounds. Either is noted.
    """
    parts: list[list[Section]] = [[]]
    numbers: set[str] = set()
    for section in sections:
        if section.number in numbers:
            parts.append([])
            numbers = set()
        numbers |= {section.number} - {""}
        parts[-1].append(section)
    merged: list[Section] = []
    by_number: dict[str, Section] = {}
    known: set[str] = set()
    for part in parts:
        results = [result for section in part for result in section.results]
        players = {player for result in results for player in result.players}
        another = bool(known) and not players & known
        if known and results:
            text = N_("the rounds are counted anew: entered as later rounds")
            if another:
                text = N_("the rounds are counted anew for other players: a division beside the first")
            notes.changed(results[0].line, text)
        known |= players
        for section in part:
            same = by_number.setdefault(section.number, section) if section.number else section
            if same is section or not another:
                merged.append(section)
                continue
            same.results += section.results
            same.byes += section.byes
    return merged


def divide_into_rounds(sections: Sequence[Section]) -> Divided:
    """Return the rounds of the sections in their order."""
    rounds: list[tuple[tuple[RatedGame, ...], tuple[str, ...]]] = []
    overflow: FreeRounds[RatedGame] = FreeRounds()
    twice: list[RatedGame] = []
    again: list[RatedGame] = []
    marks = sum(section.marked for section in sections)
    certain = True
    for section in sections:
        if not section.marked or marks == 1:
            results = _without_repetitions(section.results, again) if section.marked else section.results
            paragraphs = _paragraphs(section) if results == section.results else None
            certain = certain and paragraphs is not None
            games = paragraphs if paragraphs is not None else _in_turn(results)
            rounds += [(tuple(round_games), ()) for round_games in games[:-1]]
            rounds.append(
                (tuple(games[-1]) if games else (), _without_game(section.byes, games[-1] if games else []))
            )
            continue
        kept: list[RatedGame] = []
        seated: set[str] = set()
        for result in _without_repetitions(section.results, again):
            if not seated.isdisjoint(result.players):
                overflow.take(result)
                twice.append(result)
            else:
                kept.append(result)
                seated.update(result.players)
        rounds.append((tuple(kept), _without_game(section.byes, kept)))
    rounds += [(tuple(games), ()) for games in overflow.games]
    return Divided(
        tuple(rounds[:MOST_ROUNDS]), len(overflow.games), tuple(twice), tuple(again), certain=certain
    )


def _without_game(byes: Sequence[str], games: Sequence[RatedGame]) -> tuple[str, ...]:
    seated = {player for game in games for player in game.players}
    return tuple(dict.fromkeys(player for player in byes if player not in seated))


def _without_repetitions(results: Sequence[RatedGame], again: list[RatedGame]) -> list[RatedGame]:
    """Return the results without those that repeat a game with discs, from either side. A sign alone may be a second
    game."""
    seen: set[tuple[tuple[str, str], tuple[int, int]]] = set()
    kept = []
    for result in results:
        key = (result.players, result.score)
        if not result.only and key in seen:
            again.append(result)
            continue
        seen.add(key)
        kept.append(result)
    return kept


def _in_turn(results: list[RatedGame]) -> list[list[RatedGame]]:
    """Return rounds in the order of the results, a new one at each player who comes again. If that makes too many, put
    each result into the first round in which both are free."""
    in_order: list[list[RatedGame]] = []
    seated: set[str] = set()
    for result in results:
        if not in_order or not seated.isdisjoint(result.players):
            in_order.append([])
            seated = set()
        in_order[-1].append(result)
        seated.update(result.players)
    count = Counter(player for result in results for player in result.players)
    if len(in_order) <= max(count.values(), default=0) + 1:
        return in_order
    packed: FreeRounds[RatedGame] = FreeRounds()
    for result in results:
        packed.take(result)
    return packed.games if len(packed.games) < len(in_order) else in_order


def _paragraphs(section: Section) -> list[list[RatedGame]] | None:
    """Return the results by paragraph, or None if a paragraph seats somebody twice, or there are too many or too few to
    be rounds."""
    results = section.results
    parts = [list(part) for _, part in groupby(results, key=lambda result: result.paragraph)]
    if len(parts) < 2 or 2 * len(parts) > len(results):
        return None
    for part in parts:
        seated = [player for result in part for player in result.players]
        if len(set(seated)) != len(seated):
            return None
    return parts


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
        notes.left_out(number, "player {id} against themselves: left out", id=result.first)
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
        both_lost=sign == "=" and score == rules.law.flag.both_score,
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
    if sign == "=" and discs == rules.law.flag.both_score:
        return score  # as it is written where both have lost: no draw of this rulebook has these discs
    if rules.empties_to_winner:
        score = {">": (64 - b, b), "<": (a, 64 - a), "=": (32, 32)}[sign]
    elif min(a, b) == 0 and max(a, b) != 64:
        score = (64, 0) if a > b else (0, 64)
    if score != discs:
        notes.changed(number, "{a}-{b} is not 64 discs: entered as {c}-{d}", a=a, b=b, c=score[0], d=score[1])
    return score


def settle_won_draws(
    sections: Sequence[Section], listed: Mapping[str, int], rules: FormatRules, notes: Notes
) -> None:
    """Settle draws that somebody won: a win if the list's points say so, else a draw. The line is noted.

    Where the rulebook has the draw-win in any game (jof J1) such a win stays 32-32, unless the list's points say that
    it was a draw.
    """
    draw_wins = rules.law.hidden_disc in ("draw_win", "either")
    counted = [section for section in sections if not section.added]
    earned = half_points_of_games(result for section in counted for result in section.results)
    for section in counted:
        for nth, result in enumerate(section.results):
            if result.score != (32, 32) or result.sign == "=":
                continue
            winner, loser = result.players[:: 1 if result.sign == ">" else -1]
            by_points = winner in listed and (listed[winner] - earned[winner]) % 2 == 1
            by_points = by_points and loser in listed and listed[loser] < earned[loser]
            drawn = all(listed.get(player) == earned[player] for player in (winner, loser))
            if draw_wins and not drawn:
                section.results[nth] = replace(result, draw_win=winner)
                earned[winner] += 1
                earned[loser] -= 1
                continue
            if by_points:
                earned[winner] += 1
                earned[loser] -= 1
                section.results[nth] = replace(result, score=_UNKNOWN[result.sign], only=True)
                why = N_("a draw that player {winner} won, by the list's points too: entered as 33-31")
            else:
                why = N_("a draw that player {winner} won: entered as a draw")
            notes.changed(result.line, why, winner=winner)
    if draw_wins:
        _settle_by_points(counted, listed, earned, notes)


def _settle_by_points(
    sections: Sequence[Section], listed: Mapping[str, int], earned: Counter[str], notes: Notes
) -> None:
    """Give a draw that the file writes as one to its winner if the list's points say so: half a point more than the
    games for one, half a point less for the other, and neither has another draw that could explain it."""
    drawn = [
        (section, nth)
        for section in sections
        for nth, result in enumerate(section.results)
        if result.score == (32, 32) and result.sign == "=" and result.draw_win is None
    ]
    draws = Counter(player for section, nth in drawn for player in section.results[nth].players)
    for section, nth in drawn:
        result = section.results[nth]
        more = [listed.get(player, earned[player]) - earned[player] for player in result.players]
        if sorted(more) == [-1, 1] and all(draws[player] == 1 for player in result.players):
            winner = result.players[more.index(1)]
            section.results[nth] = replace(result, draw_win=winner)
            notes.changed(result.line, "a draw that player {winner} won, by the list's points", winner=winner)


@dataclass(frozen=True, slots=True)
class Missed:
    """Missed rounds, counted from 1."""

    # Round -> players.
    byes: Mapping[int, tuple[str, ...]]
    from_round: tuple[tuple[str, int], ...]
    # (player, last round).
    withdrawn: tuple[tuple[str, int], ...]
    absent: tuple[tuple[str, int], ...]


def missed_rounds(
    players: Sequence[str], rounds: Sequence[Round], half_points: Mapping[str, int], lone_byes: bool = True
) -> Missed:
    """Return the missed rounds of all players; `half_points` come from the file's list.

    A player who is not in it had a bye in a round in which only they have no game and no bye is given, if `lone_byes`
    (the rounds are the file's own). A player who misses several rounds in a row was away.
    """
    seated = [set(round_.players) for round_ in rounds]
    odd = lone_byes and len(players) % 2 == 1
    alone = {
        number
        for number, (round_, seats) in enumerate(zip(rounds, seated, strict=True), start=1)
        if odd and len(seats) == len(players) - 1 and not round_.byes
    }
    earned = earned_half_points(rounds)
    byes: dict[int, list[str]] = {}
    from_round: list[tuple[str, int]] = []
    withdrawn: list[tuple[str, int]] = []
    absent: list[tuple[str, int]] = []
    gaps = {
        player: [number for number, seats in enumerate(seated, start=1) if player not in seats]
        for player in players
    }
    # Players whose every gap is a bye come first: their byes are then no longer available to the others.
    spare = {p: (half_points.get(p, earned.get(p, 0)) - earned.get(p, 0)) // 2 for p in players}
    for player in sorted(players, key=lambda p: len(gaps[p]) - spare[p]):
        missing = gaps[player]
        if player not in half_points:
            had_bye = [n for n in missing if n in alone and not {n - 1, n + 1} & {*missing}]
        else:
            free = sorted(missing, key=lambda n: (n in byes, n))
            had_bye = free[: max(0, spare[player])]
        for number in had_bye:
            byes.setdefault(number, []).append(player)
        missing = [number for number in missing if number not in had_bye]
        played = [n for n in range(1, len(rounds) + 1) if n not in missing]
        first, last = (played[0], played[-1]) if played else (1, 0)
        if first > 1:
            from_round.append((player, first))
        if last < len(rounds):
            withdrawn.append((player, last))
        absent += [(player, number) for number in missing if first < number < last]
    return Missed(
        {number: tuple(bye_players) for number, bye_players in byes.items()},
        tuple(from_round),
        tuple(withdrawn),
        tuple(absent),
    )


def earned_half_points(rounds: Sequence[Round]) -> Counter[str]:
    """Return half points per player with a game or a bye in the rounds."""
    earned = half_points_of_games(game for round_ in rounds for game in round_.games)
    for round_ in rounds:
        for player in round_.byes:
            earned[player] += 2
    return earned
