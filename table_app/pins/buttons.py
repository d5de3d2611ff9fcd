"""The two clock buttons: the kernel's instant of every edge, and which edges are presses.

gpiozero's pins pass on the instant at which the kernel saw an edge; its `Button` does not. The first closing edge is
the press. Bounce is filtered afterwards, by instants alone, so that no press is delayed or moved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from flagfall.othello.side import Both
from table_app.events import ButtonEdge, Event, Place, player_at

# Longer than any contact bounces, shorter than the time in which a hand lets go and presses again.
LOCK_OUT_NS = 40_000_000
HELD_NS = 5_000_000_000
CHATTER_EDGES = 60
CHATTER_WINDOW_NS = 1_000_000_000


def input_pin(factory: Any, number: int) -> Any:
    """Return the pin of a contact to ground: pulled up, both edges watched once it has a handler (`when_changed`), of
    which gpiozero keeps only a weak reference."""
    pin = factory.pin(f"GPIO{number}")
    pin.function = "input"
    pin.pull = "up"
    pin.bounce = None
    pin.edges = "both"
    return pin


class PinButtons:
    """Two contacts to ground on pins of a gpiozero factory (GPIO numbers), pulled up: low is pressed.

    `pins` names the left button's by Black, who usually sits there, and the right one's by White.

    The factory's ticks must be nanoseconds of the monotonic clock, as those of `table_app.pins.kernel` and of
    `table_app.pins.mock` are: gpiozero leaves their form to the factory (`gpiozero.Factory.ticks`).
    """

    def __init__(self, factory: Any, pins: Both[int]) -> None:
        self._factory = factory
        self._numbers = {Place.LEFT: pins.black, Place.RIGHT: pins.white}
        self._pins: dict[Place, Any] = {}
        self._handlers: list[Callable[[int, int], None]] = []

    def start(self, put: Callable[[Event], None], of_monotonic_ns: Callable[[int], int]) -> tuple[Place, ...]:
        """Begin to put every edge into the inbox, from any thread, on the table's count, which `of_monotonic_ns`
        computes.

        Returns the buttons that are already down.
        """
        down = []
        for place, number in self._numbers.items():
            pin = input_pin(self._factory, number)

            def changed(ticks_ns: int, state: int, place: Place = place) -> None:
                put(ButtonEdge(of_monotonic_ns(ticks_ns), place, not state))

            if not pin.state:
                down.append(place)
            self._handlers.append(changed)
            self._pins[place] = pin
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
        """Return the instant of the press that is known with this edge."""
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
        """Return the instant of a press that was in doubt, once it is known to be one."""
        if self._doubtful_ns is None or not self._still(now_ns):
            return None
        at_ns, self._doubtful_ns = self._doubtful_ns, None
        return at_ns if self.closed else None

    @property
    def settles_ns(self) -> int | None:
        """Return the time at which a press in doubt is decided."""
        if self._doubtful_ns is None or self.last_edge_ns is None:
            return None
        return self.last_edge_ns + LOCK_OUT_NS

    def _still(self, now_ns: int) -> bool:
        return self.last_edge_ns is None or now_ns - self.last_edge_ns >= LOCK_OUT_NS


class ButtonPress(Struct, frozen=True):
    """A button was pressed. The loop knows which player sits there."""

    at_ns: int
    place: Place


class Presses:
    """Presses out of the edges of both buttons."""

    def __init__(self) -> None:
        self._contacts = {place: Debounce() for place in Place}

    def down_from_the_start(self, place: Place, now_ns: int) -> None:
        """Watch a button that was down at the start as held; it has not been pressed."""
        contact = self._contacts[place]
        contact.closed, contact.last_edge_ns = True, now_ns

    def edge(self, edge: ButtonEdge) -> ButtonPress | None:
        """Return the press that is known with this edge."""
        at_ns = self._contacts[edge.place].edge(edge.at_ns, edge.pressed)
        return None if at_ns is None else ButtonPress(at_ns, edge.place)

    def settled(self, now_ns: int) -> list[ButtonPress]:
        """Return presses that are known now, without a further edge."""
        instants = ((place, contact.settled(now_ns)) for place, contact in self._contacts.items())
        return [ButtonPress(at_ns, place) for place, at_ns in instants if at_ns is not None]

    def next_ns(self) -> int | None:
        """Return the time at which `settled` may have a press."""
        instants = (contact.settles_ns for contact in self._contacts.values())
        return min((at_ns for at_ns in instants if at_ns is not None), default=None)

    def down_since_ns(self, place: Place) -> int | None:
        """Return the instant at which this button went down, None while it is up."""
        contact = self._contacts[place]
        return contact.last_edge_ns if contact.closed else None

    def troubles(self, now_ns: int, swapped: bool) -> tuple[Message, ...]:
        """Return the faults of the buttons, for the judge, by the players who sit there."""
        troubles = []
        for place, contact in self._contacts.items():
            side = player_at(place, swapped)
            # So long that a hand rests on it, or it is stuck (usoa 5.13).
            if (
                contact.closed
                and contact.last_edge_ns is not None
                and now_ns - contact.last_edge_ns > HELD_NS
            ):
                troubles.append(trouble("button_held", side=side))
            # More edges in the last second than hands and bounce can make.
            if len(contact.edges) == CHATTER_EDGES and now_ns - contact.edges[0] < CHATTER_WINDOW_NS:
                troubles.append(trouble("button_chatters", side=side))
        return tuple(troubles)
