"""The time of touches: how long a button has been at its place, and how long a finger holds one.

No touch hits a button that was not there a second ago. Apart from the controller, so that every order of pictures and
touches is tried without a screen."""

from __future__ import annotations

from collections import deque

from flagfall.othello.game import SECOND_NS
from table_app.screen.kit.scene import Hit, Scene, Tap, hit_at

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

    def fresh(self, now_ns: int) -> frozenset[Tap]:
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

    def due(self, scene: Scene, now_ns: int) -> Tap | None:
        """Return the button that was held long enough, once. A button that has gone from under the finger is not held
        any more."""
        if self._held is not None and self._held[0] not in scene:
            self._held = None
        if self._held is None or self.acts_ns is None or now_ns < self.acts_ns:
            return None
        hit, self._held = self._held[0], None
        return hit.tap
