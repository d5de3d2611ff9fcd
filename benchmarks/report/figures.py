"""The findings of a measurement: figures with their aims, plots, remarks; and the way in which each one is run.

Every bench is a module with `measure(short)`, which yields what it finds. Run by itself it prints it
(`python -m benchmarks.table.law_speed [--short]`); with `--json` one object a line, as the runner reads it.
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

# Least number of runs of a figure; a run that takes longer than `LONG_RUN_S` is made once.
RUNS = 5
LONG_RUN_S = 20.0
# A bench that takes longer is ended.
LONGEST_S = 3600.0
# A short run likewise; most take seconds, on a busy machine some minutes.
LONGEST_SHORT_S = 600.0


class Aim(msgspec.Struct, frozen=True):
    """The value that a figure must reach."""

    limit: float
    at_most: bool
    # Which part of the work set it.
    source: str

    def met_by(self, value: float) -> bool:
        return value <= self.limit if self.at_most else value >= self.limit


def at_most(limit: float, source: str) -> Aim:
    return Aim(limit, True, source)


def at_least(limit: float, source: str) -> Aim:
    return Aim(limit, False, source)


class Yardstick(msgspec.Struct, frozen=True):
    """A measurement of the same run, in the figure's own unit: machines of one size differ threefold, a ratio of two
    things on one machine does not.
    """

    name: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)


class _Kind(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower):
    """A finding of a bench; in JSON its class stands under `kind`, in small letters."""


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
        """Return whether the ratio, or without a yardstick the median, meets the aim; None without an aim."""
        if self.aim is None:
            return None
        return self.aim.met_by(self.median if self.ratio is None else self.ratio)


def median_and_most(
    label: str, unit: str, values: Sequence[float], aim: Aim, note: str = ""
) -> Iterator[Figure]:
    """Yield the middle one of many values and the greatest."""
    yield Figure(f"{label}, median", unit, (statistics.median(values),), aim, note)
    yield Figure(f"{label}, at most", unit, (max(values),), aim)


class Plot(_Kind, frozen=True):
    """Lines over one axis, both logarithmic: no point at or below zero is shown."""

    file: str
    title: str
    x: str
    y: str
    # Name -> points (x, y).
    lines: Mapping[str, Sequence[tuple[float, float]]]


class Remark(_Kind, frozen=True):
    """A text that a reader needs beside the figures: what was left out, and why."""

    text: str


class Table(_Kind, frozen=True):
    """A finding that is not one figure: `rows` under a `head` of as many columns."""

    what: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Found: TypeAlias = Figure | Plot | Remark | Table
Measure: TypeAlias = Callable[[bool], Iterator[Found]]


def seconds(run: Callable[[], object], runs: int = RUNS) -> tuple[float, ...]:
    """Return each run's seconds; one run only if the first takes longer than `LONG_RUN_S`."""
    taken: list[float] = []
    while len(taken) < runs and (not taken or taken[0] < LONG_RUN_S):
        begun = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begun)
    return tuple(taken)


def plain_loop_s() -> float:
    """Return the seconds of a plain loop of a million steps here and now: the least of five, as it only waits for the
    others.
    """
    return min(seconds(_count_down))


def processor_seconds(run: Callable[[], object]) -> float:
    """Return the processor time of this process for one run. Unlike `seconds` it does not count waiting for others, so
    work that waits for nothing has the same figure on a busy machine.
    """
    begun = time.process_time()
    run()
    return time.process_time() - begun


def paced_processor_s(label: str, unit: str, run: Callable[[], object], aim: Aim, runs: int) -> Figure:
    """Return the processor time of `run` beside the plain loop's, measured in turn."""
    scale = {"s": 1, "ms": 1000}[unit]
    pairs = [(scale * processor_seconds(run), scale * processor_seconds(_count_down)) for _ in range(runs)]
    ours, loops = zip(*pairs, strict=True)
    return Figure(label, unit, ours, aim, "processor time", beside=Yardstick(LOOP, loops))


def processor_loop_s() -> float:
    """Return the processor time of a plain loop of a million steps: the least of five."""
    return min(processor_seconds(_count_down) for _ in range(5))


def _count_down() -> None:
    steps = 1_000_000
    while steps:
        steps -= 1


LOOP = "a plain loop of a million steps"


def beside_loop(unit: str) -> Yardstick:
    """Return the plain loop in a figure's unit: its time (s, ms), loops a second (rates), its share of a core (%)."""
    loop_s = plain_loop_s()
    if unit == "%":
        return Yardstick(f"{LOOP} each second", (100 * loop_s,))
    if unit.endswith("/s"):
        return Yardstick(f"{LOOP}, one after the other", (1 / loop_s,))
    return Yardstick(LOOP, (loop_s * {"s": 1, "ms": 1000}[unit],))


def paced(label: str, unit: str, values: Sequence[float], aim: Aim, note: str = "") -> Figure:
    """Return a figure beside the plain loop."""
    return Figure(label, unit, tuple(values), aim, note, beside=beside_loop(unit))


def rates(work: int, taken: Sequence[float]) -> tuple[float, ...]:
    return tuple(work / run_s for run_s in taken)


def p99(values: Sequence[float]) -> float:
    """Return the least value that 99 in a hundred do not exceed."""
    return sorted(values)[math.ceil(0.99 * len(values)) - 1]


def shown(value: float) -> str:
    """Return four figures at most, thousands apart."""
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 if abs(value) >= 1 else 4)}f}".rstrip("0").rstrip(".")


def line(figure: Figure) -> str:
    """Return one figure in one line of text."""
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


def text_of(finding: Found) -> str:
    """Return lines for people."""
    if isinstance(finding, Figure):
        return line(finding)
    if isinstance(finding, Remark):
        return finding.text
    if isinstance(finding, Plot):
        return f"plot {finding.file}: {finding.title}"
    widths = [max(map(len, column)) for column in zip(finding.head, *finding.rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (finding.head, *finding.rows)
    ]
    return "\n".join([f"{finding.what}:", *lines])


def run(measure: Measure, about: str | None) -> None:
    """Run the command line of one bench."""
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
        for finding in measure(options.short):
            _print(finding, options.json)
    except BaseException as failure:  # SystemExit too, with which a thread's fault may come
        traceback.print_exc()
        _give_up(f"failed: {failure!r}")
    too_long.cancel()


def _give_up(why: str) -> None:
    """End the process at once: threads of what was measured must not keep a broken bench alive."""
    print(f"{Path(sys.argv[0]).stem}: {why}", file=sys.stderr, flush=True)
    os._exit(1)


def _print(finding: Found, as_json: bool) -> None:
    if as_json:
        print(msgspec.json.encode(finding).decode())
    else:
        print(text_of(finding))
    sys.stdout.flush()
