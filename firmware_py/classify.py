"""The verdict on a square's reading: empty, black up, white up, or not known, and never a guess between them.

A reading is weighed against what calibration saw on this very square: 1000 is a disc lying well, 0 nothing. To become a
disc it has to reach `DISC`, to stay one `DISC_STAYS`; likewise for empty. Between them it is not known. What is empty
may drift with temperature, and its zero follows, slowly and only a little.

A verdict holds as long as readings stay within its band, so most squares cost no more than two comparisons a scan.
"""

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from firmware_py.ports import Readings

EMPTY, BLACK, WHITE, UNKNOWN = 0, 1, 2, 3

DISC, DISC_STAYS, DISC_TOO_STRONG = 550, 400, 1600
NOTHING, NOTHING_STAYS = 180, 260
# ADC counts: below this a magnet is missing or lies wrong, and calibration is refused.
LEAST_AMPLITUDE = 120
# A sensor this close to either end of the scale is broken or not connected.
RAIL = 40
FULL_SCALE = 4095
# An empty square's zero moves by a 1,024th of the difference a scan: a minute's drift is followed, a disc is not.
DRIFT_SHIFT = 10
# To save time a scan moves the zeros of one square in 16 only, and by the steps of 16 scans.
TURNS = 16
# How far a zero may move from the calibrated one, in counts.
DRIFT_REACH = 40
# A square that reads as more than nothing and less than a disc for so many looks, one in `TURNS` scans, is reported.
WEAK_LOOKS = 16


class Calibration:
    """Each square's zero, and its readings less zero with a black and a white disc (black positive), in counts."""

    def __init__(self, zeros: "Iterable[int]", blacks: "Iterable[int]", whites: "Iterable[int]") -> None:
        self.zeros = array("h", zeros)
        self.blacks = array("h", blacks)
        self.whites = array("h", whites)

    def tells_apart(self) -> bool:
        """Return whether these values separate a disc from none on every square."""
        return min(self.blacks) >= LEAST_AMPLITUDE and max(self.whites) <= -LEAST_AMPLITUDE


class Classifier:
    """The verdicts on all squares; without a calibration every square is not known.

    `values` holds the last verdict on each square, `changed` the squares on which the last scan changed it. `broken` is
    a square whose sensor is at an end of its scale, or None; `weak` one that has read for seconds as more than nothing
    and less than a disc.
    """

    def __init__(self, calibration: "Calibration | None" = None) -> None:
        self.values = bytearray([UNKNOWN] * 64)
        self.changed: list[int] = []
        self.broken: int | None = None
        self.weak: int | None = None
        self._looks = bytearray(64)
        self._lowest = array("h", [0] * 64)
        self._highest = array("h", [0] * 64)
        self._turn = 0
        self.calibrate(calibration)

    def calibrate(self, calibration: "Calibration | None") -> None:
        self.calibration = calibration
        self._anew = True
        # The zero in 1,024ths of a count, so that drift smaller than a count adds up.
        self._zeros = array("i", [0] * 64)
        for square in range(64):
            self.values[square] = UNKNOWN
            self._no_band(square)
            if calibration:
                self._zeros[square] = calibration.zeros[square] << DRIFT_SHIFT

    @property
    def calibrated(self) -> bool:
        return self.calibration is not None

    def less_zero(self, raw: "Readings", square: int) -> int:
        """Return this square's reading less its zero as it is now."""
        return raw[square] - (self._zeros[square] >> DRIFT_SHIFT)

    def weight(self, raw: "Readings", square: int) -> int:
        """Return this square's reading, either way up, in thousandths of its calibrated disc's."""
        calibration = self.calibration
        if calibration is None:
            return 0
        signed = raw[square] - (self._zeros[square] >> DRIFT_SHIFT)
        return signed * 1000 // (calibration.blacks[square] if signed >= 0 else calibration.whites[square])

    def classify(self, raw: "Readings") -> None:
        """Judge 64 readings (0..4095) into `values`."""
        self.broken = self.weak = None
        changed = self.changed
        if changed:
            changed.clear()
        if self._anew:
            self._anew = False
            changed.extend(range(64))
        calibration = self.calibration
        if calibration is None:
            for square in range(64):
                if not RAIL <= raw[square] <= FULL_SCALE - RAIL:
                    self.broken = square
            return
        lowest, highest = self._lowest, self._highest
        for square in range(64):
            if not lowest[square] <= raw[square] <= highest[square]:
                self._judge(square, raw[square], calibration)
        self._turn = (self._turn + 1) % TURNS
        for square in range(self._turn, 64, TURNS):
            value = self.values[square]
            if value == EMPTY:
                self._follow(square, raw[square], calibration)
            if value in (EMPTY, UNKNOWN) and NOTHING < self.weight(raw, square) < DISC:
                if self._looks[square] < WEAK_LOOKS:
                    self._looks[square] += 1
                else:
                    self.weak = square
            else:
                self._looks[square] = 0

    def _judge(self, square: int, reading: int, calibration: "Calibration") -> None:
        """Set the square's new verdict: the reading has left the band of the last one."""
        before = self.values[square]
        verdict = UNKNOWN
        if RAIL <= reading <= FULL_SCALE - RAIL:
            signed = reading - (self._zeros[square] >> DRIFT_SHIFT)
            if signed >= 0:
                weight, disc = signed * 1000 // calibration.blacks[square], BLACK
            else:
                weight, disc = signed * 1000 // calibration.whites[square], WHITE
            if weight <= NOTHING:
                verdict = EMPTY
            elif DISC <= weight <= DISC_TOO_STRONG:
                verdict = disc
        else:
            self.broken = square
        if verdict != before:
            self.values[square] = verdict
            self.changed.append(square)
            self._set_band(square, calibration)

    def _set_band(self, square: int, calibration: "Calibration") -> None:
        """Set the readings with which the verdict stays as it is; none if it is not known."""
        verdict = self.values[square]
        black, white = calibration.blacks[square], -calibration.whites[square]
        if verdict == EMPTY:
            lowest, highest = -_most(NOTHING_STAYS, white), _most(NOTHING_STAYS, black)
        elif verdict == BLACK:
            lowest, highest = _least(DISC_STAYS, black), _most(DISC_TOO_STRONG, black)
        elif verdict == WHITE:
            lowest, highest = -_most(DISC_TOO_STRONG, white), -_least(DISC_STAYS, white)
        else:
            self._no_band(square)
            return
        zero = self._zeros[square] >> DRIFT_SHIFT
        self._lowest[square] = max(zero + lowest, RAIL)
        self._highest[square] = min(zero + highest, FULL_SCALE - RAIL)

    def _no_band(self, square: int) -> None:
        self._lowest[square], self._highest[square] = 1, 0

    def _follow(self, square: int, reading: int, calibration: "Calibration") -> None:
        before = self._zeros[square] >> DRIFT_SHIFT
        zero = self._zeros[square] + TURNS * (reading - before)
        if abs((zero >> DRIFT_SHIFT) - calibration.zeros[square]) <= DRIFT_REACH:
            self._zeros[square] = zero
            if zero >> DRIFT_SHIFT != before:
                self._set_band(square, calibration)


def _least(weight: int, amplitude: int) -> int:
    """Return the smallest difference from zero that weighs this much."""
    return (weight * amplitude + 999) // 1000


def _most(weight: int, amplitude: int) -> int:
    """Return the largest difference from zero that weighs no more than this."""
    return ((weight + 1) * amplitude - 1) // 1000
