"""The sheets that players and judges fill in: the PIN, the demanded error, the stated score. Both clocks stay
visible."""

from __future__ import annotations

from link.pin import is_pin
from othello.board import Position
from othello.inputs import ErrorKind
from othello.side import Side
from table_app.screen.kit.keyboard import erase_key
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.scene import Fill, Hit, Item, Rect, Scene, Tap, Words, turned
from table_app.screen.kit.widgets import ButtonChoice, Look, button, diagram, disc
from table_app.screen.scenes.clock import halves
from table_app.screen.state.dialog import Dialog, Figures, Sheet

_KEYS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "erase", "0", "enter")


def clock_strip(
    face: Face, rect: Rect, look: Look, middle: tuple[ButtonChoice, ...] = (), close: bool = True
) -> list[Item]:
    """Both clocks in one line; `middle`: buttons between them; the cross at the right closes the sheet."""
    px = look.px
    items: list[Item] = []
    if face.players is None:
        return [*_cross(rect, look)] if close else []
    end = px(58) if close else 0
    between = min(px(128), rect.w // 5) * len(middle)
    width = (rect.w - end - between - px(12)) // 2
    for index, side in enumerate(face.left_to_right):
        player = face.players.of(side)
        place = Rect(rect.x + index * (width + between + px(12)), rect.y, width, rect.h)
        ink = "running_ink" if player.running else "ink"
        if player.running:
            items.append(Fill(place, "running", px(10)))
        else:
            items += look.card(place, 10)
        items.append(
            disc(
                Rect(place.x + px(10), place.y + (rect.h - px(26)) // 2, px(26), px(26)),
                player.black_discs,
                player.running,
            )
        )
        time = Rect(place.right - px(112), place.y, px(102), rect.h)
        name = Rect(place.x + px(44), place.y, time.x - place.x - px(48), rect.h)
        if name.w > px(60):
            items.append(look.strong(name, look.called(player), "small", ink, lines=2))
        items.append(Words(time, player.time, px(44), colour=ink, face="figures", align="right"))
        if player.flags:
            # On the player's disc, in a readable colour.
            number, ink = str(1 if player.fell_first else 2), "alert_ink" if player.black_discs else "alert"
            disc_place = Rect(place.x + px(10), place.y, px(26), rect.h)
            items.append(Words(disc_place, number, px(20), colour=ink, face="strong", align="centre"))
    if middle:
        x = rect.x + width + px(6)
        for place, choice in zip(
            Rect(x, rect.y, between, rect.h).columns(len(middle), px(6)), middle, strict=True
        ):
            items += button(place, choice, look)
    if close:
        items += _cross(rect, look)
    return items


def _cross(rect: Rect, look: Look) -> list[Item]:
    place = Rect(rect.right - look.px(50), rect.y, look.px(50), rect.h)
    return button(place, ButtonChoice(Tap("close"), "×"), look)


def sheet_scene(face: Face, dialog: Dialog, screen: Rect, look: Look, now_ns: int) -> Scene:
    """The open sheet; () for none and for the panel."""
    if dialog.sheet is Sheet.PIN:
        return tuple(_pin_pad(face, dialog, screen, look, now_ns))
    if dialog.sheet is Sheet.CHOOSE_PIN:
        return tuple(_first_pin(face, dialog, screen, look))
    if dialog.sheet in (Sheet.PIN_CHOSEN, Sheet.PIN_LATER, Sheet.NO_PIN):
        return tuple(_told_of_pin(face, dialog.sheet, screen, look))
    if dialog.sheet is Sheet.NAME_ERROR:
        items = _naming(face, dialog, screen, look)
    elif dialog.sheet is Sheet.STATE_SCORE:
        items = _stating(face, dialog, screen, look)
    else:
        return ()
    opposite = look.face_to_face and dialog.by is not None and halves(screen, face, look)[dialog.by].y == 0
    return turned(items, screen) if opposite else tuple(items)


def _frame(face: Face, screen: Rect, look: Look, title: str) -> tuple[list[Item], Rect]:
    px = look.px
    items = clock_strip(face, Rect(px(10), px(8), screen.w - px(20), px(56)), look)
    items.append(look.strong(Rect(px(24), px(72), screen.w - px(48), px(40)), title, "name"))
    return items, Rect(px(24), px(118), screen.w - px(48), screen.h - px(134))


def beside(body: Rect, look: Look) -> tuple[Rect, Rect]:
    """The place of what is typed, and beside it (on an upright screen below it) that of the keys."""
    px = look.px
    if body.h > body.w:
        return Rect(body.x, body.y, body.w, px(260)), Rect(body.x, body.y + px(270), body.w, body.h - px(270))
    return Rect(body.x, body.y, body.w - px(390), body.h), Rect(body.right - px(360), body.y, px(360), body.h)


def keypad(rect: Rect, look: Look, enabled: bool = True, done: bool = True) -> list[Item]:
    """Twelve keys; OK works once the entry is `done`."""
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
                items += button(
                    place,
                    ButtonChoice(Tap("enter"), look.words("OK"), strong=True, enabled=enabled and done),
                    look,
                )
            else:
                items += button(place, ButtonChoice(Tap("key", value=key), key, enabled=enabled), look)
    return items


def _pin_pad(face: Face, dialog: Dialog, screen: Rect, look: Look, now_ns: int) -> list[Item]:
    words = look.words
    items, body = _frame(face, screen, look, words("Judge"))
    left, pad = beside(body, look)
    locked = now_ns < dialog.locked_until_ns
    text = (
        words("Too many wrong PINs – wait half a minute")
        if locked
        else words("Wrong PIN")
        if dialog.wrong_pins
        else words("Enter your PIN")
    )
    items += _pin_so_far(dialog, text, locked or bool(dialog.wrong_pins), left, look)
    items += keypad(pad, look, not locked)
    return items


def _pin_so_far(dialog: Dialog, text: str, alert: bool, rect: Rect, look: Look) -> list[Item]:
    """The question, and a disc for each typed digit."""
    px = look.px
    place = Rect(rect.x, rect.y, rect.w, px(100))
    items: list[Item] = [look.text(place, text, colour="alert" if alert else "muted", lines=3)]
    for index in range(max(4, len(dialog.typed))):
        spot = Rect(rect.x + index * px(40), rect.y + px(110), px(30), px(30))
        items.append(disc(spot, index < len(dialog.typed)))
    return items


def _first_pin(face: Face, dialog: Dialog, screen: Rect, look: Look) -> list[Item]:
    words = look.words
    items, body = _frame(face, screen, look, words("The judge's PIN"))
    left, pad = beside(body, look)
    text = words("Choose a PIN of 4 to 8 digits for this table")
    if dialog.first_pin:
        text = words("The same digits once more")
    elif dialog.wrong_pins:
        text = words("Those were other digits: from the beginning, please")
    items += _pin_so_far(dialog, text, bool(dialog.wrong_pins), left, look)
    items += keypad(pad, look, done=is_pin(dialog.typed))
    return items


def _told_of_pin(face: Face, sheet: Sheet, screen: Rect, look: Look) -> list[Item]:
    """Its key is not at the place of a key of another sheet."""
    words = look.words
    items, body = _frame(face, screen, look, words("The judge's PIN"))
    text = words("The PIN is set. Touch the upper left corner again, and enter it: the judge's page opens.")
    if sheet is Sheet.PIN_LATER:
        text = words("The judge's page is closed: this table has no PIN. Choose one here between games.")
    elif sheet is Sheet.NO_PIN:
        text = words(
            "The judge's page is closed: this table has no PIN. The hub gives it one when it is enrolled again."
        )
    items.append(look.text(body._replace(h=look.px(160)), text, lines=5))
    return items


def _naming(face: Face, dialog: Dialog, screen: Rect, look: Look) -> list[Item]:
    """Chooses the error; for an illegal pass, a square where a legal move was."""
    px, words = look.px, look.words
    if dialog.error is not None:
        items, body = _frame(face, screen, look, words("Where was a legal move?"))
        items += diagram(body, Position(0, 0), look, tap="square")
        return items
    items, body = _frame(face, screen, look, words("Which error?"))
    for place, kind in zip(body.rows(5, px(10)), ErrorKind, strict=True):
        items += button(
            place, ButtonChoice(Tap("kind", value=kind.value), words.named(f"error_{kind.value}")), look
        )
    return items


def count_fields(rect: Rect, figures: Figures, face: Face, look: Look) -> list[Item]:
    """Black's and White's typed discs; a touch chooses the field."""
    items: list[Item] = []
    px = look.px
    typed = (figures.black, figures.white)
    for index, place in enumerate(rect.rows(2, px(10))):
        side = (Side.BLACK, Side.WHITE)[index]
        black = face.players.of(side).black_discs if face.players is not None else index == 0
        chosen = figures.field == index
        items += [
            Fill(place, "card", px(10)),
            Fill(place, "ink" if chosen else "line", px(10), max(1, px(4 if chosen else 2))),
        ]
        items.append(disc(Rect(place.x + px(12), place.y + (place.h - px(36)) // 2, px(36), px(36)), black))
        items.append(
            Words(
                Rect(place.x + px(60), place.y, place.w - px(76), place.h),
                typed[index] or "–",
                min(px(64), place.h - px(12)),
                colour="ink",
                face="figures",
                align="right",
            )
        )
        items.append(Hit(place, Tap("field", value=str(index))))
    return items


def _stating(face: Face, dialog: Dialog, screen: Rect, look: Look) -> list[Item]:
    px, words = look.px, look.words
    items, body = _frame(face, screen, look, words("Discs counted"))
    left, pad = beside(body, look)
    items += count_fields(Rect(left.x, left.y, left.w, px(176)), dialog.figures, face, look)
    hint = Rect(left.x, left.y + px(190), left.w, px(64))
    items.append(
        look.text(
            hint,
            words("Both players state the discs of each colour. Empty squares are added by the rules."),
            "small",
            "muted",
            lines=3,
        )
    )
    items += keypad(pad, look)
    return items
