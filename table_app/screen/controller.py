"""What the screen shows and how touches are handled, for any way of drawing: no pygame here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from othello.board import START
from othello.game import State
from table_app.board.setup import SetupView
from table_app.events import (
    ButtonEdge,
    CornersPlaced,
    Event,
    PinChosen,
    Place,
    ScreenInput,
    ScreenRequest,
    SettingsChosen,
)
from table_app.judge_pin import Pins
from table_app.local_game import between_games
from table_app.screen.compose import Layout, compose
from table_app.screen.eye_window import PICTURE_NS, EyeWindow
from table_app.screen.judge.actions import UNDO_FOR_NS, settle_pending
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.labels import unchanged_for_ns
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import Hit, Rect, Scene, Tap, hit_at
from table_app.screen.kit.theme import Theme, dimmed
from table_app.screen.kit.widgets import Look, unit_of
from table_app.screen.practice import PracticeHands, guide_scene
from table_app.screen.scenes.eye_setup import DRAG, picture_place
from table_app.screen.simulated_board import SimulatedBoard, board_scene, square_of
from table_app.screen.sound import Sounds
from table_app.screen.standing import FRESH_FOR_NS, StandingButtons
from table_app.screen.state.dialog import ARMED_FOR_NS, Dialog, Panel, Step, Transcript, faded
from table_app.screen.state.new_game import Choosing, NewGame
from table_app.screen.touches import asked_to_hold, settle_resigning, settle_stopped, touched
from table_app.table_view import TableView

GUIDE_SHARE = 0.16
"""Share of the height, at the bottom, for the text of a practice game."""
FOCUS_GRACE_NS = 1_000_000_000
"""How long a window may be without the keyboard before it says so: a desktop takes some time to give it."""
_LONGEST_SLEEP_NS = 1_000_000_000
_KEYS = {"f": Place.LEFT, "left shift": Place.LEFT, "j": Place.RIGHT, "right shift": Place.RIGHT}
_EDITS = {
    "backspace": (Tap("name_key", value="<"), Tap("erase")),
    **dict.fromkeys(("return", "enter"), (Tap("name_done"), Tap("enter"))),
    "escape": (Tap("close"),),
}
"""What these keys of a keyboard stand for on the screen."""


@dataclass(frozen=True, slots=True)
class ScreenSetup:
    """How this screen is used. `theme`: the undimmed theme, if the light may be set."""

    look: Look
    layout: Layout
    pins: Pins
    theme: Theme | None = None


class ScreenController:
    """The state of the screen and its touches, for any way of drawing. Only for the drawing thread."""

    def __init__(
        self,
        setup: ScreenSetup,
        put: Callable[[Event], None],
        now_ns: Callable[[], int],
        *,
        board: SimulatedBoard | None = None,
        coach: PracticeHands | None = None,
        dialog: Dialog | None = None,
        eye: EyeWindow | None = None,
        sounds: Sounds | None = None,
    ) -> None:
        self._setup = setup
        self._pins = setup.pins
        self._put = put
        self._now_ns = now_ns
        self._board = board
        self._coach = coach
        self._eye = eye
        self.dialog = dialog or Dialog()
        self._sounds = sounds
        self._keys_down: set[str] = set()
        self._unfocused_ns: int | None = None
        self._scene: Scene = ()
        self._size = (0, 0)
        self._stale = False
        self._board_place = Rect(0, 0, 0, 0)
        self._standing = StandingButtons()
        self._held: tuple[Hit, int] | None = None
        self._given: tuple[Tap | None, int] = None, 0
        self._game_id = ""
        self.view = TableView()

    @property
    def looks(self) -> tuple[Theme, int]:
        """The theme of the picture, and by how many degrees it is turned."""
        return self._setup.look.theme, self._setup.layout.settings.rotation

    def _set(self, value: str, at_ns: int) -> None:
        """Applies one setting; the table keeps it."""
        name, _, chosen = value.partition("=")
        setup = self._setup
        settings = setup.layout.settings.with_(name, chosen)
        theme = setup.look.theme if setup.theme is None else dimmed(setup.theme, settings.brightness)
        look = replace(setup.look, theme=theme, words=load_words(settings.language))
        layout = replace(setup.layout, face_to_face=bool(settings.face_to_face), settings=settings)
        self._setup = replace(setup, look=look, layout=layout)
        self._send((SettingsChosen(at_ns, settings),))
        if name in ("volume", "click") and self._sounds is not None and settings.volume:
            self._sounds.play("click" if name == "click" else "low", settings.volume)

    def see(self, view: TableView) -> None:
        """Takes the newest view; a new game sets the simulated board up, a resumed one leaves it as it was."""
        another = view.game_id != self._game_id
        self._game_id, self.view = view.game_id, view
        signed = view.game is not None and view.game.state is State.SIGNED
        fits = {NewGame: between_games(view.game), Transcript: signed}
        if not fits.get(type(self.dialog.sheet), True):
            self.dialog = replace(self.dialog, sheet=None, armed=None)
        if self._board is not None and another:
            self._board.set_up(START if view.game is None or between_games(view.game) else view.game.shown)

    def scene(self, width: int, height: int) -> Scene:
        """The scene to draw now."""
        self._size, self._stale = (width, height), False
        now_ns = self._now_ns()
        self._become(settle_pending(faded(self.dialog, now_ns), now_ns))
        self._become(settle_resigning(self.dialog, self.view, now_ns))
        self._become(settle_stopped(self.dialog, self.view, now_ns))
        if self._coach is not None:
            self._coach.follow(self.view, self.dialog, now_ns)
        if self._sounds is not None:
            self._sounds.follow(self.view.game, self.view.game_id, now_ns, self._setup.layout.settings)
        known = self._standing.fresh(now_ns)
        self._scene = self._composed(width, height, known, now_ns)
        self._standing.drawn(self._scene, now_ns)
        fresh = self._standing.fresh(now_ns)
        if fresh != known:  # there is another button than in the scene before
            self._scene = self._composed(width, height, fresh, now_ns)
        return self._scene

    def _composed(self, width: int, height: int, fresh: frozenset[Tap], now_ns: int) -> Scene:
        setup, wide = self._setup, width
        guide = round(height * GUIDE_SHARE) if self._coach is not None else 0
        height -= guide
        if self._board is not None:
            side = min(height, round(width * 0.4))
            wide = width - side
            self._board_place = Rect(wide, 0, side, height)
        face, view = face_of(self.view, now_ns, setup.layout.settings.tenths_s), self.view
        look = replace(setup.look, fresh=fresh)
        if self._eye is not None and view.board_setup is not None and view.board_setup.eye is not None:
            setup_view = SetupView(turned=view.board_setup.turned, eye=self._eye.shown())
            view = replace(view, board_setup=setup_view)
        screen = Rect(0, 0, wide, height)
        layout = replace(setup.layout, keys_arrive=not self._keys_lost(now_ns))
        scene = compose(view, face, self.dialog, screen, look, layout=layout, now_ns=now_ns)
        look = replace(setup.look, unit=unit_of(wide, height))
        if self._board is not None:
            scene = (*scene, *board_scene(self._board, face, self._board_place, look))
        if self._coach is not None:
            scene = (*scene, *guide_scene(self._coach.practice, Rect(0, height, width, guide), look))
        return scene

    def next_ns(self) -> int:
        """How long the scene stays the same without an event."""
        now_ns, dialog, setup = self._now_ns(), self.dialog, self.view.board_setup
        instants = (
            self._standing.changes_ns(now_ns),
            None if self._held is None else self._held[1] + self._held[0].hold_ns,
            None if dialog.armed is None else dialog.touched_ns + ARMED_FOR_NS,
            None if dialog.panel.pending is None else dialog.panel.pending[1] + UNDO_FOR_NS,
        )
        waiting = self._unfocused_ns is not None and not self._keys_lost(now_ns)
        waits = (
            FOCUS_GRACE_NS // 10 if waiting else _LONGEST_SLEEP_NS,
            unchanged_for_ns(self.view.game, now_ns, self._setup.layout.settings.tenths_s),
            None if self._coach is None else self._coach.practice.next_ns(now_ns),
            None if setup is None or setup.eye is None else PICTURE_NS,
            *(None if at_ns is None else at_ns - now_ns for at_ns in instants),
        )
        return max(0, min(one for one in waits if one is not None))

    def down(self, x: int, y: int, remove: bool = False) -> None:
        """A finger or the mouse comes down; `remove`: the right button, which removes a simulated disc."""
        if self._stale:
            # Two quick touches may come before the next picture: the second one is meant for the result of the first.
            self.scene(*self._size)
        # The simulated board takes every click: a hand that lays a disc is no finger on glass.
        square = square_of(hit_at(self._scene, x, y))
        hit, now_ns = self._standing.heard(x, y, self._now_ns()), self._now_ns()
        if square is not None:
            self._click(square, remove)
        elif hit is not None and not remove:
            given, given_ns = self._given
            if given == hit.tap and now_ns - given_ns < FRESH_FOR_NS:
                return  # the referee has just been told the same
            if hit.tap == DRAG and self._eye is not None:
                self._eye.grab(x, y, hit.rect)
                return
            if hit.hold_ns:
                self._held = (hit, now_ns)
                self.dialog = asked_to_hold(self.dialog, hit.tap, now_ns)
            else:
                self.touch(hit.tap)

    @property
    def dragging(self) -> bool:
        """Whether the finger is dragging or holding something and must be followed."""
        return self._held is not None or (self._eye is not None and self._eye.dragging)

    def moved(self, x: int, y: int) -> None:
        """A finger that slides off a button does not hold it any more."""
        if self._held is not None and not self._held[0].rect.holds(x, y):
            self._held = None
        if self._eye is not None:
            look = replace(self._setup.look, unit=unit_of(*self._size))
            self._eye.drag(x, y, picture_place(Rect(0, 0, *self._size), look))

    def up(self) -> None:
        """On a busy machine the length of a touch may become known only now."""
        if self._eye is not None and (corners := self._eye.let_go()):
            self._put(CornersPlaced(corners))
        self.hold()
        self._held = None

    def hold(self) -> None:
        """Acts on what has been held long enough; what has gone from under the finger is not held any more."""
        if self._held is not None and self._held[0] not in self._scene:
            self._held = None
        if self._held is not None and self._now_ns() - self._held[1] >= self._held[0].hold_ns:
            hit, self._held = self._held[0], None
            self.touch(hit.tap)

    @property
    def typing(self) -> bool:
        """Whether a name is asked for: keyboard keys are then letters, not clock buttons."""
        sheet = self.dialog.sheet
        return isinstance(sheet, NewGame) and sheet.choosing in (Choosing.NAME, Choosing.TYPED_NAME)

    def text(self, text: str) -> None:
        """Text typed on a keyboard: a name, by the input method of its language, or digits for the keys shown."""
        for sign in text:
            self._typed(Tap("name_letter" if self.typing else "key", value=sign), self.typing)

    def _typed(self, tap: Tap, anyhow: bool = False) -> None:
        """A key of the keyboard does what the same key on the screen does, if there is one, or `anyhow`."""
        if anyhow or any(isinstance(item, Hit) and item.tap == tap for item in self._scene):
            self.touch(tap)

    def focus(self, has: bool) -> None:
        """The window has the keyboard, or has lost it: then no press on a key arrives here."""
        self._unfocused_ns = None if has else self._now_ns()
        self._stale = True

    def _keys_lost(self, now_ns: int) -> bool:
        since_ns = self._unfocused_ns
        return self._setup.layout.keys and since_ns is not None and now_ns - since_ns >= FOCUS_GRACE_NS

    def key(self, name: str, pressed: bool) -> None:
        place = _KEYS.get(name)
        for tap in _EDITS.get(name, ()) if pressed else ():
            self._typed(tap)
        if self.typing and pressed:
            return
        if place is not None and self._setup.layout.keys:
            if pressed or name in self._keys_down:  # a letter's release is no press that was missed
                if pressed:
                    self._keys_down.add(name)
                else:
                    self._keys_down.discard(name)
                self._send((ButtonEdge(self._now_ns(), place, pressed),))
        elif pressed and name == "s" and self._setup.layout.speaks:
            self._send((ScreenRequest(self._now_ns(), "speak"),))
        elif pressed and self._board is not None:
            self._board.key(name)

    def touch(self, tap: Tap) -> None:
        """The tap at this place now."""
        self._stale = True
        at_ns = self._now_ns()
        if tap.what == "set" and isinstance(self.dialog.sheet, Panel):
            self._set(tap.value, at_ns)
            return
        step = touched(self.dialog, tap, self.view, at_ns, self._pins)
        if any(isinstance(event, ScreenInput) for event in step[1]):
            self._given = tap, at_ns
        self._become(step)

    def _become(self, step: Step) -> None:
        self.dialog, events = step
        self._send(events)

    def _click(self, square: int, remove: bool) -> None:
        """A click on the simulated board lays a disc of the player whose clock runs."""
        game = self.view.game
        if self._board is not None:
            black = game is None or game.plays_black(game.clock.running or game.to_move)
            self._board.click(square, black, remove)

    def _send(self, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, PinChosen):
                self._pins = replace(self._pins, judge=event.pin)
            self._put(event)
        if events and self._board is not None:
            self._board.settled()
