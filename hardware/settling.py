"""The time until a reading is right after its channel is chosen: `python hardware/settling.py`, by ngspice.

The line of one sensor as nets.py joins it: sensor, strip and ribbon cable, ESD array, resistor of 1 kilohm,
multiplexer, and the ADC's input, which a second multiplexer loads. Each value is the worst that its source names. Exit
1 if a reading is not right in time; without ngspice nothing is checked, and one line says so.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

# Time that a reading has: one conversion of the ADC (RP2040, 96 cycles of 48 MHz). From the pin that chooses a channel
# to the first of four conversions the firmware's interpreter takes longer than that.
BUDGET_NS = 2_000.0
# Half a count of 12 bits at 3.3 V.
_HALF_COUNT_V = 3.3 / 4096 / 2
_CHOSEN_NS = 1_000.0


@dataclass(frozen=True, slots=True)
class Line:
    """Resistances and capacitances on the way of a reading, in ohms and picofarads."""

    # Output of a DRV5055: 1 mA at most; its buffer is taken as this.
    sensor_ohm: float = 100.0
    # Strip's track of 300 mm and 30 cm of ribbon cable between its neighbours.
    cable_pf: float = 80.0
    # SRV05-4, I/O to ground, at no bias.
    esd_pf: float = 3.0
    series_ohm: float = 1_000.0
    # CD74HC4067, one channel's pin, then its switch: 160 ohm at 4.5 V at most; at 3.3 V taken as twice and a half.
    channel_pf: float = 5.0
    switch_ohm: float = 400.0
    # Common pins of the two multiplexers on one input, 50 pF each, and their tracks.
    common_pf: float = 120.0
    # The RP2040's pin and sampling capacitor.
    adc_pf: float = 6.0


def deck(line: Line, before_v: float, after_v: float) -> str:
    """Return ngspice's text: the common pin leaves a channel of one voltage for a channel of another."""
    chosen = _CHOSEN_NS
    rows = ["* one reading after another channel was chosen"]
    for name, volts in (("a", before_v), ("b", after_v)):
        rows += [
            f"v{name} s{name} 0 dc {volts}",
            f"rs{name} s{name} c{name} {line.sensor_ohm}",
            f"cc{name} c{name} 0 {line.cable_pf + line.esd_pf}p",
            f"rr{name} c{name} m{name} {line.series_ohm}",
            f"cm{name} m{name} 0 {line.channel_pf}p",
            f"sw{name} m{name} com g{name} 0 switch",
        ]
    rows += [
        f".model switch sw vt=1.65 vh=0.1 ron={line.switch_ohm} roff=1e9",
        f"vga ga 0 pulse(3.3 0 {chosen}n 2n 2n 1 2)",
        # Break before make: 6 ns.
        f"vgb gb 0 pulse(0 3.3 {chosen + 6}n 2n 2n 1 2)",
        f"ccom com 0 {line.common_pf + line.adc_pf}p",
        f".tran 1n {chosen + 10 * BUDGET_NS}n 0 1n",
        f".meas tran settled when v(com)={after_v - math.copysign(_HALF_COUNT_V, after_v - before_v)}",
        ".end",
    ]
    return "\n".join(rows) + "\n"


def settle_ns(line: Line, before_v: float, after_v: float) -> float:
    """Return the time from the choice of a channel until half a count is left, as ngspice has it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "reading.cir"
        file.write_text(deck(line, before_v, after_v), "utf-8")
        done = subprocess.run(["ngspice", "-b", file], capture_output=True, text=True, check=False)
    match = re.search(r"^settled\s*=\s*([\d.eE+-]+)", done.stdout, re.MULTILINE)
    if match is None:
        raise ValueError(
            f"ngspice: expected a line `settled`, got {done.stdout[-300:]!r} {done.stderr[-300:]!r}"
        )
    return float(match[1]) * 1e9 - _CHOSEN_NS


def main() -> int:
    if shutil.which("ngspice") is None:
        print("settling: no ngspice here, so NOTHING WAS CHECKED by it (Debian's package ngspice)")
        return 1 if os.environ.get("CI") == "true" else 0
    worst = 0.0
    for before_v, after_v in ((0.2, 3.1), (3.1, 0.2)):
        time_ns = settle_ns(Line(), before_v, after_v)
        worst = max(worst, time_ns)
        print(
            f"from {before_v} V to {after_v} V: within half a count after {time_ns:.0f} ns of {BUDGET_NS:.0f}"
        )
    return 0 if worst < BUDGET_NS else 1


if __name__ == "__main__":
    sys.exit(main())
