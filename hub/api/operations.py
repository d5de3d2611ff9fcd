"""The operations of the operator's API: one line of `OPERATIONS` for each.

Operations that change something are acts (`hub.record.acts`) or commands (`hub.commands.table`): the body has their
fields, and the holder of the token is a director. A function of an operation gets the hub's parts, the name in the
address ("" without one) and the body. It returns the answer, or the tournament whose present round is the answer.
Scores are [black, white] in discs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from flagfall.ledger.entry import Entry
from hub.api.addresses import COMMANDS as ADDRESSES
from hub.api.addresses import LIVE, SUPPORT, TOURNAMENT
from hub.commands.acts import do
from hub.commands.desk import Desk, Nothing, state_of
from hub.commands.events import NewEvent
from hub.commands.support import Running, running_facts
from hub.commands.table import COMMANDS
from hub.commands.tables import SHORT_S, Enrolled, OfferedCode, Prepared
from hub.entries.days import expect_event_days
from hub.entries.findings import finding_to_json, findings
from hub.formats.tournament_file import tournament_to_json
from hub.ranking.finals import finals_of
from hub.ranking.reports import Finals, Standings, finals_value, standings_value
from hub.record.acts.act import Act
from hub.record.acts.at_doors import door, given_act
from hub.record.acts.event import ShowingSet
from hub.record.acts.table import ACTS
from hub.record.state import TournamentState
from hub.role import Role
from hub.running import Hub
from hub.slices import apart
from hub.tables.devices import EnrolmentOffer
from hub.web.operation import Operation

OPERATOR = "operator"
Json = dict[str, Any]
# A function that makes the JSON-ready answer from the command's result and the fields of the request.
ToAnswer = Callable[[Hub, Any, Any], object]


def operator_at(hub: Hub) -> Desk:
    """Return the operator who has the token."""
    return Desk(hub, OPERATOR, Role.DIRECTOR)


def command(
    name: str,
    *,
    status: int = 200,
    body: Any = None,
    fields: Callable[[str, Any], object] | None = None,
    answer: ToAnswer | None = None,
) -> Operation:
    """Return the operation that runs this command. By default the answer is the event's present round.

    `body`, where it is another one than the command's fields: these are made of the name in the address and the body.
    """
    row, (method, path) = COMMANDS[name], ADDRESSES[name]
    of_event = "{tournament}" in path and body is None
    if fields is None and method == "DELETE":
        fields = lambda named, _: row.fields(**({"device": named} if named else {}))  # noqa: E731
    read = row.fields if body is None and method != "DELETE" else body

    async def act(hub: Hub, named: str, sent: Any) -> object:
        desk = operator_at(hub).event(named) if of_event else operator_at(hub)
        asked = fields(named, sent) if fields is not None else row.fields() if sent is None else sent
        done = await row.run(desk, asked)
        return done if answer is None else answer(hub, done, asked)

    return Operation(method, path, row.summary, act, body=read, status=status)


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


async def _support(hub: Hub, _: str, __: None) -> Running:
    return running_facts(hub)


async def _devices(hub: Hub, _: str, __: None) -> Json:
    return {"devices": [{"device": device.device, "seat": device.seat} for device in hub.devices.all]}


def _enrolled_json(hub: Hub, enrolled: Enrolled, _: object) -> Json:
    fields = {"device": enrolled.device, "token": enrolled.token, "hub_key": hub.key.public.hex()}
    return fields | hub.devices.settings(enrolled.device)


def _prepared_json(hub: Hub, prepared: Prepared, _: object) -> Json:
    fields = {"device": prepared.device, "code": prepared.code}
    return fields | hub.devices.settings(prepared.device)


def _offered_code(_: Hub, offer: EnrolmentOffer, asked: OfferedCode) -> Json:
    fields = {"device": offer.device, "code": offer.code, "lifetime_s": asked.lifetime_s or SHORT_S}
    return fields | {"judge_pin": offer.judge_pin}


def act_of_event(
    kind: type[Act], answer: Callable[[Hub, TournamentState], object] | None = None
) -> Operation:
    """Return the operation that has this act done (`hub.record.acts`). By default the answer is the event's present
    round."""
    assert kind.API is not None
    body = door(kind)

    async def act(hub: Hub, tournament: str, sent: Any) -> object:
        given = sent if sent is not None else body()
        state = await do(operator_at(hub).event(tournament), given_act(kind, given))
        return state if answer is None else answer(hub, state)

    summary = (kind.__doc__ or "").partition("\n")[0].rstrip(".")
    path = f"{TOURNAMENT}/{kind.API.path}"
    return Operation(kind.API.method, path, summary, act, body=body if body.__struct_fields__ else Nothing)


OF_TABLES = (
    Operation(*LIVE, "Devices, clocks, calls, rulings that wait, what was dropped", _live),
    Operation(*SUPPORT, "The last lines of the log, and figures of the tables", _support, answer=Running),
    Operation("GET", "/api/1/devices", "Enrolled devices", _devices),
    command("enrol-device", status=201, answer=_enrolled_json),
    command("revoke-device", answer=lambda hub, done, asked: {"device": asked.device, "revoked": True}),
    command("prepare-device", status=201, answer=_prepared_json),
    command("offer-enrolment", status=201, answer=_offered_code),
    command(
        "offer-update", answer=lambda hub, offer, asked: {"version": offer.version, "sha256": offer.sha256}
    ),
    command("withdraw-update", answer=lambda hub, done, asked: {}),
)


def _facts(
    path: str, summary: str, facts: Callable[[TournamentState], object], answer: type[object] | None = None
) -> Operation:
    """Return the operation that answers with facts of the tournament alone."""

    async def act(hub: Hub, tournament: str, _: None) -> object:
        return await apart(facts, state_of(hub, tournament))

    return Operation("GET", f"{TOURNAMENT}{path}", summary, act, answer=answer)


async def _tournaments(hub: Hub, _: str, __: None) -> Json:
    tournaments = [
        {"id": state.id, "name": state.tournament.name, "round": state.round, "closed": state.closed}
        for state in hub.store.states.values()
    ]
    return {"tournaments": tournaments}


async def _entries(hub: Hub, tournament: str, _: None) -> Json:
    state = state_of(hub, tournament)
    head, entries = hub.store.head(state.id), await hub.store.entries(state.id)
    return {"head": head, "entries": await apart(_entry_lines, entries)}


def _entry_lines(entries: Sequence[Entry]) -> list[Json]:
    names = ("id", "type", "who", "at", "hash")
    return [{name: getattr(entry, name) for name in names} for entry in entries]


async def _showing(hub: Hub, tournament: str, _: None) -> Json:
    return _showing_json(hub, state_of(hub, tournament))


def _showing_json(hub: Hub, state: TournamentState) -> Json:
    return {
        "starts_at": state.showing.starts_at,
        "boards": state.showing.boards,
        "delay_s": state.showing.delay_s,
        "hall": f"/hall/{state.id}?key={hub.site.key}",
        "print": f"/print/{state.id}?key={hub.site.key}",
    }


def _new_event(tournament: str, file: Json) -> NewEvent:
    expect_event_days(
        *(day if isinstance(day := file.get(name), str) else None for name in ("date", "end_date"))
    )
    return NewEvent(file=file, tournament=tournament)


_ANSWERS: Mapping[type[Act], Callable[[Hub, TournamentState], object]] = MappingProxyType(
    {ShowingSet: _showing_json}
)
OPERATIONS = (
    *OF_TABLES,
    Operation("GET", "/api/1/tournaments", "The tournaments of this hub", _tournaments),
    command("create-event", status=201, body=dict, fields=_new_event),
    _facts("", "The round as the director sees it", lambda state: state),
    _facts("/file", "The tournament file", lambda state: tournament_to_json(state.tournament)),
    _facts(
        "/standings",
        "Standings, as `rank --json` prints them",
        lambda state: standings_value(state.tournament),
        Standings,
    ),
    Operation("GET", f"{TOURNAMENT}/entries", "The chain of entries, for audits", _entries),
    _facts(
        "/findings",
        "What the rulebook has to say of the entries",
        lambda state: {"findings": [finding_to_json(finding) for finding in findings(state.tournament)]},
    ),
    Operation(
        "GET",
        f"{TOURNAMENT}/showing",
        "What is shown in the hall and outside; the projector's address",
        _showing,
    ),
    command("publish-round"),
    _facts(
        "/finals",
        "What is due in playoffs and finals, with its choosers' options",
        lambda state: finals_value(finals_of(state.tournament), for_operator=True),
        Finals,
    ),
    command("publish-finals"),
    command("walk-over"),
    command("start-round"),
    command("send-ruling"),
    command("enter-result"),
    command("decide-result"),
    command("correct-game"),
    command("add-player"),
    command("declare-event"),
    command("declare-players"),
    command("undo-entry"),
    *(act_of_event(act, _ANSWERS.get(act)) for act in ACTS if act.API is not None),
)
