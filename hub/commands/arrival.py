"""Commands on arrivals: the list for the tablet at the door, who is here, and who is missing."""

from __future__ import annotations

from hub.commands.desk import AlreadyDone, Event, Fields, Nothing
from hub.fields import ShortText
from hub.record.events import ArrivalSet, PlayerAbsent, PlayerArrived
from hub.record.state import TournamentState
from hub.text import Refused


class NewList(Fields, frozen=True, kw_only=True):
    # Who is here stays on the list, which gets another address alone.
    keep: bool = False


class Arrived(Fields, frozen=True, kw_only=True):
    player: ShortText
    here: bool = False


async def open_arrival(event: Event, fields: NewList) -> TournamentState:
    """Open a list of arrivals for the next round at a new address; the address before opens nothing any more."""

    def decide(state: TournamentState) -> ArrivalSet:
        keep = fields.keep and state.arrival.number > 0
        round_ = state.arrival.round if keep else state.round + 1
        return ArrivalSet(open=True, number=state.arrival.number + 1, round=round_, keep=keep)

    return await event.record(decide)


async def close_arrival(event: Event, _: Nothing) -> TournamentState:
    """Close the list: the tablet's address opens nothing any more. Who is here stays known."""

    def decide(state: TournamentState) -> ArrivalSet:
        if not state.arrival.open:
            raise AlreadyDone("expected an open list of arrivals, got none", field="arrival")
        return ArrivalSet(open=False, number=state.arrival.number, round=state.arrival.round)

    return await event.record(decide)


async def note_arrival(event: Event, arrived: Arrived) -> TournamentState:
    """Note that a player is here, or is not here after all."""

    def decide(state: TournamentState) -> PlayerArrived:
        if (arrived.player in state.arrival.here) == arrived.here:
            raise AlreadyDone("expected a change, got none", field="player")
        return PlayerArrived(player=arrived.player, here=arrived.here)

    return await event.record(decide)


async def note_missing(event: Event, _: Nothing) -> TournamentState:
    """Note everybody who is missing as absent in the round of the list, which is not paired yet."""

    def decide(state: TournamentState) -> list[PlayerAbsent]:
        if state.arrival.round <= state.round:
            raise Refused(
                "expected a round that is not paired yet, got {round}",
                field="round",
                round=state.arrival.round,
            )
        if not state.missing:
            raise AlreadyDone("expected a missing player, got none", field="player")
        return [PlayerAbsent(player=player.id, round=state.arrival.round) for player in state.missing]

    return await event.record(decide)
