"""The standings: points, Brightwell quotient, discs, lot (`woc-2019` II.3.1, A; readings 21, 22, 26).

BQ of a player = the discs of his games
               + C times the points of the opponents of those games
               + for each game against an opponent who withdrew, each bye and (where the rulebook's
                 `unplayed_round` says "as a bye") each unplayed round, 32 + C times his own points.
It is computed in whole numbers (C = n/d, points halved: the sum times 2d), so that it is exact for every C.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

from hub.ranking.systems import ROUND_ROBIN_WITH_SEMIFINALS, qualifying_rounds
from hub.tournament import Player, Round, Tournament
from othello.rulebook import rulebook

BYE_DISCS = 32
UNPLAYED_DISCS = 32


def points(half_points: int) -> int | float:
    """Points as JSON shows them: whole if they are whole."""
    return half_points // 2 if half_points % 2 == 0 else half_points / 2


@dataclass(frozen=True, slots=True)
class Standing:
    """One line. `discs_against`: the opponents' discs, for clubs that rank by the difference."""

    place: int
    player: str
    half_points: int
    bq: Fraction
    discs: int
    by_lot: bool
    discs_against: int = 0

    @property
    def points(self) -> int | float:
        return points(self.half_points)

    @property
    def difference(self) -> int:
        """Discs less those of the opponents."""
        return self.discs - self.discs_against


def bq_constant(tournament: Tournament) -> Fraction:
    """C: the tournament's number, or 64 divided by the rounds of the file (reading 22)."""
    if tournament.bq_constant is not None:
        return tournament.bq_constant
    return Fraction(64, max(1, len(tournament.rounds)))


def as_after(tournament: Tournament, rounds: int) -> Tournament:
    """The tournament as it stood after so many rounds, without later results and players."""
    return replace(
        tournament,
        rounds=tournament.rounds[:rounds],
        finals=(),
        players=tuple(player for player in tournament.players if player.from_round <= rounds),
        absences=tuple(one for one in tournament.absences if one.round <= rounds),
        withdrawals=tuple(one for one in tournament.withdrawals if one.after_round < rounds),
    )


def standings(tournament: Tournament) -> tuple[Standing, ...]:
    """All players, best first; a list of six (`cc-2024` II.2 [9-10]) is behind the first four."""
    if tournament.system == ROUND_ROBIN_WITH_SEMIFINALS:
        return _standings_in_two_parts(tournament)
    return _ranked(tournament, tournament.rounds, tournament.players)


def qualifying_standings(tournament: Tournament) -> tuple[Standing, ...]:
    """The standings of the rounds that decide who plays the finals."""
    count = qualifying_round_count(tournament)
    return _ranked(tournament, tournament.rounds[:count], tournament.players)


def qualifying_round_count(tournament: Tournament) -> int:
    """How many rounds the qualification has when it is complete."""
    return qualifying_rounds(tournament.system, len(tournament.starters), tournament.rounds_planned)


def lot(seed: int, player: str) -> bytes:
    """A player's number in the lot that breaks a last tie, from the seed: the same on any machine."""
    return hashlib.sha256(f"{seed}/standings/{player}".encode()).digest()


def _standings_in_two_parts(tournament: Tournament) -> tuple[Standing, ...]:
    """`cc-2024` II.2 [9-10]: points and discs of the list of six are added; it follows the first four."""
    count = qualifying_round_count(tournament)
    first_part = _ranked(tournament, tournament.rounds[:count], tournament.players)
    if len(tournament.rounds) <= count:
        return first_part
    later = tournament.rounds[count:]
    playing_on = {p for round_ in later for game in round_.games for p in (game.black, game.white)}
    playing_on |= {p for round_ in later for p in round_.byes}
    in_finals = {p for game in tournament.finals for p in (game.black, game.white)}
    gone = {withdrawal.player for withdrawal in tournament.withdrawals} - in_finals
    four = [line for line in first_part if line.player not in playing_on | gone][:4]
    first = {line.player for line in four}
    others = tuple(player for player in tournament.players if player.id not in first)
    lines = (*four, *_ranked(tournament, tournament.rounds, others))
    return tuple(replace(line, place=place) for place, line in enumerate(lines, start=1))


