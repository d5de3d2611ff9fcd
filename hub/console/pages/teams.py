"""Team matches: number of boards, line-ups, results of matches, standings of teams."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from hub.console.context import Values, Visit
from hub.console.player_lists import player_to_json
from hub.model.players import alphabetical
from hub.ranking.systems import cycle_rounds
from hub.ranking.team_matches import (
    MOST_BOARDS,
    boards_of,
    line_up,
    matches,
    members,
    team_standings,
    teams_of,
)
from hub.record.events import PlayerChanged
from hub.record.state import TournamentState
from hub.rounds.questions import Stale
from hub.text import Refused


async def teams_page(visit: Visit) -> Values:
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


async def set_boards(visit: Visit) -> None:
    """Makes the event one of teams, or one of single players again."""
    boards = visit.form.integer_or_none("team_matches", 1, MOST_BOARDS)
    await visit.event.change({"team_matches": boards})


async def set_teams(visit: Visit) -> None:
    """A field `team-ID` with each player's team; a player without the field keeps his."""
    state, form = visit.state, visit.form
    visit.expect_shown(teams_of_players(state))
    for player in state.tournament.players:
        name = f"team-{player.id}"
        if name in form.fields and (team := form.text_or_empty(name)) != player.team:
            await visit.event.record(partial(_moved_to_team, player.id, player.team, team))


def teams_of_players(state: TournamentState) -> tuple[tuple[str, str], ...]:
    """Return (player, team) of everybody."""
    return tuple((player.id, player.team) for player in state.tournament.players)


def _moved_to_team(player_id: str, before: str, team: str, state: TournamentState) -> PlayerChanged:
    player = next((player for player in state.tournament.players if player.id == player_id), None)
    if player is None or player.team != before:
        raise Stale("somebody else has changed this meanwhile; this is how it stands now", field="form")
    return PlayerChanged(player=player_to_json(replace(player, team=team), state.tournament.rulebook))


async def set_line_up(visit: Visit) -> None:
    """A field `board-ID` with the board of each of the team's players; players without a board come last."""
    state, form = visit.state, visit.form
    team = form.choice("team", teams_of(state.tournament))
    own = [one.id for one in members(state.tournament, team)]
    said = {one: form.integer_or_none(f"board-{one}", 1, 999) for one in own}
    order = sorted(own, key=lambda one: (said[one] or 1_000, own.index(one)))
    if order == own and team in (state.tournament.line_ups or {}):
        raise Refused("expected a change, got none", field="line_ups")

    def decide(state: TournamentState) -> dict[str, Any]:
        visit.expect_shown([player.id for player in members(state.tournament, team)])
        return {"line_ups": {**(state.tournament.line_ups or {}), team: order}}

    await visit.event.change(decide)
