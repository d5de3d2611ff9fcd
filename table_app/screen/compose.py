"""Chooses the scene on the screen: the players' face, a sheet over it, or the judge's panel. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from flagfall.othello.game import SECOND_NS, State
from table_app.board.setup import SetupTouch
from table_app.judge_pin import Pins
from table_app.screen.dialog import RESIGNING_FOR_NS, Canvas, Dialog, open_finding
from table_app.screen.kit.catalogue import load_words, message_text
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.player_face import Face, FaceKind
from table_app.screen.kit.scene import Fill, Hit, Item, Meaning, Rect, Scene, Shape, Words
from table_app.screen.kit.theme import Theme, dimmed
from table_app.screen.kit.widgets import ButtonChoice, Look, button, unit_of
from table_app.screen.scenes.before_play import (
    UNSTARTED,
    assigned_scene,
    beside_foot,
    choice_scene,
    idle_scene,
)
from table_app.screen.scenes.board_setup import SetUp, eye_scene, setup_scene
from table_app.screen.scenes.clock import ResignationView, clock_scene, halves
from table_app.screen.scenes.result import result_scene
from table_app.settings import Settings
from table_app.table_view import TableView

# How long the judge holds a finger in the corner.
JUDGE_HOLD_NS = SECOND_NS


# Share of the height, at the bottom.
NO_BUTTONS_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class Layout:
    """The arrangement of the screen."""

    face_to_face: bool = False  # the opponent's half is upside down
    self_start: bool = False  # no hub gives the start
    speaks: bool = False  # a touch of a player's half makes the table speak the clocks
    keys: bool = False  # the buttons are keys of a keyboard
    keys_arrive: bool = True  # the keyboard's presses come to this window
    hub_at: str = ""  # where the table connects, shown while there is nothing to play
    settings: Settings = field(default_factory=Settings)


def compose(
    view: TableView, face: Face, dialog: Dialog, screen: Rect, look: Look, *, layout: Layout, now_ns: int
) -> Scene:
    """Return the whole scene, on all of `screen`."""
    notice = view.no_buttons or view.twin
    if notice is not None or not layout.keys_arrive:
        foot = screen.foot(round(screen.h * NO_BUTTONS_SHARE))
        rest, above = replace(view, no_buttons=None, twin=None), screen.top(foot.y)
        if notice is not None:
            text = message_text(notice, look.words)
        else:
            text = look.words("The keyboard is in another window: click here")
        return (
            *compose(
                rest, face, dialog, above, look, layout=replace(layout, keys_arrive=True), now_ns=now_ns
            ),
            *_bar_for_everybody(text, foot, look),
        )
    look = replace(look, unit=unit_of(screen.w, screen.h), face_to_face=layout.face_to_face)
    if view.board_setup is not None:
        if view.board_setup.eye is not None:
            return eye_scene(view.board_setup, view.board_setup.eye, screen, look)
        return setup_scene(view.board_setup, screen, look)
    if dialog.sheet is not None:
        canvas = Canvas(view, face, dialog, screen, look, settings=layout.settings, now_ns=now_ns)
        over = dialog.sheet.scene(canvas)
        if over:
            return over
    heard: list[Item] = []
    if layout.speaks and face.kind is FaceKind.PLAY:
        heard = [Hit(place, Tap(Button.SPEAK, side)) for side, place in halves(screen, face, look).items()]
    return (
        *heard,
        *_face_scene(face, dialog, screen, look, layout, now_ns=now_ns),
        *_new_board_button(face, screen, look, layout.self_start),
        *(_rules_button(face, screen, look) if layout.self_start else ()),
        *_colours_button(face, screen, look, layout.self_start, dialog.armed),
        *_signed_buttons(face, screen, look, layout.self_start),
        *_judge_mark(view, face.kind, screen, look),
        *_judge_corner(face, screen, look),
    )


def _bar_for_everybody(text: str, place: Rect, look: Look) -> list[Item]:
    """Return the bar below that tells everybody that no button works, or that another device is this table."""
    size = look.size("text") * place.h // round(480 * NO_BUTTONS_SHARE)
    box = place.inset(place.h // 4, place.h // 12)
    return [
        Fill(place, "alert"),
        Words(box, text, size, "alert_ink", "strong", align="centre", lines=3, language=look.words.language),
    ]


def _face_scene(
    face: Face, dialog: Dialog, screen: Rect, look: Look, layout: Layout, *, now_ns: int
) -> Scene:
    match face.kind:
        case FaceKind.IDLE:
            return idle_scene(face, screen, look, layout.hub_at)
        case FaceKind.CHOICE:
            return choice_scene(face, screen, look, dialog.armed)
        case FaceKind.ASSIGNED:
            return assigned_scene(face, screen, look, layout.self_start, keys=layout.keys, armed=dialog.armed)
        case FaceKind.RESULT:
            return result_scene(face, screen, look, dialog.signing)
    armed = {dialog.armed.button: dialog.armed.side} if isinstance(dialog.armed, Tap) else {}
    resignation = ResignationView(
        None if dialog.resigning is None else dialog.resigning.side,
        0 if dialog.resigning is None else dialog.resigning.at_ns + RESIGNING_FOR_NS - now_ns,
        armed.get(Button.RESIGN),
        armed.get(Button.DROP),
        dialog.armed,
    )
    return clock_scene(face, screen, look, resignation)


def _between_halves(place: int, count: int, screen: Rect, look: Look) -> Rect:
    """Return the place of one of several buttons on the line between the halves of a screen that lies between two
    players."""
    return screen.middle(look.px(154 * count), look.px(40)).columns(count, look.px(8))[place]


def _new_board_button(face: Face, screen: Rect, look: Look, self_start: bool) -> list[Item]:
    """Return the button before a game that asks for the orientation of an unknown board."""
    if not face.board_asks or (self_start and face.headline in UNSTARTED):
        return []
    px = look.px
    place = beside_foot(face, screen, look)
    if face.kind is FaceKind.IDLE:
        place = Rect(screen.w // 2 - px(93), px(12), px(186), px(48))
    elif look.halved(screen):
        place = _waiting_place("board", face, self_start, screen, look)
    return button(place, ButtonChoice(SetUp(SetupTouch.CORNER), look.words("Set up the board")), look)


def _rules_button(face: Face, screen: Rect, look: Look) -> list[Item]:
    """Return the button that changes the game of a table without a hub, before the first press."""
    if face.kind is not FaceKind.ASSIGNED:
        return []
    place = Rect(look.px(72), look.px(18), look.px(212), look.px(60))
    if look.halved(screen):
        place = _waiting_place("rules", face, True, screen, look)
    return button(place, ButtonChoice(Tap(Button.NEW_GAME), look.words("Rules, time, names")), look)


def _colours_button(
    face: Face, screen: Rect, look: Look, self_start: bool, armed: Meaning | None
) -> list[Item]:
    """Return the button that draws the colours by a hidden disc, and once they are drawn the one that exchanges the
    seats: Black picks the side of the clock (jof J1, J3)."""
    if face.kind is not FaceKind.ASSIGNED or not (face.colours_open or face.colours_drawn):
        return []
    tap, label = Tap(Button.DRAW_COLOURS), look.words("Draw the colours")
    if face.colours_drawn:
        tap, label = Tap(Button.SWAP_SIDES), look.words("Exchange seats")
    choice = ButtonChoice(tap, label, armed == tap)
    place = beside_foot(face, screen, look)
    if look.halved(screen):
        place = _waiting_place("colours", face, self_start, screen, look)
    elif face.board_asks or (self_start and face.headline in UNSTARTED):
        place = place._replace(x=place.x - place.w - look.px(12))
    return button(place, choice, look)


def _waiting_place(name: str, face: Face, self_start: bool, screen: Rect, look: Look) -> Rect:
    """Return the place of a button between the halves before a game."""
    draws = face.kind is FaceKind.ASSIGNED and (face.colours_open or face.colours_drawn)
    unstarted = self_start and face.headline in UNSTARTED
    there = {"rules": self_start, "board": face.board_asks and not unstarted, "colours": draws}
    names = [other for other, is_there in there.items() if is_there]
    return _between_halves(names.index(name), len(names), screen, look)


def _signed_buttons(face: Face, screen: Rect, look: Look, self_start: bool) -> list[Item]:
    """Return the buttons after both signatures: the transcript, and the event's page or, at a table without a hub,
    the next game."""
    if face.state is not State.SIGNED or face.result is None:
        return []
    foot = screen.inset(look.px(14), look.px(8)).foot(look.px(48))
    offered: list[tuple[Rect, ButtonChoice]] = []
    if face.result.moves:
        choice = ButtonChoice(Tap(Button.TRANSCRIPT), look.words("Transcript"))
        offered.append((foot.left(look.px(200)), choice))
    if self_start:
        choice = ButtonChoice(Tap(Button.NEW_GAME), look.words("New game"), strong=True)
        offered.append((foot.end(look.px(200)), choice))
    elif face.page:
        choice = ButtonChoice(Tap(Button.EVENT_PAGE), look.words("Event page"))
        offered.append((foot.end(look.px(200)), choice))
    items: list[Item] = []
    for number, (place, choice) in enumerate(offered):
        if look.face_to_face:
            place = _between_halves(number, len(offered), screen, look)
        items += button(place, choice, look)
    return items


def _judge_corner(face: Face, screen: Rect, look: Look) -> list[Item]:
    """Return the button for the judge's panel and the settings, behind a PIN: three bars before and after a game; three
    dots at the edge during a game, to be held for a second."""
    px = look.px
    place = Rect(0, 0, px(90), px(72))
    between = face.kind is not FaceKind.PLAY and not look.halved(screen)
    if between or face.kind is FaceKind.IDLE:
        bars = Rect(px(22), px(24), px(32), px(28)).rows(3, px(7))
        return [*(Fill(bar, "muted", px(2)) for bar in bars), Hit(place.left(px(66)), Tap(Button.JUDGE))]
    corner = next(side for side, half in halves(screen, face, look).items() if half[:2] == (0, 0))
    colour = "running_muted" if face.players.of(corner).running else "muted"
    dots = [Rect(px(3), px(10 + 9 * number), px(5), px(5)) for number in range(3)]
    return [*(Fill(dot, colour, px(2)) for dot in dots), Hit(place, Tap(Button.JUDGE), JUDGE_HOLD_NS)]


def _judge_mark(view: TableView, kind: FaceKind, screen: Rect, look: Look) -> list[Item]:
    """Return a small mark at the judge's edge, without a square, when something waits for the judge: red for an error
    in the game, dark for a fault of the device."""
    game = view.game
    error_waits = game is not None and game.header.judged and open_finding(game)
    # Also at a table without a judge: from here moves are entered, and somebody should connect the board.
    unplugged = game is not None and game.header.sensors and view.board_missing and not game.over
    if not (error_waits or unplugged or view.messages or view.board_uncalibrated):
        return []
    px, ground = look.px, "alert" if error_waits else "solid"
    middle = screen.h // 2 if look.face_to_face else round(screen.h * 0.72)
    if kind is FaceKind.RESULT and not look.halved(screen):
        middle = screen.h - px(196)  # above the signature at this edge
    tab = Rect(screen.w - px(56), middle - px(42), px(66), px(84))
    sign = Rect(tab.x + px(14), tab.y + px(26), px(30), px(30))
    triangle = ((sign.x + sign.w // 2, sign.y), (sign.right, sign.bottom), (sign.x, sign.bottom))
    bar = max(2, px(4))
    stroke = sign.middle(bar, sign.h)
    return [
        Fill(tab.inset(-px(3)), "card", px(17)),
        Fill(tab, ground, px(14)),
        Shape(triangle, f"{ground}_ink"),
        Fill(stroke.below(px(10)).top(px(9)), ground),
        Fill(stroke.foot(px(9)).top(bar), ground),
        Hit(
            Rect(screen.w - px(100), middle - px(56), px(100), px(112)),
            Tap(Button.FINDING if error_waits else Button.TROUBLE),
        ),
    ]


@dataclass(frozen=True, slots=True)
class ScreenSetup:
    """The look, the layout and the PINs of one screen."""

    look: Look
    layout: Layout
    pins: Pins
    # The undimmed theme, if the light may be set.
    theme: Theme | None = None

    @property
    def looks(self) -> tuple[Theme, int]:
        """The theme of the picture, and by how many degrees it is turned."""
        return self.look.theme, self.layout.settings.rotation

    def with_setting(self, name: str, value: str) -> ScreenSetup:
        """Return the same with one setting changed."""
        settings = self.layout.settings.with_(name, value)
        theme = self.look.theme if self.theme is None else dimmed(self.theme, settings.brightness)
        look = replace(self.look, theme=theme, words=load_words(settings.language))
        layout = replace(self.layout, face_to_face=bool(settings.face_to_face), settings=settings)
        return replace(self, look=look, layout=layout)
