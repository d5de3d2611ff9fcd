"""Inputs in the order of their instants, each held until no earlier one can arrive.

A settled position arrives later than the press it belongs to. So the verdict on an input waits until the board has told
everything up to its instant; the clock on the screen does not wait (`TableGame.shown`).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from itertools import count

from flagfall.othello.inputs import BoardState, Input, Power, Press, Shown, Start, Touch

# Edges of buttons and touches of the screen are in the inbox within this time after their instant.
EDGE_LAG_NS = 5_000_000
# A board that has sent nothing for so long is not waited for.
SILENCE_NS = 200_000_000
# How long at least a board that sends but does not settle is waited for.
UNSETTLED_NS = 1_000_000_000

# Order at the same instant: the touch comes before the settled position, and that position counts for the
# press.
_RANK: dict[type, int] = {Power: 0, BoardState: 1, Start: 2, Touch: 3, Shown: 4, Press: 5}


@dataclass(frozen=True, slots=True)
class HeldInput:
    """An input, its tag (the ruling to be answered), and when it was taken out of the inbox.

    `unseen`: there is a board, but it has not told everything up to this instant, so the position then is unknown.
    """

    input: Input
    tag: str
    taken_ns: int
    unseen: bool = False


@dataclass(slots=True)
class Sequencer:
    """Takes inputs in any order and returns them in the order of their instants.

    `last_ns` is the instant of the last one returned. An input that arrives with an earlier instant is moved to that
    instant: the journal never goes back.
    """

    last_ns: int = 0
    board: bool = False
    # How long a board that sends but does not settle is waited for: as long as something may hide this kind
    # of board.
    patience_ns: int = UNSETTLED_NS
    _settled_to_ns: int = -1
    _heard_ns: int = -1
    _held: list[tuple[int, int, str, int, HeldInput]] = field(default_factory=list)
    _number: count[int] = field(default_factory=count)

    def forget(self) -> None:
        """Drop the waiting inputs, because another game begins."""
        self._held.clear()

    def board_came(self, now_ns: int) -> None:
        self.board, self._heard_ns = True, now_ns

    def board_went(self) -> None:
        self.board, self._settled_to_ns = False, -1

    def board_settled(self, settled_to_ns: int, now_ns: int) -> None:
        self._settled_to_ns = max(self._settled_to_ns, settled_to_ns)
        self._heard_ns = now_ns

    def add(self, input: Input, now_ns: int, tag: str = "") -> None:
        # Of two presses at one instant it does not matter which arrives first; a board's words keep their order.
        rank = _RANK.get(type(input), 6)
        order = repr(input) if isinstance(input, Press) else ""
        heapq.heappush(
            self._held, (input.at_ns, rank, order, next(self._number), HeldInput(input, tag, now_ns))
        )

    @property
    def waiting(self) -> tuple[Input, ...]:
        """Return the inputs that are still held, in order."""
        return tuple(entry[-1].input for entry in sorted(self._held))

    @property
    def tags(self) -> frozenset[str]:
        """The tags of the held inputs."""
        return frozenset(entry[-1].tag for entry in self._held)

    def horizon_ns(self, now_ns: int) -> int:
        """No input with an instant up to here is expected any more, as far as edges and the board are concerned."""
        horizon_ns = now_ns - EDGE_LAG_NS
        if self.board and now_ns - self._heard_ns < SILENCE_NS:
            horizon_ns = min(horizon_ns, self._settled_to_ns)
        return horizon_ns

    def take(self, now_ns: int) -> list[HeldInput]:
        """Return the inputs that are due at `now_ns`, in order, with instants that never fall."""
        horizon_ns = self.horizon_ns(now_ns)
        ready: list[HeldInput] = []
        while self._held:
            held = self._held[0][-1]
            waited_ns = now_ns - held.taken_ns
            if held.input.at_ns > horizon_ns and waited_ns < self.patience_ns:
                break
            heapq.heappop(self._held)
            if held.input.at_ns < self.last_ns:
                held = replace(held, input=replace(held.input, at_ns=self.last_ns))
            self.last_ns = held.input.at_ns
            ready.append(replace(held, unseen=self.board and held.input.at_ns > self._settled_to_ns))
        return ready

    def next_ns(self, now_ns: int) -> int | None:
        """Return the time at which `take` may return something without a new event; None while nothing is held."""
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
