"""The pad on which the judge types the PIN; the panel opens after it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from flagfall.base.pin import LONGEST as PIN_LONGEST
from flagfall.othello.game import SECOND_NS
from table_app.screen.dialog import Canvas, Dialog, Finger, Judge, OfPin, Step, to_record, with_sheet
from table_app.screen.judge.panel import DialogPage, Panel
from table_app.screen.kit.scene import Enter, Erase, Key, Scene
from table_app.screen.scenes.sheet_parts import beside, keypad, sheet_frame, typed_pin
from table_app.texts import TEXTS

WRONG_PINS_ALLOWED = 3
LOCKED_FOR_NS = 30 * SECOND_NS


@dataclass(frozen=True, slots=True)
class PinPad(OfPin):
    """The PIN is being typed; `page` opens after it."""

    page: DialogPage = DialogPage.JUDGE
    typed: str = field(default="", repr=False)

    def scene(self, canvas: Canvas) -> Scene:
        face, dialog, look = canvas.face, canvas.dialog, canvas.look
        words = look.words
        items, body = sheet_frame(face, canvas.screen, look, words("Judge"))
        left, keys = beside(body, look)
        locked = canvas.now_ns < dialog.locked_until_ns
        text = words(TEXTS["pin_wrong" if dialog.wrong_pins else "pin_enter"])
        if locked:
            text = words(TEXTS["pin_locked"])
        items += typed_pin(self.typed, text, locked or bool(dialog.wrong_pins), left, look)
        return (*items, *keypad(keys, look, not locked))

    def touched(self, dialog: Dialog, finger: Finger) -> Step:
        tap, at_ns, pins = finger.tap, finger.at_ns, finger.pins
        if tap == Erase():
            return replace(dialog, sheet=replace(self, typed=self.typed[:-1])), ()
        if at_ns < dialog.locked_until_ns:
            return dialog, ()
        if isinstance(tap, Key):
            return replace(dialog, sheet=replace(self, typed=(self.typed + tap.sign)[:PIN_LONGEST])), ()
        if tap != Enter() or not self.typed:
            return dialog, ()
        director = bool(pins.director) and self.typed == pins.director
        if director or (pins.judge and self.typed == pins.judge):
            who = "director" if director else "judge"
            judge = Judge(finger.view.game_id, who, director or (pins.alone and not pins.director))
            taken = replace(dialog, judge=judge, wrong_pins=0)
            return with_sheet(taken, Panel(self.page)), to_record(at_ns, "judge_takes", who)
        wrong = dialog.wrong_pins + 1
        again = replace(dialog, sheet=PinPad(self.page), wrong_pins=wrong)
        if wrong < WRONG_PINS_ALLOWED:
            return again, ()
        locked = replace(again, wrong_pins=0, locked_until_ns=at_ns + LOCKED_FOR_NS)
        return locked, to_record(at_ns, "wrong_pins", detail=str(wrong))
