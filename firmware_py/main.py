"""The assembly of the board on a Pico, and its run; nothing else constructs a driver."""

import micropython

# Frames may hold the byte 3, which would otherwise stop the program, and a host may speak at once. Importing the rest
# takes most of a second.
micropython.kbd_intr(-1)

import gc  # noqa: E402
import time  # noqa: E402

import machine  # noqa: E402
import rp2  # noqa: E402

from firmware_py import drivers  # noqa: E402
from firmware_py.board import Board, Parts  # noqa: E402

COLLECT_BYTES = 32768


def run() -> None:
    """Run the board. Return only if BOOTSEL is held in the first second: then the interpreter is left to its
    builder.
    """
    time.sleep_ms(1000)
    if rp2.bootsel_button():
        micropython.kbd_intr(3)
        return
    board = Board(
        Parts(
            sensors=drivers.Sensors(),
            hands=drivers.Electrodes(),
            port=drivers.UsbPort(),
            clock=drivers.Clock(),
            store=drivers.Store(),
            watchdog=drivers.Watchdog(),
            identity=machine.unique_id(),
            restarted_by_watchdog=machine.reset_cause() == machine.WDT_RESET,
        )
    )
    # Once a second or two instead of when all is used up, which takes three times as long.
    gc.threshold(COLLECT_BYTES)
    while True:
        board.step()
