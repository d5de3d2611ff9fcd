"""What the hub says to this device, read out of whatever bytes arrive.

The signature counts, not the topic: a broker can be fooled. Nothing here acts on what is read.
"""

from __future__ import annotations

from dataclasses import dataclass

from link.identity import Identity
from link.messages import Assignment, BadMessage, Receipt, Ruling, decode
from link.signature import verify
from link.topics import FROM_HUB, Kind, parse
from othello.game import Header
from othello.gamefile import GameFileError, parse_header, parse_input
from othello.inputs import Input

Order = Assignment | Receipt | Ruling


class NotForUsError(ValueError):
    """Bytes that are no order of the hub's to this device; one line that says why."""


def read_order(topic: str, payload: bytes, identity: Identity) -> Order | None:
    """The order, its signature checked; None for what this device sent itself. NotForUsError for all else."""
    place = parse(topic)
    if place is None:
        raise NotForUsError(f"{topic[:120]!r}: no topic of ours")
    if place.kind not in FROM_HUB:
        return None
    if place.device != identity.device:
        raise NotForUsError(f"{topic}: expected device {identity.device}")
    if not payload and place.kind is Kind.ASSIGNMENT:
        return None  # a retained assignment that was cleared
    try:
        message = decode(place, payload)
    except BadMessage as bad:
        raise NotForUsError(str(bad)) from None
    if not verify(place.kind, payload, identity.key):
        raise NotForUsError(f"{topic}: signature: expected the hub's")
    if not isinstance(message, (Assignment, Receipt, Ruling)):
        raise NotForUsError(f"{topic}: expected an order of the hub")
    if isinstance(message, Assignment) and message.tournament != place.tournament:
        raise NotForUsError(f"{topic}: tournament: expected that of the topic, got {message.tournament!r}")
    return message


@dataclass(frozen=True, slots=True)
class Assigned:
    """What this device is to play, checked. `game_id` "": nothing."""

    seq: int
    tournament: str = ""
    game_id: str = ""
    seat: int = 0
    header: Header | None = None


def assigned(message: Assignment) -> Assigned:
    """The assignment with its header read; NotForUsError names the field that is wrong."""
    tournament, seat = message.tournament or "", message.seat or 0
    if message.game is None:
        return Assigned(message.seq, tournament, "", seat)
    try:
        header = parse_header(message.header or {})
    except GameFileError as error:
        raise NotForUsError(f"assignment {message.seq}: header: {error}") from None
    return Assigned(message.seq, tournament, message.game, seat, header)


def ruling_input(message: Ruling, at_ns: int) -> Input:
    """The input of a ruling; GameFileError names the field that is wrong."""
    if message.rule == "start":
        return parse_input({"type": "start", "at_ns": at_ns})
    line = {"who": "director", **message.fields, "type": "ruling", "rule": message.rule, "at_ns": at_ns}
    return parse_input(line)
