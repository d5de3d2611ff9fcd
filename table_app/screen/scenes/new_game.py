"""The sheet for the next game of a table without a hub: rules, time, seats, judge or none."""

from __future__ import annotations

from othello.rulebook import BUILT_IN, rulebook
from table_app.screen.kit.keyboard import keyboard
from table_app.screen.kit.scene import Fill, Hit, Item, Rect, Scene, Tap, Words
from table_app.screen.kit.widgets import ButtonChoice, Look, button, button_rows, disc
from table_app.screen.scenes.sheets import beside, keypad
from table_app.screen.state.new_game import MINUTES_OFFERED, SECONDS_OFFERED, Choosing, NewGame

NAMES_OFFERED = 12


def new_game_scene(one: NewGame, names: tuple[str, ...], screen: Rect, look: Look) -> Scene:
    """`names`: the names to propose, the last first."""
    px, words, width, height = look.px, look.words, screen.w, screen.h
    title = {
        Choosing.ALL: words("New game"),
        Choosing.MINUTES: words("Minutes for each player"),
    }.get(one.choosing) or words("Who sits here: {place}?", place=_place(one.place, look))
    head = Rect(px(16), px(8), width - px(32), px(48))
    body = Rect(head.x, head.bottom + px(8), head.w, height - head.bottom - px(20))
    items: list[Item] = [
        look.strong(head._replace(w=head.w - px(70)), title, "name"),
        *button(Rect(head.right - px(60), head.y, px(60), head.h), ButtonChoice(Tap("close"), "×"), look),
    ]
    match one.choosing:
        case Choosing.ALL:
            items += _all(one, body, look)
        case Choosing.NAME:
            items += _names(one, names, body, look)
        case Choosing.TYPED_NAME:
            items += keyboard(one.typed, "name", body, look)
        case Choosing.MINUTES:
            items += _minutes(one, body, look)
    return tuple(items)


def _all(one: NewGame, body: Rect, look: Look) -> list[Item]:
    px, words, setup = look.px, look.words, one.setup
    gap, y = px(8), body.y
    texts = [
        ButtonChoice(
            Tap("rulebook", value=name),
            words.text(rulebook(name).title),
            strong=setup.rulebook == name,
        )
        for name in BUILT_IN
    ]
    columns = 4 if body.w > body.h else 2
    items = button_rows(body, texts, look, columns, 48)
    y += -(-len(texts) // columns) * (px(48) + gap)
    offered = setup.minutes in MINUTES_OFFERED
    times = [
        ButtonChoice(
            Tap("minutes", value=str(minutes)),
            words("{minutes} min", minutes=minutes),
            strong=setup.minutes == minutes,
        )
        for minutes in MINUTES_OFFERED
    ]
    own = words("Other") if offered else words("{minutes} min", minutes=f"{setup.minutes:g}")
    times.append(ButtonChoice(Tap("minutes"), own, strong=not offered))
    items += button_rows(Rect(body.x, y, body.w, px(48)), times, look, 5, 48)
    y += px(48) + gap
    if rulebook(setup.rulebook).per_move != "nothing":
        given = [
            ButtonChoice(
                Tap("per_move", value=str(seconds)),
                words("+{seconds} s a move", seconds=seconds),
                strong=setup.per_move_s == seconds,
            )
            for seconds in SECONDS_OFFERED
        ]
        items += button_rows(Rect(body.x, y, body.w, px(44)), given, look, 5, 44)
    y += px(44) + gap
    low = Rect(body.x, body.bottom - px(58), body.w, px(58))
    items += _seats(one, Rect(body.x, y, body.w, low.y - px(12) - y), look)
    without, judged, play = low.columns(3, gap)
    for place, value, label in (
        (without, "no", words("without a judge")),
        (judged, "yes", words("with a judge")),
    ):
        choice = ButtonChoice(Tap("judged", value=value), label, strong=setup.judged == (value == "yes"))
        items += button(place, choice, look)
    edge = Fill(play.inset(-px(3)), "running", px(11), px(3))
    return [*items, edge, *button(play, ButtonChoice(Tap("play"), words("Play"), strong=True), look)]


def _place(place: str, look: Look) -> str:
    words = look.words
    if look.face_to_face:
        return words("near side") if place == "left" else words("far side")
    return words("left") if place == "left" else words("right")


def _seats(one: NewGame, rect: Rect, look: Look) -> list[Item]:
    """Both players at their places, and between them, or below where it is narrow, the buttons that exchange colours or
    chairs."""
    px, words, setup = look.px, look.words, one.setup
    rect = rect._replace(h=min(rect.h, px(104)))
    if rect.w > px(560):
        middle = Rect(rect.x + (rect.w - px(170)) // 2, rect.y, px(170), rect.h)
        wide = middle.x - px(10) - rect.x
        above, under = middle.rows(2, px(6))
    else:
        wide = (rect.w - px(10)) // 2
        above, under = Rect(rect.x, rect.bottom + px(8), rect.w, px(48)).columns(2, px(10))
    items: list[Item] = []
    for place, card in (
        ("left", Rect(rect.x, rect.y, wide, rect.h)),
        ("right", Rect(rect.right - wide, rect.y, wide, rect.h)),
    ):
        name = setup.left if place == "left" else setup.right
        black = setup.black_left == (place == "left")
        side = px(40)
        icon = Rect(card.x + px(10), card.y + (card.h - side) // 2, side, side)
        text = Rect(icon.right + px(8), card.y + px(8), card.right - icon.right - px(14), card.h - px(40))
        below = Rect(text.x, card.bottom - px(32), text.w, px(26))
        tap = Tap("name", value=place)
        pale = tap in look.fresh
        items += [
            Fill(card, "card", px(10)),
            Fill(card, "line" if pale else "ink", px(10), max(1, px(2))),
            disc(icon, black),
            look.strong(
                text, name or words("Name ..."), colour="ink" if name and not pale else "muted", lines=2
            ),
            look.text(below, _place(place, look), "small", "muted"),
            Hit(card, tap),
        ]
    items += button(above, ButtonChoice(Tap("colours"), words("Exchange colours")), look)
    return items + button(under, ButtonChoice(Tap("seats"), words("Exchange seats")), look)


def _names(one: NewGame, names: tuple[str, ...], body: Rect, look: Look) -> list[Item]:
    px, words = look.px, look.words
    choices = [ButtonChoice(Tap("name_is", value=name), name) for name in names[:NAMES_OFFERED]]
    items = button_rows(body, choices, look, 3 if body.w > body.h else 2, 56)
    low = Rect(body.x, body.bottom - px(58), body.w, px(58))
    nobody, another = low.columns(2, px(8))
    items += button(nobody, ButtonChoice(Tap("name_is"), words("No name")), look)
    return items + button(
        another, ButtonChoice(Tap("name_type"), words("Another name ..."), strong=True), look
    )


def _minutes(one: NewGame, body: Rect, look: Look) -> list[Item]:
    px = look.px
    left, pad = beside(body, look)
    field = Rect(left.x, left.y, min(left.w, px(300)), px(110))
    figures = Words(
        field.inset(px(16), 0), one.typed or "–", px(80), colour="ink", face="figures", align="right"
    )
    return [
        *look.card(field, 10, "ink"),
        figures,
        *keypad(pad, look, done=one.minutes_typed is not None),
    ]
