"""What a square's reading means: empty, black up, white up, or not known, and never a guess between them.

A reading is weighed against what calibration saw on this very square: 1000 is a disc lying well, 0 nothing. To
become a disc it has to reach `DISC`, to stay one `DISC_STAYS`; likewise for empty. Between them it is not known. What
is empty may drift with temperature, and its zero follows, slowly and only a little.
"""

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from firmware_py.ports import Readings

EMPTY, BLACK, WHITE, UNKNOWN = 0, 1, 2, 3

DISC, DISC_STAYS, DISC_TOO_STRONG = 550, 400, 1600
NOTHING, NOTHING_STAYS = 180, 260
LEAST_AMPLITUDE = 120
"""ADC counts: below this a magnet is missing or lies wrong, and calibration is refused."""
RAIL = 40
"""A sensor this close to either end of the scale is broken or not connected."""
FULL_SCALE = 4095
DRIFT_SHIFT = 10
"""An empty square's zero moves by a 1,024th of the difference a scan: a minute's drift is followed, a disc is not."""
DRIFT_REACH = 40
"""Only this near to the calibrated zero, in counts."""


class Calibration:
    """Each square's zero, and its readings less zero with a black and a white disc (black positive), in counts."""

    def __init__(self, zeros: "Iterable[int]", blacks: "Iterable[int]", whites: "Iterable[int]") -> None:
        self.zeros = array("h", zeros)
        self.blacks = array("h", blacks)
        self.whites = array("h", whites)

    def wrong_square(self) -> int | None:
        """The first square that cannot be told apart with these values, or None."""
        for square in range(64):
            if self.blacks[square] < LEAST_AMPLITUDE or self.whites[square] > -LEAST_AMPLITUDE:
                return square
        return None


class Classifier:
    """`values` holds the last verdict on each square; without a calibration every square is not known."""

    def __init__(self, calibration: "Calibration | None" = None) -> None:
        self.values = bytearray([UNKNOWN] * 64)
        self.calibrate(calibration)

    def calibrate(self, calibration: "Calibration | None") -> None:
        self._calibration = calibration
        # The zero in 1,024ths of a count, so that drift smaller than a count adds up.
        self._zeros = array("i", [0] * 64)
        for square in range(64):
            self.values[square] = UNKNOWN
            if calibration:
                self._zeros[square] = calibration.zeros[square] << DRIFT_SHIFT

    @property
    def calibrated(self) -> bool:
        return self._calibration is not None

    def less_zero(self, raw: "Readings", square: int) -> int:
        """This square's reading less its zero as it is now."""
        return raw[square] - (self._zeros[square] >> DRIFT_SHIFT)

    def classify(self, raw: "Readings") -> None:
        """Judges 64 readings (0..4095) into `values`."""
        calibration = self._calibration
        if calibration is None:
            return
        values, zeros = self.values, self._zeros
        blacks, whites = calibration.blacks, calibration.whites
        for square in range(64):
            reading = raw[square]
            before = values[square]
            if reading < RAIL or reading > FULL_SCALE - RAIL:
                values[square] = UNKNOWN
                continue
            signed = reading - (zeros[square] >> DRIFT_SHIFT)
            if signed >= 0:
                weight, disc = signed * 1000 // blacks[square], BLACK
            else:
                weight, disc = signed * 1000 // whites[square], WHITE
            if weight <= (NOTHING_STAYS if before == EMPTY else NOTHING):
                values[square] = EMPTY
                if before == EMPTY:
                    self._follow(square, signed, calibration.zeros[square])
            elif (DISC_STAYS if before == disc else DISC) <= weight <= DISC_TOO_STRONG:
                values[square] = disc
            else:
                values[square] = UNKNOWN

    def _follow(self, square: int, signed: int, calibrated: int) -> None:
        zero = self._zeros[square] + signed
        if abs((zero >> DRIFT_SHIFT) - calibrated) <= DRIFT_REACH:
            self._zeros[square] = zero
