"""The parts that several sheets have: both clocks, frame, keypad, the digits of a PIN, names of places."""

from __future__ import annotations

from table_app.screen.kit.player_face import Face, FaceKind
from table_app.screen.kit.scene import Enter, Fill, Hit, Item, Key, Rect, Words
from table_app.screen.kit.widgets import ButtonChoice, Look, button, buttons, cross, disc, erase_key

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


def sheet_frame(face: Face, screen: Rect, look: Look, title: str) -> tuple[list[Item], Rect]:
    """Return the clocks, the cross and the title of a sheet, and the room below them."""
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
                    items.append(Hit(place, Enter()))
                choice = ButtonChoice(Enter(), look.words("OK"), strong=True, enabled=enabled and done)
                items += button(place, choice, look)
            else:
                items += button(place, ButtonChoice(Key(key), key, enabled=enabled), look)
    return items


def typed_pin(typed: str, text: str, alert: bool, rect: Rect, look: Look) -> list[Item]:
    """Return the question, and a disc for each typed digit. Empty places would say how many digits are due."""
    px = look.px
    spots = rect.below(px(110)).top(px(30))
    discs = [disc(spots.beside(index * px(40)).left(px(30)), True) for index in range(len(typed))]
    return [look.text(rect.top(px(100)), text, colour="alert" if alert else "muted", lines=3), *discs]


def place_name(place: str, look: Look) -> str:
    words = look.words
    if look.face_to_face:
        return words("near side") if place == "left" else words("far side")
    return words("left") if place == "left" else words("right")
