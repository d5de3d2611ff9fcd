"""Line plots as SVG, small enough to read in a diff."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from html import escape

from benchmarks.figures import Plot, shown

_WIDTH, _HEIGHT = 720, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 230, 40, 50
# Told apart without colour too: each line has its own dashes and mark.
_STYLES = (
    ("#0b5cad", "", "circle"),
    ("#b3470d", "7 4", "square"),
    ("#2f7d32", "2 3", "triangle"),
    ("#7b3fa0", "10 3 2 3", "diamond"),
    ("#444444", "1 5", "circle"),
)


def svg(plot: Plot) -> str:
    points = [point for line in plot.lines.values() for point in line if _visible(plot, point)]
    if not points:
        points = [(1.0, 1.0)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    x_of = _scale(min(xs), max(xs), _LEFT, _WIDTH - _RIGHT, plot.log_x)
    y_of = _scale(min(ys) if plot.log_y else min(0.0, *ys), max(ys), _HEIGHT - _BOTTOM, _TOP, plot.log_y)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="12"><title>{escape(plot.title)}</title>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="22" font-size="15" fill="#111111">{escape(plot.title)}</text>',
    ]
    right, low = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    for tick in _ticks(min(xs), max(xs), plot.log_x):
        place = f"{x_of(tick):.1f}"
        parts.append(f'<path d="M{place} {_TOP}V{low}" stroke="#dddddd"/>')
        parts.append(
            f'<text x="{place}" y="{low + 18}" text-anchor="middle" fill="#333333">{shown(tick)}</text>'
        )
    for tick in _ticks(min(ys) if plot.log_y else min(0.0, *ys), max(ys), plot.log_y):
        height = y_of(tick)
        parts.append(f'<path d="M{_LEFT} {height:.1f}H{right}" stroke="#dddddd"/>')
        parts.append(
            f'<text x="{_LEFT - 8}" y="{height + 4:.1f}" text-anchor="end" fill="#333333">{shown(tick)}</text>'
        )
    parts.append(
        f'<text x="{(_LEFT + right) / 2}" y="{_HEIGHT - 10}" text-anchor="middle" '
        f'fill="#111111">{escape(plot.x)}</text>'
    )
    parts.append(
        f'<text transform="translate(16 {(_TOP + low) / 2}) rotate(-90)" text-anchor="middle" '
        f'fill="#111111">{escape(plot.y)}</text>'
    )
    for number, (name, line) in enumerate(plot.lines.items()):
        colour, dashes, mark = _STYLES[number % len(_STYLES)]
        shown_points = [(x_of(x), y_of(y)) for x, y in line if _visible(plot, (x, y))]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in shown_points)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        if path:
            parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        if len(shown_points) <= 30:
            parts += [_mark(mark, x, y, colour) for x, y in shown_points]
        at = _TOP + 16 + 34 * number
        parts.append(
            f'<path d="M{right + 14} {at}h30" stroke="{colour}" stroke-width="2"{dash}/>'
            f"{_mark(mark, right + 29, at, colour)}"
        )
        for row, words in enumerate(_wrapped(name, 24)):
            parts.append(
                f'<text x="{right + 52}" y="{at + 4 + 14 * row}" fill="#111111">{escape(words)}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def _visible(plot: Plot, point: tuple[float, float]) -> bool:
    return (not plot.log_x or point[0] > 0) and (not plot.log_y or point[1] > 0)


def _scale(least: float, most: float, start: float, end: float, log: bool) -> Callable[[float], float]:
    first, last = (math.log10(least), math.log10(most)) if log else (least, most)
    room = last - first or 1.0

    def of(value: float) -> float:
        return start + (end - start) * ((math.log10(value) if log else value) - first) / room

    return of


def _ticks(least: float, most: float, log: bool) -> Iterator[float]:
    if log:
        decades = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
        inner = (1, 2, 5) if len(decades) <= 4 else (1,)
        found = [base * 10.0**power for power in decades for base in inner]
    else:
        step = 10.0 ** math.floor(math.log10((most - least) or 1.0))
        step = step if (most - least) / step <= 8 else 2 * step
        found = [number * step for number in range(math.floor(least / step), math.ceil(most / step) + 1)]
    yield from (tick for tick in found if least * 0.999 <= tick <= most * 1.001)


def _mark(kind: str, x: float, y: float, colour: str) -> str:
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
    corners = {
        "square": ((-3, -3), (3, -3), (3, 3), (-3, 3)),
        "triangle": ((0, -4), (4, 3), (-4, 3)),
        "diamond": ((0, -5), (4, 0), (0, 5), (-4, 0)),
    }[kind]
    return f'<path d="M{"L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in corners)}Z" fill="{colour}"/>'


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines[:2]
