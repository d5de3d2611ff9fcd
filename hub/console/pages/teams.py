"""Team matches: number of boards, line-ups, results of matches, standings of teams."""

from __future__ import annotations

from hub.commands.players import LineUp, Teams
from hub.console.context import Values, Visit
from hub.model.players import alphabetical
from hub.ranking.systems import cycle_rounds
from hub.ranking.teams import boards_of, line_up, matches, members, team_standings, teams_of
from hub.record.state import TournamentState


def teams_page(visit: Visit) -> Values:
    state = visit.state
    tournament = state.tournament
    return {
        "boards": boards_of(tournament),
        "lines": team_standings(tournament),
        "matches": matches(tournament)[::-1],
        "members": {team: members(tournament, team) for team in sorted(teams_of(tournament))},
        "next_up": {team: line_up(tournament, team, state.round + 1) for team in teams_of(tournament)},
        "all_met_after": cycle_rounds(len(teams_of(tournament))),
        "players": alphabetical(tournament.players),
        "teams_of_players": teams_of_players(state),
        "alone": [player for player in tournament.players if not player.team],
    }


def read_teams(visit: Visit) -> Teams:
    """Return the team of each player who has a field `team-ID`; a player without the field keeps theirs."""
    form = visit.form
    names = {player.id: f"team-{player.id}" for player in visit.state.tournament.players}
    return Teams(
        teams={player: form.text_or_empty(name) for player, name in names.items() if name in form.fields}
    )


def teams_of_players(state: TournamentState, _: object = None) -> tuple[tuple[str, str], ...]:
    """Return (player, team) of everybody."""
    return tuple((player.id, player.team) for player in state.tournament.players)


def read_line_up(visit: Visit) -> LineUp:
    """Return the board of each of the team's players who has one: a field `board-ID`."""
    tournament, form = visit.state.tournament, visit.form
    team = form.choice("team", teams_of(tournament))
    boards = {
        player.id: form.integer_or_none(f"board-{player.id}", 1, 999) for player in members(tournament, team)
    }
    return LineUp(team=team, boards={player: board for player, board in boards.items() if board is not None})


def shown_members(state: TournamentState, line_up: LineUp) -> object:
    """Return what the form of a team's line-up shows."""
    return [player.id for player in members(state.tournament, line_up.team)]
