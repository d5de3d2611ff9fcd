"""The screens of a board's set-up: its orientation, the steps of its calibration, its walk, and an eye's picture."""

from __future__ import annotations

from flagfall.link.board.eye_view import LINES, EyeView
from flagfall.link.board.faults import (
    LINES_EXCHANGED,
    LINES_ROUND,
    MIRRORED,
    MULTIPLEXER_AS_ANOTHER,
    MULTIPLEXERS_EXCHANGED,
    MULTIPLEXERS_ROUND,
    MULTIPLEXERS_TOGETHER,
    NO_DISC,
    NOISY,
    NOT_EMPTY,
    OUTPUTS_EXCHANGED,
    OUTPUTS_ROUND,
    REVERSED,
    SENSOR_DEAD,
    SENSOR_STUCK,
    SHORTED,
    STRIP_REVERSED,
    STRIP_SILENT,
    STRIPS_EXCHANGED,
    STRIPS_ROUND,
    TURNED,
    UNLIKE,
    WALK_ELSEWHERE,
    WALK_NOTHING,
    WALK_SPLIT,
    WALK_WEAK,
    WEAK_MAGNETS,
    pair_in_words,
)
from flagfall.link.board.messages import Corners
from flagfall.othello.board import Position, parse_position, square_name
from table_app.board.setup import A1, Calibration, CalibrationStep, EyeShown, SetupTouch, SetupView
from table_app.board.walk import SQUARES, BoardWalk, WalkVerdict
from table_app.screen.kit.scene import (
    Fill,
    FilledCircle,
    Hit,
    Item,
    Line,
    Meaning,
    Pixels,
    Rect,
    Scene,
    Words,
)
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
    WEAK_MAGNETS: "wrong_weak",
}
_WALKED_WRONG = {
    WALK_ELSEWHERE: "walk_elsewhere",
    WALK_SPLIT: "walk_split",
    WALK_WEAK: "walk_weak",
    WALK_NOTHING: "walk_nothing",
}
_SUSPECTS = {
    TURNED: "suspect_turned",
    STRIPS_EXCHANGED: "suspect_strips",
    STRIP_REVERSED: "suspect_reversed",
    MULTIPLEXERS_EXCHANGED: "suspect_multiplexers",
    MULTIPLEXER_AS_ANOTHER: "suspect_as_another",
    MULTIPLEXERS_TOGETHER: "suspect_together",
    LINES_EXCHANGED: "suspect_lines",
    SHORTED: "suspect_shorted",
    SENSOR_DEAD: "suspect_dead",
    OUTPUTS_EXCHANGED: "suspect_outputs",
    OUTPUTS_ROUND: "suspect_outputs_round",
    STRIPS_ROUND: "suspect_strips_round",
    MULTIPLEXERS_ROUND: "suspect_multiplexers_round",
    LINES_ROUND: "suspect_lines_round",
    MIRRORED: "suspect_mirrored",
    STRIP_SILENT: "suspect_silent",
}
_MOST_LINES = 5
# Lines of a walk, above three buttons.
_MOST_WALKED = 4


class SetUp(Meaning, frozen=True):
    """A step of the board's set-up, asked for from the face, the judge's panel or the set-up itself."""

    step: SetupTouch


class DragCorner(Meaning, frozen=True):
    """The eye's picture: a touch drags the nearest corner."""


def setup_scene(setup: SetupView, screen: Rect, look: Look) -> Scene:
    px = look.px
    body = screen.inset(px(16))
    if screen.h > screen.w:
        board, right = body.top(body.h - px(440)), body.foot(px(432))
    else:
        board, right = body.left(body.h), body.beside(body.h + px(24))
    calibration = setup.calibration
    if setup.walk is not None:
        walk = setup.walk
        rings = 1 << walk.square if walk.square < SQUARES else sum(1 << square for square, _, _ in walk.wrong)
        return (*diagram(board, Position(0, 0), look, Marks(rings)), *_walk_step(walk, right, look))
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
            ButtonChoice(SetUp(SetupTouch.NOT_TURNED), words("a1 is as marked")),
            ButtonChoice(SetUp(SetupTouch.TURNED), words("a1 is opposite")),
            ButtonChoice(SetUp(SetupTouch.CALIBRATE), words("Calibrate the board")),
            ButtonChoice(SetUp(SetupTouch.CLOSE), words("Later")),
        ]
    else:
        title = words(
            "The board lies the other way round" if setup.turned else "The board lies as it is numbered"
        )
        hint = words("Squares are named from Black's side. Kept for this board.")
        choices = [
            ButtonChoice(SetUp(SetupTouch.CLOSE), words("OK"), strong=True),
            ButtonChoice(SetUp(SetupTouch.CORNER), words("Again")),
            ButtonChoice(SetUp(SetupTouch.CALIBRATE), words("Calibrate the board")),
            ButtonChoice(SetUp(SetupTouch.WALK), words("Check every square")),
        ]
    return [*_title_and_hint(title, hint, rect, look), *_buttons(choices, rect, look)]


