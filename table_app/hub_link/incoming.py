"""Messages of the hub to this device, read from untrusted bytes.

The signature decides, not the topic: a broker can be deceived. Nothing here acts on a message.
"""

from __future__ import annotations

from flagfall.base.errors import Invalid
from flagfall.link.identity import Identity
from flagfall.link.messages import Assignment, BadMessage, Receipt, RulingMessage, Update, decode
from flagfall.link.signature import verify
from flagfall.link.topics import FROM_HUB, parse
from flagfall.othello.colour_choice import ColourChoice
from flagfall.othello.game import Header
from flagfall.othello.gamefile import parse_header, parse_input
from flagfall.othello.inputs import Input
from flagfall.othello.side import Side
from table_app.table_assignment import TableAssignment

Order = Assignment | Receipt | RulingMessage | Update


class ForeignHub(BadMessage):
    """An order to a device of this name that another hub has signed."""


def read_order(topic: str, payload: bytes, identity: Identity) -> Order | None:
    """Return the order, its signature checked; None for a message that this device sent itself. BadMessage
    for everything else."""
    place = parse(topic)
    if place is None:
        raise BadMessage(repr(topic[:120]), "no topic of ours")
    if place.kind not in FROM_HUB:
        return None
    if place.device != identity.device:
        raise BadMessage(topic, f"expected device {identity.device}")
    if not payload and place.retained:
        return None  # a retained message for this device was cleared
    message = decode(place, payload)
    if not verify(place.kind, payload, identity.hub):
        raise ForeignHub(topic, "signature: expected the hub's")
    if not isinstance(message, (Assignment, Receipt, RulingMessage, Update)):
        raise BadMessage(topic, "expected an order of the hub")
    if message.device != identity.device:
        raise BadMessage(topic, f"device: expected {identity.device}, got {message.device!r}")
    if isinstance(message, Assignment) and message.tournament != place.tournament:
        raise BadMessage(topic, f"tournament: expected that of the topic, got {message.tournament!r}")
    return message


def assigned(message: Assignment) -> TableAssignment:
    """Return the assignment with its header parsed; BadMessage names the field that is wrong."""
    tournament, seat = message.tournament or "", message.seat or 0
    if message.game is None:
        return TableAssignment(
            message.seq, tournament, "", seat, hub_host=message.hub_host, page=message.page
        )
    try:
        header = parse_header(message.header or {})
    except Invalid as error:
        raise BadMessage(f"assignment {message.seq}", f"header: {error}") from None
    return TableAssignment(
        message.seq,
        tournament,
        message.game,
        seat=seat,
        header=header,
        choice=_colour_choice(message, header),
        hides=next((side for side in Side if header.player(side).id == message.hides), None),
        scored=message.scored,
        hub_host=message.hub_host,
        page=message.page,
    )


def _colour_choice(message: Assignment, header: Header) -> ColourChoice | None:
    if message.chooses is None or message.may is None:
        return None
    for side in Side:
        if header.player(side).id == message.chooses:
            return ColourChoice(side, message.may)
    raise BadMessage(
        f"assignment {message.seq}", f"chooses: expected a player of the header, got {message.chooses!r}"
    )


def ruling_input(message: RulingMessage, at_ns: int) -> Input:
    """Return the input of a ruling; Invalid names the field that is wrong."""
    if message.rule == "start":
        return parse_input({"type": "start", "at_ns": at_ns})
    line = {"who": "director", **message.fields, "type": "ruling", "rule": message.rule, "at_ns": at_ns}
    return parse_input(line)
