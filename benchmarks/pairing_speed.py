"""How long one Swiss round takes to pair and prove, and how much memory: rounds of simulated tournaments.

python -m benchmarks.pairing_speed [--short]
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks.figures import Figure, Found, at_most, run
from benchmarks.rounds import KINDS, rounds

AIMS_S = {(100, "ordinary"): 0.05, (500, "ordinary"): 0.2, (2000, "ordinary"): 2.0, (2000, "hard"): 5.0}
MOST_MB = 250.0


def all_rounds(count: int, kind: str, last: int) -> tuple[list[float], float]:
    """Seconds of each round but the first, which is drawn by lot; and the process's peak memory in MB."""
    taken = [one.wall_s for one in rounds(count, kind, last) if one.number > 1]
    return taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(short: bool) -> Iterator[Found]:
    sizes, last = ((20, 40), 3) if short else ((100, 500, 2000), 13)
    for count in sizes:
        for kind in KINDS:
            # A process for each, so that the memory is its own.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
                taken, memory_mb = child.submit(all_rounds, count, kind, last).result()
            limit_s = AIMS_S.get((count, kind))
            yield Figure(
                f"one round of {count:,} players, {kind}",
                "s",
                tuple(taken),
                None if limit_s is None else at_most(limit_s, "issue 6"),
                note="rounds 2 to 13",
            )
            aim = at_most(limit_s, "issue 6") if limit_s is not None else None
            yield Figure(f"the slowest of them, {count:,} players, {kind}", "s", (max(taken),), aim)
            yield Figure(
                f"memory of the pairing process, {count:,} players, {kind}",
                "MB",
                (memory_mb,),
                at_most(MOST_MB, "issue 6"),
            )


if __name__ == "__main__":
    run(measure, __doc__)
