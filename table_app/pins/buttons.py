"""The two clock buttons: the kernel's instant of every edge, and which edges are presses.

gpiozero's pins pass on the instant at which the kernel saw an edge; its `Button` does not. The first closing edge is
the press. Bounce is filtered afterwards, by instants alone, so that no press is delayed or moved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from link.trouble import Trouble
from othello.inputs import Press
from othello.side import Both, Side
from table_app.events import ButtonEdge, Event

LOCK_OUT_NS = 40_000_000
"""Longer than any contact bounces, shorter than the time in which a hand lets go and presses again."""
HELD_NS = 5_000_000_000
CHATTER_EDGES = 60
CHATTER_WINDOW_NS = 1_000_000_000


def player_at(place: Side, swapped: bool) -> Side:
    """The player who sits at a button, named after the colour that usually sits there; and the button of a player."""
    return place.other if swapped else place


def input_pin(factory: Any, number: int) -> Any:
    """The pin of a contact to ground: pulled up, both edges watched once it has a handler (`when_changed`), of which
    gpiozero keeps only a weak reference."""
    pin = factory.pin(f"GPIO{number}")
    pin.function = "input"
    pin.pull = "up"
    pin.bounce = None
    pin.edges = "both"
    return pin


class PinButtons:
    """Two contacts to ground on pins of a gpiozero factory (GPIO numbers), pulled up: low is pressed.

    The factory's ticks must be nanoseconds of the monotonic clock, as those of `table_app.pins.kernel` and of
    `table_app.pins.mock` are: gpiozero leaves their form to the factory (`gpiozero.Factory.ticks`).
    """

    def __init__(self, factory: Any, pins: Both[int]) -> None:
        self._factory = factory
        self._numbers = pins
        self._pins: dict[Side, Any] = {}
        self._handlers: list[Callable[[int, int], None]] = []

    def start(self, put: Callable[[Event], None], of_monotonic_ns: Callable[[int], int]) -> tuple[Side, ...]:
        """Begins to put every edge into the inbox, from any thread, on the table's count, which `of_monotonic_ns`
        computes.

        Returns the buttons that are already down.
        """
        down = []
        for side in Side:
            pin = input_pin(self._factory, self._numbers.of(side))

            def changed(ticks_ns: int, state: int, side: Side = side) -> None:
                put(ButtonEdge(of_monotonic_ns(ticks_ns), side, not state))

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
    """One button's contact over time: which of its edges are presses.

    Armed by a contact that has kept still for the lock-out time. The kernel stamps an edge at once and looks a moment
    later which way the contact lies (its gpiolib-cdev.c, edge_irq_thread): what went over and back meanwhile is told as
    one edge, with the later stamp and either direction. So whatever is told of an open contact that was still is a
    press. A closed one that is told closed has bounced at its release, or a release was lost with the press after it:
    that is known once it is still again.
    """

    closed: bool = False
    last_edge_ns: int | None = None
    _doubtful_ns: int | None = None
    edges: deque[int] = field(default_factory=lambda: deque(maxlen=CHATTER_EDGES))

    def edge(self, at_ns: int, closed: bool) -> int | None:
        """The instant of the press that is known with this edge."""
        press_ns = self.settled(at_ns)
        if self._still(at_ns):
            if not self.closed:
                press_ns = at_ns
            elif closed:
                self._doubtful_ns = at_ns
        self.last_edge_ns, self.closed = at_ns, closed
        self.edges.append(at_ns)
        return press_ns

    def settled(self, now_ns: int) -> int | None:
        """The instant of a press that was in doubt, once it is known to be one."""
        if self._doubtful_ns is None or not self._still(now_ns):
            return None
        at_ns, self._doubtful_ns = self._doubtful_ns, None
        return at_ns if self.closed else None

    @property
    def settles_ns(self) -> int | None:
        """When a press that is in doubt is known."""
        if self._doubtful_ns is None or self.last_edge_ns is None:
            return None
        return self.last_edge_ns + LOCK_OUT_NS

    def _still(self, now_ns: int) -> bool:
        return self.last_edge_ns is None or now_ns - self.last_edge_ns >= LOCK_OUT_NS


class Presses:
    """Presses out of the edges of both buttons."""

    def __init__(self) -> None:
        self._contacts = Both(Debounce(), Debounce())

    def down_from_the_start(self, side: Side, now_ns: int) -> None:
        """The button was down at the start: no press, but watched as held."""
        contact = self._contacts.of(side)
        contact.closed, contact.last_edge_ns = True, now_ns

    def edge(self, edge: ButtonEdge) -> Press | None:
        at_ns = self._contacts.of(edge.side).edge(edge.at_ns, edge.pressed)
        return None if at_ns is None else Press(at_ns, edge.side)

    def settled(self, now_ns: int) -> list[Press]:
        """Presses that no edge told."""
        found = ((side, self._contacts.of(side).settled(now_ns)) for side in Side)
        return [Press(at_ns, side) for side, at_ns in found if at_ns is not None]

    def next_ns(self) -> int | None:
        """When `settled` may have one."""
        times = (self._contacts.of(side).settles_ns for side in Side)
        return min((one for one in times if one is not None), default=None)

    def down_since_ns(self, side: Side) -> int | None:
        """When this button went down, None while it is up."""
        contact = self._contacts.of(side)
        return contact.last_edge_ns if contact.closed else None

    def troubles(self, now_ns: int) -> tuple[Trouble, ...]:
        """What is wrong with the buttons, for the judge."""
        found = []
        for side in Side:
            contact = self._contacts.of(side)
            # So long that a hand rests on it, or it is stuck (usoa 5.13).
            if (
                contact.closed
                and contact.last_edge_ns is not None
                and now_ns - contact.last_edge_ns > HELD_NS
            ):
                found.append(Trouble.of("button_held", side=side))
            # More edges in the last second than hands and bounce can make.
            if len(contact.edges) == CHATTER_EDGES and now_ns - contact.edges[0] < CHATTER_WINDOW_NS:
                found.append(Trouble.of("button_chatters", side=side))
        return tuple(found)
