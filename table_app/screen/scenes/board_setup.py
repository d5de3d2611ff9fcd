"""The screens of a board's set-up: the corner that gives its orientation, and the three steps of its calibration."""

from __future__ import annotations

from flagfall.link.board.faults import NO_DISC, NOISY, NOT_EMPTY, REVERSED, SENSOR_STUCK, UNLIKE
from flagfall.othello.board import Position
from flagfall.othello.notation import square_name
from table_app.board.calibration import Calibration, CalibrationStep
from table_app.board.setup import A1, SetupView
from table_app.screen.kit.scene import Item, Rect, Scene, Tap
from table_app.screen.kit.widgets import ButtonChoice, Look, Marks, button_rows, diagram
from table_app.texts import TEXTS

_ALL = (1 << 64) - 1
# In the later steps every disc lies white up.
_LYING = {CalibrationStep.EMPTY: Position(0, 0), CalibrationStep.BLACK: Position(_ALL, 0)}
_WRONG = {
    SENSOR_STUCK: "wrong_stuck",
    NOISY: "wrong_moved",
    NOT_EMPTY: "wrong_not_empty",
    NO_DISC: "wrong_no_disc",
    REVERSED: "wrong_reversed",
    UNLIKE: "wrong_unlike",
}
_MOST_LINES = 5


def asking(step: str) -> Tap:
    """Return a touch that asks for a step of the set-up."""
    return Tap("board_setup", value=step)


def setup_scene(setup: SetupView, screen: Rect, look: Look) -> Scene:
    px = look.px
    body = screen.inset(px(16))
    if screen.h > screen.w:
        board, right = body.top(body.h - px(440)), body.foot(px(432))
    else:
        board, right = body.left(body.h), body.beside(body.h + px(24))
    calibration = setup.calibration
    if calibration is None:
        return (*diagram(board, Position(0, 0), look, Marks(1 << A1)), *_corner_question(setup, right, look))
    rings = sum(1 << square for square, _ in calibration.wrong if square is not None)
    return (
        *diagram(board, _LYING.get(calibration.step, Position(0, _ALL)), look, Marks(rings)),
        *_calibration_step(calibration, right, look),
    )


def _corner_question(setup: SetupView, rect: Rect, look: Look) -> list[Item]:
    words = look.words
    if setup.turned is None:
        title = words("Black: touch the corner of the board at your far left")
        hint = words("With a finger or a disc, on the board itself. That square is a1.")
        choices = [
            ButtonChoice(asking("not_turned"), words("As it is numbered")),
            ButtonChoice(asking("turned"), words("The other way round")),
            ButtonChoice(asking("calibrate"), words("Calibrate the board")),
            ButtonChoice(asking("close"), words("Later")),
        ]
    else:
        title = words(
            "The board lies the other way round" if setup.turned else "The board lies as it is numbered"
        )
        hint = words("Squares are named from Black's side. Kept for this board.")
        choices = [
            ButtonChoice(asking("close"), words("OK"), strong=True),
            ButtonChoice(asking("corner"), words("Again")),
            ButtonChoice(asking("calibrate"), words("Calibrate the board")),
        ]
    return [*_title_and_hint(title, hint, rect, look), *_buttons(choices, rect, look)]


def _calibration_step(calibration: Calibration, rect: Rect, look: Look) -> list[Item]:
    words = look.words
    close = ButtonChoice(asking("close"), words("Later"))
    if calibration.step is CalibrationStep.DONE:
        done = ButtonChoice(asking("close"), words("OK"), strong=True)
        hint = words("For any set of discs of the same build.")
        return [
            *_title_and_hint(words("The board is calibrated"), hint, rect, look),
            *_buttons([done], rect, look),
        ]
    if calibration.asked_ns is not None:
        return [*_title_and_hint(words("Measuring"), words("Hands off the board for a second"), rect, look)]
    step = min(calibration.step, CalibrationStep.WHITE)
    title = words(TEXTS[f"setup_{step.name.lower()}"])
    items = _title_and_hint(title, words("Calibration, step {step} of 3", step=step + 1), rect, look)
    for above, line in enumerate(_complaints(calibration, look)):
        below = rect.below(look.px(140) + above * look.px(26)).top(look.px(26))
        items.append(look.strong(below, line, "small", "alert"))
    again = calibration.wrong or calibration.trouble
    measure = ButtonChoice(asking("measure"), words("Again" if again else "Measure"), strong=True)
    return [*items, *_buttons([measure, close], rect, look)]


def _complaints(calibration: Calibration, look: Look) -> list[str]:
    """Return the faults, in a few words a line."""
    words = look.words
    lines = []
    if calibration.trouble:
        lines.append(words(TEXTS[f"setup_{calibration.trouble.name.lower()}"]))
    for square, code in calibration.wrong[:_MOST_LINES]:
        where = words("Everywhere") if square is None else square_name(square)
        lines.append(
            words("{where}: {what}", where=where, what=words(TEXTS[_WRONG.get(code, "wrong_stuck")]))
        )
    if len(calibration.wrong) > _MOST_LINES:
        lines.append(words("and {count} more squares", count=len(calibration.wrong) - _MOST_LINES))
    return lines


def _title_and_hint(title: str, hint: str, rect: Rect, look: Look) -> list[Item]:
    px = look.px
    return [
        look.strong(rect.top(px(84)), title, "name", lines=2),
        look.text(rect.below(px(84)).top(px(54)), hint, "small", "muted", lines=2),
    ]


def _buttons(choices: list[ButtonChoice], rect: Rect, look: Look) -> list[Item]:
    """Return the buttons at the bottom, the first one highest."""
    return button_rows(rect.foot(look.px(64 * len(choices))), choices, look, 1, 56)
