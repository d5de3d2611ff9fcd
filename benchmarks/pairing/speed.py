"""The cost of pairing and proving one Swiss round, processor time and memory: rounds of simulated tournaments.

python -m benchmarks.pairing.speed [--short]
"""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from statistics import mean

from benchmarks.pairing.peers import RUSTWORKX, in_rustworkx
from benchmarks.pairing.rounds import KINDS, rounds
from benchmarks.report.figures import Figure, Found, Yardstick, at_most, run
from hub.pairing.next_round import next_round

MOST_MB = 250.0
# The aims, in times of rustworkx's whole job, and up to how many players it has the time for each round.
IN_THE_MEAN, SLOWEST = 1.0, 1.3
LARGEST_IN_ALL = 500


def all_rounds(count: int, kind: str, last: int) -> tuple[list[float], float, list[float]]:
    """Return the seconds of each round but the first, which is drawn by lot; the process's peak memory in MB; and the
    seconds of rustworkx's whole job in the same rounds, of many players in the slowest alone (none where it is not
    installed).
    """
    gc.freeze()  # as the hub and its children do once all is imported
    _, *before = rounds(count, kind, last)
    taken = [least_processor_s(partial(next_round, tournament)) for tournament in before]
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    compared = before if count <= LARGEST_IN_ALL else [before[taken.index(max(taken))]]
    try:
        peers = [least_processor_s(in_rustworkx(tournament)) for tournament in compared]
    except ImportError:
        peers = []
    return taken, memory_mb, peers


def least_processor_s(run: Callable[[], object]) -> float:
    """Return the least of three: what else runs on the machine only adds."""
    taken = []
    for _ in range(3):
        begun_s = time.process_time()
        run()
        taken.append(time.process_time() - begun_s)
    return min(taken)


def measure(short: bool) -> Iterator[Found]:
    sizes, last = ((20, 40), 3) if short else ((50, 100, 200, 500, 1000, 2000), 13)
    for count in sizes:
        for kind in KINDS:
            # A process for each, so that the memory is its own.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
                taken, memory_mb, peers = child.submit(all_rounds, count, kind, last).result()
            yield Figure(
                f"one round of {count:,} players, {kind}",
                "s",
                tuple(taken),
                note="rounds 2 to 13, each the least of three",
            )
            if len(peers) == len(taken):
                yield Figure(
                    f"the mean of them, {count:,} players, {kind}",
                    "s",
                    (mean(taken),),
                    at_most(IN_THE_MEAN, "the same rounds"),
                    beside=Yardstick(RUSTWORKX, (mean(peers),)),
                )
            yield Figure(
                f"the slowest of them, {count:,} players, {kind}",
                "s",
                (max(taken),),
                at_most(SLOWEST, "the same round") if peers and count <= LARGEST_IN_ALL else None,
                beside=Yardstick(RUSTWORKX, (peers[taken.index(max(taken)) if len(peers) > 1 else 0],))
                if peers
                else None,
            )
            yield Figure(
                f"memory of the pairing process, {count:,} players, {kind}",
                "MB",
                (memory_mb,),
                at_most(MOST_MB, "memory does not depend on speed"),
            )


if __name__ == "__main__":
    run(measure, __doc__)
