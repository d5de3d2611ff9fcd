"""Two players' hands and a judge's finger at one table: they play a recorded game on a virtual board.

They know the moves, and of the table only what people see: whose clock runs, and the judge what his panel
shows. Thinking is divided by `speed`; the ways of the hands, the contacts' bounce and the settling of discs
are not.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from othello.board import START, Position, squares_of
from othello.side import Side
from simulator.mistakes import FOUND_AS, Mistake, illegal_square
from simulator.table_socket import AtTable, Seen, SeenError
from table_app.board_messages import TOUCH_DISC, TOUCH_HAND

_LOOK_S = 0.01
_JUDGED_STATES = ("stopped", "correcting")


class BoardUnderHands(Protocol):
    """The part of a virtual board that hands use."""

    @property
    def position(self) -> Position: ...

    def place(self, square: int, black: bool) -> None: ...

    def turn(self, square: int) -> None: ...

    def lift(self, square: int) -> None: ...

    def touch(self, square: int, contact: int = TOUCH_DISC) -> None: ...


@dataclass(frozen=True, slots=True)
class Manner:
    """How the hands work: mean seconds of thought before `speed` divides them, seconds for one disc, seconds
    between the last disc and the button, longest bounce of a contact.
    """

    think_s: float = 20.0
    disc_s: float = 0.012
    reach_s: float = 0.03
    bounce_s: float = 0.005
    patience_s: float = 60.0


@dataclass(slots=True)
class Played:
    """What the hands did: `found` are the planned mistakes the judge was told of, `missed` those he was not,
    `accused` errors reported where none was made, `presses_again` presses the table had not kept.
    """

    plies: int = 0
    made: list[tuple[int, Mistake]] = field(default_factory=list)
    found: list[tuple[int, Mistake]] = field(default_factory=list)
    missed: list[tuple[int, Mistake]] = field(default_factory=list)
    accused: list[tuple[int, str]] = field(default_factory=list)
    presses_again: int = 0


class Hands:
    """`plies` are the squares of a game in order, None where a player must pass (`recorded.replayed`).

    `plan` says which mistake is made at which ply. `judged`: the judge rules on errors; without him the
    opponent demands by pressing, and the offender's press ends the correction. `told` hears one line per
    happening.
    """

    def __init__(
        self,
        board: BoardUnderHands,
        table: AtTable,
        plies: Sequence[int | None],
        *,
        plan: Mapping[int, Mistake] | None = None,
        judged: bool = True,
        speed: float = 1.0,
        seed: int = 0,
        manner: Manner = Manner(),
        told: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._board = board
        self._table = table
        self._plies = plies
        self._plan = dict(plan or {})
        self._judged = judged
        self._speed = speed
        self._chance = random.Random(seed)
        self._manner = manner
        self._tell = told
        self._closed = False
        self.played = Played()

    def stop(self) -> None:
        """From another thread: the hands leave the table at once (`play` raises InterruptedError)."""
        self._closed = True

    def play(self) -> Played:
        """The whole game from White's first press to the last one; the director's start must have been given.

        Returns when all plies are played or the game has ended otherwise. TimeoutError if nothing goes on for
        `patience_s`, InterruptedError after `stop`.
        """
        if self._begin():
            position, black = START, True
            for ply, square in enumerate(self._plies):
                side = Side.BLACK if black else Side.WHITE
                if not self._turn(ply, side, position, square):
                    break
                if square is not None:
                    position = position.played(black, square)
                black = not black
                self.played.plies += 1
        return self.played

    def sign(self) -> None:
        """Both players sign on the screen."""
        for side in Side:
            self._tap({"type": "sign", "by": side})

    def _begin(self) -> bool:
        """White presses; False if the game is over already."""
        seen = self._look(lambda seen: seen.state is not None)
        if seen.state == "waiting":
            self._press(Side.WHITE)
            seen = self._look(lambda seen: seen.state != "waiting", press_again=Side.WHITE)
        return not _over(seen)

    def _turn(self, ply: int, side: Side, position: Position, square: int | None) -> bool:
        """One move from thinking to the press; False if the game ended before it."""
        if not self._await_turn(ply, side):
            return False
        mistake = self._plan.get(ply)
        if mistake is not None:
            self.played.made.append((ply, mistake))
        self._pause(self._chance.expovariate(1 / self._manner.think_s) / self._speed + self._manner.reach_s)
        if mistake is Mistake.PRESS_OUT_OF_TURN:
            self._press(side.other)
        if mistake is Mistake.STRAIGHTEN:
            self._straighten(position)
        right = position if square is None else position.played(side is Side.BLACK, square)
        self._move(side, position, square, mistake)
        if mistake is Mistake.FORGET_PRESS:
            self._pause(0.5)
        elif mistake is not Mistake.PRESS_AT_ONCE:
            self._pause(self._chance.uniform(0, 2 * self._manner.reach_s))
        self._press(side)
        if mistake is None or mistake not in FOUND_AS:
            return True
        return self._correct(ply, side, position, right, square, mistake)

    def _move(self, side: Side, position: Position, square: int | None, mistake: Mistake | None) -> None:
        """Disc down, then the others turned over one by one."""
        black = side is Side.BLACK
        if square is None or mistake is Mistake.ILLEGAL_PASS:
            return
        if mistake is Mistake.ILLEGAL_SQUARE:
            elsewhere = illegal_square(position, black)
            if elsewhere is not None:
                self._board.place(elsewhere, black)
            return
        if mistake is Mistake.TOUCH_ELSEWHERE:
            self._board.touch(next(squares_of(position.legal(black) & ~(1 << square))), TOUCH_DISC)
            self._pause(self._manner.disc_s)
        self._board.place(square, black != (mistake is Mistake.WRONG_COLOUR))
        turned = list(squares_of(position.flips(black, square)))
        self._chance.shuffle(turned)
        for disc in turned[1:] if mistake is Mistake.MISFLIP else turned:
            self._pause(self._manner.disc_s)
            self._board.turn(disc)

    def _straighten(self, position: Position) -> None:
        """Hands on discs that lie there, none of them moved."""
        for square in self._chance.sample(list(squares_of(position.occupied)), 2):
            self._board.touch(square, TOUCH_HAND)
            self._pause(self._manner.disc_s)

    def _correct(
        self, ply: int, side: Side, before: Position, right: Position, square: int | None, mistake: Mistake
    ) -> bool:
        """The error is found and put right as the rules have it; False if the game ended over it."""
        if not self._judged:
            if mistake is Mistake.TOUCH_ELSEWHERE:
                return True  # the opponent lets it pass: the recorded game is to go on
            self._pause(self._manner.reach_s)
            self._press(side.other)
        kind = FOUND_AS[mistake]
        seen = self._look(lambda seen: _over(seen) or _has(seen, kind, side), for_s=3.0, or_nothing=True)
        if not _has(seen, kind, side):
            self.played.missed.append((ply, mistake))
            self._tell(f"ply {ply}: nobody noticed a {mistake}")
            self._arrange(right)
            return not _over(seen)
        self.played.found.append((ply, mistake))
        self._tell(f"ply {ply}: {side} {kind} found")
        if mistake is Mistake.TOUCH_ELSEWHERE:
            self._rule("dismiss_error")
            self._look(lambda seen: not _has(seen, kind, side))
            return True
        if self._judged:
            self._rule("correct_error")
        self._look(lambda seen: seen.state == "correcting" and seen.running is side)
        again = mistake is not Mistake.MISFLIP
        self._arrange(before if again else right)
        self._settle()
        if self._judged:
            self._rule("corrected")
            goes_on = side if again else side.other
            self._look(lambda seen: seen.state != "correcting" and (_over(seen) or seen.running is goes_on))
        if again:
            self._move(side, before, square, None)
        if again or not self._judged:
            self._pause(self._manner.reach_s)
            self._press(side)
        return True

    def _arrange(self, position: Position) -> None:
        """Hands put the board as it should be, disc by disc."""
        lying = self._board.position
        for square in squares_of(lying.differences(position) | lying.unknown):
            bit = 1 << square
            if position.empty & bit:
                self._board.lift(square)
            elif (lying.black | lying.white) & bit:
                self._board.turn(square)
            else:
                self._board.place(square, bool(position.black & bit))
            self._pause(self._manner.disc_s)

    def _settle(self) -> None:
        """The judge looks at the board before he rules: longer than it takes to settle and be told."""
        self._pause(0.25)

    def _await_turn(self, ply: int, side: Side) -> bool:
        """Until this player's clock runs; errors nobody made are dismissed by the judge, stops are
        resumed.
        """
        last = side.other if ply else Side.WHITE

        def settled(seen: Seen) -> bool:
            if self._judged and seen.state in ("running", *_JUDGED_STATES):
                for error in seen.errors:
                    if error.state in ("open", "correcting"):
                        self._dismiss(ply, error)
                        return False
            if seen.state == "stopped":
                self._rule("resume")
                return False
            return _over(seen) or (seen.running is side and seen.state == "running")

        return not _over(self._look(settled, press_again=last))

    def _dismiss(self, ply: int, error: SeenError) -> None:
        self.played.accused.append((ply, error.type))
        self._tell(f"ply {ply}: {error.type} reported, though nobody made one")
        self._rule("dismiss_error")
        self._look(lambda seen: seen.errors.count(error) == 0, for_s=2.0, or_nothing=True)

    def _look(
        self,
        until: Callable[[Seen], bool],
        *,
        for_s: float | None = None,
        or_nothing: bool = False,
        press_again: Side | None = None,
    ) -> Seen:
        """Looks at the table until `until`. A table that is off is waited for.

        `press_again`: whose press brought us here; if after a while his clock still runs, the table was off
        when he pressed, and he presses again.
        """
        wait_s = self._manner.patience_s if for_s is None else for_s
        deadline_s = time.monotonic() + wait_s
        noticed_s = time.monotonic() + 2.0
        seen = Seen(None, None)
        while time.monotonic() < deadline_s:
            try:
                seen = self._table.see()
            except ConnectionError:
                noticed_s = time.monotonic() + 2.0
                self._pause(0.1)
                continue
            if until(seen):
                return seen
            waits_for_press = seen.running is press_again or seen.state == "waiting"
            if press_again is not None and waits_for_press and time.monotonic() > noticed_s:
                self.played.presses_again += 1
                self._press(press_again)
                noticed_s = time.monotonic() + 2.0
            self._pause(_LOOK_S)
        if or_nothing:
            return seen
        raise TimeoutError(f"nothing happened for {wait_s:g} s; last seen: {seen}")

    def _press(self, side: Side) -> None:
        """One press with bounce at both ends; a table that is off does not notice."""
        try:
            self._edges(side, down=True)
            self._pause(self._chance.uniform(0.02, 0.05))
            self._edges(side, down=False)
        except ConnectionError:
            return

    def _edges(self, side: Side, *, down: bool) -> None:
        self._table.button(side, down=down)
        bounces = self._chance.randrange(3) if self._manner.bounce_s else 0
        for _ in range(bounces):
            for state in (not down, down):
                self._pause(self._chance.uniform(0, self._manner.bounce_s / (2 * bounces)))
                self._table.button(side, down=state)

    def _rule(self, rule: str) -> None:
        self._tap({"type": "ruling", "rule": rule})

    def _tap(self, request: Mapping[str, object]) -> None:
        try:
            why = self._table.tap(request)
        except ConnectionError:
            return
        if why:
            self._tell(why)

    def _pause(self, wait_s: float) -> None:
        if self._closed:
            raise InterruptedError("the hands were told to leave the table")
        if wait_s > 0:
            time.sleep(wait_s)


def _over(seen: Seen) -> bool:
    return seen.state in ("finished", "signed")


def _has(seen: Seen, kind: str, side: Side) -> bool:
    return any(
        error.type == kind and error.by is side and error.state in ("open", "correcting")
        for error in seen.errors
    )
