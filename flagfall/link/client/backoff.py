"""The waiting time before another attempt: doubling from 1 s to a longest one, with a random part.

The random generator is passed in with its seed, so that a run can be repeated; the random part keeps a room of tables
from reconnecting all at once.
"""

from __future__ import annotations

from random import Random

FIRST_S = 1.0
LONGEST_S = 60.0
# A hub that comes back has all its tables within this: of a thousand tables 200 at most in one second, a
# third of what a hub was seen to take on (docs/venue.md); a try at a broker that is away is one packet.
LONGEST_TO_BROKER_S = 8.0


def delay_s(attempt: int, random: Random, longest_s: float = LONGEST_S) -> float:
    """Return the seconds to wait after the failed `attempt` (1, 2, ...): half to the whole of the doubled time."""
    doubled_s = min(longest_s, FIRST_S * float(1 << min(attempt, 16)))
    return doubled_s * random.uniform(0.5, 1.0)
