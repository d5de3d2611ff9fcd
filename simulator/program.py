"""One program of a room as a process: started, killed, started again, stopped."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from flagfall.base.errors import Failed

STOPS_WITHIN_S = 10.0


class Program:
    """A main module with its arguments, run by this Python. Its output goes to `<folder>/<name>.log`."""

    def __init__(
        self,
        name: str,
        module: str,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._command = [sys.executable, "-P", "-m", module, *arguments]
        # The user's own configuration must not apply to the programs of a room.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLAGFALL_")}
        self._environment = {**inherited, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def use(self, python: Path) -> None:
        """Run it by another Python from its next start on, one that has the programs of another version."""
        self._command[0] = str(python)

    def start(self) -> None:
        """Start it in its own session: Ctrl-C reaches only the room, which then stops all in order."""
        if self.alive:
            return
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill it by SIGKILL: no chance to clean up."""
        self._end(signal.SIGKILL)

    def ask_to_stop(self) -> None:
        """Send SIGTERM, without waiting."""
        if self.alive and self._process is not None:
            self._process.terminate()

    def stop(self) -> None:
        """Send SIGTERM, and SIGKILL if it does not stop in good time."""
        self._end(signal.SIGTERM)

    def _end(self, with_signal: signal.Signals) -> None:
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if self.alive:
                self._process.send_signal(with_signal)
        try:
            self._process.wait(STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def last_words(self) -> str:
        """Return the last line of its log."""
        with contextlib.suppress(OSError):
            lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            if lines:
                return lines[-1]
        return "it said nothing"


def wait_until(condition: Callable[[], bool], within_s: float, event: str, *programs: Program) -> None:
    """Check `condition` often until it is true. Raise Failed if it is not in time, or if a program ends."""
    until_s = time.monotonic() + within_s
    while not condition():
        for program in programs:
            if not program.alive:
                raise Failed(f"{program.name} ended: {program.last_words()} (log: {program.log})")
        if time.monotonic() > until_s:
            logs = ", ".join(str(program.log) for program in programs)
            raise Failed(f"{event}: not within {within_s:.0f} s" + (f" (log: {logs})" if logs else ""))
        time.sleep(0.02)


def free_port() -> int:
    """Return a free TCP port on loopback that the system gives to no outgoing connection, and that no other caller of
    this function gets while this process lives.
    """
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            if reserve(port):
                return port


_RESERVATIONS: list[socket.socket] = []


def reserve(port: int) -> bool:
    """Reserve a port for this process until it ends; return whether no other process has it."""
    # An abstract name without a file: the system gives it to one holder, and frees it when that process ends.
    name = socket.socket(socket.AF_UNIX)
    try:
        name.bind(f"\0flagfall-port-{port}")
    except OSError:
        name.close()
        return False
    _RESERVATIONS.append(name)
    return True
