"""The physics before the sensor board's ADC: discs with magnets over 64 Hall sensors, and all that disturbs
them.

Lengths are millimetres, fields millitesla, voltages millivolts. The magnet is 8 x 1 mm, N42, 6 mm above the
sensor when the disc lies in its square; the sensor gives 30 mV/mT about half of 3.3 V; the ADC has 12 bits
(design facts).
"""

from __future__ import annotations

import math
import random
from array import array
from dataclasses import dataclass, field, replace

from firmware_py import hwconfig

PITCH_MM = 38.0
REST_MM = 6.0
MILLIVOLTS_PER_MILLITESLA = 30.0
SUPPLY_MV = 3300.0
FULL_SCALE = 4095
REMANENCE_MT = 1300.0
MAGNET_RADIUS_MM, MAGNET_THICKNESS_MM = 4.0, 1.0
_COUNTS_PER_MV = FULL_SCALE / SUPPLY_MV


def field_mt(height_mm: float, offset_mm: float) -> float:
    """Return the vertical field under a magnet whose face is `height_mm` above the sensor and `offset_mm` beside it.

    It is exact on the axis; beside it, it falls off as the field of the current around so thin a magnet does: within
    1 % of the whole magnet's field, as `tests/hardware` shows.
    """
    radius, thickness = MAGNET_RADIUS_MM, MAGNET_THICKNESS_MM
    far = height_mm + thickness
    axis = REMANENCE_MT / 2 * (far / math.hypot(far, radius) - height_mm / math.hypot(height_mm, radius))
    middle = height_mm + thickness / 2
    return axis * _loop(middle, offset_mm, radius) / _loop(middle, 0.0, radius)


def _loop(height: float, offset: float, radius: float) -> float:
    """Return the axial field of a current loop, up to a factor: complete elliptic integrals by arithmetic-geometric
    means.
    """
    around = (radius + offset) ** 2 + height**2
    near = (radius - offset) ** 2 + height**2
    a, b = 1.0, math.sqrt(near / around)
    difference, weight = 1 - near / around, 1.0
    total = difference / 2
    while abs(a - b) > 1e-9:
        a, b, difference = (a + b) / 2, math.sqrt(a * b), ((a - b) / 2) ** 2
        total += weight * difference
        weight *= 2
    first = math.pi / 2 / a
    second = first * (1 - total)
    return (first + (radius**2 - offset**2 - height**2) / near * second) / math.sqrt(around)


@dataclass(frozen=True, slots=True)
class Disc:
    """A disc over a square."""

    # Which side is up.
    black: bool
    # How far above its rest.
    lift_mm: float = 0.0
    # How far beside the square's centre.
    beside_mm: tuple[float, float] = (0.0, 0.0)
    # Its magnet's; 0 is a missing magnet, a negative one a magnet mounted the wrong way round.
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Tolerances:
    """The tolerances of real parts; the defaults are the stated worst case (hardware/README.md)."""

    # The spread of the sensors' zeros from end to end.
    zero_mv: float = 228.0
    # The rms of one reading.
    noise_mv: float = 3.0
    # The share by which sensors differ.
    gain: float = 0.05
    # The share by which magnets differ.
    magnets: float = 0.08


# The reading of a sensor without power, and of an input of the ADC that nothing drives.
_ASLEEP = 0
_PLACES = {
    square: (group, multiplexer, channel, adc)
    for group, sensors in enumerate(hwconfig.GROUPS)
    for square, multiplexer, channel, adc in sensors
}
_SQUARES = {(multiplexer, channel): square for square, (_, multiplexer, channel, _) in _PLACES.items()}


@dataclass(frozen=True, slots=True)
class Wiring:
    """The wiring between firmware and sensors; the default is right. Strips, multiplexers and lines count from 0."""

    # The strip whose cable is plugged in at each row's connector.
    strips: tuple[int, ...] = tuple(range(8))
    # Strips that lie the other way round: h where a should be.
    reversed_strips: frozenset[int] = frozenset()
    # Strips whose plug sits the wrong way round: pin 1 where pin 12 should be.
    turned_plugs: frozenset[int] = frozenset()
    # Outputs at another place: the sensor that is wired to each of these connectors' pins, both as squares.
    outputs: tuple[tuple[int, int], ...] = ()
    # The multiplexers that answer when one is asked for: by exchanged or shorted enable lines, or outputs.
    answers: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,), (3,))
    # The line of the multiplexers at which each address line arrives.
    lines: tuple[int, ...] = (0, 1, 2, 3)
    # Groups of squares whose sensors' outputs touch.
    shorted: tuple[frozenset[int], ...] = ()
    # Sensors that give this reading for ever.
    dead: tuple[tuple[int, int], ...] = ()
    # Whether a sensor is read only while its own group has power, and through its own input of the ADC; without, only
    # the exchange itself is seen.
    powered: bool = True

    def read(self, square: int, readings: list[int]) -> int:
        """Return what the firmware reads for a square, of the readings at the squares themselves."""
        group, multiplexer, channel, adc = _PLACES[square]
        arrives = sum((channel >> line & 1) << at for line, at in enumerate(self.lines))
        driven = []
        for answering in self.answers[multiplexer]:
            connector = _SQUARES[answering, arrives]
            has_group, _, _, has_adc = _PLACES[connector]
            if not self.powered or has_adc == adc:
                asleep = self.powered and has_group != group
                driven.append(_ASLEEP if asleep else self._output(connector, readings))
        return sum(driven) // len(driven) if driven else _ASLEEP

    def _output(self, connector: int, readings: list[int]) -> int:
        row, column = divmod(connector, 8)
        strip = self.strips[row]
        if strip in self.turned_plugs:
            return _ASLEEP  # its sensors have no supply
        connector = dict(self.outputs).get(8 * row + column, 8 * row + column)
        row, column = divmod(connector, 8)
        strip = self.strips[row]
        sensor = 8 * strip + (7 - column if strip in self.reversed_strips else column)
        for square, reading in self.dead:
            if square == sensor:
                return reading
        for squares in self.shorted:
            if sensor in squares:
                return sum(readings[square] for square in squares) // len(squares)
        return readings[sensor]


