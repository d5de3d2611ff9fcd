"""Simulated GPIO chips below the real `gpiod` module, with its own settings, enums and events."""

from __future__ import annotations

import errno
import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpiod
from gpiod.line import Bias, Clock, Direction, Edge, Value

UNCONNECTED = None


class Kernel:
    """The chips of a device, as programs find them in `devices`; `drive` is what hangs on a line."""

    def __init__(self, devices: Path) -> None:
        self.devices = devices
        self.labels: dict[str, str] = {}
        self.closed: set[str] = set()
        self.requests: dict[tuple[str, int], Request] = {}
        self.driven: dict[tuple[str, int], int | None] = {}
        self.instant_ns: int | None = None
        """When the next edges are seen; None: now."""

    def plug(self, number: int, label: str) -> str:
        path = self.devices / f"gpiochip{number}"
        path.touch()
        self.labels[str(path)] = label
        return str(path)

    def pull(self, path: str) -> None:
        """Remove the chip; its readers learn that."""
        Path(path).unlink()
        del self.labels[path]
        for (chip, _), request in list(self.requests.items()):
            if chip == path:
                request.lost()

    def drive(self, path: str, line: int, level: int | None) -> None:
        request = self.requests.get((path, line))
        before = self.level(path, line)
        self.driven[path, line] = level
        after = self.level(path, line)
        if request is not None and before != after:
            request.edge(after, time.monotonic_ns() if self.instant_ns is None else self.instant_ns)

    def level(self, path: str, line: int) -> int:
        request, level = self.requests.get((path, line)), self.driven.get((path, line))
        if request is not None and request.settings.direction is Direction.OUTPUT:
            return request.output
        if level is not None:
            return level
        return int(request is not None and request.settings.bias is Bias.PULL_UP)

    # -- what stands in the module

    def is_gpiochip_device(self, path: str) -> bool:
        return path in self.labels

    def chip(self, path: str) -> Chip:
        if path in self.closed:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        if path not in self.labels:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        return Chip(self, path)


class Chip:
    def __init__(self, kernel: Kernel, path: str) -> None:
        self.kernel, self.path, self.open = kernel, path, True

    def __enter__(self) -> Chip:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.open = False

    def get_info(self) -> Any:
        return SimpleNamespace(name=Path(self.path).name, label=self.kernel.labels[self.path], num_lines=54)

    def request_lines(
        self, config: dict[int, gpiod.LineSettings], consumer: str, event_buffer_size: int
    ) -> Request:
        assert self.open and consumer and event_buffer_size >= 16
        ((line, settings),) = config.items()
        if (self.path, line) in self.kernel.requests:
            raise OSError(errno.EBUSY, "Device or resource busy")
        request = self.kernel.requests[self.path, line] = Request(self, line, settings)
        return request


class Request:
    def __init__(self, chip: Chip, line: int, settings: gpiod.LineSettings) -> None:
        self.chip, self.line, self.gone = chip, line, False
        self.fd, writing = os.pipe()
        self.tell: int | None = writing
        self.lock = threading.Lock()
        self.events: list[gpiod.EdgeEvent] = []
        self.output = 0
        self.reconfigure_lines({line: settings})

    def reconfigure_lines(self, config: dict[int, gpiod.LineSettings]) -> None:
        ((line, settings),) = config.items()
        assert line == self.line and settings.event_clock is Clock.MONOTONIC and not settings.active_low
        assert not settings.debounce_period, "the kernel would move the instants"
        self.settings = settings
        if settings.direction is Direction.OUTPUT:
            self.output = int(settings.output_value is Value.ACTIVE)

    def edge(self, level: int, at_ns: int) -> None:
        if self.settings.edge_detection in (Edge.BOTH, Edge.RISING if level else Edge.FALLING):
            kind = gpiod.EdgeEvent.Type.RISING_EDGE if level else gpiod.EdgeEvent.Type.FALLING_EDGE
            with self.lock:
                self.events.append(gpiod.EdgeEvent(kind.value, at_ns, self.line, 0, 0))
                if self.tell is not None:
                    os.write(self.tell, b"x")

    def read_edge_events(self) -> list[gpiod.EdgeEvent]:
        if self.gone:
            raise OSError(errno.ENODEV, "No such device")
        count = len(os.read(self.fd, 64))
        with self.lock:
            events, self.events = self.events[:count], self.events[count:]
        return events

    def get_value(self, line: int) -> Value:
        assert line == self.line
        return Value(self.chip.kernel.level(self.chip.path, line))

    def set_value(self, line: int, value: Value) -> None:
        assert line == self.line and self.settings.direction is Direction.OUTPUT
        if self.gone:
            raise OSError(errno.ENODEV, "No such device")
        self.output = int(value is Value.ACTIVE)

    def lost(self) -> None:
        """Lose the chip; its reader, in another thread, may release the line at this very moment."""
        with self.lock:
            self.gone = True
            self._hang_up()

    def release(self) -> None:
        del self.chip.kernel.requests[self.chip.path, self.line]
        with self.lock:
            self._hang_up()
        os.close(self.fd)

    def _hang_up(self) -> None:
        """Close the writing end, once: its number may be another file's by the second time."""
        if self.tell is not None:
            os.close(self.tell)
            self.tell = None
