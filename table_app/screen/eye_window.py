"""The state of an eye's set-up on the screen: its newest picture, and the corner that is being dragged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flagfall.link.board.eye_view import LARGEST_BYTES, EyeView, unpacked
from flagfall.link.board.messages import Corners
from table_app.board.setup import EyeShown
from table_app.screen.kit.scene import Rect
from table_app.screen.scenes.board_setup import fitted, usual_corners

# How often a new picture is looked for.
PICTURE_NS = 200_000_000
# How long dragged corners are shown: until the eye has had time to look there.
_TRUSTED_NS = 2_000_000_000
_Point = tuple[float, float]


class EyeWindow:
    """Only for the drawing thread. `path`: the file in which the eye shows its picture."""

    def __init__(self, path: Path, now_ns: Callable[[], int]) -> None:
        self._path = path
        self._now_ns = now_ns
        self._looked_ns: int | None = None
        self._view: EyeView | None = None
        self._corners: Corners = ()
        self._held: int | None = None
        self._let_go_ns = 0

    def shown(self) -> EyeShown:
        """Return the picture and corners to draw now."""
        now_ns = self._now_ns()
        if self._looked_ns is None or now_ns - self._looked_ns >= PICTURE_NS:
            self._looked_ns, self._view = now_ns, self._read()
        if self._held is None and now_ns - self._let_go_ns > _TRUSTED_NS:
            self._corners = ()
        return EyeShown(self._view, self._corners)

    def _read(self) -> EyeView | None:
        try:
            with self._path.open("rb") as file:
                return unpacked(file.read(LARGEST_BYTES + 1))
        except OSError:
            return None

    def grab(self, x: int, y: int, place: Rect) -> None:
        """Take the nearest corner, if one is near enough to the finger."""
        view = self._view
        if view is None:
            return
        on = fitted(view, place)
        corners = self._corners or view.corners or usual_corners()
        away = [abs(a * on.w + on.x - x) + abs(b * on.h + on.y - y) for a, b in corners]
        if min(away) <= on.w / 5:
            self._corners, self._held = corners, away.index(min(away))

    @property
    def dragging(self) -> bool:
        return self._held is not None

    def drag(self, x: int, y: int, place: Rect) -> None:
        if self._held is None or self._view is None:
            return
        on = fitted(self._view, place)
        point: _Point = (min(max((x - on.x) / on.w, 0.0), 1.0), min(max((y - on.y) / on.h, 0.0), 1.0))
        self._corners = tuple(point if i == self._held else corner for i, corner in enumerate(self._corners))

    def let_go(self) -> Corners:
        """Return the corners at the end of a drag; empty if none was dragged."""
        if self._held is None:
            return ()
        self._held, self._let_go_ns = None, self._now_ns()
        return self._corners
