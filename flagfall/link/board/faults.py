"""The faults that a board or an eye reports: codes of `FaultReport`, and their English texts."""

from __future__ import annotations

from collections.abc import Callable

from flagfall.othello.board import square_name

# Codes of `FaultReport`, as in `firmware_py/board.py` and `firmware_py/calibrate.py`.
SENSOR_STUCK, STEP_REFUSED, STEP_DONE, NOT_KEPT = 2, 7, 11, 12
NOISY, NOT_EMPTY, NO_DISC, REVERSED, UNLIKE = 13, 14, 15, 16, 17
# A walk's: what reacts to the disc on the square asked for, and the verdict.
WALK_SEEN, WALK_ELSEWHERE, WALK_SPLIT, WALK_WEAK, WALK_NOTHING = 18, 19, 20, 21, 22
WALK_BEGUN, WALK_PASSED, WALK_FAILED, NOT_WALKED = 23, 24, 25, 26
NOT_CALIBRATED, NO_TOUCH, WEAK_DISC, WEAK_MAGNETS, ZERO_MOVED = 1, 27, 28, 29, 30
# What a walk suspects: its detail is two numbers as bytes, the lower one first.
TURNED, STRIPS_EXCHANGED, STRIP_REVERSED, MULTIPLEXERS_EXCHANGED, MULTIPLEXER_AS_ANOTHER = 40, 41, 42, 43, 44
MULTIPLEXERS_TOGETHER, LINES_EXCHANGED, SHORTED, SENSOR_DEAD = 45, 46, 47, 48
OUTPUTS_EXCHANGED, OUTPUTS_ROUND, STRIPS_ROUND, MULTIPLEXERS_ROUND, LINES_ROUND = 49, 50, 51, 52, 53
MIRRORED, STRIP_SILENT = 54, 55
WALK_RESULTS = frozenset({WALK_SEEN, WALK_ELSEWHERE, WALK_SPLIT, WALK_WEAK, WALK_NOTHING})
WALK_SUSPECTS = frozenset(range(TURNED, STRIP_SILENT + 1))

# Codes of an eye (`eye/speaker.py`).
EYE_NO_BOARD, EYE_LOST, EYE_DARK, EYE_BLURRED, EYE_COVERED = 32, 33, 34, 35, 36
EYE_FAULTS = {
    EYE_NO_BOARD: "eye_no_board",
    EYE_LOST: "eye_lost",
    EYE_DARK: "eye_dark",
    EYE_BLURRED: "eye_blurred",
    EYE_COVERED: "eye_covered",
}

