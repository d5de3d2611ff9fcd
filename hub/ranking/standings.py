"""The standings: points, Brightwell quotient, discs, lot (`woc-2019` II.3.1, A; readings 21, 22, 26).

BQ of a player = the discs of their games
               + C times the points of the opponents of those games
               + for each game against an opponent who withdrew, each bye and (where the rulebook's
                 `unplayed_round` says "as a bye") each unplayed round, 32 + C times the player's points.
It is computed in whole numbers (C = n/d, points halved: the sum times 2d), so that it is exact for every C.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

from flagfall.othello.rulebook import rulebook
from hub.model.games import OPEN, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.systems import ROUND_ROBIN_WITH_SEMIFINALS, qualifying_rounds

BYE_DISCS = 32
UNPLAYED_DISCS = 32


def points(half_points: int) -> int | float:
    """Return points as JSON shows them: an integer if they are whole."""
    return half_points // 2 if half_points % 2 == 0 else half_points / 2


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the standings."""

    place: int
    player: str
    half_points: int
    bq: Fraction
    discs: int
    by_lot: bool
    # The opponents' discs, for clubs that rank by the difference.
    discs_against: int = 0

    @property
    def points(self) -> int | float:
        return points(self.half_points)

    @property
    def difference(self) -> int:
        """Discs less those of the opponents."""
        return self.discs - self.discs_against


def bq_constant(tournament: Tournament) -> Fraction:
    """Return C: the tournament's number, or 64 divided by the rounds of the file (reading 22)."""
    if tournament.bq_constant is not None:
        return tournament.bq_constant
    return Fraction(64, max(1, len(tournament.rounds)))


def as_after(tournament: Tournament, rounds: int) -> Tournament:
    """Return the tournament as it stood after this number of rounds, without later results and players."""
    return replace(
        tournament,
        rounds=tournament.rounds[:rounds],
        finals=(),
        players=tuple(player for player in tournament.players if player.from_round <= rounds),
        absences=tuple(entry for entry in tournament.absences if entry.round <= rounds),
        withdrawals=tuple(entry for entry in tournament.withdrawals if entry.after_round < rounds),
    )


def standings(tournament: Tournament) -> tuple[Standing, ...]:
    """Return a line for each player, best first. A list of six (`cc-2024` II.2 [9-10]) is behind the first four."""
    if tournament.system == ROUND_ROBIN_WITH_SEMIFINALS:
        return _standings_in_two_parts(tournament)
    return _rank(tournament, tournament.rounds, tournament.players)


def points_by_player(tournament: Tournament) -> dict[str, int | float]:
    """Return every player's points in the rounds, for lists that are ordered otherwise."""
    return {line.player: line.points for line in standings(tournament)}


def qualifying_standings(tournament: Tournament) -> tuple[Standing, ...]:
    """Return the standings of the rounds that decide who plays the finals."""
    count = qualifying_round_count(tournament)
    return _rank(tournament, tournament.rounds[:count], tournament.players)


def qualifying_round_count(tournament: Tournament) -> int:
    """Return the number of rounds of the complete qualification."""
    return qualifying_rounds(tournament.system, len(tournament.starters), tournament.rounds_planned)


def lot(seed: int, player: str) -> bytes:
    """Return a player's number in the lot that breaks a last tie, from the seed: the same on any machine."""
    return hashlib.sha256(f"{seed}/standings/{player}".encode()).digest()


def semi_finalists(tournament: Tournament, list_of_six: Iterable[Round]) -> tuple[Standing, ...]:
    """Return the first four of the round robin, without those who play the list of six.

    A player who withdrew before their first game of the open title is not one of the four.
    """
    begun = {player for game in tournament.finals if game.title == OPEN for player in game.players}
    withdrawn = tournament.withdrawn - begun
    four = [line for line in qualifying_standings(tournament) if line.player not in withdrawn][:4]
    listed = {player for round_ in list_of_six for player in round_.players}
    return tuple(line for line in four if line.player not in listed)


