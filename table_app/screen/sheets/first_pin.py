"""The pad on which a table without a hub is given its first PIN."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from flagfall.base.pin import LONGEST as PIN_LONGEST
from flagfall.base.pin import is_pin
from flagfall.othello.game import Game
from table_app.events import PinChosen
from table_app.local_game import between_games
from table_app.screen.dialog import Canvas, Dialog, Finger, Judge, OfPin, Step, to_record, with_sheet
from table_app.screen.judge.panel import DialogPage, Panel
from table_app.screen.kit.scene import Enter, Erase, Key, Scene
from table_app.screen.scenes.sheet_parts import beside, keypad, sheet_frame, typed_pin
from table_app.screen.sheets.pin_news import NoPin, PinNews
from table_app.texts import TEXTS


@dataclass(frozen=True, slots=True)
class FirstPin(OfPin):
    """The first PIN of a table without a hub is being typed, twice; `first` the first time, which `differed` from the
    second."""

    typed: str = field(default="", repr=False)
    first: str = field(default="", repr=False)
    differed: bool = False

    def scene(self, canvas: Canvas) -> Scene:
        look = canvas.look
        words = look.words
        items, body = sheet_frame(canvas.face, canvas.screen, look, words(TEXTS["pin_title"]))
        left, keys = beside(body, look)
        text = words(TEXTS["pin_choose"])
        if self.first:
            text = words(TEXTS["pin_again"])
        elif self.differed:
            text = words(TEXTS["pin_differs"])
        items += typed_pin(self.typed, text, self.differed, left, look)
        return (*items, *keypad(keys, look, done=is_pin(self.typed)))

    def touched(self, dialog: Dialog, finger: Finger) -> Step:
        tap, view, at_ns, pad = finger.tap, finger.view, finger.at_ns, self
        """Return the dialog after a touch of the first PIN of a table without a hub: the same digits twice, which
        open the panel too."""
        if not takes_first_pin(view.game):
            return with_sheet(dialog, PinNews(NoPin.LATER)), ()
        match tap:
            case Erase():
                pad = replace(pad, typed=pad.typed[:-1])
            case Key(sign):
                pad = replace(pad, typed=(pad.typed + sign)[:PIN_LONGEST], differed=False)
            case Enter() if is_pin(pad.typed) and not pad.first:
                pad = FirstPin(first=pad.typed)
            case Enter() if is_pin(pad.typed) and pad.typed != pad.first:
                pad = FirstPin(differed=True)
            case Enter() if is_pin(pad.typed):
                taken = replace(dialog, judge=Judge(view.game_id, director=True))
                page = DialogPage.SETTINGS if between_games(view.game) else DialogPage.JUDGE
                return with_sheet(taken, Panel(page)), (
                    PinChosen(at_ns, pad.typed),
                    *to_record(at_ns, "judge_takes", "judge"),
                )
        return replace(dialog, sheet=pad), ()


def takes_first_pin(game: Game | None) -> bool:
    """Return False while players alone play. A judge without a PIN could not end the game at which they sit."""
    return game is None or game.header.judged or game.clock.running is None
