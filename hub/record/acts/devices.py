"""Acts of devices: which of them sits where, and whose signature counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from flagfall.base.value import replace
from flagfall.ledger.entry import Entry
from hub.fields import ShortText, TableNumber
from hub.record.acts.act import Act
from hub.record.assignments import with_assignments
from hub.record.doors import Api, AtDoor, Form, Hubs
from hub.record.state import TournamentState
from hub.role import Role
from hub.text import Refused

EnrolledBy: TypeAlias = Literal["device", "api"]


class SeatAssigned(Act, frozen=True, kw_only=True):
    """Another device takes a seat.

    It is a spare that takes over, or none, which empties the seat: an ordinary clock stands there.
    """

    TYPE = "seat_assigned"
    CAN_BE_UNDONE = False
    ROLE = Role.ASSISTANT
    API = Api("POST", "seats")
    FORMS = (Form(path="seat", page="room"),)
    seat: Annotated[int, AtDoor(TableNumber)]
    device: Annotated[str | None, AtDoor(ShortText | None)] = None
    seq: Hubs[int] = 0

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        if self.seat < 1:
            raise Refused("expected a number from 1, got {seat}", field="seat", seat=self.seat)
        seats = {seat: device for seat, device in state.seats.items() if device != self.device}
        seats.pop(self.seat, None)
        if self.device is not None:
            seats[self.seat] = self.device
        return with_assignments(replace(state, seats=seats), self.seq)

    @classmethod
    def seen(cls, state: TournamentState, given: Mapping[str, Any]) -> object:
        return (state.seats.get(given["seat"]),)


class DeviceEnrolled(Act, frozen=True, kw_only=True):
    """The public key (Ed25519, in hex digits) of a device at this event, in place of an earlier one.

    The hub records it before the device's first assignment.
    """

    TYPE = "device_enrolled"
    CAN_BE_UNDONE = False
    device: str
    public_key: str
    # Who gave the key to the hub: the device itself, with its code, or somebody by the API; None where it is not known.
    by: EnrolledBy | None = None

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        enrolments = (*state.enrolments.get(self.device, ()), entry.id)
        return replace(
            state,
            enrolled={**state.enrolled, self.device: self.public_key},
            enrolments={**state.enrolments, self.device: enrolments},
        )


class DeviceRevoked(Act, frozen=True, kw_only=True):
    """The device's key counts no longer: nothing that it signs from now on is taken."""

    TYPE = "device_revoked"
    CAN_BE_UNDONE = False
    device: str

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        left = {device: key for device, key in state.enrolled.items() if device != self.device}
        return replace(state, enrolled=left)
