"""The hub's program in a process that is forked from one that has imported it: a fifth of what an interpreter costs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_PRELOADED = ["hub.main", "hub.service", "hub.assembly"]


def _run(arguments: Sequence[str], folder: Path, log: Path, environment: Mapping[str, str]) -> None:
    """Become `python -m hub.main`."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    opened = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for standard in (1, 2):
        os.dup2(opened, standard)
    os.close(opened)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from hub import main

    sys.argv = ["flagfall-hub", *arguments]
    sys.modules["__main__"] = main  # a child that it starts asks for it
    sys.exit(main.main(arguments))


class ForkedHub:
    """A running hub, with what tests use of `subprocess.Popen`."""

    def __init__(
        self, arguments: Sequence[str], folder: Path, log: Path, environment: Mapping[str, str]
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOADED)
        self._process = context.Process(target=_run, args=(arguments, folder, log, dict(environment)))
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("flagfall-hub", timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)
