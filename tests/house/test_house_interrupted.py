"""A run of the tests that is interrupted leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import leave_nothing
from helpers.waiting import PATIENCE_S

# A test run whose hub has a session of its own, and a broker as its child.
RUN = """
import signal, subprocess, sys
broker = "subprocess.Popen(['tail', '-f', '/dev/null'])"
hub = f"import signal, subprocess; {broker}; print('up', flush=True); signal.pause()"
started = subprocess.Popen([sys.executable, "-c", hub], start_new_session=True, stdout=subprocess.PIPE)
started.stdout.readline()
print(started.pid, flush=True)
if "ends" in sys.argv:
    sys.exit(3)
signal.pause()
"""


@pytest.mark.parametrize(
    ("how", "status"), [("ends", 3), (signal.SIGINT, None), (signal.SIGTERM, None), ("killed", 137)]
)
def test_no_process_is_left_behind(how: str | signal.Signals, status: int | None) -> None:
    words = ["ends"] if how == "ends" else []
    command = [sys.executable, leave_nothing.__file__, sys.executable, "-c", RUN, *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as run:
        assert run.stdout is not None
        hub = int(run.stdout.readline())
        if how == "killed":
            (child,) = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
            os.kill(int(child), signal.SIGKILL)
        elif how is signal.SIGINT:
            os.killpg(run.pid, how)  # as a terminal does
        elif isinstance(how, signal.Signals):
            run.send_signal(how)
        code = run.wait(PATIENCE_S)
        # The pipe ends when nobody holds it any more: hub and broker have it too.
        run.stdout.read()
    assert code != 0 and status in (None, code)
    assert not Path(f"/proc/{hub}").exists()
