"""One frozen, complete value of the table, which the loop gives to screen and lamps at every change.

The screen computes running digits itself, from `game.clock` and the table's count; it never asks the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from flagfall.base.message import Message
from flagfall.link.messages import RecordHead
from flagfall.othello.colour_choice import ColourChoice
from flagfall.othello.game import Game, Header
from flagfall.othello.side import Side
from table_app.board.setup import SetupView


class Phase(StrEnum):
    """The phase of this table between two assignments."""

    IDLE = "idle"
    ASSIGNED = "assigned"
    PLAYING = "playing"
    FINISHED = "finished"
    SENT = "sent"
    RECEIVED = "received"


@dataclass(frozen=True, slots=True)
class TableView:
    """The state of the table for the screen."""

    phase: Phase = Phase.IDLE  # the phase of the game's result
    # its clock is already turned by presses whose verdict is pending; None without an assignment
    game: Game | None = None
    game_id: str = ""
    tournament: str = ""
    seat: int = 0  # this device's table number, 0 before any assignment
    board_present: bool = False
    board_missing: bool = False  # this table should have a board, and it is not connected
    # squares that do not show the start position before the start; 0 without a board
    wrong_start_squares: int = 0
    link_connected: bool = False
    refused_by_hub: str = ""  # the hub's reason for refusing the result, else ""
    storage_ok: bool = True
    power_known: bool = True  # the machine tells whether it has enough power
    call_wanted: bool = False
    # short lines for judge or director (a held button, a full disk), never for players
    messages: tuple[Message, ...] = ()
    no_buttons: Message | None = None  # shown to everybody
    # Another device has this table's identity, which everybody is shown: nobody signs.
    twin: Message | None = None
    swapped: bool = False
    uncertain_ns: int = 0  # play that may be lost after a power cut, until the game goes on
    pressed_too_early: bool = False  # White pressed before the director's signal
    board_asks: bool = False  # the orientation of this board is unknown
    board_uncalibrated: bool = False
    board_blind: Message | None = None  # the reason for which an eye does not see the board
    board_kind: str = ""  # "sensors", "eye", "" without a board
    board_setup: SetupView | None = None  # the present step of the board's set-up
    closed_unsigned: bool = False  # the director needs no more signatures
    scored: bool = False  # the hub has a result of this game
    foreign_hub_at: str = ""  # the address of another hub
    choice: ColourChoice | None = None  # the choice that players have still to make; `game` is then None
    choosing: Header | None = None  # the header as assigned, during the choice
    # the instant by which they should have chosen; None if the text sets no time
    choice_until_ns: int | None = None
    # the player, by their side in the header, who is proposed to hide a disc for the colours
    hides: Side | None = None
    record: RecordHead | None = None  # how far the hub's record of this tournament has grown
    # The fingerprint of the key with which this table signs, "" without a hub.
    table_key: str = ""
    page: str = ""  # the address of the event's page for phones, "" if there is none to show
    names: tuple[str, ...] = ()  # players at a table without a hub, the last first


class Shows(Protocol):
    def show(self, view: TableView) -> None:
        """Keep the value and return at once; the loop calls it at every change."""
