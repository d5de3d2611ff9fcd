"""Teams: the team list of an event of single players, and events in which teams meet on several boards at once.

The team list is that of `woc-2019` II.4, `woc-2017` II.4 and B.2, `woc-classic` II.4 (reading 27). In an event of team
matches, match points count before board points and discs. `team_matches` of the file is the number of boards of a
match. A player's `team` is their team, and `line_ups` (team -> ids, the first board first) is its order; an absent
player is replaced by the next. The games stay games of the round: the results of matches are derived from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, zip_longest

from flagfall.othello.rulebook import Rulebook
from hub.model.games import Game, OfTwo, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament
from hub.ranking.scores import recorded
from hub.ranking.standings import Qualifying, points
from hub.ranking.systems import SWISS
from hub.rulebook import FormatRules, TeamRules, rules_of

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


MOST_BOARDS = 20
_WON, _DRAWN, _LOST = (40, 24), (32, 32), (24, 40)


@dataclass(frozen=True, slots=True)
class TeamMatch:
    """A match of two teams as it stands."""

    round: int
    table: int
    # The team with Black on the first board first; None for a bye.
    teams: tuple[str, str | None]
    half_points: tuple[int, int]
    discs: tuple[int, int]
    # Every board has a result.
    over: bool

    @property
    def match_points(self) -> tuple[int, int]:
        """Match points: two for a won match, one each for a drawn one, none before it is over."""
        first, second = self.half_points
        if not self.over:
            return 0, 0
        return (2, 0) if first > second else (0, 2) if second > first else (1, 1)


@dataclass(frozen=True, slots=True)
class TeamStanding:
    place: int
    team: str
    match_points: int
    half_points: int
    discs: int
    played: int


def boards_of(tournament: Tournament) -> int:
    """Return the number of boards of a match, or 0 if no teams meet in the event."""
    return tournament.team_matches or 0


def teams_of(tournament: Tournament) -> tuple[str, ...]:
    return tuple(dict.fromkeys(player.team for player in tournament.players if player.team))


def belongs_to(tournament: Tournament, player: Player) -> str:
    """Return the text beside a player's name: the team if teams meet, else the country."""
    return player.team if boards_of(tournament) else player.country


def members(tournament: Tournament, team: str) -> tuple[Player, ...]:
    """Return the players of a team in the order of their boards: by the line-up, then by rating."""
    order = {player: board for board, player in enumerate((tournament.line_ups or {}).get(team, ()))}
    in_team = (player for player in tournament.players if player.team == team)
    return tuple(
        sorted(in_team, key=lambda player: (order.get(player.id, len(order)), -(player.rating or 0)))
    )


def line_up(tournament: Tournament, team: str, number: int) -> tuple[str, ...]:
    """Return the ids of a team's players in round `number`, the first board first."""
    present = {player.id for player in tournament.players_in(number)}
    return tuple(player.id for player in members(tournament, team) if player.id in present)[
        : boards_of(tournament)
    ]


def at_boards(tournament: Tournament, number: int) -> frozenset[str]:
    """Return the ids of all players of all line-ups."""
    return frozenset(p for team in teams_of(tournament) for p in line_up(tournament, team, number))


def matches(tournament: Tournament) -> tuple[TeamMatch, ...]:
    """Return every match so far, byes after the matches of their round."""
    team = {player.id: player.team for player in tournament.players}
    rules = rules_of(tournament)
    return tuple(
        match
        for number, round_ in enumerate(tournament.rounds, start=1)
        for match in _matches_of(number, round_, team, rules)
    )


def _matches_of(number: int, round_: Round, team: Mapping[str, str], rules: FormatRules) -> list[TeamMatch]:
    by_teams: dict[frozenset[str], TeamMatch] = {}
    games = sorted(enumerate(round_.games, start=1), key=lambda numbered: numbered[1].table or numbered[0])
    for nth, game in games:
        sides = team[game.black], team[game.white]
        if sides[0] == sides[1]:
            continue
        old = by_teams.setdefault(
            frozenset(sides),
            TeamMatch(number, game.table or nth, sides, half_points=(0, 0), discs=(0, 0), over=True),
        )
        by_teams[frozenset(sides)] = _with_game(old, game, rules.law, turned=old.teams != sides)
    for player in round_.byes:
        met = next((teams for teams in by_teams if team[player] in teams), frozenset((team[player],)))
        old = by_teams.setdefault(
            met, TeamMatch(number, 0, (team[player], None), half_points=(0, 0), discs=(0, 0), over=True)
        )
        first = old.teams[0] == team[player]
        half, discs = ((2, 0), (rules.bye_discs, 0)) if first else ((0, 2), (0, rules.bye_discs))
        by_teams[met] = _scored(old, half, discs, old.over)
    return list(by_teams.values())


def _with_game(match: TeamMatch, game: Game, law: Rulebook, turned: bool) -> TeamMatch:
    if game.score is None:
        return replace(match, over=False)
    first, second = recorded(game, law)[:: -1 if turned else 1]
    return _scored(match, (first.half_points, second.half_points), (first.discs, second.discs), match.over)


