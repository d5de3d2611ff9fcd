"""Assembles the board on a Pico and runs it; nothing else constructs a driver."""

import gc
import time

import machine
import micropython
import rp2

from firmware_py import drivers
from firmware_py.board import Board, Parts


def run() -> None:
    """Never returns, unless BOOTSEL is held in the first second: then the interpreter is left to its builder."""
    time.sleep_ms(1000)
    if rp2.bootsel_button():
        return
    # Frames may hold the byte 3, which would otherwise stop the program.
    micropython.kbd_intr(-1)
    board = Board(
        Parts(
            drivers.Sensors(),
            drivers.Electrodes(),
            drivers.UsbPort(),
            drivers.Clock(),
            drivers.Store(),
            drivers.Watchdog(),
            machine.unique_id(),
            machine.reset_cause() == machine.WDT_RESET,
        )
    )
    while True:
        if board.step():
            gc.collect()