@dataclass(slots=True)
class BoardModel:
    """Sixty-four sensors drawn from `seed`."""

    seed: int = 0
    tolerances: Tolerances = Tolerances()
    # Moves all zeros (temperature).
    drift_mv: float = 0.0
    # An address line.
    stuck_line: int | None = None
    wiring: Wiring = Wiring()
    discs: dict[int, Disc] = field(default_factory=dict)
    _zeros_mv: list[float] = field(init=False)
    _gains: list[float] = field(init=False)
    _fields_mt: list[float] = field(init=False)
    _noise: array[float] = field(init=False)
    _noise_at: int = field(default=0, init=False)
    _chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._chance = chance = random.Random(self.seed)
        half = self.tolerances.zero_mv / 2
        self._zeros_mv = [SUPPLY_MV / 2 + chance.uniform(-half, half) for _ in range(64)]
        self._gains = [1 + chance.uniform(-1, 1) * self.tolerances.gain for _ in range(64)]
        self._fields_mt = [0.0] * 64
        # Drawn once: a prime number of values, so that squares do not get the same ones in step.
        self._noise = array("d", (chance.gauss(0, self.tolerances.noise_mv) for _ in range(10_007)))

    def drawn_disc(self, black: bool) -> Disc:
        """Return a disc as a hand lays it: within the play of its recess, its magnet within tolerance."""
        away, angle = self._chance.uniform(0, 1.5), self._chance.uniform(0, math.tau)
        strength = 1 + self._chance.uniform(-1, 1) * self.tolerances.magnets
        return Disc(black, 0.0, (away * math.cos(angle), away * math.sin(angle)), strength)

    def put(self, square: int, disc: Disc | None) -> None:
        """Set the disc over a square; None removes it."""
        before = self.discs.pop(square, None)
        if before is not None:
            self._add_field(square, before, -1.0)
        if disc is not None:
            self.discs[square] = disc
            self._add_field(square, disc, 1.0)

    def flip(self, square: int) -> None:
        disc = self.discs.get(square)
        if disc is not None:
            self.put(square, replace(disc, black=not disc.black))

    def _add_field(self, square: int, disc: Disc, sign: float) -> None:
        """Add the disc's field at its own sensor and at those two squares around."""
        row, column = divmod(square, 8)
        moment = sign * disc.strength * (1.0 if disc.black else -1.0)
        for near_row in range(max(0, row - 2), min(8, row + 3)):
            for near_column in range(max(0, column - 2), min(8, column + 3)):
                across = (near_column - column) * PITCH_MM - disc.beside_mm[0]
                along = (near_row - row) * PITCH_MM - disc.beside_mm[1]
                strength = field_mt(REST_MM + disc.lift_mm, math.hypot(across, along))
                self._fields_mt[8 * near_row + near_column] += moment * strength

    def reading(self, square: int, quiet: float = 1.0) -> int:
        """Return one conversion of one sensor, its noise times `quiet`."""
        millivolts = (
            self._zeros_mv[square]
            + self.drift_mv
            + self._fields_mt[square] * self._gains[square] * MILLIVOLTS_PER_MILLITESLA
            + self._noise[self._noise_at] * quiet
        )
        self._noise_at = (self._noise_at + 1) % 10_007
        return min(FULL_SCALE, max(0, round(millivolts * _COUNTS_PER_MV)))

    def readings(self, samples: int = 4) -> list[int]:
        """Return the readings of the firmware's scan, by square, each the mean of `samples` conversions."""
        quiet = 1 / math.sqrt(samples)
        readings = [self.reading(square, quiet) for square in range(64)]
        if self.stuck_line is not None:
            readings = [readings[_with_line_low(square, self.stuck_line)] for square in range(64)]
        if self.wiring != Wiring():
            readings = [self.wiring.read(square, readings) for square in range(64)]
        return readings


def _with_line_low(square: int, line: int) -> int:
    """Return the square that is read instead if an address line stays low: channels run over two rows."""
    base, channel = square & ~15, square & 15
    return base | (channel & ~(1 << line))
