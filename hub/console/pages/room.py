"""The room before play: every seat with its device and its fitness; spares for a seat; judges at their tables;
enrolment codes for new tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from hub.commands.tables import OfferedCode
from hub.console.context import Values, Visit
from hub.console.views.alerts import device_lines
from hub.fields import whole_in
from hub.record.acts.event import JudgesSet
from hub.record.state import seated
from hub.venue.names import is_reachable
from hub.web.qr_code import qr_svg

_MOST_SEAT = 10_000


async def room_page(visit: Visit) -> Values:
    state = visit.state
    others = seated(visit.hub.store.states.values(), but=state.id)
    lines = device_lines(visit.hub.devices.all, state, visit.hub.live, others)
    here = {line.seat: line for line in lines if line.seat is not None}
    tables = {game.table for game in state.present_games}
    # Before the first pairing: as many seats as a round of all players needs.
    expected = range(1, len(state.tournament.players) // 2 + 1)
    seats = sorted({*here, *tables, *expected, *state.judges})
    offered = visit.hub.offers.open
    asked = "clocks" in visit.request.query_params or visit.error is not None
    return {
        # An event without devices asks for some before the page speaks of them.
        "with_devices": bool(lines or offered or asked or not state.on_paper),
        "seats": [(seat, here.get(seat), state.judges.get(seat, "")) for seat in seats],
        "spares": [line for line in lines if line.seat is None],
        "fit": sum(line.state == "fit" for line in here.values()),
        "link_up": visit.hub.live.link_up,
        "pins": {device.device: device.judge_pin for device in visit.hub.devices.all},
        "director_pin": visit.hub.devices.director_pin,
        "codes": _open_codes(visit),
        "judges": dict(state.judges),
        "only_here": not is_reachable(visit.request.url.hostname or ""),
        "next_seat": next(n for n in range(1, _MOST_SEAT) if n not in {*here, *(c.seat for c in offered)}),
        "next_device": _next_name(
            {device.device for device in visit.hub.devices.all} | {offer.device for offer in offered}
        ),
    }


def _open_codes(visit: Visit) -> list[dict[str, Any]]:
    """Return the steps at a new table: type `command` there, or photograph the same as `qr`, "" where no table reaches
    the hub at the console's address."""
    host = visit.request.url.hostname or "localhost"
    hub = f"http://{f'[{host}]' if ':' in host else host}:{visit.hub.plain_port}"
    codes = []
    for offer in reversed(visit.hub.offers.open):
        command = f"flagfall-table enrol {offer.code} --hub {hub}{' --again' if offer.again else ''}"
        qr = qr_svg(command) if is_reachable(host) else ""
        left_s = ((offer.until_ns or 0) - visit.hub.now_ns()) // 1_000_000_000
        minutes = max(1, -(-left_s // 60))
        codes.append({"offer": offer, "minutes": minutes, "command": command, "qr": qr})
    return codes


def _next_name(taken: Collection[str]) -> str:
    """Return the first free name of table-01, table-02"""
    return next(name for number in range(1, len(taken) + 2) if (name := f"table-{number:02d}") not in taken)


def read_offer(visit: Visit) -> OfferedCode:
    """Return the device that is to get a one-time code, and the judge's PIN that it will have."""
    form = visit.form
    seat, pin = form.integer_or_none("seat", 1, _MOST_SEAT), form.text_or_empty("pin", 20)
    device = form.text("device", 80)
    return OfferedCode(device=device, seat=seat, again=form.ticked("again"), judge_pin=pin)


def read_judges(visit: Visit) -> JudgesSet:
    """Return the judge of each seat: a field `judge-N`."""
    typed: dict[int, str] = {}
    for name in visit.form.fields:
        seat = whole_in(name.removeprefix("judge-"), 5)
        if name.startswith("judge-") and seat is not None:
            typed[seat] = visit.form.text_or_empty(name, 80)
    return JudgesSet(judges=typed)
