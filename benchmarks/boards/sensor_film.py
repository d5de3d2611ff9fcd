"""A game under human hands in the model's own time: discs that come down, tilt and are turned in the air; presses.

Model, firmware, the board session and the referee run without a pty and without waiting. So hundreds of games show
how often a board accuses somebody who did nothing wrong.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from benchmarks.boards.simulated_desk import SimulatedDesk
from firmware_py.lockstep import WORK_US
from flagfall.link.board.frames import Decoder
from flagfall.link.board.messages import Snapshot
from flagfall.othello.board import START, squares_of
from flagfall.othello.game import Header
from flagfall.othello.inputs import Start
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Side
from simulator.board_model import BoardModel, Disc
from simulator.firmware_body import SCAN_NS, Firmware, InThisProcess, calibration
from table_app.board.session import BoardSession
from table_app.events import ButtonEdge, ScreenInput, place_of

MS = 1_000_000
IDENTITY = bytes.fromhex("e661385283774f2b")


# Time from the opponent's press to the first touch.
ANSWER_MS = (150, 600)
# Time for one disc, from lifting to lying.
DISC_MS = (150, 350)
# Time from the last disc to the press.
PRESS_MS = (0, 100)
# Shares of the moves in which two discs are straightened, or the hand passes over empty squares.
STRAIGHTENS, PASSES_OVER = 0.2, 0.3


class Film:
    """One game to its end on a sensor board.

    `desk.game` is the referee's value of it, `delays_ns` how late placed discs were reported.
    """

    def __init__(self, plies: Sequence[int | None], seed: int) -> None:
        self.desk = SimulatedDesk(Header(rulebook("woc-2019"), 30))
        self.delays_ns: list[int] = []
        self.now_ns = 0
        self._chance = random.Random(seed)
        self._model = BoardModel(seed=seed)
        self._firmware: Firmware = InThisProcess(IDENTITY, calibration(self._model), 0)
        self._dialogue = BoardSession(0)
        self._plies = plies
        self._acts: list[tuple[int, int, Callable[[], None]]] = []
        self._number = count()
        self._placed: dict[int, int] = {}
        self._snapshots = Decoder()

    def run(self) -> SimulatedDesk:
        for lying in squares_of(START.occupied):
            self._model.put(lying, self._model.drawn_disc(bool(START.black >> lying & 1)))
        self._until(700 * MS)
        self.desk.take(ScreenInput(Start(self.now_ns)), self.now_ns)
        self._until(self.now_ns + 300 * MS)
        at_ns = self._press(self.now_ns + 50 * MS, Side.WHITE)
        position, black = START, True
        for square in self._plies:
            at_ns += self._draw_between(ANSWER_MS)
            if square is not None:
                at_ns = self._move(at_ns, square, list(squares_of(position.flips(black, square))), black)
                position = position.played(black, square)
            at_ns = self._press(at_ns + self._draw_between(PRESS_MS), Side.BLACK if black else Side.WHITE)
            black = not black
            self._until(at_ns)
        self._until(at_ns + 1000 * MS)
        self._firmware.close()
        return self.desk

    def _draw_between(self, range_ms: tuple[float, float]) -> int:
        return round(self._chance.uniform(*range_ms) * MS)

    def _at(self, at_ns: int, act: Callable[[], None]) -> None:
        heapq.heappush(self._acts, (at_ns, next(self._number), act))

    def _press(self, at_ns: int, side: Side) -> int:
        for after_ms, down in ((0, True), (60, False)):
            event = ButtonEdge(at_ns + after_ms * MS, place_of(side, False), down)
            self._at(event.at_ns, lambda event=event: self.desk.take(event, event.at_ns))  # type: ignore[misc]
        return at_ns

    def _move(self, at_ns: int, square: int, turned: list[int], black: bool) -> int:
        """Add the acts of one move; return the instant at which the last disc lies."""
        if self._chance.random() < STRAIGHTENS:
            at_ns = self._straighten(at_ns)
        if self._chance.random() < PASSES_OVER:
            at_ns = self._pass_over(at_ns, black, square)
        at_ns = self._come_down(at_ns, square, self._model.drawn_disc(black))
        self._placed[square] = at_ns
        self._chance.shuffle(turned)
        for disc in turned:
            at_ns = self._turn(at_ns + self._draw_between((20, 80)), disc, black)
        return at_ns

    def _come_down(self, at_ns: int, square: int, disc: Disc) -> int:
        """Bring a disc down over some 60 ms, the last of it slowly, until it lies."""
        for after_ms, lift_mm in ((0, 20.0), (20, 8.0), (35, 4.0), (50, 2.0)):
            self._put(at_ns + after_ms * MS, square, replace(disc, lift_mm=lift_mm))
        lies_ns = at_ns + self._draw_between((55, 75))
        self._put(lies_ns, square, disc)
        return lies_ns

    def _turn(self, at_ns: int, square: int, black: bool) -> int:
        """Lift a disc, turn it in the air (where it shows nothing or either colour), and lay it down again."""
        lying = self._model.drawn_disc(black)
        for after_ms, lift_mm, colour in ((0, 1.5, not black), (15, 5.0, not black), (35, 15.0, black)):
            self._put(at_ns + after_ms * MS, square, Disc(colour, lift_mm, (3.0, 0.0)))
        return self._come_down(at_ns + self._draw_between(DISC_MS) - 60 * MS, square, lying)

    def _straighten(self, at_ns: int) -> int:
        """Push two discs about in their places."""
        for square in self._chance.sample(sorted(self._model.discs), 2):
            black = self._model.discs[square].black
            for after_ms in (0, 40, 80):
                self._put(at_ns + after_ms * MS, square, self._model.drawn_disc(black))
            at_ns += 120 * MS
        return at_ns

    def _pass_over(self, at_ns: int, black: bool, to_square: int) -> int:
        """Pass the hand with the disc over empty squares at a height of 25 to 12 mm."""
        over = [square for square in range(64) if square not in self._model.discs and square != to_square]
        for square in self._chance.sample(over, min(3, len(over))):
            self._put(at_ns, square, Disc(black, self._chance.uniform(12, 25)))
            at_ns += self._draw_between((30, 80))
            self._put(at_ns, square, None)
        return at_ns

    def _put(self, at_ns: int, square: int, disc: Disc | None) -> None:
        self._at(at_ns, lambda: self._model.put(square, disc))

    def _until(self, until_ns: int) -> None:
        """Run scans, and what the hands do meanwhile, in their order; the cable takes one millisecond more."""
        while self.now_ns < until_ns:
            scan_ns = self.now_ns + SCAN_NS
            while self._acts and self._acts[0][0] <= scan_ns:
                heapq.heappop(self._acts)[2]()
            self.now_ns = scan_ns
            out = self._firmware.step(
                scan_ns // 1000, self._model.readings(), 0, 0, self._dialogue.to_send(scan_ns)
            )
            told_ns = scan_ns + 1000 * WORK_US
            self._measure(out, told_ns)
            arrived_ns = told_ns + MS
            for event in self._dialogue.received(out, arrived_ns):
                self.desk.take(event, arrived_ns)
            self.desk.turn(arrived_ns)

    def _measure(self, out: bytes, at_ns: int) -> None:
        for frame in self._snapshots.feed(out):
            if isinstance(frame.message, Snapshot):
                position = frame.message.position
                for square in [square for square in self._placed if position.occupied >> square & 1]:
                    self.delays_ns.append(at_ns - self._placed.pop(square))
