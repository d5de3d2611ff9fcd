"""The walk: one disc from square to square, which shows that each square is its own.

Calibration cannot see exchanged wires: every square is empty, black or white at once. The host asks for one square
after another; what reacts is compared with what was asked for, and what is wrong is compared with the mistakes that a
builder can make.
"""

from firmware_py.classify import DISC, DISC_TOO_STRONG, NOTHING
from firmware_py.frame import (
    LINES_EXCHANGED,
    MULTIPLEXER_AS_ANOTHER,
    MULTIPLEXERS_EXCHANGED,
    MULTIPLEXERS_TOGETHER,
    SENSOR_DEAD,
    SHORTED,
    STRIP_REVERSED,
    STRIPS_EXCHANGED,
    TURNED,
    WALK_ELSEWHERE,
    WALK_NOTHING,
    WALK_SEEN,
    WALK_SPLIT,
    WALK_WEAK,
)
from firmware_py.hwconfig import GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from firmware_py.classify import Classifier
    from firmware_py.ports import Readings

    Seen = tuple[int, ...]
    """The squares that react to a disc, strongest first."""
    Suspect = tuple[int, int, int]
    """(code of the fault, its two numbers)."""

# Commands beside the squares 0 to 63: nothing reacts to the disc on the square asked for; begin; give the verdict.
SEES_NOTHING, BEGIN, VERDICT = 64, 65, 66
# Scans for which the same squares react before they are believed.
STEADY_SCANS = 12
# Most counts that a reacting square moves meanwhile: above, the disc is still in a hand.
MOST_MOVED = 30
MOST_SUSPECTS = 4


class Walker:
    """One walk: `ask` names the square that gets the disc, `take` gets every scan while the walk is
    `active`.
    """

    def __init__(self) -> None:
        self.begin()
        self.active = False

    def begin(self) -> None:
        self.active = True
        self.asked: int | None = None
        self._seen: dict[int, Seen] = {}
        self._results: dict[int, tuple[int, int]] = {}
        self._lifted = False
        self._steady = 0
        self._reacting: Seen = ()
        self._first = [0] * 64

    def ask(self, square: int) -> "tuple[int, int] | None":
        """Begin to look for the disc on a square. Return (code, detail) if it has been seen before: the host has
        missed it.
        """
        if square in self._results:
            return self._results[square]
        self.asked = square
        return None

    def take(self, raw: "Readings", classifier: "Classifier") -> "tuple[int, int, int] | None":
        """Return (square, code, detail) once something steadily reacts, after everything has been empty."""
        square = self.asked
        reacting = []
        for place in range(64):
            weight = classifier.weight(raw, place)
            if weight > NOTHING:
                reacting.append((-weight, place))
        if not reacting:
            self._lifted = True
            self._steady = 0
            return None
        reacting.sort()
        seen = tuple([place for _, place in reacting])
        if set(seen) != set(self._reacting):
            self._steady = 0
        for place in seen:
            if self._steady == 0:
                self._first[place] = raw[place]
            elif abs(raw[place] - self._first[place]) > MOST_MOVED:
                self._steady = 0
                self._first[place] = raw[place]
        self._reacting = seen
        self._steady += 1
        if square is None or not self._lifted or self._steady < STEADY_SCANS:
            return None
        return self._record(square, seen, -reacting[0][0])

    def sees_nothing(self) -> "tuple[int, int, int] | None":
        """Record that no square reacts to the disc on the square asked for."""
        return None if self.asked is None else self._record(self.asked, (), 0)

    def _record(self, square: int, seen: "Seen", weight: int) -> tuple[int, int, int]:
        self.asked = None
        self._lifted = False
        self._seen[square] = seen
        code, detail = WALK_SEEN, 0
        if not seen:
            code = WALK_NOTHING
        elif len(seen) > 1:
            code, detail = WALK_SPLIT, seen[0] | seen[1] << 8
        elif seen[0] != square:
            code, detail = WALK_ELSEWHERE, seen[0]
        elif not DISC <= weight <= DISC_TOO_STRONG:
            code, detail = WALK_WEAK, weight
        self._results[square] = code, detail
        return square, code, detail

    @property
    def missing(self) -> int:
        """The number of squares that have not been seen as their own."""
        return 64 - sum(code == WALK_SEEN for code, _ in self._results.values())

    def suspects(self) -> "list[Suspect]":
        """Return the mistakes that explain what is wrong, those that explain most squares first.

        A mistake is suspected if every square that it would move, and that has been walked, reacts as it would then.
        """
        wrong = [square for square, seen in self._seen.items() if seen != (square,)]
        explained = []
        for suspect, predict in _mistakes(self._seen):
            squares: set[int] = set()
            for square, seen in self._seen.items():
                predicted = predict(square)
                if predicted != {square}:
                    if set(seen) != predicted:
                        squares = set()
                        break
                    squares.add(square)
            if squares:
                explained.append((-len(squares), suspect, squares))
        explained.sort(key=_most_explained)
        suspects: list[Suspect] = []
        left, size, taken = set(wrong), 0, set(wrong)
        for count, suspect, squares in explained:
            # Of mistakes that explain the same squares each is named: nobody can tell them apart yet.
            if squares & left or (suspects and count == size and squares == taken):
                suspects.append(suspect)
                left -= squares
                size, taken = count, squares
        return suspects[:MOST_SUSPECTS]


