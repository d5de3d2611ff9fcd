"""Leagues of four as the director sets them, or draws them by lot from the event's seed."""

from __future__ import annotations

from dataclasses import replace

from hub.commands.desk import Event, Fields
from hub.fields import ShortText, Whole
from hub.formats.tournament_file import player_to_json
from hub.model.tournament import Tournament
from hub.ranking.leagues import LEAGUE_ROUNDS, PLAYERS, drawn_leagues, late_without_league
from hub.record.acts.event import EventChanged
from hub.record.acts.players import PlayerChanged
from hub.record.state import TournamentState
from hub.text import AlreadyDone, Refused


class Leagues(Fields, frozen=True, kw_only=True):
    """The players of each league; `draw` draws them by lot instead."""

    leagues: tuple[tuple[str, ...], ...] = ()
    draw: bool = False


class LatePlace(Fields, frozen=True, kw_only=True):
    """A player who has entered since the first round, and their league from 1; none: they begin after the leagues."""

    player: ShortText
    league: Whole | None = None


async def set_leagues(event: Event, fields: Leagues) -> TournamentState:
    """Record the leagues until the first round is published."""

    def decide(state: TournamentState) -> EventChanged:
        leagues = drawn_leagues(state.tournament) if fields.draw else fields.leagues
        if not leagues:
            raise Refused(
                "expected 6 to 128 players in leagues of three or four, got {players}",
                field="leagues",
                players=len(state.tournament.starters),
            )
        if leagues == state.tournament.leagues:
            raise AlreadyDone("expected a change, got none", field="leagues")
        return EventChanged(fields={"leagues": [list(league) for league in leagues]})

    return await event.record(decide)


async def place_late_player(event: Event, place: LatePlace) -> TournamentState:
    """Give a late player the free place of a league of three, or let them begin after the leagues."""

    def decide(state: TournamentState) -> EventChanged | PlayerChanged:
        tournament = state.tournament
        player = next((p for p in late_without_league(tournament) if p.id == place.player), None)
        if player is None:
            raise AlreadyDone("expected a late player without a league, got {player}", player=place.player)
        if place.league is None:
            later = replace(player, from_round=LEAGUE_ROUNDS + 1)
            return PlayerChanged(player=player_to_json(later, tournament.rulebook))
        if place.league not in free_leagues(tournament):
            raise Refused(
                "expected a league of three players, got {number}", field="league", number=place.league
            )
        leagues = [list(league) for league in tournament.leagues]
        leagues[place.league - 1].append(player.id)
        return EventChanged(fields={"leagues": leagues})

    return await event.record(decide)


def free_leagues(tournament: Tournament) -> tuple[int, ...]:
    """Return the numbers of the leagues that have a place for a late player."""
    return tuple(nth for nth, league in enumerate(tournament.leagues, start=1) if len(league) < PLAYERS)