def _calibration_step(calibration: Calibration, rect: Rect, look: Look) -> list[Item]:
    words = look.words
    close = ButtonChoice(SetUp(SetupTouch.CLOSE), words("Later"))
    if calibration.step is CalibrationStep.DONE:
        hint = words("Wires may still be exchanged: check every square.")
        choices = [ButtonChoice(SetUp(SetupTouch.WALK), words("Check every square"), strong=True), close]
        return [
            *_title_and_hint(words("The board is calibrated"), hint, rect, look),
            *_buttons(choices, rect, look),
        ]
    if calibration.asked_ns is not None:
        return [*_title_and_hint(words("Measuring"), words("Hands off the board for a second"), rect, look)]
    step = min(calibration.step, CalibrationStep.WHITE)
    title = words(TEXTS[f"setup_{step.name.lower()}"])
    items = _title_and_hint(title, words("Calibration, step {step} of 3", step=step + 1), rect, look)
    items += _alerts(_complaints(calibration, look), rect, look)
    again = calibration.wrong or calibration.trouble
    measure = ButtonChoice(SetUp(SetupTouch.MEASURE), words("Again" if again else "Measure"), strong=True)
    return [*items, *_buttons([measure, close], rect, look)]


def _complaints(calibration: Calibration, look: Look) -> list[str]:
    """Return the faults, in a few words a line."""
    words = look.words
    lines = []
    if calibration.trouble:
        lines.append(words(TEXTS[f"setup_{calibration.trouble.name.lower()}"]))
    lines += [words(TEXTS["suspect_silent"], first=str(strip + 1)) for strip in calibration.silent[:2]]
    most = _MOST_LINES - len(calibration.silent[:2])
    for square, code in calibration.wrong[:most]:
        where = words("Everywhere") if square is None else square_name(square)
        lines.append(
            words("{where}: {what}", where=where, what=words(TEXTS[_WRONG.get(code, "wrong_stuck")]))
        )
    if len(calibration.wrong) > most:
        lines.append(words("and {count} more squares", count=len(calibration.wrong) - most))
    return lines


def _alerts(lines: list[str], rect: Rect, look: Look) -> list[Item]:
    px = look.px
    return [
        look.strong(rect.below(px(140) + above * px(26)).top(px(26)), line, "small", "alert")
        for above, line in enumerate(lines)
    ]


def _walk_step(walk: BoardWalk, rect: Rect, look: Look) -> list[Item]:
    words = look.words
    close = ButtonChoice(SetUp(SetupTouch.CLOSE), words("Later"))
    if walk.verdict is not WalkVerdict.NONE:
        return _walk_verdict(walk, rect, look)
    if not walk.begun or walk.square == SQUARES:
        return _title_and_hint(words("Waiting for the board"), "", rect, look)
    square = square_name(walk.square)
    title = words("A disc on {square}, and no other disc", square=square)
    hint = words("Square {number} of 64. Go on when the ring does.", number=walk.square + 1)
    choices = [
        ButtonChoice(SetUp(SetupTouch.NOTHING), words("The disc lies there: nothing happens")),
        ButtonChoice(SetUp(SetupTouch.STOP), words("Stop and show the result")),
        close,
    ]
    return [
        *_title_and_hint(title, hint, rect, look),
        *_alerts(_walked_wrong(walk, look, 3), rect, look),
        *_buttons(choices, rect, look),
    ]


