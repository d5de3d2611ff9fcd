"""The screens before play: waiting for a pairing, and the assigned game with its rules."""

from __future__ import annotations

from flagfall.base.isolate import isolated
from flagfall.base.trouble import TROUBLES
from flagfall.base.words import Catalogue
from flagfall.othello.board import START, Position, square_name, square_names
from flagfall.othello.colour_choice import DRAW_WIN, ColourChoice
from flagfall.othello.game import Header
from flagfall.othello.side import Both
from table_app.screen.kit.face_buttons import Button, Choose, Tap
from table_app.screen.kit.player_face import Face, PlayerFace
from table_app.screen.kit.scene import Fill, Hit, Item, Meaning, Rect, Scene, Words
from table_app.screen.kit.widgets import ButtonChoice, Look, Marks, button, diagram, disc
from table_app.screen.scenes.clock import halves
from table_app.screen.scenes.page_code import page_code
from table_app.texts import TEXTS

_MOST_NAMED = 6
_ROOT_CHARACTERS = 12
# Headlines of a game that has not been started yet.
UNSTARTED = ("wait_for_start", "not_started")


def idle_scene(face: Face, screen: Rect, look: Look, hub_at: str = "") -> Scene:
    """Return the screen without a game. `hub_at`: where the table connects, as it was told when it was enrolled."""
    px, words, board = look.px, look.words, look.px(150)
    items: list[Item] = []
    if face.page:
        upright = screen.h > screen.w
        beside = screen.foot(screen.h * 44 // 100) if upright else screen.end(screen.w * 2 // 5)
        items = page_code(face.page, beside.inset(px(16)), look)
        screen = screen.top(screen.h - beside.h) if upright else screen.left(screen.w - beside.w)
    text = screen.inset(px(40), 0).below(screen.h // 2 + px(6))
    link = words(TEXTS["linked" if face.linked else "not_linked"])
    if face.board_trouble:
        link = words.say(face.board_trouble)
    if face.foreign_hub_at:
        link = words(TROUBLES["foreign_hub"], at=face.foreign_hub_at)
    hub = words("Hub: {at}", at=isolated(hub_at))
    fine = face.linked and not face.board_trouble and not face.foreign_hub_at
    colour = "muted" if fine else "alert"
    others = (hub if hub_at else "", record_head(face, look), table_key(face, look))
    lines = ((link, colour), *((line, "muted") for line in others if line))
    place = Rect(screen.w // 2 - board // 2, screen.h // 2 - px(170), board, board)
    return (
        *items,
        *diagram(place, START, look, labels=False),
        look.strong(text.top(px(50)), _title(face, look), "title", align="centre"),
        look.text(text.below(px(54)).top(px(36)), words("Waiting for a pairing"), align="centre"),
        *(
            look.text(text.below(px(94 + 34 * number)).top(px(30)), line, "small", shade, align="centre")
            for number, (line, shade) in enumerate(lines)
        ),
    )


def assigned_scene(
    face: Face,
    screen: Rect,
    look: Look,
    self_start: bool,
    *,
    keys: bool = False,
    armed: Meaning | None = None,
) -> Scene:
    """Return the players and rules of the assigned game, and the steps before the start. `self_start`: no hub
    gives the start. `keys`: the buttons are keys of a keyboard. `armed`: was touched for the first of two times."""
    px, items, start = (
        look.px,
        list[Item](),
        ButtonChoice(Tap(Button.START), look.words(TEXTS["button_start"]), strong=True),
    )
    key = dict(zip(face.left_to_right, "FJ" if keys else ("", ""), strict=True))
    if look.halved(screen):
        for side, place in halves(screen, face, look).items():
            half = _assigned_half(face, face.players.of(side), place, look, key=key[side], armed=armed)
            if self_start and face.headline in UNSTARTED:
                corner = Rect(place.right - px(250), place.bottom - px(84), px(220), px(56))
                half += button(corner, start, look)
            items += look.facing(place, half)
        return tuple(items)
    items += conditions(face, screen, look, not self_start)
    beside = Rect(screen.w - px(286), px(92), px(274), screen.h - px(104))
    room = screen.left(beside.x if _shows_board(face) else screen.w)
    for side, place in zip(face.left_to_right, room.columns(2), strict=True):
        card = place.inset(px(12), 0).below(px(92)).top(screen.h - px(92) - px(118))
        inner = card.inset(px(20))
        items += look.card(card)
        time = inner.foot(px(96)).top(px(60))
        items += _introduced(face, face.players.of(side), inner, time, look, key=key[side])
        late = time.end(time.w - px(150))
        if late.w < px(150) and not _remark(face, face.players.of(side), key[side], look)[0]:
            late = inner.foot(px(44))
        if late.w >= px(150):
            items += _late_button(face.players.of(side), late, look, armed)
    items += _foot(face, room.inset(px(12), 0).foot(px(106)).top(px(92)), look, self_start)
    position = START if face.header is None else face.header.start
    if face.wrong_start_squares:
        items += _wrong_squares(face.wrong_start_squares, face.lying, position, beside, look)
    elif _shows_board(face):
        items += _opening(face, beside, look)
    return tuple(items)


def _shows_board(face: Face) -> bool:
    """Tell whether a board stands beside the players: one that lies wrong, or an opening to be set up."""
    return bool(face.wrong_start_squares) or (face.header is not None and bool(face.header.opening))


def conditions(face: Face, screen: Rect, look: Look, titled: bool = True) -> list[Item]:
    """Return the line at the top: the table number (unless something else is there), the rules and the times."""
    px = look.px
    rect = Rect(px(72), px(18), screen.w - px(100), px(60))
    left = rect.left(min(px(240), rect.w // 3))
    above, below = rect.beside(left.w).rows(2)
    colour = "alert" if face.header is not None and _short(face.header) else "ink"
    rules = _rulebook(face, look), record_head(face, look)
    return [
        look.strong(left, _title(face, look) if titled else "", "title"),
        look.text(above, " · ".join(filter(None, rules)), "small", align="right"),
        look.strong(below, _stage_and_minutes(face, look), "small", colour, align="right"),
    ]


def record_head(face: Face, look: Look) -> str:
    """Return the size and the first characters of the root of the event's record, as they stand in its checkpoint: a
    table's players can note them, and hold a later record against them. "" until the hub has told them."""
    if face.record_head is None:
        return ""
    entries, root = face.record_head
    return look.words(
        "Record {entries}: {root}", entries=entries, root=f"{isolated(root[:_ROOT_CHARACTERS])}…"
    )


def table_key(face: Face, look: Look) -> str:
    """Return the key with which this table signs results, short enough to be read out: whoever has noted it knows it in
    a proof. "" without a hub."""
    return look.words("Key of the table: {key}", key=isolated(face.table_key)) if face.table_key else ""


def _title(face: Face, look: Look) -> str:
    return look.words("Table {seat}", seat=face.seat) if face.seat else look.words("Flagfall")


def _rulebook(face: Face, look: Look) -> str:
    return "" if face.header is None else look.words.text(face.header.rulebook.title)


def _short(header: Header) -> bool:
    return header.minutes < header.rulebook.least_minutes


def _stage_and_minutes(face: Face, look: Look) -> str:
    words, header = look.words, face.header
    if header is None:
        return ""
    per_move_s = header.increment_s or header.delay_s
    parts = [
        words(TEXTS[f"stage_{header.stage.value}"]) if face.of_tournament else "",
        words("{minutes} min each", minutes=f"{header.minutes:g}"),
        words("+{seconds} s a move", seconds=f"{per_move_s:g}") if per_move_s else "",
        words("then {seconds} s a move", seconds=f"{header.byoyomi_s:g}") if header.byoyomi_s else "",
        words("with a judge" if header.judged else "without a judge"),
        words("shorter than the rules allow") if _short(header) else "",
    ]
    return " · ".join(part for part in parts if part)


def _introduced(
    face: Face, player: PlayerFace, rect: Rect, time: Rect, look: Look, *, key: str
) -> list[Item]:
    """Return a player's card: disc, name, colour, special conditions, the key that is the button, or for a while why a
    press had no effect; the time in its own place."""
    px = look.px
    size = min(px(92), rect.w // 4)
    text = rect.beside(size + size // 5)
    name, below = text.below(-px(10)).top(px(86)), text.below(px(70)).top(px(34))
    items: list[Item] = [
        disc(Rect(rect.x, rect.y + px(52) - size // 2, size, size), player.black_discs),
        Words(
            name,
            look.called(player),
            look.size("name") + px(3),
            face="strong",
            lines=3,
            language=look.words.language,
        ),
        look.text(below, look.colour_name(player.black_discs) if player.name else "", colour="muted"),
        Words(time, player.time, px(64), face="figures"),
    ]
    remark, colour = _remark(face, player, key, look)
    return [*items, look.strong(rect.foot(px(28)).top(px(30)), remark, colour=colour)] if remark else items


def _remark(face: Face, player: PlayerFace, key: str, look: Look) -> tuple[str, str]:
    """Return the line at the foot of a player's card, and its colour."""
    words, special = look.words, list[str]()
    if player.notice:
        return words(TEXTS[player.notice]), "alert"
    if face.header is not None and face.header.draw_win is player.side:
        special.append(words("wins a draw"))
    extra = 0 if face.header is None else face.header.extra_minutes.of(player.side)
    if extra:
        special.append(words("{minutes} min extra", minutes=f"{extra:g}"))
    if key:
        special.append(words("Key {key}", key=key))
    return " · ".join(special), "ink"


def _late_button(player: PlayerFace, rect: Rect, look: Look, armed: Meaning | None) -> list[Item]:
    """Return the button on the card of a player who is late: the other starts their clock, or once they have come
    they take the walkover (jof J11, J12)."""
    action = next((button for button in (Button.LATE, Button.WALKOVER) if button in player.buttons), None)
    if action is None:
        return []
    tap, label = Tap(action, player.side), look.words(TEXTS[f"button_{action}"])
    label = look.words("Touch again: {what}", what=label) if armed == tap else label
    place = rect.middle(min(rect.w, look.px(240)), look.px(46))
    return button(place, ButtonChoice(tap, label, armed=armed == tap), look)


def beside_foot(face: Face, screen: Rect, look: Look) -> Rect:
    """Room for a button at the end of the bar below."""
    px = look.px
    room = screen.w - px(286) if _shows_board(face) else screen.w
    return Rect(room - px(248), screen.h - px(90), px(216), px(60))


def _foot(face: Face, rect: Rect, look: Look, self_start: bool) -> list[Item]:
    """Return the next step in a dark bar."""
    px, words = look.px, look.words
    ground = "alert" if _wants_attention(face) else "solid"
    items: list[Item] = [Fill(rect, ground, px(18))]
    text = rect.inset(px(28), 0)
    starts = self_start and face.headline in UNSTARTED
    if starts:
        place = Rect(rect.right - px(236), rect.y + px(16), px(216), rect.h - px(32))
        items += button(place, ButtonChoice(Tap(Button.START), words(TEXTS["button_start"])), look)
    draws = face.colours_open or face.colours_drawn
    for _ in range(int(starts or face.board_asks) + int(draws)):
        text = text.left(text.w - px(230))
    headline = _headline(face, look.words)
    ask = ""
    if face.colours_drawn and not face.board_trouble:
        # Of one who came late the other has picked it before any colour was drawn (jof J3, J11).
        picker = face.players.black if face.late is None else face.players.of(face.late.other)
        headline = words("{name} picks the side of the clock", name=look.owner(picker))
    if face.headline == "ready_to_start" and not face.board_trouble:
        ask = words("{name} presses the clock", name=look.owner(face.players.white))
    if not ask:
        return [*items, look.strong(text, headline, "name", f"{ground}_ink", lines=2)]
    text = text.inset(0, px(8))
    items.append(look.text(text.top(px(24)), headline, colour=f"{ground}_ink"))
    return [*items, look.strong(text.below(px(24)), ask, "name", f"{ground}_ink", lines=2)]


def _wants_attention(face: Face) -> bool:
    return face.headline in ("set_up_start", "not_started") or bool(face.board_trouble)


def _opening(face: Face, rect: Rect, look: Look) -> list[Item]:
    """Return the position to set up, with the moves that lead to it."""
    px, items = look.px, look.card(rect, 18)
    if face.header is None:
        return items
    inner = rect.inset(px(12), px(14))
    items.append(look.strong(inner.top(px(30)), look.words("Set up this opening"), "small", align="centre"))
    side = min(inner.w, inner.h - px(92))
    board = Rect(inner.x + (inner.w - side) // 2, inner.y + px(30), side, side)
    items += diagram(board, face.header.start, look, Marks(moves=face.header.opening), labels=False)
    items.append(look.text(inner.foot(px(58)), _moves_text(face.header), "small", align="centre", lines=2))
    return items


def _moves_text(header: Header) -> str:
    return " ".join(square_name(square) for square in header.opening)


def _wrong_squares(squares: int, lying: Position, start: Position, rect: Rect, look: Look) -> list[Item]:
    """Return the board as it lies with its wrong squares ringed, and the position to set up."""
    px, words = look.px, look.words
    items: list[Item] = look.card(rect, 18, "alert", 3)
    above, below = rect.inset(px(12), px(10)).rows(2, px(8))
    for place, text, position, marks in (
        (above, words("On the board"), lying, Marks(squares)),
        (below, words("The start position"), start, Marks()),
    ):
        items.append(look.strong(place.top(px(22)), text, "small", align="centre"))
        items += diagram(place.below(px(22)), position, look, marks, labels=False)
    return items


def _named_squares(squares: int) -> str:
    """Return the names of the first wrong squares, where there is no room for a board."""
    names = list(square_names(squares))
    return " ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")


def _assigned_half(
    face: Face, player: PlayerFace, place: Rect, look: Look, *, key: str, armed: Meaning | None
) -> list[Item]:
    px, words = look.px, look.words
    inner = place.inset(px(30), px(22))
    if place.w > place.h * 1.3:
        left = inner.left(round(inner.w * 0.56))
        right = inner.beside(left.w + px(10))
        late = left.below(px(110)).top(px(46))
    else:
        left, right = inner.top(px(150)), inner.below(px(150))
        late = inner.foot(px(52)).left(inner.w - px(210))
    headline = _headline(face, look.words)
    if face.wrong_start_squares:
        headline = words("{who}: {what}", who=headline, what=_named_squares(face.wrong_start_squares))
    elif player.ask:
        headline = words(TEXTS[player.ask])
    if face.header is not None and face.header.opening and not face.wrong_start_squares:
        headline = words("{who}: {what}", who=headline, what=_moves_text(face.header))
    colour = "alert" if _wants_attention(face) else "ink"
    conditions_of = right.below(px(36)).top(px(30))
    return [
        *look.card(place.inset(px(10))),
        *_introduced(face, player, left, inner.end(px(200)).foot(px(60)), look, key=key),
        look.strong(right.top(px(36)), _title(face, look) if face.seat else _rulebook(face, look), "name"),
        look.text(conditions_of, _stage_and_minutes(face, look), "small", "muted", lines=2),
        look.strong(right.below(px(66)).top(px(56)), headline, colour=colour, lines=2),
        look.text(right.below(px(124)).top(px(26)), record_head(face, look), "small", "muted"),
        *_late_button(player, late, look, armed),
    ]


def choice_scene(face: Face, screen: Rect, look: Look, armed: Meaning | None) -> Scene:
    """Return the chooser's name and a card for each possible choice, turned to the player who sits opposite."""
    if face.choice is None or face.header is None:
        return ()
    px, choice = look.px, face.choice
    names = Both(*(isolated(player.name or player.id) for player in (face.header.black, face.header.white)))
    items = conditions(face, screen, look)
    text = screen.inset(px(28), 0)
    title = text.below(px(96)).top(px(50))
    items.append(look.strong(title, look.words("{name} chooses", name=names.of(choice.speaker)), "title"))
    asked = look.words("Choose a colour or the draw-win" if DRAW_WIN in choice.words else "Choose a colour")
    items.append(look.text(title._replace(y=title.bottom), asked))
    cards = screen.inset(px(22), 0).below(px(206)).top(screen.h - px(206) - px(64))
    gap, count = px(14), len(choice.words)
    places = cards.rows(count, gap) if screen.h > screen.w else cards.columns(count, gap)
    for word, place in zip(choice.words, places, strict=True):
        items += _card(word, choice, names, place, look=look, armed=armed == Choose(word))
    items += _in_time(face.choice_left_s, text.foot(px(52)).top(px(36)), look)
    return look.facing(halves(screen, face, look)[choice.speaker], items, screen)


def _in_time(left_s: int | None, foot: Rect, look: Look) -> list[Item]:
    """Return the minutes for the choice, counted down; then a remark that they are over. It has no consequence."""
    if left_s is None:
        return []
    if left_s == 0:
        over = look.words("The time for the choice is over: choose now")
        ground = Fill(foot, "alert", look.px(10))
        return [ground, look.strong(foot, over, "small", "alert_ink", align="centre")]
    left = f"{left_s // 60}:{left_s % 60:02}"
    text = look.words("Choose at least five minutes before the start: {left}", left=left)
    return [look.text(foot, text, "small", "muted", align="centre")]


def _card(
    word: str, choice: ColourChoice, names: Both[str], place: Rect, *, look: Look, armed: bool
) -> list[Item]:
    """Return the choice, and its consequence for a draw; touched once it asks for the second touch."""
    px = look.px
    ground, ink, edge = ("alert", "alert_ink", "alert") if armed else ("card", "ink", "ink")
    items: list[Item] = [Fill(place, ground, px(16)), Fill(place, edge, px(16), max(1, px(2)))]
    side = min(px(78), place.h // 3)
    x, y = place.x + (place.w - side) // 2, place.y + px(16)
    if word == DRAW_WIN:
        for offset, black in ((-side * 3 // 8, True), (side * 3 // 8, False)):
            items.append(disc(Rect(x + offset, y, side, side), black, armed))
        below = look.words("You win a draw; {name} chooses the colour", name=names.of(choice.speaker.other))
    else:
        items.append(disc(Rect(x, y, side, side), word == "black", armed))
        winner = choice.draw_winner
        below = "" if winner is None else look.words("{name} wins a draw", name=names.of(winner))
    name = look.words(TEXTS[f"choose_{word}"])
    label = look.words("Touch again: {what}", what=name) if armed else name
    text = place.inset(px(10), 0).below(px(16) + side + px(6))
    rest = text.below(px(40))
    return [
        *items,
        look.strong(text.top(px(40)), label, "name", ink, align="centre"),
        look.text(rest.top(rest.h - px(6)), below, "small", ink, align="centre", lines=2),
        Hit(place, Choose(word), again=label if armed else ""),
    ]


def _headline(face: Face, words: Catalogue) -> str:
    return words.say(face.board_trouble) if face.board_trouble else words(TEXTS[face.headline])
