"""The widgets of the screens: discs, buttons, marks, the board diagram, the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partialmethod
from unicodedata import normalize

from msgspec import Struct

from flagfall.base.isolate import isolated
from flagfall.base.words import Catalogue
from flagfall.othello.board import Position, squares_of
from flagfall.othello.side import Side
from table_app.screen.kit.player_face import PlayerFace
from table_app.screen.kit.scene import (
    Close,
    Erase,
    Fill,
    FilledCircle,
    Hit,
    Item,
    Meaning,
    Rect,
    Scene,
    Shape,
    Words,
    turned,
)
from table_app.screen.kit.theme import Theme
from table_app.texts import TEXTS


@dataclass(frozen=True, slots=True)
class Look:
    """The theme, texts and scale with which a scene is laid out."""

    theme: Theme
    words: Catalogue
    unit: float  # pixels per unit (1.0 on 800x480)
    # What must not be touched yet (`table_app.screen.controller`).
    fresh: frozenset[Meaning] = frozenset()
    face_to_face: bool = False  # the opponent's half is upside down

    def px(self, units: float) -> int:
        return round(units * self.unit)

    def size(self, name: str) -> int:
        return self.theme.px(name, self.unit)

    def text(
        self,
        rect: Rect,
        text: str,
        size: str = "text",
        colour: str = "ink",
        *,
        align: str = "left",
        lines: int = 1,
        face: str = "text",
    ) -> Words:
        """Return a text in one of the theme's sizes."""
        return Words(
            rect,
            text,
            self.size(size),
            colour=colour,
            face=face,
            align=align,
            lines=lines,
            language=self.words.language,
        )

    # The same in bold type.
    strong = partialmethod(text, face="strong")

    def card(self, rect: Rect, radius: float = 18, edge: str = "line", width: float = 2) -> list[Item]:
        """Return a rounded ground with an outline, both measures in units."""
        return [
            Fill(rect, "card", self.px(radius)),
            Fill(rect, edge, self.px(radius), max(1, self.px(width))),
        ]

    def halved(self, screen: Rect) -> bool:
        """Return True if the players' halves lie one above the other."""
        return self.face_to_face or screen.h > screen.w

    def facing(self, half: Rect, items: Iterable[Item], area: Rect | None = None) -> Scene:
        """Return the items for the player of this half, turned within `area` (the half itself) if they sit opposite."""
        opposite = self.face_to_face and half.y == 0
        return turned(items, area or half) if opposite else tuple(items)

    def colour_name(self, black: bool | None) -> str:
        if black is None:
            return self.words("Colour not drawn yet")
        return self.words("Black" if black else "White")

    def player(self, side: Side) -> str:
        return self.words(TEXTS[side.value])

    def called(self, player: PlayerFace) -> str:
        """Return the player's name; without one, the colour."""
        return isolated(player.name) or self.colour_name(player.black_discs)

    def owner(self, player: PlayerFace) -> str:
        """Return the player's name, and colour once they have one; without a name, the colour."""
        if player.black_discs is None:
            return isolated(player.name)
        colour = self.colour_name(player.black_discs)
        return f"{isolated(player.name)} ({colour})" if player.name else colour


def unit_of(width: int, height: int) -> float:
    """Scale of a screen: 1.0 for 800x480, also standing upright."""
    return min(max(width, height) / 800, min(width, height) / 480)


