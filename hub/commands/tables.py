"""Devices: their enrolment and their seats, those that are set aside, and the version that tables are to run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from flagfall.base.errors import Failed, Invalid
from flagfall.link.keys import KEY_EXPECTED, is_public_key
from flagfall.link.topics import FROM_TABLE, RETAINED, Topic, is_id
from hub.commands.desk import Desk, Event, Fields, Nothing
from hub.fields import Raw, ShortText, TableNumber
from hub.record.acts.devices import SeatAssigned
from hub.record.state import TournamentState, seated
from hub.tables.devices import LONGEST_S, Device, EnrolmentOffer
from hub.tables.updates import UpdateOffer, forget_asked
from hub.text import AlreadyDone, Refused
from hub.venue import folder as venue

SHORT_S = 600


class NewDevice(Fields, frozen=True, kw_only=True):
    device: ShortText
    seat: TableNumber | None = None
    again: bool = False
    judge_pin: ShortText | None = None


PublicKey = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="64 hexadecimal digits")]


class EnrolledDevice(NewDevice, frozen=True, kw_only=True):
    public_key: PublicKey
    director_pin: ShortText | None = None


class OfferedCode(NewDevice, frozen=True, kw_only=True):
    lifetime_s: Annotated[int, Meta(ge=0, le=LONGEST_S)] | None = None


class PreparedDevice(NewDevice, frozen=True, kw_only=True):
    """A device that will enrol itself with a code from its card or stick."""

    director_pin: ShortText | None = None


class Enrolled(msgspec.Struct, frozen=True):
    """A device, and its password at the broker."""

    device: str
    token: str


class Prepared(msgspec.Struct, frozen=True):
    """A device, and the code on its card or stick."""

    device: str
    code: str


class OfDevice(Fields, frozen=True, kw_only=True):
    device: ShortText


class Twin(OfDevice, frozen=True, kw_only=True):
    """One of two devices with one identity."""

    start: Raw = ""  # names it by its start, "" for the only one


class OfferedUpdate(Fields, frozen=True, kw_only=True):
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64, description="64 hexadecimal digits")]


async def enrol_device(desk: Desk, new: EnrolledDevice) -> Enrolled:
    """Enrol a device with its public key, and give it its seat in the event that it is at, or the latest. Its token and
    PINs are in this answer alone."""
    hub, public = desk.hub, bytes.fromhex(new.public_key)
    hub.devices.check_enrolment(new.device, new.seat, new.again)
    if not is_public_key(public):
        raise Refused("expected {expected}", field="public_key", expected=KEY_EXPECTED)
    pins = {"judge_pin": new.judge_pin or "", "director_pin": new.director_pin or ""}
    token = hub.devices.enroll(new.device, public, new.seat, again=new.again, **pins)
    await _arrive(desk, new.device, new.seat)
    return Enrolled(new.device, token)


async def claim_device(
    desk: Desk, offer: EnrolmentOffer, public: bytes, answer: Callable[[str, dict[str, str]], str]
) -> str:
    """Enrol the device of an offer with the key that it has shown, as `enrol_device` does, and return the answer to it,
    which `answer` makes of its token and PINs."""
    hub = desk.hub
    made = hub.devices.claim(offer, public, answer)
    hub.offers.use_up(offer)
    await _arrive(desk, offer.device, offer.seat)
    return made


async def repeat_claim(desk: Desk, device: Device) -> str:
    """Return the answer to a device's claim once more, and do what is left of its enrolment if the hub was ended in
    between. Where its seat was given to another device since, it stays that device's."""
    states = [state for state in desk.hub.store.states.values() if not (state.closed or state.away)]
    is_free = device.device not in seated(states) and all(device.seat not in state.seats for state in states)
    await _arrive(desk, device.device, device.seat if is_free else None)
    return device.answer


async def _arrive(desk: Desk, device: str, seat: int | None) -> None:
    """Give a device with a new key its seat and its assignment, once its key is on record."""
    hub = desk.hub
    hub.live.forget(device)
    await _take_seat(desk, device, seat)
    await hub.store.record_companions()
    hub.outbound.send_assignments()


async def prepare_device(desk: Desk, new: PreparedDevice) -> Prepared:
    """Return the code for a device's card or stick, with which it enrols itself; its seat is given at once."""
    pins = {"judge_pin": new.judge_pin or "", "director_pin": new.director_pin or ""}
    code = desk.hub.devices.prepare(new.device, new.seat, again=new.again, **pins)
    await _take_seat(desk, new.device, new.seat)
    return Prepared(new.device, code)


