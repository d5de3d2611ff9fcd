"""The actions of hands on a board: lay a disc, flip the others, forget one, straighten, correct."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

from flagfall.link.board.messages import TOUCH_DISC, TOUCH_HAND
from flagfall.othello.board import Position, squares_of
from flagfall.othello.side import Side
from simulator.mistakes import Mistake, illegal_square


class BoardUnderHands(Protocol):
    """The part of a virtual board that hands use."""

    @property
    def position(self) -> Position: ...

    def place(self, square: int, black: bool) -> None: ...

    def turn(self, square: int) -> None: ...

    def lift(self, square: int) -> None: ...

    def touch(self, square: int, contact: int = TOUCH_DISC) -> None: ...


class BoardHands:
    """The hands that lay, flip and touch discs: `disc_s` seconds for one disc; `pause` waits."""

    def __init__(
        self, board: BoardUnderHands, chance: random.Random, disc_s: float, pause: Callable[[float], None]
    ) -> None:
        self._board = board
        self._chance = chance
        self._disc_s = disc_s
        self._pause = pause

    def move(
        self, side: Side, position: Position, square: int | None, mistake: Mistake | None = None
    ) -> None:
        """Lay a disc, then flip the others one by one."""
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
            self._pause(self._disc_s)
        self._board.place(square, black != (mistake is Mistake.WRONG_COLOUR))
        turned = list(squares_of(position.flips(black, square)))
        self._chance.shuffle(turned)
        for disc in turned[1:] if mistake is Mistake.MISFLIP else turned:
            self._pause(self._disc_s)
            self._board.turn(disc)

    def straighten(self, position: Position) -> None:
        """Touch discs without moving them."""
        for square in self._chance.sample(list(squares_of(position.occupied)), 2):
            self._board.touch(square, TOUCH_HAND)
            self._pause(self._disc_s)

    def arrange(self, position: Position) -> None:
        """Put the board right, disc by disc."""
        lying = self._board.position
        for square in squares_of(lying.differences(position) | lying.unknown):
            bit = 1 << square
            if position.empty & bit:
                self._board.lift(square)
            elif (lying.black | lying.white) & bit:
                self._board.turn(square)
            else:
                self._board.place(square, bool(position.black & bit))
            self._pause(self._disc_s)
