"""The command that notes everybody who is missing."""

from __future__ import annotations

from hub.commands.desk import Event, Nothing
from hub.record.acts.players import PlayerAbsent
from hub.record.state import TournamentState
from hub.text import AlreadyDone, Refused


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
