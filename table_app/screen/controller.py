"""The controller of the screen's contents and touches, for any way of drawing: no pygame here.

No touch hits a button that was not there a second ago (`StandingButtons`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from flagfall.othello.game import SECOND_NS
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
from table_app.screen.compose import ScreenSetup, compose
from table_app.screen.dialog import ARMED_FOR_NS, Dialog, Step, faded, settle_sheet, with_sheet
from table_app.screen.extras import Extras, EyeWindow
from table_app.screen.judge.pages.settings import SettingIs
from table_app.screen.judge.panel import Panel
from table_app.screen.kit.player_face import face_of, unchanged_for_ns
from table_app.screen.kit.scene import Close, Enter, Erase, Hit, Key, Meaning, Rect, Scene, hit_at
from table_app.screen.kit.theme import Theme
from table_app.screen.kit.widgets import unit_of
from table_app.screen.practice import PracticeHands
from table_app.screen.scenes.board_setup import DragCorner, picture_place
from table_app.screen.sheets.new_game import NameDone, NameKey, NameLetter
from table_app.screen.simulated_board import SimulatedBoard, square_of
from table_app.screen.sound import Sounds
from table_app.screen.touches import asked_to_hold, settle_resigning, settle_stopped, touched
from table_app.table_view import TableView

_LONGEST_SLEEP_NS = 1_000_000_000


class ScreenController:
    """The dialog with the people at the screen: the scene, and what a touch of it does. Only for the drawing thread.

    Each of its parts has a module: `screen_setup`, `extras` (what may stand beside the face), `window_keys`,
    `standing` (the time of touches), `sound`.
    """

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
        self._extras = Extras(board, coach, eye)
        self._keys = WindowKeys(buttons=setup.layout.keys, speaks=setup.layout.speaks)
        self._sounds = sounds
        self._standing = StandingButtons()
        self._held = HeldButton()
        self._given: tuple[Meaning | None, int] = None, 0
        self._scene: Scene = ()
        self._size = (0, 0)
        self._stale = False
        self.dialog = dialog or Dialog()
        self.view = TableView()

    # -- what is shown

    @property
    def looks(self) -> tuple[Theme, int]:
        """The theme of the picture, and by how many degrees it is turned."""
        return self._setup.looks

    def see(self, view: TableView) -> None:
        """Take the newest view; a new game sets the simulated board up, a resumed one leaves it as it was."""
        another = view.game_id != self.view.game_id
        self.view = view
        sheet = self.dialog.sheet
        if sheet is not None and not sheet.fits(view, another):
            self.dialog = with_sheet(self.dialog, None)
        if another:
            self._extras.set_up(view.game)

    def scene(self, width: int, height: int) -> Scene:
        """Return the scene to draw now."""
        self._size, self._stale = (width, height), False
        now_ns = self._now_ns()
        self._become(settle_sheet(faded(self.dialog, now_ns), now_ns))
        self._become(settle_resigning(self.dialog, self.view, now_ns))
        self._become(settle_stopped(self.dialog, self.view, now_ns))
        self._extras.follow(self.view, self.dialog, now_ns)
        if self._sounds is not None:
            self._sounds.follow(self.view.game, self.view.game_id, now_ns, self._setup.layout.settings)
        known = self._standing.fresh(now_ns)
        self._scene = self._composed(width, height, known, now_ns)
        self._standing.record(self._scene, now_ns)
        fresh = self._standing.fresh(now_ns)
        if fresh != known:  # there is another button than in the scene before
            self._scene = self._composed(width, height, fresh, now_ns)
        return self._scene

    def _composed(self, width: int, height: int, fresh: frozenset[Meaning], now_ns: int) -> Scene:
        setup, places = self._setup, self._extras.places(width, height)
        face = face_of(self.view, now_ns, setup.layout.settings.tenths_s)
        view = self._extras.with_picture(self.view)
        look = replace(setup.look, fresh=fresh)
        layout = replace(setup.layout, keys_arrive=not self._keys.lost(now_ns))
        scene = compose(view, face, self.dialog, places.face, look, layout=layout, now_ns=now_ns)
        look = replace(setup.look, unit=unit_of(places.face.w, places.face.h))
        return (*scene, *self._extras.scene(face, places, look))

    def next_ns(self) -> int:
        """Return the time for which the scene stays the same without an event."""
        now_ns, dialog = self._now_ns(), self.dialog
        instants = (
            self._standing.changes_ns(now_ns),
            self._held.acts_ns,
            None if dialog.armed is None else dialog.touched_ns + ARMED_FOR_NS,
            None if dialog.sheet is None else dialog.sheet.settles_ns,
        )
        waits = (
            _LONGEST_SLEEP_NS,
            self._keys.wait_ns(now_ns),
            unchanged_for_ns(self.view.game, now_ns, self._setup.layout.settings.tenths_s),
            *self._extras.waits_ns(self.view, now_ns),
            *(None if at_ns is None else at_ns - now_ns for at_ns in instants),
        )
        return max(0, min(wait_ns for wait_ns in waits if wait_ns is not None))

    # -- fingers and the mouse

    def down(self, x: int, y: int, remove: bool = False) -> None:
        """Handle a finger or the mouse that comes down; `remove`: the right button, which removes a simulated disc."""
        if self._stale:
            # Two quick touches may come before the next picture: the second one is meant for the result of the first.
            self.scene(*self._size)
        # The simulated board takes every click: a hand that lays a disc is no finger on glass.
        square = square_of(hit_at(self._scene, x, y))
        hit, now_ns = self._standing.button_at(x, y, self._now_ns()), self._now_ns()
        if square is not None:
            self._extras.click(square, remove, self.view.game)
        elif hit is not None and not remove:
            last_tap, last_ns = self._given
            if last_tap == hit.tap and now_ns - last_ns < FRESH_FOR_NS:
                return  # the referee has just been told the same
            if hit.tap == DragCorner() and self._extras.grab(x, y, hit.rect):
                return
            if hit.hold_ns:
                self._held.press(hit, now_ns)
                self.dialog = asked_to_hold(self.dialog, hit.tap, now_ns)
            else:
                self.touch(hit.tap)

    @property
    def dragging(self) -> bool:
        """Return True if the finger is dragging or holding something and must be followed."""
        return self._held.holds or self._extras.dragging

    def moved(self, x: int, y: int) -> None:
        """Follow a finger. A finger that slides off a button does not hold it any more."""
        self._held.slide(x, y)
        look = replace(self._setup.look, unit=unit_of(*self._size))
        self._extras.drag(x, y, picture_place(Rect(0, 0, *self._size), look))

    def up(self) -> None:
        """Handle a finger that is lifted. On a busy machine the length of a touch may become known only now."""
        if corners := self._extras.let_go():
            self._put(CornersPlaced(corners))
        self.hold()
        self._held.let_go()

    def hold(self) -> None:
        """Act on a button that has been held long enough."""
        tap = self._held.due(self._scene, self._now_ns())
        if tap is not None:
            self.touch(tap)

    def touch(self, tap: Meaning) -> None:
        """Apply the tap now."""
        self._stale = True
        at_ns = self._now_ns()
        if isinstance(tap, SettingIs) and isinstance(self.dialog.sheet, Panel):
            self._set(tap, at_ns)
            return
        step = touched(self.dialog, tap, self.view, at_ns, self._pins)
        if any(isinstance(event, ScreenInput) for event in step[1]):
            self._given = tap, at_ns
        self._become(step)

    def _set(self, chosen: SettingIs, at_ns: int) -> None:
        """Apply one setting; the table keeps it."""
        self._setup = self._setup.with_setting(chosen.name, chosen.value)
        settings = self._setup.layout.settings
        self._send((SettingsChosen(at_ns, settings),))
        if self._sounds is not None:
            self._sounds.try_out(chosen.name, settings)

    # -- the keyboard of a window

    @property
    def typing(self) -> bool:
        """Return True while a name is asked for: keyboard keys are then letters, not clock buttons."""
        return self.dialog.sheet is not None and self.dialog.sheet.types_text

    def text(self, text: str) -> None:
        """Take text typed on a keyboard: a name, by the input method of its language, or digits for the keys shown."""
        for sign in text:
            self._typed(NameLetter(sign) if self.typing else Key(sign), self.typing)

    def _typed(self, tap: Meaning, anyhow: bool = False) -> None:
        """Apply a key of the keyboard as the same key on the screen, if there is one, or `anyhow`."""
        if anyhow or any(isinstance(item, Hit) and item.tap == tap for item in self._scene):
            self.touch(tap)

    def focus(self, has: bool) -> None:
        """Record that the window has the keyboard, or has lost it: then no press on a key arrives here."""
        self._keys.focus(has, self._now_ns())
        self._stale = True

    def key(self, name: str, pressed: bool) -> None:
        """Handle a key of the keyboard that goes down or up."""
        if pressed:
            for tap in edits(name):
                self._typed(tap)
            if self.typing:
                return
        events = self._keys.events(name, pressed, self._now_ns())
        if events is not None:
            self._send(events)
        elif pressed:
            self._extras.key(name)

    # -- what follows from it

    def _become(self, step: Step) -> None:
        self.dialog, events = step
        self._send(events)

    def _send(self, events: tuple[Event, ...]) -> None:
        if events:
            self._extras.settled()
        for event in events:
            if isinstance(event, PinChosen):
                self._pins = replace(self._pins, judge=event.pin)
            self._put(event)


# How long a new button does not react: an impatient finger touches three times in less.
FRESH_FOR_NS = SECOND_NS


class StandingButtons:
    """The places to touch of the last second. A touch counts only if the same button was on top all that time."""

    def __init__(self) -> None:
        self._past: deque[tuple[int, tuple[Hit, ...]]] = deque()

    def record(self, scene: Scene, now_ns: int) -> None:
        """Record that this scene is on the screen from now on."""
        hits = tuple(item for item in scene if isinstance(item, Hit))
        if not self._past or self._past[-1][1] != hits:
            self._past.append((now_ns, hits))
        self._forget(now_ns)

    def _forget(self, now_ns: int) -> None:
        while len(self._past) > 1 and self._past[1][0] <= now_ns - FRESH_FOR_NS:
            self._past.popleft()

    def button_at(self, x: int, y: int, now_ns: int) -> Hit | None:
        """Return the button touched at this point now; None if there is none, or it is too new."""
        self._forget(now_ns)
        if not self._past or self._past[0][0] > now_ns - FRESH_FOR_NS:
            return None
        hits_then = {hit_at(hits, x, y) for _, hits in self._past}
        return hits_then.pop() if len(hits_then) == 1 else None

    def fresh(self, now_ns: int) -> frozenset[Meaning]:
        """Return the buttons that do not react yet."""
        self._forget(now_ns)
        if not self._past:
            return frozenset()
        newest = self._past[-1][1]
        if self._past[0][0] > now_ns - FRESH_FOR_NS:
            return frozenset(hit.tap for hit in newest)
        before = [frozenset(hits) for _, hits in list(self._past)[:-1]]
        return frozenset(hit.tap for hit in newest if not all(hit in hits for hits in before))

    def changes_ns(self, now_ns: int) -> int | None:
        """Return the time at which the next button begins to react; None if all do."""
        if not self._past:
            return None
        later = [since_ns + FRESH_FOR_NS for since_ns, _ in self._past if since_ns + FRESH_FOR_NS > now_ns]
        return min(later, default=None)


class HeldButton:
    """The button under a finger that acts only after it has been held for a while."""

    def __init__(self) -> None:
        self._held: tuple[Hit, int] | None = None

    def press(self, hit: Hit, now_ns: int) -> None:
        """Begin to hold a button."""
        self._held = hit, now_ns

    def let_go(self) -> None:
        """Hold nothing any more."""
        self._held = None

    def slide(self, x: int, y: int) -> None:
        """Let the button go if the finger has slid off it."""
        if self._held is not None and not self._held[0].rect.holds(x, y):
            self._held = None

    @property
    def holds(self) -> bool:
        """Return True if a button is held."""
        return self._held is not None

    @property
    def acts_ns(self) -> int | None:
        """The instant at which the held button acts, None while none is held."""
        return None if self._held is None else self._held[1] + self._held[0].hold_ns

    def due(self, scene: Scene, now_ns: int) -> Meaning | None:
        """Return the button that was held long enough, once. A button that has gone from under the finger is not held
        any more."""
        if self._held is not None and self._held[0] not in scene:
            self._held = None
        if self._held is None or self.acts_ns is None or now_ns < self.acts_ns:
            return None
        hit, self._held = self._held[0], None
        return hit.tap


# How long a window may be without the keyboard before it says so: a desktop takes some time to give it.
FOCUS_GRACE_NS = 1_000_000_000
_BUTTONS = {"f": Place.LEFT, "left shift": Place.LEFT, "j": Place.RIGHT, "right shift": Place.RIGHT}
# What these keys of a keyboard stand for on the screen.
_EDITS: dict[str, tuple[Meaning, ...]] = {
    "backspace": (NameKey("<"), Erase()),
    **dict.fromkeys(("return", "enter"), (NameDone(), Enter())),
    "escape": (Close(),),
}


def edits(name: str) -> tuple[Meaning, ...]:
    """Return the keys of the screen for which this key of a keyboard stands."""
    return _EDITS.get(name, ())


class WindowKeys:
    """The keys that are down, and since when the window is without the keyboard."""

    def __init__(self, *, buttons: bool, speaks: bool) -> None:
        """Begin with no key down. `buttons`: keys are the clock buttons. `speaks`: a key makes the table
        speak the clocks."""
        self._buttons = buttons
        self._speaks = speaks
        self._down: set[str] = set()
        self._unfocused_ns: int | None = None

    def events(self, name: str, pressed: bool, now_ns: int) -> tuple[Event, ...] | None:
        """Return the events of a key, None if the key is no clock button and speaks no clocks."""
        place = _BUTTONS.get(name)
        if place is not None and self._buttons:
            if not pressed and name not in self._down:
                return ()  # a letter's release is no press that was missed
            if pressed:
                self._down.add(name)
            else:
                self._down.discard(name)
            return (ButtonEdge(now_ns, place, pressed),)
        if pressed and name == "s" and self._speaks:
            return (ScreenRequest(now_ns, "speak"),)
        return None

    def focus(self, has: bool, now_ns: int) -> None:
        """Note that the window has the keyboard, or has lost it: then no press on a key arrives here."""
        self._unfocused_ns = None if has else now_ns

    def lost(self, now_ns: int) -> bool:
        """Return whether presses on clock buttons have not arrived here for a while."""
        since_ns = self._unfocused_ns
        return self._buttons and since_ns is not None and now_ns - since_ns >= FOCUS_GRACE_NS

    def wait_ns(self, now_ns: int) -> int | None:
        """Return the time after which to look again whether the keyboard is back, None while it is here or is known
        to be lost."""
        return None if self._unfocused_ns is None or self.lost(now_ns) else FOCUS_GRACE_NS // 10
