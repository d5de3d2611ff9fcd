"""Qualification and prizes by the present lists (`cc-2024` V)."""

from __future__ import annotations

from hub.console.context import RequestContext, Values
from hub.ranking.finals_played import finals_of
from hub.ranking.prizes import Prizes, prizes_of
from hub.record.events import WorldPlacesSet
from hub.text import FormatError, Text
from othello.rulebook import rulebook


async def prizes_page(visit: RequestContext) -> Values:
    state = visit.state
    fault: Text | None = None
    prizes: Prizes | None = None
    try:
        prizes = prizes_of(finals_of(state.tournament))
    except FormatError as said:
        fault = said.line
    least = rulebook(state.tournament.rulebook).event.world_places
    return {"prizes": prizes, "fault": fault, "least": least}


async def set_places(visit: RequestContext) -> None:
    """The number of places that the committee has given this event."""
    places = WorldPlacesSet(places=visit.form.whole("world_places", 0, 1000))
    await visit.event.record(places)
