"""The sheets that players and judges fill in: the PIN, the demanded error, the stated score. Both clocks stay
visible."""

from __future__ import annotations

from collections.abc import Callable

from flagfall.link.pin import is_pin
from flagfall.othello.board import Position
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.side import Side
from table_app.screen.kit.keyboard import erase_key
from table_app.screen.kit.player_face import Face, FaceKind
from table_app.screen.kit.scene import Fill, Hit, Item, Rect, Scene, Tap, Words
from table_app.screen.kit.widgets import ButtonChoice, Look, button, buttons, cross, diagram, disc
from table_app.screen.scenes.clock import halves
from table_app.screen.state.dialog import Dialog, Figures, FirstPin, NamedError, PinNews, PinPad, StatedScore
from table_app.texts import TEXTS

_KEYS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "erase", "0", "enter")


def clock_strip(face: Face, rect: Rect, look: Look, middle: tuple[ButtonChoice, ...] = ()) -> list[Item]:
    """Return both clocks in one line; `middle`: buttons between them; the cross at the right closes the sheet."""
    px = look.px
    items: list[Item] = []
    if face.kind in (FaceKind.IDLE, FaceKind.CHOICE):
        return cross(rect.end(px(50)), look)
    between = min(px(128), rect.w // 5) * len(middle)
    width = (rect.w - px(58) - between - px(12)) // 2
    for index, side in enumerate(face.left_to_right):
        player = face.players.of(side)
        place = Rect(rect.x + index * (width + between + px(12)), rect.y, width, rect.h)
        ink = "running_ink" if player.running else "ink"
        if player.running:
            items.append(Fill(place, "running", px(10)))
        else:
            items += look.card(place, 10)
        icon = place.beside(px(10)).left(px(26))
        items.append(disc(icon.middle(px(26), px(26)), player.black_discs, player.running))
        time = place.end(px(112)).left(px(102))
        name = place.beside(px(44)).left(time.x - place.x - px(48))
        if name.w > px(60):
            items.append(look.strong(name, look.called(player), "small", ink, lines=2))
        items.append(Words(time, player.time, px(44), ink, "figures", align="right"))
        if player.flags:
            # On the player's disc, in a readable colour.
            number, ink = str(player.flags), "alert_ink" if player.black_discs else "alert"
            items.append(Words(icon, number, px(20), ink, "strong", align="centre"))
    if middle:
        places = rect.beside(width + px(6)).left(between).columns(len(middle), px(6))
        items += buttons(places, middle, look)
    return items + cross(rect.end(px(50)), look)


def sheet_scene(face: Face, dialog: Dialog, screen: Rect, look: Look, now_ns: int) -> Scene:
    """Return the open sheet, if it is one for a PIN, an error or a score; a player's own stands at their side."""
    match dialog.sheet:
        case PinPad():
            return tuple(_pin_pad(face, dialog, dialog.sheet.typed, screen, look, now_ns=now_ns))
        case FirstPin():
            return tuple(_first_pin(face, dialog.sheet, screen, look))
        case PinNews():
            return tuple(_pin_news(face, dialog.sheet, screen, look))
        case NamedError():
            items = _error_sheet(face, dialog.sheet, screen, look)
        case StatedScore():
            items = _score_sheet(face, dialog.sheet, screen, look)
        case _:
            return ()
    return look.facing(halves(screen, face, look)[dialog.sheet.by], items, screen)


def _sheet_frame(face: Face, screen: Rect, look: Look, title: str) -> tuple[list[Item], Rect]:
    px = look.px
    items = clock_strip(face, screen.inset(px(10), 0).below(px(8)).top(px(56)), look)
    body = screen.inset(px(24), 0)
    items.append(look.strong(body.below(px(72)).top(px(40)), title, "name"))
    return items, body.below(px(118)).top(screen.h - px(134))


def beside(body: Rect, look: Look) -> tuple[Rect, Rect]:
    """Return the place of the typed text, and beside it (on an upright screen below it) that of the keys."""
    px = look.px
    if body.h > body.w:
        return body.top(px(260)), body.below(px(270))
    return body.left(body.w - px(390)), body.end(px(360))


def keypad(rect: Rect, look: Look, enabled: bool = True, done: bool = True) -> list[Item]:
    """Return twelve keys; OK works once the entry is `done`."""
    items: list[Item] = []
    gap = look.px(8)
    for row, keys in zip(rect.rows(4, gap), (_KEYS[:3], _KEYS[3:6], _KEYS[6:9], _KEYS[9:]), strict=True):
        for place, key in zip(row.columns(3, gap), keys, strict=True):
            if key == "erase":
                items += erase_key(place, look, enabled)
            elif key == "enter":
                if enabled and not done:
                    # The key is there from the beginning, so that it reacts at once when the entry is complete.
                    items.append(Hit(place, Tap("enter")))
                choice = ButtonChoice(Tap("enter"), look.words("OK"), strong=True, enabled=enabled and done)
                items += button(place, choice, look)
            else:
                items += button(place, ButtonChoice(Tap("key", value=key), key, enabled=enabled), look)
    return items


def _pin_pad(face: Face, dialog: Dialog, typed: str, screen: Rect, look: Look, *, now_ns: int) -> list[Item]:
    words = look.words
    items, body = _sheet_frame(face, screen, look, words("Judge"))
    left, keys = beside(body, look)
    locked = now_ns < dialog.locked_until_ns
    text = words("Wrong PIN" if dialog.wrong_pins else "Enter your PIN")
    if locked:
        text = words("Too many wrong PINs – wait half a minute")
    items += _pin_so_far(typed, text, locked or bool(dialog.wrong_pins), left, look)
    return items + keypad(keys, look, not locked)


def _pin_so_far(typed: str, text: str, alert: bool, rect: Rect, look: Look) -> list[Item]:
    """Return the question, and a disc for each typed digit. Empty places would say how many digits are due."""
    px = look.px
    spots = rect.below(px(110)).top(px(30))
    discs = [disc(spots.beside(index * px(40)).left(px(30)), True) for index in range(len(typed))]
    return [look.text(rect.top(px(100)), text, colour="alert" if alert else "muted", lines=3), *discs]


def _first_pin(face: Face, pad: FirstPin, screen: Rect, look: Look) -> list[Item]:
    words = look.words
    items, body = _sheet_frame(face, screen, look, words("The judge's PIN"))
    left, keys = beside(body, look)
    text = words("Choose a PIN of 4 to 8 digits for this table")
    if pad.first:
        text = words("The same digits once more")
    elif pad.differed:
        text = words("These digits differ: please begin again")
    items += _pin_so_far(pad.typed, text, pad.differed, left, look)
    return items + keypad(keys, look, done=is_pin(pad.typed))


def _pin_news(face: Face, news: PinNews, screen: Rect, look: Look) -> list[Item]:
    """Return the sheet on the judge's PIN. Its key is not at the place of a key of another sheet."""
    items, body = _sheet_frame(face, screen, look, look.words("The judge's PIN"))
    return [*items, look.text(body.top(look.px(160)), look.words(TEXTS[f"pin_{news.value}"]), lines=5)]


def _error_sheet(face: Face, named: NamedError, screen: Rect, look: Look) -> list[Item]:
    """Return the sheet that chooses the error and, for an illegal pass, a square where a legal move was."""
    words = look.words
    if named.error is not None:
        items, body = _sheet_frame(face, screen, look, words("Where was a legal move?"))
        return items + diagram(body, Position(0, 0), look, tap="square")
    items, body = _sheet_frame(face, screen, look, words("Which error?"))
    kinds = [
        ButtonChoice(Tap("kind", value=kind.value), words(TEXTS[f"error_{kind.value}"])) for kind in ErrorKind
    ]
    return items + buttons(body.rows(5, look.px(10)), kinds, look)


def count_fields(rect: Rect, figures: Figures, plays_black: Callable[[Side], bool], look: Look) -> list[Item]:
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
            Hit(place, Tap("field", value=str(index))),
        ]
    return items


def _score_sheet(face: Face, stated: StatedScore, screen: Rect, look: Look) -> list[Item]:
    px, words = look.px, look.words
    items, body = _sheet_frame(face, screen, look, words("Discs counted"))
    left, pad = beside(body, look)
    hint = words(
        "Both players state the discs of each colour, at most 64 in all. Empty squares are added by the rules."
    )
    return [
        *items,
        *count_fields(
            left.top(px(176)), stated.figures, lambda side: face.players.of(side).black_discs, look
        ),
        look.text(left.below(px(190)).top(px(64)), hint, "small", "muted", lines=3),
        *keypad(pad, look, done=stated.figures.score() is not None),
    ]
