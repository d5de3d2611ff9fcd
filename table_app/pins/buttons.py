"""The two clock buttons: the kernel's instant of every edge, and which edges are presses.

gpiozero's pins hand on the instant at which the kernel saw an edge; its `Button` does not. The first active
edge is the press. Bounce is told apart by our own lock-out, afterwards and from the instants alone, so it
moves none of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from othello.inputs import Press
from othello.side import Both, Side
from table_app.events import ButtonEdge, Event
from table_app.trouble import Trouble

LOCK_OUT_NS = 40_000_000
"""Longer than any contact bounces, shorter than any hand lets go and presses again."""
HELD_NS = 5_000_000_000
CHATTER_EDGES = 60
CHATTER_WINDOW_NS = 1_000_000_000


class PinButtons:
    """Two contacts to ground on pins of a gpiozero factory (GPIO numbers), pulled up: low is pressed.

    The factory's ticks have to be seconds of the monotonic clock, as those of `table_app.pins.kernel`
    and of the mock one are.
    """

    def __init__(self, factory: Any, pins: Both[int]) -> None:
        self._factory = factory
        self._numbers = pins
        self._pins: dict[Side, Any] = {}
        # gpiozero keeps only a weak reference to a handler.
        self._handlers: list[Callable[[float, int], None]] = []

    def start(self, put: Callable[[Event], None], of_monotonic_ns: Callable[[int], int]) -> tuple[Side, ...]:
        """Begins to put every edge into the inbox, from any thread, on the table's count that `of_monotonic_ns` makes.

        Returns the buttons that were already down.
        """
        down = []
        for side in Side:
            pin = self._factory.pin(f"GPIO{self._numbers.of(side)}")
            pin.function = "input"
            pin.pull = "up"
            pin.bounce = None
            pin.edges = "both"

            def changed(ticks: float, state: int, side: Side = side) -> None:
                # The kernel's nanoseconds divided by 1e9: rounding gives them back exactly, as long as the device
                # has not run for 26 days.
                put(ButtonEdge(of_monotonic_ns(round(ticks * 1e9)), side, not state))

            if not pin.state:
                down.append(side)
            self._handlers.append(changed)
            self._pins[side] = pin
            pin.when_changed = changed
        return tuple(down)

    def close(self) -> None:
        for pin in self._pins.values():
            pin.when_changed = None
        self._pins.clear()
        self._handlers.clear()


@dataclass(slots=True)
class Debounce:
    """One button's contact over time: `edge` says whether an edge is a press.

    Armed by a contact that has kept still for the lock-out time. An edge the same way as the one before means
    that one between them was lost; a press is never lost with it, if the lock-out time has passed.
    """

    lock_out_ns: int = LOCK_OUT_NS
    closed: bool = False
    last_edge_ns: int | None = None
    _edges: deque[int] = field(default_factory=lambda: deque(maxlen=CHATTER_EDGES))

    def edge(self, at_ns: int, closed: bool) -> bool:
        still = self.last_edge_ns is None or at_ns - self.last_edge_ns >= self.lock_out_ns
        self.last_edge_ns, self.closed = at_ns, closed
        self._edges.append(at_ns)
        return closed and still

    def held(self, now_ns: int) -> bool:
        """Closed for so long that a hand lies on it, or it is stuck (usoa 5.13)."""
        return self.closed and self.last_edge_ns is not None and now_ns - self.last_edge_ns > HELD_NS

    def chatters(self, now_ns: int) -> bool:
        """More edges in the last second than hands and bounce make."""
        return len(self._edges) == CHATTER_EDGES and now_ns - self._edges[0] < CHATTER_WINDOW_NS


class Presses:
    """Presses out of the edges of both buttons."""

    def __init__(self, lock_out_ns: int = LOCK_OUT_NS) -> None:
        self._contacts = Both(Debounce(lock_out_ns), Debounce(lock_out_ns))

    def down_from_the_start(self, side: Side, now_ns: int) -> None:
        """The button was down before anything was seen of it: no press, but watched as held."""
        contact = self._contacts.of(side)
        contact.closed, contact.last_edge_ns = True, now_ns

    def edge(self, edge: ButtonEdge) -> Press | None:
        contact = self._contacts.of(edge.side)
        return Press(edge.at_ns, edge.side) if contact.edge(edge.at_ns, edge.pressed) else None

    def down_since_ns(self, side: Side) -> int | None:
        """When this button went down, None while it is up."""
        contact = self._contacts.of(side)
        return contact.last_edge_ns if contact.closed else None

    def troubles(self, now_ns: int) -> tuple[Trouble, ...]:
        """What is wrong with the buttons, for the judge."""
        found = []
        for side in Side:
            if self._contacts.of(side).held(now_ns):
                found.append(Trouble.of("button_held", side=side))
            if self._contacts.of(side).chatters(now_ns):
                found.append(Trouble.of("button_chatters", side=side))
        return tuple(found)