def _scored(match: TeamMatch, half: tuple[int, int], discs: tuple[int, int], over: bool) -> TeamMatch:
    return replace(
        match,
        half_points=(match.half_points[0] + half[0], match.half_points[1] + half[1]),
        discs=(match.discs[0] + discs[0], match.discs[1] + discs[1]),
        over=over,
    )


def team_standings(tournament: Tournament) -> tuple[TeamStanding, ...]:
    """Return the teams by match points, board points, discs, or () if no teams meet. Teams level in all three share the
    place."""
    if not boards_of(tournament):
        return ()
    sums = {team: [0, 0, 0, 0] for team in teams_of(tournament)}
    for match in matches(tournament):
        for side, team in enumerate(match.teams):
            if team in sums:
                team_sums = sums[team]
                team_sums[0] += match.match_points[side]
                team_sums[1] += match.half_points[side]
                team_sums[2] += match.discs[side]
                team_sums[3] += match.over
    merits = sorted((tuple(totals[:3]) for totals in sums.values()), reverse=True)
    lines = (
        TeamStanding(merits.index((totals[0], totals[1], totals[2])) + 1, team, *totals)
        for team, totals in sums.items()
    )
    return tuple(sorted(lines, key=lambda line: (line.place, line.team)))


def team_tournament(tournament: Tournament) -> Tournament:
    """Return a tournament whose players are the teams, for the pairing: a match is a game.

    Teams of two players who are pinned meet; teams that would seat two banned players at one board do not.
    """
    number = len(tournament.rounds) + 1
    teams = teams_of(tournament)
    rounds: list[Round] = [Round() for _ in tournament.rounds]
    for match in matches(tournament):
        round_, (first, second) = rounds[match.round - 1], match.teams
        if second is None:
            rounds[match.round - 1] = replace(round_, byes=(*round_.byes, first))
            continue
        points = match.match_points
        score = _WON if points[0] > points[1] else _LOST if points[1] > points[0] else _DRAWN
        game = Game(first, second, score if match.over else None)
        rounds[match.round - 1] = replace(round_, games=(*round_.games, game))
    away = tuple(Absence(team, number) for team in teams if not line_up(tournament, team, number))
    return replace(
        tournament,
        players=tuple(
            Player(team, name=team, team=team, rating=_strength(tournament, team)) for team in teams
        ),
        rounds=tuple(rounds),
        system=tournament.system if "robin" in tournament.system else SWISS,
        absences=away,
        withdrawals=(),
        bans=tuple(_team_bans(tournament, number)),
        pins=tuple(_team_pins(tournament, number)),
        finals=(),
        lots=(),
        team_matches=None,
        line_ups=None,
        extra={},
    )


def _team_bans(tournament: Tournament, number: int) -> Iterator[tuple[str, str]]:
    banned = {frozenset(ban) for ban in tournament.bans}
    ups = {team: line_up(tournament, team, number) for team in teams_of(tournament)}
    for team, opponent in combinations(ups, 2):
        if any(frozenset(seated) in banned for seated in zip(ups[team], ups[opponent], strict=False)):
            yield team, opponent


def _team_pins(tournament: Tournament, number: int) -> Iterator[Pin]:
    met: set[frozenset[str]] = set()
    for pin in tournament.pins:
        black, white = (tournament.player(player).team for player in pin.players)
        if black == white or frozenset((black, white)) in met:
            continue
        met.add(frozenset((black, white)))
        ups = line_up(tournament, black, number)
        if pin.black in ups and ups.index(pin.black) % 2:
            black, white = white, black
        yield Pin(black, white, pin.table and (pin.table - 1) // boards_of(tournament) + 1)


@dataclass(frozen=True, slots=True)
class MatchBoard(OfTwo):
    """One board of a match."""

    table: int
    black: str
    white: str
    teams: tuple[str, str]
    # From 1.
    board: int


def boards_of_matches(
    tournament: Tournament, number: int, met: Iterable[tuple[str, str]], idle: Iterable[str]
) -> tuple[list[MatchBoard], tuple[str, ...]]:
    """Return the boards of round `number`, match by match, and the players with a bye.

    Colours alternate from board to board, and the first team of a match has Black on the first. A bye is a won board:
    it goes to players with nobody opposite, and to the teams that are `idle`.
    """
    boards: list[MatchBoard] = []
    byes: list[str] = []
    for nth, teams in enumerate(met):
        ups = (line_up(tournament, team, number) for team in teams)
        for board, (player, opponent) in enumerate(zip_longest(*ups), start=1):
            if player is None or opponent is None:
                byes += filter(None, (player, opponent))
                continue
            black, white = (player, opponent) if board % 2 else (opponent, player)
            boards.append(MatchBoard(nth * boards_of(tournament) + board, black, white, teams, board))
    byes += (member for team in idle for member in line_up(tournament, team, number))
    return boards, tuple(byes)


def _strength(tournament: Tournament, team: str) -> float:
    """Return the mean rating of a team's first boards."""
    rated = [player.rating or 0 for player in members(tournament, team)[: boards_of(tournament)]]
    return sum(rated) / max(1, len(rated))
