"""Runs in the guest, at the other end of the cable that gadget.sh plugs: a board with the first four discs."""

from __future__ import annotations

import os
import select
import time
import tty

from flagfall.othello.board import START
from simulator.plain_body import PlainBody

body = PlainBody("e661385283774f2b", START)
cable = os.open("/dev/ttyGS0", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
tty.setraw(cable)
body.power_on(time.monotonic_ns())
while True:
    heard, _, _ = select.select([cable], [], [], max(0.0, (body.wake_ns - time.monotonic_ns()) / 1e9))
    received = os.read(cable, 4096) if heard else b""
    if heard and not received:
        break  # pulled
    output = body.work(time.monotonic_ns(), received)
    while output:
        try:
            output = output[os.write(cable, output) :]
        except BlockingIOError:
            break  # nobody reads
