"""gpiozero pins on the kernel's own GPIO interface, the character device /dev/gpiochipN (libgpiod 2).

The chip is found by its label, since its number changes between models and kernels. An edge bears the instant at which
the kernel saw it (CLOCK_MONOTONIC). Reasons: docs/decisions/0017-at-the-table.md.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpiozero.exc import PinInvalidFunction, PinInvalidPin, PinInvalidPull, PinSetInput
from gpiozero.pins import Factory, Pin

from flagfall.base.errors import Failed
from flagfall.base.message import N_, Message
from flagfall.base.trouble import trouble

DEVICES = Path("/dev")
# The labels of the chip behind the header of a Raspberry Pi 5, 4, and 3 or older: its line N is GPIO N.
LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
# How many unread edges the kernel keeps for a pin: its default of sixteen is less than a worn contact makes.
KEPT_EDGES = 1024


def chip_path(wanted: str, devices: Path = DEVICES) -> str:
    """Return the device of the chip `wanted` (its label or path), "" for a Raspberry Pi's own. Failed if there is
    none."""
    import gpiod

    there: dict[str, str] = {}
    closed: Failed | None = None
    for path in sorted(devices.glob("gpiochip*")):
        try:
            if gpiod.is_gpiochip_device(str(path)):
                with gpiod.Chip(str(path)) as chip:
                    there[str(path)] = chip.get_info().label
        except OSError:
            closed = Failed(trouble("pins_closed", file=str(path)))
    for label in (wanted,) if wanted else LABELS:
        for place, its in there.items():
            if label in (its, place):
                return place
    if closed is not None:
        raise closed
    chips = ", ".join(f"{label} ({place})" for place, label in there.items()) or Message(N_("none"))
    asked = f"{wanted!r}" if wanted else Message(N_("a Raspberry Pi's pins"))
    raise Failed(trouble("pins_elsewhere", wanted=asked, found=chips))


class ChipFactory(Factory):  # type: ignore[misc]  # gpiozero has no types
    """The pins of one chip. `failed` is called once, from this factory's thread, with one line when the chip is lost.
    Failed if the chip, or later a pin of it, is not available."""

    def __init__(self, wanted: str = "", failed: Callable[[str], None] = lambda why: None) -> None:
        super().__init__()
        try:
            import gpiod
        except ImportError as missing:
            why = f"{missing}: pins are read with gpiod, which there is for Linux only"
            raise Failed(trouble("pins_fail", why=why)) from None
        self._failed = failed
        path = chip_path(wanted)
        try:
            self._chip = gpiod.Chip(path)
        except OSError as failure:
            raise Failed(trouble("pins_fail", why=f"{path}: {failure.strerror}")) from None
        self.pins: dict[int, ChipPin] = {}
        self._closing = False
        self._watched: dict[int, ChipPin] = {}
        self._woken, self._wake = os.pipe()
        self._reader = threading.Thread(target=self._read, name="pins", daemon=True)
        self._reader.start()

    def pin(self, name: str) -> Pin:
        """Return the pin with a name such as "GPIO17"."""
        number = name.removeprefix("GPIO")
        if not number.isdecimal():
            raise PinInvalidPin(f"{name} is not a GPIO pin")
        if int(number) not in self.pins:
            self.pins[int(number)] = ChipPin(self, int(number))
        return self.pins[int(number)]

    def close(self) -> None:
        if self._closing:
            return
        self._closing = True
        os.write(self._wake, b"x")
        if threading.current_thread() is not self._reader:
            self._reader.join()
        for pin in self.pins.values():
            pin.close()
        self._chip.close()
        os.close(self._wake)
        os.close(self._woken)

    @staticmethod
    def ticks() -> int:
        """Return the monotonic clock's nanoseconds, the form in which the kernel stamps an edge."""
        return time.monotonic_ns()

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> float:
        return (later - earlier) / 1e9

    def claim(self, number: int, settings: Any) -> Any:
        """Request the line from the kernel."""
        try:
            request = self._chip.request_lines({number: settings}, "flagfall", event_buffer_size=KEPT_EDGES)
        except (OSError, ValueError) as failure:
            why = getattr(failure, "strerror", None) or str(failure)
            raise Failed(trouble("pins_fail", why=f"GPIO{number} of {self._chip.path}: {why}")) from None
        os.set_blocking(request.fd, False)
        return request

    def watch(self, pin: ChipPin, fd: int | None) -> None:
        """Read the edges of this pin from now on; with `fd` None no longer."""
        self._watched = {
            descriptor: watched for descriptor, watched in self._watched.items() if watched is not pin
        }
        if fd is not None:
            self._watched[fd] = pin
        os.write(self._wake, b"x")

    def _read(self) -> None:
        """Read the kernel's edges, in a thread that sleeps until there are any."""
        while not self._closing:
            watched, poll = self._watched, select.poll()
            poll.register(self._woken, select.POLLIN)
            for fd in watched:
                poll.register(fd, select.POLLIN)
            try:
                for fd, _ in poll.poll():
                    if fd == self._woken:
                        os.read(self._woken, 4096)
                    elif (pin := self._watched.get(fd)) is not None:
                        pin.read_edges()
            except OSError as failure:
                if not self._closing:
                    self._failed(f"{self._chip.path}: {failure.strerror}")
                return


