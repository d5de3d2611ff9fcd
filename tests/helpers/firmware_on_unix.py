"""The program that runs the whole firmware in MicroPython's unix port, before a chip whose sensors read the middle."""

from __future__ import annotations

HEAP = "192k"

# The chip's own modules are replaced, and nothing else: `main` assembles and runs what it does on a Pico.
PROGRAM = """
import sys
sys.path.insert(0, {root!r})
class Pin:
    OUT = 1
    def __init__(self, number, mode=0, value=0): pass
    def __call__(self, level): pass
class ADC:
    def __init__(self, pin): pass
    def read_u16(self): return 2048 << 4
class I2C:
    def __init__(self, number, **options): pass
    def writeto_mem(self, address, register, data): pass
    def readfrom_mem_into(self, address, register, into): into[0] = 0
class WDT:
    def __init__(self, timeout): pass
    def feed(self): pass
class machine:
    WDT_RESET = 3
    def unique_id(): return b"unixport"
    def reset_cause(): return 1
for part in (Pin, ADC, I2C, WDT):
    setattr(machine, part.__name__, part)
class rp2:
    def bootsel_button(): return 0
sys.modules["machine"], sys.modules["rp2"] = machine, rp2
from firmware_py.main import run
run()
"""
