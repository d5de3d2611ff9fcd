"""The mistakes that a builder can make, each with what reacts then to a disc on a square.

`walk` compares them with what it has seen. Strips, multiplexers and lines count from 0.
"""

from firmware_py.frame import (
    LINES_EXCHANGED,
    LINES_ROUND,
    MIRRORED,
    MULTIPLEXER_AS_ANOTHER,
    MULTIPLEXERS_EXCHANGED,
    MULTIPLEXERS_ROUND,
    MULTIPLEXERS_TOGETHER,
    OUTPUTS_EXCHANGED,
    OUTPUTS_ROUND,
    SENSOR_DEAD,
    SHORTED,
    STRIP_REVERSED,
    STRIP_SILENT,
    STRIPS_EXCHANGED,
    STRIPS_ROUND,
    TURNED,
)
from firmware_py.hwconfig import GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Seen = tuple[int, ...]
    """The squares that react to a disc, strongest first."""
    Suspect = tuple[int, int, int]
    """(code of the fault, its two numbers)."""


def mistakes(walked: "dict[int, Seen]") -> "Iterator[tuple[Suspect, Callable[[int], set[int]]]]":
    """Yield each mistake and a function that returns the squares which react to a disc on a square."""
    yield (TURNED, 0, 0), lambda square: {63 - square}
    yield (MIRRORED, 0, 0), lambda square: {square ^ 7}
    for first in range(8):
        for second in range(first + 1, 8):
            yield (STRIPS_EXCHANGED, first, second), _rows_exchanged(first, second)
        yield (STRIP_REVERSED, first, 0), _row_reversed(first)
        yield (STRIP_SILENT, first, 0), _silent(first)
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
    for order in _orders():
        moved = [line for line in range(4) if order[line] != line]
        yield (LINES_ROUND, moved[0], len(moved)), _lines_in_order(order, places, squares)
    yield from _round(walked, places, squares)
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


def _silent(row: int) -> "Callable[[int], set[int]]":
    return lambda square: set() if square // 8 == row else {square}


def _orders() -> "Iterator[tuple[int, ...]]":
    """Yield each order of the four address lines that is more than one exchange."""
    for a in range(4):
        for b in range(4):
            for c in range(4):
                order = (a, b, c, 6 - a - b - c)
                moved = sum(order[line] != line for line in range(4))
                if len(set(order)) == 4 and order[3] in range(4) and moved > 2:
                    yield order


def _lines_in_order(
    order: tuple[int, ...], places: "dict[int, int]", squares: "dict[int, int]"
) -> "Callable[[int], set[int]]":
    def predict(square: int) -> "set[int]":
        place = places[square]
        channel = 0
        for line in range(4):
            channel |= (place >> line & 1) << order[line]
        return {squares[place & 48 | channel]}

    return predict


def _round(
    walked: "dict[int, Seen]", places: "dict[int, int]", squares: "dict[int, int]"
) -> "Iterator[tuple[Suspect, Callable[[int], set[int]]]]":
    """Yield what goes round in a circle, as was seen: strips, multiplexers, single outputs; of these two as well."""
    single = {square: seen[0] for square, seen in walked.items() if len(seen) == 1}
    rows = _moves(((square // 8, square % 8), (at // 8, at % 8)) for square, at in single.items())
    for circle in _circles(rows):
        if len(circle) > 2:
            yield (STRIPS_ROUND, circle[0], len(circle)), _rows_moved(rows, circle)
    chips = _moves(
        ((places[square] // 16, places[square] % 16), (places[at] // 16, places[at] % 16))
        for square, at in single.items()
    )
    for circle in _circles(chips):
        if len(circle) > 2:
            yield (MULTIPLEXERS_ROUND, circle[0], len(circle)), _chips_moved(chips, circle, places, squares)
    for circle in _circles(single):
        if len(circle) == 2:
            yield (OUTPUTS_EXCHANGED, circle[0], circle[1]), _outputs_moved(single, circle)
        else:
            yield (OUTPUTS_ROUND, circle[0], len(circle)), _outputs_moved(single, circle)


def _moves(seen: "Iterator[tuple[tuple[int, int], tuple[int, int]]]") -> dict[int, int]:
    """Return where each strip or multiplexer reacts, if all of its squares do so at their own place of that one."""
    moves: dict[int, int] = {}
    mixed = set()
    for (whole, place), (at, at_place) in seen:
        if place != at_place or moves.get(whole, at) != at:
            mixed.add(whole)
        moves[whole] = at
    return {whole: at for whole, at in moves.items() if whole not in mixed}


def _circles(moves: dict[int, int]) -> "Iterator[list[int]]":
    """Yield each circle of two and more, its least number first."""
    for first in sorted(moves):
        circle = [first]
        at = moves[first]
        while at > first and at in moves and at not in circle:
            circle.append(at)
            at = moves[at]
        if at == first and len(circle) > 1:
            yield circle


def _rows_moved(rows: dict[int, int], circle: list[int]) -> "Callable[[int], set[int]]":
    return lambda square: {8 * rows[square // 8] + square % 8} if square // 8 in circle else {square}


def _chips_moved(
    chips: dict[int, int], circle: list[int], places: "dict[int, int]", squares: "dict[int, int]"
) -> "Callable[[int], set[int]]":
    def predict(square: int) -> "set[int]":
        multiplexer, channel = divmod(places[square], 16)
        return {squares[16 * chips[multiplexer] + channel]} if multiplexer in circle else {square}

    return predict


def _outputs_moved(single: dict[int, int], circle: list[int]) -> "Callable[[int], set[int]]":
    return lambda square: {single[square]} if square in circle else {square}
