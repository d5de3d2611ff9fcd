"""Acts of arrivals: the list for the tablet at the door, and who is here."""

from __future__ import annotations

import msgspec

from flagfall.base.value import replace
from flagfall.ledger.entry import Entry
from hub.pairing.state import last_round
from hub.record.acts.act import Act
from hub.record.doors import Form, Hubs, PlayerId
from hub.record.state import Arrival, TournamentState
from hub.role import Role
from hub.text import AlreadyDone, Refused


def round_of_list(state: TournamentState) -> int:
    """Return the round for which a list is opened now: the next one, and the last once it is published."""
    return min(state.round + 1, max(last_round(state.tournament), 1))


class ArrivalSet(Act, frozen=True, kw_only=True):
    """A list of arrivals for a round is opened for a tablet at the door, at an address of its own, or is closed.

    The address before opens nothing any more. Of a closed list it stays known who is here.
    """

    TYPE = "arrival_set"
    CAN_BE_UNDONE = False
    FORMS = (
        Form(path="arrival", page="arrival", sets={"open": True}),
        Form(path="arrival/close", page="arrival", asks=(), sets={"open": False}),
    )
    open: bool
    # Of the tablet's link.
    number: Hubs[int] = 0
    round: Hubs[int] = 0
    # Who has arrived before stays on the list, which gets another address alone.
    keep: bool = False

    def ready(self, state: TournamentState) -> ArrivalSet:
        present = state.arrival
        if not self.open and not present.open:
            raise AlreadyDone("expected an open list of arrivals, got none", field="arrival")
        keep = self.open and self.keep and present.number > 0
        return msgspec.structs.replace(
            self,
            number=present.number + self.open,
            round=round_of_list(state) if self.open and not keep else present.round,
            keep=keep,
        )

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        """Return the state with the list opened or closed. A list that is opened begins empty unless it keeps who is
        here."""
        if self.number < state.arrival.number or self.round < 1:
            raise Refused(
                "expected a number from {least}, got {number}",
                field="number",
                least=max(state.arrival.number, 1),
                number=self.number,
            )
        if not self.open or self.keep:
            arrival = replace(state.arrival, open=self.open, number=self.number, round=self.round)
        else:
            arrival = Arrival(True, self.number, self.round)
        return replace(state, arrival=arrival)


class PlayerArrived(Act, frozen=True, kw_only=True):
    """A player is here, or is not here after all (`here` false)."""

    TYPE = "player_arrived"
    CAN_BE_UNDONE = False
    ROLE = Role.ASSISTANT
    FORMS = (Form(path="arrival/here", page="arrival"),)
    player: PlayerId
    here: bool = True

    def ready(self, state: TournamentState) -> PlayerArrived:
        if (self.player in state.arrival.here) == self.here:
            raise AlreadyDone("expected a change, got none", field="player")
        return self

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        """Return the state with one player more or fewer who is here, since the label of the entry."""
        state.expect_player(self.player)
        arrival = state.arrival
        if not arrival.number:
            raise Refused("expected a list of arrivals, got none", field="player")
        here = {player: since for player, since in arrival.here.items() if player != self.player}
        late = arrival.late - {self.player}
        if self.here:
            here[self.player] = entry.at
            absent = (self.player, arrival.round) in {
                (gone.player, gone.round) for gone in state.tournament.absences
            }
            late |= {self.player} if absent or state.round >= arrival.round else set()
        return replace(state, arrival=replace(arrival, here=here, late=late))
