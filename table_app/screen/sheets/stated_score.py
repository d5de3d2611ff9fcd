"""The sheet on which a player states the discs counted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from flagfall.othello.inputs import Agree
from flagfall.othello.side import Side
from table_app.screen.dialog import Canvas, Dialog, Finger, Sheet, Step, to_referee, with_sheet
from table_app.screen.figures import Figures, count_fields, typed_figures
from table_app.screen.kit.scene import Enter, Item, Scene
from table_app.screen.scenes.clock import halves
from table_app.screen.scenes.sheet_parts import beside, keypad, sheet_frame


@dataclass(frozen=True, slots=True)
class StatedScore(Sheet):
    """A player states the discs counted."""

    by: Side
    figures: Figures = field(default_factory=Figures)

    def scene(self, canvas: Canvas) -> Scene:
        place = halves(canvas.screen, canvas.face, canvas.look)[self.by]
        return canvas.look.facing(place, self._items(canvas), canvas.screen)

    def _items(self, canvas: Canvas) -> list[Item]:
        face, screen, look = canvas.face, canvas.screen, canvas.look
        px, words = look.px, look.words
        items, body = sheet_frame(face, screen, look, words("Discs counted"))
        left, pad = beside(body, look)
        hint = words(
            "Both players state the discs of each colour, at most 64 in all. Empty squares are added by the rules."
        )
        return [
            *items,
            *count_fields(
                left.top(px(176)), self.figures, lambda side: face.players.of(side).black_discs, look
            ),
            look.text(left.below(px(190)).top(px(64)), hint, "small", "muted", lines=3),
            *keypad(pad, look, done=self.figures.score() is not None),
        ]

    def touched(self, dialog: Dialog, finger: Finger) -> Step:
        tap, at_ns = finger.tap, finger.at_ns
        score = self.figures.score()
        if tap == Enter() and score is not None:
            return with_sheet(dialog, None), to_referee(Agree(at_ns, self.by, *score))
        return replace(dialog, sheet=StatedScore(self.by, typed_figures(self.figures, tap))), ()
