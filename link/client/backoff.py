"""The waiting time before another attempt: doubling from 1 s to 60 s, with a random part.

The random generator is passed in with its seed, so that a run can be repeated; the random part keeps a room of tables
from reconnecting all at once.
"""

from __future__ import annotations

from random import Random

FIRST_S = 1.0
LONGEST_S = 60.0


def delay_s(attempt: int, random: Random) -> float:
    """Seconds to wait after the failed `attempt` (1, 2, ...): half to the whole of the doubled time."""
    doubled_s = min(LONGEST_S, FIRST_S * float(1 << min(attempt, 16)))
    return doubled_s * random.uniform(0.5, 1.0)
