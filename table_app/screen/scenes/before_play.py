"""The screens before play: waiting for a pairing, and the assigned game with its rules."""

from __future__ import annotations

from othello.board import START, Position
from othello.colour_choice import DRAW_WIN
from othello.game import Header
from othello.notation import square_names
from table_app.screen.kit.labels import Choosing
from table_app.screen.kit.player_face import Face, PlayerFace
from table_app.screen.kit.scene import Fill, Hit, Item, Rect, Scene, Tap, Words, turned
from table_app.screen.kit.widgets import ButtonChoice, Look, Marks, button, diagram, disc
from table_app.screen.scenes.clock import halves

_MOST_NAMED = 6
UNSTARTED = ("wait_for_start", "not_started")
"""Headlines of a game that has not been started yet."""


def idle_scene(face: Face, screen: Rect, look: Look) -> Scene:
    """Nothing to play yet."""
    px, words = look.px, look.words
    width, height, board = screen.w, screen.h, px(150)
    items = diagram(
        Rect(width // 2 - board // 2, height // 2 - px(170), board, board),
        Position(START.black, START.white),
        look,
        labels=False,
    )
    title = _title(face, look)
    y = height // 2 + px(6)
    items.append(look.strong(Rect(px(40), y, width - px(80), px(50)), title, "title", align="centre"))
    items.append(
        look.text(
            Rect(px(40), y + px(54), width - px(80), px(36)), words("Waiting for a pairing"), align="centre"
        )
    )
    link = words.named(face.board_trouble or ("linked" if face.linked else "not_linked"))
    items.append(
        look.text(
            Rect(px(40), y + px(94), width - px(80), px(30)),
            link,
            "small",
            "muted" if face.linked and not face.board_trouble else "alert",
            align="centre",
        )
    )
    return tuple(items)


def assigned_scene(face: Face, screen: Rect, look: Look, self_start: bool) -> Scene:
    """The players and rules of the assigned game; what is still to be done before the start. `self_start`: no hub gives
    it."""
    if face.players is None:
        return ()
    width, height = screen.w, screen.h
    if look.face_to_face or height > width:
        items: list[Item] = []
        for side, place in halves(screen, face, look).items():
            half = _assigned_half(face, face.players.of(side), place, look)
            if self_start and face.headline in UNSTARTED:
                half += _start_button(
                    Rect(place.right - look.px(250), place.bottom - look.px(84), look.px(220), look.px(56)),
                    look,
                )
            items += turned(half, place) if look.face_to_face and place.y == 0 else half
        return tuple(items)
    px = look.px
    items = []
    items += conditions(face, Rect(px(72), px(18), width - px(100), px(60)), look, not self_start)
    wrong = Rect(width - px(286), px(92), px(274), height - px(104))
    room = wrong.x if face.wrong_start_squares else width
    for side, place in zip(face.left_to_right, Rect(0, 0, room, height).columns(2), strict=True):
        card = Rect(place.x + px(12), px(92), place.w - px(24), height - px(92) - px(118))
        items += look.card(card)
        inner = card.inset(px(20))
        time = Rect(inner.x, inner.bottom - px(96), inner.w, px(60))
        items += _introduced(face, face.players.of(side), inner, time, look)
    foot = Rect(px(12), height - px(106), room - px(24), px(92))
    items += _foot(face, foot, look, self_start)
    if face.wrong_start_squares:
        items += _wrong_squares(face.wrong_start_squares, face.lying, wrong, look)
    return tuple(items)


def _start_button(rect: Rect, look: Look) -> list[Item]:
    return button(rect, ButtonChoice(Tap("start"), look.words("Start"), strong=True), look)


def conditions(face: Face, rect: Rect, look: Look, titled: bool = True) -> list[Item]:
    """The table number (unless something else is there), the rules and the times."""
    px, words = look.px, look.words
    left = Rect(rect.x, rect.y, min(px(240), rect.w // 3), rect.h)
    right = Rect(left.right, rect.y, rect.right - left.right, rect.h)
    above, below = right.rows(2)
    rulebook = "" if face.header is None else words.text(face.header.rulebook.title)
    short = face.header is not None and _short(face.header)
    return [
        look.strong(left, _title(face, look) if titled else "", "title"),
        look.text(above, rulebook, "small", align="right"),
        look.strong(
            below, _stage_and_minutes(face, look), "small", "alert" if short else "ink", align="right"
        ),
    ]


def _title(face: Face, look: Look) -> str:
    return look.words("Table {seat}", seat=face.seat) if face.seat else look.words("Flagfall")


def _short(header: Header) -> bool:
    return header.minutes < header.rulebook.least_minutes


def _stage_and_minutes(face: Face, look: Look) -> str:
    words, header = look.words, face.header
    if header is None:
        return ""
    parts = [
        words.named(f"stage_{header.stage.value}") if face.of_tournament else "",
        words("{minutes} min each", minutes=f"{header.minutes:g}"),
        words("+{seconds} s a move", seconds=f"{header.per_move_s:g}") if header.per_move_s else "",
        words("with a judge" if header.judged else "without a judge"),
        words("shorter than the rules allow") if _short(header) else "",
    ]
    return " · ".join(part for part in parts if part)


def _introduced(face: Face, player: PlayerFace, rect: Rect, time: Rect, look: Look) -> list[Item]:
    """A player's card: disc, name, colour, special conditions; the time in its own place."""
    px, words = look.px, look.words
    size = min(px(92), rect.w // 4)
    icon = Rect(rect.x, rect.y + px(52) - size // 2, size, size)
    text = Rect(icon.right + size // 5, rect.y, rect.right - icon.right - size // 5, px(104))
    items: list[Item] = [
        disc(icon, player.black_discs),
        Words(
            Rect(text.x, text.y - px(10), text.w, px(86)),
            look.called(player),
            look.size("name") + px(3),
            "ink",
            "strong",
            lines=3,
        ),
        look.text(
            Rect(text.x, text.y + px(70), text.w, px(34)),
            look.colour_name(player.black_discs) if player.name else "",
            colour="muted",
        ),
    ]
    items.append(Words(time, player.time, px(64), colour="ink", face="figures", align="left"))
    special = []
    if face.header is not None and face.header.draw_win is player.side:
        special.append(words("wins a draw"))
    extra = 0 if face.header is None else face.header.extra_minutes.of(player.side)
    if extra:
        special.append(words("{minutes} min extra", minutes=f"{extra:g}"))
    if special:
        items.append(look.strong(Rect(rect.x, rect.bottom - px(28), rect.w, px(30)), " · ".join(special)))
    return items


def beside_foot(face: Face, screen: Rect, look: Look) -> Rect:
    """Room for a button at the end of the bar below."""
    px = look.px
    room = screen.w - px(286) if face.wrong_start_squares else screen.w
    return Rect(room - px(248), screen.h - px(90), px(216), px(60))


def _foot(face: Face, rect: Rect, look: Look, self_start: bool) -> list[Item]:
    """What is to be done now, in a dark bar."""
    px, words = look.px, look.words
    alert = face.headline in ("set_up_start", "not_started") or bool(face.board_trouble)
    ground = "alert" if alert else "solid"
    items: list[Item] = [Fill(rect, ground, px(18))]
    text = Rect(rect.x + px(28), rect.y, rect.w - px(56), rect.h)
    starts = self_start and face.headline in UNSTARTED
    if starts:
        place = Rect(rect.right - px(236), rect.y + px(16), px(216), rect.h - px(32))
        items += button(place, ButtonChoice(Tap("start"), words("Start")), look)
    if starts or face.board_asks:
        text = Rect(text.x, text.y, text.w - px(230), text.h)
    headline = words.named(face.board_trouble or face.headline)
    ask = ""
    if face.headline == "ready_to_start" and face.players is not None and not face.board_trouble:
        ask = words("{name} presses the clock", name=look.owner(face.players.white))
    if ask:
        above, below = text.inset(0, px(14)).rows(2)
        items.append(look.text(above, headline, colour=f"{ground}_ink"))
        items.append(look.strong(below, ask, "name", f"{ground}_ink"))
    else:
        items.append(look.strong(text, headline, "name", f"{ground}_ink", lines=2))
    return items


def _wrong_squares(squares: int, lying: Position, rect: Rect, look: Look) -> list[Item]:
    """The board as it lies with its wrong squares ringed, and the start position."""
    px, words = look.px, look.words
    items: list[Item] = look.card(rect, 18, "alert", 3)
    halves_of = rect.inset(px(12), px(10)).rows(2, px(8))
    for place, text, position, marks in (
        (halves_of[0], words("On the board"), lying, Marks(squares)),
        (halves_of[1], words("The start position"), START, Marks()),
    ):
        items.append(look.strong(place._replace(h=px(22)), text, "small", align="centre"))
        board = Rect(place.x, place.y + px(22), place.w, place.h - px(22))
        items += diagram(board, position, look, marks, labels=False)
    return items


def _named_squares(squares: int) -> str:
    """The names of the first wrong squares, where there is no room for a board."""
    names = list(square_names(squares))
    return " ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")


def _assigned_half(face: Face, player: PlayerFace, place: Rect, look: Look) -> list[Item]:
    px, words = look.px, look.words
    inner = place.inset(px(30), px(22))
    card = place.inset(px(10))
    items: list[Item] = look.card(card)
    if place.w > place.h * 1.3:
        left = Rect(inner.x, inner.y, round(inner.w * 0.56), inner.h)
        x = left.right + px(10)
        right = Rect(x, inner.y, inner.right - x, px(130))
    else:
        left = Rect(inner.x, inner.y, inner.w, px(150))
        right = Rect(inner.x, left.bottom, inner.w, px(130))
    time = Rect(inner.right - px(200), inner.bottom - px(60), px(200), px(60))
    items += _introduced(face, player, left, time, look)
    title = _title(face, look)
    items.append(look.strong(Rect(right.x, right.y, right.w, px(36)), title, "name"))
    items.append(
        look.text(
            Rect(right.x, right.y + px(36), right.w, px(30)),
            _stage_and_minutes(face, look),
            "small",
            "muted",
            lines=2,
        )
    )
    headline = words.named(face.board_trouble or face.headline)
    if player.ask:
        headline = words.named(player.ask)
    elif face.wrong_start_squares:
        headline = words("{who}: {what}", who=headline, what=_named_squares(face.wrong_start_squares))
    alert = face.headline in ("set_up_start", "not_started") or bool(face.board_trouble)
    where = Rect(right.x, right.y + px(66), right.w, px(56))
    items.append(look.strong(where, headline, colour="alert" if alert else "ink", lines=2))
    return items


def choice_scene(face: Face, screen: Rect, look: Look, armed: Tap | None) -> Scene:
    """Who chooses, and a card for each possible choice; turned to the player who sits opposite."""
    if face.choosing is None:
        return ()
    px, choosing, width, height = look.px, face.choosing, screen.w, screen.h
    items = conditions(face, Rect(px(72), px(18), width - px(100), px(60)), look)
    title = Rect(px(28), px(96), width - px(56), px(50))
    items.append(look.strong(title, look.words("{name} chooses", name=choosing.speaker), "title"))
    asked = look.words(
        "Which colour do you play? Or do you win a draw?"
        if DRAW_WIN in choosing.words
        else "Which colour do you play?"
    )
    items.append(look.text(title._replace(y=title.bottom), asked))
    cards = Rect(px(22), px(206), width - px(44), height - px(206) - px(64))
    gap, count = px(14), len(choosing.words)
    places = cards.rows(count, gap) if height > width else cards.columns(count, gap)
    for word, place in zip(choosing.words, places, strict=True):
        items += _card(word, choosing, place, look, armed == Tap("choose", value=word))
    foot = Rect(px(28), height - px(52), width - px(56), px(36))
    items += _in_time(face.choice_left_s, foot, look)
    opposite = look.face_to_face and halves(screen, face, look)[choosing.side].y == 0
    return turned(items, screen) if opposite else tuple(items)


def _in_time(left_s: int | None, foot: Rect, look: Look) -> list[Item]:
    """The minutes for the choice, counted down; then a remark that they are over. It has no consequence."""
    if left_s is None:
        return []
    if left_s == 0:
        over = look.strong(
            foot,
            look.words("The time for the choice is over: choose now"),
            "small",
            "alert_ink",
            align="centre",
        )
        return [Fill(foot, "alert", look.px(10)), over]
    left = look.words(
        "Choose at least five minutes before the start: {left}", left=f"{left_s // 60}:{left_s % 60:02}"
    )
    return [look.text(foot, left, "small", "muted", align="centre")]


def _card(word: str, choosing: Choosing, place: Rect, look: Look, armed: bool) -> list[Item]:
    """The choice, and its consequence for a draw; touched once it asks for the second touch."""
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
    items.append(look.strong(text, label, "name", ink, align="centre"))
    rest = Rect(text.x, text.bottom, text.w, place.bottom - text.bottom - px(6))
    items.append(look.text(rest, below, "small", ink, align="centre", lines=2))
    return [*items, Hit(place, Tap("choose", value=word), again=label if armed else "")]
