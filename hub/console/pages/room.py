"""The room in the morning: every seat with its device, fit or why not; spares given a seat; judges at their tables."""

from __future__ import annotations

from hub.console.context import ConsoleContext, RequestContext, ShownPage, address, state_of
from hub.console.views.alerts import devices_of
from hub.record.events import JudgesSet
from hub.record.state import Refused

_MOST_SEAT = 10_000
_CODE_FOR_S = 600


async def room_page(office: ConsoleContext, visit: RequestContext) -> ShownPage:
    state = state_of(office, visit)
    lines = devices_of(office.registry.devices, state, office.live)
    seated = {line.seat: line for line in lines if line.seat is not None}
    tables = {game.table for game in state.present_games}
    # Before the first pairing: as many seats as games of everybody together.
    expected = range(1, len(state.tournament.players) // 2 + 1)
    seats = sorted({*seated, *tables, *expected, *state.judges})
    spares = [line for line in lines if line.seat is None]
    return ShownPage(
        "room.html",
        {
            "seats": [(seat, seated.get(seat), state.judges.get(seat, "")) for seat in seats],
            "spares": spares,
            "ready_spares": [line for line in spares if line.state == "fit"],
            "fit": sum(line.state == "fit" for line in seated.values()),
            "link_up": office.live.link_up,
            "pins": {one.device: one.judge_pin for one in office.registry.devices},
            "director_pin": office.registry.director_pin,
            "codes": office.offers.open,
        },
        live="room_live.html",
        state=state,
    )


async def seat(office: ConsoleContext, visit: RequestContext) -> str:
    """A device takes a seat; none: the seat is played without one."""
    state = state_of(office, visit)
    number = visit.form.whole("seat", 1, _MOST_SEAT)
    await office.desk.seat(state.id, number, visit.form.typed("device") or None, visit.who)
    return address(state, "room")


async def enrol(office: ConsoleContext, visit: RequestContext) -> str:
    """A one-time code for a device that is to be one of this hub's, with the judge's PIN that it will have."""
    state, form = state_of(office, visit), visit.form
    device = form.text("device", 80)
    again = form.truth("again")
    if office.registry.key(device) is not None and not again:
        raise Refused("device: expected a new one, got {device!r}, which is enrolled", device=device)
    number = form.whole_or_none("seat", 1, _MOST_SEAT)
    try:
        office.offers.offer(device, number, again, _CODE_FOR_S, form.text_or_empty("pin", 20))
    except ValueError as fault:
        raise Refused(str(fault)) from None
    return address(state, "room")


async def judges(office: ConsoleContext, visit: RequestContext) -> str:
    """Who judges where: a field `judge-N` for each seat."""
    state = state_of(office, visit)
    found = dict(state.judges)
    for name in visit.form.fields:
        number = name.removeprefix("judge-")
        if name.startswith("judge-") and number.isdecimal() and len(number) < 6:
            said = visit.form.text_or_empty(name, 80)
            found.pop(int(number), None)
            if said:
                found[int(number)] = said
    if found == dict(state.judges):
        raise Refused("judge: expected a change, got none")
    await office.desk.record(state.id, JudgesSet(judges=found), visit.who)
    return address(state, "room")
