"""First contacts with squares: by a disc, told by the square's own sensor, or by a hand, told by electrodes.

A contact is told once, when it begins. Rows and columns cannot say which of their crossings two fingers are on:
then the contact is marked as ambiguous, and commits nobody.
"""

from firmware_py.classify import BLACK, EMPTY, WHITE
from firmware_py.frame import BY_DISC, BY_HAND, NO_SQUARE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_py.ports import Report

# A disc has to read as one in this many scans running: what flies past at a height never does.
DISC_SCANS = 2
HAND_SCANS = 2


class Discs:
    """The contacts of discs with squares that were empty or unreadable before."""

    def __init__(self) -> None:
        self._lies = bytearray(64)
        self._scans = bytearray(64)
        self._since_us = [0] * 64
        self._coming: list[int] = []
        self._before_us = 0

    def update(
        self, values: bytearray, changed: list[int], scan_us: int, settled: bytearray, report: "Report"
    ) -> None:
        """Call `report(square, by, ambiguous, at_us)` for each disc that has come to touch its square.

        `changed` lists the squares whose value is not that of the scan before.
        """
        for square in changed:
            value = values[square]
            if value in (BLACK, WHITE):
                if not self._lies[square] and square not in self._coming:
                    self._coming.append(square)
                    self._scans[square] = 0
                    self._since_us[square] = self._before_us
                continue
            if square in self._coming:
                self._coming.remove(square)
            if value == EMPTY:
                self._lies[square] = 0
        if self._coming:
            self._count(settled, report)
        self._before_us = scan_us

    def _count(self, settled: bytearray, report: "Report") -> None:
        coming, self._coming = self._coming, []
        for square in coming:
            self._scans[square] += 1
            if self._scans[square] < DISC_SCANS:
                self._coming.append(square)
                continue
            self._lies[square] = 1
            # A disc that is turned over in its place is no new contact.
            if settled[square] == EMPTY:
                report(square, BY_DISC, False, self._since_us[square])


class Hands:
    """The contacts of hands: two sets of electrodes as bits, row 1 or column a lowest."""

    def __init__(self) -> None:
        self._reported = (0, 0)
        self._seen = (0, 0)
        self._scans = 0
        self._since_us = 0
        self._before_us = 0

    def update(self, rows: int, columns: int, scan_us: int, report: "Report") -> None:
        """Call `report` when a hand, or one more, has come to touch the board."""
        seen = (rows, columns) if rows and columns else (0, 0)
        if seen != self._seen:
            self._seen = seen
            self._scans = 0
            self._since_us = self._before_us
        self._scans += 1
        if self._scans == HAND_SCANS and seen != self._reported:
            reported_rows, reported_columns = self._reported
            self._reported = seen
            if seen[0] & ~reported_rows or seen[1] & ~reported_columns:
                self._report(seen, (reported_rows, reported_columns) != (0, 0), report)
        self._before_us = scan_us

    def _report(self, seen: tuple[int, int], another: bool, report: "Report") -> None:
        row, column = _only(seen[0]), _only(seen[1])
        if row is None or column is None:
            report(NO_SQUARE, BY_HAND, True, self._since_us)
        else:
            # A finger that wandered on without being lifted may be a second one: which, nobody can say.
            report(8 * row + column, BY_HAND, another, self._since_us)


def _only(bits: int) -> int | None:
    """Return the number of the only bit set, or None."""
    for number in range(8):
        if bits == 1 << number:
            return number
    return None
