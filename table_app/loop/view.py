"""What the loop hands to the screen at every change: one frozen value, complete in itself.

The screen works out running digits itself, from `game.clock` and the table's count; it never asks the loop
back.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from othello.colour_choice import ColourChoice
from othello.game import Game, Header
from table_app.board.setup import SetupView
from table_app.trouble import Trouble


class Phase(StrEnum):
    """Where this table stands between two assignments."""

    IDLE = "idle"
    ASSIGNED = "assigned"
    PLAYING = "playing"
    FINISHED = "finished"
    SENT = "sent"
    RECEIVED = "received"


@dataclass(frozen=True, slots=True)
class TableView:
    """`game` already has its clock turned by presses whose verdict is still awaited; None without an
    assignment.

    `seat` is the number at which this device stands, 0 before any assignment. `wrong_start_squares` is the
    set of squares that do not show the start position while the game waits for its start, 0 without a board.
    `refused_by_hub` is the hub's reason when it did not accept the result, else empty. `messages` are short
    lines for the judge or director (a held button, a full disk), never for players; but that nobody can press
    (`no_buttons`) everybody is told. `uncertain_ns` is the
    play that nobody can vouch for after a power cut, until the game goes on. `pressed_too_early`: White
    pressed before the director's signal. `closed_unsigned`: the director asks for no more signatures.

    `board_asks`: nobody has said yet how this board lies; `board_uncalibrated`: it cannot tell what lies on it;
    `board_kind`: "sensors", "eye", "" while there is none; `board_blind`: why an eye does not see it;
    `board_setup`: what its set-up asks for now. `choice`: what is still to be said of the colours of the game
    assigned, whose header as it was assigned is `choosing`; `game` is then None. `choice_until_ns`: by when
    it should have been said, None where the text sets no time. `names`: who has played at a table without a hub, the
    last first.
    """

    phase: Phase = Phase.IDLE
    game: Game | None = None
    game_id: str = ""
    tournament: str = ""
    seat: int = 0
    board_present: bool = False
    wrong_start_squares: int = 0
    link_connected: bool = False
    result_sent: bool = False
    result_received: bool = False
    refused_by_hub: str = ""
    storage_ok: bool = True
    call_wanted: bool = False
    messages: tuple[Trouble, ...] = ()
    no_buttons: Trouble | None = None
    swapped: bool = False
    uncertain_ns: int = 0
    pressed_too_early: bool = False
    board_asks: bool = False
    board_uncalibrated: bool = False
    board_blind: Trouble | None = None
    board_kind: str = ""
    board_setup: SetupView | None = None
    closed_unsigned: bool = False
    choice: ColourChoice | None = None
    choosing: Header | None = None
    choice_until_ns: int | None = None
    names: tuple[str, ...] = ()


class ScreenError(Exception):
    """There is nothing to draw on; one line."""


class Shows(Protocol):
    def show(self, view: TableView) -> None:
        """Called by the loop at every change; takes the value and returns at once."""