def _ranked(
    tournament: Tournament, rounds: Sequence[Round], listed: Sequence[Player]
) -> tuple[Standing, ...]:
    """`listed`, ranked by `rounds`; the opponents' points come from all players."""
    index = {player.id: i for i, player in enumerate(tournament.players)}
    half_points = [0] * len(index)
    discs = [0] * len(index)
    against = [0] * len(index)
    counted_discs = [0] * len(index)  # of games whose opponent counts
    opponents: list[list[int]] = [[] for _ in index]  # of those games
    left_out = [0] * len(index)  # byes, and games against withdrawn players
    withdrawn = {
        index[withdrawal.player]
        for withdrawal in tournament.withdrawals
        if withdrawal.after_round < len(rounds)
    }
    for round_ in rounds:
        for game in round_.games:
            if game.score is None:  # still being played: ignored
                continue
            black, white = index[game.black], index[game.white]
            black_discs, white_discs = game.score
            # As `half_points_of`, whose call would cost a tenth of the standings of 10,000 players.
            if black_discs > white_discs:
                half_points[black] += 2
            elif white_discs > black_discs:
                half_points[white] += 2
            elif black_discs:
                half_points[black] += 1
                half_points[white] += 1
            discs[black] += black_discs
            discs[white] += white_discs
            against[black] += white_discs
            against[white] += black_discs
            if white in withdrawn:
                left_out[black] += 1
            else:
                counted_discs[black] += black_discs
                opponents[black].append(white)
            if black in withdrawn:
                left_out[white] += 1
            else:
                counted_discs[white] += white_discs
                opponents[white].append(black)
        for player in round_.byes:
            me = index[player]
            half_points[me] += 2
            discs[me] += BYE_DISCS
            against[me] += BYE_DISCS
            left_out[me] += 1

    for absence in tournament.absences:
        if absence.half_point and absence.round <= len(rounds):
            half_points[index[absence.player]] += 1

    constant = bq_constant(tournament)
    numerator, scale = constant.numerator, 2 * constant.denominator
    points_of = half_points.__getitem__
    as_a_bye = rulebook(tournament.rulebook).event.unplayed_round == "as a bye"
    by_difference = tournament.tie_break == "disc-difference"
    rows: list[_Row] = []
    for entrant in listed:
        i = index[entrant.id]
        own = half_points[i]
        without = len(rounds) - len(opponents[i]) if as_a_bye else left_out[i]
        bq = scale * (counted_discs[i] + UNPLAYED_DISCS * without) + numerator * (
            sum(map(points_of, opponents[i])) + without * own
        )
        merit = (own, discs[i] - against[i], 0) if by_difference else (own, bq, discs[i])
        rows.append((merit, entrant.id, Fraction(bq, scale), discs[i], against[i]))
    return _in_order(rows, tournament)


_Row = tuple[tuple[int, int, int], str, Fraction, int, int]
"""Merit (half points first), player, BQ, own discs and those of the opponents."""


def _in_order(rows: list[_Row], tournament: Tournament) -> tuple[Standing, ...]:
    """Best first; level players by the lots that the tournament records, else by its seed."""
    drawn = {player: number for number, player in enumerate(tournament.lots)}
    lines: list[Standing] = []
    for _, level in groupby(sorted(rows, key=itemgetter(0), reverse=True), key=itemgetter(0)):
        tied = list(level)
        if len(tied) > 1:
            tied.sort(key=lambda row: (drawn.get(row[1], len(drawn)), lot(tournament.seed, row[1])))
        for (half_points, *_), player, bq, own, against in tied:
            place, by_lot = len(lines) + 1, len(tied) > 1
            lines.append(
                Standing(place, player, half_points, bq=bq, discs=own, by_lot=by_lot, discs_against=against)
            )
    return tuple(lines)
