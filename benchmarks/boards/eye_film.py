"""A game under human hands in front of a camera, in its own time: each picture drawn, read, told and judged at once."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from benchmarks.boards.simulated_desk import SimulatedDesk
from eye.eye import view_of
from eye.sources import decode_picture
from eye.speaker import Speaker
from eye.watcher import PictureSeen, Sight, Watcher
from flagfall.othello.board import START, Position, squares_of
from flagfall.othello.game import Header
from flagfall.othello.inputs import Start
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Side
from simulator.eye.picture import SKINS, SLEEVES, Hand, ScenePainter
from simulator.eye.scene import Scene
from simulator.virtual_board import laid
from table_app.board.session import BoardSession
from table_app.events import BoardShown, ButtonEdge, ScreenInput, place_of

MS = 1_000_000
PICTURE_MS = 100
# Times from the opponent's press to the hand over the board; over a square; for one disc; from the last disc to a free
# board; and to the press.
ANSWER_MS, REACH_MS, DISC_MS, LEAVE_MS, PRESS_MS = (500, 1200), (200, 400), (200, 450), (120, 250), (0, 400)


class EyeFilm:
    """A game played in front of a drawn camera.

    `misflips` are plies in which one disc is not turned. `delays_ms` are from the hand's leaving to the report, which
    may have `?` in it; `doubtful` counts moves of which a square that they changed was `?` until the next; `wrong`
    counts squares reported as they lay neither before the move nor since.
    """

    def __init__(
        self, scene: Scene, plies: Sequence[int | None], seed: int, misflips: frozenset[int] = frozenset()
    ) -> None:
        self.desk = SimulatedDesk(Header(rulebook("woc-2019"), 30))
        self.delays_ms: list[float] = []
        self._plies, self._misflips = plies, misflips
        self._chance = random.Random(seed)
        self._painter = ScenePainter(scene)
        self._watcher, self._speaker = Watcher(), Speaker("e7e0000000000001", 0)
        self._session = BoardSession(0)
        self._now_ms = 0
        self._lying = self._before = START
        self._hand: tuple[Hand, ...] = ()
        self._same = 0
        self._shown: tuple[Position, tuple[Hand, ...]] | None = None
        self._picture: np.ndarray | None = None
        self._seen: PictureSeen | None = None
        self._left_ms: int | None = None
        self._moved = 0
        self.doubtful = self.wrong = 0
        self._skin, self._sleeve = self._chance.choice(SKINS), self._chance.choice(SLEEVES)
        self._edges: list[ButtonEdge] = []

    def set_up(self) -> tuple[str, ...]:
        """Lay the start position; return what is wrong by the screen of the set-up, empty if it is fit."""
        self._pass(1500)
        assert self._picture is not None and self._seen is not None
        view = view_of(self._picture, self._watcher, self._seen)
        return view.faults or (() if view.start else ("no start position",))

    def run(self) -> SimulatedDesk:
        """Play the game to its end, or to the press after the first misflip."""
        self.set_up()
        self.desk.take(ScreenInput(Start(self._now_ms * MS)), self._now_ms * MS)
        self._pass(300)
        self._press(Side.WHITE)
        black = True
        for ply, square in enumerate(self._plies):
            self._pass(self._draw_between(ANSWER_MS))
            if square is not None:
                self._move(square, black, ply in self._misflips)
            self._pass(self._draw_between(PRESS_MS))
            self._press(Side.BLACK if black else Side.WHITE)
            black = not black
            if ply in self._misflips:
                break
        self._pass(1500)
        return self.desk

    def _move(self, square: int, black: bool, misflips: bool) -> None:
        self._before = self._lying
        self._reach(square, REACH_MS)
        turned = list(squares_of(self._lying.flips(black, square)))
        self._lying = laid(self._lying, square, black)
        for disc in turned[1:] if misflips else turned:
            self._reach(disc, DISC_MS)
            self._lying = laid(self._lying, disc, black)
        self._pass(self._draw_between(LEAVE_MS))
        self._hand = ()
        self.doubtful += bool(self._moved)
        self._left_ms, self._moved = self._now_ms, self._lying.differences(self._before)

    def _reach(self, square: int, lasts_ms: tuple[int, int]) -> None:
        """Hold the hand over a square."""
        x, y = self._painter.centre(square)
        self._hand = (Hand((x, y), (x * 0.3, 420.0), self._skin, self._sleeve),)
        self._pass(self._draw_between(lasts_ms))

    def _press(self, side: Side) -> None:
        for after_ms, down in ((0, True), (60, False)):
            self._edges.append(ButtonEdge((self._now_ms + after_ms) * MS, place_of(side, False), down))

    def _draw_between(self, range_ms: tuple[int, int]) -> int:
        return self._chance.randint(*range_ms)

    def _pass(self, lasts_ms: int) -> None:
        until_ms = self._now_ms + lasts_ms
        while self._now_ms < until_ms:
            self._now_ms += 1
            if self._now_ms % PICTURE_MS == 0:
                self._look()
            if self._now_ms % 25 == 0:
                self._converse()

    def _look(self) -> None:
        """Read the next picture. A view that was read in three pictures is not drawn again: only its noise would
        differ.
        """
        shown = (self._lying, self._hand)
        self._same = self._same + 1 if shown == self._shown else 0
        self._shown = shown
        seen = self._seen
        read = seen is not None and seen.sight is Sight.CLEAR and not seen.reading.position.unknown
        if seen is None or not read or self._same < 3:
            seen = self._seen = self._read()
        self._speaker.saw(self._now_ms * MS, seen.sight, seen.reading.position)

    def _read(self) -> PictureSeen:
        picture = self._picture = decode_picture(self._painter.jpeg(self._lying, self._hand))
        if picture is None:
            raise ValueError("expected a picture of the painter's to be one")
        return self._watcher.see(picture, self._now_ms * MS)

    def _converse(self) -> None:
        now_ns = self._now_ms * MS
        while self._edges and self._edges[0].at_ns <= now_ns:
            self.desk.take(self._edges.pop(0), now_ns)
        out = self._speaker.work(now_ns, self._session.to_send(now_ns))
        for event in self._session.received(out, now_ns):
            shown = event.position if isinstance(event, BoardShown) else None
            if shown is not None:
                self.wrong += (shown.differences(self._lying) & shown.differences(self._before)).bit_count()
            if shown is not None and not shown.differences(self._lying):
                self._moved &= shown.unknown
                if self._left_ms is not None:
                    self.delays_ms.append(float(self._now_ms - self._left_ms))
                    self._left_ms = None
            self.desk.take(event, now_ns)
        self.desk.turn(now_ns)