def _walk_verdict(walk: BoardWalk, rect: Rect, look: Look) -> list[Item]:
    words = look.words
    title = words(TEXTS[f"walk_{walk.verdict.name.lower()}"])
    if walk.verdict is WalkVerdict.PASSED:
        done = ButtonChoice(SetUp(SetupTouch.CLOSE), words("OK"), strong=True)
        hint = words("Each of the 64 squares is its own.")
        return [*_title_and_hint(title, hint, rect, look), *_buttons([done], rect, look)]
    lines = [
        words(TEXTS[_SUSPECTS[code]], **pair_in_words(code, detail))
        for code, detail in walk.suspects[:_MOST_WALKED]
    ]
    lines += _walked_wrong(walk, look, _MOST_WALKED - len(lines))
    hint = words("Look there first, then check every square again.") if walk.suspects else ""
    choices = [
        ButtonChoice(SetUp(SetupTouch.WALK), words("Again"), strong=True),
        ButtonChoice(SetUp(SetupTouch.CALIBRATE), words("Calibrate the board")),
        ButtonChoice(SetUp(SetupTouch.CLOSE), words("Later")),
    ]
    return [
        *_title_and_hint(title, hint, rect, look),
        *_alerts(lines, rect, look),
        *_buttons(choices, rect, look),
    ]


def _walked_wrong(walk: BoardWalk, look: Look, most: int) -> list[str]:
    """Return the last squares that were not seen as their own, one a line."""
    words = look.words
    lines = []
    for square, code, detail in walk.wrong[-most:] if most > 0 else ():
        numbers = pair_in_words(code, detail)
        if code == WALK_ELSEWHERE:
            numbers = {"first": square_name(detail & 63)}
        what = words(TEXTS[_WALKED_WRONG[code]], **numbers)
        lines.append(words("{where}: {what}", where=square_name(square), what=what))
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


def picture_place(screen: Rect, look: Look) -> Rect:
    """Return the place of the picture on a screen, 4 to 3."""
    px, width, height = look.px, screen.w, screen.h
    wide = min(width - px(32), px(448) if width >= height else width, round((height - px(24)) / 0.75))
    return Rect(px(16), px(12), wide, round(wide * 0.75))


def fitted(view: EyeView, place: Rect) -> Rect:
    """Return the part of the place that this picture fills."""
    wide = min(place.w, round(place.h * view.width / view.height))
    return place.middle(wide, round(wide * view.height / view.width))


def eye_scene(setup: SetupView, shown: EyeShown, screen: Rect, look: Look) -> Scene:
    px, width, height = look.px, screen.w, screen.h
    place = picture_place(screen, look)
    if width >= height:
        right = Rect(place.right + px(20), px(12), width - place.right - px(36), height - px(24))
        below = Rect(place.x, place.bottom + px(6), place.w, height - place.bottom - px(12))
    else:
        below = place.below(place.h + px(6)).top(px(54))
        right = Rect(place.x, below.bottom + px(8), place.w, height - below.bottom - px(20))
    hint = look.words("Board not found? Drag the four marks onto the corners of its playing surface")
    return (
        Fill(place, "solid"),
        *_picture(setup, shown, place, look),
        look.text(below, hint, "small", "muted", lines=2),
        *_findings(setup, shown.view, right, look),
    )


def _picture(setup: SetupView, shown: EyeShown, place: Rect, look: Look) -> list[Item]:
    view = shown.view
    if view is None:
        return [look.text(place, look.words("Waiting for a picture"), colour="solid_ink", align="centre")]
    on = fitted(view, place)
    items: list[Item] = [Pixels(on, view.width, view.height, view.pixels)]
    thick = max(1, look.px(1.6))
    if shown.corners:
        items += _outline(shown.corners, on, thick)
    elif view.grid:
        points = [_at(point, on) for point in view.grid]
        for line in range(LINES):
            for number in range(LINES - 1):
                along, down = LINES * line + number, LINES * number + line
                items.append(Line(points[along], points[along + 1], "card", thick))
                items.append(Line(points[down], points[down + LINES], "card", thick))
        items += _discs(view, points, look)
    else:
        items += _outline(usual_corners(), on, thick)
    items += _handles(shown.corners or view.corners or usual_corners(), on, look)
    if view.grid and not shown.corners:
        items += _a1_label(setup, view, on, look)
    return [*items, Hit(place, DragCorner())]


def usual_corners() -> Corners:
    """Return the places at which the corners are drawn for dragging while none are known."""
    return ((0.2, 0.1), (0.8, 0.1), (0.8, 0.9), (0.2, 0.9))


