"""Two disc counts that are being typed: the value, its fields on the screen, and the keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from flagfall.othello.side import Side
from table_app.screen.kit.scene import Erase, Hit, Item, Key, Meaning, Rect, Words
from table_app.screen.kit.widgets import Look, disc


class Field(Meaning, frozen=True):
    """The count of Black (0) or White (1), which takes the next key."""

    number: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Two disc counts being typed, Black's and White's; `field` takes the next key."""

    black: str = ""
    white: str = ""
    field: int = 0

    def key(self, digit: str) -> Figures:
        if self.field == 0:
            black = (self.black + digit)[-2:]
            return Figures(black, self.white, 1 if len(black) == 2 else 0)
        return Figures(self.black, (self.white + digit)[-2:], 1)

    def erase(self) -> Figures:
        if self.field == 1 and self.white:
            return replace(self, white=self.white[:-1])
        return replace(self, black=self.black[:-1], field=0)

    def score(self) -> tuple[int, int] | None:
        """Return both counts if both are typed and possible on a board."""
        if not self.black or not self.white:
            return None
        score = int(self.black), int(self.white)
        return score if 1 <= sum(score) <= 64 else None


def typed_figures(figures: Figures, tap: Meaning) -> Figures:
    """Return the two counts after a key, an erasure or a change of field."""
    match tap:
        case Key(sign):
            return figures.key(sign)
        case Erase():
            return figures.erase()
        case Field(number):
            return replace(figures, field=number)
    return figures


def count_fields(
    rect: Rect, figures: Figures, plays_black: Callable[[Side], bool | None], look: Look
) -> list[Item]:
    """Return Black's and White's typed discs; a touch chooses the field."""
    items: list[Item] = []
    px = look.px
    fields = zip(rect.rows(2, px(10)), Side, (figures.black, figures.white), strict=True)
    for index, (place, side, typed) in enumerate(fields):
        number = place.beside(px(60)).left(place.w - px(76))
        items += look.card(place, 10, "ink", 4) if figures.field == index else look.card(place, 10)
        items += [
            disc(place.beside(px(12)).left(px(36)).middle(px(36), px(36)), plays_black(side)),
            Words(number, typed or "–", min(px(64), place.h - px(12)), face="figures", align="right"),
            Hit(place, Field(index)),
        ]
    return items
