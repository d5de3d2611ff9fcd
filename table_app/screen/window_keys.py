"""The keyboard of a window: keys that are clock buttons, keys that edit, and whether they arrive here at all."""

from __future__ import annotations

from table_app.events import ButtonEdge, Event, Place, ScreenRequest
from table_app.screen.kit.scene import Tap

# How long a window may be without the keyboard before it says so: a desktop takes some time to give it.
FOCUS_GRACE_NS = 1_000_000_000
_BUTTONS = {"f": Place.LEFT, "left shift": Place.LEFT, "j": Place.RIGHT, "right shift": Place.RIGHT}
# What these keys of a keyboard stand for on the screen.
_EDITS = {
    "backspace": (Tap("name_key", value="<"), Tap("erase")),
    **dict.fromkeys(("return", "enter"), (Tap("name_done"), Tap("enter"))),
    "escape": (Tap("close"),),
}


def edits(name: str) -> tuple[Tap, ...]:
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
