"""The panel's page of transcripts: step through the table's, type in the players', set the position shown."""

from __future__ import annotations

from flagfall.othello.board import Position, gives
from flagfall.othello.game import Game, State
from flagfall.othello.notation import square_name
from flagfall.othello.side import Side
from table_app.screen.kit.keyboard import erase_key
from table_app.screen.kit.scene import Item, Rect, Tap
from table_app.screen.kit.widgets import ButtonChoice, Look, Marks, button, buttons, diagram
from table_app.screen.state.dialog import Dialog
from table_app.screen.state.transcripts import TranscriptView, decides


def script_board(game: Game, script: TranscriptView, rect: Rect, look: Look) -> list[Item]:
    """Return the position after the transcript, its last move ringed; a touch adds a move to a player's transcript."""
    moves = script.moves(game)
    stage = script.stage(game)
    ring = 1 << moves[stage.count - 1] if stage.count else 0
    tap = "" if script.owner is None else "written"
    return diagram(rect, stage.position, look, Marks(ring), tap=tap)


def script_page(
    game: Game, script: TranscriptView, dialog: Dialog, *, set_it: ButtonChoice, rect: Rect, look: Look
) -> list[Item]:
    """Return the page that compares the transcripts; `set_it` is the button that sets the position."""
    px, words = look.px, look.words
    owners = [
        ButtonChoice(Tap("script_of", side), label, strong=script.owner is side)
        for side, label in (
            (None, words("Table's")),
            *((side, words("{who}'s", who=look.player(side))) for side in Side),
        )
    ]
    items = buttons(rect.top(px(44)).columns(3, px(6)), owners, look)
    stage, moves = script.stage(game), script.moves(game)
    last = square_name(moves[stage.count - 1]) if stage.count else ""
    text = words("Move {count} of {total}: {square}", count=stage.count, total=len(moves), square=last)
    impossible = script.impossible(game)
    if impossible is not None:
        name = square_name(moves[impossible - 1])
        text = words("Move {count}, {square}: not possible", count=impossible, square=name)
    colour = "ink" if impossible is None else "alert"
    items.append(look.strong(rect.below(px(50)).top(px(30)), text, colour=colour))
    places = rect.below(px(84)).top(px(46)).columns(4 if script.owner is None else 5, px(6))
    steps = (("«", "-60"), ("‹", "-1"), ("›", "1"), ("»", "60"))
    items += buttons(places, (ButtonChoice(Tap("script_step", value=by), label) for label, by in steps), look)
    if script.owner is not None:
        items += erase_key(places[4], look, tap=Tap("written_erase"))
    known = (
        dialog.panel.editing if dialog.panel.editing is not None else game.shown if game.reads_board else None
    )
    compared = _comparison(script, game, known, look)
    items.append(look.strong(rect.below(px(134)).top(px(50)), compared, "small", lines=2))
    low = rect.below(px(188))
    if game.state in (State.RUNNING, State.STOPPED, State.CORRECTING):
        items += button(low.top(px(50)), set_it, look)
    back = ButtonChoice(Tap("script"), words("Back"))
    return items + button(low.below(px(50) + px(8)).top(px(46)), back, look)


def _comparison(script: TranscriptView, game: Game, known: Position | None, look: Look) -> str:
    """Return the line that tells whether the position shown is on the board, and whose transcript decides."""
    words = look.words
    if known is None:
        return words("Compare it with the board")
    if all(script.typed):
        side = decides(script, known)
        if side is not None:
            return words("Only {who}'s gives the position: it decides", who=look.player(side))
        both = all(gives(script.typed.of(side), known) for side in Side)
        return words("Both give the position" if both else "Neither gives the position")
    wrong = script.stage(game).position.differences(known).bit_count()
    if wrong:
        return words("{count} squares differ from the board", count=wrong)
    return words("The same as on the board")
