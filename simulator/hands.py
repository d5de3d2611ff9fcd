"""Two players' hands and a judge's finger at one table: they play a recorded game on a virtual board.

They know the moves, and of the table only what people see: whose clock runs, and for the judge their panel. Thinking is
divided by `speed`; movements of hands, contact bounce and the settling of discs are not.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from flagfall.othello.board import START, Position
from flagfall.othello.side import Side
from simulator.board_hands import BoardHands, BoardUnderHands
from simulator.mistakes import FOUND_AS, Mistake
from simulator.person import Person
from simulator.table_socket import AtTable, SeenError, TableSeen

_RULED_S = 2.0
# How long the judge looks for an error that was made. On a busy machine a verdict may be seconds late, and an error
# found after they have looked away would count as an accusation.
_NOTICED_S = 15.0


@dataclass(frozen=True, slots=True)
class Manner:
    """The pace of the hands."""

    # Mean thought before `speed` divides it.
    think_s: float = 20.0
    # For one disc.
    disc_s: float = 0.012
    # Between the last disc and the button.
    reach_s: float = 0.03
    # The longest bounce of a contact.
    bounce_s: float = 0.005
    patience_s: float = 60.0


@dataclass(slots=True)
class Played:
    """The result of the hands' game."""

    plies: int = 0
    made: list[tuple[int, Mistake]] = field(default_factory=list)
    # Planned mistakes that the judge was shown.
    noticed: list[tuple[int, Mistake]] = field(default_factory=list)
    # Planned mistakes that the judge was not shown.
    missed: list[tuple[int, Mistake]] = field(default_factory=list)
    # Errors shown without a mistake.
    accused: list[tuple[int, str]] = field(default_factory=list)
    # Presses that the table had lost.
    presses_again: int = 0