def _standings_in_two_parts(tournament: Tournament) -> tuple[Standing, ...]:
    """Return the standings with the list of six, whose points and discs are added, behind the first four (`cc-2024`
    II.2 [9-10])."""
    later = tournament.rounds[qualifying_round_count(tournament) :]
    if not later:
        return qualifying_standings(tournament)
    four = semi_finalists(tournament, later)
    first = {line.player for line in four}
    others = tuple(player for player in tournament.players if player.id not in first)
    lines = (*four, *_rank(tournament, tournament.rounds, others))
    return tuple(replace(line, place=place) for place, line in enumerate(lines, start=1))


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums over rounds; each list is indexed by a player's place in the tournament's list."""

    half_points: list[int]
    discs: list[int]
    against: list[int]
    # Discs of games whose `opponents` count.
    counted_discs: list[int]
    opponents: list[list[int]]
    # Number of byes, and of games against players who withdrew.
    left_out: list[int]


def _sums(tournament: Tournament, rounds: Sequence[Round], index: Mapping[str, int]) -> _Sums:
    half_points, discs, against, counted_discs, left_out = ([0] * len(index) for _ in range(5))
    opponents: list[list[int]] = [[] for _ in index]
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
            b, w = game.score
            for me, other, my_discs, other_discs in ((black, white, b, w), (white, black, w, b)):
                # As `half_points_of`, whose call would cost a tenth of the standings of 10,000 players.
                half_points[me] += (
                    2 if my_discs > other_discs else 1 if my_discs == other_discs and my_discs else 0
                )
                discs[me] += my_discs
                against[me] += other_discs
                if other in withdrawn:
                    left_out[me] += 1
                else:
                    counted_discs[me] += my_discs
                    opponents[me].append(other)
        for player in round_.byes:
            me = index[player]
            half_points[me] += 2
            discs[me] += BYE_DISCS
            against[me] += BYE_DISCS
            left_out[me] += 1
    for absence in tournament.absences:
        if absence.half_point and absence.round <= len(rounds):
            half_points[index[absence.player]] += 1
    return _Sums(
        half_points=half_points,
        discs=discs,
        against=against,
        counted_discs=counted_discs,
        opponents=opponents,
        left_out=left_out,
    )


def _rank(tournament: Tournament, rounds: Sequence[Round], listed: Sequence[Player]) -> tuple[Standing, ...]:
    """Return `listed`, ranked by `rounds`. The opponents' points come from all players."""
    index = {player.id: i for i, player in enumerate(tournament.players)}
    sums = _sums(tournament, rounds, index)
    constant = bq_constant(tournament)
    numerator, scale = constant.numerator, 2 * constant.denominator
    points_of = sums.half_points.__getitem__
    as_a_bye = rulebook(tournament.rulebook).event.unplayed_round == "as a bye"
    by_difference = tournament.by_difference
    rows: list[_Row] = []
    for entrant in listed:
        i = index[entrant.id]
        half_points, discs, against = sums.half_points[i], sums.discs[i], sums.against[i]
        without = len(rounds) - len(sums.opponents[i]) if as_a_bye else sums.left_out[i]
        bq = scale * (sums.counted_discs[i] + UNPLAYED_DISCS * without) + numerator * (
            sum(map(points_of, sums.opponents[i])) + without * half_points
        )
        merit = (half_points, discs - against, 0) if by_difference else (half_points, bq, discs)
        rows.append((merit, entrant.id, Fraction(bq, scale), discs, against))
    return _in_order(rows, tournament)


# Merit (half points first), player, BQ, own discs and those of the opponents.
_Row = tuple[tuple[int, int, int], str, Fraction, int, int]


def _in_order(rows: list[_Row], tournament: Tournament) -> tuple[Standing, ...]:
    """Return the lines, best first. Level players are ordered by the recorded lots, else by the tournament's seed."""
    drawn = {player: number for number, player in enumerate(tournament.lots)}
    lines: list[Standing] = []
    for _, level in groupby(sorted(rows, key=itemgetter(0), reverse=True), key=itemgetter(0)):
        tied = list(level)
        if len(tied) > 1:
            tied.sort(key=lambda row: (drawn.get(row[1], len(drawn)), lot(tournament.seed, row[1])))
        for (half_points, *_), player, bq, discs, against in tied:
            place, by_lot = len(lines) + 1, len(tied) > 1
            lines.append(
                Standing(place, player, half_points, bq=bq, discs=discs, by_lot=by_lot, discs_against=against)
            )
    return tuple(lines)
