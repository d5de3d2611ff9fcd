"""The messages of this device to the hub (MQTT messages, version 1)."""

from __future__ import annotations

from typing import Any

from link.identity import Identity
from link.messages import ClockShown, ColourChosen, Move, PerColour, Result
from link.packed_file import pack
from link.signature import sign
from othello.game import Game
from othello.gamefile import format_game
from othello.notation import format_position, format_transcript
from othello.reason import Reason
from othello.report import outcome as report
from othello.side import Side
from table_app.game.session import SessionOutcome
from table_app.hub_link.incoming import TableAssignment


def result(told: SessionOutcome, identity: Identity) -> Result:
    """The signed result with the whole game file."""
    facts: dict[str, Any] = report(told.game)
    packed = pack(format_game(told.game.header, told.inputs).encode())
    return sign(
        Result(
            id=told.id,
            game=told.game_id,
            revision=told.revision,
            device=identity.device,
            score=PerColour(**facts["score"]),
            winner=facts["winner"],
            reason=Reason(facts["reason"]),
            transcript=facts["transcript"],
            clocks_ns=PerColour(**facts["clocks_ns"]),
            flags=PerColour(**facts["flags"]),
            incidents=facts["incidents"],
            signatures=PerColour(told.game.signed.black, told.game.signed.white),
            closed=told.closed,
            no_show=facts["no_show"],
            file=packed.file,
            sha256=packed.sha256,
        ),
        identity.key,
    )


def colours(assigned: TableAssignment) -> ColourChosen | None:
    """The choices made at this table for the assigned game, until the hub's assignment contains them."""
    header = assigned.header
    if header is None or not assigned.chosen:
        return None
    wins = {None: None, Side.BLACK: header.black.id, Side.WHITE: header.white.id}[header.draw_win]
    return ColourChosen(assigned.game_id, header.black.id, wins)


def clock(game_id: str, game: Game, now_ns: int) -> ClockShown:
    """The live state at `now_ns`."""
    running = game.clock.running
    return ClockShown(
        game=game_id,
        state=game.state,
        running=None if running is None else running.value,
        clocks_ns=PerColour(game.clock.left_ns(Side.BLACK, now_ns), game.clock.left_ns(Side.WHITE, now_ns)),
        flags=PerColour(game.flags.black, game.flags.white),
        to_move=None if game.over else game.to_move.value,
        moves=len(game.moves),
        position=format_position(game.shown),
        transcript=format_transcript(game.moves),
        at_ns=now_ns,
    )


def move(game_id: str, game: Game) -> Move:
    return Move(game=game_id, transcript=format_transcript(game.moves))
