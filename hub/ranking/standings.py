"""The standings: points, the rulebook's ways to break a tie, lot (`woc-2019` II.3.1, A; readings 21, 22, 26).

BQ of a player = the discs of their games
               + C times the points of the opponents of those games
               + for each game against an opponent who withdrew, each bye and (where the rulebook's
                 `unplayed_round` says "as a bye") each unplayed round, 32 + C times the player's points.
It is computed in whole numbers (C = n/d, points halved: the sum times 2d), so that it is exact for every C.
"""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Any

import msgspec

from flagfall.othello.reason import Reason
from hub.model.games import OPEN, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.leagues import PLAYERS, leagues_of
from hub.ranking.places import ListPlace, distinct_places, shared_places
from hub.ranking.scores import half_points_of_games, recorded
from hub.ranking.switches import leavers
from hub.ranking.systems import LEAGUES, ROUND_ROBIN_WITH_SEMIFINALS, qualifying_rounds
from hub.rulebook import FormatRules, Tie, age_on, rules_of, ties_of
from hub.text import FormatError

ALL_DISCS = 64
UNPLAYED_DISCS = 32


def points(half_points: int) -> int | float:
    """Return points as JSON shows them: an integer if they are whole."""
    return half_points // 2 if half_points % 2 == 0 else half_points / 2


class Standing(msgspec.Struct, frozen=True):
    """A line of the standings."""

    place: int
    player: str
    half_points: int
    bq: Fraction
    discs: int
    by_lot: bool
    # The opponents' discs, for clubs that rank by the difference.
    discs_against: int = 0
    # The last round of a player who has left with enough wins, else 0.
    left_after: int = 0

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
    """Return a line for each player, best first. A list of six (`cc-2024` II.2 [9-10]) is behind the first four, and
    the winners of leagues are before the others."""
    if tournament.system == ROUND_ROBIN_WITH_SEMIFINALS:
        return _standings_in_two_parts(tournament)
    if tournament.system == LEAGUES:
        return _standings_of_leagues(tournament)
    return _rank(tournament, tournament.rounds, tournament.players)


def standings_for(tournament: Tournament, player: str) -> tuple[tuple[Round, ...], tuple[Standing, ...]]:
    """Return the rounds that give this player's place, and everybody's lines after them."""
    rounds = tournament.rounds
    if tournament.system == ROUND_ROBIN_WITH_SEMIFINALS:
        count = qualifying_round_count(tournament)
        if player in {line.player for line in semi_finalists(tournament, rounds[count:])}:
            rounds = rounds[:count]
    elif tournament.system == LEAGUES and player in league_winners(tournament):
        rounds = rounds[: qualifying_round_count(tournament)]
    return rounds, _rank(tournament, rounds, tournament.players)


def points_by_player(tournament: Tournament) -> dict[str, int | float]:
    """Return every player's points in the rounds, for lists that are ordered otherwise."""
    return {line.player: line.points for line in standings(tournament)}


def qualifying_standings(tournament: Tournament) -> tuple[Standing, ...]:
    """Return the standings of the rounds that decide who plays the finals."""
    count = qualifying_round_count(tournament)
    if tournament.system == LEAGUES:
        return _standings_of_leagues(replace(tournament, rounds=tournament.rounds[:count]))
    return _rank(tournament, tournament.rounds[:count], tournament.players)


def league_tables(tournament: Tournament) -> tuple[tuple[Standing, ...], ...]:
    """Return the standings of each league, best first; nothing without leagues."""
    if tournament.system != LEAGUES:
        return ()
    played = tournament.rounds[: qualifying_round_count(tournament)]
    by_id = tournament.by_id
    return tuple(
        _rank(tournament, played, [by_id[player] for player in league if player in by_id])
        for league in leagues_of(tournament)
    )


def league_winners(tournament: Tournament) -> tuple[str | None, ...]:
    """Return the best of each league who has not left before the knockout, None where all have."""
    tables = [[line.player for line in table] for table in league_tables(tournament)]
    return tuple(next(iter(with_number(tournament, OPEN, players)), None) for players in tables)


