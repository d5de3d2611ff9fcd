"""The parts that a screen may have beside the players' face: a simulated board, a practice guide, an eye's picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from flagfall.link.board.eye_view import LARGEST_BYTES, EyeView, unpacked
from flagfall.link.board.messages import Corners
from flagfall.othello.board import START
from flagfall.othello.game import Game
from table_app.board.setup import EyeShown, SetupView
from table_app.local_game import between_games
from table_app.screen.dialog import Dialog
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.scene import Rect, Scene
from table_app.screen.kit.widgets import Look
from table_app.screen.practice import PracticeHands, guide_scene
from table_app.screen.scenes.board_setup import fitted, usual_corners
from table_app.screen.simulated_board import SimulatedBoard, board_scene
from table_app.table_view import TableView

# Share of the height, at the bottom, for the text of a practice game.
GUIDE_SHARE = 0.16


class Places(Struct, frozen=True):
    """The parts of a screen; those of absent parts are empty."""

    face: Rect
    board: Rect
    guide: Rect


class Extras:
    """Each part is there or None; what is asked of an absent one does nothing."""

    def __init__(
        self,
        board: SimulatedBoard | None = None,
        coach: PracticeHands | None = None,
        eye: EyeWindow | None = None,
    ) -> None:
        self._board = board
        self._coach = coach
        self._eye = eye

    # -- what they show

    def places(self, width: int, height: int) -> Places:
        """Return the places of face, board and guide on a screen of this size."""
        guide = round(height * GUIDE_SHARE) if self._coach is not None else 0
        above = height - guide
        side = min(above, round(width * 0.4)) if self._board is not None else 0
        return Places(
            face=Rect(0, 0, width - side, above),
            board=Rect(width - side, 0, side, above),
            guide=Rect(0, above, width, guide),
        )

    def with_picture(self, view: TableView) -> TableView:
        """Return the view with the picture that the eye shows now, while it is set up."""
        setup = view.board_setup
        if self._eye is None or setup is None or setup.eye is None:
            return view
        return replace(view, board_setup=SetupView(turned=setup.turned, eye=self._eye.shown()))

    def scene(self, face: Face, places: Places, look: Look) -> Scene:
        """Return the scene beside the players' face."""
        scene: Scene = ()
        if self._board is not None:
            scene = (*scene, *board_scene(self._board, face, places.board, look))
        if self._coach is not None:
            scene = (*scene, *guide_scene(self._coach.practice, places.guide, look))
        return scene

    def follow(self, view: TableView, dialog: Dialog, now_ns: int) -> None:
        """Let the practice game's other hands go on."""
        if self._coach is not None:
            self._coach.follow(view, dialog, now_ns)

    def waits_ns(self, view: TableView, now_ns: int) -> tuple[int | None, ...]:
        """Return the times for which each part stays as it is; None: as long as nothing happens."""
        setup = view.board_setup
        return (
            None if self._coach is None else self._coach.practice.next_ns(now_ns),
            None if setup is None or setup.eye is None else PICTURE_NS,
        )

    # -- the simulated board

    def set_up(self, game: Game | None) -> None:
        """Set the simulated board up for another game; a resumed one goes on with the position it shows."""
        if self._board is not None:
            self._board.set_up(START if game is None else game.start if between_games(game) else game.shown)

    def click(self, square: int, remove: bool, game: Game | None) -> None:
        """Lay a disc of the player whose clock runs, or remove one. Who plays both colours lays that of whose turn it
        is."""
        if self._board is None:
            return
        black = True
        if game is not None:
            alone = game.self_play is not None
            black = game.plays_black(game.to_move if alone else game.clock.running or game.to_move)
        self._board.click(square, black, remove)

    def key(self, name: str) -> None:
        """Pass a key on to the simulated board."""
        if self._board is not None:
            self._board.key(name)

    def settled(self) -> None:
        """Let the simulated board say that what it has told is complete."""
        if self._board is not None:
            self._board.settled()

    # -- the corners in the eye's picture

    @property
    def dragging(self) -> bool:
        """Return True while a finger drags a corner."""
        return self._eye is not None and self._eye.dragging

    def grab(self, x: int, y: int, place: Rect) -> bool:
        """Take the corner under the finger. Return whether there is an eye."""
        if self._eye is not None:
            self._eye.grab(x, y, place)
        return self._eye is not None

    def drag(self, x: int, y: int, place: Rect) -> None:
        """Move the corner under the finger."""
        if self._eye is not None:
            self._eye.drag(x, y, place)

    def let_go(self) -> Corners:
        """Return the corners at the end of a drag, () if none was dragged."""
        return () if self._eye is None else self._eye.let_go()


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
