"""The judge's panel: both clocks above, the board left, the rulings right.

While a button waits for its second touch, the usual reasons for its ruling stand in the board's place, so that a reason
costs one touch only.
"""

from __future__ import annotations

from functools import cache

from flagfall.link.words import Catalogue, all_words
from flagfall.othello.board import Position
from flagfall.othello.game import Awaits, Game, State
from flagfall.othello.inputs import Rule
from flagfall.othello.message import Message
from flagfall.othello.refusals import refusal, with_clause
from table_app.local_game import sides_may_swap
from table_app.screen.dialog import Dialog, DialogPage, findings
from table_app.screen.judge.actions import can_be_undone, can_enter_moves, refusal_of
from table_app.screen.judge.pages import (
    PAGES,
    as_it_should_be,
    request_choice,
    rule_choice,
    script_board,
    set_up_choices,
    square_to_play,
    twice,
)
from table_app.screen.kit.catalogue import message_text
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.scene import Fill, Item, Rect, Scene, Tap
from table_app.screen.kit.widgets import (
    ButtonChoice,
    Look,
    Marks,
    button,
    button_rows,
    buttons,
    diagram,
    keyboard,
)
from table_app.screen.scenes.sheets import clock_strip
from table_app.settings import CHOICES, Settings
from table_app.table_view import TableView
from table_app.texts import TEXTS


