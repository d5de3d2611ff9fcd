"""One frozen, complete value of the table, which the loop gives to screen and lamps at every change.

The screen computes running digits itself, from `game.clock` and the table's count; it never asks the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from othello.colour_choice import ColourChoice
from othello.game import Game, Header
from othello.message import Message
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
    """`game` has its clock already turned by presses whose verdict is pending; None without an assignment.

    `seat` is this device's table number, 0 before any assignment. `wrong_start_squares` is the set of squares that do
    not show the start position while the game waits for its start, 0 without a board. `refused_by_hub` is the hub's
    reason for refusing the result, else empty. `messages` are short lines for judge or director (a held button, a full
    disk), never for players; only `no_buttons` is shown to everybody. `uncertain_ns` is the play that may be lost after
    a power cut, until the game goes on. `pressed_too_early`: White pressed before the director's signal.
    `closed_unsigned`: the director needs no more signatures. `scored`: the hub has a result of this game.
    `foreign_hub_at`: the address at which there is another hub.

    `board_missing`: this table should have a board, and it is not connected; `board_asks`: this board's orientation is
    unknown; `board_uncalibrated`: it is not calibrated; `board_kind`: "sensors", "eye", "" without a board;
    `board_blind`: why an eye does not see it; `board_setup`: the present step of its set-up. `choice`: what players
    have still to choose of the colours; the header as assigned is then `choosing`, and `game` is None.
    `choice_until_ns`: by when they should have chosen, None if the text sets no time. `names`: who has played at a
    table without a hub, the last first.
    """

    phase: Phase = Phase.IDLE
    game: Game | None = None
    game_id: str = ""
    tournament: str = ""
    seat: int = 0
    board_present: bool = False
    board_missing: bool = False
    wrong_start_squares: int = 0
    link_connected: bool = False
    refused_by_hub: str = ""
    storage_ok: bool = True
    call_wanted: bool = False
    messages: tuple[Message, ...] = ()
    no_buttons: Message | None = None
    # Another device has this table's identity, which everybody is shown: nobody signs.
    twin: Message | None = None
    swapped: bool = False
    uncertain_ns: int = 0
    pressed_too_early: bool = False
    board_asks: bool = False
    board_uncalibrated: bool = False
    board_blind: Message | None = None
    board_kind: str = ""
    board_setup: SetupView | None = None
    closed_unsigned: bool = False
    scored: bool = False
    foreign_hub_at: str = ""
    choice: ColourChoice | None = None
    choosing: Header | None = None
    choice_until_ns: int | None = None
    names: tuple[str, ...] = ()


class Shows(Protocol):
    def show(self, view: TableView) -> None:
        """Keeps the value and returns at once; the loop calls it at every change."""
