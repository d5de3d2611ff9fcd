"""Notifies systemd that the program is ready, and that its loop turns (`Type=notify`, `WatchdogSec=`)."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic_ns

SERVICE = "flagfall-table.service"


class Watchdog:
    """The loop itself calls it at each turn; a message is sent at most four times in the time that systemd allows.
    Without systemd's variables in `environment` nothing is sent."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        path = environment.get("NOTIFY_SOCKET", "")
        self._address = "\0" + path[1:] if path.startswith("@") else path
        allowed_us = environment.get("WATCHDOG_USEC", "")
        self._every_ns = int(allowed_us) * 250 if allowed_us.isdigit() else 0
        self._fed_ns = 0
        self._told = ""
        self._pid = environment.get("WATCHDOG_PID", "")

    def ready(self) -> None:
        self._say(b"READY=1")

    def report_turn(self, status: str = "") -> None:
        """Report that the loop has turned once more, with the device's `status` in one line."""
        if status != self._told:
            self._told = status
            self._say(f"STATUS={status}".encode())
        now_ns = monotonic_ns()
        mine = self._pid in ("", str(os.getpid()))
        if self._every_ns and mine and now_ns - self._fed_ns >= self._every_ns:
            self._fed_ns = now_ns
            self._say(b"WATCHDOG=1")

    def stopping(self) -> None:
        self._say(b"STOPPING=1")

    def _say(self, word: bytes) -> None:
        if not self._address:
            return
        # A service manager that does not listen must not stop the table.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.setblocking(False)
            notify.sendto(word, self._address)


def told_by_service() -> str:
    """Return the last line that the running service has told of itself, "" if there is none."""
    if shutil.which("systemctl") is None:
        return ""
    asked = ["systemctl", "show", "--property=StatusText", "--value", SERVICE]
    return subprocess.run(asked, capture_output=True, text=True, timeout=10).stdout.strip()