class ChipPin(Pin):  # type: ignore[misc]
    """One line of the chip, requested when it is first read, written or watched."""

    def __init__(self, factory: ChipFactory, number: int) -> None:
        super().__init__()
        self._factory, self._number = factory, number
        self._function, self._pull, self._edges = "input", "floating", "both"
        self._handler: Callable[[float, int], None] | None = None
        self._request: Any = None

    def __repr__(self) -> str:
        return f"GPIO{self._number}"

    def close(self) -> None:
        request, self._request, self._handler = self._request, None, None
        if request is not None:
            request.release()

    def output_with_state(self, state: int) -> None:
        self._function = "output"
        self._settle(state)

    def read_edges(self) -> None:
        """Pass on the edges that the kernel has seen since the last time, with their instants. OSError if the chip is
        gone."""
        request = self._request
        if request is None:
            return
        try:
            events = request.read_edge_events()
        except BlockingIOError:  # edges were no longer wanted, and the kernel has dropped them
            return
        for event in events:
            handler = self._handler
            if handler is not None:
                handler(event.timestamp_ns, int(event.event_type is event.Type.RISING_EDGE))

    def _settle(self, state: int = 0) -> None:
        """Give the present settings to the kernel."""
        from gpiod import LineSettings
        from gpiod.line import Bias, Clock, Direction, Edge, Value

        if self._function == "output":
            settings = LineSettings(direction=Direction.OUTPUT, output_value=Value(int(state)))
        else:
            pulls = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
            edges = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING, "none": Edge.NONE}
            settings = LineSettings(
                direction=Direction.INPUT,
                bias=pulls[self._pull],
                edge_detection=Edge.NONE if self._handler is None else edges[self._edges],
                event_clock=Clock.MONOTONIC,
            )
        if self._request is None:
            self._request = self._factory.claim(self._number, settings)
        else:
            self._request.reconfigure_lines({self._number: settings})

    def _held(self) -> Any:
        if self._request is None:
            self._settle()
        return self._request

    def _changed(self) -> None:
        """Apply changed settings to a requested line at once; any other line gets them with its request."""
        if self._request is not None:
            self._settle()

    def _get_function(self) -> str:
        return self._function

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(f"function of {self!r}: expected input or output, got {value!r}")
        self._function = value
        self._changed()

    def _get_state(self) -> int:
        return int(self._held().get_value(self._number).value)

    def _set_state(self, value: int) -> None:
        from gpiod.line import Value

        if self._function == "input":
            raise PinSetInput(f"cannot set the state of {self!r}, which is an input")
        self._held().set_value(self._number, Value(int(bool(value))))

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if value not in ("up", "down", "floating"):
            raise PinInvalidPull(f"pull of {self!r}: expected up, down or floating, got {value!r}")
        self._pull = value
        self._changed()

    def _get_bounce(self) -> None:
        """Return None: bounce is filtered by the instants; the kernel's own filter would move them."""

    def _set_bounce(self, value: float | None) -> None:
        if value is not None:
            super()._set_bounce(value)

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        self._edges = value
        self._changed()

    def _get_when_changed(self) -> Callable[[float, int], None] | None:
        return self._handler

    def _set_when_changed(self, value: Callable[[float, int], None] | None) -> None:
        self._handler = value
        if value is None:
            self._factory.watch(self, None)
            self._changed()
        else:
            self._settle()
            self._factory.watch(self, self._request.fd)
