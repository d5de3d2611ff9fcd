"""The sheets that people fill in: the PIN, the demanded error, the stated score, the next game without a hub.

Both clocks stay visible while there is a game."""

from __future__ import annotations

from collections.abc import Callable

from flagfall.link.pin import is_pin
from flagfall.othello.board import Position
from flagfall.othello.judging.errors.kinds import error_kinds
from flagfall.othello.rulebook import AT_TABLES, rulebook
from flagfall.othello.side import Side
from table_app.screen.dialog import (
    COUNT_DOWNS_OFFERED,
    MINUTES_OFFERED,
    SECONDS_OFFERED,
    Choosing,
    Dialog,
    Figures,
    FirstPin,
    NamedError,
    NamedFlag,
    NewGame,
    PinNews,
    PinPad,
    StatedScore,
)
from table_app.screen.kit.player_face import Face, FaceKind
from table_app.screen.kit.scene import Fill, Hit, Item, Rect, Scene, Tap, Words
from table_app.screen.kit.widgets import (
    ButtonChoice,
    Look,
    button,
    button_rows,
    buttons,
    cross,
    diagram,
    disc,
    erase_key,
    keyboard,
)
from table_app.screen.scenes.clock import halves
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
        case NamedFlag():
            items = _flag_sheet(face, dialog.sheet, screen, look)
        case StatedScore():
            items = _score_sheet(face, dialog.sheet, screen, look)
        case _:
            return ()
    return look.facing(halves(screen, face, look)[dialog.sheet.by], items, screen)


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
                    items.append(Hit(place, Tap("enter")))
                choice = ButtonChoice(Tap("enter"), look.words("OK"), strong=True, enabled=enabled and done)
                items += button(place, choice, look)
            else:
                items += button(place, ButtonChoice(Tap("key", value=key), key, enabled=enabled), look)
    return items


def _pin_pad(face: Face, dialog: Dialog, typed: str, screen: Rect, look: Look, *, now_ns: int) -> list[Item]:
    words = look.words
    items, body = sheet_frame(face, screen, look, words("Judge"))
    left, keys = beside(body, look)
    locked = now_ns < dialog.locked_until_ns
    text = words(TEXTS["pin_wrong" if dialog.wrong_pins else "pin_enter"])
    if locked:
        text = words(TEXTS["pin_locked"])
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
    items, body = sheet_frame(face, screen, look, words(TEXTS["pin_title"]))
    left, keys = beside(body, look)
    text = words(TEXTS["pin_choose"])
    if pad.first:
        text = words(TEXTS["pin_again"])
    elif pad.differed:
        text = words(TEXTS["pin_differs"])
    items += _pin_so_far(pad.typed, text, pad.differed, left, look)
    return items + keypad(keys, look, done=is_pin(pad.typed))


def _pin_news(face: Face, news: PinNews, screen: Rect, look: Look) -> list[Item]:
    """Return the sheet on the judge's PIN. Its key is not at the place of a key of another sheet."""
    items, body = sheet_frame(face, screen, look, look.words(TEXTS["pin_title"]))
    return [*items, look.text(body.top(look.px(160)), look.words(TEXTS[f"pin_{news.value}"]), lines=5)]


def _error_sheet(face: Face, named: NamedError, screen: Rect, look: Look) -> list[Item]:
    """Return the sheet that chooses the error and, for an illegal pass, a square where a legal move was."""
    words = look.words
    if named.error is not None:
        items, body = sheet_frame(face, screen, look, words("Where was a legal move?"))
        return items + diagram(body, Position(0, 0), look, tap="square")
    items, body = sheet_frame(face, screen, look, words("Which error?"))
    kinds = [
        ButtonChoice(Tap("kind", value=kind.value), words(TEXTS[f"error_{kind.value}"]))
        for kind in (error_kinds(face.header.rulebook) if face.header is not None else ())
    ]
    return items + buttons(body.rows(max(5, len(kinds)), look.px(10)), kinds, look)


def _flag_sheet(face: Face, named: NamedFlag, screen: Rect, look: Look) -> list[Item]:
    """Return the sheet that asks whose flag has fallen; it is the same whether one has or not."""
    words, px = look.words, look.px
    items, body = sheet_frame(face, screen, look, words("Whose flag has fallen?"))
    opponent = look.owner(face.players.of(named.by.other))
    choices = (
        ButtonChoice(Tap("claim_flag", named.by), words("The flag of {name}", name=opponent), strong=True),
        ButtonChoice(Tap("admit_flag", named.by), words("My own flag")),
    )
    return items + buttons(body.top(px(220)).rows(2, px(20)), choices, look)


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
            Hit(place, Tap("field", value=str(index))),
        ]
    return items


def _score_sheet(face: Face, stated: StatedScore, screen: Rect, look: Look) -> list[Item]:
    px, words = look.px, look.words
    items, body = sheet_frame(face, screen, look, words("Discs counted"))
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


NAMES_OFFERED = 12


def new_game_scene(sheet: NewGame, names: tuple[str, ...], screen: Rect, look: Look) -> Scene:
    """Return the sheet that chooses a game; `names` are the names to propose, the last first."""
    px, words = look.px, look.words
    title = {Choosing.ALL: words("New game"), Choosing.MINUTES: words("Minutes for each player")}.get(
        sheet.choosing
    ) or words("Who sits here ({place})?", place=place_name(sheet.place, look))
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
        for name in AT_TABLES
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
    rules = rulebook(setup.rulebook)
    if rules.per_move != "nothing":
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
    if rules.byoyomi:
        rest = rest.below(px(44) + gap) if rules.per_move != "nothing" else rest
        count_downs = [
            offered(
                "byoyomi",
                seconds,
                words("then {seconds} s a move", seconds=seconds) if seconds else words("No count-down"),
                setup.byoyomi_s == seconds,
            )
            for seconds in COUNT_DOWNS_OFFERED
        ]
        items += button_rows(rest, count_downs, look, 5, 44)
    rest, low = rest.below(px(44) + gap), body.foot(px(58))
    items += _seats(sheet, rest.top(low.y - px(12) - rest.y), look)
    without = offered("judged", "no", words("Without a judge"), not setup.judged)
    judged = offered("judged", "yes", words("With a judge"), setup.judged)
    *places, play = low.columns(3, gap)
    items += buttons(places, (without, judged), look)
    edge = Fill(play.inset(-px(3)), "running", px(11), px(3))
    return [*items, edge, *button(play, ButtonChoice(Tap("play"), words("Play"), strong=True), look)]


def place_name(place: str, look: Look) -> str:
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
            look.text(text.foot(px(32)).top(px(26)), place_name(place, look), "small", "muted"),
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
