"""The time of each move as a drawing (SVG): Black's bars rise, White's bars hang, marks above them are incidents."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hub.public.games.replay import ReplayIncident, ReplayStep

WIDTH, HEIGHT = 660, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 8, 22, 22
_GAP = 1.5
_STEPS_S = (2, 4, 6, 10, 20, 30, 40, 60, 90, 120, 180, 240, 300, 420, 600, 900, 1200, 1800)


class Bar(msgspec.Struct, frozen=True):
    """A move's bar: its corner, width and height in the drawing's units."""

    number: int
    by: str
    square: str
    spent_ms: int
    x: float
    y: float
    width: float
    height: float


class AxisTick(msgspec.Struct, frozen=True):
    """A line of the grid: its height `y` and the seconds it stands for."""

    y: float
    seconds: int


class IncidentMark(msgspec.Struct, frozen=True):
    """The mark for all incidents after move `move` (0: before the first)."""

    x: float
    move: int
    happened: tuple[ReplayIncident, ...]


class Plot(msgspec.Struct, frozen=True):
    bars: tuple[Bar, ...]
    ticks: tuple[AxisTick, ...]
    marks: tuple[IncidentMark, ...]
    numbers: tuple[tuple[float, int], ...]
    middle: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT


def plot_of(steps: Sequence[ReplayStep], happened: Sequence[ReplayIncident]) -> Plot | None:
    """Return the drawing, or None if no time is known."""
    timed = [step for step in steps if step.spent_ms is not None]
    if not timed:
        return None
    longest_s = max(step.spent_ms or 0 for step in timed) / 1000
    top_s = next((step for step in _STEPS_S if step >= longest_s), longest_s)
    middle = _TOP + (HEIGHT - _TOP - _BOTTOM) / 2
    scale = (middle - _TOP) / top_s
    width = (WIDTH - _LEFT - _RIGHT) / max(30, len(steps))
    bars = tuple(_bar(step, width, scale, middle) for step in timed)
    lines = {round(top_s / 2), round(top_s)} - {0}
    ticks = tuple(
        AxisTick(_r(middle + sign * seconds * scale), seconds)
        for seconds in sorted(lines)
        for sign in (-1, 1)
    )
    marks = tuple(
        IncidentMark(
            _r(_LEFT + (max(1, move) - 0.5) * width),
            move,
            tuple(incident for incident in happened if incident.move == move),
        )
        for move in sorted({incident.move for incident in happened})
    )
    numbers = tuple((_r(_LEFT + (n - 0.5) * width), n) for n in (1, *range(10, len(steps) + 1, 10)))
    return Plot(bars, ticks, marks, numbers, _r(middle))


def _bar(step: ReplayStep, width: float, scale: float, middle: float) -> Bar:
    spent_ms = step.spent_ms or 0
    height = max(0.8, spent_ms / 1000 * scale)
    y = middle - height if step.by == "black" else middle
    return Bar(
        step.number,
        step.by,
        step.square,
        spent_ms=spent_ms,
        x=_r(_LEFT + (step.number - 1) * width),
        y=_r(y),
        width=_r(max(1, width - _GAP)),
        height=_r(height),
    )


def _r(value: float) -> float:
    return round(value, 1)
