"""Leagues of four as the director sets them, or draws them by lot from the event's seed."""

from __future__ import annotations

from hub.commands.desk import AlreadyDone, Event, Fields
from hub.ranking.leagues import drawn_leagues
from hub.record.events import EventChanged
from hub.record.state import TournamentState
from hub.text import Refused


class Leagues(Fields, frozen=True, kw_only=True):
    """The players of each league; `draw` draws them by lot instead."""

    leagues: tuple[tuple[str, ...], ...] = ()
    draw: bool = False


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
        return EventChanged(
            fields={"leagues": [list(league) for league in leagues]}, seq=event.next_seq(state)
        )

    return await event.record(decide)