def with_number(tournament: Tournament, title: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """Return the candidates who have a number for this title: all but those who withdrew before its first game.

    A player who withdraws later keeps their number, which leaves a gap (reading 34); so does a player who has a
    game of it.
    """
    finals = tournament.finals
    playing = {player for game in finals if game.title == title for player in game.players}
    withdrawn = {
        withdrawal.player
        for withdrawal in tournament.withdrawals
        if all(game.title != title for game in finals[: withdrawal.after_finals])
    } - playing
    return tuple(player for player in candidates if player not in withdrawn)


def _standings_of_leagues(tournament: Tournament) -> tuple[Standing, ...]:
    """Return the winners of the leagues, then all who are second, third and fourth, and players of no league.

    Once the others play on, they stand by the points of all rounds.
    """
    tables = league_tables(tournament)
    place_of = {line.player: max(2, line.place) for table in tables for line in table}
    place_of |= {winner: 1 for winner in league_winners(tournament) if winner is not None}
    played = tournament.rounds[: qualifying_round_count(tournament)]
    goes_on = len(tournament.rounds) > len(played)
    tiers: dict[int, list[Player]] = {}
    for player in tournament.players:
        place = place_of.get(player.id, PLAYERS + 1)
        tiers.setdefault(min(place, 2) if goes_on else place, []).append(player)
    lines = [
        line
        for place in sorted(tiers)
        for line in _rank(tournament, tournament.rounds if place > 1 else played, tiers[place])
    ]
    return tuple(msgspec.structs.replace(line, place=place) for place, line in enumerate(lines, start=1))


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
    return tuple(msgspec.structs.replace(line, place=place) for place, line in enumerate(lines, start=1))


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums over rounds; each list is indexed by a player's place in the tournament's list."""

    half_points: list[int]
    discs: list[int]
    against: list[int]
    # Of `discs`, those that the quotient does not have.
    left_out_discs: list[int]
    opponents: list[list[int]]
    # Number of byes, and of games against players who withdrew.
    left_out: list[int]


def _sums(tournament: Tournament, rounds: Sequence[Round], index: Mapping[str, int]) -> _Sums:
    rules = rules_of(tournament)
    half_points, discs, against, left_out_discs, left_out = ([0] * len(index) for _ in range(5))
    opponents: list[list[int]] = [[] for _ in index]
    withdrawn = {
        index[withdrawal.player]
        for withdrawal in tournament.withdrawals
        if withdrawal.after_round < len(rounds)
    }
    walkover = Reason.WALKOVER.value
    for round_ in rounds:
        # Both players are written out: a loop over the two took as long again, for the 65,000 games of 10,000 players.
        for game in round_.games:
            score = game.score
            if score is None:  # still being played: ignored
                continue
            black, white = index[game.black], index[game.white]
            black_discs, white_discs = score
            white_against, black_against = score
            if black_discs == white_discs or game.reason == walkover:
                of_black, of_white = recorded(game, rules.law)
                black_half_points, black_discs, black_against = of_black
                white_half_points, white_discs, white_against = of_white
                half_points[black] += black_half_points
                half_points[white] += white_half_points
            else:  # as `recorded`, whose call would cost a tenth of it all
                half_points[black if black_discs > white_discs else white] += 2
            discs[black] += black_discs
            discs[white] += white_discs
            against[black] += black_against
            against[white] += white_against
            if white in withdrawn:
                left_out[black] += 1
                left_out_discs[black] += black_discs
            else:
                opponents[black].append(white)
            if black in withdrawn:
                left_out[white] += 1
                left_out_discs[white] += white_discs
            else:
                opponents[white].append(black)
        for player in round_.byes:
            me = index[player]
            half_points[me] += 2
            discs[me] += rules.bye_discs
            against[me] += ALL_DISCS - rules.bye_discs
            # The quotient has 32 discs for every such round: what is above them counts with the games'.
            left_out_discs[me] += UNPLAYED_DISCS
            left_out[me] += 1
    for absence in tournament.absences:
        if absence.half_point and absence.round <= len(rounds):
            half_points[index[absence.player]] += 1
    if rules.missed_round == "walkover":
        more, less = rules.law.score.walkover_absent or (ALL_DISCS, 0)
        for player, missed in _missed_rounds(tournament, rounds).items():
            discs[index[player]] += missed * less
            left_out_discs[index[player]] += missed * less
            against[index[player]] += missed * more
    return _Sums(
        half_points=half_points,
        discs=discs,
        against=against,
        left_out_discs=left_out_discs,
        opponents=opponents,
        left_out=left_out,
    )


def _missed_rounds(tournament: Tournament, rounds: Sequence[Round]) -> Counter[str]:
    """Return the number of rounds in which a player had neither a game nor a bye, and no half point in their place."""
    missed = Counter({player.id: len(rounds) for player in tournament.players})
    for round_ in rounds:
        missed.subtract(round_.players)
    left = leavers(tournament, rounds)
    for player, last in left.items():
        missed[player] -= sum(player not in round_.players for round_ in rounds[last:])
    missed.subtract(
        absence.player
        for absence in tournament.absences
        if absence.half_point and absence.round <= len(rounds)
    )
    return missed


def _rank(tournament: Tournament, rounds: Sequence[Round], listed: Sequence[Player]) -> tuple[Standing, ...]:
    """Return `listed`, ranked by `rounds`. The opponents' points come from all players."""
    index = {player.id: i for i, player in enumerate(tournament.players)}
    sums = _sums(tournament, rounds, index)
    constant = bq_constant(tournament)
    numerator, scale = constant.numerator, 2 * constant.denominator
    points_of = sums.half_points.__getitem__
    as_a_bye = rules_of(tournament).law.event.unplayed_round == "as a bye"
    left = leavers(tournament, rounds)
    rows: list[_Row] = []
    for entrant in listed:
        i = index[entrant.id]
        half_points, discs, against = sums.half_points[i], sums.discs[i], sums.against[i]
        left_after = left.get(entrant.id, 0)
        own_rounds = max(left_after or len(rounds), len(sums.opponents[i]))
        without = own_rounds - len(sums.opponents[i]) if as_a_bye else sums.left_out[i]
        bq = scale * (discs - sums.left_out_discs[i] + UNPLAYED_DISCS * without) + numerator * (
            sum(map(points_of, sums.opponents[i])) + without * half_points
        )
        exact = Fraction(bq, scale)
        rows.append(
            _Row(entrant.id, half_points, bq, exact, discs=discs, against=against, left_after=left_after)
        )
    return _in_order(rows, tournament, rounds)


class _Row(msgspec.Struct, frozen=True):
    """The sums of a player by which the lines are ordered."""

    player: str
    half_points: int
    scaled_bq: int
    bq: Fraction
    discs: int
    against: int
    left_after: int

    @property
    def points_or_leaving(self) -> tuple[bool, int]:
        """The first merit: whoever left with enough wins is before all others, the earlier the better."""
        return (True, -self.left_after) if self.left_after else (False, self.half_points)


_MERITS: Mapping[Tie, Callable[[_Row], int]] = {
    "bq": lambda row: row.scaled_bq,
    "discs": lambda row: row.discs,
    "difference": lambda row: row.discs - row.against,
}


def _in_order(rows: list[_Row], tournament: Tournament, rounds: Sequence[Round]) -> tuple[Standing, ...]:
    """Return the lines, best first. Level players are ordered by the recorded lots, else by the tournament's seed."""
    drawn = {player: number for number, player in enumerate(tournament.lots)}
    lines: list[Standing] = []
    for tied in _level(rows, lambda row: row.points_or_leaving, ties_of(tournament), rounds):
        if len(tied) > 1:
            tied.sort(key=lambda row: (drawn.get(row.player, len(drawn)), lot(tournament.seed, row.player)))
        lines += [
            Standing(
                place,
                row.player,
                row.half_points,
                bq=row.bq,
                discs=row.discs,
                by_lot=len(tied) > 1,
                discs_against=row.against,
                left_after=row.left_after,
            )
            for place, row in enumerate(tied, len(lines) + 1)
        ]
    return tuple(lines)


def _level(
    rows: list[_Row], merit: Callable[[_Row], Any], ties: Sequence[Tie], rounds: Sequence[Round]
) -> Iterator[list[_Row]]:
    """Yield the groups that neither `merit` nor a tie-break after it separates, best first."""
    for _, group in groupby(sorted(rows, key=merit, reverse=True), key=merit):
        tied = list(group)
        if len(tied) == 1 or not ties:
            yield tied
        elif ties[0] == "mutual":
            won = _won_against(tied, rounds)
            yield from _level(tied, lambda row: won[row.player], ties[1:], rounds)  # noqa: B023  (used at once)
        else:
            yield from _level(tied, _MERITS[ties[0]], ties[1:], rounds)


def _won_against(tied: Sequence[_Row], rounds: Sequence[Round]) -> Counter[str]:
    """Return the half points of two level players in their own games; nothing for more than two (jof, facts of the
    All Japan: three are ordered by lot)."""
    pair = {row.player for row in tied}
    if len(pair) != 2:
        return Counter()
    return half_points_of_games(g for round_ in rounds for g in round_.games if {*g.players} == pair)


@dataclass(frozen=True)
class Qualifying:
    """A tournament at the end of its qualifying rounds, or at the present round before it."""

    tournament: Tournament

    @property
    def rules(self) -> FormatRules:
        return rules_of(self.tournament)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """All players, also the withdrawn ones."""
        return qualifying_standings(self.tournament)

    @cached_property
    def standing_of(self) -> dict[str, Standing]:
        return {line.player: line for line in self.standings}

    @cached_property
    def total_half_points(self) -> dict[str, int]:
        """Half points of all rounds of the file: more than in the qualification only for a list of six."""
        return {line.player: line.half_points for line in standings(self.tournament)}

    @cached_property
    def complete(self) -> bool:
        """Return True if every planned qualifying round is complete and scored."""
        count = qualifying_round_count(self.tournament)
        rounds = self.tournament.rounds[:count]
        return len(rounds) == count and all(g.score is not None for round_ in rounds for g in round_.games)

    @cached_property
    def provisional(self) -> tuple[str, ...]:
        """The qualifying order of the open title, without those who withdrew before it began."""
        return with_number(self.tournament, OPEN, (line.player for line in self.standings))

    @cached_property
    def rank(self) -> dict[str, int]:
        """The number of players before this one, withdrawn ones too."""
        return {line.player: i for i, line in enumerate(self.standings)}

    def half_points(self, player: str) -> int:
        return self.standing_of[player].half_points

    @cached_property
    def women(self) -> tuple[str, ...]:
        """All women, withdrawn ones too, in the order of the standings."""
        return tuple(
            line.player for line in self.standings if self.tournament.player(line.player).gender == "f"
        )

    @cached_property
    def young(self) -> tuple[str, ...]:
        """All young players (`woc-2019` I.2.2: at most 14 on 31 December), in the order of the standings."""
        return tuple(
            line.player for line in self.standings if self._is_young(self.tournament.player(line.player))
        )

    def _is_young(self, player: Player) -> bool:
        if player.born is None:
            return player.extra_young
        if self.tournament.date is None:
            raise FormatError("date", "the first day, since ages decide who is young", "nothing")
        first_day, born = map(datetime.date.fromisoformat, (self.tournament.date, player.born))
        return age_on(self.rules.young_day(first_day), born) <= self.rules.young_age

    def list_behind(
        self, first: tuple[str, ...], candidates: tuple[str, ...], in_order: bool = False
    ) -> tuple[ListPlace, ...]:
        """Return `first` with a place each, then the other candidates: in this order, or by their points, level ones
        equal."""
        points = self.total_half_points
        others = [player for player in candidates if player not in first]
        if in_order:
            return distinct_places((*first, *others))
        others.sort(key=lambda player: -points[player])
        return distinct_places(first) + shared_places(others, points.__getitem__, len(first) + 1)