def _most_explained(item: "tuple[int, Suspect, set[int]]") -> "tuple[int, Suspect]":
    return item[0], item[1]


def _mistakes(walked: "dict[int, Seen]") -> "Iterator[tuple[Suspect, Callable[[int], set[int]]]]":
    """Yield each mistake and a function that returns the squares which react to a disc on a square."""
    yield (TURNED, 0, 0), lambda square: {63 - square}
    for first in range(8):
        for second in range(first + 1, 8):
            yield (STRIPS_EXCHANGED, first, second), _rows_exchanged(first, second)
        yield (STRIP_REVERSED, first, 0), _row_reversed(first)
    squares: dict[int, int] = {}
    places: dict[int, int] = {}
    for group in GROUPS:
        for square, multiplexer, channel, _ in group:
            squares[16 * multiplexer + channel] = square
            places[square] = 16 * multiplexer + channel
    for first in range(4):
        for second in range(4):
            if first < second:
                yield (MULTIPLEXERS_EXCHANGED, first, second), _exchanged(first, second, places, squares)
                yield (MULTIPLEXERS_TOGETHER, first, second), _together(first, second, places, squares)
                yield (LINES_EXCHANGED, first, second), _lines(first, second, places, squares)
            if first != second:
                yield (MULTIPLEXER_AS_ANOTHER, first, second), _as_another(first, second, places, squares)
    shorts = set()
    for square, seen in walked.items():
        if len(seen) == 2 and square in seen:
            shorts.add((min(seen), max(seen)))
        elif not seen:
            yield (SENSOR_DEAD, square, 0), _dead(square)
    for low, high in sorted(shorts):
        yield (SHORTED, low, high), _short(low, high)


def _rows_exchanged(first: int, second: int) -> "Callable[[int], set[int]]":
    rows = {first: second, second: first}
    return lambda square: {8 * rows.get(square // 8, square // 8) + square % 8}


def _row_reversed(row: int) -> "Callable[[int], set[int]]":
    return lambda square: {8 * row + 7 - square % 8} if square // 8 == row else {square}


def _dead(dead: int) -> "Callable[[int], set[int]]":
    return lambda square: set() if square == dead else {square}


def _short(low: int, high: int) -> "Callable[[int], set[int]]":
    return lambda square: {low, high} if square in (low, high) else {square}


def _exchanged(
    first: int, second: int, places: "dict[int, int]", squares: "dict[int, int]"
) -> "Callable[[int], set[int]]":
    other = {first: second, second: first}

    def predict(square: int) -> "set[int]":
        multiplexer, channel = divmod(places[square], 16)
        return {squares[16 * other.get(multiplexer, multiplexer) + channel]}

    return predict


def _together(
    first: int, second: int, places: "dict[int, int]", squares: "dict[int, int]"
) -> "Callable[[int], set[int]]":
    def predict(square: int) -> "set[int]":
        multiplexer, channel = divmod(places[square], 16)
        if multiplexer not in (first, second):
            return {square}
        return {squares[16 * first + channel], squares[16 * second + channel]}

    return predict


def _as_another(
    wrong: int, answers: int, places: "dict[int, int]", squares: "dict[int, int]"
) -> "Callable[[int], set[int]]":
    """Return how `answers` reacts in the place of `wrong`: its squares react twice, those of `wrong` never."""

    def predict(square: int) -> "set[int]":
        multiplexer, channel = divmod(places[square], 16)
        if multiplexer == wrong:
            return set()
        return {square, squares[16 * wrong + channel]} if multiplexer == answers else {square}

    return predict


def _lines(
    first: int, second: int, places: "dict[int, int]", squares: "dict[int, int]"
) -> "Callable[[int], set[int]]":
    def predict(square: int) -> "set[int]":
        place = places[square]
        if (place >> first & 1) != (place >> second & 1):
            place ^= 1 << first | 1 << second
        return {squares[place]}

    return predict
