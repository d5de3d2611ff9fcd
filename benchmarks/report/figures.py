"""What a measurement finds: figures with their aims, plots, remarks; and the way in which each one is run.

Every bench is a module with `measure(short)`, which yields what it finds. Run by itself it prints it:
`python -m benchmarks.table.law_speed [--short]`; with `--json` one object a line, as the runner reads it.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

# How often a figure is taken, at least; of a run that takes longer than `LONG_RUN_S` only one is made.
RUNS = 5
LONG_RUN_S = 20.0
# A bench that takes longer is ended.
LONGEST_S = 3600.0
# A short run likewise; most take seconds, on a busy machine some minutes.
LONGEST_SHORT_S = 600.0


class Aim(msgspec.Struct, frozen=True):
    """`source`: which part of the work set it."""

    limit: float
    at_most: bool
    source: str

    def met_by(self, value: float) -> bool:
        return value <= self.limit if self.at_most else value >= self.limit


def at_most(limit: float, source: str) -> Aim:
    return Aim(limit, True, source)


def at_least(limit: float, source: str) -> Aim:
    return Aim(limit, False, source)


class Yardstick(msgspec.Struct, frozen=True):
    """What was measured in the same run, in the figure's own unit: machines of one size differ threefold, a ratio of
    two things on one machine does not."""

    name: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)


class _Kind(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower):
    """What a bench may find; in JSON its class stands under `kind`, in small letters."""


class Figure(_Kind, frozen=True):
    """One line of the table: the same thing measured several times. Beside a yardstick the aim is one of the ratio."""

    what: str
    unit: str
    values: tuple[float, ...]
    aim: Aim | None = None
    note: str = ""
    beside: Yardstick | None = None

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"{self.what}: expected a value at least, got none")

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def ratio(self) -> float | None:
        """The median, in yardsticks."""
        return None if self.beside is None else self.median / self.beside.median

    @property
    def met(self) -> bool | None:
        """Whether the ratio, or without a yardstick the median, meets the aim; None without one."""
        if self.aim is None:
            return None
        return self.aim.met_by(self.median if self.ratio is None else self.ratio)


def median_and_most(
    what: str, unit: str, values: Sequence[float], aim: Aim, note: str = ""
) -> Iterator[Figure]:
    """Of many values the middle one and the greatest."""
    yield Figure(f"{what}, median", unit, (statistics.median(values),), aim, note)
    yield Figure(f"{what}, at most", unit, (max(values),), aim)


class Plot(_Kind, frozen=True):
    """Lines over one axis, both logarithmic: no point at or below zero is shown. `lines`: name -> points (x, y)."""

    file: str
    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


class Remark(_Kind, frozen=True):
    """What a reader must know beside the figures: what was left out, and why."""

    text: str


class Table(_Kind, frozen=True):
    """What is not one figure: `rows` under a `head` of as many columns."""

    what: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Found: TypeAlias = Figure | Plot | Remark | Table
Measure: TypeAlias = Callable[[bool], Iterator[Found]]


def seconds(run: Callable[[], object], runs: int = RUNS) -> tuple[float, ...]:
    """Each run's seconds; one run only if the first takes longer than `LONG_RUN_S`."""
    taken: list[float] = []
    while len(taken) < runs and (not taken or taken[0] < LONG_RUN_S):
        begun = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begun)
    return tuple(taken)


def plain_loop_s() -> float:
    """Seconds of a plain loop of a million steps here and now: the least of five, as it only waits for the others."""
    return min(seconds(_count_down))


def _count_down() -> None:
    steps = 1_000_000
    while steps:
        steps -= 1


LOOP = "a plain loop of a million steps"


def beside_loop(unit: str) -> Yardstick:
    """The plain loop in a figure's unit: its time (s, ms), loops a second (rates), its share of a core (%)."""
    loop_s = plain_loop_s()
    if unit == "%":
        return Yardstick(f"{LOOP} each second", (100 * loop_s,))
    if unit.endswith("/s"):
        return Yardstick(f"{LOOP}, one after the other", (1 / loop_s,))
    return Yardstick(LOOP, (loop_s * {"s": 1, "ms": 1000}[unit],))


def paced(what: str, unit: str, values: Sequence[float], aim: Aim, note: str = "") -> Figure:
    """A figure beside the plain loop."""
    return Figure(what, unit, tuple(values), aim, note, beside=beside_loop(unit))


def rates(work: int, taken: Sequence[float]) -> tuple[float, ...]:
    return tuple(work / one for one in taken)


def p99(values: Sequence[float]) -> float:
    """The least value that 99 in a hundred do not exceed."""
    return sorted(values)[math.ceil(0.99 * len(values)) - 1]


def shown(value: float) -> str:
    """Four figures at most, thousands apart."""
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 if abs(value) >= 1 else 4)}f}".rstrip("0").rstrip(".")


def line(figure: Figure) -> str:
    """One figure in one line of text."""
    least, most = min(figure.values), max(figure.values)
    spread = f" ({shown(least)} to {shown(most)}, {len(figure.values)} runs)" if least != most else ""
    aim = ""
    if figure.beside is not None and figure.ratio is not None:
        beside = f"{figure.beside.name}, {shown(figure.beside.median)} {figure.unit}"
        aim = f"   {shown(figure.ratio)} x {beside}"
    if figure.aim is not None:
        sign = "at most" if figure.aim.at_most else "at least"
        aim += f"   aim: {sign} {shown(figure.aim.limit)}: {'met' if figure.met else 'NOT MET'}"
    note = f"   [{figure.note}]" if figure.note else ""
    return f"{figure.what:<58} {shown(figure.median):>12} {figure.unit}{spread}{aim}{note}"


def text_of(found: Found) -> str:
    """Lines for people."""
    if isinstance(found, Figure):
        return line(found)
    if isinstance(found, Remark):
        return found.text
    if isinstance(found, Plot):
        return f"plot {found.file}: {found.title}"
    widths = [max(map(len, column)) for column in zip(found.head, *found.rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (found.head, *found.rows)
    ]
    return "\n".join([f"{found.what}:", *lines])


def run(measure: Measure, about: str | None) -> None:
    """The command line of one bench."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--short", action="store_true", help="everything once and small, to see that it works"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    longest_s = LONGEST_SHORT_S if options.short else LONGEST_S
    too_long = threading.Timer(longest_s, _give_up, (f"not done after {longest_s:g} s",))
    too_long.daemon = True
    too_long.start()
    try:
        for found in measure(options.short):
            _tell(found, options.json)
    except BaseException as failure:  # SystemExit too, with which a thread's fault may come
        traceback.print_exc()
        _give_up(f"failed: {failure!r}")
    too_long.cancel()


def _give_up(why: str) -> None:
    """End the process at once: threads of what was measured must not keep a broken bench alive."""
    print(f"{Path(sys.argv[0]).stem}: {why}", file=sys.stderr, flush=True)
    os._exit(1)


def _tell(found: Found, as_json: bool) -> None:
    if as_json:
        print(msgspec.json.encode(found).decode())
    else:
        print(text_of(found))
    sys.stdout.flush()
