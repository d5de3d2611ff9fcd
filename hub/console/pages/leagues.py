"""The page of leagues: their players, set by number or drawn before the first round, and their standings."""

from __future__ import annotations

from hub.commands.leagues import Leagues, free_leagues
from hub.console.context import Values, Visit
from hub.model.players import alphabetical
from hub.ranking.leagues import LEAGUE_ROUNDS, MOST_LEAGUES, drawn_leagues, late_without_league
from hub.ranking.standings import league_tables
from hub.record.state import TournamentState


def leagues_page(visit: Visit) -> Values:
    tournament = visit.state.tournament
    numbers = {player: nth for nth, league in enumerate(tournament.leagues, start=1) for player in league}
    return {
        "tables": league_tables(tournament),
        "set": bool(tournament.leagues),
        "numbers": numbers,
        "players": alphabetical(tournament.starters),
        "alone": [
            p
            for p in tournament.starters
            if tournament.leagues and p.id not in numbers and p.from_round <= LEAGUE_ROUNDS
        ],
        "late": late_without_league(tournament) if visit.state.round else (),
        "free_leagues": free_leagues(tournament),
        "plays_after": tournament.rounds_planned > LEAGUE_ROUNDS,
        "shown_leagues": tournament.leagues,
        "drawable": bool(drawn_leagues(tournament)),
    }


def read_leagues(visit: Visit) -> Leagues:
    """Return the leagues by the numbers in the fields `league-ID`; players who stay keep their order in a league."""
    form, tournament = visit.form, visit.state.tournament
    if form.ticked("draw"):
        return Leagues(draw=True)
    known = [player for league in tournament.leagues for player in league]
    known += [player.id for player in alphabetical(tournament.starters) if player.id not in known]
    members: dict[int, list[str]] = {}
    for player in known:
        number = form.integer_or_none(f"league-{player}", 1, MOST_LEAGUES)
        if number is not None:
            members.setdefault(number, []).append(player)
    return Leagues(leagues=tuple(tuple(members[number]) for number in sorted(members)))


def shown_leagues(state: TournamentState, _: object = None) -> object:
    """Return the leagues that the page shows."""
    return state.tournament.leagues