FAULT_TEXTS = {
    NOT_CALIBRATED: "square not calibrated",
    SENSOR_STUCK: "sensor stuck",
    3: "multiplexer line stuck",
    4: "hand electrodes do not answer",
    5: "host does not read, frames dropped",
    6: "command not understood",
    STEP_REFUSED: "calibration step refused",
    8: "restarted by its watchdog",
    9: "self-test passed",
    10: "scan slower than 50 a second",
    STEP_DONE: "calibration step done",
    NOT_KEPT: "calibration not kept, storage failed",
    NOISY: "moved while it was measured",
    NOT_EMPTY: "something lies here",
    NO_DISC: "no disc, or none with a magnet",
    REVERSED: "disc or magnet the other way up",
    EYE_NO_BOARD: "the camera sees no board",
    EYE_LOST: "the camera gives no picture",
    EYE_DARK: "too dark to see the board",
    EYE_BLURRED: "the picture is out of focus",
    EYE_COVERED: "something covers the camera",
    UNLIKE: "disc unlike the others: beside its place, or another magnet",
    WALK_SEEN: "walk: seen",
    WALK_ELSEWHERE: "walk: another square reacts",
    WALK_SPLIT: "walk: two squares react",
    WALK_WEAK: "walk: the disc reads too weak or too strong",
    WALK_NOTHING: "walk: no square reacts",
    WALK_BEGUN: "walk begun",
    WALK_PASSED: "walk passed: every square is its own",
    WALK_FAILED: "walk not passed, squares missing",
    NOT_WALKED: "not walked since its calibration",
    NO_TOUCH: "no hand electrodes: a board without touch",
    WEAK_DISC: "weak disc, or one beside its place",
    WEAK_MAGNETS: "all discs weak: magnets or distance to the sensors",
    ZERO_MOVED: "not as it was empty at calibration: something lies here, or the sensor is broken",
    TURNED: "suspect: the board lies the other way round",
    STRIPS_EXCHANGED: "suspect: cables of strips {first} and {second} exchanged",
    STRIP_REVERSED: "suspect: strip {first} lies reversed",
    MULTIPLEXERS_EXCHANGED: "suspect: M{first} and M{second} exchanged, outputs or enable lines",
    MULTIPLEXER_AS_ANOTHER: "suspect: M{second} answers for M{first}, enable lines",
    MULTIPLEXERS_TOGETHER: "suspect: M{first} and M{second} answer together, enable lines",
    LINES_EXCHANGED: "suspect: address lines S{first} and S{second} exchanged",
    SHORTED: "suspect: outputs of {first} and {second} shorted",
    SENSOR_DEAD: "suspect: sensor of {first} dead, or its wire",
    OUTPUTS_EXCHANGED: "suspect: outputs of {first} and {second} exchanged",
    OUTPUTS_ROUND: "suspect: {second} outputs go round in a circle, from {first} on",
    STRIPS_ROUND: "suspect: cables of {second} strips go round in a circle, from strip {first} on",
    MULTIPLEXERS_ROUND: "suspect: {second} of M0 to M3 go round in a circle, from M{first} on",
    LINES_ROUND: "suspect: {second} address lines in another order, from S{first} on",
    MIRRORED: "suspect: all strips are mirrored, a and h exchanged",
    STRIP_SILENT: "suspect: strip {first} is silent: a plug turned or out, its switch, or its supply",
}
# Faults whose detail is a pair, of strips counted from 1 or of squares.
_OF_STRIPS = (STRIPS_EXCHANGED, STRIP_REVERSED, STRIP_SILENT)
_OF_SQUARES = (SHORTED, SENSOR_DEAD, WALK_SPLIT, OUTPUTS_EXCHANGED)


def detail_as_named(code: int, detail: int, named: Callable[[int], int]) -> int:
    """Return a fault's detail with the squares in it, if it has any, as the table names them."""
    if code == WALK_ELSEWHERE:
        return named(detail)
    if code in _OF_SQUARES:
        return named(detail & 63) | named(detail >> 8 & 63) << 8
    if code == OUTPUTS_ROUND:
        return named(detail & 63) | detail & 63 << 8
    return detail


def pair_in_words(code: int, detail: int) -> dict[str, str]:
    """Return the two numbers of a walk's report as they are printed on the parts and the board."""
    first, second = detail & 63, detail >> 8 & 63
    if code in _OF_SQUARES:
        return {"first": square_name(first), "second": square_name(second)}
    if code == OUTPUTS_ROUND:
        return {"first": square_name(first), "second": str(second)}
    if code == STRIPS_ROUND:
        return {"first": str(first + 1), "second": str(second)}
    count = 1 if code in _OF_STRIPS else 0
    return {"first": str(first + count), "second": str(second + count)}


def fault_in_words(code: int, square: int | None, detail: int) -> str:
    """Return an English text of a fault: what, where and with which figures."""
    text = FAULT_TEXTS.get(code, f"fault {code}")
    if code in WALK_SUSPECTS:
        return text.format(**pair_in_words(code, detail))
    if square is not None:
        text += f" at {square_name(square)}"
    if code == WALK_SPLIT:
        return text + " ({first}, {second})".format(**pair_in_words(code, detail))
    if code == WALK_ELSEWHERE:
        return f"{text} ({square_name(detail & 63)})"
    return text + (f" ({detail})" if detail else "")
