"""Messages of the hub to this device, read from untrusted bytes.

The signature decides, not the topic: a broker can be deceived. Nothing here acts on a message.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from link.identity import Identity
from link.messages import Assignment, BadMessage, Receipt, RulingMessage, Update, decode
from link.signature import verify
from link.topics import FROM_HUB, parse
from othello.colour_choice import DRAW_WIN, ColourChoice, said
from othello.game import Header
from othello.gamefile import GameFileError, parse_header, parse_input
from othello.inputs import Input, Note
from othello.side import Side

Order = Assignment | Receipt | RulingMessage | Update


class NotForUsError(ValueError):
    """Bytes that are not an order of the hub to this device; one line with the reason."""


class ForeignHubError(NotForUsError):
    """An order to a device of this name that another hub has signed."""


def read_order(topic: str, payload: bytes, identity: Identity) -> Order | None:
    """The order, its signature checked; None for what this device sent itself. NotForUsError for everything else."""
    place = parse(topic)
    if place is None:
        raise NotForUsError(f"{topic[:120]!r}: no topic of ours")
    if place.kind not in FROM_HUB:
        return None
    if place.device != identity.device:
        raise NotForUsError(f"{topic}: expected device {identity.device}")
    if not payload and place.retained:
        return None  # a retained message for this device was cleared
    try:
        message = decode(place, payload)
    except BadMessage as bad:
        raise NotForUsError(str(bad)) from None
    if not verify(place.kind, payload, identity.key):
        raise ForeignHubError(f"{topic}: signature: expected the hub's")
    if not isinstance(message, (Assignment, Receipt, RulingMessage, Update)):
        raise NotForUsError(f"{topic}: expected an order of the hub")
    if isinstance(message, Assignment) and message.tournament != place.tournament:
        raise NotForUsError(f"{topic}: tournament: expected that of the topic, got {message.tournament!r}")
    return message


@dataclass(frozen=True, slots=True)
class TableAssignment:
    """What this device is to play, checked. `game_id` "": nothing. `choice`: what its players have still to choose of
    colours and draw-win; `chosen`: their words so far, which the hub does not know yet. `scored`: the hub has a result
    of the game; `hub_host`: the hub's name in its network."""

    seq: int
    tournament: str = ""
    game_id: str = ""
    seat: int = 0
    header: Header | None = None
    choice: ColourChoice | None = None
    chosen: bool = False
    scored: bool = False
    hub_host: str = ""

    def said(self, word: str) -> TableAssignment:
        """The assignment after a word of the player whose choice it is."""
        if self.choice is None or self.header is None:
            return self
        after = said(self.header, self.choice, word)
        if isinstance(after, ColourChoice):
            return replace(self, choice=after)
        return replace(self, header=after, choice=None, chosen=True)

    def note(self, before: TableAssignment) -> Note:
        """What was chosen, for the game's record: `who` chose, and took a colour or the win of a draw."""
        assert before.choice is not None and before.header is not None and self.header is not None
        chooser = before.choice.chooser
        stayed = self.header.black == before.header.black
        taken = DRAW_WIN if before.choice.draw_win_taken else "colour"
        return Note("colours_chosen", str(chooser if stayed else chooser.other), taken)

    def again(self, new: TableAssignment) -> TableAssignment:
        """`new`, with the choices made here for the same game that the hub did not know when it sent the message."""
        if new.choice is None or new.game_id != self.game_id or new.header is None or self.header is None:
            return new
        if not self.chosen:
            return replace(new, choice=self.choice or new.choice)
        return replace(new, header=self.header, choice=None, chosen=True)


def assigned(message: Assignment) -> TableAssignment:
    """The assignment with its header parsed; NotForUsError names the field that is wrong."""
    tournament, seat = message.tournament or "", message.seat or 0
    if message.game is None:
        return TableAssignment(message.seq, tournament, "", seat, hub_host=message.hub_host)
    try:
        header = parse_header(message.header or {})
    except GameFileError as error:
        raise NotForUsError(f"assignment {message.seq}: header: {error}") from None
    return TableAssignment(
        message.seq,
        tournament,
        message.game,
        seat=seat,
        header=header,
        choice=_colour_choice(message, header),
        scored=message.scored,
        hub_host=message.hub_host,
    )


def _colour_choice(message: Assignment, header: Header) -> ColourChoice | None:
    if message.chooses is None or message.may is None:
        return None
    for side in Side:
        if header.player(side).id == message.chooses:
            return ColourChoice(side, message.may)
    raise NotForUsError(
        f"assignment {message.seq}: chooses: expected a player of the header, got {message.chooses!r}"
    )


def ruling_input(message: RulingMessage, at_ns: int) -> Input:
    """The input of a ruling; GameFileError names the field that is wrong."""
    if message.rule == "start":
        return parse_input({"type": "start", "at_ns": at_ns})
    line = {"who": "director", **message.fields, "type": "ruling", "rule": message.rule, "at_ns": at_ns}
    return parse_input(line)
