"""Touches in the draw of the colours by a hidden disc (jof J1)."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from flagfall.othello.inputs import Called, Chosen, ColourDraw
from flagfall.othello.side import Side
from table_app.screen.dialog import Dialog, HiddenDisc, Step, ask_twice, to_referee, with_sheet
from table_app.screen.kit.scene import Tap


def hidden_disc_touched(dialog: Dialog, sheet: HiddenDisc, tap: Tap, at_ns: int) -> Step:
    """Return the dialog after a touch in the draw of the colours; the last one tells the referee."""
    match tap.action:
        case "hides" if tap.side is not None:
            return with_sheet(dialog, HiddenDisc(tap.side)), ()
        case "called" if sheet.hider is not None:
            return with_sheet(dialog, HiddenDisc(sheet.hider, Called(tap.value))), ()
        case "face" if tap.side is not None and sheet.called is not None:
            return with_sheet(dialog, HiddenDisc(sheet.hider, sheet.called, tap.side)), ()
    if sheet.hider is None or sheet.called is None or sheet.shown is None:
        return dialog, ()
    draw = ColourDraw(at_ns, sheet.hider, sheet.called, sheet.shown)
    if tap.action == "drawn" and sheet.picker is None:
        return with_sheet(dialog, None), to_referee(draw)
    if tap.action == "takes" and sheet.picker is not None:
        return _right_taken(dialog, sheet, draw, tap)
    return dialog, ()


def _right_taken(dialog: Dialog, sheet: HiddenDisc, draw: ColourDraw, tap: Tap) -> Step:
    """Return the dialog after a touch on a right; the colour, which is the last one taken, tells the referee."""
    right = Chosen(tap.value)
    if right is Chosen.DRAW_WIN:
        if dialog.armed == tap:
            return with_sheet(dialog, msgspec.structs.replace(sheet, draw_win_taken=True)), ()
        return replace(dialog, armed=tap), ()
    taken = (
        replace(draw, chose=Chosen.DRAW_WIN, plays=Side(right))
        if sheet.draw_win_taken
        else replace(draw, chose=right)
    )
    stepped, events = ask_twice(dialog, tap, *to_referee(taken))
    return (with_sheet(stepped, None) if events else stepped), events