class Hands:
    """The hands that play a recorded game at a table.

    `plies` are the squares of a game in order, None where a player must pass (`recorded.replayed`). `plan` says which
    mistake is made at which ply. With `judged` the judge rules on errors; without a judge the opponent demands by
    pressing, and the offender's press ends the correction. `report` gets one line for each event.
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
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._plies = plies
        self._plan = dict(plan or {})
        self._judged = judged
        self._speed = speed
        self._chance = random.Random(seed)
        self._manner = manner
        self._report = report
        self._person = Person(table, self._chance, manner.bounce_s, report)
        self._hands = BoardHands(board, self._chance, manner.disc_s, self._person.pause)
        self.played = Played()

    def stop(self) -> None:
        """Make the hands leave the table at once, from another thread (`play` raises InterruptedError)."""
        self._person.leave()

    def play(self) -> Played:
        """Play the whole game from White's first press to the last one, after the director's start.

        Return when all plies are played or the game has ended otherwise. Raise TimeoutError if nothing happens for
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
            else:
                if position.over():  # a table that was off has heard no last press
                    self._await_turn(len(self._plies), None, last=Side.WHITE if black else Side.BLACK)
        self.played.presses_again = self._person.presses_again
        return self.played

    def sign(self) -> None:
        """Sign on the screen for both players."""
        for side in Side:
            self._person.tap({"type": "sign", "by": side})

    def _begin(self) -> bool:
        """Press for White; return False if the game is over already."""
        seen = self._await(lambda seen: seen.state is not None)
        if seen.state == "waiting":
            self._person.press(Side.WHITE)
            seen = self._await(lambda seen: seen.state != "waiting", press_again=Side.WHITE)
        return not _over(seen)

    def _turn(self, ply: int, side: Side, position: Position, square: int | None) -> bool:
        """Make one move from thinking to the press; return False if the game ended before it."""
        if not self._await_turn(ply, side, last=side.other if ply else Side.WHITE):
            return False
        mistake = self._plan.get(ply)
        if mistake is not None:
            self.played.made.append((ply, mistake))
        pause, reach_s = self._person.pause, self._manner.reach_s
        pause(self._chance.expovariate(1 / self._manner.think_s) / self._speed + reach_s)
        if mistake is Mistake.PRESS_OUT_OF_TURN:
            self._person.press(side.other)
        if mistake is Mistake.STRAIGHTEN:
            self._hands.straighten(position)
        right = position if square is None else position.played(side is Side.BLACK, square)
        self._hands.move(side, position, square, mistake)
        if mistake is Mistake.FORGET_PRESS:
            pause(0.5)
        elif mistake is not Mistake.PRESS_AT_ONCE:
            pause(self._chance.uniform(0, 2 * reach_s))
        self._person.press(side)
        if mistake is None or mistake not in FOUND_AS:
            return True
        return self._correct(ply, side, before=position, right=right, square=square, mistake=mistake)

    def _correct(
        self, ply: int, side: Side, *, before: Position, right: Position, square: int | None, mistake: Mistake
    ) -> bool:
        """Wait for the error to be found, and put it right as the rules have it; return False if the game ended over
        it.
        """
        if not self._judged:
            if mistake is Mistake.TOUCH_ELSEWHERE:
                return True  # the opponent ignores it, so that the recorded game can go on
            self._person.pause(self._manner.reach_s)
            self._person.press(side.other)
        kind = FOUND_AS[mistake]
        seen = self._person.look(lambda seen: _over(seen) or _has(seen, kind, side), _NOTICED_S)
        if seen is None or not _has(seen, kind, side):
            self.played.missed.append((ply, mistake))
            self._report(f"ply {ply}: nobody noticed a {mistake}")
            self._hands.arrange(right)
            return seen is None
        self.played.noticed.append((ply, mistake))
        self._report(f"ply {ply}: {side} {kind} found")
        if mistake is Mistake.TOUCH_ELSEWHERE:
            self._rule("dismiss_error", lambda seen: not _has(seen, kind, side))
            return True
        if self._judged:
            self._rule("correct_error", lambda seen: seen.state == "correcting" and seen.running is side)
        else:
            demanded_by = side.other
            self._await(lambda seen: seen.state == "correcting" and seen.running is side, demanded_by)
        again = mistake is not Mistake.MISFLIP
        self._hands.arrange(before if again else right)
        # The judge looks at the board before ruling: longer than the board needs to settle and report.
        self._person.pause(0.25)
        if self._judged:
            goes_on = side if again else side.other
            self._rule(
                "corrected",
                lambda seen: seen.state != "correcting" and (_over(seen) or seen.running is goes_on),
            )
        if again:
            self._hands.move(side, before, square)
        if again or not self._judged:
            self._person.pause(self._manner.reach_s)
            self._person.press(side)
        return True

    def _await_turn(self, ply: int, side: Side | None, last: Side) -> bool:
        """Wait until this player's clock runs (None: until the game is over); return False if the game is over.

        The judge dismisses errors that nobody made, stops are resumed, and `last` presses again if their press was not
        heard.
        """
        deadline_s = time.monotonic() + self._manner.patience_s
        while time.monotonic() < deadline_s:
            seen = self._await(
                lambda seen: (
                    _over(seen)
                    or self._accusation(seen) is not None
                    or seen.state == "stopped"
                    or (seen.running is side is not None and seen.state == "running")
                ),
                press_again=last,
            )
            error = self._accusation(seen)
            if error is not None:
                self._dismiss(ply, error)
            elif seen.state == "stopped":
                self._rule("resume", lambda seen: seen.state != "stopped")
            else:
                return not _over(seen)
        raise TimeoutError(f"ply {ply}: not {side}'s turn for {self._manner.patience_s:g} s")

    def _accusation(self, seen: TableSeen) -> SeenError | None:
        """Return an error that the judge is shown although nobody made a mistake that is not settled by now."""
        if not self._judged or seen.state not in ("running", "stopped", "correcting"):
            return None
        return next(iter(seen.errors), None)

    def _dismiss(self, ply: int, error: SeenError) -> None:
        self.played.accused.append((ply, error.type))
        self._report(f"ply {ply}: {error.type} reported, though nobody made one")
        self._person.rule("dismiss_error", lambda seen: seen.errors.count(error) == 0, _RULED_S)

    def _rule(self, rule: str, helped: Callable[[TableSeen], bool]) -> None:
        if not self._person.rule(rule, helped, self._manner.patience_s):
            raise TimeoutError(f"{rule}: nothing came of it for {self._manner.patience_s:g} s")

    def _await(self, until: Callable[[TableSeen], bool], press_again: Side | None = None) -> TableSeen:
        seen = self._person.look(until, self._manner.patience_s, press_again)
        if seen is None:
            raise TimeoutError(f"nothing happened for {self._manner.patience_s:g} s")
        return seen


def _over(seen: TableSeen) -> bool:
    return seen.state in ("finished", "signed")


def _has(seen: TableSeen, kind: str, side: Side) -> bool:
    return any(error.type == kind and error.by is side for error in seen.errors)
