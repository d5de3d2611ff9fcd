"""The machine under the program: a Raspberry Pi with too little memory is refused in one line.

A Pi Zero 2 W and a Pi 3 A+ have 512 MB. Table and hub were never tried in so little, and a machine that runs out of
memory in a game stops its clock.
"""

from __future__ import annotations

from pathlib import Path

PROC = Path("/proc")
# Between the 512 MB of the smallest boards and 1 GB less what a Pi 3's graphics take.
_LEAST_KB = 600_000


def machine_fault(proc: Path = PROC) -> str:
    """Return the reason for which this machine is too small, "" if it is not or does not say."""
    try:
        lines = (proc / "meminfo").read_text("ascii").splitlines()
        total_kb = next(int(line.split()[1]) for line in lines if line.startswith("MemTotal:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return ""
    if total_kb >= _LEAST_KB:
        return ""
    try:
        model = (proc / "device-tree" / "model").read_text("utf-8", "replace").strip("\0 \n")
    except OSError:
        model = "this machine"
    model = "".join(sign for sign in model if sign.isprintable())[:60]
    return f"{model}: {total_kb // 1000} MB of memory, expected 1 GB: a Raspberry Pi 3 B, 4 or 5"
