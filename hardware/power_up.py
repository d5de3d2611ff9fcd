"""Figures that a builder measures at the first power-up and before: ranges from a model of the chip.

Until its firmware runs, the RP2040 pulls each pin down (its pads' state after a reset). So a strip's gate does not
lie at 3V3, but on a divider of R1 and that pull-down; Q1 must not conduct there, whatever its threshold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import kit
import listings
import strip
from pinmap import Map

# Lowest and highest value.
Range = tuple[float, float]
_STRIPS_OF_A_GROUP = 2


@dataclass(frozen=True, slots=True)
class Model:
    """The parts between a pin of the Pico and a strip's switch; each range is the one that its source names."""

    r1_ohm: float
    # Least voltage between source and gate at which Q1 may conduct.
    least_threshold_v: float
    # Typical and greatest current of a sensor.
    sensor_ma: Range
    # Currents of the whole board as it is switched, at 3.3 V: typical, and with all sensors at their greatest.
    board_ma: Range
    # The Pico's 3V3.
    supply_v: Range = (3.2, 3.4)
    # RP2040, pads: pull-down of 50 to 80 kilohm.
    pull_down_ohm: Range = (50_000.0, 80_000.0)
    # RN21.
    series_ohm: float = 100.0
    # Of R1 and RN21: 5 %.
    tolerance: float = 0.05
    usb_v: Range = (4.75, 5.25)
    # The Pico's converter from 5 V to 3.3 V.
    efficiency: Range = (0.85, 0.95)

    def switch_v(self, strips: int) -> Range:
        """Return the voltage between pins 4 and 3 (source and gate of Q1) with so many strips of a group plugged."""
        low, high = (self.r1_ohm * (1 + sign * self.tolerance) / strips for sign in (-1, 1))
        down_low, down_high = (pull_down + self.series_ohm for pull_down in self.pull_down_ohm)
        return (self.supply_v[0] * low / (low + down_high), self.supply_v[1] * high / (high + down_low))

    def gate_ma(self) -> float:
        """Return the most that one group's gates draw while its pin is pulled down."""
        least_ohm = self.pull_down_ohm[0] + self.r1_ohm * (1 - self.tolerance) / _STRIPS_OF_A_GROUP
        return self.supply_v[1] / least_ohm * 1000

    def gates_ohm(self) -> Range:
        """Return the resistance between the pins of two groups, the Pico out of its socket and all strips plugged."""
        middle = 2 * (self.r1_ohm / _STRIPS_OF_A_GROUP + self.series_ohm)
        return middle * (1 - self.tolerance), middle * (1 + self.tolerance)

    def strip_ma(self) -> Range:
        """Return the current of one strip whose gate is at ground."""
        through_r1 = [volts / self.r1_ohm * 1000 for volts in self.supply_v]
        # Its typical current less a quarter: sensors differ.
        return 8 * 0.75 * self.sensor_ma[0] + through_r1[0], 8 * self.sensor_ma[1] + through_r1[1]

    def usb_ma(self) -> Range:
        """Return the current at 5 V while the firmware runs."""
        low, high = self.board_ma
        return (
            low * 3.3 / (self.usb_v[1] * self.efficiency[1]),
            high * 3.3 / (self.usb_v[0] * self.efficiency[0]),
        )


def model(pins: Map, drawn: Mapping[str, Any]) -> Model:
    """Return the model of the kit's parts and the drawing's values."""
    (sensor,) = [part for part in pins["part"] if "U1" in kit.refs(part["ref"])]
    (switch,) = [part for part in pins["part"] if "Q1" in kit.refs(part["ref"])]
    switched = listings.power_milliamperes(pins)["switched"]
    awake = 2 * sensor["each"] / len(pins["pico"]["power"])
    more = awake * (sensor["most_milliamperes"] - sensor["milliamperes"])
    return Model(
        r1_ohm=ohms(drawn["value"]["R"]),
        least_threshold_v=switch["least_threshold_v"],
        sensor_ma=(sensor["milliamperes"], sensor["most_milliamperes"]),
        board_ma=(switched, switched + more),
    )


def ohms(value: str) -> float:
    """Return the ohms of a value as it is printed: `4k7`, `10k`, `100R`."""
    match = re.fullmatch(r"(\d+)([Rk])(\d*)", value)
    if match is None:
        raise ValueError(f"{value}: expected a resistance as 4k7, 10k or 100R")
    return float(f"{match[1]}.{match[3] or 0}") * (1000 if match[2] == "k" else 1)


def faults(values: Model) -> list[str]:
    """Return why a strip could be on before the firmware runs; empty if none can."""
    found = []
    for strips in (1, _STRIPS_OF_A_GROUP):
        most_v = values.switch_v(strips)[1]
        if most_v >= values.least_threshold_v:
            found.append(
                f"R1: {most_v:.2f} V at Q1's gate with {strips} strips before the firmware runs: "
                f"Q1 may conduct from {values.least_threshold_v:g} V on"
            )
    return found


def in_words(values: Range, digits: int, unit: float = 1.0) -> str:
    """Return a range rounded outwards, in another unit."""
    scale = 10**digits / unit
    low, high = math.floor(values[0] * scale) / 10**digits, math.ceil(values[1] * scale) / 10**digits
    return f"{low:.{digits}f} to {high:.{digits}f}"


