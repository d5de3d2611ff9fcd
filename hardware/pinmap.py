"""The pin map: read, and refused in one line where no board can be built from it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import kit

COLUMNS = "abcdefgh"
HERE = Path(__file__).parent

Map = Mapping[str, Any]


def read(path: Path = HERE / "pinmap.toml") -> Map:
    """Return the pin map with the kit's parts, checked. Raise ValueError that names what is wrong in one line."""
    pins = {**tomllib.loads(path.read_text("utf-8")), "part": kit.read()["part"]}
    check(pins)
    return pins


def check(pins: Map) -> None:
    """Raise ValueError unless no pin is used twice, the chip has every pin, and every row and channel occurs once."""
    pico = [*pins["pico"]["address"], *pins["pico"]["enable"], *pins["pico"]["power"], *pins["pico"]["adc"]]
    pico += [pins["pico"]["sda"], pins["pico"]["scl"]]
    _unique("pico: GPIO", pico)
    for pin in pico:
        if pin not in range(23) and pin not in (26, 27, 28):
            raise ValueError(f"pico: expected a GPIO with a pin (0..22, 26..28), got {pin}")
    if not set(pins["pico"]["adc"]) <= {26, 27, 28}:
        raise ValueError(f"pico: adc: expected GPIO 26..28, got {pins['pico']['adc']}")
    if pins["pico"]["sda"] % 4 != 0 or pins["pico"]["scl"] != pins["pico"]["sda"] + 1:
        raise ValueError("pico: sda, scl: expected a pair of I2C0, as 4 and 5")
    if len(pins["multiplexers"]["adc"]) != len(pins["pico"]["enable"]):
        raise ValueError("multiplexers: adc: expected one input for each enable line")
    _unique("pi: GPIO", [*pins["pi"].values()])
    _unique("strip: row", [strip["row"] for strip in pins["strip"]])
    if sorted(strip["row"] for strip in pins["strip"]) != list(range(1, 9)):
        raise ValueError("strip: expected rows 1..8")
    places = [place[1:] for group in groups(pins) for place in group]
    _unique("strip: multiplexer and channel", [(multiplexer, channel) for multiplexer, channel, _ in places])
    if sorted(pins["connector"]["pins"]) != sorted(["3V3", "GND", "PWR", "ROW", *COLUMNS]):
        raise ValueError("connector: pins: expected 3V3, GND, PWR, ROW and a..h, each once")
    if any(channel > 15 for _, channel, _ in places):
        raise ValueError("strip: channel: expected 0 or 8")


def _unique(noun: str, values: list[Any]) -> None:
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"{noun} {value} is used {values.count(value)} times")


def groups(pins: Map) -> list[list[tuple[int, int, int, int]]]:
    """Return (square, multiplexer, channel, ADC input) of each sensor, by the group it is powered with."""
    sensors: list[list[tuple[int, int, int, int]]] = [[] for _ in pins["pico"]["power"]]
    for strip in pins["strip"]:
        multiplexer = strip["multiplexer"]
        for column in range(8):
            square = 8 * (strip["row"] - 1) + column
            adc = pins["multiplexers"]["adc"][multiplexer]
            sensors[strip["group"]].append((square, multiplexer, strip["channel"] + column, adc))
    return sensors
