"""The walk: one disc from square to square, which shows that each square is its own.

Calibration cannot see exchanged wires: every square is empty, black or white at once. The host asks for one square
after another; what reacts is compared with what was asked for, and what is wrong is compared with the mistakes that a
builder can make.
"""

from firmware_py.classify import DISC, DISC_TOO_STRONG, NOTHING
from firmware_py.frame import WALK_ELSEWHERE, WALK_NOTHING, WALK_SEEN, WALK_SPLIT, WALK_WEAK
from firmware_py.mistakes import mistakes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_py.classify import Classifier
    from firmware_py.mistakes import Seen, Suspect
    from firmware_py.ports import Readings

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
        for suspect, predict in mistakes(self._seen):
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
