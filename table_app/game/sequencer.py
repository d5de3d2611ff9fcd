"""Inputs in the order of their instants, each held until nothing earlier can come any more.

A settled position arrives later than the press it belongs to. So a verdict on anything waits until the board
has told everything up to its instant; the clock on the screen does not (`Appliance` shows a press at once).
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Generic, TypeVar

from othello.inputs import BoardState, Input, Power, Press, Shown, Start, Touch

EDGE_LAG_NS = 5_000_000
"""Edges of buttons and touches of the screen reach the inbox sooner than this after their instant."""
SILENCE_NS = 200_000_000
"""A board that has said nothing for so long is not waited for."""
UNSETTLED_NS = 1_000_000_000
"""The least that a board which talks but does not settle is waited for."""

_RANK: dict[type, int] = {Power: 0, BoardState: 1, Start: 2, Touch: 3, Shown: 4, Press: 5}
"""At the same instant: the disc touches before it lies, and what lies there counts for the press."""

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class HeldInput(Generic[T]):
    """An input with what belongs to it (`tag`: whom to answer), and when it was taken out of the inbox.

    `unseen`: there is a board, but it has not told everything up to this instant; what lay there is not known.
    """

    input: Input
    tag: T
    taken_ns: int
    unseen: bool = False


@dataclass(slots=True)
class Sequencer(Generic[T]):
    """Takes inputs in any order, gives them back in the order of their instants.

    `last_ns` is the instant of the last one given back. One that comes with an earlier instant all the same
    is given that instant (the journal never goes back), and `late` counts it.
    """

    last_ns: int = 0
    late: int = 0
    board: bool = False
    patience_ns: int = UNSETTLED_NS
    """A board that talks but does not settle is waited for so long, no longer: as long as its kind may be
    kept from seeing.
    """
    _settled_to_ns: int = -1
    _heard_ns: int = -1
    _held: list[tuple[int, int, str, int, HeldInput[T]]] = field(default_factory=list)
    _number: count[int] = field(default_factory=count)

    def forget(self) -> None:
        """Another game begins: what waits belongs to none."""
        self._held.clear()

    def board_came(self, now_ns: int) -> None:
        self.board, self._heard_ns = True, now_ns

    def board_went(self) -> None:
        self.board, self._settled_to_ns = False, -1

    def board_settled(self, settled_to_ns: int, now_ns: int) -> None:
        self._settled_to_ns = max(self._settled_to_ns, settled_to_ns)
        self._heard_ns = now_ns

    def add(self, input: Input, tag: T, now_ns: int) -> None:
        # Equal instants and kinds go by what they say, so that the order of arrival plays no part.
        rank = _RANK.get(type(input), 6)
        what = repr(input) if rank < 6 else ""
        heapq.heappush(
            self._held, (input.at_ns, rank, what, next(self._number), HeldInput(input, tag, now_ns))
        )

    @property
    def waiting(self) -> tuple[Input, ...]:
        """Inputs whose turn has not come, in order."""
        return tuple(entry[-1].input for entry in sorted(self._held))

    @property
    def tags(self) -> frozenset[T]:
        """The tags of what waits."""
        return frozenset(entry[-1].tag for entry in self._held)

    def horizon_ns(self, now_ns: int) -> int:
        """Nothing with an instant up to here is expected any more, as far as the edges and the board's word
        go.
        """
        horizon_ns = now_ns - EDGE_LAG_NS
        if self.board and now_ns - self._heard_ns < SILENCE_NS:
            horizon_ns = min(horizon_ns, self._settled_to_ns)
        return horizon_ns

    def take(self, now_ns: int) -> list[HeldInput[T]]:
        """Those whose turn has come by `now_ns`, in order, their instants never falling."""
        horizon_ns = self.horizon_ns(now_ns)
        ready: list[HeldInput[T]] = []
        while self._held:
            held = self._held[0][-1]
            waited_ns = now_ns - held.taken_ns
            if held.input.at_ns > horizon_ns and waited_ns < self.patience_ns:
                break
            heapq.heappop(self._held)
            if held.input.at_ns < self.last_ns:
                self.late += 1
                held = replace(held, input=replace(held.input, at_ns=self.last_ns))
            self.last_ns = held.input.at_ns
            ready.append(replace(held, unseen=self.board and held.input.at_ns > self._settled_to_ns))
        return ready

    def next_ns(self, now_ns: int) -> int | None:
        """When `take` may have something to give though nothing new arrives; None while nothing is held."""
        if not self._held:
            return None
        held = self._held[0][-1]
        edges_ns = held.input.at_ns + EDGE_LAG_NS
        if not self.board:
            return edges_ns
        silent_ns = self._heard_ns + SILENCE_NS
        if held.input.at_ns <= self._settled_to_ns or now_ns >= silent_ns:
            return edges_ns
        return min(max(silent_ns, edges_ns), held.taken_ns + self.patience_ns)