def panel_scene(
    view: TableView, face: Face, dialog: Dialog, screen: Rect, look: Look, *, settings: Settings
) -> Scene:
    """Return the whole panel and its buttons."""
    px, game, width, height = look.px, view.game, screen.w, screen.h
    middle: tuple[ButtonChoice, ...] = ()
    if game is not None and game.state in (State.RUNNING, State.CORRECTING):
        middle = (rule_choice(Rule.STOP, dialog, look),)
    elif game is not None and game.state is State.STOPPED and game.awaits is not Awaits.DEFAULT_CHOICE:
        middle = (rule_choice(Rule.RESUME, dialog, look),)
    items = clock_strip(face, screen.inset(px(10), 0).below(px(8)).top(px(56)), look, middle)
    rows, high = (2, px(92)) if height > width else (1, px(56))
    tabs = Rect(px(10), height - px(2) - high, width - px(20), high - px(6))
    columns = -(-(len(DialogPage) + 2) // rows)  # what undoes has two places
    places = [place for row in tabs.rows(rows, px(6)) for place in row.columns(columns, px(6))]
    free = places[len(DialogPage)]
    items += buttons((free.left(tabs.right - free.x),), _undo(game, dialog, look), look)
    pages = (
        ButtonChoice(
            Tap("page", value=page.value), look.words(TEXTS[f"page_{page}"]), strong=dialog.panel.page is page
        )
        for page in DialogPage
    )
    items += buttons(places, pages, look)
    body = Rect(px(10), px(72), width - px(20), tabs.y - px(80))
    if height > width:
        # The height that the longest page needs below the board.
        right = body.foot(px(344))
        board = body.top(right.y - px(12) - body.y)
    else:
        board = body.left(min(body.h, body.w // 2))
        right = body.beside(board.w + px(16))
    if dialog.panel.page is DialogPage.SETTINGS:
        swap = request_choice("swap_sides", dialog, look) if sides_may_swap(game) else None
        return (*items, *_settings_page(settings, swap, body, look))
    if game is None:
        return (*items, *_no_game(view, dialog, body, look))
    if dialog.panel.typing:
        return (*items, *keyboard(dialog.panel.reason, "reason", body, look))
    listed = asked_for(dialog, look.words)
    why = None if dialog.judge is None else refusal_of(game, dialog.judge.ruling)
    if why is not None:
        board = board.top(board.h - px(50))
        items += _refused(why, board.below(board.h + px(6)).top(px(44)), look)
    elif game.claimed is not None:
        board = board.top(board.h - px(50))
        told = with_clause(refusal("flag_claimed", player=game.claimed), game.rules)
        waits = message_text(told, look.words)
        items += _alert(waits, board.below(board.h + px(6)).top(px(44)), look)
    differs = face.wrong_start_squares
    items += (
        reason_list(listed, dialog, board, look) if listed else _board(game, dialog, board, look, differs)
    )
    items += PAGES[dialog.panel.page](view, game, dialog, right, look)
    return tuple(items)


def _no_game(view: TableView, dialog: Dialog, body: Rect, look: Look) -> list[Item]:
    waits = look.words(
        "Waiting for a pairing" if view.choice is None else "The players have not chosen their colours yet"
    )
    px = look.px
    place = Rect(body.x + body.w // 2 - px(150), body.bottom - px(64), px(300), px(56))
    choices = set_up_choices(view, dialog.director, look)
    return [look.text(body, waits, colour="muted", align="centre"), *buttons((place,), choices, look)]


def _undo(game: Game | None, dialog: Dialog, look: Look) -> tuple[ButtonChoice, ...]:
    """Return the button that takes the last ruling back, while that is possible."""
    judge = dialog.judge
    ruling = None if judge is None else judge.ruling
    if game is None or judge is None or ruling is None or not can_be_undone(game, ruling, judge.counter):
        return ()
    text = look.words("Undo: {what}", what=look.words(TEXTS[f"rule_{ruling.rule.value}"]))
    return (twice(Tap("undo_ruling"), text, dialog, look),)


def _refused(why: Message, rect: Rect, look: Look) -> list[Item]:
    """Return the message that the last ruling was refused; the next touch clears it."""
    return _alert(look.words("Refused: {why}", why=message_text(why, look.words)), rect, look)


def _alert(text: str, rect: Rect, look: Look) -> list[Item]:
    return [
        Fill(rect, "alert", look.px(8)),
        look.strong(rect.inset(look.px(10), 0), text, "small", "alert_ink", lines=2),
    ]


def _board(game: Game, dialog: Dialog, rect: Rect, look: Look, differs: int) -> list[Item]:
    """Return the board as it lies; wrong squares are ringed and show their right content. `differs` holds the
    squares that differ from the start position, before the start."""
    if dialog.panel.script is not None:
        return script_board(game, dialog.panel.script, rect, look)
    if dialog.panel.editing is not None:
        return diagram(rect, dialog.panel.editing, look, tap="square")
    errors = findings(game)
    if differs:
        return diagram(rect, game.board, look, Marks(differs, game.start))
    rings = 0
    wanted: Position | None = None
    if errors and game.last is not None:
        wanted = as_it_should_be(game, errors)
        rings |= wanted.differences(game.shown)
    if game.correction is None:
        # A square that has been put right is no longer marked.
        for incident in errors:
            rings |= incident.squares
    rings |= square_to_play(game)
    if dialog.panel.square is not None:
        rings |= 1 << dialog.panel.square
    tap = "square" if dialog.panel.error is not None else ""
    if dialog.panel.page is DialogPage.BOARD and can_enter_moves(game):
        tap = "move"
        if dialog.panel.pending is not None and dialog.panel.pending[0].square is not None:
            rings |= 1 << dialog.panel.pending[0].square
    return diagram(rect, game.shown, look, Marks(rings, wanted if errors else None), tap=tap)


# Marks a language whose texts no speaker has read.
_UNREVIEWED = "*"


@cache
def own_names() -> dict[str, str]:
    """Return each language by its own name, marked if unreviewed; all catalogues are read for it."""
    return {
        language: words.own_name + (_UNREVIEWED if words.is_unreviewed else "")
        for language, words in all_words().items()
    }


def _settings_page(settings: Settings, swap: ButtonChoice | None, rect: Rect, look: Look) -> list[Item]:
    """Return one row per setting, one button per value. `swap`: the button that exchanges the sides, while it can be
    done."""
    words = look.words
    rows = _language_rows(words, of_one_row=8 if rect.w > rect.h else 4)
    rows += [
        (name, words(TEXTS[f"set_{name}"]), {str(value): _value(name, value, words) for value in values})
        for name, values in CHOICES.items()
    ]
    items: list[Item] = []
    label_w = look.px(190 if rect.w > rect.h else 130)
    *places, last = rect.rows(len(rows) + 1, look.px(5))
    high = look.px(56)
    for place, (name, label, values) in zip(places, rows, strict=True):
        if label:
            items.append(look.strong(place.left(label_w), label, "small", lines=2))
        spots = place.beside(label_w).top(min(place.h, high)).columns(len(values), look.px(5))
        chosen = str(getattr(settings, name))
        choices = (
            ButtonChoice(Tap("set", value=f"{name}={value}"), text, strong=value == chosen)
            for value, text in values.items()
        )
        items += buttons(spots, choices, look)
    return items if swap is None else items + button(last.beside(label_w).top(min(last.h, high)), swap, look)


def _language_rows(words: Catalogue, of_one_row: int) -> list[tuple[str, str, dict[str, str]]]:
    """Return the rows of the languages: the setting, the label of the row, and the names. The first label explains
    the mark, if there is one."""
    names = list(own_names().items())
    label = words("Language")
    if any(name.endswith(_UNREVIEWED) for _, name in names):
        label = words("Language ({mark} unreviewed)", mark=_UNREVIEWED)
    starts = range(0, len(names), of_one_row)
    return [("language", "" if start else label, dict(names[start : start + of_one_row])) for start in starts]


def _value(name: str, value: int, words: Catalogue) -> str:
    match name:
        case "brightness":
            return f"{value} %"
        case "rotation":
            return f"{value}°"
        case "tenths_s":
            return words("Below {seconds} s", seconds=value) if value else words("Never")
        case "volume":
            return str(value) if value else words("Silent")
        case "face_to_face":
            return words("Opposite") if value else words("Side by side")
    return words("Yes") if value else words("No")


def reasons(rule: Rule, words: Catalogue) -> tuple[str, ...]:
    """Return the usual reasons for a ruling, in the screen's language; () for a ruling that needs none."""
    listed = words(TEXTS[f"reasons_{rule.value}"]) if f"reasons_{rule.value}" in TEXTS else ""
    return tuple(reason.strip() for reason in listed.split("|") if reason.strip())


def asked_for(dialog: Dialog, words: Catalogue) -> tuple[str, ...]:
    """Return the reasons to offer now: those of the ruling that has been touched once."""
    armed = dialog.armed
    return reasons(Rule(armed.value), words) if armed is not None and armed.action == "rule" else ()


def reason_list(listed: tuple[str, ...], dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    """Return the list of reasons; the chosen one is filled, and a typed one is the last."""
    px = look.px
    title = look.strong(rect.top(px(34)), look.words("Reason (optional)"))
    choices = [
        ButtonChoice(Tap("reason", value=reason), reason, strong=dialog.panel.reason == reason)
        for reason in listed
    ]
    typed = dialog.panel.reason if dialog.panel.reason and dialog.panel.reason not in listed else ""
    other = typed or look.words("Another reason ...")
    choices.append(ButtonChoice(Tap("reason_type"), other, strong=bool(typed)))
    below = rect.below(px(40))
    columns = 1 if below.h >= len(choices) * px(44) else 2
    return [title, *button_rows(below, choices, look, columns, 42)]
