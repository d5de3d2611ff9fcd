"""Colours drawn at the table by a hidden disc (jof J1)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.colour_choice import colours_after
from flagfall.othello.game import Game, State
from flagfall.othello.inputs import ColourDraw
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both


def draw_colours(game: Game, draw: ColourDraw) -> Game:
    """Give the players the colours that the hidden disc has brought (jof J1). Clocks stay with their players: a late
    one's may have run before."""
    if game.colour_draw is not None:
        raise RefusedError("colours_drawn")
    if game.state is not State.WAITING and game.absent is None:
        raise RefusedError("has_begun")
    header, exchanged = colours_after(game.header, draw)
    drawn = replace(game, header=header, colour_draw=draw)
    if not exchanged:
        return drawn
    # A flag that the late player's clock has cost goes with them, and so does the game that it left.
    at_flag = Both(*(was and _exchanged_players(was) for was in game.at_flag.exchanged()))
    return replace(_exchanged_players(drawn), at_flag=at_flag)


def _exchanged_players(game: Game) -> Game:
    """Return the game with clocks, flags and lateness given to the other colour."""
    clock, absent = game.clock, game.absent
    return replace(
        game,
        clock=replace(
            clock,
            remaining_ns=clock.remaining_ns.exchanged(),
            charged_ns=clock.charged_ns.exchanged(),
            running=clock.running and clock.running.other,
        ),
        absent=absent and absent.other,
        late=game.late and game.late.other,
        defaulter=game.defaulter and game.defaulter.other,
        flags=game.flags.exchanged(),
    )