def _at(share: tuple[float, float], on: Rect) -> tuple[int, int]:
    return on.x + round(share[0] * on.w), on.y + round(share[1] * on.h)


def _outline(corners: Corners, on: Rect, thick: int) -> list[Item]:
    points = [_at(corner, on) for corner in corners]
    return [Line(points[i], points[(i + 1) % 4], "card", thick) for i in range(4)]


def _handles(corners: Corners, on: Rect, look: Look) -> list[Item]:
    edge = max(2, look.px(3))
    return [FilledCircle(_around(_at(corner, on), look.px(22)), "", "card", edge) for corner in corners]


def _around(middle: tuple[int, int], side: int) -> Rect:
    return Rect(middle[0] - side // 2, middle[1] - side // 2, side, side)


def _discs(view: EyeView, points: list[tuple[int, int]], look: Look) -> list[Item]:
    """Return the contents that the eye reads on each square, drawn small, so that people can compare."""
    items: list[Item] = []
    position = parse_position(view.squares)
    small = look.px(14)
    for square in range(64):
        seen = square if view.a1 == 0 else _place_in_picture(square)
        row, column = divmod(seen, 8)
        around = [points[LINES * (row + r) + column + c] for r in (0, 1) for c in (0, 1)]
        middle = sum(point[0] for point in around) // 4, sum(point[1] for point in around) // 4
        rect, bit, edge = _around(middle, small), 1 << square, max(1, look.px(2))
        if position.unknown & bit:
            items.append(Words(rect.inset(-small // 2), "?", 2 * small, "card", "strong", align="centre"))
        elif position.black & bit:
            items.append(FilledCircle(rect, "disc_black", "disc_rim", edge))
        elif position.white & bit:
            items.append(FilledCircle(rect, "disc_white", "disc_edge", edge))
    return items


def _place_in_picture(square: int) -> int:
    """Return the square's place in the picture, in which a1 is top right."""
    column, row = square % 8, square // 8
    return 8 * column + 7 - row


def _a1_label(setup: SetupView, view: EyeView, on: Rect, look: Look) -> list[Item]:
    """Return the label "a1" at its corner."""
    corner = (view.a1 + (2 if setup.turned else 0)) % 4
    x, y = _at(view.corners[corner], on)
    wide, high = look.px(34), look.px(24)
    left = x + look.px(8) if corner in (1, 2) else x - look.px(8) - wide
    place = Rect(min(max(left, on.x), on.right - wide), y - high // 2, wide, high)
    return [Fill(place, "solid", look.px(5)), look.strong(place, "a1", "small", "solid_ink", align="centre")]


def _findings(setup: SetupView, view: EyeView | None, rect: Rect, look: Look) -> list[Item]:
    words, px = look.words, look.px
    faults = view.faults if view is not None else ("lost",)
    start = view is not None and view.start
    fit = not faults and start and setup.turned is not None
    banner, title = rect.top(px(52)), words("Fit to play" if fit else "The camera above the board")
    ground, ink = ("running", "running_ink") if fit else ("card", "ink")
    items: list[Item] = [
        Fill(banner, ground, px(8)),
        look.strong(banner.inset(px(10), 0), title, colour=ink, align="centre", lines=2),
    ]
    lines = [words(TEXTS[f"eye_fault_{fault}"]) for fault in faults]
    if not faults and not start:
        lines.append(words("Lay out the start position"))
    if setup.turned is None:
        lines.append(words("Is a1 at Black's far left?"))
    for above, line in enumerate(lines[:4]):
        place = rect.below(banner.h + px(8) + above * (px(44) + px(2))).top(px(44))
        items.append(look.strong(place, line, "small", "alert", lines=2))
    choices = []
    if setup.turned is None:
        choices.append(ButtonChoice(SetUp(SetupTouch.NOT_TURNED), words("a1 is as marked"), strong=True))
    turn = SetupTouch.NOT_TURNED if setup.turned else SetupTouch.TURNED
    choices.append(ButtonChoice(SetUp(turn), words("a1 is opposite")))
    choices.append(ButtonChoice(SetUp(SetupTouch.FIND), words("Find the board")))
    choices.append(ButtonChoice(SetUp(SetupTouch.CLOSE), words("OK") if fit else words("Later"), strong=fit))
    return [*items, *button_rows(rect.foot(px(60 * len(choices))), choices, look, 1, 52)]
