"""The time that a clock loses over a million random presses: ours, and the two common mistakes.

    python -m benchmarks.table.clock_exactness [--short]

Ticks: every 100 ms something is taken off, the rest before a press is charged to nobody. Sleeping: 100 ms is taken off
after each sleep of 100 ms, which takes longer than that; how much longer is measured here first.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from benchmarks.report.figures import RUNS, Figure, Found, Plot, Remark, at_most, run
from flagfall.othello.clock import Clock
from flagfall.othello.side import Both, Side

TICK_NS = 100_000_000
# Average time for a move of two players with half an hour each.
MEAN_THINKING_S = 15.0
PRESSES_A_GAME = 60


@dataclass(frozen=True, slots=True)
class Errors:
    """Time that passed and was not charged, in nanoseconds, after so many presses."""

    presses: int
    ours_ns: int
    ticks_ns: int
    sleeping_ns: int


def overshoot_ns(sleeps: int) -> int:
    """Return how much longer than 100 ms a sleep of 100 ms takes here, on average."""
    begun_ns = time.monotonic_ns()
    for _ in range(sleeps):
        time.sleep(TICK_NS / 1e9)
    return (time.monotonic_ns() - begun_ns) // sleeps - TICK_NS


def play(presses: int, seed: int, late_ns: int) -> list[Errors]:
    """Play one endless game; return errors at ever longer distances, the last one at the end."""
    chance = Random(seed)
    side, now_ns = Side.BLACK, 0
    clock = Clock(Both(10**20, 10**20)).run(side, now_ns)
    ticks_ns = sleeping_ns = 0
    errors: list[Errors] = []
    next_press = 10
    for press in range(1, presses + 1):
        thought_ns = int(chance.expovariate(1 / MEAN_THINKING_S) * 1e9)
        now_ns += thought_ns
        side = side.other
        clock = clock.run(side, now_ns)
        ticks_ns += thought_ns // TICK_NS * TICK_NS
        # The press is noticed when the sleep in which it falls is over.
        sleeping_ns += -(-thought_ns // (TICK_NS + late_ns)) * TICK_NS
        if press >= next_press or press == presses:
            charged_ns = clock.charged_ns.black + clock.charged_ns.white
            errors.append(
                Errors(press, abs(now_ns - charged_ns), abs(now_ns - ticks_ns), abs(now_ns - sleeping_ns))
            )
            next_press = press * 3 // 2
    return errors


def measure(short: bool) -> Iterator[Found]:
    presses, sleeps = (5_000, 3) if short else (1_000_000, 100)
    late_ns = overshoot_ns(sleeps)
    played = [play(presses, seed, late_ns) for seed in range(RUNS)]
    last = [errors[-1] for errors in played]
    games = presses / PRESSES_A_GAME
    yield Figure(
        f"charged to nobody after {presses:,} presses, Flagfall",
        "ns",
        tuple(float(error.ours_ns) for error in last),
        at_most(0, "exact to the nanosecond"),
    )
    yield Figure(
        "the same a game of 60 presses, ticks of 100 ms without the remainder",
        "s",
        tuple(error.ticks_ns / 1e9 / games for error in last),
    )
    yield Figure(
        "the same a game of 60 presses, sleep and subtract",
        "s",
        tuple(error.sleeping_ns / 1e9 / games for error in last),
        note=f"a sleep of 100 ms took {late_ns / 1e6:.2f} ms longer here",
    )
    yield Plot(
        "clock.svg",
        "Time charged to nobody",
        "presses",
        "seconds",
        {
            "ticks without the remainder": [(error.presses, error.ticks_ns / 1e9) for error in played[0]],
            "sleep and subtract": [(error.presses, error.sleeping_ns / 1e9) for error in played[0]],
            "Flagfall: nothing, at every press": [],
        },
    )
    yield Remark(
        f"Thinking times are random, {MEAN_THINKING_S:g} s on average, the same for all three. A clock that sleeps "
        "notices a press late, which hides a part of what it loses; on a busier machine it loses more."
    )
    assert statistics.median(error.ours_ns for error in last) == 0


if __name__ == "__main__":
    run(measure, __doc__)
