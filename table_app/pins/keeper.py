"""The keeper of everything on pins: both buttons, their lamps, the speech button.

Pins that cannot be reached are reported and tried again; the table itself runs on and shows on its screen what is
missing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec import Struct

from flagfall.base.errors import Failed
from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from table_app.events import ButtonDown, Inbox, Part, PartTrouble
from table_app.pins.buttons import PinButtons
from table_app.pins.lamps import PinLamps
from table_app.pins.speech import SpeechButton
from table_app.table_view import TableView
from table_app.timebase import Timebase

RETRY_S = 2.0


class PinParts(Struct, frozen=True):
    """The parts on the pins of one gpiozero factory; None for those that the configuration does not name."""

    factory: Any
    buttons: PinButtons
    lamps: PinLamps | None = None
    speech_button: SpeechButton | None = None


class PinKeeper:
    """The pins of the device, which are opened again after a loss.

    `opened` opens the pins or raises; its argument is the function to call when they are lost.
    """

    def __init__(
        self, opened: Callable[[Callable[[str], None]], PinParts], inbox: Inbox, instants: Timebase
    ) -> None:
        self._opened = opened
        self._inbox = inbox
        self._instants = instants
        self._changed = threading.Condition()
        self._parts: PinParts | None = None
        self._view: TableView | None = None
        self._lost: Message | None = None
        self._told: Message | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._keep, name="pin-keeper", daemon=True)

    def start(self) -> None:
        """Try once before it returns, so that working buttons are read from the start."""
        self._try()
        self._thread.start()

    def show(self, view: TableView) -> None:
        """Light the lamps."""
        with self._changed:
            self._view = view
            if self._parts is None or self._parts.lamps is None:
                return
            try:
                self._parts.lamps.show(view)
            except Exception as failure:  # gpiozero and gpiod raise exceptions of their own
                self._lost = _trouble_of(failure)
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()
        self._let_go()

    def _pins_lost(self, why: str) -> None:
        """Record that open pins are lost; called from any thread."""
        with self._changed:
            self._lost = trouble("pins_fail", why=why)
            self._changed.notify_all()

    def _keep(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._closing or self._lost, None if self._parts is not None else RETRY_S
                )
                if self._closing:
                    return
                lost, self._lost = self._lost, None
            if lost is not None:
                self._let_go()
                self._report(lost)
            elif self._parts is None:
                self._try()

    def _try(self) -> None:
        try:
            with self._changed:
                self._parts = self._opened(self._pins_lost)
                self._start_parts(self._parts)
        except Exception as failure:  # gpiozero and gpiod raise exceptions of their own
            self._let_go()
            self._report(_trouble_of(failure))
        else:
            self._report(None)

    def _start_parts(self, parts: PinParts) -> None:
        if parts.lamps is not None and self._view is not None:
            parts.lamps.show(self._view)
        for place in parts.buttons.start(self._inbox.put, self._instants.of_monotonic_ns):
            self._inbox.put(ButtonDown(self._instants.now_ns(), place))
        if parts.speech_button is not None:
            parts.speech_button.start(self._inbox.put, self._instants.now_ns)

    def _let_go(self) -> None:
        with self._changed:
            parts, self._parts = self._parts, None
        if parts is None:
            return
        for part in (parts.speech_button, parts.buttons, parts.lamps, parts.factory):
            # Lost pins cannot be closed properly.
            with suppress(Exception):
                if part is not None:
                    part.close()

    def _report(self, trouble: Message | None) -> None:
        """Report a state once, and again when it changes."""
        if trouble != self._told:
            self._told = trouble
            self._inbox.put(PartTrouble(Part.BUTTONS, trouble))


def _trouble_of(failure: Exception) -> Message:
    if isinstance(failure, Failed):
        return failure.message
    return trouble("pins_fail", why=" ".join(str(failure).split()) or type(failure).__name__)
