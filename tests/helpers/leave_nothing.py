"""Run a command, and leave none of its processes behind when it ends or is interrupted.

    python tests/helpers/leave_nothing.py COMMAND...

Tests start hubs, brokers and browsers, some of them in sessions of their own. The kernel gives every orphan to this
program (PR_SET_CHILD_SUBREAPER), which has no other children than the command and its orphans.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
# Time in which an interrupted command may end by itself; tests close what they have opened.
_GRACE_S = 15


def main(command: list[str]) -> int:
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    child = subprocess.Popen(command)

    def interrupt(number: int, frame: object) -> None:
        # A terminal has told the command too; whoever kills only this process has not.
        child.send_signal(signal.SIGINT)
        signal.alarm(_GRACE_S)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    signal.signal(signal.SIGINT, lambda number, frame: signal.alarm(_GRACE_S))
    signal.signal(signal.SIGALRM, lambda number, frame: child.kill())
    status = _wait_for(child.pid)
    signal.alarm(0)
    _kill_orphans()
    return status


def _wait_for(pid: int) -> int:
    """Return the exit status of the command; orphans that end meanwhile are reaped."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _kill_orphans() -> None:
    """Kill what is left; the children of those who die come here, and are next."""
    while True:
        for pid in _children():
            os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                stat = (folder / "stat").read_text("utf-8", "replace")
            except OSError:
                continue  # it has ended
            if int(stat.rpartition(")")[2].split()[1]) == os.getpid():
                found.append(int(folder.name))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
