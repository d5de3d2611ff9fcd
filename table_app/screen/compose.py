"""Which scene lies on the screen now: the players' face, a sheet over it, or the judge's panel. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from othello.game import SECOND_NS, State
from table_app.loop.view import TableView
from table_app.screen.judge.panel import panel_scene
from table_app.screen.kit.catalogue import told_text
from table_app.screen.kit.player_face import Face, FaceKind
from table_app.screen.kit.scene import Fill, Hit, Item, Rect, Scene, Shape, Tap, Words
from table_app.screen.kit.widgets import ButtonChoice, Look, button, unit_of
from table_app.screen.scenes.before_play import assigned_scene, choice_scene, idle_scene
from table_app.screen.scenes.board_setup import asking, setup_scene
from table_app.screen.scenes.clock import ResignationView, clock_scene, halves
from table_app.screen.scenes.result import result_scene
from table_app.screen.scenes.sheets import sheet_scene
from table_app.screen.state.dialog import RESIGNING_FOR_NS, Dialog, Sheet, has_table, open_finding
from table_app.trouble import Trouble

JUDGE_HOLD_NS = SECOND_NS
"""How long the judge holds his finger in the corner."""


NO_BUTTONS_SHARE = 0.15
"""Of the height, below."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`face_to_face`: the half of the player opposite is turned. `self_start`: no hub gives the start.
    `speaks`: a player who touches his half hears how the clocks stand."""

    face_to_face: bool = False
    self_start: bool = False
    speaks: bool = False


def compose(
    view: TableView,
    face: Face,
    dialog: Dialog,
    width: int,
    height: int,
    look: Look,
    layout: Layout,
    now_ns: int,
) -> Scene:
    """The whole scene, `width` x `height` pixels."""
    if view.no_buttons is not None:
        foot = Rect(0, height - round(height * NO_BUTTONS_SHARE), width, round(height * NO_BUTTONS_SHARE))
        rest = replace(view, no_buttons=None)
        return (
            *compose(rest, face, dialog, width, foot.y, look, layout, now_ns),
            *_told_below(view.no_buttons, foot, look),
        )
    look = replace(look, unit=unit_of(width, height))
    if view.board_setup is not None:
        return setup_scene(view.board_setup, width, height, look)
    if dialog.sheet is Sheet.PANEL:
        return panel_scene(view, face, dialog, width, height, look)
    if dialog.sheet is not Sheet.NONE:
        return sheet_scene(face, dialog, width, height, look, layout.face_to_face, now_ns)
    corner = Hit(Rect(0, 0, look.px(90), look.px(72)), Tap("judge"), JUDGE_HOLD_NS)
    scene = _face_scene(face, dialog, width, height, look, layout, now_ns)
    heard: list[Item] = []
    if layout.speaks and face.kind is FaceKind.PLAY:
        places = halves(width, height, layout.face_to_face, face.swapped)
        heard = [Hit(place, Tap("speak", side)) for side, place in places.items()]
    return (
        *heard,
        *scene,
        *_board_asks(view, face, width, height, look, layout),
        *_new_game(face, width, height, look, layout),
        *_mark(view, dialog, width, height, look, layout),
        corner,
    )


def _told_below(trouble: Trouble, place: Rect, look: Look) -> list[Item]:
    """Nobody can press, and everybody is to know it: what is wrong, and what to do."""
    size = look.size("text") * place.h // round(480 * NO_BUTTONS_SHARE)
    text = place.inset(place.h // 4, place.h // 12)
    words = told_text(trouble, look.words)
    return [Fill(place, "alert"), Words(text, words, size, "alert_ink", "strong", "centre", lines=2)]


def _face_scene(
    face: Face, dialog: Dialog, width: int, height: int, look: Look, layout: Layout, now_ns: int
) -> Scene:
    opposite = layout.face_to_face
    if face.kind is FaceKind.IDLE:
        return idle_scene(face, width, height, look)
    if face.kind is FaceKind.CHOICE:
        return choice_scene(face, width, height, look, opposite, dialog.armed)
    if face.kind is FaceKind.ASSIGNED:
        return assigned_scene(face, width, height, look, opposite, layout.self_start, dialog.armed)
    if face.kind is FaceKind.RESULT:
        return result_scene(face, width, height, look, opposite, dialog.signing)
    resignation = ResignationView(
        None if dialog.resigning is None else dialog.resigning.side,
        0 if dialog.resigning is None else dialog.resigning.at_ns + RESIGNING_FOR_NS - now_ns,
        dialog.armed.side if dialog.armed is not None and dialog.armed.what == "resign" else None,
    )
    return clock_scene(face, width, height, look, opposite, resignation)


def _board_asks(
    view: TableView, face: Face, width: int, height: int, look: Look, layout: Layout
) -> list[Item]:
    """Before a game: a board that was never here is to be asked how it lies."""
    if not view.board_asks or face.kind not in (FaceKind.IDLE, FaceKind.ASSIGNED):
        return []
    px = look.px
    place = Rect(px(180), px(18), px(166), px(48))
    if face.kind is FaceKind.IDLE:
        place = place._replace(x=width // 2 - px(93))
    elif layout.face_to_face or height > width:
        place = Rect(width // 2 - px(93), height // 2 - px(21), px(186), px(42))
    return button(place, ButtonChoice(asking("corner"), look.words("New board"), strong=True), look)


def _new_game(face: Face, width: int, height: int, look: Look, layout: Layout) -> list[Item]:
    """At a table of its own the next game is asked for on the screen."""
    if not layout.self_start or face.state not in (None, State.SIGNED):
        return []
    px = look.px
    choice = ButtonChoice(Tap("new_game"), look.words("New game"), strong=True)
    place = Rect(width // 2 - px(120), height - px(66), px(240), px(56))
    if layout.face_to_face and face.kind is FaceKind.RESULT:
        place = Rect(width // 2 - px(100), height // 2 - px(26), px(200), px(52))
    return button(place, choice, look)


def _mark(view: TableView, dialog: Dialog, width: int, height: int, look: Look, layout: Layout) -> list[Item]:
    """Something waits for the judge: a small mark on his edge that names no square. Red for an error in the game, dark
    for a trouble of the device."""
    game = view.game
    found = game is not None and game.header.judged and has_table(dialog, view) and open_finding(game)
    if not found and not view.messages and not view.board_uncalibrated:
        return []
    px, ground = look.px, "alert" if found else "solid"
    middle = height // 2 if layout.face_to_face else round(height * 0.645)
    tab = Rect(width - px(56), middle - px(42), px(66), px(84))
    sign = Rect(tab.x + px(14), tab.y + px(26), px(30), px(30))
    hit = Rect(width - px(100), middle - px(64), px(100), px(128))
    triangle = ((sign.x + sign.w // 2, sign.y), (sign.right, sign.bottom), (sign.x, sign.bottom))
    bar = max(2, px(4))
    dot = Rect(sign.x + (sign.w - bar) // 2, sign.bottom - px(9), bar, bar)
    stroke = Rect(dot.x, sign.y + px(10), bar, px(9))
    return [
        Fill(tab.inset(-px(3)), "card", px(17)),
        Fill(tab, ground, px(14)),
        Shape(triangle, f"{ground}_ink"),
        Fill(stroke, ground),
        Fill(dot, ground),
        Hit(hit, Tap("finding" if found else "trouble")),
    ]
