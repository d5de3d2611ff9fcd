"""Runs in the guest, from a disk beside the card: does what the test says through a port of the virtual machine.

One JSON object a line: {"sh": command} -> {"rc", "out"}; {"touch": [x, y, held_s]} puts a finger on a touch panel that
the guest's own kernel makes (uinput), places in thousandths of the screen; {"press": [...]} moves simulated lines.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import struct
import subprocess
import time
from pathlib import Path

PORT = "/dev/virtio-ports/flagfall.test"
CHIP = Path("/sys/kernel/config/gpio-sim/pi")
LABEL = "pinctrl-bcm2711"
SECOND = Path("/sys/devices/system/cpu/cpu1/online")
SPAN = 1000
_EVENT = struct.Struct("llHHi")
_KEY, _ABS, _SYN, _TOUCH = 1, 3, 0, 0x14A
_SLOT, _X, _Y, _TRACKING = 0x2F, 0x35, 0x36, 0x39


def simulate_pins() -> None:
    """One chip of 54 lines under the label of a Pi's."""
    subprocess.run(["modprobe", "gpio-sim"], check=True)
    if not CHIP.parent.exists():
        subprocess.run(["mount", "-t", "configfs", "none", "/sys/kernel/config"], check=False)
    if CHIP.exists():
        return
    bank = CHIP / "bank0"
    bank.mkdir(parents=True)
    (bank / "num_lines").write_text("54")
    (bank / "label").write_text(LABEL)
    (CHIP / "live").write_text("1")


def line(number: int) -> Path:
    """Return the file that pulls a line of the chip up or down."""
    (pull,) = Path("/sys/devices/platform").glob(f"gpio-sim.*/gpiochip*/sim_gpio{number}/pull")
    return pull


class Panel:
    """A touch panel, as the kernel shows one that hangs on USB."""

    def __init__(self) -> None:
        subprocess.run(["modprobe", "uinput"], check=True)
        self._fd = os.open("/dev/uinput", os.O_WRONLY)
        # _IOW('U', n, int): events, keys, axes, properties
        for number, value in ((100, _KEY), (100, _ABS), (101, _TOUCH), (110, 1)):
            fcntl.ioctl(self._fd, 0x40045500 | number, value)
        for axis, most in ((0, SPAN), (1, SPAN), (_SLOT, 9), (_X, SPAN), (_Y, SPAN), (_TRACKING, 65535)):
            fcntl.ioctl(self._fd, 0x40045500 | 103, axis)
            setup = struct.pack("HxxIIIIII", axis, 0, 0, most, 0, 0, 0)
            fcntl.ioctl(self._fd, 0x401C5504, setup)
        name = struct.pack("HHHH80sI", 3, 0x0457, 0x1111, 1, b"test panel", 0)
        fcntl.ioctl(self._fd, 0x405C5503, name)
        fcntl.ioctl(self._fd, 0x5501)
        self._count = 0

    def _say(self, *events: tuple[int, int, int]) -> None:
        for kind, code, value in (*events, (_SYN, 0, 0)):
            os.write(self._fd, _EVENT.pack(0, 0, kind, code, value))

    def touch(self, x: int, y: int, held_s: float) -> None:
        self._count += 1
        places = ((_ABS, _X, x), (_ABS, _Y, y), (_ABS, 0, x), (_ABS, 1, y))
        self._say((_ABS, _SLOT, 0), (_ABS, _TRACKING, self._count), *places, (_KEY, _TOUCH, 1))
        time.sleep(held_s)  # fixed: how long a finger stays is what is tested
        self._say((_ABS, _SLOT, 0), (_ABS, _TRACKING, -1), (_KEY, _TOUCH, 0))


def monotonic_raw_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def pulled(steps: list[list[float]]) -> list[int]:
    """Each step is [seconds to wait, line, level 0 or 1]; the instants before and after each.

    On one processor, with the kernel's thread that looks at the lines: a busy machine below stops both or none, and no
    contact closes and opens while only one of two processors stands still.
    """
    SECOND.write_text("0")
    files = {number: os.open(line(number), os.O_WRONLY) for number in {int(step[1]) for step in steps}}
    stamps_ns = []
    for wait_s, number, level in steps:
        time.sleep(wait_s)  # fixed: so is when a hand presses
        before = monotonic_raw_ns()
        os.pwrite(files[int(number)], b"pull-up" if level else b"pull-down", 0)
        stamps_ns += [before, monotonic_raw_ns()]
    for file in files.values():
        os.close(file)
    return stamps_ns


def answered(asked: dict, panel: list[Panel]) -> dict:
    if "sh" in asked:
        done = subprocess.run(
            ["/bin/sh", "-c", asked["sh"]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace"
        )
        return {"rc": done.returncode, "out": done.stdout}
    if "touch" in asked:
        if not panel:
            panel.append(Panel())
            time.sleep(3)  # fixed: udev tells SDL of it, and nobody else
        panel[0].touch(*asked["touch"])
        return {"rc": 0, "out": ""}
    if "press" in asked:
        return {"rc": 0, "told_ns": pulled(asked["press"])}
    return {"rc": 2, "out": "expected sh, touch or press"}


def main() -> None:
    # A test of its own stays alive when memory is short and the processor busy.
    ctypes.CDLL(None).prctl(1, 0)
    simulate_pins()
    panel: list[Panel] = []
    with Path(PORT).open("r+b", buffering=0) as port:
        rest = b""
        while True:
            got = port.read(65536)
            if not got:
                time.sleep(0.05)  # fixed: how often it looks whether somebody holds the other end
                continue
            *lines, rest = (rest + got).split(b"\n")
            for line in filter(None, lines):
                try:
                    answer = answered(json.loads(line), panel)
                except Exception as fault:
                    answer = {"rc": 1, "out": repr(fault)}
                left = json.dumps(answer).encode() + b"\n"
                while left:
                    left = left[port.write(left) or 0 :]


if __name__ == "__main__":
    main()
