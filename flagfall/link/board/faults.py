"""The faults that a board or an eye reports: codes of `FaultReport`, and their English texts."""

from __future__ import annotations

# Codes of `FaultReport`, as in `firmware_py/board.py` and `firmware_py/calibrate.py`.
SENSOR_STUCK, STEP_REFUSED, STEP_DONE, NOT_KEPT = 2, 7, 11, 12
NOISY, NOT_EMPTY, NO_DISC, REVERSED, UNLIKE = 13, 14, 15, 16, 17

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
    1: "square not calibrated",
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
}