async def _take_seat(desk: Desk, device: str, seat: int | None) -> None:
    states = desk.hub.store.states.values()
    open_ = [state for state in states if not (state.closed or state.away)]
    if seat is not None and open_:
        latest = max(open_, key=lambda state: state.seq)
        home = seated(states).get(device, latest)
        if home.seats.get(seat) != device:
            await seat_device(desk.event(home.id), SeatAssigned(seat=seat, device=device))


async def offer_enrolment(desk: Desk, new: OfferedCode) -> EnrolmentOffer:
    """Return a one-time code with which a device enrols itself, and the judge's PIN that it will have."""
    lifetime_s = new.lifetime_s or SHORT_S
    return desk.hub.offers.offer(new.device, new.seat, new.again, lifetime_s, new.judge_pin or "")


async def revoke_device(desk: Desk, lost: OfDevice) -> None:
    """Revoke a lost or harmful device: its messages are ignored, the open codes for it and for its seats end, and the
    venue's broker restarts without it."""
    hub, device = desk.hub, lost.device
    expected = Refused("expected an enrolled device, got {device!r}", field="device", device=device[:80])
    if not is_id(device):
        raise expected
    seats = {
        seat for state in hub.store.states.values() for seat, there in state.seats.items() if there == device
    }
    seats |= {seat for seat, there in hub.devices.seats.items() if there == device}
    was_open = hub.offers.end(device, seats)
    if hub.devices.holds(device):
        hub.devices.revoke(device)  # ends its connections at the hub's own broker (`Devices.changed`)
        was_open = True
    hub.abuses.forget(device)
    hub.intake.forget(device)
    hub.live.forget(device)
    await hub.store.record_companions()
    for tournament in (None, *hub.store.states):
        for kind in sorted(FROM_TABLE | RETAINED):
            hub.clear(Topic(tournament, device, kind))
    if hub.broker.venue is not None:
        try:
            async with hub.certifying:
                # Also of a device that is gone already: the folder may have been full when it went.
                was_open |= await asyncio.to_thread(venue.revoke, hub.broker.venue, device)
        except (Invalid, Failed) as fault:
            raise Refused(str(fault)) from None
    if not was_open:
        raise expected


async def set_twin_aside(desk: Desk, twin: Twin) -> None:
    """Set one of two devices with one identity aside by its start; without a start, let the only one go on."""
    twins = desk.hub.live.twins
    done = twins.set_aside(twin.device, twin.start) if twin.start else twins.let_go_on(twin.device)
    if not done:
        raise Refused("expected a device that runs twice", field="start")
    desk.hub.outbound.send_assignment(twin.device)
    desk.hub.live.changed()


async def seat_device(event: Event, assigned: SeatAssigned) -> TournamentState:
    """Give a seat, with its present game, to another device; without a device an ordinary clock stands there."""
    hub, device = event.hub, assigned.device
    if device is not None:
        if not hub.devices.holds(device):
            raise Refused("expected an enrolled device, got {device!r}", field="device", device=device[:80])
        event.checked_state()
        for other in list(hub.store.states.values()):
            if other.id != event.id and not other.away:
                await leave_seats(event.event(other.id), (device,))
    return await event.record(lambda _: assigned)


async def leave_seats(event: Event, devices: Collection[str]) -> None:
    """Free these devices' seats at this event: a device belongs to one event at a time."""
    for seat, device in event.state.seats.items():
        if device in devices and not event.state.closed:
            await event.record(partial(_emptied, seat, device))


def _emptied(seat: int, device: str, state: TournamentState) -> SeatAssigned:
    if state.seats.get(seat) != device:
        raise AlreadyDone("expected the seat of {device}", field="seat", device=device)
    return SeatAssigned(seat=seat)


async def offer_update(desk: Desk, offered: OfferedUpdate) -> UpdateOffer:
    """Set the version that tables are to run: the wheel of this hash, which lies with the hub."""
    return desk.hub.updates.offer(offered.sha256)


async def refuse_update(desk: Desk, _: Nothing) -> None:
    """Remove the version that a stick has brought: tables keep theirs."""
    forget_asked(desk.hub.config.state_dir)


async def withdraw_update(desk: Desk, _: Nothing) -> None:
    """Withdraw the offered version: tables keep theirs."""
    desk.hub.updates.withdraw()
