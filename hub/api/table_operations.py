"""The operator's API of the tables: what they show, their enrolment, and the version that they are to run.

Functions and `OF_TABLES` are as in `hub.api.operations`.
"""

from __future__ import annotations

from flagfall.link.identity import Identity
from hub.api.addresses import LIVE
from hub.api.offered import Json, command
from hub.commands.tables import SHORT_S, OfferedCode
from hub.running import Hub
from hub.tables.devices import EnrolmentOffer
from hub.web.operation import Operation


async def _live(hub: Hub, _: str, __: None) -> Json:
    devices = {}
    for device in hub.devices.all:
        name = device.device
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
            "receipts": {result: head for event in statuses for result, head in event.receipts.items()},
            "records": [event.record for event in statuses if event.record is not None],
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
            {"device": name, "ruling": ruling, "said": answer}
            for name, status in hub.live.status.items()
            for ruling, answer in status.answers.items()
        ],
        "dropped": dict(hub.live.dropped),
        "last_dropped": list(hub.live.last_dropped),
        "unreadable": dict(hub.store.unreadable),
    }


async def _devices(hub: Hub, _: str, __: None) -> Json:
    return {"devices": [{"device": device.device, "seat": device.seat} for device in hub.devices.all]}


def _enrolled_json(hub: Hub, identity: Identity, _: object) -> Json:
    fields = {"device": identity.device, "key": identity.key.hex(), "token": identity.token}
    return fields | hub.devices.settings(identity.device)


def _offered_code(_: Hub, offer: EnrolmentOffer, asked: OfferedCode) -> Json:
    fields = {"device": offer.device, "code": offer.code, "lifetime_s": asked.lifetime_s or SHORT_S}
    return fields | {"judge_pin": offer.judge_pin}


OF_TABLES = (
    Operation(*LIVE, "Devices, clocks, calls, rulings that wait, what was dropped", _live),
    Operation("GET", "/api/1/devices", "Enrolled devices", _devices),
    command("enrol-device", status=201, answer=_enrolled_json),
    command("revoke-device", answer=lambda hub, done, asked: {"device": asked.device, "revoked": True}),
    command("offer-enrolment", status=201, answer=_offered_code),
    command(
        "offer-update", answer=lambda hub, offer, asked: {"version": offer.version, "sha256": offer.sha256}
    ),
    command("withdraw-update", answer=lambda hub, done, asked: {}),
)
