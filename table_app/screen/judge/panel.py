"""The judge's panel: both clocks above, the board left, the rulings right."""

from __future__ import annotations

from othello.board import Position
from othello.game import Game, State
from othello.inputs import Rule
from othello.refusals import Refusal
from table_app.loop.view import TableView
from table_app.screen.judge.actions import can_enter_moves
from table_app.screen.judge.pages import PAGES, as_it_should_be, asked, rule_choice, twice
from table_app.screen.judge.reasons import asked_for, reason_list
from table_app.screen.judge.settings_page import settings_page
from table_app.screen.judge.transcripts_page import script_board
from table_app.screen.judge.undo import possible, refusal
from table_app.screen.kit.catalogue import told_text
from table_app.screen.kit.keyboard import keyboard
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.scene import Fill, Item, Rect, Scene, Tap
from table_app.screen.kit.widgets import ButtonChoice, Look, Marks, button, diagram
from table_app.screen.scenes.board_setup import asking
from table_app.screen.scenes.sheets import clock_strip
from table_app.screen.state.dialog import Dialog, DialogPage
from table_app.settings import Settings


def panel_scene(
    view: TableView, face: Face, dialog: Dialog, screen: Rect, look: Look, *, settings: Settings
) -> Scene:
    """The whole panel and its buttons."""
    px, game, width, height = look.px, view.game, screen.w, screen.h
    middle: tuple[ButtonChoice, ...] = ()
    if game is not None and game.state in (State.RUNNING, State.CORRECTING):
        middle = (rule_choice(Rule.STOP, dialog, look),)
    elif game is not None and game.state is State.STOPPED:
        middle = (rule_choice(Rule.RESUME, dialog, look),)
    items = clock_strip(face, Rect(px(10), px(8), width - px(20), px(56)), look, middle)
    rows, high = (2, px(92)) if height > width else (1, px(56))
    tabs = Rect(px(10), height - px(2) - high, width - px(20), high - px(6))
    undo = _undo(game, dialog, look)
    columns = -(-(len(DialogPage) + 2) // rows)  # what undoes has two places
    places = [place for row in tabs.rows(rows, px(6)) for place in row.columns(columns, px(6))]
    free = places[len(DialogPage)]
    for choice in undo:
        items += button(free._replace(w=tabs.right - free.x), choice, look)
    for place, page in zip(places, DialogPage, strict=False):
        tap = Tap("page", value=page.value)
        items += button(
            place, ButtonChoice(tap, look.words.named(f"page_{page.value}"), strong=dialog.page is page), look
        )
    body = Rect(px(10), px(72), width - px(20), tabs.y - px(80))
    if height > width:
        # The height that the longest page needs below the board.
        right = Rect(body.x, body.bottom - px(344), body.w, px(344))
        board = Rect(body.x, body.y, body.w, right.y - px(12) - body.y)
    else:
        board = Rect(body.x, body.y, min(body.h, body.w // 2), body.h)
        right = Rect(board.right + px(16), body.y, body.right - board.right - px(16), body.h)
    if dialog.page is DialogPage.SETTINGS:
        return (
            *items,
            *settings_page(settings, asked("swap_sides", dialog, look), body, look),
        )
    if game is None:
        waits = look.words(
            "Waiting for a pairing"
            if view.choice is None
            else "The players have not chosen their colours yet"
        )
        items.append(look.text(body, waits, colour="muted", align="centre"))
        place = Rect(width // 2 - px(150), body.bottom - px(64), px(300), px(56))
        if view.board_uncalibrated:
            items += button(
                place, ButtonChoice(asking("calibrate"), look.words("Calibrate the board"), strong=True), look
            )
        elif view.board_kind == "eye" or (view.board_present and dialog.director):
            items += button(place, ButtonChoice(asking("corner"), look.words("Set up the board")), look)
        return tuple(items)
    if dialog.typing:
        return (*items, *keyboard(dialog.reason, "reason", body, look))
    listed = asked_for(dialog, look.words)
    why = refusal(game, dialog.given)
    if why is not None:
        board = board._replace(h=board.h - px(50))
        items += _refused(why, Rect(board.x, board.bottom + px(6), board.w, px(44)), look)
    items += reason_list(listed, dialog, board, look) if listed else _board(game, dialog, board, look)
    items += PAGES[dialog.page](view, game, face, dialog, rect=right, look=look)
    return tuple(items)


def _undo(game: Game | None, dialog: Dialog, look: Look) -> tuple[ButtonChoice, ...]:
    """The button that takes the last ruling back, while that is possible."""
    given, counter = dialog.given, dialog.counter
    if game is None or given is None or counter is None or not possible(game, given, counter):
        return ()
    text = look.words("Undo {what}", what=look.words.named(f"rule_{given.rule.value}"))
    return (twice(Tap("undo_ruling"), text, dialog, look),)


def _refused(why: Refusal, rect: Rect, look: Look) -> list[Item]:
    """The last ruling was refused; the next touch clears the message."""
    text = look.words("Not done: {why}", why=told_text(why, look.words))
    return [
        Fill(rect, "alert", look.px(8)),
        look.strong(rect.inset(look.px(10), 0), text, "small", "alert_ink", lines=2),
    ]


def _board(game: Game, dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    """The board as it lies; wrong squares are ringed and show their right content."""
    if dialog.script is not None:
        return script_board(game, dialog.script, rect, look)
    if dialog.editing is not None:
        return diagram(rect, dialog.editing, look, tap="square")
    found = game.unsettled
    rings = 0
    wanted: Position | None = None
    if found and game.last is not None:
        wanted = as_it_should_be(game, found)
        rings |= wanted.differences(game.shown)
    if game.correction is None:
        # A square that has been put right is no longer marked.
        for incident in found:
            rings |= incident.squares
    if dialog.square is not None:
        rings |= 1 << dialog.square
    position = game.shown
    tap = "square" if dialog.error is not None else ""
    if dialog.page is DialogPage.BOARD and can_enter_moves(game):
        tap = "move"
        if dialog.pending is not None and dialog.pending[0].square is not None:
            rings |= 1 << dialog.pending[0].square
    return diagram(rect, position, look, Marks(rings, wanted if found else None), tap=tap)
