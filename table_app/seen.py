"""What people at the table can see and touch, as JSON, for hands in another process
(`table_app.virtual_pins`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from othello.game import ErrorState
from othello.gamefile import parse_input
from othello.notation import format_position, square_names
from othello.side import Side
from table_app.events import ScreenInput, ScreenRequest
from table_app.view import TableView


def seen(view: TableView, now_ns: int) -> dict[str, Any]:
    """The clock, the words on the screen, and the errors that the judge's panel shows. Without a game its
    fields are null."""
    game = view.game
    table = {
        "phase": str(view.phase),
        "tournament": view.tournament,
        "game": view.game_id or None,
        "seat": view.seat,
        "board": view.board_present,
        "link": view.link_connected,
        "storage": view.storage_ok,
        "call": view.call_wanted,
        "messages": [str(message) for message in view.messages],
        "wrong_start_squares": list(square_names(view.wrong_start_squares)),
        "uncertain_ns": view.uncertain_ns,
        "pressed_too_early": view.pressed_too_early,
        "choice": None if view.choice is None else list(view.choice.words),
    }
    if game is None:
        return table | {"state": None, "running": None, "to_move": None, "moves": None, "errors": []}
    return table | {
        "state": str(game.state),
        "start_told": game.armed,
        "running": None if game.clock.running is None else str(game.clock.running),
        "to_move": None if game.over else str(game.to_move),
        "moves": len(game.moves),
        "clocks_ns": {str(side): game.clock.left_ns(side, now_ns) for side in Side},
        "flags": {str(side): game.flags.of(side) for side in Side},
        "position": format_position(game.shown),
        "score": None if game.outcome is None else list(game.outcome.score),
        "reason": None if game.outcome is None else str(game.outcome.reason),
        "signed": {str(side): game.signed.of(side) for side in Side},
        "errors": [
            {
                "type": str(incident.type),
                "by": None if incident.by is None else str(incident.by),
                "squares": list(square_names(incident.squares)),
                "state": str(incident.state),
            }
            for incident in game.incidents
            if incident.state in (ErrorState.OPEN, ErrorState.CORRECTING)
        ],
    }


def touch_of_screen(request: Mapping[str, Any], now_ns: int) -> ScreenInput | ScreenRequest:
    """What a finger does: a line of the game file without `at_ns`, or {"request": word}. GameFileError says
    what is wrong with it."""
    if "request" in request:
        return ScreenRequest(now_ns, str(request["request"]), str(request.get("detail", "")))
    return ScreenInput(parse_input({**request, "at_ns": now_ns}))