def gates(values: Model, before_ohm: float) -> list[str]:
    """Return why R1 has its value, and what another one would do."""
    both = (values.switch_v(_STRIPS_OF_A_GROUP)[0], values.switch_v(1)[1])
    before_v = replace(values, r1_ohm=before_ohm).switch_v(1)[1]
    low, high = (ohm / 1000 for ohm in values.pull_down_ohm)
    return [
        f"The RP2040 pulls each pin down by {low:.0f} to {high:.0f} kilohm after a reset, so a strip's gate hangs on a "
        "divider of that and R1.",
        f"With {values.r1_ohm / 1000:g} kilohm it lies {in_words(both, 2)} V below 3V3, and Q1 (which needs "
        f"{values.least_threshold_v:g} V at least) stays off.",
        f"With {before_ohm / 1000:g} kilohm it would be up to {before_v:.2f} V: a good Q1 could conduct.",
    ]


def before_power(values: Model, pins: Map) -> list[str]:
    """Return the table of what is measured without power."""
    first, *_, last = pins["pico"]["power"]
    gates = in_words(values.gates_ohm(), 1, 1000)
    rows = [
        (
            "3V3 and GND, no strip plugged",
            "above 1 kilohm once the capacitors are charged",
            "solder between them; E2's ADDR jumper not cut",
        ),
        ("3V3 and GND, all strips plugged", "the same", "that strip whose plug changes it: its Q1 or C9"),
        (
            f"each of GP{pins['pico']['address'][0]} to GP{last} and its neighbours",
            f"above 1 megohm; between two of GP{first} to GP{last}, strips plugged, {gates} kilohm",
            "solder between two pins; below: R1 of a strip, another value",
        ),
        (
            "pin 1 of each strip and GND; pin 4 and 3V3",
            "below 1 ohm",
            "that plug: turned, out, or a wire of its cable",
        ),
        ("GP26 (TP23), GP27 (TP24) and GND", "above 1 megohm", "SIG of a multiplexer"),
    ]
    return _table(("between", "expect", "else"), rows)


def bench(values: Model) -> list[str]:
    """Return the table of one strip at the bench supply of 3.3 V."""
    rows = [
        ("pin 3 open: the current", "below 1 mA", "Q1 turned or leaks; R1 missing"),
        ("pin 3 open: pin 4 to pin 3", "below 0.05 V", "R1 missing, or a joint of it"),
        (
            "pin 3 to GND: the current",
            f"{in_words(values.strip_ma(), 0)} mA",
            "far above: solder; far below: a sensor's joint",
        ),
        (
            "pin 3 to GND: each of pins 5 to 12 to GND",
            "1.53 to 1.77 V",
            "that sensor: reversed, a cold joint",
        ),
        ("a magnet over a sensor, either side", "0.7 V up or down", "another type of sensor; the distance"),
    ]
    return _table(("at the strip's plug", "expect", "else"), rows)


def first_power_up(values: Model) -> list[str]:
    """Return the table of the first power-up on the centre board, before there is firmware."""
    one, two = (values.switch_v(strips) for strips in (1, _STRIPS_OF_A_GROUP))
    gates_ma = 4 * values.gate_ma()
    pico = "the Pico alone, without firmware"
    rows = [
        (
            pico,
            "3V3 to GND",
            f"{values.supply_v[0]:g} to {values.supply_v[1]:g} V",
            "solder on the centre board",
        ),
        ("", "current", "below 60 mA; write it down", "as before"),
        (
            "strip 1",
            "its pin 4 to its pin 3",
            f"{in_words(one, 2)} V: the chip pulls the gate down a little, and the switch stays off "
            f"(it needs {values.least_threshold_v:g} V)",
            f"0 V: the cable's wire 3, or GP14. Above {values.least_threshold_v:g} V: R1 missing or of another value",
        ),
        ("", "its pins 5 to 12 to GND", "below 0.2 V", "Q1 conducts: turned, or another type"),
        (
            "strips 2 to 8, one by one",
            "current",
            f"no more than {max(1.0, gates_ma):.0f} mA above the Pico's, with all of them",
            "that strip: back to the bench",
        ),
        (
            "strip 5 and so on: the second of a group",
            "pin 4 to pin 3",
            f"{in_words(two, 2)} V",
            "as for strip 1",
        ),
    ]
    return _table(("what is plugged in", "measure", "expect", "else"), rows)


def under_load(values: Model) -> list[str]:
    """Return the table of what is measured while the firmware runs."""
    rows = [
        (
            "all strips, the firmware on the Pico",
            "current",
            f"{in_words(values.usb_ma(), 0)} mA, steady",
            "above: all groups on at once: RN21, GP14 to GP17",
        ),
        (
            "",
            "3V3 to GND, under load",
            "not below 3.15 V",
            "the Pico's regulator: feed the strips from one of their own",
        ),
        ("", "the Pico, after five minutes", "warm, not hot", "as before"),
        (
            "",
            "`flagfall-table doctor --board`",
            "a board with all squares, none at an end of the scale",
            "a square: its sensor; eight: their strip or M; sixteen: M",
        ),
    ]
    return _table(("what runs", "measure", "expect", "else"), rows)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    return [
        f"| {' | '.join(heads)} |",
        f"|{'---|' * len(heads)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def of_the_drawing(pins: Map) -> Model:
    """Return the model of the strip as it is drawn."""
    return model(pins, strip.drawing())
