"""The sheet for the next game of a table without a hub: rules, time, seats, judge or none."""

from __future__ import annotations

from flagfall.othello.rulebook import BUILT_IN, rulebook
from table_app.screen.kit.keyboard import keyboard
from table_app.screen.kit.scene import Fill, Hit, Item, Rect, Scene, Tap, Words
from table_app.screen.kit.widgets import ButtonChoice, Look, button, button_rows, buttons, cross, disc
from table_app.screen.scenes.sheets import beside, keypad
from table_app.screen.state.new_game import MINUTES_OFFERED, SECONDS_OFFERED, Choosing, NewGame

NAMES_OFFERED = 12


def new_game_scene(sheet: NewGame, names: tuple[str, ...], screen: Rect, look: Look) -> Scene:
    """Return the sheet that chooses a game; `names` are the names to propose, the last first."""
    px, words = look.px, look.words
    title = {Choosing.ALL: words("New game"), Choosing.MINUTES: words("Minutes for each player")}.get(
        sheet.choosing
    ) or words("Who sits here ({place})?", place=_place(sheet.place, look))
    head = screen.inset(px(16), 0).below(px(8)).top(px(48))
    body = Rect(head.x, head.bottom + px(8), head.w, screen.h - head.bottom - px(20))
    items: list[Item] = [
        look.strong(head.left(head.w - px(70)), title, "name"),
        *cross(head.end(px(60)), look),
    ]
    match sheet.choosing:
        case Choosing.ALL:
            items += _game_choices(sheet, body, look)
        case Choosing.NAME:
            items += _name_choices(sheet, names, body, look)
        case Choosing.TYPED_NAME:
            items += keyboard(sheet.typed, "name", body, look)
        case Choosing.MINUTES:
            items += _minutes_pad(sheet, body, look)
    return tuple(items)


def _game_choices(sheet: NewGame, body: Rect, look: Look) -> list[Item]:
    px, words, setup = look.px, look.words, sheet.setup
    gap = px(8)

    def offered(action: str, value: object, label: str, chosen: bool) -> ButtonChoice:
        return ButtonChoice(Tap(action, value=str(value)), label, strong=chosen)

    texts = [
        offered("rulebook", name, words.text(rulebook(name).title), setup.rulebook == name)
        for name in BUILT_IN
    ]
    columns = 4 if body.w > body.h else 2
    items = button_rows(body, texts, look, columns, 48)
    rest = body.below(-(-len(texts) // columns) * (px(48) + gap))
    times = [
        offered("minutes", minutes, words("{minutes} min", minutes=minutes), setup.minutes == minutes)
        for minutes in MINUTES_OFFERED
    ]
    usual = setup.minutes in MINUTES_OFFERED
    other = words("Other") if usual else words("{minutes} min", minutes=f"{setup.minutes:g}")
    times.append(ButtonChoice(Tap("minutes"), other, strong=not usual))
    items += button_rows(rest, times, look, 6, 48)
    rest = rest.below(px(48) + gap)
    if rulebook(setup.rulebook).per_move != "nothing":
        increments = [
            offered(
                "per_move",
                seconds,
                words("+{seconds} s a move", seconds=seconds),
                setup.increment_s == seconds,
            )
            for seconds in SECONDS_OFFERED
        ]
        items += button_rows(rest, increments, look, 5, 44)
    rest, low = rest.below(px(44) + gap), body.foot(px(58))
    items += _seats(sheet, rest.top(low.y - px(12) - rest.y), look)
    without = offered("judged", "no", words("without a judge"), not setup.judged)
    judged = offered("judged", "yes", words("with a judge"), setup.judged)
    *places, play = low.columns(3, gap)
    items += buttons(places, (without, judged), look)
    edge = Fill(play.inset(-px(3)), "running", px(11), px(3))
    return [*items, edge, *button(play, ButtonChoice(Tap("play"), words("Play"), strong=True), look)]


def _place(place: str, look: Look) -> str:
    words = look.words
    if look.face_to_face:
        return words("near side") if place == "left" else words("far side")
    return words("left") if place == "left" else words("right")


def _seats(sheet: NewGame, rect: Rect, look: Look) -> list[Item]:
    """Return both players at their places, and between them, or below where it is narrow, the buttons that exchange
    colours or chairs."""
    px, words, setup = look.px, look.words, sheet.setup
    rect = rect.top(min(rect.h, px(104)))
    if rect.w > px(560):
        middle = rect.middle(px(170), rect.h)
        wide = middle.x - px(10) - rect.x
        between = middle.rows(2, px(6))
    else:
        wide = (rect.w - px(10)) // 2
        between = rect.below(rect.h + px(8)).top(px(48)).columns(2, px(10))
    items: list[Item] = []
    for place, card in (("left", rect.left(wide)), ("right", rect.end(wide))):
        name = setup.left if place == "left" else setup.right
        icon = card.beside(px(10)).left(px(40)).middle(px(40), px(40))
        text = card.beside(px(58)).left(card.right - icon.right - px(14))
        tap = Tap("name", value=place)
        pale = tap in look.fresh
        colour = "ink" if name and not pale else "muted"
        items += [
            *look.card(card, 10, "line" if pale else "ink"),
            disc(icon, setup.black_left == (place == "left")),
            look.strong(
                text.inset(0, px(8)).top(card.h - px(40)), name or words("Name ..."), colour=colour, lines=2
            ),
            look.text(text.foot(px(32)).top(px(26)), _place(place, look), "small", "muted"),
            Hit(card, tap),
        ]
    exchanges = (("colours", words("Exchange colours")), ("seats", words("Exchange seats")))
    return items + buttons(between, (ButtonChoice(Tap(action), label) for action, label in exchanges), look)


def _name_choices(sheet: NewGame, names: tuple[str, ...], body: Rect, look: Look) -> list[Item]:
    px, words = look.px, look.words
    choices = [ButtonChoice(Tap("name_is", value=name), name) for name in names[:NAMES_OFFERED]]
    items = button_rows(body, choices, look, 3 if body.w > body.h else 2, 56)
    others = (
        ButtonChoice(Tap("name_is"), words("No name")),
        ButtonChoice(Tap("name_type"), words("Another name ..."), strong=True),
    )
    return items + buttons(body.foot(px(58)).columns(2, px(8)), others, look)


def _minutes_pad(sheet: NewGame, body: Rect, look: Look) -> list[Item]:
    px = look.px
    left, pad = beside(body, look)
    field = left.left(min(left.w, px(300))).top(px(110))
    return [
        *look.card(field, 10, "ink"),
        Words(field.inset(px(16), 0), sheet.typed or "–", px(80), face="figures", align="right"),
        *keypad(pad, look, done=sheet.minutes_typed is not None),
    ]
