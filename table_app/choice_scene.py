"""Before a game whose colours a player may choose (`woc-2019` IV.9, III.1; `woc-classic` II.3.1, III.3)."""

from __future__ import annotations

from othello.colour_choice import DRAW_WIN
from table_app.assigned_scene import conditions
from table_app.choosing import Choosing
from table_app.clock_scene import halves
from table_app.face import Face
from table_app.parts import Look, disc
from table_app.scene import Fill, Hit, Item, Rect, Scene, Tap, Words, turned


def choice_scene(
    face: Face, width: int, height: int, look: Look, face_to_face: bool, armed: Tap | None = None
) -> Scene:
    """Who chooses, and a card for each word that he may say; turned to him where he sits opposite."""
    if face.choosing is None:
        return ()
    px, screen, choosing = look.px, Rect(0, 0, width, height), face.choosing
    items = conditions(face, Rect(px(28), px(18), width - px(56), px(60)), look)
    title = Rect(px(28), px(96), width - px(56), px(50))
    items.append(
        Words(title, look.words("{name} chooses", name=choosing.speaker), look.size("title"), "ink", "strong")
    )
    asked = look.words(
        "Which colour do you play? Or do you win a draw?"
        if DRAW_WIN in choosing.words
        else "Which colour do you play?"
    )
    items.append(Words(title._replace(y=title.bottom), asked, look.size("text"), "ink"))
    cards = Rect(px(22), px(206), width - px(44), height - px(206) - px(64))
    gap, count = px(14), len(choosing.words)
    places = cards.rows(count, gap) if height > width else cards.columns(count, gap)
    for word, place in zip(choosing.words, places, strict=True):
        items += _card(word, choosing, place, look, armed == Tap("choose", value=word))
    foot = Rect(px(28), height - px(52), width - px(56), px(36))
    items += _in_time(face.choice_left_s, foot, look)
    opposite = face_to_face and halves(width, height, True, face.swapped)[choosing.side].y == 0
    return turned(items, screen) if opposite else tuple(items)


def _in_time(left_s: int | None, foot: Rect, look: Look) -> list[Item]:
    """The minutes that the text gives for the choice, running down; then that they are over. A notice, no penalty."""
    if left_s is None:
        return []
    if left_s == 0:
        over = Words(
            foot,
            look.words("The minutes for the choice are over: say it now"),
            look.size("small"),
            "alert_ink",
            "strong",
            "centre",
        )
        return [Fill(foot, "alert", look.px(10)), over]
    left = look.words(
        "To be said at least five minutes before the start: {left}", left=f"{left_s // 60}:{left_s % 60:02}"
    )
    return [Words(foot, left, look.size("small"), "muted", "text", "centre")]


def _card(word: str, choosing: Choosing, place: Rect, look: Look, armed: bool) -> list[Item]:
    """What he takes, and what follows for a draw; touched once it asks for the second touch."""
    px = look.px
    ground, ink, edge = ("alert", "alert_ink", "alert") if armed else ("card", "ink", "ink")
    items: list[Item] = [Fill(place, ground, px(16)), Fill(place, edge, px(16), max(1, px(2)))]
    side = min(px(78), place.h // 3)
    x, y = place.x + (place.w - side) // 2, place.y + px(16)
    if word == DRAW_WIN:
        for at, black in ((-side * 3 // 8, True), (side * 3 // 8, False)):
            items.append(disc(Rect(x + at, y, side, side), black, armed))
        below = look.words("You win a draw; {name} chooses the colour", name=choosing.other)
    else:
        items.append(disc(Rect(x, y, side, side), word == "black", armed))
        below = look.words("{name} wins a draw", name=choosing.wins_draw) if choosing.wins_draw else ""
    name = look.words.named(f"choose_{word}")
    label = look.words("Again: {what}", what=name) if armed else name
    text = Rect(place.x + px(10), y + side + px(6), place.w - px(20), px(40))
    items.append(Words(text, label, look.size("name"), ink, "strong", "centre"))
    rest = Rect(text.x, text.bottom, text.w, place.bottom - text.bottom - px(6))
    items.append(Words(rest, below, look.size("small"), ink, "text", "centre", lines=2))
    return [*items, Hit(place, Tap("choose", value=word))]