def disc(rect: Rect, black: bool | None, on_dark: bool = False) -> FilledCircle:
    """Return a disc whose edge tells its colour as well as its filling; None: it lies under a hand."""
    width = max(2, rect.w // 22) if rect.w >= 20 else 1
    if black is None:
        return FilledCircle(rect, "paper", "line", width)
    if black:
        return FilledCircle(rect, "disc_black", "disc_rim" if on_dark else "disc_edge", width)
    return FilledCircle(rect, "disc_white", "disc_edge", width)


class ButtonChoice(Struct, frozen=True):
    """A button: its tap and its text. `armed`: touched once, acts at the second touch; `hold_ns`: acts when held so
    long."""

    tap: Meaning
    label: str
    armed: bool = False
    strong: bool = False
    enabled: bool = True
    hold_ns: int = 0


def button(rect: Rect, choice: ButtonChoice, look: Look) -> list[Item]:
    """Return a button in its place; filled if armed or strong, otherwise outlined, and pale while it does not react
    yet."""
    radius, text = look.px(8), rect.inset(look.px(5), 0)
    if not choice.enabled:
        return [look.text(text, choice.label, "small", "muted", align="centre", lines=2)]
    hit = Hit(rect, choice.tap, choice.hold_ns, choice.label if choice.armed and not choice.hold_ns else "")
    if choice.tap in look.fresh:
        ground, ink = look.card(rect, 8), "muted"
    elif choice.armed:
        text, ink = text.inset(look.px(5), 0), "alert_ink"
        ground = [
            Fill(rect, "alert", radius),
            Fill(rect.inset(look.px(4)), "alert_ink", max(2, radius - 3), max(1, look.px(2))),
        ]
    elif choice.strong:
        ground, ink = [Fill(rect, "solid", radius)], "solid_ink"
    else:
        ground, ink = look.card(rect, 8, "ink"), "ink"
    return [*ground, look.strong(text, choice.label, "button", ink, align="centre", lines=2), hit]


def cross(rect: Rect, look: Look) -> list[Item]:
    """Return the button that closes a sheet."""
    tap, x, y, arm, half = Close(), rect.x + rect.w // 2, rect.y + rect.h // 2, look.px(9), look.px(2)
    bar = ((-arm, half - arm), (half - arm, -arm), (arm, arm - half), (arm - half, arm))
    colour = "muted" if tap in look.fresh else "ink"
    bars = (Shape(tuple((x + slope * across, y + down) for across, down in bar), colour) for slope in (1, -1))
    return [*button(rect, ButtonChoice(tap, ""), look), *bars]


def buttons(places: Iterable[Rect], choices: Iterable[ButtonChoice], look: Look) -> list[Item]:
    """Return a button in each place, in their order; places that are left over stay empty."""
    return [
        item for choice, place in zip(choices, places, strict=False) for item in button(place, choice, look)
    ]


def button_rows(
    rect: Rect, choices: Sequence[ButtonChoice], look: Look, columns: int, height: float
) -> list[Item]:
    """Return buttons in rows from the top of `rect`, `height` units each, or as low as it takes to stay in `rect`."""
    gap, lines = look.px(8), -(-len(choices) // columns)
    high = min(look.px(height), (rect.h + gap) // max(1, lines) - gap)
    rows = (rect.below(line * (high + gap)).top(high) for line in range(lines))
    return buttons((place for row in rows for place in row.columns(columns, gap)), choices, look)


def flag_mark(x: int, y: int, high: int, colour: str) -> list[Item]:
    """Return a small flag on its pole, `high` pixels."""
    pole = max(2, high // 9)
    cloth, tip = x + pole, x + pole + round(high * 0.72)
    points = ((cloth, y), (tip, y + round(high * 0.28)), (cloth, y + round(high * 0.56)))
    return [Fill(Rect(x, y, pole, high), colour), Shape(points, colour)]


def pause_mark(rect: Rect, colour: str) -> list[Item]:
    """Return two bars."""
    bar = max(2, rect.w // 3)
    return [Fill(rect.left(bar), colour), Fill(rect.end(bar), colour)]


def pointer(rect: Rect, colour: str) -> Shape:
    """Return a triangle that points down."""
    return Shape(((rect.x, rect.y), (rect.right, rect.y), (rect.x + rect.w // 2, rect.bottom)), colour)


class Marks(Struct, frozen=True):
    """Marks on a diagram: `rings` around squares, and the content that `wanted` has there; `moves`: squares whose discs
    are numbered, in this order."""

    rings: int = 0
    wanted: Position | None = None
    moves: tuple[int, ...] = ()


NO_MARKS = Marks()


def diagram(
    rect: Rect,
    position: Position,
    look: Look,
    marks: Marks = NO_MARKS,
    *,
    tap: Callable[[int], Meaning] | None = None,
    labels: bool = True,
) -> list[Item]:
    """Return the board as Black sees it, a1 top left; with `tap` every square can be touched. A marked square that is
    not as wanted shows its right content in its corner: a disc of that colour, or a dash for empty."""
    edge = look.px(18) if labels else 0
    cell = (min(rect.w, rect.h) - edge) // 8
    board = rect.below(edge).beside(edge).middle(8 * cell, 8 * cell)
    items: list[Item] = [Fill(board, "board")]
    if labels:
        size = max(8, look.px(14))
        for i, (column, row) in enumerate(zip("abcdefgh", "12345678", strict=True)):
            above = Rect(board.x + i * cell, board.y - edge, cell, edge)
            beside = Rect(board.x - edge, board.y + i * cell, edge, cell)
            items += [Words(above, column, size, "muted", align="centre")]
            items += [Words(beside, row, size, "muted", align="centre")]
    line = max(1, look.px(1.4))
    for i in range(9):
        offset = min(i * cell, 8 * cell - line)
        items += [
            Fill(board.below(offset).top(line), "board_line"),
            Fill(board.beside(offset).left(line), "board_line"),
        ]
    places = [place for row in board.rows(8) for place in row.columns(8)]
    for square, place in enumerate(places):
        items += _content(place, square, position, look)
        if tap is not None:
            items.append(Hit(place, tap(square)))
    for number, square in enumerate(marks.moves, 1):
        place = Rect(board.x + square % 8 * cell, board.y + square // 8 * cell, cell, cell)
        colour = "disc_white" if position.black >> square & 1 else "disc_black"
        size = round(cell * 0.42)
        items.append(Words(place, str(number), size, colour=colour, face="strong", align="centre"))
    wrong = marks.wanted.differences(position) | position.unknown if marks.wanted is not None else 0
    for square in squares_of(marks.rings):
        items += _ring(places[square], square, marks.wanted if wrong >> square & 1 else None, look)
    return items


def _content(place: Rect, square: int, position: Position, look: Look) -> Iterable[Item]:
    bit = 1 << square
    inner = place.inset(max(2, round(place.w * 0.1)))
    if position.unknown & bit:
        return [Words(place, "?", round(place.w * 0.6), "card", "strong", align="centre")]
    if position.black & bit:
        return [FilledCircle(inner, "disc_black", "disc_black", 1)]
    if position.white & bit:
        return [FilledCircle(inner, "disc_white", "disc_edge", max(1, look.px(1)))]
    return []


def _ring(place: Rect, square: int, wanted: Position | None, look: Look) -> list[Item]:
    border = max(2, look.px(3))
    items: list[Item] = [Fill(place, "card", 0, border + max(1, look.px(1))), Fill(place, "wrong", 0, border)]
    if wanted is None:
        return items
    bit, small = 1 << square, round(place.w * 0.46)
    corner = place.end(small).top(small)
    items += [Fill(corner, "card"), Fill(corner, "wrong", 0, max(1, look.px(1.5)))]
    if wanted.occupied & bit:
        return [*items, disc(corner.inset(max(2, round(small * 0.16))), bool(wanted.black & bit))]
    return [*items, Words(corner, "–", round(small * 0.9), "wrong", "strong", align="centre")]


_ERASE = Erase()
_COMBINING = {"゛": "\u3099", "゜": "\u309a"}
_SMALL = str.maketrans("あいうえおつやゆよ", "ぁぃぅぇぉっゃゅょ")


def text_after(text: str, key: str, longest: int) -> str:
    """Return the text after a key, `<` erases and `小` makes a kana small; a text never begins with a space."""
    if key == "<":
        return text[:-1]
    if key == "小":
        return text[:-1] + text[-1:].translate(_SMALL)
    return normalize("NFC", text + _COMBINING.get(key, key)).lstrip()[:longest]


def capital_at_word(text: str, key: str) -> str:
    """Return the text with a capital at the start of each word, as in a name."""
    return key.upper() if text[-1:] in ("", " ", "-", "'") else key


def keyboard(
    text: str, key_tap: Callable[[str], Meaning], done_tap: Meaning, rect: Rect, look: Look
) -> list[Item]:
    """Return the typed text and the keys, with what each of them means."""
    px = look.px
    line = rect.top(px(48))
    items: list[Item] = [*look.card(line, 8, "ink"), look.text(line.inset(px(10), 0), text or " ")]
    rows = look.words.pgettext("keys, row by row", "1234567890 qwertyuiop asdfghjkl zxcvbnm.,-").split()
    places = rect.below(line.h + px(6)).rows(len(rows) + 1, px(5))
    for place, row in zip(places, rows, strict=False):
        keys = (ButtonChoice(key_tap(key), key) for key in row)
        items += buttons(place.columns(len(row), px(4)), keys, look)
    erase, space, done = places[-1].columns(3, px(5))
    items += erase_key(erase, look, tap=key_tap("<"))
    items += button(space, ButtonChoice(key_tap(" "), look.words("Space")), look)
    items += button(done, ButtonChoice(done_tap, look.words("OK"), strong=True), look)
    return items


def erase_key(place: Rect, look: Look, enabled: bool = True, tap: Meaning = _ERASE) -> list[Item]:
    """Return a key with an arrow to the left."""
    high = look.px(9)
    x, y = place.x + place.w // 2 - 2 * high, place.y + place.h // 2
    head = Shape(((x, y), (x + high, y - high), (x + high, y + high)), "ink" if enabled else "muted")
    shaft = Fill(Rect(x + high, y - high // 3, 3 * high, 2 * (high // 3)), head.colour)
    return [*button(place, ButtonChoice(tap, "", enabled=enabled), look), head, shaft]
