"""The team list (`woc-2019` II.4, `woc-2017` II.4 and B.2, `woc-classic` II.4; reading 27)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from hub.model.players import Player
from hub.ranking.qualifying import Qualifying
from hub.ranking.standings import points
from hub.rulebook import TeamRules

# A place in the final list with equals separated by BQ and discs, never by lot: less is better.
_FinalRank = tuple[int, int, Fraction, int]
_NOBODY: _FinalRank = (2, 0, Fraction(0), 0)


@dataclass(frozen=True, slots=True)
class TeamPlace:
    place: int
    team: str
    half_points: int

    @property
    def points(self) -> int | float:
        return points(self.half_points)


@dataclass(frozen=True, slots=True)
class _Team:
    name: str
    half_points: int
    inner_games: int
    top: _FinalRank
    second: _FinalRank

    @property
    def merit(self) -> tuple[int, int, _FinalRank, _FinalRank]:
        """The order of teams, less is better: points, games inside the team, top player, second player."""
        return -self.half_points, -self.inner_games, self.top, self.second


def team_list(qualifying: Qualifying, rules: TeamRules, four: tuple[str, ...]) -> tuple[TeamPlace, ...]:
    """Return all teams, best first; level ones share a place. `four` are qualified for the semi-finals, in order."""
    teams = sorted(_teams(qualifying, rules, four), key=lambda team: (team.merit, team.name))
    places: list[TeamPlace] = []
    for i, team in enumerate(teams):
        place = i + 1
        if places and _level(teams[i - 1], team, places[-1].place, rules):
            place = places[-1].place
        places.append(TeamPlace(place, team.name, team.half_points))
    return tuple(places)


def _level(before: _Team, team: _Team, place_before: int, rules: TeamRules) -> bool:
    if team.merit == before.merit:
        return True
    if not rules.ties_for_first_only or team.half_points != before.half_points:
        return False
    # The tie is broken for the first place only: any other team is level with the next.
    return place_before > 1


def counting_members(qualifying: Qualifying, rules: TeamRules) -> dict[str, list[Player]]:
    """Return team -> the members whose points may count. A player without team and country is in none."""
    members: dict[str, list[Player]] = {}
    for player in qualifying.tournament.players:
        if player.team:
            members.setdefault(player.team, []).append(player)
    counting: dict[str, list[Player]] = {}
    for team, entered in members.items():
        regular = sum(not player.additional and not player.extra_young for player in entered)
        contact = team in qualifying.tournament.contact_nations
        may_count = [player for player in entered if _may_count(player, regular, contact, rules)]
        if may_count:
            counting[team] = may_count
    return counting


def _may_count(player: Player, regular: int, contact: bool, rules: TeamRules) -> bool:
    if player.additional:
        return rules.additional_counts_below is not None and regular < rules.additional_counts_below
    if player.extra_young:
        full = rules.extra_young_counts_below_contact if contact else rules.extra_young_counts_below
        return full is None or regular < full
    return True


def _teams(qualifying: Qualifying, rules: TeamRules, four: tuple[str, ...]) -> list[_Team]:
    members = counting_members(qualifying, rules)
    inner_games = _inner_games(qualifying, {p.id: team for team, entered in members.items() for p in entered})
    teams = []
    for name, entered in members.items():
        totals = sorted((qualifying.half_points(player.id) for player in entered), reverse=True)
        ranks = sorted(_final_rank(qualifying, player.id, four) for player in entered)
        second = ranks[1] if len(ranks) > 1 else _NOBODY
        teams.append(_Team(name, sum(totals[: rules.best]), inner_games[name], ranks[0], second))
    return teams


def _inner_games(qualifying: Qualifying, team_of: dict[str, str]) -> Counter[str]:
    games: Counter[str] = Counter()
    for round_ in qualifying.tournament.rounds:
        for game in round_.games:
            team = team_of.get(game.black)
            if team is not None and team == team_of.get(game.white) and game.score is not None:
                games[team] += 1
    return games


def _final_rank(qualifying: Qualifying, player: str, four: tuple[str, ...]) -> _FinalRank:
    if player in four:
        return 0, four.index(player), Fraction(0), 0
    line = qualifying.standing_of[player]
    return 1, -line.half_points, -line.bq, -line.discs
