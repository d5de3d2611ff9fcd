"""Calibration in three steps: the empty board, all discs black up, all white up; then it is kept.

Each step averages scans and refuses what cannot be right, naming the square; nothing is kept until all three fit
together.
"""

from array import array

from firmware_py.classify import FULL_SCALE, RAIL, Calibration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_py.ports import Readings

AT_EMPTY, AT_BLACK, AT_WHITE, KEEP, FORGET = 0, 1, 2, 3, 4
SCANS = 32
MOST_NOISE = 24
"""Counts between highest and lowest reading of one square in a step: above, a hand or disc moved, or it is broken."""


class Calibrator:
    """Steps in any order; `begin` starts one, `take` gets every scan until it says that the step is over."""

    def __init__(self) -> None:
        self._means: list[Readings | None] = [None, None, None]
        self._step: int | None = None

    @property
    def busy(self) -> bool:
        return self._step is not None

    def begin(self, step: int) -> None:
        self._step = step
        self._scans = 0
        self._sums = array("i", [0] * 64)
        self._lowest = array("h", [32767] * 64)
        self._highest = array("h", [-1] * 64)

    def take(self, raw: "Readings") -> tuple[int | None, int] | None:
        """None while the step goes on; then (wrong square or None, its noise or reading)."""
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
        step, self._step = self._step, None
        assert step is not None
        means = array("h", [total // SCANS for total in self._sums])
        for square in range(64):
            if self._highest[square] - self._lowest[square] > MOST_NOISE:
                return square, self._highest[square] - self._lowest[square]
            if not RAIL <= means[square] <= FULL_SCALE - RAIL:
                return square, means[square]
        self._means[step] = means
        return None, 0

    def result(self) -> tuple[Calibration | None, int | None]:
        """(the calibration or None, wrong square or None)."""
        empty, black, white = self._means
        if empty is None or black is None or white is None:
            return None, None
        found = Calibration(
            empty,
            [black[square] - empty[square] for square in range(64)],
            [white[square] - empty[square] for square in range(64)],
        )
        wrong = found.wrong_square()
        return (None if wrong is not None else found), wrong


def as_text(calibration: Calibration) -> str:
    """The calibration as it is stored: one line a square, and a sum that tells a torn file."""
    lines = ["flagfall-calibration/1"]
    total = 0
    for square in range(64):
        values = calibration.zeros[square], calibration.blacks[square], calibration.whites[square]
        total += sum(values)
        lines.append(f"{values[0]} {values[1]} {values[2]}")
    lines.append(f"sum {total}")
    return "\n".join(lines) + "\n"


def from_text(text: str) -> Calibration | None:
    """The calibration of a stored text; None where it is torn or is none."""
    lines = text.split("\n")
    if len(lines) < 66 or lines[0] != "flagfall-calibration/1":
        return None
    rows = []
    try:
        for line in lines[1:65]:
            zero, black, white = [int(word) for word in line.split()]
            rows.append((zero, black, white))
        name, total = lines[65].split()
        if name != "sum" or int(total) != sum([sum(row) for row in rows]):
            return None
        found = Calibration([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
    except (ValueError, OverflowError):
        return None
    return found if found.wrong_square() is None else None
