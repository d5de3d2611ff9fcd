"""How long each button has been at its place, so that no touch hits a button that was not there a second ago.

Apart from the controller, so that every order of pictures and touches is tried without a screen."""

from __future__ import annotations

from collections import deque

from othello.game import SECOND_NS
from table_app.screen.kit.scene import Hit, Scene, Tap, hit_at

FRESH_FOR_NS = SECOND_NS
"""How long a new button does not react: an impatient finger touches three times in less."""


class StandingButtons:
    """The places to touch of the last second. A touch counts only if the same button was on top all that time."""

    def __init__(self) -> None:
        self._past: deque[tuple[int, tuple[Hit, ...]]] = deque()

    def drawn(self, scene: Scene, now_ns: int) -> None:
        """This is on the screen from now on."""
        hits = tuple(item for item in scene if isinstance(item, Hit))
        if not self._past or self._past[-1][1] != hits:
            self._past.append((now_ns, hits))
        self._forget(now_ns)

    def _forget(self, now_ns: int) -> None:
        while len(self._past) > 1 and self._past[1][0] <= now_ns - FRESH_FOR_NS:
            self._past.popleft()

    def heard(self, x: int, y: int, now_ns: int) -> Hit | None:
        """The button touched at this point now; None if there is none, or it is too new."""
        self._forget(now_ns)
        if not self._past or self._past[0][0] > now_ns - FRESH_FOR_NS:
            return None
        found = {hit_at(hits, x, y) for _, hits in self._past}
        return found.pop() if len(found) == 1 else None

    def fresh(self, now_ns: int) -> frozenset[Tap]:
        """The buttons that do not react yet."""
        self._forget(now_ns)
        if not self._past:
            return frozenset()
        newest = self._past[-1][1]
        if self._past[0][0] > now_ns - FRESH_FOR_NS:
            return frozenset(hit.tap for hit in newest)
        before = [frozenset(hits) for _, hits in list(self._past)[:-1]]
        return frozenset(hit.tap for hit in newest if not all(hit in hits for hits in before))

    def changes_ns(self, now_ns: int) -> int | None:
        """When the next button begins to react; None if all do."""
        if not self._past:
            return None
        later = [since_ns + FRESH_FOR_NS for since_ns, _ in self._past if since_ns + FRESH_FOR_NS > now_ns]
        return min(later, default=None)
