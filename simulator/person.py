"""A person at a table: looks, waits, presses a button, touches the screen, and checks the effect. A table that is off
is waited for."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping

from flagfall.othello.side import Side
from simulator.table_socket import AtTable, TableSeen

_LOOK_S = 0.01
# How long a person waits for the effect of an action before repeating it.
_NOTICED_S = 2.0


class Person:
    """A person at the table who presses, looks at the screen and touches it.

    `bounce_s` is the longest bounce of a contact; `report` gets the touches that the table did not understand.
    """

    def __init__(
        self, table: AtTable, chance: random.Random, bounce_s: float, report: Callable[[str], None]
    ) -> None:
        self._table = table
        self._chance = chance
        self._bounce_s = bounce_s
        self._report = report
        self._leaves = False
        self.presses_again = 0

    def leave(self) -> None:
        """Make the person leave, from another thread: their next action raises InterruptedError."""
        self._leaves = True

    def pause(self, wait_s: float) -> None:
        if self._leaves:
            raise InterruptedError("the hands were told to leave the table")
        if wait_s > 0:
            time.sleep(wait_s)

    def look(
        self, until: Callable[[TableSeen], bool], for_s: float, press_again: Side | None = None
    ) -> TableSeen | None:
        """Return the view once it is as expected, or None if it is not within `for_s`.

        `press_again` is the player whose press came before; if after a while that player's clock still runs, the table
        was off, and the press is repeated.
        """
        deadline_s = time.monotonic() + for_s
        noticed_s = time.monotonic() + _NOTICED_S
        while time.monotonic() < deadline_s:
            try:
                seen = self._table.see()
            except ConnectionError:
                noticed_s = time.monotonic() + _NOTICED_S
                self.pause(0.1)
                continue
            if until(seen):
                return seen
            waits_for_press = seen.running is press_again or seen.state == "waiting"
            if press_again is not None and waits_for_press and time.monotonic() > noticed_s:
                self.presses_again += 1
                self.press(press_again)
                noticed_s = time.monotonic() + _NOTICED_S
            self.pause(_LOOK_S)
        return None

    def press(self, side: Side) -> None:
        """Press once, with bounce at both ends; a table that is off does not notice it."""
        try:
            self._edges(side, down=True)
            self.pause(self._chance.uniform(0.02, 0.05))
            self._edges(side, down=False)
        except ConnectionError:
            return

    def _edges(self, side: Side, *, down: bool) -> None:
        self._table.button(side, down=down)
        bounces = self._chance.randrange(3) if self._bounce_s else 0
        for _ in range(bounces):
            for state in (not down, down):
                self.pause(self._chance.uniform(0, self._bounce_s / (2 * bounces)))
                self._table.button(side, down=state)

    def rule(self, rule: str, helped: Callable[[TableSeen], bool], for_s: float) -> bool:
        """Touch the judge's button, again if nothing has come of it; return False if nothing does. A game that stands,
        as after a power cut, goes on first.
        """
        deadline_s = time.monotonic() + for_s
        while time.monotonic() < deadline_s:
            self.tap({"type": "ruling", "rule": rule})
            if self.look(helped, _NOTICED_S) is not None:
                return True
            if self.look(lambda seen: seen.state == "stopped", 0.1) is not None:
                self.tap({"type": "ruling", "rule": "resume"})
        return False

    def tap(self, request: Mapping[str, object]) -> None:
        try:
            why = self._table.tap(request)
        except ConnectionError:
            return
        if why:
            self._report(why)
