"""Calibration in three steps: the empty board, all discs black up, all white up; then it is kept.

Each step averages scans and refuses what cannot be right, naming the squares; nothing is kept until all three fit
together. A disc unlike the others is refused too: what was measured with it would not fit another set's.
"""

from array import array

from firmware_py.classify import FULL_SCALE, LEAST_AMPLITUDE, RAIL, Calibration
from firmware_py.frame import (
    NO_DISC,
    NO_SQUARE,
    NOISY,
    NOT_EMPTY,
    REVERSED,
    SENSOR_STUCK,
    STRIP_SILENT,
    UNLIKE,
    WEAK_MAGNETS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_py.ports import Readings

    Wrong = list[tuple[int, int, int]]
    """(square, code of the fault, counts)."""

AT_EMPTY, AT_BLACK, AT_WHITE, KEEP, FORGET = 0, 1, 2, 3, 4
SCANS = 32
# Most counts between highest and lowest reading of one square in a step: above, a hand or disc moved, or it is broken.
MOST_NOISE = 24
# A sensor at rest reads half of its supply, give or take 150 counts; one under a disc 870 more or less.
MIDDLE, MOST_ZERO = 2048, 400
# Limits of a disc's reading, in thousandths of what half of the board exceeds: a calibration with one set of discs must
# fit all.
WEAKEST, STRONGEST = 700, 1400
# Least counts that half of the board must exceed: half of what the magnets, sensors and heights of `hardware/README.md`
# give. Weaker ones would be all alike, and too close to the noise and drift of an empty square.
LEAST_USUAL = 435


class Calibrator:
    """The steps of a calibration, in any order: `begin` starts one, `take` gets every scan until the step is over.

    `step` is the one that is being measured, or None.
    """

    def __init__(self) -> None:
        self._means: list[Readings | None] = [None, None, None]
        self.step: int | None = None

    def begin(self, step: int) -> None:
        self.step = step
        self._scans = 0
        self._sums = array("i", [0] * 64)
        self._lowest = array("h", [32767] * 64)
        self._highest = array("h", [-1] * 64)

    def take(self, raw: "Readings") -> "Wrong | None":
        """Return None while the step goes on, then what is wrong with it: an empty list if nothing is."""
        for square in range(64):
            reading = raw[square]
            self._sums[square] += reading
            if reading < self._lowest[square]:
                self._lowest[square] = reading
            if reading > self._highest[square]:
                self._highest[square] = reading
        self._scans += 1
        if self._scans < SCANS:
            return None
        step, self.step = self.step, None
        assert step is not None
        means = array("h", [total // SCANS for total in self._sums])
        wrong = []
        for square in range(64):
            noise = self._highest[square] - self._lowest[square]
            if noise > MOST_NOISE:
                wrong.append((square, NOISY, noise))
            elif not RAIL <= means[square] <= FULL_SCALE - RAIL:
                wrong.append((square, SENSOR_STUCK, means[square]))
            elif step == AT_EMPTY and abs(means[square] - MIDDLE) > MOST_ZERO:
                wrong.append((square, NOT_EMPTY, means[square] - MIDDLE))
        empty = self._means[AT_EMPTY]
        if not wrong and step != AT_EMPTY and empty is not None:
            sign = 1 if step == AT_BLACK else -1
            wrong = wrong_discs([sign * (means[square] - empty[square]) for square in range(64)])
        self._means[step] = None if wrong else means
        return silent_strips(wrong) + wrong

    def result(self) -> "tuple[Calibration | None, Wrong]":
        """Return the calibration, or None and what is wrong: an empty list if a step is missing."""
        empty, black, white = self._means
        if empty is None or black is None or white is None:
            return None, []
        blacks = [black[square] - empty[square] for square in range(64)]
        whites = [white[square] - empty[square] for square in range(64)]
        wrong = wrong_discs(blacks) or wrong_discs([-reading for reading in whites])
        return (None if wrong else Calibration(empty, blacks, whites)), wrong


def silent_strips(wrong: "Wrong") -> "Wrong":
    """Return a fault for each strip of which no square reads as it should; none if it is so on the whole board."""
    silent = [0] * 8
    for square, code, _ in wrong:
        if code in (SENSOR_STUCK, NO_DISC, NOT_EMPTY, NOISY):
            silent[square // 8] += 1
    strips = [row for row in range(8) if silent[row] == 8]
    return [] if len(strips) == 8 else [(NO_SQUARE, STRIP_SILENT, row) for row in strips]


def wrong_discs(readings: list[int]) -> "Wrong":
    """Return the squares where discs' readings (less zero, right way up positive) are none, reversed, or unlike the
    others'.
    """
    usual = sorted(readings)[32]
    wrong = []
    for square in range(64):
        reading = readings[square]
        if reading <= -LEAST_AMPLITUDE:
            wrong.append((square, REVERSED, reading))
        elif reading < LEAST_AMPLITUDE:
            wrong.append((square, NO_DISC, reading))
        elif usual >= LEAST_AMPLITUDE and not WEAKEST * usual <= 1000 * reading <= STRONGEST * usual:
            wrong.append((square, UNLIKE, reading))
    if not wrong and usual < LEAST_USUAL:
        wrong.append((NO_SQUARE, WEAK_MAGNETS, usual))
    return wrong


_WALKED = "walked"


def as_text(calibration: Calibration, walked: bool = False) -> str:
    """Return the calibration as it is stored: one line a square, a sum that shows a torn file, and a word once the
    board has been walked.
    """
    lines = ["flagfall-calibration/1"]
    total = 0
    for square in range(64):
        values = calibration.zeros[square], calibration.blacks[square], calibration.whites[square]
        total += sum(values)
        lines.append(f"{values[0]} {values[1]} {values[2]}")
    lines.append(f"sum {total}")
    if walked:
        lines.append(_WALKED)
    return "\n".join(lines) + "\n"


def was_walked(text: str) -> bool:
    """Return whether a stored text is that of a board on which every square has been shown to be its own."""
    return text.split("\n")[66:67] == [_WALKED]


def from_text(text: str) -> Calibration | None:
    """Return the calibration of a stored text, or None if it is torn or no calibration."""
    lines = text.split("\n")
    if len(lines) < 66 or lines[0] != "flagfall-calibration/1":
        return None
    rows = []
    try:
        for line in lines[1:65]:
            zero, black, white = [int(word) for word in line.split()]
            rows.append((zero, black, white))
        name, total = lines[65].split()
        if name != "sum" or int(total) != sum(sum(row) for row in rows):
            return None
        calibration = Calibration(
            [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
        )
    except (ValueError, OverflowError):
        return None
    return calibration if calibration.tells_apart() else None
