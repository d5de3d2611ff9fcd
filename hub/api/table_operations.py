"""The operator's API of the tables: what they show, their enrolment, and the version that they are to run.

Functions and `OF_TABLES` are as in `hub.api.operations`.
"""

from __future__ import annotations

from typing import Any

from hub.api import bodies
from hub.running import Hub
from hub.web.operation import Operation

OPERATOR = "operator"
_SHORT_S = 600

Json = dict[str, Any]


async def _live(hub: Hub, _: str, __: None) -> Json:
    devices = {}
    for one in hub.devices.all:
        name = one.device
        status, heard = hub.live.status.get(name), hub.live.clocks.get(name)
        call, statuses = hub.live.calls.get(name), hub.live.statuses.get(name, {}).values()
        devices[name] = {
            "online": hub.live.online(name),
            "fit": status.fit if status else False,
            "version": status.version if status else None,
            "update": status.update if status else "",
            "health": status.health if status else None,
            "seat": status.seat if status else None,
            "game": status.game if status else None,
            "clock": heard.clock if heard else None,
            "receipts": {result: head for said in statuses for result, head in said.receipts.items()},
            "records": [said.record for said in statuses if said.record is not None],
            "call": call.why if call is not None and call.wanted else None,
        }
    return {
        "link_up": hub.live.link_up,
        "devices": devices,
        "rulings_waiting": [
            {"ruling": ruling.ruling, "rule": ruling.rule, "game": game.id, "device": device}
            for _, ruling, game, device in hub.outbound.open_rulings()
        ],
        "answers": [
            {"device": device, "ruling": ruling, "said": said}
            for device, status in hub.live.status.items()
            for ruling, said in status.answers.items()
        ],
        "dropped": dict(hub.live.dropped),
        "last_dropped": list(hub.live.last_dropped),
        "unreadable": dict(hub.store.unreadable),
    }


async def _devices(hub: Hub, _: str, __: None) -> Json:
    return {"devices": [{"device": one.device, "seat": one.seat} for one in hub.devices.all]}


async def _enroll(hub: Hub, _: str, body: bodies.EnrolledDevice) -> Json:
    pins = {"judge_pin": body.judge_pin or "", "director_pin": body.director_pin or ""}
    identity = await hub.operations.enroll(body.device, body.seat, OPERATOR, again=body.again, **pins)
    told = {"device": identity.device, "key": identity.key.hex(), "token": identity.token}
    return told | hub.devices.settings(identity.device)


async def _revoke(hub: Hub, device: str, _: None) -> Json:
    """Revokes a lost device; the venue's broker restarts without it."""
    await hub.set_aside(device)
    return {"device": device, "revoked": True}


async def _offer_code(hub: Hub, _: str, body: bodies.OfferedCode) -> Json:
    device, lifetime_s = body.device, body.lifetime_s or _SHORT_S
    offer = hub.offers.offer(device, body.seat, body.again, lifetime_s, body.judge_pin or "")
    return {"device": device, "code": offer.code, "lifetime_s": lifetime_s, "judge_pin": offer.judge_pin}


async def _offer_update(hub: Hub, _: str, body: bodies.OfferedUpdate) -> Json:
    """The wheel is in the hub's state directory already (`flagfall-hub update`)."""
    made = hub.updates.offer(body.sha256)
    return {"version": made.version, "sha256": made.sha256}


async def _withdraw_update(hub: Hub, _: str, __: None) -> Json:
    hub.updates.withdraw()
    return {}


OF_TABLES = (
    Operation("GET", "/api/1/live", "Devices, clocks, calls, rulings that wait, what was dropped", _live),
    Operation("GET", "/api/1/devices", "Enrolled devices", _devices),
    Operation(
        "POST",
        "/api/1/devices",
        "Enrols a device; key and token are told this once, and its PINs",
        _enroll,
        bodies.EnrolledDevice,
        status=201,
    ),
    Operation("DELETE", "/api/1/devices/{device}", "A lost device is heard no more", _revoke),
    Operation(
        "POST",
        "/api/1/enrolments",
        "A one-time code with which a device enrols itself, and the judge's PIN that it will have",
        _offer_code,
        bodies.OfferedCode,
        status=201,
    ),
    Operation(
        "PUT",
        "/api/1/update",
        "The version that tables are to run: the wheel of this hash, which lies with the hub",
        _offer_update,
        bodies.OfferedUpdate,
    ),
    Operation("DELETE", "/api/1/update", "Tables are to stay as they are", _withdraw_update),
)
