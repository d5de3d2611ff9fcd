"""How an operator has an act done (`hub.record.acts`): by a form of the console, by the API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from hub.commands.desk import Event
from hub.commands.events import put_event_away
from hub.commands.players import remove_player
from hub.commands.tables import seat_device
from hub.record.acts.act import Act
from hub.record.acts.devices import SeatAssigned
from hub.record.acts.event import EventPutAway
from hub.record.acts.players import PlayerRemoved
from hub.record.state import TournamentState
from hub.text import Refused

# Acts with which the hub does more than record them.
_MORE: Mapping[type[Act], Callable[[Event, Any], Awaitable[TournamentState]]] = MappingProxyType(
    {EventPutAway: put_event_away, PlayerRemoved: remove_player, SeatAssigned: seat_device}
)


async def do(event: Event, act: Act) -> TournamentState:
    """Have the act done, and return the event after it. PermissionError for a role below the act's, which whoever calls
    has to know."""
    if event.role < act.ROLE:
        raise PermissionError(act.TYPE)
    if event.role < act.least():
        raise Refused("only a director may do this")
    more = _MORE.get(type(act))
    if more is not None:
        return await more(event, act)
    return await event.record(lambda _: act, event.once)
